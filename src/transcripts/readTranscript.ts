/**
 * Reads a session file of Claude Code, of any client version, as an episode and its turns: streaming, in constant
 * memory, from the beginning or from a cursor. Nothing in a file makes it throw; a file that cannot be opened does,
 * with TRANSCRIPT_UNREADABLE.
 */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { CairnError } from '../base/errors.ts';
import type { Episode, Turn } from '../engine/index.ts';
import { ConversationTree } from './conversationTree.ts';
import { identifyFile, isStillTheSame, markBefore, type TranscriptCursor } from './cursor.ts';
import { parseLine } from './parseLine.ts';
import { readLineBatches, type RawLine } from './readLines.ts';
import { readSessionHeader, type SessionHeader } from './sessionHeader.ts';
import { TurnMaker, type TurnMakerState } from './turnMaker.ts';

export interface ReadTranscriptOptions {
  /** Continues where an earlier reading stopped; ignored when the file is another one by now. */
  readonly from?: TranscriptCursor;
  /** Lines that another file holds as well (see replays.ts). Asked only when reading begins at the start: copies stand there. */
  readonly skipUuids?: () => Promise<ReadonlySet<string>>;
  /** The file is not written any more (backfill): prompts left in the queue count as said. */
  readonly finished?: boolean;
  readonly signal?: AbortSignal;
}

export interface TranscriptStats {
  lines: number;
  /** No JSON object, or cut in the middle. */
  malformedLines: number;
  /** Too long even without their long strings. */
  oversizedLines: number;
  turns: number;
}

export interface TranscriptReading {
  readonly episode: Episode;
  readonly header: SessionHeader;
  /** True when the cursor did not fit the file and reading starts at the beginning. */
  readonly restarted: boolean;
  /** May be iterated once; the file is closed when it ends or is left. */
  readonly turns: AsyncIterable<Turn>;
  readonly stats: Readonly<TranscriptStats>;
  /**
   * Ids of messages, of this reading or an earlier one, that the person took back by rewinding; undefined when nothing
   * read now says that anything changed. Reads the whole file where something does; call it when `turns` has ended.
   */
  abandoned(): Promise<ReadonlySet<string> | undefined>;
  /** Where the next reading continues; call it when `turns` has ended. */
  cursor(): TranscriptCursor;
}

const DAY_MS = 86_400_000;
const EMPTY_STATE: TurnMakerState = { blockCounts: [], toolNames: [] };

export async function readTranscript(filePath: string, options: ReadTranscriptOptions = {}): Promise<TranscriptReading> {
  const file = await openTranscript(filePath);
  try {
    const { id, sizeBytes, modifiedAt } = await identifyFile(file);
    const latestAt = modifiedAt + DAY_MS;
    const header = await readSessionHeader(file, filePath, sizeBytes, latestAt);
    const fits = options.from !== undefined && (await isStillTheSame(file, options.from));
    const from = fits ? options.from : undefined;
    const skipUuids = (from?.offset ?? 0) === 0 ? await options.skipUuids?.() : undefined;
    const startedAt = header.startedAt ?? Math.trunc(modifiedAt);
    const reading = new Reading(file, options, {
      offset: from?.offset ?? 0, sizeBytes, file: id, mark: from?.mark ?? '', state: from?.state ?? EMPTY_STATE,
      ...(from?.lastUuid === undefined ? {} : { lastUuid: from.lastUuid }),
    }, new TurnMaker({
      sessionId: header.sessionId, fallbackAt: startedAt, latestAt, sidechain: header.sidechain,
      ...(skipUuids === undefined ? {} : { skipUuids }),
      ...(from === undefined ? {} : { state: from.state }),
    }));
    return {
      episode: episodeOf(header, filePath, startedAt),
      header,
      restarted: options.from !== undefined && !fits,
      turns: { [Symbol.asyncIterator]: () => reading.turns() },
      stats: reading.stats,
      abandoned: async () => (reading.hasRewound ? abandonedMessages(filePath, options.signal) : undefined),
      cursor: () => reading.cursor,
    };
  } catch (error) {
    await file.close();
    throw unreadable(filePath, error);
  }
}

