#!/usr/bin/env node
/**
 * Entry of the one program: `cairn mcp` serves a client over stdio, everything else is the
 * command line. Each is loaded only when it is asked for, since a client waits for the one
 * and a person for the other.
 */
const [command, ...rest] = process.argv.slice(2);

if (command === 'mcp' && !rest.includes('--help')) {
  const { serveStdio } = await import('./serveStdio.ts');
  await serveStdio(rest);
} else if (command === 'hook') {
  // The launcher starts the hook program by itself; whoever comes here gets the same, never an exit code that blocks a prompt.
  await import('../hooks/main.ts');
} else if (command === 'work') {
  // The worker that hooks start; nobody reads its output.
  const { runWork } = await import('./work.ts');
  await runWork();
  process.exit(0);
} else {
  const { runCommandLine } = await import('./commandLine.ts');
  const code = await runCommandLine(process.argv.slice(2));
  // Once all is written: a git that hangs, or a library's timer, must not keep a finished command.
  process.stdout.write('', () => process.exit(code));
}

// Top-level await makes this a module; nothing is exported.
export {};
