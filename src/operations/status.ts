/**
 * status, stats, project and tags: what is here, how much of it, and in which state.
 */
import { z } from 'zod';
import type { Degradation, Job, MemoryKind, StoreInfo, StoreRole } from '../engine/index.ts';
import type { Kin, RegistryEntry } from './hostServices.ts';
import { defineOperation } from './operation.ts';

const nothing = z.object({});

export interface StatusOutput {
  readonly repository?: { readonly id: string; readonly name: string; readonly root?: string };
  readonly branch?: string;
  readonly enabled: boolean;
  readonly paused: boolean;
  readonly counts: { readonly repository: number; readonly user: number };
  readonly inbox: number;
  readonly spendTodayUsd: number;
  readonly spendCapUsd: number;
  readonly storeSizeBytes: number;
  /** The last time that sessions were read for what is worth keeping. */
  readonly lastCapture?: { readonly at: number; readonly remembered: number; readonly proposed: number };
  readonly embedder: string;
  readonly index: 'exact' | 'hnsw' | 'none';
  readonly degradations: readonly Degradation[];
  readonly version: string;
  readonly home: string;
}

export const statusOperation = defineOperation<z.output<typeof nothing>, StatusOutput>({
  name: 'status',
  description: 'Whether memory is on here, how much there is, and what is degraded.',
  input: nothing,
  effect: 'read',
  needsConsent: false,
  async run(context) {
    const infos = await context.engine.info();
    const activeOf = (role: StoreRole): number => infos.find((entry) => entry.role === role)?.info.byStatus.active ?? 0;
    const cap = await context.host.setting('spend.dailyCapUsd');
    const [captured] = (await (context.engine.store('repository') ?? context.engine.store('user'))?.jobs({ purpose: 'extract', states: ['done'] }, 1)) ?? [];
    return {
      repository: context.repository,
      branch: context.view.branch,
      enabled: await context.host.isEnabled(),
      paused: await context.host.isPaused(),
      counts: { repository: activeOf('repository'), user: activeOf('user') },
      inbox: infos.reduce((sum, { info }) => sum + info.observationsWaiting, 0),
      spendTodayUsd: await context.engine.spendTodayUsd(),
      spendCapUsd: typeof cap.value === 'number' ? cap.value : 0,
      storeSizeBytes: infos.reduce((sum, { info }) => sum + info.sizeBytes, 0),
      ...(captured?.endedAt === undefined ? {} : { lastCapture: { at: captured.endedAt, remembered: countIn(captured, 'remembered'), proposed: countIn(captured, 'proposed') } }),
      embedder: context.engine.embedderState(),
      index: context.engine.indexKind(),
      degradations: context.engine.degradations(),
      version: context.host.programVersion,
      home: context.host.home,
    };
  },
});

const countIn = ({ detail }: Job, name: string): number => (typeof detail?.[name] === 'number' ? detail[name] : 0);

export interface StatsOutput {
  readonly repository?: { readonly id: string; readonly name: string };
  /** Active ones, as everywhere; what is archived, superseded or forgotten is in `byStatus` of the stores. */
  readonly total: number;
  readonly byKind: readonly { readonly kind: MemoryKind; readonly count: number; readonly meanImportance: number }[];
  readonly stores: readonly { readonly role: StoreRole; readonly info: StoreInfo; readonly index: string }[];
  readonly repositories?: readonly { readonly id: string; readonly name: string; readonly memories: number }[];
}

const statsInput = z.object({ global: z.boolean().optional() });

export const statsOperation = defineOperation<z.output<typeof statsInput>, StatsOutput>({
  name: 'stats',
  description: 'Counts and mean importance per kind.',
  input: statsInput,
  effect: 'read',
  needsConsent: false,
  async run(context, given) {
    await context.engine.openIndex(context.signal);
    const own = (await context.engine.info()).map((entry) => ({ ...entry, index: context.engine.indexKind() }));
    const others: { id: string; name: string; info: StoreInfo }[] = [];
    if (given.global === true) {
      for (const entry of await context.host.listRepositories()) {
        if (entry.id === context.repository?.id) continue;
        const opened = await context.host.openRepository(entry.id).catch(() => undefined); // An unreadable store is reported by doctor, not here.
        const info = (await opened?.engine.info())?.find(({ role }) => role === 'repository')?.info;
        if (info !== undefined) others.push({ id: entry.id, name: entry.name, info });
      }
    }
    const infos = [...own.map(({ info }) => info), ...others.map(({ info }) => info)];
    const mine = own.find(({ role }) => role === 'repository');
    const here = context.repository === undefined || mine === undefined ? [] : [{ id: context.repository.id, name: context.repository.name, memories: activeIn(mine.info) }];
    return {
      repository: context.repository,
      total: infos.reduce((sum, info) => sum + activeIn(info), 0),
      byKind: sumKinds(infos),
      stores: own,
      ...(given.global === true ? { repositories: [...here, ...others.map(({ id, name, info }) => ({ id, name, memories: activeIn(info) }))] } : {}),
    };
  },
});

const activeIn = ({ byStatus }: StoreInfo): number => byStatus.active ?? 0;

function sumKinds(infos: readonly StoreInfo[]): StatsOutput['byKind'] {
  const sums = new Map<MemoryKind, { count: number; importance: number }>();
  for (const { byKind } of infos) {
    for (const { kind, count, meanImportance } of byKind) {
      const sum = sums.get(kind) ?? { count: 0, importance: 0 };
      sums.set(kind, { count: sum.count + count, importance: sum.importance + meanImportance * count });
    }
  }
  return [...sums].map(([kind, { count, importance }]) => ({ kind, count, meanImportance: Math.round((importance / count) * 100) / 100 })).sort((a, b) => b.count - a.count || a.kind.localeCompare(b.kind));
}

export interface ProjectOutput {
  readonly here?: { readonly id: string; readonly name: string; readonly root?: string; readonly branch?: string; readonly enabled: boolean };
  readonly known: readonly RegistryEntry[];
  /** What this folder may be meant by as well; a person decides, with `relink`. */
  readonly kin: readonly Kin[];
}

export const projectOperation = defineOperation<z.output<typeof nothing>, ProjectOutput>({
  name: 'project',
  description: 'Which repository this folder means, and which others are known.',
  input: nothing,
  effect: 'read',
  needsConsent: false,
  runsWithoutStore: true,
  async run(context) {
    const known = await context.host.listRepositories();
    const { repository } = context;
    const kin = await context.host.kin();
    return repository === undefined ? { known, kin } : { kin, here: { ...repository, branch: context.view.branch, enabled: await context.host.isEnabled() }, known };
  },
});

export const tagsOperation = defineOperation<z.output<typeof nothing>, { tags: readonly { tag: string; count: number }[] }>({
  name: 'tags',
  description: 'Tags in use, most used first.',
  input: nothing,
  effect: 'read',
  needsConsent: false,
  run: async (context) => ({ tags: await context.engine.tags() }),
});
