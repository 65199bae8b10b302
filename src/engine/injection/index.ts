/**
 * The door of injection/ for engine.ts.
 */
export { FENCE, MAX_BLOCK_CHARACTERS } from './block.ts';
export { createInjection, type FileRequest, type InjectedBlock, type InjectedItem, type Injection, type InjectionDeps, type PreviewRequest, type PromptRequest, type SessionGiven, type StartRequest, type StartSource } from './injection.ts';
