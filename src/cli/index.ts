/**
 * Door of the command line.
 */
export type { CliHost, OfferRequest, RegistrationReport } from './cliHost.ts';
export type { Io } from './io.ts';
export { runCli } from './program.ts';
