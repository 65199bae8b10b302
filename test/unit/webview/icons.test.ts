import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { CODE_POINTS } from '../../../webview-ui/src/icons.ts';

it('has for every icon the code point that the icon font gives it', () => {
  const sheet = readFileSync(createRequire(import.meta.url).resolve('@vscode/codicons/dist/codicon.css'), 'utf8');
  const wrong = Object.entries(CODE_POINTS).filter(([name, point]) => !sheet.includes(`.codicon-${name}:before { content: "\\${point.toString(16)}"`));
  expect(wrong).toEqual([]);
});
