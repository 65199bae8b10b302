/**
 * Door of the command line.
 */
export type { CliHost, RegistrationReport } from './cliHost.ts';
export type { Io } from './io.ts';
export { runCli } from './program.ts';
