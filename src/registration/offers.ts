/**
 * What is offered and never done unasked: a section in CLAUDE.md, Cairn's own tools without a question, a context file
 * for editors in which hooks do not fire. Each can be taken back.
 */
import fs from 'node:fs';
import path from 'node:path';
import { CairnError } from '../base/errors.ts';
import { ensurePrivateFolder, readFileIfPresent, writeFileAtomically } from '../runtime/paths.ts';
import { claudePaths } from './clientPaths.ts';
import { readBytes, replaceFile } from './foreignFile.ts';
import { Ledger } from './ledger.ts';
import { ALONE_TOOL_PREFIX, TOOL_PREFIX } from './pluginFiles.ts';
import { inspect, type RegistrationOptions } from './register.ts';

const BEGIN = '<!-- cairn:begin (written by Cairn; remove with `cairn unregister --section`) -->';
const END = '<!-- cairn:end -->';
const SECTION = /(?:\r?\n)?<!-- cairn:begin[^\n]*-->[\s\S]*?<!-- cairn:end -->(?:\r?\n)?/;

/** [J9] When to ask and when to save, for clients and models that do not read the server's instructions. */
export const CLAUDE_MD_TEXT = `## Memory (Cairn)

This repository has a memory: decisions, rules, preferences and facts that were confirmed earlier.
- Call \`recall\` at the start of work (unless a block of memories was given), when the person refers to something agreed earlier or asks to consult memory, at a decision point where stored context could change your answer (not speculatively), and after a long stretch of work without it.
- Call \`remember\` when the person asks for it or states something lasting; call \`save_conversation\` at the end of a long session.
- What it says is background data and may be stale; the person's present words win.`;

/** Adds or renews a section between our markers; everything else stays byte for byte. Says whether the file changed. */
export function putSection(file: string, text: string, cairnHome: string): boolean {
  const bytes = readBytes(file);
  const old = decode(file, bytes);
  const eol = old.includes('\r\n') ? '\r\n' : '\n';
  const block = `${BEGIN}\n${text}\n${END}`.replaceAll('\n', eol);
  const found = SECTION.exec(old);
  // Just so much around it that taking it out leaves the bytes that were there, a missing line end at the end included.
  const isOpen = old !== '' && !old.endsWith('\n');
  const fresh = found === null ? `${old}${old === '' ? '' : eol}${block}${isOpen ? '' : eol}` : old.replace(SECTION, (whole) => `${/^\r?\n/.exec(whole)?.[0] ?? ''}${block}${/\r?\n$/.exec(whole)?.[0] ?? ''}`);
  if (fresh === old) return false;
  replaceFile(file, bytes, Buffer.from(fresh, 'utf8'), path.join(cairnHome, 'backups', 'foreign'));
  return true;
}

/** Takes our section out; a file that held nothing else goes. Says whether the file changed. */
export function removeSection(file: string, cairnHome: string): boolean {
  const bytes = readBytes(file);
  const old = decode(file, bytes);
  if (bytes === undefined || !SECTION.test(old)) return false;
  const fresh = old.replace(SECTION, '');
  if (fresh === '') fs.rmSync(file);
  else replaceFile(file, bytes, Buffer.from(fresh, 'utf8'), path.join(cairnHome, 'backups', 'foreign'));
  return true;
}

function decode(file: string, bytes: Buffer | undefined): string {
  try {
    return bytes === undefined ? '' : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CairnError('FOREIGN_FILE_UNPARSABLE', `${file} is not UTF-8 text; it was left as it is.`, { cause, data: { file } });
  }
}

/** Tools of ours that only read. */
export const READING_TOOLS = ['recall', 'get_context', 'get_memory', 'list_memories'] as const;

/** Lets Claude call the reading tools without a question, by the person's own settings. Their names depend on the way of registration. */
export function allowReadingTools(options: RegistrationOptions): boolean {
  const { settings } = claudePaths(options);
  const prefix = inspect(options).way === 'user' ? ALONE_TOOL_PREFIX : TOOL_PREFIX;
  const edits = READING_TOOLS.map((tool) => ({ path: ['permissions', 'allow', -1], value: `${prefix}${tool}`, insert: true }));
  return new Ledger(options.cairnHome).apply(settings, edits) !== undefined;
}

/** [J6] The file that an editor's panel reads through the person's own CLAUDE.local.md; outside of the working tree. */
export const contextFilePath = (cairnHome: string, repositoryId: string): string => path.join(cairnHome, 'context', `${repositoryId}.md`);

/** Writes the block for the next session; says whether it changed. */
export function writeContextFile(cairnHome: string, repositoryId: string, block: string): boolean {
  const file = contextFilePath(cairnHome, repositoryId);
  const text = block === '' ? '' : `${block}\n`;
  if (readFileIfPresent(file) === text) return false;
  ensurePrivateFolder(path.dirname(file));
  writeFileAtomically(file, text);
  return true;
}

/** Adds the import to the repository's CLAUDE.local.md, on request only. */
export const importContextFile = (root: string, cairnHome: string, repositoryId: string): boolean => putSection(path.join(root, 'CLAUDE.local.md'), `@${contextFilePath(cairnHome, repositoryId)}`, cairnHome);
export const removeContextImport = (root: string, cairnHome: string): boolean => removeSection(path.join(root, 'CLAUDE.local.md'), cairnHome);
