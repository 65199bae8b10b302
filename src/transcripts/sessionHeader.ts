/**
 * What a session file says about the whole session, read from its two ends only: id, working folder, branch, client
 * version, title, first and last time.
 */
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { isObject, parseLine, stringOf, type JsonObject } from './parseLine.ts';
import { readLineBatches } from './readLines.ts';

export interface SessionHeader {
  readonly sessionId: string;
  /** A sub-agent's file: everything in it belongs to `sessionId` and nobody in it is the person. */
  readonly sidechain: boolean;
  readonly cwd?: string;
  /** All working folders seen at the head, in order; a session may change folders. */
  readonly cwds: readonly string[];
  readonly branch?: string;
  readonly clientVersion?: string;
  readonly title?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Uuid of the first conversation line: forks share it. */
  readonly firstUuid?: string;
}

const HEAD_LINES = 400;
const TAIL_BYTES = 128 * 1024;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export async function readSessionHeader(file: FileHandle, filePath: string, sizeBytes: number, latestAt: number): Promise<SessionHeader> {
  const head = await linesFrom(file, 0, HEAD_LINES);
  const tail = sizeBytes > TAIL_BYTES ? await linesFrom(file, sizeBytes - TAIL_BYTES, Number.POSITIVE_INFINITY) : head;
  const talk = head.filter((line) => line.type === 'user' || line.type === 'assistant');
  const name = path.basename(filePath, '.jsonl');
  const inLines = stringOf(head.find((line) => typeof line.sessionId === 'string')?.sessionId);
  const isAgentFile = /^agent-/.test(name);
  const parent = parentOfAgentFile(filePath);
  const cwds = [...new Set(head.map((line) => stringOf(line.cwd)).filter((cwd) => cwd !== undefined && cwd !== ''))] as string[];
  const times = [...head, ...tail].map((line) => timeOf(line, latestAt)).filter((time) => time !== undefined);
  const title = titleOf(tail === head ? head : [...head, ...tail]);
  return {
    sessionId: isAgentFile ? (parent ?? inLines ?? name) : UUID.test(name) ? name : (inLines ?? name),
    sidechain: isAgentFile || (talk.length > 0 && talk.every((line) => line.isSidechain === true)),
    cwds,
    ...optional('cwd', cwds[0]),
    ...optional('branch', lastText(tail, 'gitBranch') ?? lastText(head, 'gitBranch')),
    ...optional('clientVersion', lastText(tail, 'version') ?? lastText(head, 'version')),
    ...optional('title', title),
    ...optional('startedAt', times.length === 0 ? undefined : Math.min(...times)),
    ...optional('endedAt', times.length === 0 ? undefined : Math.max(...times)),
    ...optional('firstUuid', stringOf(talk[0]?.uuid)),
  };
}

const optional = <K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> => (value === undefined ? {} : ({ [key]: value } as Record<K, V>));

/** `<session>/subagents/agent-x.jsonl` */
function parentOfAgentFile(filePath: string): string | undefined {
  const folder = path.dirname(filePath);
  if (path.basename(folder) !== 'subagents') return undefined;
  const parent = path.basename(path.dirname(folder));
  return UUID.test(parent) ? parent : undefined;
}

async function linesFrom(file: FileHandle, offset: number, limit: number): Promise<JsonObject[]> {
  const lines: JsonObject[] = [];
  let isFirst = offset > 0;
  for await (const batch of readLineBatches(file, offset)) {
    for (const raw of batch) {
      // Reading began somewhere inside a line.
      if (!isFirst && raw.text !== undefined) lines.push(...parseLine(raw.text.replace(/^\uFEFF/, '')).objects);
      isFirst = false;
    }
    if (lines.length >= limit) break;
  }
  return lines;
}

function timeOf(line: JsonObject, latestAt: number): number | undefined {
  const time = typeof line.timestamp === 'string' ? Date.parse(line.timestamp) : line.timestamp;
  return typeof time === 'number' && Number.isFinite(time) && time > 0 && time <= latestAt ? time : undefined;
}

/**
 * What the session is called: the person's name for it, else the client's, else the client's summary. A file may begin
 * with summaries of other sessions; one counts where the message that it ends with stands in this file.
 */
function titleOf(lines: readonly JsonObject[]): string | undefined {
  const uuids = new Set(lines.map((line) => line.uuid));
  const last = (type: string, ...fields: readonly string[]): string | undefined =>
    lines.filter((line) => line.type === type && (type !== 'summary' || uuids.has(line.leafUuid))).flatMap((line) => fields.map((field) => stringOf(line[field])?.trim())).findLast((text) => text !== undefined && text !== '');
  return last('custom-title', 'title', 'customTitle') ?? last('ai-title', 'title', 'aiTitle') ?? last('summary', 'summary');
}

function lastText(lines: readonly JsonObject[], field: string): string | undefined {
  const line = lines.findLast((candidate) => isObject(candidate) && typeof candidate[field] === 'string' && candidate[field] !== '');
  return stringOf(line?.[field]);
}
