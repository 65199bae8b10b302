/**
 * A chat model for tests, brought by an extension of its own as any provider of models brings one. It appears when it
 * is told to, and answers what the test says: a list of statements, or a refusal.
 */
import * as vscode from 'vscode';

export interface ModelDriver {
  /** What is answered from now on. `refuse`: as the editor does when the person said no. */
  answer: 'statements' | 'refuse';
  /** Text of each request, oldest first. */
  readonly requests: string[];
  appear(): void;
}

const INFORMATION: vscode.LanguageModelChatInformation = { id: 'reader', name: 'Reader', family: 'test', version: '1', maxInputTokens: 100_000, maxOutputTokens: 4_000, capabilities: {} };
const TOKENS_A_WORD = 2;

export function activate(context: vscode.ExtensionContext): ModelDriver {
  const changed = new vscode.EventEmitter<void>();
  let isThere = false;
  const driver: ModelDriver = {
    answer: 'statements', requests: [],
    appear() {
      isThere = true;
      changed.fire();
    },
  };
  const wordsOf = (text: string | vscode.LanguageModelChatRequestMessage): string => (typeof text === 'string' ? text : text.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join(''));
  context.subscriptions.push(changed, vscode.lm.registerLanguageModelChatProvider('cairn-test', {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: () => (isThere ? [INFORMATION] : []),
    async provideLanguageModelChatResponse(_model, messages, _options, progress) {
      const text = messages.map(wordsOf).join('\n');
      driver.requests.push(text);
      if (driver.answer === 'refuse') throw vscode.LanguageModelError.NoPermissions('The person said no.');
      const quote = /the ledger is append only/.exec(text)?.[0] ?? '';
      const answer = JSON.stringify({ statements: [{ text: 'The ledger is append-only', quote, turn: 1, kind: 'technical_context', importance: 8, confidence: 0.9, scope: 'repository' }] });
      for (const piece of answer.match(/[^]{1,20}/g) ?? []) progress.report(new vscode.LanguageModelTextPart(piece));
    },
    provideTokenCount: async (_model, text) => wordsOf(text).split(/\s+/).length * TOKENS_A_WORD,
  }));
  return driver;
}
