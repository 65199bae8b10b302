/**
 * Edits of other people's JSON: what they wrote stays byte for byte.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { editJson, readForeignJson } from '../../../src/registration/foreignFile.ts';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';

function edit(text: string): string {
  const file = path.join(createTemporaryFolder('foreign'), 'settings.json');
  writeFileSync(file, text);
  return editJson(readForeignJson(file), [{ path: ['enabledPlugins', 'cairn@x'], value: true }]).toString();
}

describe('an edit of somebody else\'s settings', () => {
  it('leaves the lines before it as their owner laid them out', () => {
    const before = '{\n  "model": "opus",\n  "hooks": {"Stop":[{"hooks":[]}]}\n}\n';
    expect(edit(before)).toBe('{\n  "model": "opus",\n  "hooks": {"Stop":[{"hooks":[]}]},\n  "enabledPlugins": {\n    "cairn@x": true\n  }\n}\n');
  });

  it('keeps tabs, line ends and a file on one line', () => {
    expect(edit('{\r\n\t"a": 1\r\n}')).toBe('{\r\n\t"a": 1,\r\n\t"enabledPlugins": {\r\n\t\t"cairn@x": true\r\n\t}\r\n}');
    expect(edit('{"a":1}')).toBe('{"a":1,"enabledPlugins": {"cairn@x":true}}');
  });

  it('adds to a list that is there', () => {
    expect(edit('{\n  "enabledPlugins": {\n    "other@y": true\n  }\n}\n')).toBe('{\n  "enabledPlugins": {\n    "other@y": true,\n    "cairn@x": true\n  }\n}\n');
  });
});
