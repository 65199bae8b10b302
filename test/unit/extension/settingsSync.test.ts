import { describe, expect, it } from 'vitest';
import { planSync } from '../../../src/extension/settingsSync.ts';

const side = (agreed: unknown, inEditor: unknown, inFile: unknown) => planSync([{ key: 'k', agreed, inEditor, inFile }]);

describe('settings as a face over the files', () => {
  it('does nothing while both agree', () => {
    expect(side(1, 1, 1)).toEqual([]);
    expect(side(undefined, undefined, undefined)).toEqual([]);
    expect(side(['a'], ['a'], ['a'])).toEqual([]);
  });
  it('writes the file when the person changed the editor', () => expect(side(1, 2, 1)).toEqual([{ to: 'file', key: 'k', value: 2 }]));
  it('removes from the file what the person reset in the editor', () => expect(side(1, undefined, 1)).toEqual([{ to: 'file', key: 'k', value: undefined }]));
  it('shows in the editor what somebody wrote into the file', () => expect(side(1, 1, 3)).toEqual([{ to: 'editor', key: 'k', value: 3 }]));
  it('lets the file win where both changed', () => expect(side(1, 2, 3)).toEqual([{ to: 'editor', key: 'k', value: 3 }]));
  it('notes an agreement that came about elsewhere', () => expect(side(1, 3, 3)).toEqual([{ to: 'agreed', key: 'k', value: 3 }]));
});
