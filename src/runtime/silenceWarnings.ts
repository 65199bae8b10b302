/**
 * Node 22 announces node:sqlite as experimental on stderr, in every process and thread.
 * That is known and decided (DESIGN's measurements); it would only drown what matters.
 */
let isSilenced = false;

/** Drops that one warning; all others pass. Call before node:sqlite is loaded. */
export function silenceSqliteWarning(): void {
  if (isSilenced) return;
  isSilenced = true;
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  const filtered = (warning: string | Error, ...rest: unknown[]): void => {
    const kind = typeof rest[0] === 'string' ? rest[0] : ((rest[0] as { type?: unknown } | undefined)?.type ?? (warning instanceof Error ? warning.name : undefined));
    const text = warning instanceof Error ? warning.message : warning;
    if (kind === 'ExperimentalWarning' && /sqlite/i.test(text)) return;
    emit(warning, ...rest);
  };
  process.emitWarning = filtered as typeof process.emitWarning;
}
