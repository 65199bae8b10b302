/**
 * Pages of the editor area: first run, insights, graph.
 */
import './jitless.ts';
import * as z from 'zod';
import { kindName } from './memories.ts';

export const CHECKS = ['store', 'registered', 'model'] as const;
export const firstRunCheck = z.object({
  id: z.enum(CHECKS),
  state: z.enum(['waiting', 'running', 'ok', 'failed']),
  detail: z.string(),
});
export type FirstRunCheck = z.infer<typeof firstRunCheck>;

export const CONSENT_ANSWERS = ['repository', 'everywhere', 'no'] as const;
export const consentAnswer = z.enum(CONSENT_ANSWERS);
export type ConsentAnswer = z.infer<typeof consentAnswer>;

export const firstRunState = z.object({
  home: z.string(),
  repositoryName: z.string().optional(),
  enabled: z.boolean(),
  /** Set once the person has answered yes. */
  checks: z.array(firstRunCheck),
});
export type FirstRunState = z.infer<typeof firstRunState>;

export const series = z.object({
  name: z.string(),
  points: z.array(z.object({ label: z.string(), value: z.number() })),
});
export type Series = z.infer<typeof series>;

export const chart = z.object({
  id: z.string(),
  title: z.string(),
  form: z.enum(['stacked', 'bars', 'list']),
  unit: z.string(),
  series: z.array(series),
  /** Drawn as a line across: what the values should stay below. */
  limit: z.number().optional(),
});
export type Chart = z.infer<typeof chart>;

export const insightsPage = z.object({
  numbers: z.array(z.object({ id: z.string(), title: z.string(), value: z.string(), trend: z.string().optional() })),
  charts: z.array(chart),
});
export type InsightsPage = z.infer<typeof insightsPage>;

export const graphNode = z.object({
  id: z.string(),
  label: z.string(),
  form: z.enum(['entity', 'memory']),
  kind: kindName.optional(),
  /** Steps from the focus: 0, 1 or 2. */
  ring: z.number(),
});
export type GraphNode = z.infer<typeof graphNode>;

export const graphEdge = z.object({ from: z.string(), to: z.string(), label: z.string() });
export type GraphEdge = z.infer<typeof graphEdge>;

export const graphPage = z.object({
  focus: z.string().optional(),
  nodes: z.array(graphNode),
  edges: z.array(graphEdge),
});
export type GraphPage = z.infer<typeof graphPage>;
