/**
 * What every source file owes its reader, and what no committed file may hold.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryDirectory } from '../support/program.ts';
import { listFiles, listSourceFiles, readFile } from './sourceFiles.ts';

describe('source files', () => {
  it('open with a header that says what they are in the design', () => {
    const without = listSourceFiles().filter((name) => headerOf(readFile(name)).length < 20);
    expect(without).toEqual([]);
  });

  it('live in folders that say what they hold', () => {
    expect(listSourceFiles().filter((name) => /\/(utils?|helpers?|common|shared|misc|types)\//i.test(name))).toEqual([]);
  });

  it('are named in camel case, after what they export', () => {
    const odd = listSourceFiles().filter((name) => !/^[a-z][a-zA-Z0-9]*(\.d)?\.ts$/.test(path.basename(name)));
    expect(odd).toEqual([]);
  });

  it('use no names that say nothing, and never "delete" for what forgets, removes or purges', () => {
    const declaration = /\b(?:class|interface|type|function|const|let)\s+(\w+)/g;
    const bad: string[] = [];
    for (const name of listSourceFiles()) {
      for (const [, word = ''] of readFile(name).matchAll(declaration)) {
        if (/(Manager|Helpers?|Utils?|Service|Impl)$/.test(word) || /^I[A-Z][a-z]\w*Store$/.test(word) || /delete/i.test(word)) bad.push(`${name}: ${word}`);
      }
    }
    expect(bad).toEqual([]);
  });

  it('have a place in the map that newcomers read first', () => {
    const map = readFile('src/ARCHITECTURE.md');
    const folders = fs.readdirSync(path.join(repositoryDirectory, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    expect(folders.filter((folder) => !new RegExp(`\\b${folder}\\b`).test(map))).toEqual([]);
  });
});

describe('the home of what is remembered', () => {
  it('is worked out in one place, so that editor, hooks and commands never mean different folders', () => {
    expect(listSourceFiles().filter((name) => /path\.(?:join|resolve)\([^)]*(?:'\.cairn'|CAIRN_HOME)/.test(readFile(name)) && !name.startsWith('src/runtime/'))).toEqual([]);
  });
});

describe('committed files', () => {
  it('hold no path of one machine, no registry host and no mark of a tool that only its author has', () => {
    // Written so that this file does not match itself.
    const patterns = [
      /(?<![\w.~$}-])\/(?:wor[k]|far[m])\//,
      /registry\.npm[j]s/,
      /\.librar[y]\b/,
      new RegExp(escapeForRegExp(`${repositoryDirectory}${path.sep}`)),
      ...(os.userInfo().username.length > 3 && os.homedir() !== '/root' ? [new RegExp(escapeForRegExp(`${os.homedir()}${path.sep}`))] : []),
    ];
    const found: string[] = [];
    for (const name of listFiles()) {
      const file = path.join(repositoryDirectory, name);
      if (!fs.statSync(file).isFile() || fs.statSync(file).size > 4_000_000) continue;
      const content = fs.readFileSync(file);
      if (content.includes(0)) continue; // not text
      const text = content.toString('utf8');
      for (const pattern of patterns) {
        const match = pattern.exec(text);
        if (match !== null) found.push(`${name}: ${text.slice(Math.max(0, match.index - 30), match.index + 40).replaceAll('\n', ' ')}`);
      }
    }
    expect(found).toEqual([]);
  });

  it('are not what a build or an installation produced', () => {
    expect(listFiles().filter((name) => /^(dist|\.cache|node_modules|\.vscode-test)\/|\.vsix$|\.tsbuildinfo$/.test(name))).toEqual([]);
  });
});

/** The words of the comment that opens a file, after `#!` where there is one. */
function headerOf(text: string): string {
  return (/^(?:#!.*\n)?\/\*\*([^]*?)\*\//.exec(text)?.[1] ?? '').replaceAll(/[\s*]+/g, ' ').trim();
}

function escapeForRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
