/**
 * Commands about the repository and its switches: init, status, project, register,
 * unregister, config, pause, resume.
 */
import { CairnError } from '../../base/errors.ts';
import type { ContextOutput, ProjectOutput, SettingValue, StatusOutput } from '../../operations/index.ts';
import type { CliHost, RegistrationReport } from '../cliHost.ts';
import { prune } from '../commandFlags.ts';
import type { Register } from '../register.ts';
import type { CliSession } from '../session.ts';

export function registerKeeping(register: Register, host: CliHost): void {
  register('init', 'switch memory on for this repository and register with Claude Code', (command) => command.option('--no-register', 'leave Claude Code alone').option('--everywhere', 'switch it on for all repositories'), async (session, flags: { register?: boolean; everywhere?: boolean }) => {
    await session.call('setEnabled', prune({ enabled: true, everywhere: flags.everywhere }));
    const registration = flags.register === false ? undefined : await host.register(prune({ claudeHome: session.flags.claudeHome }));
    const status = await session.call<StatusOutput>('status', {});
    const { kin } = await session.call<ProjectOutput>('project', {});
    session.print({ repository: status.repository, enabled: status.enabled, registration, kin }, () => {
      const { out } = session;
      out.line(`${out.style('green', 'Memory is on')} for ${status.repository?.name ?? 'this folder'}. It is kept in ${status.home}; nothing leaves this machine.`);
      if (registration !== undefined) printRegistration(session, registration, `Registered with Claude Code (${registration.way}).`);
      if (status.repository !== undefined) printKin(session, status.repository.id, kin);
      out.line('Try: cairn add "We use pnpm, not npm"   then ask Claude Code which package manager to use.');
    });
  });

  register('status', 'whether memory is on here, and how it is', (command) => command, async (session) => {
    const status = await session.call<StatusOutput>('status', {});
    session.print(status, () => {
      const { out } = session;
      const state = status.paused ? out.style('yellow', 'paused') : status.enabled ? out.style('green', 'on') : out.style('yellow', 'off (cairn init switches it on)');
      const rows = [
        ['Memory', state],
        ['Repository', status.repository === undefined ? 'none (user store only)' : `${status.repository.name}${status.branch === undefined ? '' : ` on ${status.branch}`}`],
        ['Memories', `${status.counts.repository} here, ${status.counts.user} yours everywhere`],
        ['Inbox', status.inbox === 0 ? 'empty' : `${status.inbox} to review (cairn inbox)`],
        ['Spend today', `${status.spendTodayUsd.toFixed(2)} of ${status.spendCapUsd.toFixed(2)} USD`],
        ['Store', `${(status.storeSizeBytes / 1_048_576).toFixed(1)} MB in ${status.home}`],
        ['Search by meaning', status.embedder === 'absent' ? 'on (the model loads when it is needed)' : status.embedder],
      ];
      out.table(rows);
      for (const { message, part } of status.degradations) if (part !== 'embedder_absent') out.line(out.style('yellow', `! ${message}`));
    });
  });

  register('project', 'which repository this folder means', (command) => command.option('--all', 'list all known ones'), async (session, flags: { all?: boolean }) => {
    const result = await session.call<ProjectOutput>('project', {});
    session.print(result.here === undefined ? result : { ...result.here, here: result.here, known: result.known, kin: result.kin }, () => {
      const { out } = session;
      if (result.here === undefined) out.line('No repository here.');
      else out.table([['Name', result.here.name], ['Id', result.here.id], ['Root', result.here.root ?? '-'], ['Branch', result.here.branch ?? '-'], ['Memory', result.here.enabled ? 'on' : 'off']]);
      if (result.here !== undefined) printKin(session, result.here.id, result.kin);
      if (flags.all === true) {
        out.line();
        out.table(result.known.map((entry) => [entry.name, entry.enabled ? 'on' : 'off', entry.paths[0] ?? '-', entry.id]));
      }
    });
  });

  register('register', 'make Claude Code find Cairn', (command) => command.option('--way <way>', 'settings, skills or user; default: the first that works').option('--desktop', 'Claude Desktop instead').option('--allow-tools', 'also let Claude use the reading tools without asking').option('--section', 'also add a section to this repository\'s CLAUDE.md').option('--context-file', 'also import a context file in this repository\'s CLAUDE.local.md'), async (session, flags: { way?: string; desktop?: boolean } & OfferFlags) => {
    const registered = await host.register(prune({ claudeHome: session.flags.claudeHome, way: flags.way, desktop: flags.desktop }));
    const report = registered.ok ? { ...registered, notes: [...registered.notes, ...(await takeOffers(session, host, flags))] } : registered;
    session.print(report, () => printRegistration(session, report, report.changedFiles.length === 0 ? `Registered already (${report.way}).` : `Registered (${report.way}).`));
    return report.ok ? 0 : 1;
  });
  register('unregister', 'take Cairn out of Claude Code, leaving its files as they were', (command) => command.option('--desktop', 'Claude Desktop instead').option('--section', 'also take our sections out of this repository\'s CLAUDE.md and CLAUDE.local.md'), async (session, flags: { desktop?: boolean; section?: boolean }) => {
    const taken = await host.unregister(prune({ claudeHome: session.flags.claudeHome, desktop: flags.desktop }));
    const report = flags.section === true ? { ...taken, notes: [...taken.notes, ...host.withdrawOffers(await rootHere(session))] } : taken;
    session.print(report, () => printRegistration(session, report, report.changedFiles.length === 0 ? 'Nothing of Cairn was registered.' : 'Unregistered.'));
    return report.ok ? 0 : 1;
  });

  register('mcp', 'serve Claude Code and other MCP clients over stdio', (command) => command, async () => {
    // The entry serves `cairn mcp` before any command is looked at; this one is for the help.
    throw new CairnError('INPUT_INVALID', 'Start the server as `cairn mcp`, with nothing before it.', { data: { field: 'mcp' } });
  });

  register('config [key] [value]', 'read or change a setting', (command) => command.option('--repository', 'for this repository only').option('--unset', 'back to the default'), async (session, key: string | undefined, value: string | undefined, flags: { repository?: boolean; unset?: boolean }) => {
    if (key !== undefined && (value !== undefined || flags.unset === true)) {
      await session.call('setSetting', { key, ...(flags.unset === true ? {} : { value: typedValue(value ?? '') }), level: flags.repository === true ? 'repository' : 'user' });
    }
    const result = await session.call<{ settings: SettingValue[] }>('settings', prune({ key }));
    session.print(key === undefined ? result : result.settings[0], () => {
      const { out } = session;
      out.table(result.settings.map((setting) => [setting.key, JSON.stringify(setting.value) ?? '-', out.style('dim', setting.from), out.style('dim', setting.description)]));
    });
  });

  for (const paused of [true, false]) {
    register(paused ? 'pause' : 'resume', paused ? 'stop remembering and recalling here for now' : 'go on remembering', (command) => command, async (session) => {
      const result = await session.call<{ paused: boolean }>('setPaused', { paused });
      session.print(result, () => session.out.line(result.paused ? 'Paused.' : 'On again.'));
    });
  }
}

