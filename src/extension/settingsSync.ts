/**
 * The plan that keeps the editor's settings a face over Cairn's files [O7]. Three-way:
 * what both sides were last, what each is now. Pure.
 */
export interface SettingSides {
  readonly key: string;
  /** What both sides were when they last agreed; undefined means "not set". */
  readonly agreed: unknown;
  readonly inEditor: unknown;
  readonly inFile: unknown;
}

export type SyncStep =
  | { readonly to: 'file'; readonly key: string; readonly value: unknown }
  | { readonly to: 'editor'; readonly key: string; readonly value: unknown }
  | { readonly to: 'agreed'; readonly key: string; readonly value: unknown };

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Where both changed, the file wins: it is the one truth, and every other surface obeys it already. */
export function planSync(sides: readonly SettingSides[]): SyncStep[] {
  return sides.flatMap(({ key, agreed, inEditor, inFile }): SyncStep[] => {
    if (same(inEditor, inFile)) return same(agreed, inFile) ? [] : [{ to: 'agreed', key, value: inFile }];
    if (same(agreed, inFile)) return [{ to: 'file', key, value: inEditor }];
    return [{ to: 'editor', key, value: inFile }];
  });
}
