/** Names of files as anchors write them, however the editor names the file. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { absoluteInRoot, relativeToRoot } from '../../../src/extension/repositoryPaths.ts';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';

describe('a file of the repository', () => {
  const folder = fs.realpathSync.native(createTemporaryFolder('paths'));
  const root = path.join(folder, 'repo');
  fs.mkdirSync(path.join(root, 'src'), { recursive: true });
  fs.writeFileSync(path.join(root, 'src', 'a.ts'), '');
  fs.writeFileSync(path.join(root, '..a.ts'), '');

  it('is known by a link that its folder was opened through', () => {
    const link = path.join(folder, 'link');
    fs.symlinkSync(root, link, 'junction');
    expect(relativeToRoot(root, path.join(link, 'src', 'a.ts'))).toBe('src/a.ts');
    expect(relativeToRoot(root, path.join(root, 'src', 'a.ts'))).toBe('src/a.ts');
  });

  it('is not what lies outside, and may begin with dots', () => {
    expect(relativeToRoot(root, path.join(folder, 'other.ts'))).toBeUndefined();
    expect(relativeToRoot(root, root)).toBeUndefined();
    expect(relativeToRoot(root, path.join(root, '..a.ts'))).toBe('..a.ts');
    expect(absoluteInRoot(root, '../other.ts')).toBeUndefined();
    expect(absoluteInRoot(root, 'src/a.ts')).toBe(path.join(root, 'src', 'a.ts'));
  });
});
