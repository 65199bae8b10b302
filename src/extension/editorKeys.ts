/**
 * Keys of model providers in the editor's secret storage [O7]. They are handed to the engine's
 * worker, which is this very process, and to nothing that it or we start; other processes queue
 * their batches for the editor, or have a key source of their own.
 */
import type { SecretStorage } from 'vscode';

/** As the environment names them -> as a person knows them. */
export const EDITOR_KEYS = { ANTHROPIC_API_KEY: 'Anthropic', OPENAI_API_KEY: 'OpenAI' } as const;
export type EditorKeyName = keyof typeof EDITOR_KEYS;

const storageKey = (name: EditorKeyName): string => `cairn.${name}`;

export class EditorKeys {
  readonly #secrets: SecretStorage;

  constructor(secrets: SecretStorage) {
    this.#secrets = secrets;
  }

  /** All that are set. */
  async read(): Promise<Partial<Record<EditorKeyName, string>>> {
    const found = await Promise.all((Object.keys(EDITOR_KEYS) as EditorKeyName[]).map(async (name) => [name, await this.#secrets.get(storageKey(name))] as const));
    return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== ''));
  }

  /** An empty text takes the key out. */
  async set(name: EditorKeyName, value: string): Promise<void> {
    if (value.trim() === '') await this.#secrets.delete(storageKey(name));
    else await this.#secrets.store(storageKey(name), value.trim());
  }
}
