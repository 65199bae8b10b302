/**
 * Notes for the worker: none is lost with a worker, and none is tried for ever.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasWorkNotes, leaveWorkNote, recoverWorkNotes, takeWorkNote } from '../../../src/runtime/workQueue.ts';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';

const note = (sessionId: string, final = false): Parameters<typeof leaveWorkNote>[1] => ({ cwd: '/w', sessionId, transcriptPath: `/t/${sessionId}.jsonl`, final });

describe('a note for the worker', () => {
  it('goes when its work is done, and comes back when the worker died over it', () => {
    const home = createTemporaryFolder();
    leaveWorkNote(home, note('a', true));
    expect(takeWorkNote(home)?.note).toEqual(note('a', true));
    expect(hasWorkNotes(home)).toBe(false);
    recoverWorkNotes(home);
    const again = takeWorkNote(home);
    expect(again?.note).toMatchObject(note('a', true));
    again?.done();
    recoverWorkNotes(home);
    expect(takeWorkNote(home)).toBeUndefined();
  });

  it('that came meanwhile keeps what the taken one asked for', () => {
    const home = createTemporaryFolder();
    leaveWorkNote(home, note('a', true));
    takeWorkNote(home);
    leaveWorkNote(home, note('a'));
    recoverWorkNotes(home);
    expect(takeWorkNote(home)?.note.final).toBe(true);
    expect(takeWorkNote(home)).toBeUndefined();
  });

  it('that could not be done is left to a later worker, some times, while others go on', () => {
    const home = createTemporaryFolder();
    leaveWorkNote(home, note('bad'));
    leaveWorkNote(home, note('good'));
    const tried: string[] = [];
    for (let worker = 0; worker < 9; worker += 1) {
      const passed = new Set<string>();
      for (let taken = takeWorkNote(home, passed); taken !== undefined; taken = takeWorkNote(home, passed)) {
        tried.push(taken.note.sessionId);
        passed.add(taken.note.sessionId);
        if (taken.note.sessionId === 'good') taken.done();
        else taken.leave();
      }
    }
    expect(tried.sort()).toEqual(['bad', 'bad', 'bad', 'bad', 'bad', 'good']);
    expect(fs.readdirSync(path.join(home, 'work'))).toEqual([]);
  });
});
