/**
 * What authors of other extensions are given: types that stand alone, and a sample that compiles against them.
 */
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { writeApiSample } from '../../support/apiSample.ts';
import { repositoryDirectory } from '../../support/program.ts';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';

const source = path.join(repositoryDirectory, 'src', 'extension', 'publicApi.ts');

function problemsOf(file: string, declaration: string): string[] {
  const program = ts.createProgram([file], {
    strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [], paths: { 'cairn-memory': [declaration], vscode: [path.join(repositoryDirectory, 'node_modules', '@types', 'vscode', 'index.d.ts')] },
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the API for other extensions', () => {
  it('has types that need nothing of ours, so that the file can be copied', () => {
    const declaration = path.join(createTemporaryFolder('types'), 'publicApi.d.ts');
    fs.copyFileSync(source, declaration);
    expect(problemsOf(writeApiSample(), declaration)).toEqual([]);
    expect([...fs.readFileSync(source, 'utf8').matchAll(/from '([^']+)'/g)].map((match) => match[1])).toEqual(['vscode']);
  });

  it('has a sample that a wrong use of the types would break', () => {
    const file = writeApiSample();
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('limit: 3', 'limit: \'three\''));
    expect(problemsOf(file, source)).toHaveLength(1);
  });
});
