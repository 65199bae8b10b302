/**
 * Cards: beside each repository's store, a small file says which repository it is. The
 * registry answers; the cards are what it is made from again when its file is lost or
 * damaged, so that no store is left without a name.
 */
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ensurePrivateFolder, readFileIfPresent, writeFileAtomically } from './paths.ts';

const cardSchema = z.object({
  format: z.literal(1),
  id: z.string().min(1).max(64),
  name: z.string(),
  createdAt: z.number(),
  /** Newest first. */
  paths: z.array(z.string()),
  aliases: z.array(z.object({ kind: z.enum(['git-dir', 'remote', 'root-commit', 'folder', 'file-id', 'name']), value: z.string() })),
  /** Repositories that were made one with this. */
  formerIds: z.array(z.string()),
});

export type RepositoryCard = z.infer<typeof cardSchema>;

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
      const card = cardSchema.parse(JSON.parse(readFileIfPresent(fileOf(repositories, id)) ?? ''));
      return card.id === id ? [card] : [];
    } catch {
      return []; // a folder without a card, or a torn one: that repository is recognised anew
    }
  });
  return cards.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}
