import { describe, expect, it } from 'vitest';
import { hashLines, locateAnchor } from '../../../src/extension/anchors/locateAnchor.ts';

const code = ['import a', '', 'export function rotate() {', '  return 12;', '}', '', 'export const limit = 88;'];
const anchor = { startLine: 3, endLine: 5, contentHash: hashLines(code.slice(2, 5)), snippet: code.slice(2, 5).join('\n') };

describe('an anchor in the text on screen', () => {
  it('is fresh where it was, whatever white space stands at line ends', () => {
    expect(locateAnchor(code, anchor)).toEqual({ startLine: 2, endLine: 4, stale: false });
    expect(locateAnchor(code.map((line) => `${line}  `), anchor)?.stale).toBe(false);
  });
  it('follows its lines when others come before them', () => expect(locateAnchor(['// new', '// lines', ...code], anchor)).toEqual({ startLine: 4, endLine: 6, stale: false }));
  it('takes the nearest of two equal places', () => {
    const twice = ['x', ...code.slice(2, 5), 'y', 'z', ...code.slice(2, 5)];
    expect(locateAnchor(twice, { ...anchor, startLine: 6, endLine: 8 })?.startLine).toBe(6);
  });
  it('is stale when its text changed, and stays inside a file that became shorter', () => {
    expect(locateAnchor(code.with(3, '  return 24;'), anchor)).toEqual({ startLine: 2, endLine: 4, stale: true });
    expect(locateAnchor(['x'], anchor)).toEqual({ startLine: 0, endLine: 0, stale: true });
    expect(locateAnchor([''], anchor)?.stale).toBe(true);
  });
  it('has no line when it means a whole file', () => expect(locateAnchor(code, {})).toBeUndefined());
});
