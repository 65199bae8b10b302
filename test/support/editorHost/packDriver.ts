/**
 * Packs a small extension for a test (a file system, for example), so that it is installed beside Cairn as any other.
 */
import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { build } from 'esbuild';
import { createTemporaryFolder, writeFiles } from '../temporaryFolder.ts';

/** `main` is TypeScript, absolute; returns the .vsix. */
export async function packDriver({ name, main, manifest }: { readonly name: string; readonly main: string; readonly manifest: Readonly<Record<string, unknown>> }): Promise<string> {
  const folder = createTemporaryFolder('driver');
  writeFiles(folder, {
    'package.json': { name, publisher: 'cairn-tests', version: '0.0.0', engines: { vscode: '^1.105.0' }, main: './main.cjs', ...manifest },
    'README.md': 'For tests.\n', 'LICENSE': 'MIT\n',
  });
  await build({ entryPoints: [main], bundle: true, platform: 'node', format: 'cjs', target: 'node22', outfile: path.join(folder, 'main.cjs'), external: ['vscode'], logLevel: 'error' });
  const packagePath = path.join(folder, `${name}.vsix`);
  await createVSIX({ cwd: folder, packagePath, dependencies: false, allowMissingRepository: true });
  return packagePath;
}
