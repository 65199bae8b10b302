/**
 * Assembles scripts/scanKernel.wat into src/engine/vectorIndex/exact/scanKernelBytes.ts.
 * With --check it only compares and fails on a difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const source = fileURLToPath(new URL('./scanKernel.wat', import.meta.url));
const target = fileURLToPath(new URL('../src/engine/vectorIndex/exact/scanKernelBytes.ts', import.meta.url));

const { parseWat } = await wabt();
const module = parseWat('scanKernel.wat', readFileSync(source, 'utf8'), { simd: true });
module.resolveNames();
module.validate();
const { buffer } = module.toBinary({});
module.destroy();
const base64 = Buffer.from(buffer).toString('base64');
const lines = (base64.match(/.{1,120}/g) ?? []).map((line) => `  '${line}'`).join(' +\n');
const text = `/**
 * The exact index's inner loop as WebAssembly, ${buffer.length} bytes. Made from scripts/scanKernel.wat by
 * scripts/buildScanKernel.mjs, where it can be read; never edited by hand.
 */
export const SCAN_KERNEL_BASE64 =
${lines};
`;
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    process.stderr.write('scanKernelBytes.ts does not match scanKernel.wat; run node scripts/buildScanKernel.mjs\n');
    process.exitCode = 1;
  }
} else writeFileSync(target, text);
