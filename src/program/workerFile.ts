/**
 * Where the engine worker's code lies: beside the built program, or in the source tree.
 */
import path from 'node:path';
import type { ProgramFolder } from '../runtime/programFolder.ts';

export const workerFileOf = (program: ProgramFolder): string => (program.isBuilt ? path.join(program.folder, 'engineWorker.mjs') : path.join(program.folder, 'src', 'worker', 'main.ts'));
