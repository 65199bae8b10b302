/**
 * What Claude was given and when, and what the next session would get.
 */
import './jitless.ts';
import * as z from 'zod';
import { kindName } from './memories.ts';

export const givenMemory = z.object({
  id: z.string(),
  text: z.string(),
  kind: kindName.optional(),
  tokens: z.number().optional(),
  why: z.string().optional(),
  pinned: z.boolean(),
  /** A memory that is still there; a value of the profile, or what was purged, opens nothing. */
  isMemory: z.boolean(),
});
export type GivenMemory = z.infer<typeof givenMemory>;

export const injectionRow = z.object({
  /** `SessionStart`, `UserPromptSubmit`, ... */
  event: z.string(),
  at: z.number(),
  /** First words of the prompt, or the file. */
  about: z.string().optional(),
  tokens: z.number(),
  budgetTokens: z.number().optional(),
  memories: z.array(givenMemory),
});
export type InjectionRow = z.infer<typeof injectionRow>;

export const injectedSession = z.object({
  sessionId: z.string(),
  title: z.string().optional(),
  startedAt: z.number(),
  tokens: z.number(),
  budgetTokens: z.number().optional(),
  injections: z.array(injectionRow),
});
export type InjectedSession = z.infer<typeof injectedSession>;

export const contextPreview = z.object({
  text: z.string(),
  tokens: z.number(),
  budgetTokens: z.number(),
  memories: z.array(givenMemory),
});
export type ContextPreview = z.infer<typeof contextPreview>;

export const injectedPage = z.object({
  preview: contextPreview.optional(),
  sessions: z.array(injectedSession),
});
export type InjectedPage = z.infer<typeof injectedPage>;
