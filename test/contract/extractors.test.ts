/**
 * The extractor suite against each provider: real HTTP and the real SDK over a scripted endpoint, and Claude Code's
 * printed results.
 */
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CairnError, serializeError } from '../../src/base/errors.ts';
import { claudeArguments, createAnthropicExtractor, createClaudeCodeExtractor, createOpenAiExtractor, type RunClaude } from '../../src/engine/extraction/providers/index.ts';
import { createRulesExtractor } from '../../src/engine/extraction/rules/rulesExtractor.ts';
import { costMicroUsd } from '../../src/engine/extraction/spend.ts';
import { failureOfStatus } from '../../src/engine/index.ts';
import { createHostModelExtractor, hostModelsOver } from '../../src/worker/hostModel.ts';
import type { FromWorker, ToWorker } from '../../src/worker/messages.ts';
import { createAsk } from '../../src/worker/workerHost.ts';
import { startScriptedModel } from '../support/scriptedModel.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { describeExtractor, describeHttpFailures, readAll, request, type ExtractorSubject, type ScriptedAnswer } from './extractor.contract.ts';

const IDLE_MS = 400;

const openAi = async (answers: readonly ScriptedAnswer[]): Promise<ExtractorSubject> => {
  const { url, bodies } = await startScriptedModel('openai', answers);
  return { extractor: createOpenAiExtractor({ baseUrl: `${url}/v1`, model: 'local-model', fetch, idleMs: IDLE_MS }), seen: () => bodies };
};
const anthropic = async (answers: readonly ScriptedAnswer[]): Promise<ExtractorSubject> => {
  const { url, bodies } = await startScriptedModel('anthropic', answers);
  return { extractor: createAnthropicExtractor({ apiKey: 'not-a-key', baseUrl: url, idleMs: IDLE_MS }), seen: () => bodies };
};
const claudeCode = async (answers: readonly ScriptedAnswer[]): Promise<ExtractorSubject> => {
  const seen: string[] = [];
  const run: RunClaude = async (args, { stdin }) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push(`${args.join(' ')} ${stdin}`);
    return { exitCode: 0, stdout: `some warning\n${JSON.stringify({ type: 'result', is_error: false, result: answer?.text ?? '', usage: { input_tokens: 11, output_tokens: 7 } })}\n`, stderr: '' };
  };
  return { extractor: createClaudeCodeExtractor({ run }), seen: () => seen };
};

/** The editor's model: its answers cross the border between two threads in pieces, as the worker and the extension talk. */
const hostModel = async (answers: readonly ScriptedAnswer[]): Promise<ExtractorSubject & { readonly stopped: () => number }> => {
  const { port1: workerSide, port2: hostSide } = new MessageChannel();
  onTestFinished(() => workerSide.close());
  const { ask, receive } = createAsk(workerSide);
  workerSide.on('message', receive);
  const seen: string[] = [];
  let stopped = 0;
  hostSide.on('message', (message: FromWorker) => {
    const say = (reply: ToWorker): void => hostSide.postMessage(reply);
    if (message.type === 'stopAsking') stopped += 1;
    if (message.type !== 'ask') return;
    const { askId, question, input } = message;
    if (question === 'findModel') return say({ type: 'answer', askId, value: { model: 'vendor/model' } });
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push(JSON.stringify(input));
    for (const text of (answer?.text ?? '').match(/[^]{1,7}/g) ?? []) say({ type: 'piece', askId, piece: { text } });
    if (answer?.hang === true) return;
    if (answer?.breakOff === true) return say({ type: 'answer', askId, error: serializeError(new CairnError('PROVIDER_UNAVAILABLE', 'It broke off.')) });
    if (answer?.status !== undefined) return say({ type: 'answer', askId, error: serializeError(failureOfStatus('vscode', answer.status, '')) });
    say({ type: 'piece', askId, piece: { usage: { inputTokens: 11, outputTokens: 7 } } });
    say({ type: 'answer', askId });
  });
  return { extractor: await createHostModelExtractor(hostModelsOver(ask, ['findModel', 'askModel']), undefined, IDLE_MS), seen: () => seen, stopped: () => stopped };
};

describeExtractor('OpenAI-compatible', openAi);
describeHttpFailures('OpenAI-compatible', openAi);
describeExtractor('Anthropic', anthropic);
describeHttpFailures('Anthropic', anthropic);
describeExtractor('Claude Code', claudeCode);
describeExtractor('Editor\'s model', hostModel);
describeHttpFailures('Editor\'s model', hostModel);

