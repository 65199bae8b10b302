/**
 * The log: one file per home, appended to by all processes, turned over at MAX_BYTES and
 * bounded by KEPT_FILES. At the default level it holds codes, counts and ids only;
 * whoever logs memory text does it at "debug".
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import { errorCode, FILE_MODE, FOLDER_MODE } from './paths.ts';

export const LOG_LEVELS = ['error', 'warning', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>;

export interface LogSink {
  readonly file: string;
  write(level: LogLevel, message: string, facts?: LogFacts): void;
}

export interface LogOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly level: () => LogLevel;
  /** Which process this is: mcp, hook, cli, extension. */
  readonly process: string;
  readonly maxBytes?: number;
  readonly keptFiles?: number;
}

const MAX_BYTES = 1024 * 1024;
const KEPT_FILES = 4;
/** Facts are ids, counts and codes; what is longer is no such thing. */
const MAX_FACT_LENGTH = 200;

/** Logging never fails its caller: a log that cannot be written is dropped. */
export function createLogSink(options: LogOptions): LogSink {
  const file = path.join(options.folder, 'cairn.log');
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  return {
    file,
    write(level, message, facts = {}) {
      if (LOG_LEVELS.indexOf(level) > LOG_LEVELS.indexOf(options.level())) return;
      const limit = options.level() === 'debug' ? 10 * MAX_FACT_LENGTH : MAX_FACT_LENGTH;
      const parts = Object.entries(facts).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${JSON.stringify(typeof value === 'string' ? value.slice(0, limit) : value)}`);
      const line = `${[new Date(options.clock.now()).toISOString(), level, `${options.process}:${process.pid}`, message.replaceAll(/\s+/g, ' ').slice(0, limit), ...parts].join(' ')}\n`;
      try {
        fs.mkdirSync(options.folder, { recursive: true, mode: FOLDER_MODE });
        if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) + line.length > maxBytes) turnOver(file, options.keptFiles ?? KEPT_FILES);
        fs.appendFileSync(file, line, { mode: FILE_MODE });
      } catch {
        return; // read-only home or full disk: the work goes on without a log
      }
    },
  };
}

/** cairn.log -> cairn.1.log -> ... ; another process may do the same at the same time, then a file fewer is kept. */
function turnOver(file: string, kept: number): void {
  const numbered = (n: number): string => file.replace(/\.log$/, `.${n}.log`);
  fs.rmSync(numbered(kept), { force: true });
  for (let n = kept - 1; n >= 0; n -= 1) {
    try {
      fs.renameSync(n === 0 ? file : numbered(n), numbered(n + 1));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
}
