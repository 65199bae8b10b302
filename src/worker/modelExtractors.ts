/**
 * Which models read conversations: made from settings and keys, only after a person chose a
 * provider (`extraction.provider`); a key that merely lies around is not used. First the one for
 * turns, then, if set apart, the one for heavy work. The editor's models are asked by the editor;
 * other processes queue their batches for it.
 */
import { spawn } from 'node:child_process';
import { createAnthropicExtractor, createClaudeCodeExtractor, createOpenAiExtractor, DEFAULT_ANTHROPIC_MODEL } from '../engine/index.ts';
import type { Extractor, RunClaude } from '../engine/index.ts';
import { createHostModelExtractor, createWaitingExtractor, type HostModels } from './hostModel.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** A key may be in the editor's secret storage, which only the editor reads: what waits is read there. */
const NO_KEY = 'there is no key for the provider here; the editor reads it if it has one ("Cairn: Provider Keys")';
const LONGEST_OUTPUT = 4_000_000;

export async function modelExtractors(runtime: Runtime, repositoryId: string | undefined, models?: HostModels): Promise<readonly Extractor[]> {
  const { settings } = runtime;
  const provider = settings.get('extraction.provider', repositoryId);
  const make = async (name: string, model: string | undefined): Promise<Extractor | undefined> => (name === 'vscode' ? createHostModelExtractor(models, model) : makeExtractor(runtime, repositoryId, name, model));
  const first = await make(provider, settings.get('extraction.model', repositoryId));
  const heavyProvider = settings.get('extraction.heavyProvider', repositoryId);
  const heavyModel = settings.get('extraction.heavyModel', repositoryId);
  const heavy = provider === 'none' || (heavyProvider === undefined && heavyModel === undefined) ? undefined : await make(heavyProvider ?? provider, heavyModel);
  return [first, heavy].filter((extractor) => extractor !== undefined);
}

function makeExtractor(runtime: Runtime, repositoryId: string | undefined, provider: string, model: string | undefined): Extractor | undefined {
  const baseUrl = runtime.settings.get('extraction.baseUrl', repositoryId);
  switch (provider) {
    case 'anthropic': {
      const apiKey = runtime.settings.secret('ANTHROPIC_API_KEY')?.value;
      return apiKey === undefined ? createWaitingExtractor(provider, model ?? DEFAULT_ANTHROPIC_MODEL, NO_KEY) : createAnthropicExtractor({ apiKey, ...(model === undefined ? {} : { model }), ...(baseUrl === undefined ? {} : { baseUrl }) });
    }
    case 'openai': {
      if (model === undefined) return createWaitingExtractor(provider, provider, 'the setting extraction.model does not name a model');
      const apiKey = runtime.settings.secret('OPENAI_API_KEY')?.value;
      // Endpoints of one's own may need no key.
      return apiKey === undefined && baseUrl === undefined ? createWaitingExtractor(provider, model, NO_KEY) : createOpenAiExtractor({ baseUrl: baseUrl ?? 'https://api.openai.com/v1', model, apiKey, fetch });
    }
    case 'claude-code':
      return createClaudeCodeExtractor({ run: runClaude(runtime), ...(model === undefined ? {} : { model }) });
    default:
      return undefined;
  }
}

/** The client on the PATH, in Cairn's own folder, so that no project's settings or instructions are read. */
const runClaude = (runtime: Runtime): RunClaude => async (args, { stdin, env, timeoutMs, signal }) =>
  new Promise((resolve, reject) => {
    const child = spawn('claude', [...args], { cwd: runtime.paths.home, env: { ...runtime.env, ...env }, windowsHide: true, timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      if (stdout.length < LONGEST_OUTPUT) stdout += part;
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      if (stderr.length < LONGEST_OUTPUT) stderr += part;
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) => (killedBy === null ? resolve({ exitCode: code ?? 1, stdout, stderr }) : reject(new Error(`timed out (${killedBy})`))));
    // The client may be gone before it read everything; its exit says why.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
  });
