/**
 * What the sidebar remembers of where the person was, across hiding and reload. An
 * older or foreign state is dropped, not repaired.
 */
import * as z from 'zod';
import { NO_FILTERS, listFilters, sortName, tabName } from '../../src/protocol/index.ts';

const viewStateSchema = z.object({
  tab: tabName,
  query: z.string(),
  filters: listFilters,
  sort: sortName,
  filtersOpen: z.boolean(),
  fileOpen: z.boolean(),
  detailId: z.string().optional(),
  focusId: z.string().optional(),
  focusIndex: z.number().optional(),
  first: z.number().optional(),
  /** The rows that are chosen together; a handful, since only rows at hand can be chosen again. */
  selected: z.array(z.string()).optional(),
  openSections: z.array(z.string()),
  detailScroll: z.number().optional(),
  /** Text that was typed into Detail and not saved yet. */
  draft: z.object({ id: z.string(), text: z.string() }).optional(),
  focusProposal: z.string().optional(),
  selectedProposals: z.array(z.string()).optional(),
  proposalDraft: z.object({ id: z.string(), text: z.string() }).optional(),
  injected: z.object({ open: z.array(z.string()), scroll: z.number() }).optional(),
});
export type ViewState = z.infer<typeof viewStateSchema>;

export const START_STATE: ViewState = { tab: 'memories', query: '', filters: NO_FILTERS, sort: 'recent', filtersOpen: false, fileOpen: true, openSections: ['from', 'anchors'] };

export function readViewState(saved: unknown): ViewState {
  const parsed = viewStateSchema.safeParse(saved);
  return parsed.success ? parsed.data : START_STATE;
}
