/** Names of software are explained before an encoder reads them. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKnownNames } from '../../../../src/engine/embedding/bundled/knownNames.ts';
import { repositoryDirectory } from '../../../support/program.ts';

const small = createKnownNames('# a comment: pnpm-not\npackage manager: npm pnpm Cargo\nmessage queue: NATS rabbitmq Service~Bus\nJavaScript runtime: node.js\nenvironment settings file: .env\nsecrets manager: sops\nstandard procedure: SOP\ncode hosting: github\ncontinuous integration pipeline: github~actions');

describe('known names', () => {
  it('puts the kind of thing before a name', () => {
    expect(small.explain('Install with pnpm.')).toBe('Install with package manager pnpm.');
    expect(small.explain('用 pnpm 安装')).toBe('用 package manager pnpm 安装');
  });

  it('finds names with dots, at the ends of sentences and beside Chinese', () => {
    expect(small.explain('We run Node.js.')).toBe('We run JavaScript runtime Node.js.');
    expect(small.explain('secrets in .env, please')).toBe('secrets in environment settings file .env, please');
    expect(small.explain('改用pnpm了')).toBe('改用package manager pnpm了');
  });

  it('finds a name that is written small in any case, one with capitals only as it is written', () => {
    expect(small.explain('RabbitMQ')).toBe('message queue RabbitMQ');
    expect(small.explain('the cargo arrives')).toBe('the cargo arrives');
    expect(small.explain('build with Cargo')).toBe('build with package manager Cargo');
  });

  it('finds a name of two words before the name that it begins with', () => {
    expect(small.explain('deploys run in GitHub Actions')).toBe('deploys run in continuous integration pipeline GitHub Actions');
    expect(small.explain('issues are on GitHub only')).toBe('issues are on code hosting GitHub only');
    expect(small.explain('Service Bus, not a service bus')).toBe('message queue Service Bus, not a service bus');
  });

  it('finds acronyms in the plural, before another name of the same letters', () => {
    expect(small.explain('SOPs are in the wiki')).toBe('standard procedure SOPs are in the wiki');
    expect(small.explain('encrypted with sops')).toBe('encrypted with secrets manager sops');
  });

  it('does not look into longer words and paths', () => {
    for (const text of ['src/pnpm/index.ts', 'https://example.org/npm/pnpm', 'pnpm-lock.yaml', 'process.env', 'npmrc', 'node.jsx', '']) expect(small.explain(text)).toBe(text);
  });

  it('explains each kind once and two kinds at most', () => {
    expect(small.explain('pnpm, never npm')).toBe('package manager pnpm, never npm');
    expect(small.explain('pnpm, NATS, .env')).toBe('package manager pnpm, message queue NATS, .env');
  });
});

describe('the list that ships', () => {
  const lines = fs.readFileSync(path.join(repositoryDirectory, 'media/models/all-minilm-l6-v2/names.txt'), 'utf8').trimEnd().split('\n').filter((line) => !line.startsWith('#'));

  it('names each thing once', () => {
    const names = lines.flatMap((line) => (line.split(': ')[1] ?? '').split(' '));
    expect(lines.filter((line) => !/^[\w -]+: \S+( \S+)*$/.test(line))).toEqual([]);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
});
