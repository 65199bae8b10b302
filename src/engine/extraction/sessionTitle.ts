/**
 * What a session is called wherever a person sees one: as its client named it, else by the first words that the person
 * typed. Both are kept with the episode without secrets and without what others injected.
 */
import type { StoreReader } from '../storage/memoryStore.ts';
import { beginningOf } from '../text/graphemes.ts';
import { liveTurns } from './abandoned.ts';
import { withoutForeignBlocks } from './foreignBlocks.ts';

const LONGEST_TITLE = 80;
/** Turns looked at for the person's first words: a session begins with them, or soon after. */
const FIRST_TURNS = [3, 40] as const;
/** Of a turn, which is stored without secrets: more than a title can need. */
const BEGINNING = 2_000;
const MANY_RECEIPTS = 1_000;

/** The first line that says something, in full words; undefined when nothing is left. Redacted before it is cut: half a key is recognised by nobody. */
export function sessionTitle(text: string, redact: (text: string) => string): string | undefined {
  const lines = redact(withoutForeignBlocks(text)).split('\n').map((line) => line.replace(/^[\s#>*-]+/, '').replaceAll(/\s+/g, ' ').trim());
  const line = lines.find((candidate) => /[\p{L}\p{N}]/u.test(candidate) && !candidate.startsWith('```'));
  if (line === undefined || line.length <= LONGEST_TITLE) return line;
  return `${beginningOf(line, LONGEST_TITLE - 1)}…`;
}

/** By session; one that has neither a title nor words of the person is left out. */
export async function readSessionTitles(store: StoreReader, sessionIds: Iterable<string>, redact: (text: string) => string): Promise<Record<string, string>> {
  const titles: Record<string, string> = {};
  for (const sessionId of new Set(sessionIds)) {
    const given = (await store.getEpisode(sessionId))?.title;
    // Older stores hold titles as the client wrote them.
    const title = (given === undefined ? undefined : sessionTitle(given, redact)) ?? (await firstWords(store, sessionId, redact));
    if (title !== undefined) titles[sessionId] = title;
  }
  return titles;
}

async function firstWords(store: StoreReader, sessionId: string, redact: (text: string) => string): Promise<string | undefined> {
  for (const limit of FIRST_TURNS) {
    for (const turn of await liveTurns(store, sessionId, limit)) {
      const title = turn.speaker === 'user' && !turn.sidechain ? sessionTitle(turn.text.slice(0, BEGINNING).toWellFormed(), redact) : undefined;
      if (title !== undefined) return title;
    }
  }
  // Where nothing is captured, a prompt that something was given for is what is known of the session.
  const receipts = await store.receipts({ sessionId }, { limit: MANY_RECEIPTS, offset: 0 });
  const prompt = receipts.findLast(({ moment }) => moment === 'prompt');
  return prompt === undefined ? undefined : sessionTitle(prompt.about, redact);
}
