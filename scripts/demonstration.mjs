/**
 * The main job in a terminal, on real parts: a sample git repository, memories added by the command line, and recall
 * through the MCP server over stdio, as Claude Code asks it.
 */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDirectory, repositoryDirectory } from './installing.mjs';

const PROGRAM = path.join(repositoryDirectory, 'dist', 'program', 'cairn.mjs');

/**
 * @typedef {object} Demo
 * @property {string} folder below it: home, repositories, editor profile
 * @property {string} home stands for HOME
 * @property {string} repository
 * @property {string} otherRepository
 * @property {string} node
 * @property {Record<string, string>} env
 */

const SAMPLE_FILES = {
  'README.md': '# Harbour\n\nTakes payments for a small ferry line.\n',
  'package.json': '{\n  "name": "harbour",\n  "private": true,\n  "type": "module"\n}\n',
  'src/payments.ts': `/** Charges a card, at most three times, with a growing pause between the tries. */
export async function chargeCard(amountCents: number, charge: (amountCents: number) => Promise<string>): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await charge(amountCents);
    } catch (error) {
      if (attempt === 3) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * 200));
    }
  }
}

/** Prices are whole cents: floating point loses money. */
export function formatPrice(amountCents: number): string {
  return (amountCents / 100).toFixed(2);
}
`,
};

const MEMORIES = [
  { text: 'We decided on PostgreSQL, not MySQL: the timetable needs range types.', kind: 'decision', importance: '8', tags: 'database' },
  { text: 'Prices are whole cents everywhere; never use floating point for money.', kind: 'rule', importance: '9', tags: 'money,types' },
  { text: '部署前先运行 npm run check，周五不发布。', kind: 'rule', importance: '7', tags: '发布' },
];

const QUESTIONS = ['which database do we use?', 'how are prices stored', '什么时候可以发布？'];

/**
 * Makes the scratch home and the sample repositories anew.
 * @param {string} node @returns {Demo}
 */
export function prepareDemo(node) {
  const folder = path.join(cacheDirectory, 'demo');
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  const home = path.join(folder, 'home');
  fs.mkdirSync(home, { recursive: true });
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'ComSpec', 'PATHEXT', 'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'];
  const env = {
    ...Object.fromEntries(kept.filter((name) => process.env[name] !== undefined).map((name) => [name, String(process.env[name])])),
    HOME: home, USERPROFILE: home, APPDATA: path.join(home, 'AppData', 'Roaming'), LOCALAPPDATA: path.join(home, 'AppData', 'Local'),
    CAIRN_HOME: path.join(home, '.cairn'),
  };
  const makeRepository = (/** @type {string} */ name, /** @type {Record<string, string>} */ files) => {
    const directory = path.join(folder, name);
    for (const [file, content] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
      fs.writeFileSync(path.join(directory, file), content);
    }
    const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: directory, env, stdio: ['ignore', 'ignore', 'pipe'] });
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'Demo');
    git('config', 'user.email', 'demo@example.test');
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
    return directory;
  };
  return {
    folder, home, node, env,
    repository: makeRepository('harbour 港口', SAMPLE_FILES),
    otherRepository: makeRepository('another-project', { 'README.md': '# Another project\n' }),
  };
}

/**
 * One command line run; its messages (stderr) are shown only where it fails.
 * @param {Demo} demo @param {string[]} args @returns {Promise<string>} stdout
 */
function runCairn(demo, args, cwd = demo.repository) {
  return new Promise((resolve, reject) => {
    execFile(demo.node, [PROGRAM, ...args], { cwd, env: demo.env, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`cairn ${args.join(' ')} failed: ${stderr || stdout || error.message}`));
    });
  });
}

const isColourful = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (/** @type {number} */ code, /** @type {string} */ text) => (isColourful ? `\u001b[${code}m${text}\u001b[0m` : text);
const say = (line = '') => void process.stdout.write(`${line}\n`);
const indent = (/** @type {string} */ text) => text.trimEnd().split('\n').map((line) => `    ${line}`).join('\n');

/** @param {Demo} demo */
export async function showInTerminal(demo) {
  await runCairn(demo, ['init', '--no-register']);
  say(`\nA person decides; Cairn keeps it for this repository (${path.basename(demo.repository)}):`);
  for (const memory of MEMORIES) {
    say(paint(2, `  $ cairn add "${memory.text}" --kind ${memory.kind} --importance ${memory.importance} --tags ${memory.tags}`));
    const answer = JSON.parse(await runCairn(demo, ['add', memory.text, '--kind', memory.kind, '--importance', memory.importance, '--tags', memory.tags, '--json']));
    say(`    ${paint(32, answer.outcome)} ${answer.id}`);
  }
  say('\nClaude Code asks through the MCP server (tools/call recall), in the same repository:');
  const answers = await askRecall(demo, demo.repository, QUESTIONS);
  answers.forEach((answer, i) => say(`  ${paint(36, `? ${QUESTIONS[i]}`)}\n${indent(answer)}\n`));
  if (!answers[0]?.includes('PostgreSQL')) throw new Error('recall did not find the decision that was just stored. Please report this, with the lines above.');

  await runCairn(demo, ['init', '--no-register'], demo.otherRepository);
  say(`The same question from a session in another repository (${path.basename(demo.otherRepository)}):`);
  const [elsewhere = ''] = await askRecall(demo, demo.otherRepository, QUESTIONS.slice(0, 1));
  say(`  ${paint(36, `? ${QUESTIONS[0]}`)}\n${indent(elsewhere)}`);
  if (elsewhere.includes('PostgreSQL')) throw new Error('a memory crossed from one repository into another. Please report this, with the lines above.');
}

/**
 * @param {Demo} demo @param {string} cwd @param {string[]} questions @returns {Promise<string[]>}
 */
async function askRecall(demo, cwd, questions) {
  // Loaded here: before the dependencies are installed there is no SDK to load.
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const client = new Client({ name: 'cairn-demonstration', version: '1' });
  await client.connect(new StdioClientTransport({ command: demo.node, args: [PROGRAM, 'mcp'], cwd, env: demo.env, stderr: 'pipe' }));
  try {
    const answers = [];
    for (const query of questions) {
      const result = await client.callTool({ name: 'recall', arguments: { query, limit: 3 } });
      const content = /** @type {{ type: string, text?: string }[]} */ (result.content);
      answers.push(content.map((block) => block.text ?? '').join('\n'));
    }
    return answers;
  } finally {
    await client.close();
  }
}
