/**
 * Commands that look after the store: stats, tags, profile, import, export, doctor,
 * embeddings, backup, restore, relink, completion.
 */
import type { Command } from 'commander';
import { CairnError, isCairnError } from '../../base/errors.ts';
import type { ProfileValue } from '../../engine/index.ts';
import type { DoctorOutput, EmbeddingsOutput, ImportOutput, RestoreOutput, StatsOutput } from '../../operations/index.ts';
import type { CliHost } from '../cliHost.ts';
import { addFilters, filterInput, prune } from '../commandFlags.ts';
import type { FilterFlags } from '../commandFlags.ts';
import { completionScript } from '../completion.ts';
import { confirmed } from '../confirmed.ts';
import { counted } from '../output.ts';
import type { Register } from '../register.ts';
import { type CliSession, progressLine } from '../session.ts';

const SWITCH_HELP = `
Models: bundled, all-minilm-l6-v2, use-multilingual, a model's id or folder, remote:NAME.
Old vectors are kept until every memory here has a new one; interrupted, the same command goes on.`;

/** Sets the model for the work; a model that cannot serve leaves the setting as it was, an interruption leaves the new one. */
async function withModel<T>(session: CliSession, model: string, work: () => Promise<T>): Promise<T> {
  if (model === 'off') throw new CairnError('INPUT_INVALID', 'Search by meaning is switched off by `cairn config embedding.model off`; the vectors stay.', { data: { field: 'model' } });
  const KEY = 'embedding.model';
  const { settings } = await session.call<{ settings: readonly { value: unknown }[] }>('settings', { key: KEY });
  const { setting } = await session.call<{ setting: { value: unknown } }>('setSetting', { key: KEY, value: model });
  try {
    if (setting.value !== model) throw new CairnError('CONFIG_INVALID', `Another place decides which model serves: ${KEY} is ${JSON.stringify(setting.value)}. See \`cairn config ${KEY}\`.`, { data: { key: KEY } });
    return await work();
  } catch (error) {
    if (!(isCairnError(error) && error.code === 'CANCELLED')) await session.call('setSetting', { key: KEY, value: settings[0]?.value });
    throw error;
  }
}

/** What would be replaced, and by what. */
function restoreQuestion({ plan }: RestoreOutput): string {
  const held = (summary: NonNullable<typeof plan>['present']): string =>
    summary === undefined ? 'nothing that can be read' : `${counted(summary.memories, 'memory', 'memories')}${summary.changedAt === undefined ? '' : `, last changed ${new Date(summary.changedAt).toISOString().slice(0, 16).replace('T', ' ')}`}`;
  return `Replace what is remembered ${plan?.role === 'user' ? 'of you' : 'of this repository'} (${held(plan?.present)}) by the backup (${held(plan?.backup)})? The store as it is now is kept beside it.`;
}

