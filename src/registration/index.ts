/**
 * The door of registration/: what Claude Code, Claude Desktop and a person's own files need to find Cairn, and the way
 * back.
 */
export { claudePaths, desktopConfigPath, type ClaudePaths } from './clientPaths.ts';
export { registerDesktop, unregisterDesktop, type DesktopOptions } from './desktop.ts';
export { fixRegistration, registrationHealth } from './health.ts';
export { inspectRegistration, WAYS, type Duplicate, type RegistrationState, type Way } from './inspect.ts';
export { allowReadingTools, CLAUDE_MD_TEXT, contextFilePath, importContextFile, putSection, READING_TOOLS, removeContextImport, removeSection, writeContextFile } from './offers.ts';
export { PLUGIN_KEY, PLUGIN_SERVER, TOOL_PREFIX, type PluginFacts } from './pluginFiles.ts';
export { inspect, LOWEST_CLIENT, register, removeDuplicates, unregister, type RegistrationOptions, type RegistrationReport } from './register.ts';
export { restoreRegistration, type Restored } from './restore.ts';
