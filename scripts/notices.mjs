/**
 * Writes THIRD_PARTY_NOTICES.md: every package whose code is in a bundle (read from esbuild's metafiles) or is copied
 * into `dist/program/node_modules`, and every bundled model, each with its licence's text.
 *
 *   node scripts/notices.mjs            after a build
 *   node scripts/notices.mjs --check    fails when the file is not what it would be
 */
import fs from 'node:fs';
import path from 'node:path';
import { isMain, repositoryDirectory, say } from './installing.mjs';

const modules = path.join(repositoryDirectory, 'node_modules');
const target = path.join(repositoryDirectory, 'THIRD_PARTY_NOTICES.md');

/** @returns {Set<string>} folders of packages below node_modules, relative to it */
function bundledPackages() {
  const found = new Set();
  const meta = path.join(repositoryDirectory, 'dist', 'meta');
  for (const name of fs.existsSync(meta) ? fs.readdirSync(meta) : []) {
    const { inputs } = JSON.parse(fs.readFileSync(path.join(meta, name), 'utf8'));
    for (const input of Object.keys(inputs)) {
      const folder = /^(?:.*?\/)?node_modules\/((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
      if (folder !== undefined) found.add(folder);
    }
  }
  const copied = path.join(repositoryDirectory, 'dist', 'program', 'node_modules');
  for (const name of fs.existsSync(copied) ? fs.readdirSync(copied) : []) {
    if (!name.startsWith('@')) found.add(name);
    else for (const inner of fs.readdirSync(path.join(copied, name))) found.add(`${name}/${inner}`);
  }
  // Its font is copied, its style sheet is read by path.
  if (fs.existsSync(path.join(repositoryDirectory, 'dist', 'webview'))) found.add('@vscode/codicons');
  // Compiled at install on some machines only; named always, so that the file does not depend on the machine.
  for (const name of ['hnswlib-node', 'bindings', 'file-uri-to-path']) if (fs.existsSync(path.join(modules, name))) found.add(name);
  return found;
}

/** @param {string} folder absolute @returns {string[]} texts of its licence files */
function licenceTexts(folder) {
  return fs.readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice|third.?party)/i.test(name) && fs.statSync(path.join(folder, name)).isFile())
    .sort()
    .map((name) => fs.readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
}

/** Licence of a package that ships no text of its own, by its SPDX name. */
const STANDARD_TEXTS = {
  MIT: 'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:\n\nThe above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.\n\nTHE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.',
};

export function composeNotices() {
  const parts = ['# Third-party notices', 'Cairn is published under the MIT licence (see LICENSE). It contains the works below, under their own licences.'];
  for (const folder of [...bundledPackages()].sort()) {
    const absolute = path.join(modules, folder);
    const manifest = JSON.parse(fs.readFileSync(path.join(absolute, 'package.json'), 'utf8'));
    const licence = typeof manifest.license === 'string' ? manifest.license : (manifest.license?.type ?? 'see below');
    const texts = licenceTexts(absolute);
    const author = typeof manifest.author === 'string' ? manifest.author : manifest.author?.name;
    if (texts.length === 0) texts.push([...(author ? [`Copyright (c) ${author.replace(/\s*[<(].*$/, '')}`] : []), STANDARD_TEXTS[licence] ?? `Published under ${licence}; its package holds no text of it.`].join('\n\n'));
    const home = typeof manifest.homepage === 'string' ? manifest.homepage : '';
    parts.push(`## ${manifest.name} ${manifest.version}`, `Licence: ${licence}${home === '' ? '' : `, ${home}`}`, ...texts.map((text) => `\`\`\`text\n${text}\n\`\`\``));
  }
  const models = path.join(repositoryDirectory, 'media', 'models');
  for (const name of fs.existsSync(models) ? fs.readdirSync(models).sort() : []) {
    parts.push(`## Model ${name}`, 'Origin and conversion: `media/models/' + name + '/PROVENANCE.md`.', ...licenceTexts(path.join(models, name)).map((text) => `\`\`\`text\n${text}\n\`\`\``));
  }
  return `${parts.join('\n\n')}\n`;
}

export function writeNotices() {
  fs.writeFileSync(target, composeNotices());
}

if (isMain(import.meta.url)) {
  if (process.argv.includes('--check')) {
    const isSame = fs.existsSync(target) && fs.readFileSync(target, 'utf8') === composeNotices();
    if (!isSame) say('THIRD_PARTY_NOTICES.md is not up to date. Run: node scripts/notices.mjs');
    process.exitCode = isSame ? 0 : 1;
  } else {
    writeNotices();
    say('THIRD_PARTY_NOTICES.md is written.');
  }
}
