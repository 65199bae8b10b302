/**
 * The form in which command groups register their commands.
 */
import type { Command } from 'commander';
import type { CliSession } from './session.ts';

/** Resolves with an exit code where the answer itself is "not well" (doctor); nothing means 0. */
export type Handler = (session: CliSession, ...args: never[]) => Promise<number | void>;

/** Registers `name <args...>`; the handler gets the positional arguments, then the flags. */
export type Register = (usage: string, summary: string, configure: (command: Command) => Command, run: Handler) => void;
