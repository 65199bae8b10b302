/**
 * `cairn work`: takes the notes that hooks left, one at a time, and ends when there are none. Started detached by a
 * hook; a second one ends at once, because the first looks for notes again before it goes.
 */
import fs from 'node:fs';
import type { ContextOutput, StatusOutput } from '../operations/index.ts';
import { openRuntime } from '../runtime/runtime.ts';
import { readSessionCwd } from '../transcripts/index.ts';
import { hasWorkNotes, recoverWorkNotes, takeWorkNote, tryBecomeWorker, type WorkNote } from '../runtime/workQueue.ts';
import { Composition, InProcessClient, runtimeParts } from '../worker/index.ts';
import { refreshContextFile } from './offering.ts';

/** However much there is, a worker does not live longer; what is left has its notes. */
const LIFETIME_MS = 10 * 60_000;
/** The client writes its transcript a little after it tells. */
const SETTLE_MS = 300;
const SETTLE_AT_MOST_MS = 4_000;

/** `failed`: sessions whose work could not be done here; they are left to a later worker. */
export async function runWork(failed: ReadonlySet<string> = new Set()): Promise<void> {
  const runtime = await openRuntime({ env: process.env, role: 'command', processName: 'work', ...runtimeParts() });
  const lease = tryBecomeWorker(runtime.paths.home);
  if (lease === undefined) return runtime.close();
  const client = new InProcessClient(new Composition(runtime));
  const end = Date.now() + LIFETIME_MS;
  const passed = new Set(failed);
  try {
    recoverWorkNotes(runtime.paths.home);
    while (Date.now() < end) {
      const taken = takeWorkNote(runtime.paths.home, passed);
      if (taken === undefined) break;
      const { note } = taken;
      try {
        await workOn(note, client);
        taken.done();
      } catch (error) {
        // The turns are still in the transcript and the cursor before them; nobody may leave another note of a session that ended.
        taken.leave();
        passed.add(note.sessionId);
        runtime.log.write('warning', 'work failed', { session: note.sessionId, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
      }
    }
  } finally {
    await client.close();
    lease.dispose();
  }
  // A note that came between the last look and the end of the lease has no worker yet.
  if (hasWorkNotes(runtime.paths.home, passed) && Date.now() < end) await runWork(passed);
}

async function workOn(note: WorkNote, client: InProcessClient): Promise<void> {
  await settle(note.transcriptPath);
  // Of a session that wrote nothing yet, its next event leaves a note.
  if (!fs.existsSync(note.transcriptPath)) return;
  // The client names the folder that it is in now; the session is of the one it was started in.
  const cwd = (await readSessionCwd(note.transcriptPath)) ?? note.cwd;
  const options = { target: { cwd }, actor: { surface: 'hook' as const, sessionId: note.sessionId } };
  await client.call('saveConversation', { sessionId: note.sessionId, transcriptPath: note.transcriptPath, final: note.final }, options);
  if (!note.final) return;
  await client.call('tidy', { sessionId: note.sessionId }, options);
  const { repository, home } = await client.call<StatusOutput>('status', {}, options);
  if (repository !== undefined) await refreshContextFile(home, repository.id, async () => (await client.call<ContextOutput>('getContext', {}, options)).text);
}

/** Waits until the file is there and stops growing, but not for long. */
async function settle(file: string): Promise<void> {
  const end = Date.now() + SETTLE_AT_MOST_MS;
  for (let size: number | undefined = -1; Date.now() < end; ) {
    const now = fs.statSync(file, { throwIfNoEntry: false })?.size;
    if (now !== undefined && now === size) return;
    size = now;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  }
}
