/**
 * Sessions that ended while another process was reading, or whose reader died: one process reads at a time, and whoever
 * reads takes them along, since nobody may ask again. Kept as a record of the store, changed inside its transactions.
 */
import type { StoreReader, StoreWriter } from '../storage/memoryStore.ts';
import { parseList } from './proposing.ts';

const KEY = 'extraction:asked';
/** More than end within one reader's life. */
const MOST = 1_000;

/** In the order asked. They stay until `forgetAsked`: a reader may die over them. */
export const readAsked = async (reader: Pick<StoreReader, 'getMeta'>): Promise<string[]> => parseList(await reader.getMeta(KEY));

export async function askLater(writer: StoreWriter, sessionId: string): Promise<void> {
  const asked = await readAsked(writer);
  if (!asked.includes(sessionId)) await writer.setMeta(KEY, JSON.stringify([...asked, sessionId].slice(-MOST)));
}

export async function forgetAsked(writer: StoreWriter, done: ReadonlySet<string>): Promise<void> {
  const asked = await readAsked(writer);
  const left = asked.filter((sessionId) => !done.has(sessionId));
  if (left.length < asked.length) await writer.setMeta(KEY, left.length === 0 ? undefined : JSON.stringify(left));
}
