/**
 * What the tests inside the extension host share: the extension under test, and waiting for a state.
 */
import assert from 'node:assert';
import * as vscode from 'vscode';
import type { CairnApi } from '../../../src/extension/publicApi.ts';

export const EXTENSION_ID = 'cairn.cairn-memory';

/** The API of the installed extension, activated. */
export async function cairn(): Promise<CairnApi> {
  const extension = vscode.extensions.getExtension<CairnApi>(EXTENSION_ID);
  assert.ok(extension !== undefined, 'the extension is installed');
  return extension.activate();
}

export async function eventually<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  for (const end = Date.now() + 50_000; Date.now() < end;) {
    const value = await look();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Waited in vain for ${what}.`);
}
