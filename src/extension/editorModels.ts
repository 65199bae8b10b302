/**
 * The editor's language models, asked on behalf of the engine [E2]. The worker sends the prompt
 * and reads the answer (worker/hostModel.ts); here a model is chosen and asked, in pieces, and
 * the editor's own question of consent is respected: it is put only while the person is there
 * to answer (`allow`), never out of the blue.
 */
import * as vscode from 'vscode';
import { CairnError } from '../base/errors.ts';
import type { HealthCheck } from '../operations/index.ts';
import type { ChosenModel, FoundModel, HostAnswers, ModelRequest } from '../worker/index.ts';

export interface EditorModels {
  readonly hostParts: Pick<Required<HostAnswers>, 'findModel' | 'askModel'>;
  readonly find: (wished: string | undefined) => Promise<FoundModel>;
  /** For doctor, where the person chose the editor's models. */
  healthChecks(chosen: ChosenModel): Promise<readonly HealthCheck[]>;
  /** Puts a short question to the model, so that the editor asks for consent. Throws PROVIDER_* with the cure. */
  allow(wished: string | undefined, signal: AbortSignal): Promise<{ readonly model: string }>;
  /** Fires when batches that waited may be read now: models came, or may be used. */
  readonly onDidChange: vscode.Event<void>;
  dispose(): void;
}

/** A batch is about 8,000 tokens. */
const LEAST_INPUT_TOKENS = 12_000;
/** More characters than any language needs for a token: beyond it a model ignores the limit it was given. */
const CHARACTERS_A_TOKEN = 8;

export function openEditorModels(access: vscode.LanguageModelAccessInformation | undefined): EditorModels {
  const changed = new vscode.EventEmitter<void>();
  const subscriptions = [changed, ...(hasModels() ? [vscode.lm.onDidChangeChatModels(() => { changed.fire(); })] : []), ...(access === undefined ? [] : [access.onDidChange(() => { changed.fire(); })])];

  const candidates = async (wished: string | undefined): Promise<vscode.LanguageModelChat[]> => {
    if (!hasModels()) return [];
    const all = await vscode.lm.selectChatModels();
    return all.filter((model) => (wished === undefined ? model.maxInputTokens >= LEAST_INPUT_TOKENS : [nameOf(model), model.id, model.family].includes(wished)));
  };

  async function find(wished: string | undefined): Promise<FoundModel> {
    const models = await candidates(wished);
    if (models.length === 0) return { waitsBecause: wished === undefined ? vscode.l10n.t('this editor offers no language model') : vscode.l10n.t('this editor offers no language model “{0}”', wished) };
    const allowed = models.find((model) => access === undefined || access.canSendRequest(model) === true);
    if (allowed !== undefined) return { model: nameOf(allowed) };
    return { waitsBecause: vscode.l10n.t('the editor has not allowed Cairn to use its language models: run “Cairn: Use the Editor’s Language Model”') };
  }

  async function ask(request: ModelRequest, signal: AbortSignal, piece: (piece: { text?: string; usage?: { inputTokens: number; outputTokens: number } }) => void): Promise<void> {
    const [model] = await candidates(request.model);
    if (model === undefined) throw new CairnError('PROVIDER_UNAVAILABLE', `The editor no longer offers the model ${request.model}; the batch is tried again later.`);
    const source = new vscode.CancellationTokenSource();
    const stop = (): void => { source.cancel(); };
    signal.addEventListener('abort', stop, { once: true });
    try {
      // The API knows no system text; the first message is where models look for it.
      const messages = [vscode.LanguageModelChatMessage.User(request.system), vscode.LanguageModelChatMessage.User(request.user)];
      if (request.failed !== undefined) messages.push(vscode.LanguageModelChatMessage.Assistant(request.failed.answer), vscode.LanguageModelChatMessage.User(request.failed.ask));
      const response = await model.sendRequest(messages, { justification: vscode.l10n.t('Cairn reads your Claude Code sessions with it, to propose what is worth remembering.') }, source.token);
      let answer = '';
      for await (const text of response.text) {
        answer += text;
        piece({ text });
        if (answer.length > request.maxOutputTokens * CHARACTERS_A_TOKEN) break;
      }
      const counts = await Promise.all([...messages, answer].map(async (part) => model.countTokens(part, source.token)));
      piece({ usage: { inputTokens: counts.slice(0, -1).reduce((sum, count) => sum + count, 0), outputTokens: counts.at(-1) ?? 0 } });
    } catch (error) {
      throw signal.aborted ? new CairnError('CANCELLED', 'Cancelled; the batch stays.') : failureOf(error);
    } finally {
      signal.removeEventListener('abort', stop);
      source.cancel();
      source.dispose();
    }
  }

  return {
    hostParts: {
      findModel: async (wished) => find(typeof wished === 'string' ? wished : undefined),
      askModel: async (request, { signal, piece }) => ask(request as ModelRequest, signal, piece),
    },
    find,
    healthChecks: async (chosen) => healthChecks(find, chosen),
    async allow(wished, signal) {
      const [model] = await candidates(wished);
      if (model === undefined) throw new CairnError('PROVIDER_UNAVAILABLE', vscode.l10n.t('This editor offers no language model that Cairn could use. Sign in to a provider of models, or choose another under “extraction.provider”.'));
      await ask({ model: nameOf(model), system: '', user: 'Answer with the word "ready".', maxOutputTokens: 16 }, signal, () => undefined);
      return { model: nameOf(model) };
    },
    onDidChange: changed.event,
    dispose: () => { for (const subscription of subscriptions) subscription.dispose(); },
  };
}

async function healthChecks(find: EditorModels['find'], { provider, model }: ChosenModel): Promise<readonly HealthCheck[]> {
  if (provider !== 'vscode') return [];
  const found = await find(model);
  const common = { id: 'editor-model', title: 'The editor\'s language model' };
  if ('model' in found) return [{ ...common, state: 'ok', detail: `${found.model} reads sessions.` }];
  return [{ ...common, state: 'warning', detail: `Sessions wait to be read: ${found.waitsBecause}.`, cure: 'Sign in to a provider of models in this editor, then run "Cairn: Use the Editor\'s Language Model".' }];
}

const hasModels = (): boolean => typeof (vscode.lm as Partial<typeof vscode.lm> | undefined)?.selectChatModels === 'function';

/** For provenance and the setting: `copilot/gpt-5-mini`. */
const nameOf = (model: vscode.LanguageModelChat): string => `${model.vendor}/${model.id}`;

/** What a person can cure is refused, what time cures is unavailable: as for every provider. */
function failureOf(error: unknown): CairnError {
  if (error instanceof CairnError) return error;
  const code = error instanceof vscode.LanguageModelError ? error.code : undefined;
  if (code === vscode.LanguageModelError.NoPermissions().code) return new CairnError('PROVIDER_REJECTED', 'The editor does not let Cairn use its language model. Run "Cairn: Use the Editor\'s Language Model", or choose another provider.', { cause: error });
  if (code === vscode.LanguageModelError.Blocked().code) return new CairnError('PROVIDER_UNAVAILABLE', 'The editor\'s language model has reached its limit; the batch is tried again later.', { cause: error });
  return new CairnError('PROVIDER_UNAVAILABLE', `The editor's language model did not answer (${error instanceof Error ? error.message : String(error)}); the batch is tried again later.`, { cause: error });
}
