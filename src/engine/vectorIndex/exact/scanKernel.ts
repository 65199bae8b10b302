/**
 * Door to the WebAssembly scan: owns the module's memory, in which the quantised rows live, and
 * lays it out again when it has to grow. Absent where WebAssembly or its SIMD is; the exact
 * index then scans its own float rows.
 */
import { SCAN_KERNEL_BASE64 } from './scanKernelBytes.ts';

const PAGE = 65_536;
/** WebAssembly memory ends at 4 GiB; this many pages leave room for its tables. */
const MAX_PAGES = 60_000;

interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly scan: (query: number, rows: number, scales: number, out: number, count: number, stride: number) => void;
}

let compiled: WebAssembly.Module | undefined | 'unavailable';

function compile(): WebAssembly.Module | undefined {
  if (compiled === undefined) {
    try {
      compiled = new WebAssembly.Module(Uint8Array.from(atob(SCAN_KERNEL_BASE64), (character) => character.charCodeAt(0)));
    } catch {
      // No SIMD or no WebAssembly here (old or jitless runtime): plain typed arrays serve, slower and equally right.
      compiled = 'unavailable';
    }
  }
  return compiled === 'unavailable' ? undefined : compiled;
}

/** Quantises to int8 by the vector's own largest value; returns the scale that takes it back. */
export function quantize(vector: Float32Array, into: Int8Array): number {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const factor = largest === 0 ? 0 : 127 / largest;
  for (let i = 0; i < vector.length; i += 1) into[i] = Math.round((vector[i] ?? 0) * factor);
  return largest / 127;
}

export class ScanKernel {
  readonly #exports: KernelExports;
  readonly #stride: number;
  readonly #dimensions: number;
  #capacity = 0;

  private constructor(exports: KernelExports, dimensions: number) {
    this.#exports = exports;
    this.#dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / 16) * 16;
  }

  /** Undefined where the kernel cannot run. */
  static create(dimensions: number): ScanKernel | undefined {
    const module = compile();
    if (module === undefined) return undefined;
    const kernel = new ScanKernel(new WebAssembly.Instance(module).exports as unknown as KernelExports, dimensions);
    return kernel.reserve(64) ? kernel : undefined;
  }

  // Layout: query | rows | scales | out.
  get #rowsAt(): number {
    return this.#stride;
  }

  get #scalesAt(): number {
    return this.#rowsAt + this.#capacity * this.#stride;
  }

  get #outAt(): number {
    return this.#scalesAt + this.#capacity * 4;
  }

  /** Room for `count` rows; false when memory cannot grow that far. Rows stay. */
  reserve(count: number): boolean {
    if (count <= this.#capacity) return true;
    const capacity = Math.ceil(Math.max(count, this.#capacity * 1.5) / 4) * 4;
    const bytes = this.#stride + capacity * (this.#stride + 8);
    const pages = Math.ceil(bytes / PAGE);
    const memory = this.#exports.memory;
    const held = memory.buffer.byteLength / PAGE;
    if (pages > MAX_PAGES) return false;
    if (pages > held) {
      try {
        memory.grow(pages - held);
      } catch {
        // The machine has no more memory for it: the caller goes on without the kernel.
        return false;
      }
    }
    const scales = new Float32Array(memory.buffer.slice(this.#scalesAt, this.#scalesAt + this.#capacity * 4));
    this.#capacity = capacity;
    new Float32Array(memory.buffer, this.#scalesAt, scales.length).set(scales);
    return true;
  }

  setRow(slot: number, vector: Float32Array): void {
    const { buffer } = this.#exports.memory;
    const row = new Int8Array(buffer, this.#rowsAt + slot * this.#stride, this.#dimensions);
    new Float32Array(buffer, this.#scalesAt, this.#capacity)[slot] = quantize(vector, row);
  }

  moveRow(from: number, to: number): void {
    const { buffer } = this.#exports.memory;
    new Uint8Array(buffer).copyWithin(this.#rowsAt + to * this.#stride, this.#rowsAt + from * this.#stride, this.#rowsAt + (from + 1) * this.#stride);
    const scales = new Float32Array(buffer, this.#scalesAt, this.#capacity);
    scales[to] = scales[from] ?? 0;
  }

  /** Approximate cosines of the first `count` rows; a view that the next call overwrites. */
  scan(query: Float32Array, count: number): Float32Array {
    const { memory, scan } = this.#exports;
    const scale = quantize(query, new Int8Array(memory.buffer, 0, this.#dimensions));
    scan(0, this.#rowsAt, this.#scalesAt, this.#outAt, count, this.#stride);
    const out = new Float32Array(memory.buffer, this.#outAt, count);
    for (let i = 0; i < count; i += 1) out[i] = (out[i] ?? 0) * scale;
    return out;
  }
}
