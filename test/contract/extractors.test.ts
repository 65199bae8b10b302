/**
 * The extractor suite against each provider: real HTTP and the real SDK over a scripted endpoint, and Claude Code's
 * printed results.
 */
import { describe, expect, it } from 'vitest';
import { claudeArguments, createAnthropicExtractor, createClaudeCodeExtractor, createOpenAiExtractor, type RunClaude } from '../../src/engine/extraction/providers/index.ts';
import { createRulesExtractor } from '../../src/engine/extraction/rules/rulesExtractor.ts';
import { startScriptedModel } from '../support/scriptedModel.ts';
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

describeExtractor('OpenAI-compatible', openAi);
describeHttpFailures('OpenAI-compatible', openAi);
describeExtractor('Anthropic', anthropic);
describeHttpFailures('Anthropic', anthropic);
describeExtractor('Claude Code', claudeCode);

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
