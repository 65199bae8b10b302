/**
 * `npm run package`: the .vsix for one platform, `dist/cairn-<platform>.vsix`.
 *
 *   npm run package                            for this machine
 *   npm run package -- --platform=darwin-arm64 for another one (vsce's names)
 *   npm run package -- --no-build              of what `dist/` holds already
 */
import fs from 'node:fs';
import path from 'node:path';
import { nodeEnvironment } from './ensureNode.mjs';
import { ensureDependencies } from './installDependencies.mjs';
import { cacheDirectory, isMain, repositoryDirectory, runToEnd, say } from './installing.mjs';
import { writeNotices } from './notices.mjs';
import { resolveCommand } from './run.mjs';

/** What a stranger reads of the extension; README.md speaks to who has the sources, with pictures that only a public address could show there. */
const DETAILS_PAGE = 'docs/detailsPage.md';

/** The size that the design allows for one platform, model included. */
const LIMIT_BYTES = 80_000_000;

/**
 * @param {{ platform?: string, build?: boolean }} [options] @returns {Promise<string>} path of the .vsix
 */
export async function packageExtension({ platform = `${process.platform}-${process.arch}`, build = true } = {}) {
  const node = await ensureDependencies();
  if (build) await mustSucceed('esbuild.mjs', [`--platform=${platform}`], node);
  writeNotices();
  const file = path.join(repositoryDirectory, 'dist', `cairn-${platform}.vsix`);
  // Made aside and put into place at its end, as the build is: an editor that is being started meanwhile finds a whole one.
  const made = path.join(repositoryDirectory, 'dist', `.cairn-${process.pid}.vsix`);
  // Dependencies are bundled or copied into dist/ by the build, so vsce need not look for them.
  await mustSucceed('vsce', ['package', '--no-dependencies', '--allow-missing-repository', '--readme-path', DETAILS_PAGE, '--target', platform, '-o', made], node);
  fs.renameSync(made, file);
  const { size } = fs.statSync(file);
  if (size > LIMIT_BYTES) throw new Error(`${path.basename(file)} has ${size} bytes; the limit is ${LIMIT_BYTES}. What grew? unzip -lv shows it.`);
  say(`${path.relative(repositoryDirectory, file)}: ${(size / 1e6).toFixed(1)} MB`);
  return file;
}

/** Its output is shown where it fails; a list of all packaged files helps nobody otherwise. @param {string} command @param {string[]} args @param {string} node */
async function mustSucceed(command, args, node) {
  const log = path.join(cacheDirectory, 'logs', `package-${command.replace(/\W/g, '-')}.log`);
  const code = await runToEnd(node, [resolveCommand(command), ...args], { cwd: repositoryDirectory, env: nodeEnvironment(node), log });
  const output = fs.readFileSync(log, 'utf8');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed with exit code ${code}:\n${output}`);
  for (const line of output.split('\n')) if (/^note:|warning/i.test(line)) say(line);
}

if (isMain(import.meta.url)) {
  const args = process.argv.slice(2);
  const platform = args.find((arg) => arg.startsWith('--platform='))?.slice('--platform='.length);
  try {
    await packageExtension({ build: !args.includes('--no-build'), ...(platform ? { platform } : {}) });
  } catch (error) {
    say(error.message);
    process.exitCode = 1;
  }
}
