/**
 * Door of the worker: what surfaces hold of the engine.
 */
export type { CallOptions, EngineClient, StoreChange, Target } from './engineClient.ts';
export { Composition } from './composition.ts';
export { InProcessClient } from './inProcessClient.ts';
export { runtimeParts } from './runtimeParts.ts';
export type { ChosenModel } from './hostServices.ts';
export type { WorkerSettings } from './messages.ts';
export type { FoundModel, ModelRequest } from './hostModel.ts';
export { ThreadClient, type HostAnswers } from './threadClient.ts';
