/**
 * The rules about imports hold in the tree, and each of them fires when it is broken. All breaches are planted at
 * once, each in a file of its own, in a temporary copy.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { resolveCommand } from '../../scripts/run.mjs';
import { repositoryDirectory } from '../support/program.ts';
import { createTemporaryFolder, writeFiles } from '../support/temporaryFolder.ts';

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

interface Breach {
  readonly rule: string;
  /** File that commits it, made anew in the copy. */
  readonly file: string;
  readonly code: string;
  /** Files that must exist for it; made where the tree has none of that name. */
  readonly needs?: Readonly<Record<string, string>>;
}

const TARGETS: Record<string, string> = {
  'src/engine/index.ts': 'export const door = 1;\n',
  'src/engine/engine.ts': 'export const engine = 1;\n',
  'src/engine/storage/sqlite/plantedStore.ts': 'export const store = 1;\n',
  'src/engine/vectorIndex/hnsw/plantedIndex.ts': 'export const index = 1;\n',
  'src/engine/vectorIndex/exact/plantedIndex.ts': 'export const index = 1;\n',
  'src/engine/retrieval/plantedRecall.ts': 'export const recall = 1;\n',
  'src/engine/forgetting/plantedDecay.ts': 'export const decay = 1;\n',
  'src/engine/storage/plantedPort.ts': 'export const port = 1;\n',
  'src/engine/model/plantedNoun.ts': 'export const noun = 1;\n',
  'src/base/plantedBase.ts': 'export const base = 1;\n',
  'src/git/plantedGit.ts': 'export const git = 1;\n',
  'src/runtime/plantedRuntime.ts': 'export const runtime = 1;\n',
  'src/operations/plantedOperation.ts': 'export const operation = 1;\n',
  'src/worker/plantedWorker.ts': 'export const worker = 1;\n',
  'src/registration/plantedPlugin.ts': 'export const plugin = 1;\n',
  'src/mcp/plantedServer.ts': 'export const server = 1;\n',
  'src/hooks/plantedHook.ts': 'export const hook = 1;\n',
  'src/protocol/plantedMessage.ts': 'export const message = 1;\n',
  'test/plantedTest.ts': 'export const test = 1;\n',
  'src/utils/plantedUtil.ts': 'export const util = 1;\n',
};

const uses = (specifier: string): string => `import * as planted from '${specifier}';\nexport const use = planted;\n`;

const BREACHES: readonly Breach[] = [
  { rule: 'no-cycles', file: 'src/base/plantedCycle.ts', code: uses('./plantedCycleEnd.ts'), needs: { 'src/base/plantedCycleEnd.ts': uses('./plantedCycle.ts') } },
  { rule: 'unresolvable', file: 'src/base/plantedNowhere.ts', code: uses('./plantedNotThere.ts') },
  { rule: 'vscode-only-in-extension', file: 'src/runtime/plantedHost.ts', code: "import type { CancellationToken } from 'vscode';\nexport type Use = CancellationToken;\n" },
  { rule: 'base-is-a-leaf', file: 'src/base/plantedUp.ts', code: uses('../engine/index.ts') },
  { rule: 'protocol-knows-only-base', file: 'src/protocol/plantedUp.ts', code: uses('../engine/index.ts') },
  { rule: 'webview-knows-only-protocol', file: 'webview-ui/src/plantedUp.ts', code: uses('../../src/engine/index.ts') },
  { rule: 'engine-knows-only-itself', file: 'src/engine/plantedUp.ts', code: uses('../git/plantedGit.ts') },
  { rule: 'model-knows-only-base', file: 'src/engine/model/plantedUp.ts', code: uses('../storage/plantedPort.ts') },
  { rule: 'text-knows-only-model', file: 'src/engine/text/plantedUp.ts', code: uses('../storage/plantedPort.ts') },
  { rule: 'no-node-in-pure-engine', file: 'src/engine/retrieval/plantedFiles.ts', code: uses('node:fs') },
  { rule: 'no-node-in-webview', file: 'webview-ui/src/plantedFiles.ts', code: uses('node:fs') },
  { rule: 'adapters-are-wired-once', file: 'src/engine/retrieval/plantedWire.ts', code: uses('../storage/sqlite/plantedStore.ts') },
  { rule: 'adapters-are-strangers', file: 'src/engine/vectorIndex/hnsw/plantedMix.ts', code: uses('../exact/plantedIndex.ts') },
  { rule: 'adapters-are-strangers', file: 'src/engine/storage/sqlite/plantedMix.ts', code: uses('../../vectorIndex/hnsw/plantedIndex.ts') },
  { rule: 'policies-are-strangers', file: 'src/engine/retrieval/plantedPolicy.ts', code: uses('../forgetting/plantedDecay.ts') },
  { rule: 'engine-by-its-door', file: 'src/operations/plantedBack.ts', code: uses('../engine/retrieval/plantedRecall.ts') },
  { rule: 'git-is-an-adapter', file: 'src/git/plantedUp.ts', code: uses('../runtime/plantedRuntime.ts') },
  { rule: 'transcripts-are-an-adapter', file: 'src/transcripts/plantedUp.ts', code: uses('../runtime/plantedRuntime.ts') },
  { rule: 'working-tree-is-an-adapter', file: 'src/workingTree/plantedUp.ts', code: uses('../runtime/plantedRuntime.ts') },
  { rule: 'operations-know-no-surface', file: 'src/operations/plantedUp.ts', code: uses('../runtime/plantedRuntime.ts') },
  { rule: 'runtime-knows-no-surface', file: 'src/runtime/plantedUp.ts', code: uses('../operations/plantedOperation.ts') },
  { rule: 'worker-knows-no-surface', file: 'src/worker/plantedUp.ts', code: uses('../mcp/plantedServer.ts') },
  { rule: 'worker-serves-surfaces', file: 'src/operations/plantedWorker.ts', code: uses('../worker/plantedWorker.ts') },
  { rule: 'registration-knows-runtime', file: 'src/registration/plantedUp.ts', code: uses('../operations/plantedOperation.ts') },
  { rule: 'registration-serves-people', file: 'src/mcp/plantedRegistration.ts', code: uses('../registration/plantedPlugin.ts') },
  { rule: 'surfaces-are-strangers', file: 'src/hooks/plantedStranger.ts', code: uses('../mcp/plantedServer.ts') },
  { rule: 'nothing-imports-a-surface', file: 'src/operations/plantedSurface.ts', code: uses('../mcp/plantedServer.ts') },
  { rule: 'protocol-only-in-extension-and-webview', file: 'src/mcp/plantedProtocol.ts', code: uses('../protocol/plantedMessage.ts') },
  { rule: 'src-never-imports-tests', file: 'src/base/plantedTests.ts', code: uses('../../test/plantedTest.ts') },
  { rule: 'home-of-sql-js', file: 'src/engine/retrieval/plantedSql.ts', code: uses('sql.js') },
  { rule: 'home-of-hnswlib-node-usearch', file: 'src/engine/retrieval/plantedHnsw.ts', code: uses('hnswlib-node') },
  { rule: 'home-of-onnxruntime-node-web', file: 'src/runtime/plantedOnnx.ts', code: uses('onnxruntime-node') },
  { rule: 'home-of-huggingface-transformers', file: 'src/engine/embedding/plantedTransformers.ts', code: uses('@huggingface/transformers') },
  { rule: 'home-of-opencc-js', file: 'src/runtime/plantedOpenCc.ts', code: uses('opencc-js') },
  { rule: 'home-of-simple-git', file: 'src/runtime/plantedSimpleGit.ts', code: uses('simple-git') },
  { rule: 'home-of-pg', file: 'src/operations/plantedPg.ts', code: uses('pg') },
  { rule: 'home-of-fastify', file: 'src/mcp/plantedFastify.ts', code: uses('fastify') },
  { rule: 'home-of-commander', file: 'src/mcp/plantedCommander.ts', code: uses('commander') },
  { rule: 'home-of-modelcontextprotocol-sdk', file: 'src/cli/plantedSdk.ts', code: uses('@modelcontextprotocol/sdk/client/index.js') },
  { rule: 'unknown-folder', file: 'src/helpers/plantedHelper.ts', code: uses('../base/plantedBase.ts') },
  { rule: 'unknown-folder-imported', file: 'src/base/plantedUnknown.ts', code: uses('../utils/plantedUtil.ts') },
];