export function registerMaintaining(register: Register, _host: CliHost, program: () => Command): void {
  register('stats', 'counts and mean importance per kind', (command) => command.option('--global', 'all repositories'), async (session, flags: { global?: boolean }) => {
    const stats = await session.call<StatsOutput>('stats', prune({ global: flags.global }));
    session.print(stats, () => {
      const { out } = session;
      const besides = (['archived', 'superseded', 'forgotten'] as const).map((status) => ({ status, count: stats.stores.reduce((sum, { info }) => sum + (info.byStatus[status] ?? 0), 0) })).filter(({ count }) => count > 0);
      out.line(`${counted(stats.total, 'memory', 'memories')}${stats.repository === undefined ? '' : ` (${stats.repository.name} and yours)`}${besides.length === 0 ? '' : `; besides ${besides.map(({ status, count }) => `${count} ${status}`).join(', ')}`}`);
      out.table(stats.byKind.map(({ kind, count, meanImportance }) => [`  ${kind}`, String(count), `mean importance ${meanImportance}`]));
      for (const { role, info, index } of stats.stores) out.line(out.style('dim', `${role}: ${(info.sizeBytes / 1_048_576).toFixed(1)} MB, ${info.chunks} chunks, ${info.chunksWithoutVector} without vector, index ${index}, journal ${info.journalMode}`));
      for (const entry of stats.repositories ?? []) out.line(`  ${entry.name}: ${entry.memories}`);
    });
  });

  register('tags', 'tags in use', (command) => command, async (session) => {
    const result = await session.call<{ tags: { tag: string; count: number }[] }>('tags', {});
    session.print(result, () => session.out.table(result.tags.map(({ tag, count }) => [`#${tag}`, String(count)])));
  });

  register('profile [key] [value]', 'what is known of you; with a value, set it', (command) => command.option('--unset', 'remove the key'), async (session, key: string | undefined, value: string | undefined, flags: { unset?: boolean }) => {
    const result = key !== undefined && (value !== undefined || flags.unset === true)
      ? await session.call<{ values: ProfileValue[] }>('editProfile', { key, value: flags.unset === true ? null : value })
      : await session.call<{ values: ProfileValue[] }>('profile', {});
    const values = key === undefined ? result.values : result.values.filter((entry) => entry.key === key || entry.key.startsWith(`${key}.`));
    if (key !== undefined && value === undefined && flags.unset !== true && values.length === 0) throw new CairnError('INPUT_INVALID', `The profile has no "${key}". \`cairn profile\` lists what it has.`, { data: { field: 'key' } });
    session.print({ values }, () => {
      if (flags.unset === true) session.out.line(`${key} is not in the profile any more.`);
      else if (values.length === 0) session.out.line('The profile is empty. It fills from preferences, or: cairn profile python.formatter ruff');
      session.out.table(values.map((entry) => [entry.key, entry.value, session.out.style('dim', entry.edited ? 'yours' : `from ${entry.memoryIds.length} ${entry.memoryIds.length === 1 ? 'memory' : 'memories'}`)]));
    });
  });

  register('import <file>', 'import memories (JSONL, one a line, or JSON of other memory tools; - reads stdin)', (command) => command.option('--no-consolidate', 'store lines as they are').option('--scope <scope>', 'for lines that name none: user or repository'), async (session, file: string, flags: { consolidate?: boolean; scope?: string }) => {
    const progress = progressLine(session, 'Importing');
    const result = await session.call<ImportOutput>('importMemories', prune({ path: file, consolidate: flags.consolidate === false ? false : undefined, scope: flags.scope ?? (session.target.userOnly === true ? 'user' : undefined) }), progress.onProgress);
    progress.done();
    session.print(result, () => {
      session.out.line(`${result.added} added, ${result.merged} merged, ${result.superseded} replaced an older one, ${result.duplicate} known already, ${result.refused.length} refused.`);
      for (const { line, code, message } of result.refused.slice(0, 20)) session.out.note(`  line ${line}: ${message} (${code})`);
      if (result.refused.length > 20) session.out.note(`  ... and ${result.refused.length - 20} more; --json lists all.`);
    });
    // A file of which nothing could be taken is not imported.
    return result.refused.length > 0 && result.added + result.merged + result.superseded + result.duplicate === 0 ? 1 : 0;
  });

  register('export [file]', 'export memories as JSONL, to stdout without a file', (command) => addFilters(command).option('--format <format>', 'jsonl'), async (session, file: string | undefined, flags: FilterFlags & { format?: string }) => {
    const filters = filterInput(flags);
    const isFile = file !== undefined && file !== '-';
    const result = await session.call<{ exported: number; lines?: string[] }>('exportMemories', prune({ ...filters, anchoredAt: filters['path'], path: isFile ? file : undefined, format: flags.format }));
    if (isFile) session.print({ exported: result.exported, path: file }, () => session.out.line(`Exported ${result.exported} memories to ${file}.`));
    else for (const line of result.lines ?? []) session.out.line(line);
  });

  register('doctor', 'check everything and say how to cure it', (command) => command.option('--fix', 'repair what can be repaired').option('--scan-secrets', 'look for secrets in the store').option('--allow-secret <text>', 'a false alarm: the text, or its fingerprint, is not masked any more'), async (session, flags: { fix?: boolean; scanSecrets?: boolean; allowSecret?: string }) => {
    if (flags.allowSecret !== undefined) {
      const { allowed } = await session.call<{ allowed: readonly string[] }>('allowSecret', { text: flags.allowSecret });
      session.print({ allowed }, () => session.out.line(`Not masked any more; ${allowed.length} allowed in all (cairn config privacy.allowedSecrets).`));
      return 0;
    }
    const result = await session.call<DoctorOutput>('doctor', prune({ fix: flags.fix, scanSecrets: flags.scanSecrets }));
    session.print(result, () => {
      const { out } = session;
      const mark = { ok: out.style('green', 'ok     '), warning: out.style('yellow', 'warning'), failed: out.style('red', 'failed '), unknown: out.style('dim', 'unknown') };
      for (const check of result.checks) {
        out.line(`${mark[check.state]}  ${check.title}: ${check.detail}`);
        if (check.cure !== undefined && check.state !== 'ok') out.line(`         ${check.cure}${check.fixable === true ? ' (cairn doctor --fix)' : ''}`);
      }
      for (const { memoryId, kinds, fingerprints } of result.secrets ?? []) out.line(`${out.style('red', `secret in ${memoryId}: ${kinds.join(', ')}`)}  (a false alarm? cairn doctor --allow-secret ${fingerprints[0] ?? ''})`);
      if (result.secrets?.length === 0) out.line('No secrets found in the store.');
    });
    return result.healthy ? 0 : 1;
  });

  register('embeddings [action] [model]', 'status of search by meaning; backfill embeds what is missing; switch MODEL changes the model', (command) => command.addHelpText('after', SWITCH_HELP), async (session, action: string | undefined, model: string | undefined) => {
    const progress = progressLine(session, 'Embedding');
    const isSwitch = action === 'switch';
    if (isSwitch !== (model !== undefined)) throw new CairnError('INPUT_INVALID', 'Say `cairn embeddings switch MODEL`; status and backfill take no model.', { data: { field: 'model' } });
    const run = async (): Promise<EmbeddingsOutput> => session.call<EmbeddingsOutput>('embeddings', { action: action ?? 'status' }, progress.onProgress);
    const result = isSwitch ? await withModel(session, model ?? '', run) : await run();
    progress.done();
    session.print(result, () => {
      session.out.line(`Model: ${result.version ?? result.state}${result.failure === undefined ? '' : ` (${result.failure})`}`);
      for (const store of result.stores) session.out.line(`  ${store.role}: ${store.versions.map(({ version, vectors }) => `${vectors} vectors of ${version}`).join(', ') || 'no vectors'}; ${store.pending} waiting`);
      if (result.embedded !== undefined) session.out.line(`Embedded ${result.embedded}${(result.dropped ?? 0) === 0 ? '' : `; ${result.dropped} vectors of other models removed`}.`);
      if (isSwitch) session.out.line('Other repositories follow when they are next used, or by the same command there.');
    });
  });

  register('backup', 'make a consistent copy of the stores', (command) => command.option('--list', 'list backups'), async (session, flags: { list?: boolean }) => {
    const result = await session.call<{ made?: { path: string }; backups: { path: string; createdAt: number; sizeBytes: number }[] }>('backup', { list: flags.list === true });
    session.print(result, () => {
      if (result.made !== undefined) session.out.line(`Backed up to ${result.made.path}`);
      else if (result.backups.length === 0) session.out.line('There is no backup yet. Make one: cairn backup');
      else session.out.table(result.backups.map((entry) => [new Date(entry.createdAt).toISOString(), `${(entry.sizeBytes / 1_048_576).toFixed(1)} MB`, entry.path]));
    });
  });
  register('restore <file>', 'bring a backup back; the present store is set aside', (command) => command.option('--yes', 'do not ask'), async (session, file: string, flags: { yes?: boolean }) => {
    if (flags.yes !== true) await confirmed(session, flags.yes, restoreQuestion(await session.call<RestoreOutput>('restoreBackup', { path: file, preview: true })));
    const result = await session.call<RestoreOutput>('restoreBackup', { path: file });
    session.print(result, () => session.out.line(`Restored ${result.restored ?? file}. The store as it was lies beside it under another name.`));
  });

  register('relink <from> <to>', 'make two known repositories one', (command) => command, async (session, from: string, to: string) => {
    const result = await session.call<{ movedMemories: number }>('relink', { from, to });
    session.print(result, () => session.out.line(`${result.movedMemories} memories moved; both names now mean the same repository.`));
  });

  register('completion <shell>', 'print the completion script for bash, zsh or fish', (command) => command, async (session, shell: string) => {
    session.out.line(completionScript(shell, program()));
  });
}
