/** Who sees which memory, and why. */
import { describe, expect, it } from 'vitest';
import { matchesGlob } from '../../../../src/engine/scope/pathGlob.ts';
import { recallFilter } from '../../../../src/engine/scope/storeFilter.ts';
import { visibilityOf } from '../../../../src/engine/scope/visibility.ts';
import { sampleMemory, sampleProvenance } from '../../../support/builders.ts';

const onBranch = (branch: string) => sampleMemory({ provenance: sampleProvenance({ branch }) });

describe('visibilityOf', () => {
  it('shows user and repository memories everywhere', () => {
    expect(visibilityOf(sampleMemory({ scope: { level: 'user' } }), { branch: 'main' })).toMatchObject({ visible: true, because: 'user memory' });
    expect(visibilityOf(sampleMemory(), { branch: 'main' })).toMatchObject({ visible: true, fit: 'neutral' });
  });

  it('shows a branch memory on its branch alone', () => {
    const memory = sampleMemory({ scope: { level: 'branch', branch: 'fix' } });
    expect(visibilityOf(memory, { branch: 'fix' })).toMatchObject({ visible: true, fit: 'closer' });
    expect(visibilityOf(memory, { branch: 'main' }).visible).toBe(false);
    expect(visibilityOf(memory, {}).visible).toBe(false);
    expect(visibilityOf(memory, undefined).visible).toBe(true);
  });

  it('names the branch of a memory made elsewhere, and hides it only under isolation', () => {
    expect(visibilityOf(onBranch('fix'), { branch: 'main' })).toMatchObject({ visible: true, fit: 'other-branch', because: expect.stringContaining('fix') });
    expect(visibilityOf(onBranch('fix'), { branch: 'fix' })).toMatchObject({ visible: true, fit: 'closer' });
    expect(visibilityOf(onBranch('fix'), { branch: 'main', isolateBranches: true }).visible).toBe(false);
    expect(visibilityOf(onBranch('main'), { branch: 'fix', defaultBranch: 'main', isolateBranches: true }).visible).toBe(true);
  });

  it('shows a path memory where that path is at hand or none is known', () => {
    const memory = sampleMemory({ scope: { level: 'path', glob: 'packages/api/**' } });
    expect(visibilityOf(memory, { activePath: 'packages/api/src/a.ts' })).toMatchObject({ visible: true, fit: 'closer' });
    expect(visibilityOf(memory, { activePath: 'packages/web/a.ts' }).visible).toBe(false);
    expect(visibilityOf(memory, { branch: 'main' }).visible).toBe(true);
  });
});

describe('matchesGlob', () => {
  it.each([
    ['packages/api', 'packages/api/src/a.ts', true],
    ['packages/api/', 'packages/api/a.ts', true],
    ['packages/api', 'packages/apiary/a.ts', false],
    ['**/*.test.ts', 'src/a.test.ts', true],
    ['*.md', 'docs/a.md', false],
    ['src/{a,b}/**', 'src/b/x.ts', true],
    ['.github/**', '.github/workflows/ci.yml', true],
    ['[', '[', true],
    ['src/[', 'src/a', false],
  ])('%s on %s is %s', (glob, path, expected) => {
    expect(matchesGlob(glob, path)).toBe(expected);
  });
});

describe('recallFilter', () => {
  it('asks for what holds now unless other statuses are named', () => {
    expect(recallFilter({}, { branch: 'main' }, ['active'], 5)).toEqual({ statuses: ['active'], notExpiredAt: 5, visibleOnBranch: 'main' });
    expect(recallFilter({ statuses: ['archived'] }, undefined, ['active'], 5)).toEqual({ statuses: ['archived'] });
    expect(recallFilter({ branch: 'fix' }, { branch: 'main' }, ['active'], 5)).not.toHaveProperty('visibleOnBranch');
  });
});
