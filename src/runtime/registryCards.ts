/**
 * Cards: beside each repository's store, a small file says which repository it is. The
 * registry answers; the cards are what it is made from again when its file is lost or
 * damaged, so that no store is left without a name.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Alias, AliasKind } from './identity.ts';
import { ensurePrivateFolder, readFileIfPresent, writeFileAtomically } from './paths.ts';

export interface RepositoryCard {
  readonly format: 1;
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  /** Newest first. */
  readonly paths: readonly string[];
  readonly aliases: readonly Alias[];
  /** Repositories that were made one with this. */
  readonly formerIds: readonly string[];
}

const ALIAS_KINDS: readonly AliasKind[] = ['git-dir', 'remote', 'root-commit', 'folder', 'file-id', 'name'];

const fileOf = (repositories: string, id: string): string => path.join(repositories, id, 'repository.json');

export const hasCard = (repositories: string, id: string): boolean => fs.existsSync(fileOf(repositories, id));

/** Quietly without effect where the home cannot be written: the registry itself holds all this. */
export function writeCard(repositories: string, card: RepositoryCard): void {
  const file = fileOf(repositories, card.id);
  const content = `${JSON.stringify(card, undefined, 1)}\n`;
  try {
    if (readFileIfPresent(file) === content) return;
    ensurePrivateFolder(path.dirname(file));
    writeFileAtomically(file, content);
  } catch {
    return; // the next use of the repository tries again
  }
}

export function removeCard(repositories: string, id: string): void {
  fs.rmSync(fileOf(repositories, id), { force: true });
}

/** Every card that can be read; oldest repository first, so that names go to who had them first. */
export function readCards(repositories: string): RepositoryCard[] {
  if (!fs.existsSync(repositories)) return [];
  const cards = fs.readdirSync(repositories).flatMap((id): RepositoryCard[] => {
    try {
      const card = parseCard(readFileIfPresent(fileOf(repositories, id)) ?? '');
      return card?.id === id ? [card] : [];
    } catch {
      return []; // a folder without a card, or a torn one: that repository is recognised anew
    }
  });
  return cards.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** By hand and not by a schema: the registry is on the way of every hook, which the schema library would cost 20 ms. */
function parseCard(text: string): RepositoryCard | undefined {
  const card = JSON.parse(text) as Partial<RepositoryCard> | null;
  if (card === null || card.format !== 1 || typeof card.id !== 'string' || typeof card.name !== 'string' || typeof card.createdAt !== 'number') return undefined;
  const { paths, aliases, formerIds } = card;
  if (!areTexts(paths) || !areTexts(formerIds) || !Array.isArray(aliases) || !aliases.every(isAlias)) return undefined;
  return { format: 1, id: card.id, name: card.name, createdAt: card.createdAt, paths, aliases, formerIds };
}

const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((entry) => typeof entry === 'string');

const isAlias = (value: unknown): value is Alias => {
  const { kind, value: name } = (value ?? {}) as Partial<Alias>;
  return ALIAS_KINDS.some((known) => known === kind) && typeof name === 'string';
};
