/**
 * `npm test`: every check that there is, on any machine, with one closing line.
 *
 *   npm test                        everything; installs what is missing first
 *   npm test -- unit surface        only these suites
 *   npm run test:fast               types, lint and the tests that need no editor and no client
 *   node scripts/test.mjs --list    the names
 *
 * Suites run one after the other, each as processes of its own; their whole output is in `.cache/test-logs/`. What a
 * platform cannot run is named ("not run here: REASON") and never counted as passed. The last line is
 * `N passed, N failed`; the exit code is non-zero if any failed or none passed.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ensureNode22, nodeEnvironment } from './ensureNode.mjs';
import { ensureClaude, CLAUDE_VERSIONS } from './installClients.mjs';
import { ensureDependencies, ensureHnswAddon } from './installDependencies.mjs';
import { ensureEditorHost, ensureSystemPackages } from './installEditorHost.mjs';
import { cacheDirectory, repositoryDirectory } from './installing.mjs';
import { resolveCommand } from './run.mjs';

const logDirectory = path.join(cacheDirectory, 'test-logs');
const say = (/** @type {string} */ line) => void process.stdout.write(`${line}\n`);

/**
 * @typedef {{ name: string, message: string }} Failure
 * @typedef {{ passed: number, failures: Failure[], notRun: string[] }} Outcome
 * @typedef {{ name: string, about: string, needsBuild?: boolean, isFast?: boolean, run: (node: string) => Promise<Outcome> }} Suite
 */

/** Which paths also run on the oldest Node that Cairn supports. */
const OLDEST_NODE_PATHS = ['test/contract', 'test/surface'];

/** @type {Suite[]} */
const SUITES = [
  { name: 'types', about: 'the compiler has no complaint', isFast: true, run: runTypes },
  { name: 'lint', about: 'eslint has no complaint', isFast: true, run: runLint },
  { name: 'architecture', about: 'imports, headers, bundles', needsBuild: true, isFast: true, run: (node) => runVitest('architecture', node) },
  { name: 'unit', about: 'single parts', isFast: true, run: (node) => runVitest('unit', node) },
  { name: 'contract', about: 'every implementation of a port', isFast: true, run: (node) => runVitest('contract', node) },
  { name: 'property', about: 'against an oracle, by chance with a seed', run: (node) => runVitest('property', node) },
  { name: 'golden', about: 'text in, text out', isFast: true, run: (node) => runVitest('golden', node) },
  { name: 'pins', about: 'outward facts that must not change by accident', isFast: true, needsBuild: true, run: (node) => runVitest('pins', node) },
  { name: 'surface', about: 'the built program, as a process', needsBuild: true, run: (node) => runVitest('surface', node) },
  { name: 'node22', about: 'the same on the oldest supported Node', needsBuild: true, run: runOnOldestNode },
  { name: 'extension', about: 'the packaged extension in a real editor', needsBuild: true, run: runExtension },
  { name: 'client', about: 'the real Claude Code against a scripted API', needsBuild: true, run: runClient },
];

/**
 * Runs a program with its output in a log file; a program that hangs is ended with everything it started.
 * @param {string} node @param {string[]} args
 * @param {{ log: string, env?: NodeJS.ProcessEnv, limitMinutes?: number }} options
 * @returns {Promise<{ code: number, output: string }>}
 */
function runLogged(node, args, { log, env = {}, limitMinutes = 15 }) {
  const file = path.join(logDirectory, log);
  const descriptor = fs.openSync(file, 'w');
  const child = spawn(node, args, {
    cwd: repositoryDirectory, stdio: ['ignore', descriptor, descriptor], detached: process.platform !== 'win32',
    env: { ...nodeEnvironment(node), NO_COLOR: '1', FORCE_COLOR: '0', ...env },
  });
  const end = (/** @type {NodeJS.Signals} */ signal) => {
    try {
      if (process.platform === 'win32') child.kill(signal);
      else process.kill(-child.pid, signal);
    } catch {
      // it ended by itself meanwhile
    }
  };
  const timer = setTimeout(() => {
    fs.writeSync(descriptor, `\nnot through after ${limitMinutes} minutes: ended\n`);
    end('SIGKILL');
  }, limitMinutes * 60_000);
  const interrupt = () => {
    end('SIGTERM');
    process.exit(130);
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      process.removeListener('SIGINT', interrupt);
      process.removeListener('SIGTERM', interrupt);
      fs.closeSync(descriptor);
      resolve({ code: code ?? 1, output: fs.readFileSync(file, 'utf8') });
    });
  });
}

/** @param {string} text */
const lastLines = (text, count = 25) => text.trimEnd().split('\n').slice(-count).join('\n');

/** @param {string} node @returns {Promise<Outcome>} */
async function runTypes(node) {
  const { code, output } = await runLogged(node, [resolveCommand('tsc'), '--noEmit', '--incremental', '--tsBuildInfoFile', path.join(cacheDirectory, 'types.tsbuildinfo'), '-p', '.'], { log: 'types.log' });
  const errors = output.split('\n').filter((line) => /error TS\d+/.test(line));
  if (code === 0) return { passed: 1, failures: [], notRun: [] };
  return { passed: 0, failures: errors.length > 0 ? errors.map((line) => ({ name: line.split(':')[0], message: line })) : [{ name: 'tsc', message: lastLines(output) }], notRun: [] };
}

