/**
 * The manifest, its translations, and the texts in code must stay whole together.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src/base/errors.ts';
import { TOOLS } from '../../../src/operations/agentTools.ts';
import { SETTINGS, SETTING_KEYS } from '../../../src/runtime/settingsTable.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const readJson = <T>(name: string): T => JSON.parse(readFileSync(path.join(root, name), 'utf8')) as T;
interface Property { readonly default?: unknown; readonly markdownDescription?: string }
const manifest = readJson<{ contributes: { commands: { command: string }[]; configuration: { properties: Record<string, Property> }[]; keybindings: { command: string; key: string }[]; languageModelTools: { name: string; modelDescription: string; inputSchema: unknown; when: string; toolReferenceName: string; icon: string }[] } }>('package.json');
const english = readJson<Record<string, string>>('package.nls.json');
const chinese = readJson<Record<string, string>>('package.nls.zh-cn.json');
const bundle = readJson<Record<string, string>>('l10n/bundle.l10n.zh-cn.json');

const sources = (folder: string): string[] => readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => readFileSync(path.join(root, folder, name), 'utf8'));

/** First arguments of `t('…')` and `l10n.t('…')`. */
function textsIn(source: string): string[] {
  return [...source.matchAll(/\b(?:l10n\.)?t\('((?:[^'\\]|\\.)*)'/g)].map((match) => (match[1] ?? '').replaceAll(/\\u([0-9a-f]{4})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16))).replaceAll(/\\(.)/g, '$1'));
}

describe('the manifest', () => {
  it('names a translation for every text, in both languages, and none too many', () => {
    const used = [...new Set([...JSON.stringify(manifest).matchAll(/%([\w.-]+)%/g)].map((match) => match[1] ?? ''))].sort();
    expect(Object.keys(english).sort()).toEqual(used);
    expect(Object.keys(chinese).sort()).toEqual(used);
    expect(Object.entries(chinese).filter(([, text]) => !/\p{Script=Han}/u.test(text))).toEqual([]);
  });

  it('shows every setting of the table that is not for one repository alone, with the same default and description', () => {
    const shown = Object.assign({}, ...manifest.contributes.configuration.map(({ properties }) => properties)) as Record<string, Property>;
    for (const key of SETTING_KEYS.filter((name) => SETTINGS[name].scope !== 'repository')) {
      const property = shown[`cairn.${key}`];
      expect(property, key).toBeDefined();
      expect(property?.default ?? undefined, key).toEqual(SETTINGS[key].default);
      expect(english[`config.${key}`], key).toBe(SETTINGS[key].description);
    }
  });

  it('offers the tools of the MCP server to the editor\'s agents with the same schemas and descriptions, and only where memory is on', () => {
    const tools = manifest.contributes.languageModelTools;
    expect(tools.map(({ name }) => name)).toEqual(['cairn_recall', 'cairn_remember', 'cairn_get_context']);
    for (const { name, inputSchema, modelDescription, when } of tools) {
      const tool = TOOLS.find((candidate) => `cairn_${candidate.name}` === name);
      expect({ inputSchema, modelDescription, when }, name).toEqual({ inputSchema: tool?.inputSchema, modelDescription: tool?.description, when: 'cairn.agentTools' });
    }
  });

  it('binds no key that the editor or the system needs', () => {
    const taken = ['ctrl+c', 'ctrl+v', 'ctrl+z', 'ctrl+s', 'ctrl+p', 'ctrl+shift+p', 'ctrl+alt+i', 'ctrl+shift+m', 'ctrl+m', 'alt+f4'];
    expect(manifest.contributes.keybindings.map(({ key }) => key).filter((key) => taken.includes(key))).toEqual([]);
    expect(manifest.contributes.keybindings.filter(({ command }) => !manifest.contributes.commands.some((known) => known.command === command))).toEqual([]);
  });
});

describe('texts in code', () => {
  const texts = [...new Set([...sources('src/extension'), ...sources('webview-ui/src')].flatMap(textsIn))];

  it('are all translated, with the same places for values, and no translation is left over', () => {
    expect(texts.filter((text) => bundle[text] === undefined)).toEqual([]);
    expect(Object.keys(bundle).filter((text) => !texts.includes(text))).toEqual([]);
    const places = (text: string): string[] => [...new Set(text.match(/\{\d\}/g) ?? [])].sort();
    expect(texts.filter((text) => places(text).join() !== places(bundle[text] ?? '').join())).toEqual([]);
  });

  it('tell every error of the engine in a sentence of its own', () => {
    const words = readFileSync(path.join(root, 'src/extension/errorWords.ts'), 'utf8');
    const told = [...words.matchAll(/^ {2}([A-Z_]+): \(\) => vscode\.(l10n\.t\('.*'\)),$/gm)];
    const sentences = told.map((match) => textsIn(match[2] ?? '')[0] ?? '');
    expect(told.map((match) => match[1]).sort()).toEqual(Object.keys(ERROR_CODES).sort());
    expect(sentences.filter((text) => !/\p{Script=Han}.*。$/u.test(bundle[text] ?? ''))).toEqual([]);
    // What the error is about stands before the sentence, so that none needs places of its own.
    expect(sentences.filter((text) => /\{\d\}/.test(text + (bundle[text] ?? '')))).toEqual([]);
  });

  it('are Chinese with one word for one thing, and Chinese punctuation', () => {
    const words: readonly (readonly [RegExp, RegExp])[] = [
      [/\b(forget|forgotten)\b/i, /忘记/], [/\bpurged?\b/i, /清除/], [/\barchived?s?\b/i, /归档/], [/\binbox\b/i, /收件箱/], [/\bsessions?\b/i, /会话/], [/\bprofile\b/i, /个人资料/],
      [/\bkinds?\b/i, /类型/], [/\bscope\b/i, /范围/], [/\bdoctor\b/i, /诊断/], [/\bpropos(al|als|ed)\b/i, /提议/], [/\bsuperseded\b/i, /取代/], [/\bmemor(y|ies)\b(?! that must be free)/i, /记忆/],
      [/\brepositor(y|ies)\b/i, /仓库/], [/\bimportance\b/i, /重要性/], [/\bconfidence\b/i, /置信度/], [/\bpin(ned)?\b/i, /置顶/], [/\bundo(ne)?\b/i, /撤销/], [/\bsettings?\b/i, /设置/], [/\brestored?\b/i, /恢复/],
    ];
    const pairs = [...Object.entries(bundle), ...Object.keys(english).map((key) => [english[key] ?? '', chinese[key] ?? ''] as const)];
    expect(pairs.flatMap(([from, to]) => words.filter(([word, its]) => word.test(from.replaceAll(/`[^`]*`/g, '')) && !its.test(to)).map(([word]) => `${String(word)}: ${from} => ${to}`))).toEqual([]);
    expect(pairs.map(([, to]) => to).filter((text) => /您|贴士|体检|档案|种类/.test(text))).toEqual([]);
    const prose = (text: string): string => text.replaceAll(/`[^`]*`|\(command:[^)]*\)|“Cairn: [^”]*”|!决定|\.md\b/g, '');
    expect(pairs.map(([, to]) => prose(to)).filter((text) => /\p{Script=Han}\s*[,;!?:()"]|[,;!?:()"]\s*\p{Script=Han}|\p{Script=Han}\./u.test(text))).toEqual([]);
  });

  it('use plain verbs: nothing is deleted, synchronised or embedded on screen', () => {
    const forbidden = /\b(delete|deleted|sync|AI|embedding|vector)\b/i;
    expect(texts.filter((text) => forbidden.test(text))).toEqual([]);
  });
});
