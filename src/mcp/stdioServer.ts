/**
 * Runs the server over stdio for as long as stdin lasts.
 */
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { EngineClient } from '../worker/index.ts';
import { createMcpServer } from './server.ts';
import { StdioTransport } from './stdioTransport.ts';

export interface StdioServerOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly client: EngineClient;
  readonly version: string;
  readonly cwd: string;
  readonly sessionId?: string;
  readonly listLegacyNames: boolean;
  readonly hookDeadlineMs?: number;
  readonly log: (line: string) => void;
  /** Whether the repository said yes, asked without the engine: `initialize` waits for it. */
  readonly readConsent?: () => Promise<boolean>;
}

/** Resolves when the client has gone. */
export async function runStdioServer(options: StdioServerOptions): Promise<void> {
  const actor = { surface: 'mcp' as const, sessionId: options.sessionId };
  let enabled = false;
  try {
    enabled = options.readConsent !== undefined ? await options.readConsent() : (await options.client.call<{ enabled: boolean }>('consent', {}, { target: { cwd: options.cwd }, actor })).enabled;
  } catch (error) {
    // A store or home that cannot be read must not keep the client from starting: the tools say what is wrong when called.
    options.log(`consent: ${error instanceof Error ? error.message : String(error)}`);
    enabled = true;
  }
  const running = createMcpServer({ ...options, enabled, folderOfUri });
  const gone = new Promise<void>((resolve) => {
    running.server.onclose = resolve;
  });
  await running.server.connect(new StdioTransport(options.input, options.output));
  await gone;
  running.dispose();
  await options.client.close();
}

function folderOfUri(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // Not a file: URI, or one of another system; the caller keeps its folder.
    return undefined;
  }
}
