/**
 * Each rule that eslint holds for us fires when it is broken, in the folders where it must.
 */
import path from 'node:path';
import { ESLint } from 'eslint';
import { beforeAll, describe, expect, it } from 'vitest';
import { repositoryDirectory } from '../support/program.ts';

const HEADER = '/** A planted file. */\n';

const BREACHES: readonly { readonly rule: string; readonly file: string; readonly code: string }[] = [
  { rule: 'no-console', file: 'src/engine/planted.ts', code: 'console.log(1);' },
  { rule: 'no-empty', file: 'src/runtime/planted.ts', code: 'try { JSON.parse(""); } catch {}' },
  { rule: 'no-debugger', file: 'src/runtime/planted.ts', code: 'debugger;' },
  { rule: 'eqeqeq', file: 'src/engine/planted.ts', code: 'export const same = (a: number, b: number) => a == b;' },
  { rule: 'prefer-const', file: 'src/engine/planted.ts', code: 'let a = 1; export const b = a;' },
  { rule: '@typescript-eslint/no-explicit-any', file: 'src/mcp/planted.ts', code: 'export const a: any = 1;' },
  { rule: '@typescript-eslint/no-explicit-any', file: 'test/unit/planted.ts', code: 'export const a: any = 1;' },
  { rule: '@typescript-eslint/ban-ts-comment', file: 'src/mcp/planted.ts', code: '// @ts-ignore\nexport const a = 1;' },
  { rule: '@typescript-eslint/consistent-type-imports', file: 'src/mcp/planted.ts', code: "import { Memory } from '../engine/index.ts';\nexport type M = Memory;" },
  { rule: 'max-lines', file: 'src/mcp/planted.ts', code: Array.from({ length: 401 }, (_, i) => `export const a${i} = ${i};`).join('\n') },
  { rule: 'no-restricted-globals', file: 'src/engine/planted.ts', code: 'export const here = process.cwd();' },
  { rule: 'no-restricted-globals', file: 'src/mcp/planted.ts', code: 'export const here = __dirname;' },
  { rule: 'no-restricted-imports', file: 'src/mcp/planted.ts', code: "import process from 'node:process';\nexport const here = process;" },
  { rule: 'no-restricted-syntax', file: 'src/engine/planted.ts', code: 'export const now = Date.now();' },
  { rule: 'no-restricted-syntax', file: 'src/engine/planted.ts', code: 'export const now = new Date();' },
  { rule: 'no-restricted-syntax', file: 'src/engine/planted.ts', code: 'export const chance = Math.random();' },
  { rule: 'no-restricted-syntax', file: 'test/unit/planted.test.ts', code: "import { it } from 'vitest';\nit.skip('x', () => undefined);" },
];

describe('eslint', () => {
  let eslint: ESLint;

  beforeAll(() => {
    eslint = new ESLint({ cwd: repositoryDirectory, overrideConfigFile: path.join(repositoryDirectory, 'test/architecture/eslint.config.mjs') });
  });

  const findRules = async (file: string, code: string): Promise<(string | null)[]> => {
    const results = await eslint.lintText(HEADER + code, { filePath: path.join(repositoryDirectory, file) });
    return results.flatMap((result) => result.messages.map((message) => message.ruleId));
  };

  BREACHES.forEach(({ rule, file, code }, position) => {
    it(`finds ${rule} in ${file} (breach ${position + 1})`, async () => {
      expect(await findRules(file, code)).toContain(rule);
    });
  });

  it('cannot be switched off by a comment', async () => {
    expect(await findRules('src/mcp/planted.ts', '/* eslint-disable */\nexport const a: any = 1;')).toContain('@typescript-eslint/no-explicit-any');
  });

  it('lets the process boundary use the process, and the command line print', async () => {
    expect(await findRules('src/runtime/planted.ts', 'export const here = process.cwd();')).toEqual([]);
    expect(await findRules('src/mcp/main.ts', 'export const here = process.cwd();')).toEqual([]);
    expect(await findRules('src/cli/planted.ts', 'console.log(1);')).toEqual([]);
  });
});
