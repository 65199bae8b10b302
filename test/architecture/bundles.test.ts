/**
 * What the built files really contain, read from esbuild's own account of them (`dist/meta/*.json`).
 */
import fs from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryDirectory } from '../support/program.ts';

interface Input {
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
}

interface Output {
  readonly entryPoint?: string;
  readonly imports: readonly { readonly path: string; readonly external?: boolean }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

const metaDirectory = path.join(repositoryDirectory, 'dist', 'meta');

/** Outputs of every build, by file name; a build of several files names each. */
function readOutputs(): Map<string, Output> {
  const outputs = new Map<string, Output>();
  if (!fs.existsSync(metaDirectory)) throw new Error('dist/meta is missing. Run: npm run build');
  for (const name of fs.readdirSync(metaDirectory).filter((file) => file.endsWith('.json'))) {
    const { outputs: found } = JSON.parse(fs.readFileSync(path.join(metaDirectory, name), 'utf8')) as { outputs: Record<string, Output> };
    for (const [file, output] of Object.entries(found)) if (!file.endsWith('.map')) outputs.set(file, output);
  }
  return outputs;
}

/** An entry with every chunk that it loads, at once or later. */
function closureOf(file: string, outputs: Map<string, Output>): string[] {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path: next, external } of outputs.get(name)?.imports ?? []) if (external !== true) visit(next);
  };
  visit(file);
  return [...seen];
}

function externalsOf(file: string, outputs: Map<string, Output>): string[] {
  return closureOf(file, outputs).flatMap((name) => (outputs.get(name)?.imports ?? []).filter((found) => found.external === true).map((found) => found.path));
}

/** Source files that run as soon as `entry` is loaded: what it imports, and so on, without what is imported when it is needed. */
function runAtOnce(entry: string): string[] {
  const inputs = new Map<string, Input>();
  for (const name of fs.readdirSync(metaDirectory).filter((file) => file.endsWith('.json'))) {
    const { inputs: found } = JSON.parse(fs.readFileSync(path.join(metaDirectory, name), 'utf8')) as { inputs: Record<string, Input> };
    if (found[entry] !== undefined) for (const [file, input] of Object.entries(found)) inputs.set(file, input);
  }
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path: next, kind } of inputs.get(file)?.imports ?? []) if (kind !== 'dynamic-import') visit(next);
  };
  visit(entry);
  return [...seen];
}

const outputs = readOutputs();
const entries = [...outputs].filter(([, output]) => output.entryPoint !== undefined).map(([file, output]) => ({ file, entry: output.entryPoint ?? '' }));
const isBuiltin = (name: string): boolean => builtinModules.includes(name.replace(/^node:/, ''));

describe('built files', () => {
  it('are there for the extension, the program, the engine worker and the webview', () => {
    for (const start of [/^src\/extension\//, /^src\/(program|cli)\//, /^src\/worker\//, /^webview-ui\//]) {
      expect(entries.map(({ entry }) => entry).filter((entry) => start.test(entry)), String(start)).not.toEqual([]);
    }
  });

  it('of hooks hold no schema library and no protocol: those alone would cost as much as an empty Node', () => {
    const hooks = entries.filter(({ entry }) => entry.startsWith('src/hooks/')).flatMap(({ file }) => closureOf(file, outputs));
    expect(hooks).not.toEqual([]);
    const heavy = hooks.flatMap((name) => Object.keys(outputs.get(name)?.inputs ?? {})).filter((input) => /node_modules\/(?:zod|@modelcontextprotocol|commander)\//.test(input));
    expect(heavy).toEqual([]);
  });

  it('run no schema when the editor loads the extension: making them takes as long as everything else at activation', () => {
    const atOnce = runAtOnce('src/extension/main.ts');
    expect(atOnce).toContain('src/extension/cairn.ts');
    expect(atOnce.filter((file) => /node_modules\/zod\//.test(file))).toEqual([]);
  });

  it('know vscode in the extension alone', () => {
    const knowing = entries.filter(({ file }) => externalsOf(file, outputs).includes('vscode')).map(({ entry }) => entry);
    expect(knowing.filter((entry) => !entry.startsWith('src/extension/'))).toEqual([]);
    expect(knowing).not.toEqual([]);
  });

  it('use nothing of Node in the webview', () => {
    const webviews = entries.filter(({ entry }) => entry.startsWith('webview-ui/'));
    expect(webviews.flatMap(({ file }) => externalsOf(file, outputs)).filter(isBuiltin)).toEqual([]);
  });

  it('hold no test', () => {
    const inputs = [...outputs.values()].flatMap((output) => Object.keys(output.inputs));
    expect(inputs.filter((input) => /^test\//.test(input))).toEqual([]);
  });
});
