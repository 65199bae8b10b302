/**
 * Io: what the command line needs of a process, as values, so that it can be driven by a
 * test or another program. Only main.ts fills it from the real process.
 */
export interface Io {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True when stdout is a terminal: colours and columns are for people. */
  readonly terminal: boolean;
  readonly columns: number;
  readonly signal: AbortSignal;
  stdout(text: string): void;
  stderr(text: string): void;
  readonly stdinIsTerminal: boolean;
  /** All of stdin. Throws TEXT_MALFORMED when it is not UTF-8. */
  readStdin(): Promise<string>;
  /** stdin line by line. */
  stdinLines(): AsyncIterable<string>;
  /** Asks at the terminal; undefined when there is none. */
  ask(question: string): Promise<string | undefined>;
}
