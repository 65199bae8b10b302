/**
 * Runs mocha files inside the real extension host, beside the installed extension and with the real `vscode` API.
 * The workbench is told by its address which file to load, as VS Code's own integration tests do it.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { cacheDirectory } from '../../../scripts/installing.mjs';
import { repositoryDirectory } from '../program.ts';
import { createTemporaryFolder, writeFiles } from '../temporaryFolder.ts';
import { startCodeServer, type CodeServerOptions } from './codeServer.ts';
import { launchBrowser } from './workbench.ts';

export interface InHostTest {
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly error?: string;
}

export interface InHostRun {
  readonly tests: readonly InHostTest[];
  /** What the host's console said. */
  readonly output: string;
  readonly serverLog: string;
}

export interface InHostOptions extends Omit<CodeServerOptions, 'withTestDriver'> {
  /** Mocha files (TypeScript), absolute. They may import `vscode`. */
  readonly files: readonly string[];
  /** Folder or `.code-workspace` to open. */
  readonly target?: string;
  /** What the test's own extension brings (a file system, a chat model): parts of its manifest, and a `main` in TypeScript. */
  readonly driver?: { readonly manifest: Readonly<Record<string, unknown>>; readonly main: string };
  /** Handed to the tests as environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Bundles the files with mocha into one that exports `run`, which the host calls. */
async function bundleTests(files: readonly string[], folder: string): Promise<string> {
  const entry = `
    import Mocha from 'mocha';
    import { writeFileSync } from 'node:fs';
    const mocha = new Mocha({ ui: 'bdd', timeout: 60000, color: false, reporter: 'min' });
    mocha.suite.emit('pre-require', globalThis, '', mocha);
    export async function run() {
      ${files.map((file) => `await import(${JSON.stringify(file)});`).join('\n      ')}
      const tests = [];
      const failures = await new Promise((resolve) => {
        const runner = mocha.run(resolve);
        runner.on('pass', (test) => tests.push({ title: test.fullTitle(), state: 'passed' }));
        runner.on('pending', (test) => tests.push({ title: test.fullTitle(), state: 'skipped' }));
        runner.on('fail', (test, error) => tests.push({ title: test.fullTitle(), state: 'failed', error: String(error?.stack ?? error) }));
      });
      writeFileSync(process.env.CAIRN_IN_HOST_RESULTS, JSON.stringify(tests));
      if (failures > 0) throw new Error(failures + ' tests failed');
    }`;
  const outfile = path.join(folder, 'inHostTests.cjs');
  await build({
    stdin: { contents: entry, resolveDir: repositoryDirectory, loader: 'js' }, bundle: true, platform: 'node', format: 'cjs', target: 'node22', outfile,
    external: ['vscode'], logLevel: 'error', define: { 'import.meta.url': '__moduleUrl' },
    banner: { js: "const __moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
  return outfile;
}

export async function runInHost(options: InHostOptions): Promise<InHostRun> {
  const folder = createTemporaryFolder('in-host');
  // The extension under test is the installed one; the host wants a folder under development before it runs tests.
  const driver = path.join(folder, 'driver');
  const main = options.driver === undefined ? {} : { main: './main.cjs', ...options.driver.manifest };
  writeFiles(driver, { 'package.json': { name: 'cairn-test-driver', publisher: 'cairn-tests', version: '0.0.0', engines: { vscode: '^1.105.0' }, ...main } });
  if (options.driver !== undefined) await build({ entryPoints: [options.driver.main], bundle: true, platform: 'node', format: 'cjs', target: 'node22', outfile: path.join(driver, 'main.cjs'), external: ['vscode'], logLevel: 'error' });
  const plan: Plan = { driver, entry: await bundleTests(options.files, folder), resultsFile: path.join(folder, 'results.json'), options };
  const { output, serverLog } = hasBrowserHost() ? await runInBrowserHost(plan) : await runInDesktop(plan, folder);
  if (!fs.existsSync(plan.resultsFile)) throw new Error(`The host ran no test.\n${output}\n${serverLog}`);
  return { tests: JSON.parse(fs.readFileSync(plan.resultsFile, 'utf8')) as InHostTest[], output, serverLog };
}

/**
 * Whether VS Code can be hosted in a browser here: that needs no desktop and no download but npm's. Elsewhere the
 * same tests run in a desktop VS Code that test-electron downloads; CAIRN_TEST_HOST=desktop asks for that.
 */
export const hasBrowserHost = (): boolean => process.platform === 'linux' && process.env.CAIRN_TEST_HOST !== 'desktop';

interface Plan {
  readonly driver: string;
  readonly entry: string;
  readonly resultsFile: string;
  readonly options: InHostOptions;
}

async function runInBrowserHost({ driver, entry, resultsFile, options }: Plan): Promise<{ output: string; serverLog: string }> {
  const server = await startCodeServer({ ...options, withTestDriver: true });
  const output: string[] = [];
  const browser = await launchBrowser();
  try {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] })).newPage();
    const ended = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The tests in the host did not end.\n${output.join('\n')}`)), options.timeoutMs ?? 480_000);
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      void page.exposeFunction('codeAutomationExit', end);
      page.on('crash', () => reject(new Error('The browser page crashed.')));
    });
    await page.exposeFunction('codeAutomationLog', (_type: string, args: readonly unknown[]) => void output.push(args.map(String).join(' ')));
    await page.goto(server.addressOf(options.target, [
      ['extensionDevelopmentPath', server.remoteUri(driver)],
      ['extensionTestsPath', server.remoteUri(entry)],
      ['extensionEnvironment', JSON.stringify({ CAIRN_IN_HOST_RESULTS: resultsFile, ...options.variables })],
      ['enableProposedApi', ''], ['skipWelcome', 'true'], ['skipReleaseNotes', 'true'],
    ]), { timeout: 180_000 });
    await ended;
    return { output: output.join('\n'), serverLog: server.log() };
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function runInDesktop({ driver, entry, resultsFile, options }: Plan, folder: string): Promise<{ output: string; serverLog: string }> {
  const { downloadAndUnzipVSCode, resolveCliArgsFromVSCodeExecutablePath, runTests } = await import('@vscode/test-electron');
  const vscodeExecutablePath = process.env.CAIRN_TEST_VSCODE ?? (await downloadAndUnzipVSCode({ cachePath: path.join(cacheDirectory, 'vscode') }));
  const profile = ['--user-data-dir', path.join(folder, 'u'), '--extensions-dir', path.join(folder, 'e')];
  const [cli = '', ...cliArgs] = resolveCliArgsFromVSCodeExecutablePath(vscodeExecutablePath, { reuseMachineInstall: true });
  for (const extension of options.extensions ?? []) {
    const { status, stderr } = spawnSync(cli, [...cliArgs, ...profile, '--install-extension', extension, '--force'], { encoding: 'utf8', shell: process.platform === 'win32' });
    if (status !== 0) throw new Error(`The extension could not be installed: ${stderr}`);
  }
  let failure = '';
  await runTests({
    vscodeExecutablePath,
    reuseMachineInstall: true,
    extensionDevelopmentPath: driver,
    extensionTestsPath: entry,
    launchArgs: [...(options.target === undefined ? [] : [options.target]), ...profile],
    extensionTestsEnv: { ...options.home.env, ...options.env, ...options.variables, CAIRN_IN_HOST_RESULTS: resultsFile },
  }).catch((error: unknown) => (failure = String(error))); // failed tests end it so; the results file says which
  return { output: failure, serverLog: '' };
}