describe('the editor\'s model', () => {
  it('hands over statements while the answer is still under way, and is told when nobody waits any more', async () => {
    const { extractor, stopped } = await hostModel([{ text: '{"statements": [{"text": "PostgreSQL is the database.", "quote": "We decided on PostgreSQL, not MySQL.", "turn": 2, "kind": "decision", "importance": 8, "confidence": 0.9, "scope": "repository"}, ', hang: true }]);
    const controller = new AbortController();
    const run = extractor.extract(request({ signal: controller.signal }));
    expect((await run.next()).value).toMatchObject({ text: 'PostgreSQL is the database.', provenance: { model: 'vendor/model' } });
    const rest = run.next();
    controller.abort();
    await expect(rest).rejects.toMatchObject({ code: 'CANCELLED' });
    await waitUntil(() => stopped() === 1, 'the host to be told');
  });

  it('that this process cannot ask says whom its batches wait for', async () => {
    expect(await createHostModelExtractor(undefined, undefined)).toMatchObject({ provider: 'vscode', waitsBecause: expect.stringContaining('VS Code') as string });
    expect(await createHostModelExtractor({ findModel: async () => ({ waitsBecause: 'no model' }), askModel: async function* none() { yield {}; } }, 'wished')).toMatchObject({ model: 'wished', waitsBecause: 'no model' });
    expect(hostModelsOver(async () => undefined, ['healthChecks', 'fixHealth'])).toBeUndefined();
  });

  it('costs no money: its tokens are booked, the cap is not touched', () => {
    expect(costMicroUsd('vscode', 'copilot/any', 1_000_000, 1_000_000)).toBe(0);
  });
});

describe('an OpenAI-compatible endpoint', () => {
  const good = JSON.stringify({ statements: [{ text: 'PostgreSQL is the database.', quote: 'We decided on PostgreSQL, not MySQL.', turn: 2, kind: 'decision', importance: 8, confidence: 0.9, scope: 'repository' }] });

  it('that knows no response format is asked without it', async () => {
    const { url } = await startScriptedModel('openai', [{ text: good, refusesFormat: true }]);
    const { statements, usage } = await readAll(createOpenAiExtractor({ baseUrl: `${url}/v1/`, model: 'm', fetch }));
    expect(statements).toHaveLength(1);
    expect(usage).toEqual({ model: 'm', inputTokens: 11, outputTokens: 7 });
  });

  it('that does not stream is understood', async () => {
    const { url } = await startScriptedModel('openai', [{ text: good, whole: true }]);
    expect((await readAll(createOpenAiExtractor({ baseUrl: `${url}/v1`, model: 'm', fetch }))).statements).toHaveLength(1);
  });

  it('on this machine is a provider of its own, which costs nothing', () => {
    expect(createOpenAiExtractor({ baseUrl: 'http://localhost:11434/v1', model: 'm', fetch }).provider).toBe('openai-local');
    expect(createOpenAiExtractor({ baseUrl: 'https://api.example.org/v1', model: 'm', fetch }).provider).toBe('openai');
  });

  it('gets no sampling parameters', async () => {
    const { extractor, seen } = await openAi([{ text: good }]);
    await readAll(extractor);
    expect(seen()[0]).not.toMatch(/"(?:temperature|top_p|top_k|seed)"/);
  });
});

describe('the Anthropic API', () => {
  const bodyFor = async (model: string): Promise<Record<string, unknown>> => {
    const { url, bodies } = await startScriptedModel('anthropic', [{ text: '{"statements": []}' }]);
    await readAll(createAnthropicExtractor({ apiKey: 'not-a-key', baseUrl: url, model }));
    return JSON.parse(bodies[0] ?? '{}') as Record<string, unknown>;
  };

  it('is asked for the tool by force only where the model takes that', async () => {
    expect((await bodyFor('claude-haiku-4-5')).tool_choice).toEqual({ type: 'tool', name: 'keep_statements' });
    expect(await bodyFor('claude-haiku-5-5')).toMatchObject({ tool_choice: { type: 'auto' }, output_config: { effort: 'low' } });
    expect(await bodyFor('some-future-model')).not.toHaveProperty('output_config');
  });
});

describe('Claude Code', () => {
  it('is started without hooks, tools, transcript and other servers, and not bare', () => {
    const args = claudeArguments('system', 'claude-haiku-5-5');
    expect(args).toEqual(['-p', '--output-format', 'json', '--no-session-persistence', '--strict-mcp-config', '--settings', '{"disableAllHooks":true}', '--tools', '', '--system-prompt', 'system', '--model', 'claude-haiku-5-5']);
  });

  it('carries the guard that keeps our own hooks from starting another', async () => {
    let seen: Readonly<Record<string, string>> = {};
    const run: RunClaude = async (_args, { env }) => {
      seen = env;
      return { exitCode: 1, stdout: '', stderr: 'Please log in' };
    };
    await expect(readAll(createClaudeCodeExtractor({ run }))).rejects.toMatchObject({ code: 'PROVIDER_REJECTED' });
    expect(seen).toEqual({ CAIRN_REENTRANT: '1' });
  });
});

describe('the rules extractor behind the port', () => {
  it('costs nothing and names its rule', async () => {
    const extractor = createRulesExtractor();
    expect(extractor.estimateTokens(request())).toBe(0);
    const { statements, usage } = await readAll(extractor);
    expect(statements).toMatchObject([{ kind: 'decision', provenance: { rule: 'en.decided' } }]);
    expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });
});
