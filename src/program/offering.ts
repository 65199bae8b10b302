/**
 * What is offered and never done unasked [J6, J9]: a section in the repository's CLAUDE.md,
 * our reading tools without a question, a context file imported by CLAUDE.local.md.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { OfferRequest } from '../cli/index.ts';
import { allowReadingTools, CLAUDE_MD_TEXT, contextFilePath, importContextFile, putSection, removeContextImport, removeSection, writeContextFile } from '../registration/index.ts';
import { registrationOptions } from './registering.ts';

/** Does what was asked for; one sentence each. Throws FOREIGN_FILE_UNPARSABLE, FOREIGN_FILE_CHANGED. */
export function acceptOffers(request: OfferRequest): string[] {
  const options = registrationOptions(request.claudeHome === undefined ? {} : { claudeHome: request.claudeHome });
  const done: string[] = [];
  if (request.allowTools === true) done.push(allowReadingTools(options) ? 'Claude may use the reading tools without asking.' : 'The reading tools were allowed already.');
  if (request.section === true) {
    const file = path.join(request.root, 'CLAUDE.md');
    done.push(putSection(file, CLAUDE_MD_TEXT, options.cairnHome) ? `Added a section to ${file}.` : `${file} has the section already.`);
  }
  if (request.contextFile !== undefined) {
    writeContextFile(options.cairnHome, request.contextFile.repositoryId, request.contextFile.block);
    done.push(importContextFile(request.root, options.cairnHome, request.contextFile.repositoryId) ? 'CLAUDE.local.md imports the context file now.' : 'CLAUDE.local.md imports the context file already.');
  }
  return done;
}

/** Takes both sections out of the repository's files. */
export function withdrawOffers(root: string): string[] {
  const { cairnHome } = registrationOptions();
  const done: string[] = [];
  if (removeSection(path.join(root, 'CLAUDE.md'), cairnHome)) done.push('Took the section out of CLAUDE.md.');
  if (removeContextImport(root, cairnHome)) done.push('Took the import out of CLAUDE.local.md.');
  return done;
}

/** After a session: the file that CLAUDE.local.md imports holds what the next one starts with. Only where somebody asked for the file. */
export async function refreshContextFile(cairnHome: string, repositoryId: string, readBlock: () => Promise<string>): Promise<void> {
  if (fs.existsSync(contextFilePath(cairnHome, repositoryId))) writeContextFile(cairnHome, repositoryId, await readBlock());
}