interface OfferFlags {
  readonly allowTools?: boolean;
  readonly section?: boolean;
  readonly contextFile?: boolean;
}

async function takeOffers(session: CliSession, host: CliHost, flags: OfferFlags): Promise<string[]> {
  if (flags.allowTools !== true && flags.section !== true && flags.contextFile !== true) return [];
  const { repository } = await session.call<StatusOutput>('status', {});
  const root = repository?.root ?? (await rootHere(session));
  const contextFile = flags.contextFile === true && repository !== undefined ? { repositoryId: repository.id, block: (await session.call<ContextOutput>('getContext', {})).text } : undefined;
  return host.acceptOffers({ root, ...prune({ claudeHome: session.flags.claudeHome, section: flags.section, allowTools: flags.allowTools, contextFile }) });
}

/** Throws REPOSITORY_REQUIRED. */
async function rootHere(session: CliSession): Promise<string> {
  const root = (await session.call<StatusOutput>('status', {})).repository?.root;
  if (root === undefined) throw new CairnError('REPOSITORY_REQUIRED', 'This is about a repository\'s files; run it inside one, or give -C DIR.');
  return root;
}

/** `true`, `5`, `["a"]` are JSON; anything else is a word. */
function typedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so it is the text itself; the setting's schema decides whether that is allowed.
    return text;
  }
}

/** A fork and a folder that was filled anew are repositories of their own until a person says that they are not. */
function printKin({ out }: CliSession, id: string, kin: ProjectOutput['kin']): void {
  for (const other of kin) {
    const name = `${other.name}${other.path === undefined ? '' : ` (${other.path})`}`;
    if (other.by === 'history') out.line(`It has the history of ${name}, whose memories stay apart. If both are one: cairn relink ${id} ${other.id}`);
    else out.line(`This folder was another repository before, ${other.name}; what is remembered of it stays apart. If it is the same: cairn relink ${other.id} ${id}`);
  }
}

export function printRegistration(session: CliSession, report: RegistrationReport, done: string): void {
  const { out } = session;
  if (report.ok) out.line(out.style('green', done));
  else out.line(out.style('red', 'Not done.'));
  for (const file of report.changedFiles) out.line(out.style('dim', `  changed ${file}`));
  for (const note of report.notes) out.line(`  ${note}`);
  if (report.diff !== undefined && report.diff !== '') out.line(report.diff);
}
