/**
 * What a page of the editor area remembers across hiding and reload: which charts are
 * tables, what the graph is about and which kind it shows.
 */
import * as z from 'zod';

const pageStateSchema = z.object({
  tables: z.array(z.string()).optional(),
  focus: z.string().optional(),
  kind: z.string().optional(),
  scroll: z.number().optional(),
});
export type PageState = z.infer<typeof pageStateSchema>;

/** An older or foreign state is dropped, not repaired. */
export function readPageState(saved: unknown): PageState {
  const parsed = pageStateSchema.safeParse(saved);
  return parsed.success ? parsed.data : {};
}
