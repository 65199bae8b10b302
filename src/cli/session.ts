/**
 * CliSession: one run of the command line: its flags, its client, how it prints and how
 * it calls operations. Commands are functions of it.
 */
import path from 'node:path';
import { CairnError } from '../base/errors.ts';
import type { CallOptions, EngineClient, Target } from '../worker/index.ts';
import type { Io } from './io.ts';
import { createOutput } from './output.ts';
import type { Output } from './output.ts';

/** Flags every command takes. */
export interface CommonFlags {
  readonly directory?: string;
  readonly project?: string | false;
  readonly user?: boolean;
  readonly global?: boolean;
  readonly json?: boolean;
  readonly claudeHome?: string;
  readonly author?: string;
}

export interface CliSession {
  readonly io: Io;
  readonly out: Output;
  readonly flags: CommonFlags;
  readonly target: Target;
  call<T>(operation: string, input: unknown, onProgress?: CallOptions['onProgress']): Promise<T>;
  /** Prints the value as JSON with --json, else lets `forPeople` print. */
  print<T>(value: T, forPeople: (value: T) => void): void;
}

export function createCliSession(io: Io, flags: CommonFlags, openClient: () => Promise<EngineClient>, now: () => number): CliSession {
  const out = createOutput(io, now);
  const userOnly = flags.user === true || flags.project === false;
  if (userOnly && typeof flags.project === 'string') throw new CairnError('INPUT_INVALID', 'Give either --project or --user, not both.', { data: { field: 'project' } });
  if (flags.global === true && (userOnly || typeof flags.project === 'string')) throw new CairnError('INPUT_INVALID', `--global asks all repositories; give it without ${userOnly ? '--user' : '--project'}.`, { data: { field: 'global' } });
  const target: Target = {
    cwd: path.resolve(io.cwd, flags.directory ?? ''),
    ...(typeof flags.project === 'string' ? { project: flags.project } : {}),
    ...(userOnly ? { userOnly: true } : {}),
  };
  return {
    io,
    out,
    flags,
    target,
    async call<T>(operation: string, input: unknown, onProgress?: CallOptions['onProgress']) {
      const client = await openClient();
      const sessionId = io.env['CLAUDE_CODE_SESSION_ID'];
      return client.call<T>(operation, input, { target, actor: { surface: 'cli', ...(sessionId === undefined ? {} : { sessionId }), ...(flags.author === undefined ? {} : { author: flags.author }) }, signal: io.signal, onProgress });
    },
    print(value, forPeople) {
      if (flags.json === true) out.json(value);
      else forPeople(value);
    },
  };
}

/** A progress line on a terminal's stderr; nothing where nobody looks. */
export function progressLine(session: CliSession, label: string): { onProgress: NonNullable<CallOptions['onProgress']>; done(): void } {
  let shown = false;
  return {
    onProgress({ done, total, message }) {
      if (!session.io.terminal || session.flags.json === true) return;
      shown = true;
      const amount = total === undefined ? `${done}` : `${done} of ${total}`;
      session.io.stderr(`\r\u001b[K${label}: ${message ?? amount}`);
    },
    done() {
      if (shown) session.io.stderr('\r\u001b[K');
    },
  };
}
