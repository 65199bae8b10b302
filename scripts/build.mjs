/**
 * `npm run build`: installs the dependencies where they are missing, then builds everything into `dist/`.
 */
import { ensureDependencies } from './installDependencies.mjs';
import { runInRepository } from './run.mjs';

const node = await ensureDependencies();
process.exitCode = await runInRepository('esbuild.mjs', process.argv.slice(2), { node });
