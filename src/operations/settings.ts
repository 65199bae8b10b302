/**
 * settings, setSetting, allowSecret, setEnabled, setPaused: the switches, one truth in files [O7].
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import { createRedactor } from '../engine/index.ts';
import type { SettingValue } from './hostServices.ts';
import { defineOperation } from './operation.ts';

const readInput = z.object({ key: z.string().optional() });

export const settingsOperation = defineOperation<z.output<typeof readInput>, { settings: readonly SettingValue[] }>({
  name: 'settings',
  description: 'Settings with their values and where each comes from.',
  input: readInput,
  effect: 'read',
  needsConsent: false,
  runsWithoutStore: true,
  run: async (context, { key }) => ({ settings: key === undefined ? await context.host.settings() : [await context.host.setting(key)] }),
});

const writeInput = z.object({ key: z.string(), value: z.unknown().optional(), level: z.enum(['user', 'repository']).optional() });

export const setSettingOperation = defineOperation<z.output<typeof writeInput>, { setting: SettingValue }>({
  name: 'setSetting',
  description: 'Changes one setting; without a value it goes back to its default.',
  input: writeInput,
  effect: 'write',
  needsConsent: false,
  runsWithoutStore: true,
  async run(context, { key, value, level }) {
    await context.host.setSetting(key, value, level ?? 'user');
    return { setting: await context.host.setting(key) };
  },
});

/** As findings name it. */
const FINGERPRINT = /^[0-9a-z]{11}$/;
const ALLOWED = 'privacy.allowedSecrets';
const allowInput = z.object({ text: z.string().trim().min(1).max(8_000) });

export const allowSecretOperation = defineOperation<z.output<typeof allowInput>, { allowed: readonly string[] }>({
  name: 'allowSecret',
  description: 'A false alarm: what looks like a secret in this text, or has this fingerprint, is not masked any more.',
  input: allowInput,
  effect: 'write',
  needsConsent: false,
  runsWithoutStore: true,
  async run(context, { text }) {
    const found = createRedactor().scan(text).map(({ fingerprint }) => fingerprint);
    const fingerprints = found.length === 0 && FINGERPRINT.test(text) ? [text] : found;
    if (fingerprints.length === 0) throw new CairnError('INPUT_INVALID', 'Nothing in this text looks like a secret, so there is nothing to allow.', { data: { field: 'text' } });
    const { value } = await context.host.setting(ALLOWED);
    const allowed = [...new Set([...(Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []), ...fingerprints])];
    await context.host.setSetting(ALLOWED, allowed, 'user');
    return { allowed };
  },
});

const enabledInput = z.object({ enabled: z.boolean(), everywhere: z.boolean().optional() });

export const setEnabledOperation = defineOperation<z.output<typeof enabledInput>, { enabled: boolean }>({
  name: 'setEnabled',
  description: 'Says yes or no to memory in this repository, or in all.',
  input: enabledInput,
  effect: 'write',
  needsConsent: false,
  runsWithoutStore: true,
  async run(context, { enabled, everywhere }) {
    if (everywhere === true) await context.host.setSetting('enabledEverywhere', enabled, 'user');
    if (everywhere !== true || !enabled) await context.host.setEnabled(enabled);
    return { enabled: await context.host.isEnabled() };
  },
});

const pausedInput = z.object({ paused: z.boolean(), sessionId: z.string().optional() });

export const setPausedOperation = defineOperation<z.output<typeof pausedInput>, { paused: boolean }>({
  name: 'setPaused',
  description: 'Pauses or resumes memory here, or for one Claude Code session.',
  input: pausedInput,
  effect: 'write',
  needsConsent: false,
  runsWithoutStore: true,
  async run(context, { paused, sessionId }) {
    await context.host.setPaused(paused, sessionId);
    return { paused: await context.host.isPaused() };
  },
});
