/** How the command line looks at a real terminal: colours where they are wanted, lines that fit, nothing cut inside a character. */
import { describe, expect, it } from 'vitest';
import { notRunHere } from '../support/notRunHere.ts';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { hasTerminal, runAtTerminal } from '../support/terminal.ts';

const ESCAPE = '\u001b[';
const TEXT = '我们所有的接口都必须返回统一的错误结构：code、message、requestId，并且不允许出现表名。';

if (!hasTerminal) notRunHere('the look of the command line at a terminal', 'a pseudo-terminal is made with util-linux\'s script');
else {
  describe('at a terminal', () => {
    it.each([
      ['colours are shown', { NO_COLOR: '' }, true],
      ['NO_COLOR takes them away', { NO_COLOR: '1' }, false],
      ['a terminal that knows none gets none', { NO_COLOR: '', TERM: 'dumb' }, false],
    ])('%s', async (_what, env, hasColours) => {
      const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off', ...env } });
      const { directory: cwd } = createTemporaryRepository();
      await runCairn(['add', TEXT, '--kind', 'rule'], { home, cwd });
      const { code, screen } = await runAtTerminal(['list'], { home, cwd, columns: 40 });
      expect([code, screen.includes(ESCAPE)]).toEqual([0, hasColours]);
      // Wide characters take two columns; the line of facts is not wrapped.
      const lines = screen.split(/\r?\n/).filter((line) => /\p{Script=Han}/u.test(line)).map((line) => line.replaceAll(/\u001b\[\d+m/g, ''));
      expect(lines.length).toBeGreaterThan(2);
      for (const line of lines) expect([...line].reduce((sum, character) => sum + (/[\u1100-\uffff]/.test(character) ? 2 : 1), 0), line).toBeLessThanOrEqual(40);
      expect(lines.map((line) => line.replace(/^[• ]+/, '').trimEnd()).join('').replaceAll(' ', '')).toBe(TEXT);
    });
  });
}
