/**
 * Door of the MCP surface.
 */
export { createMcpServer, type McpServerOptions, type RunningMcpServer } from './server.ts';
export { StdioTransport } from './stdioTransport.ts';
export { runStdioServer, type StdioServerOptions } from './stdioServer.ts';