async function findViolations(directory: string): Promise<Violation[]> {
  const output = await new Promise<string>((resolve, reject) => {
    const args = [resolveCommand('depcruise'), '--config', path.join(repositoryDirectory, 'test/architecture/dependencyRules.cjs'), '--output-type', 'json', 'src', 'webview-ui'];
    execFile(process.execPath, args, { cwd: directory, maxBuffer: 256 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (stdout.startsWith('{')) resolve(stdout);
      else reject(new Error(`dependency-cruiser gave no answer: ${stderr}`, { cause: error }));
    });
  });
  return (JSON.parse(output) as { summary: { violations: Violation[] } }).summary.violations;
}

describe('imports in the tree', () => {
  it('follow the map', async () => {
    const violations = await findViolations(repositoryDirectory);
    expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`).join('\n')).toBe('');
  }, 120_000);
});

describe('a breach of the rule', () => {
  let violations: Violation[] = [];

  beforeAll(async () => {
    const copy = createTemporaryFolder('architecture');
    for (const name of ['src', 'webview-ui']) {
      if (fs.existsSync(path.join(repositoryDirectory, name))) fs.cpSync(path.join(repositoryDirectory, name), path.join(copy, name), { recursive: true });
    }
    for (const name of ['tsconfig.json', 'package.json']) fs.copyFileSync(path.join(repositoryDirectory, name), path.join(copy, name));
    fs.symlinkSync(path.join(repositoryDirectory, 'node_modules'), path.join(copy, 'node_modules'), 'junction');
    const planted = Object.assign({}, TARGETS, ...BREACHES.map((breach) => ({ ...breach.needs, [breach.file]: breach.code }))) as Record<string, string>;
    writeFiles(copy, Object.fromEntries(Object.entries(planted).filter(([name]) => !fs.existsSync(path.join(copy, name)))));
    violations = await findViolations(copy);
  }, 180_000);

  for (const breach of BREACHES) {
    it(`${breach.rule} is found in ${breach.file}`, () => {
      expect(violations.filter((violation) => violation.from === breach.file).map((violation) => violation.rule.name)).toContain(breach.rule);
    });
  }

  it('unreachable is found for a file that nothing imports', () => {
    expect(violations.filter((violation) => violation.rule.name === 'unreachable').map((violation) => violation.to)).toContain('src/base/plantedTests.ts');
  });

  it('is planted here for every rule that there is', async () => {
    const { default: rules } = (await import('./dependencyRules.cjs')) as { default: { forbidden: { name: string }[] } };
    const proven = new Set(['unreachable', ...BREACHES.map((breach) => breach.rule)]);
    expect(rules.forbidden.map((rule) => rule.name).filter((name) => !proven.has(name))).toEqual([]);
  });
});
