/** The assembled kernel is the one that can be read. */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import wabt from 'wabt';
import { quantize } from '../../../../src/engine/vectorIndex/exact/scanKernel.ts';
import { SCAN_KERNEL_BASE64 } from '../../../../src/engine/vectorIndex/exact/scanKernelBytes.ts';

describe('scan kernel', () => {
  it('is what scripts/scanKernel.wat assembles to', async () => {
    const { parseWat } = await wabt();
    const module = parseWat('scanKernel.wat', fs.readFileSync(new URL('../../../../scripts/scanKernel.wat', import.meta.url), 'utf8'), { simd: true });
    expect(Buffer.from(module.toBinary({}).buffer).toString('base64')).toBe(SCAN_KERNEL_BASE64);
    module.destroy();
  });

  it('quantises within half a step, and nothing to nothing', () => {
    const vector = Float32Array.from([0.5, -0.25, 0.1, 0]);
    const into = new Int8Array(4);
    const scale = quantize(vector, into);
    for (const [i, value] of vector.entries()) expect(Math.abs((into[i] ?? 0) * scale - value)).toBeLessThanOrEqual(scale / 2 + 1e-7);
    expect(quantize(new Float32Array(4), into)).toBe(0);
  });
});
