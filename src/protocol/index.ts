/**
 * The door of protocol/: all that extension and webview say to each other.
 */
export * from './inbox.ts';
export * from './injected.ts';
export * from './memories.ts';
export * from './methods.ts';
export * from './names.ts';
export * from './pages.ts';
export * from './snapshot.ts';
export * from './wire.ts';
