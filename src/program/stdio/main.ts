/**
 * Entry of the MCP server alone: what `cairn mcp` runs. A bundle of its own, because a client waits for `initialize`
 * and nothing of the engine is needed on this thread.
 */
import { serveStdio } from '../serveStdio.ts';

await serveStdio(process.argv.slice(3));
