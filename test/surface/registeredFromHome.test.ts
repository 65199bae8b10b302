/**
 * Registered by the program of a checkout, looked at by the one in the home that it put there: both name the same command,
 * whatever CAIRN_HOME says of the folder that is the default anyway. Runs the launcher, as a terminal does.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findLauncher } from '../support/program.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

const CHECK = 'claude-code';

describe('`cairn init` of a checkout, then `cairn` of the home', () => {
  it.each([['no CAIRN_HOME', ''], ['CAIRN_HOME with the default', '~/.cairn'], ['another CAIRN_HOME', '~/elsewhere']])('agree on the registration with %s', async (_how, given) => {
    const home = createTemporaryHome({ env: { CAIRN_HOME: given, CAIRN_EMBEDDING_MODEL: 'off' } });
    const { directory: cwd } = createTemporaryRepository();
    const run = async (launcher: string, ...args: string[]): Promise<string> => {
      const { stdout } = await promisify(execFile)(process.execPath, [launcher, ...args], { cwd, env: { ...home.env } }).catch((error: unknown) => error as { stdout: string }); // doctor ends with 1 when anything is wrong: the check says what
      return stdout;
    };
    const settings = path.join(home.claudeDirectory, 'settings.json');
    await run(findLauncher(), 'init');
    const registered = fs.readFileSync(settings, 'utf8');
    const ofHome = path.join(home.home, given === '~/elsewhere' ? 'elsewhere' : '.cairn', 'bin', 'cairn.cjs');
    const states = async (launcher: string): Promise<(string | undefined)[]> => {
      const { checks } = JSON.parse(await run(launcher, 'doctor', '--json')) as { checks: { id: string; state: string; detail: string }[] };
      return checks.filter(({ id }) => id === CHECK).map(({ state }) => state);
    };
    for (const launcher of [findLauncher(), ofHome]) expect(await states(launcher), launcher).toEqual(['ok']);
    await run(ofHome, 'register');
    expect(fs.readFileSync(settings, 'utf8')).toBe(registered);
    expect(await states(findLauncher())).toEqual(['ok']);
  });
});