class Reading {
  readonly stats: TranscriptStats = { lines: 0, malformedLines: 0, oversizedLines: 0, turns: 0 };
  readonly #file: FileHandle;
  readonly #options: ReadTranscriptOptions;
  readonly #maker: TurnMaker;
  cursor: TranscriptCursor;

  constructor(file: FileHandle, options: ReadTranscriptOptions, cursor: TranscriptCursor, maker: TurnMaker) {
    this.#file = file;
    this.#options = options;
    this.#maker = maker;
    this.cursor = cursor;
  }

  async *turns(): AsyncGenerator<Turn> {
    let offset = this.cursor.offset;
    let state = this.cursor.state;
    try {
      for await (const batch of readLineBatches(this.#file, offset, this.#options.signal)) {
        for (const line of batch) {
          const turns = this.#take(line);
          if (turns === undefined) break; // the last line is still being written
          for (const turn of turns) {
            this.stats.turns += 1;
            yield turn;
          }
          if (!this.#maker.isWaiting) {
            offset = line.end;
            state = this.#maker.state();
          }
        }
      }
      if (this.#options.finished === true) yield* this.#maker.takeRest();
    } finally {
      this.cursor = {
        ...this.cursor, offset, state, mark: await markBefore(this.#file, offset),
        ...(this.#maker.lastUuid === undefined ? {} : { lastUuid: this.#maker.lastUuid }),
      };
      await this.#file.close();
    }
  }

  get hasRewound(): boolean {
    return this.#maker.hasRewound;
  }

  /** The line's turns; undefined when it is incomplete. */
  #take(line: RawLine): Turn[] | undefined {
    const text = line.start === 0 ? line.text?.replace(/^\uFEFF/, '') : line.text;
    if (text === undefined) {
      this.stats.lines += 1;
      this.stats.oversizedLines += 1;
      return [];
    }
    const { objects, malformed } = parseLine(text);
    if (!line.terminated && malformed && this.#options.finished !== true) return undefined;
    if (text.trim() !== '') this.stats.lines += 1;
    if (malformed) this.stats.malformedLines += 1;
    return objects.flatMap((object) => this.#maker.take(object));
  }
}

/** Where a branch begins is known only from the whole tree. */
async function abandonedMessages(filePath: string, signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
  const file = await openTranscript(filePath);
  try {
    const tree = new ConversationTree();
    for await (const batch of readLineBatches(file, 0, signal)) {
      for (const { text } of batch) for (const object of parseLine(text?.replace(/^\uFEFF/, '') ?? '').objects) tree.add(object);
    }
    return tree.abandoned();
  } finally {
    await file.close();
  }
}

async function openTranscript(filePath: string): Promise<FileHandle> {
  try {
    return await open(filePath, 'r');
  } catch (error) {
    throw unreadable(filePath, error);
  }
}

function unreadable(filePath: string, error: unknown): CairnError {
  return new CairnError('TRANSCRIPT_UNREADABLE', `The session file cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error, data: { path: filePath } });
}

function episodeOf(header: SessionHeader, transcriptPath: string, startedAt: number): Episode {
  return {
    id: episodeId(header.sessionId, startedAt),
    sessionId: header.sessionId,
    transcriptPath,
    startedAt,
    ...(header.cwd === undefined ? {} : { cwd: header.cwd }),
    ...(header.branch === undefined ? {} : { branch: header.branch }),
    ...(header.endedAt === undefined ? {} : { endedAt: header.endedAt }),
    ...(header.title === undefined ? {} : { title: header.title }),
    ...(header.clientVersion === undefined ? {} : { clientVersion: header.clientVersion }),
  };
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID that is a function of the session, so that hook, watcher and backfill name the same episode. */
export function episodeId(sessionId: string, startedAt: number): string {
  let time = '';
  for (let rest = Math.trunc(startedAt), digit = 0; digit < 10; digit += 1, rest = Math.floor(rest / 32)) time = `${CROCKFORD[rest % 32]}${time}`;
  const hash = createHash('sha256').update(sessionId).digest();
  return time + [...hash.subarray(0, 16)].map((byte) => CROCKFORD[byte % 32]).join('');
}