/** @param {string} node @returns {Promise<Outcome>} */
async function runLint(node) {
  const report = path.join(logDirectory, 'lint.json');
  fs.rmSync(report, { force: true });
  const targets = ['src', 'webview-ui', 'test'].filter((name) => fs.existsSync(path.join(repositoryDirectory, name)));
  const args = ['-c', 'test/architecture/eslint.config.mjs', '--max-warnings', '0', '--no-error-on-unmatched-pattern', '--cache', '--cache-location', path.join(cacheDirectory, 'eslint'), '-f', 'json', '-o', report, ...targets];
  const { code, output } = await runLogged(node, [resolveCommand('eslint'), ...args], { log: 'lint.log' });
  if (code === 0) return { passed: 1, failures: [], notRun: [] };
  const results = fs.existsSync(report) ? JSON.parse(fs.readFileSync(report, 'utf8')) : [];
  const failures = results.flatMap((/** @type {any} */ result) => result.messages.map((/** @type {any} */ found) => {
    const place = `${path.relative(repositoryDirectory, result.filePath)}:${found.line}`;
    return { name: place, message: `${place} ${found.message} (${found.ruleId})` };
  }));
  return { passed: 0, failures: failures.length > 0 ? failures : [{ name: 'eslint', message: lastLines(output) }], notRun: [] };
}

/**
 * @param {string} suite @param {string} node
 * @param {{ paths?: string[], args?: string[], env?: NodeJS.ProcessEnv, limitMinutes?: number }} [options]
 * @returns {Promise<Outcome>}
 */
async function runVitest(suite, node, { paths = [`test/${suite}`], args = [], env = {}, limitMinutes } = {}) {
  const present = paths.filter((name) => fs.existsSync(path.join(repositoryDirectory, name)));
  if (present.length === 0) return { passed: 0, failures: [{ name: suite, message: `${paths.join(', ')} holds no test` }], notRun: [] };
  const report = path.join(logDirectory, `${suite}.json`);
  const notRunFile = path.join(logDirectory, `${suite}.notrun`);
  for (const file of [report, notRunFile]) fs.rmSync(file, { force: true });
  const { code, output } = await runLogged(
    node,
    [resolveCommand('vitest'), 'run', ...present.map((name) => `${name}/`), ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    { log: `${suite}.log`, env: { ...env, CAIRN_TEST_NOT_RUN_FILE: notRunFile }, limitMinutes },
  );
  const notRun = fs.existsSync(notRunFile) ? fs.readFileSync(notRunFile, 'utf8').split('\n').filter(Boolean) : [];
  if (!fs.existsSync(report)) return { passed: 0, failures: [{ name: suite, message: lastLines(output) }], notRun };
  const { testResults } = JSON.parse(fs.readFileSync(report, 'utf8'));
  const outcome = { passed: 0, failures: /** @type {Failure[]} */ ([]), notRun };
  for (const file of testResults) {
    const place = path.relative(repositoryDirectory, file.name);
    if (file.assertionResults.every((/** @type {any} */ test) => test.status !== 'failed') && file.status === 'failed') {
      outcome.failures.push({ name: place, message: file.message || 'the file could not be run' });
    }
    for (const test of file.assertionResults) {
      const name = `${place}: ${[...test.ancestorTitles, test.title].join(' > ')}`;
      if (test.status === 'passed') outcome.passed += 1;
      else if (test.status === 'failed') outcome.failures.push({ name, message: test.failureMessages.join('\n') });
      else outcome.failures.push({ name, message: `was ${test.status}: tests are not skipped here` });
    }
  }
  if (code !== 0 && outcome.failures.length === 0) outcome.failures.push({ name: suite, message: lastLines(output) });
  return outcome;
}

/** @returns {Promise<Outcome>} */
async function runOnOldestNode() {
  let node;
  try {
    node = await ensureNode22();
  } catch (error) {
    return { passed: 0, failures: [], notRun: [`no Node 22 for this platform (${error.message})`] };
  }
  return runVitest('node22', node, { paths: OLDEST_NODE_PATHS });
}

/**
 * Linux runs everything in a browser-hosted VS Code. Elsewhere test-electron's desktop VS Code runs what is inside the
 * extension host, and the files under `test/extension/ui`, which look at the screen, are named as not run.
 * @param {string} node @returns {Promise<Outcome>}
 */
async function runExtension(node) {
  const isBrowserHosted = process.platform === 'linux' && process.env.CAIRN_TEST_HOST !== 'desktop';
  if (isBrowserHosted && !(await ensureEditorHost()).browser) {
    return { passed: 0, failures: [{ name: 'browser', message: 'No Chromium-based browser. Install one (sudo apt-get install chromium) or set CHROME_PATH.' }], notRun: [] };
  }
  const packaged = await runLogged(node, [path.join(repositoryDirectory, 'scripts', 'package.mjs'), '--no-build'], { log: 'package.log', limitMinutes: 6 });
  if (packaged.code !== 0) return { passed: 0, failures: [{ name: 'package', message: lastLines(packaged.output) }], notRun: [] };
  if (isBrowserHosted) return runVitest('extension', node, { limitMinutes: 20 });
  const outcome = await runVitest('extension', node, { args: ['--exclude', 'test/extension/ui/**'], limitMinutes: 20 });
  return { ...outcome, notRun: [...outcome.notRun, 'test/extension/ui: the browser-hosted VS Code is for Linux'] };
}

/** @param {string} node @returns {Promise<Outcome>} */
async function runClient(node) {
  for (const version of CLAUDE_VERSIONS) await ensureClaude(version);
  return runVitest('client', node, { limitMinutes: 15 });
}

/** Large things come before the first suite, so that the times of suites are their own. @param {Suite[]} suites */
async function installForSuites(suites) {
  /** @type {Record<string, () => Promise<unknown>>} */
  const installers = { node22: () => ensureNode22(), extension: async () => process.platform === 'linux' && ensureEditorHost(), client: () => Promise.all(CLAUDE_VERSIONS.map((version) => ensureClaude(version))) };
  for (const { name } of suites) {
    await installers[name]?.().catch((/** @type {Error} */ error) => say(`For the suite "${name}": ${error.message.split('\n')[0]}`)); // the suite itself reports it
  }
}

/** @param {string[]} args @returns {Suite[]} */
function chooseSuites(args) {
  const names = args.filter((arg) => !arg.startsWith('-'));
  const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    say(`No suite named ${unknown.join(', ')}. There are: ${SUITES.map((suite) => suite.name).join(', ')}.`);
    process.exit(2);
  }
  if (args.includes('--fast')) return SUITES.filter((suite) => suite.isFast);
  return names.length > 0 ? SUITES.filter((suite) => names.includes(suite.name)) : SUITES;
}

