/**
 * The command tree: every command with its flags and help, from one registration form, so
 * that common flags and error handling are the same everywhere.
 */
import { Command, CommanderError } from 'commander';
import { CairnError, isCairnError } from '../base/errors.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { EngineClient } from '../worker/index.ts';
import { addCommonFlags } from './commandFlags.ts';
import { registerFinding } from './commands/finding.ts';
import { registerKeeping } from './commands/keeping.ts';
import { registerMaintaining } from './commands/maintaining.ts';
import { registerRemembering } from './commands/remembering.ts';
import { registerReviewing } from './commands/reviewing.ts';
import type { Io } from './io.ts';
import type { Register } from './register.ts';
import { createCliSession } from './session.ts';
import type { CommonFlags } from './session.ts';
import type { CliHost } from './cliHost.ts';

/** Wrong use of the command line: exit 2. Everything else that fails: exit 1. */
const USAGE_CODES: ReadonlySet<ErrorCode> = new Set(['INPUT_INVALID', 'KIND_UNKNOWN', 'IMPORTANCE_RANGE', 'CONFIDENCE_RANGE', 'LIMIT_RANGE', 'SCOPE_INVALID', 'TIME_INVALID', 'TEXT_EMPTY', 'OPERATION_UNKNOWN']);

export async function runCli(io: Io, host: CliHost): Promise<number> {
  let exitCode = 0;
  let client: Promise<EngineClient> | undefined;
  const openClient = async (flags: CommonFlags): Promise<EngineClient> => (client ??= host.openClient(flags.claudeHome === undefined ? {} : { claudeHome: flags.claudeHome }));
  const program = new Command('cairn')
    .description('A memory of each repository for Claude Code: kept on this machine, reviewed by you.')
    .version(host.version, '-V, --version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout(text), writeErr: (text) => io.stderr(text) })
    .showHelpAfterError('(see `cairn --help`)')
    .showSuggestionAfterError()
    .addHelpText('after', HELP_FOOTER);
  const register: Register = (usage, summary, configure, run) => {
    const [name = '', ...args] = usage.split(' ');
    const command = configure(addCommonFlags(program.command(usage).summary(summary).description(`${summary[0]?.toUpperCase() ?? ''}${summary.slice(1)}.`)));
    if (HIDDEN.has(name)) hide(command);
    command.action(async (...given: unknown[]) => {
      const positional = given.slice(0, args.length);
      const flags = command.opts<CommonFlags>();
      exitCode = await guarded(io, flags, async () => {
        assertValues(command);
        return run(createCliSession(io, flags, async () => openClient(flags), host.now), ...([...positional, flags] as never[]));
      });
    });
  };
  registerKeeping(register, host);
  registerRemembering(register);
  registerFinding(register);
  registerReviewing(register);
  registerMaintaining(register, host, () => program);
  try {
    if (io.argv.length === 0) program.outputHelp();
    else await program.parseAsync(verbFirst(io.argv), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return reportUsage(io, error);
    if (error instanceof CairnError) return report(io, {}, error); // A flag's parser refused its value.
    throw error;
  } finally {
    await (await client?.catch(() => undefined))?.close(); // A client that failed to open was reported by the call that needed it.
  }
  return exitCode;
}

const FLAGS_WITH_VALUE: ReadonlySet<string> = new Set(['-C', '--directory', '-p', '--project', '--claude-home', '--author']);

/** `cairn -C DIR list` means `cairn list -C DIR`: common flags may stand before the verb too, as with git. */
export function verbFirst(argv: readonly string[]): string[] {
  const before: string[] = [];
  let i = 0;
  for (; i < argv.length && argv[i]?.startsWith('-') === true; i += 1) {
    const flag = argv[i] ?? '';
    before.push(flag);
    if (FLAGS_WITH_VALUE.has(flag) && i + 1 < argv.length) before.push(argv[(i += 1)] ?? '');
  }
  const verb = argv[i];
  return verb === undefined ? [...argv] : [verb, ...before, ...argv.slice(i + 1)];
}

const HELP_FOOTER = `
Start with:  cairn init                 say yes for this repository and register with Claude Code
             cairn add "We use pnpm"    remember something
             cairn search "package manager"
Environment: CAIRN_HOME (default ~/.cairn), CAIRN_* for every setting. Exit codes: 0 done, 1 failed, 2 wrong use.`;

/** Second names; they work, but one name in the help is enough. */
const HIDDEN: ReadonlySet<string> = new Set(['delete', 'view', 'work']);

/** Commander has no setter for this after construction; the help skips commands marked so. */
function hide(command: Command): void {
  Object.assign(command, { _hidden: true });
}

/** `--branch --json`: the parser takes the next flag for the value. Throws INPUT_INVALID. */
function assertValues(command: Command): void {
  const known = new Set(command.options.flatMap(({ long }) => long ?? []));
  for (const option of command.options) {
    for (const value of [command.getOptionValue(option.attributeName())].flat()) {
      if (typeof value === 'string' && known.has(value)) throw new CairnError('INPUT_INVALID', `${option.long ?? option.flags} needs a value, not "${value}".`, { data: { field: option.attributeName() } });
    }
  }
}

/** Help and version are answers; anything else the parser stops at is wrong use, and it has said so on stderr. */
function reportUsage(io: Io, error: CommanderError): number {
  if (error.exitCode === 0) return 0;
  if (wantsJson(io, {})) io.stdout(`${JSON.stringify({ error: { code: error.code === 'commander.unknownCommand' ? 'OPERATION_UNKNOWN' : 'INPUT_INVALID', message: error.message.replace(/^error: /, '') } })}\n`);
  return 2;
}

/** Also where the parser never got as far as the flag. */
const wantsJson = (io: Io, flags: CommonFlags): boolean => flags.json === true || io.argv.slice(0, io.argv.includes('--') ? io.argv.indexOf('--') : undefined).includes('--json');

async function guarded(io: Io, flags: CommonFlags, run: () => Promise<number | void>): Promise<number> {
  try {
    return (await run()) ?? 0;
  } catch (error) {
    if (isCairnError(error)) return report(io, flags, namedAsTyped(io, error));
    const message = error instanceof Error ? error.message : String(error);
    if (wantsJson(io, flags)) io.stdout(`${JSON.stringify({ error: { code: 'INTERNAL', message } })}\n`);
    io.stderr(`cairn: this is a fault of Cairn itself: ${message}\n${io.env['CAIRN_DEBUG'] === undefined ? 'Set CAIRN_DEBUG=1 to see where, and please report it.\n' : `${error instanceof Error ? (error.stack ?? '') : ''}\n`}`);
    return 1;
  }
}

/** Where a flag has another name than the field that it sets. */
const FLAG_OF: Readonly<Record<string, string>> = { statuses: 'status', kinds: 'kind', budgetTokens: 'budget' };

/** Names a field by the flag that was typed. */
function namedAsTyped(io: Io, error: CairnError): CairnError {
  const field = error.code === 'INPUT_INVALID' ? error.data?.['field'] : undefined;
  if (typeof field !== 'string') return error;
  const [first = field] = field.split('.');
  const flag = `--${FLAG_OF[first] ?? first.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const isTyped = io.argv.some((argument) => argument === flag || argument.startsWith(`${flag}=`));
  return isTyped ? new CairnError(error.code, error.message.replace(`"${field}"`, () => flag), { cause: error, data: error.data }) : error;
}

function report(io: Io, flags: CommonFlags, error: CairnError): number {
  if (wantsJson(io, flags)) io.stdout(`${JSON.stringify({ error: { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) } })}\n`);
  io.stderr(`cairn: ${error.message} (${error.code})\n`);
  return USAGE_CODES.has(error.code) ? 2 : 1;
}
