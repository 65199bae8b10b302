/**
 * Golden cases: text in, text out, as files that a reviewer can read. `NAME.input` (with any ending) stands beside
 * `NAME.expected`; UPDATE_GOLDEN=1 writes the expectation anew, and the change is then read in the diff.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** One test per `*.input*` file in the folder; `run` turns the input into the text that is compared. */
export function describeGoldenCases(title: string, directory: string, run: (input: string, caseName: string) => string | Promise<string>): void {
  const inputs = fs.readdirSync(directory).filter((name) => /\.input(\.\w+)?$/.test(name)).sort();
  describe(title, () => {
    it('has cases', () => expect(inputs.length).toBeGreaterThan(0));
    for (const name of inputs) {
      const caseName = name.replace(/\.input(\.\w+)?$/, '');
      it(caseName, async () => {
        const actual = withFinalNewline(await run(fs.readFileSync(path.join(directory, name), 'utf8'), caseName));
        expectGolden(path.join(directory, `${caseName}.expected`), actual);
      });
    }
  });
}

/** Compares with one file; fails with the difference. */
export function expectGolden(expectedFile: string, actual: string): void {
  if (process.env.UPDATE_GOLDEN !== undefined) {
    fs.mkdirSync(path.dirname(expectedFile), { recursive: true });
    fs.writeFileSync(expectedFile, actual);
    return;
  }
  const expected = fs.existsSync(expectedFile) ? fs.readFileSync(expectedFile, 'utf8') : '(no such file: run once with UPDATE_GOLDEN=1 and read what it wrote)\n';
  expect(actual).toBe(expected);
}

const withFinalNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