/** Reads a duration for people. @param {number} startedMs */
const seconds = (startedMs) => `${((Date.now() - startedMs) / 1000).toFixed(0)} s`;

/** @param {Suite} suite @param {Outcome} outcome @param {number} startedMs */
function report(suite, outcome, startedMs) {
  const { passed, failures, notRun } = outcome;
  say(`${suite.name.padEnd(13)} ${failures.length === 0 ? (passed > 0 ? 'ok    ' : '-     ') : 'FAILED'} ${String(passed).padStart(5)} passed, ${failures.length} failed  ${seconds(startedMs)}`);
  for (const reason of notRun) say(`    not run here: ${reason}`);
  for (const failure of failures.slice(0, 20)) {
    say(`    ✗ ${failure.name}`);
    const message = failure.message.trim().split('\n').filter((line) => !/^\s+at .*(node_modules|node:internal|new Promise)/.test(line)).slice(0, 16);
    if (message.join('') !== failure.name) for (const line of message) say(`        ${line}`);
  }
  if (failures.length > 20) say(`    and ${failures.length - 20} more`);
  if (failures.length > 0) say(`    everything it said: ${path.relative(repositoryDirectory, path.join(logDirectory, `${suite.name}.log`))}`);
}

const args = process.argv.slice(2);
if (args.includes('--list')) {
  for (const suite of SUITES) say(`${suite.name.padEnd(13)} ${suite.about}${suite.isFast ? '' : '   (not in test:fast)'}`);
  process.exit(0);
}
const suites = chooseSuites(args);
const started = Date.now();
fs.mkdirSync(logDirectory, { recursive: true });

const total = { passed: 0, failed: 0 };
try {
  // Before npm ci: the optional HNSW add-on is compiled there. What stays missing is named where it matters.
  if (!args.includes('--fast')) await ensureSystemPackages();
  const node = await ensureDependencies();
  await ensureHnswAddon(node);
  await installForSuites(suites);
  if (Date.now() - started > 3_000) say(`Installed what was missing (${seconds(started)}).`);

  if (suites.some((suite) => suite.needsBuild)) {
    const startedBuild = Date.now();
    const build = await runLogged(node, [path.join(repositoryDirectory, 'esbuild.mjs')], { log: 'build.log' });
    const failures = build.code === 0 ? [] : [{ name: 'esbuild.mjs', message: lastLines(build.output) }];
    report({ name: 'build', about: '', run: runTypes }, { passed: build.code === 0 ? 1 : 0, failures, notRun: [] }, startedBuild);
    total.passed += build.code === 0 ? 1 : 0;
    total.failed += failures.length;
  }
  for (const suite of suites) {
    const startedSuite = Date.now();
    const outcome = await suite.run(node).catch((error) => ({ passed: 0, failures: [{ name: suite.name, message: error.stack ?? String(error) }], notRun: [] }));
    report(suite, outcome, startedSuite);
    total.passed += outcome.passed;
    total.failed += outcome.failures.length;
  }
} catch (error) {
  say(`Cannot go on: ${error.message}`);
  total.failed += 1;
}
say(`In all ${seconds(started)}; logs in ${path.relative(repositoryDirectory, logDirectory)}.`);
say(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
