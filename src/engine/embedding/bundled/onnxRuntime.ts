/**
 * The inference runtime: native where it loads, WebAssembly elsewhere. Nothing is imported
 * before a model is opened, so that a process that never embeds pays nothing.
 *
 * The native one is 10 to 20 times as fast per text and takes a quarter of the memory; it has
 * no binary for Intel Macs and musl, where WebAssembly serves.
 */
import { CairnError } from '../../../base/errors.ts';

export type RuntimeKind = 'native' | 'wasm';

/** What of onnxruntime-node and onnxruntime-web is used here; both packages have this shape. */
export interface OnnxRuntime {
  readonly InferenceSession: { create(model: string | Uint8Array, options: Readonly<Record<string, unknown>>): Promise<OnnxSession> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => OnnxTensor;
  readonly env: { wasm?: { numThreads?: number }; logLevel?: string };
}

export interface OnnxTensor {
  readonly data: ArrayLike<number>;
  readonly dims: readonly number[];
}

export interface OnnxSession {
  readonly inputNames: readonly string[];
  run(feeds: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, OnnxTensor>>>;
  release(): Promise<void>;
}

export interface ModelBytes {
  readonly model: Uint8Array;
  /** Weights outside the model, by the names that it has for them. */
  readonly externalData?: readonly { readonly path: string; readonly data: Uint8Array }[];
}

/** Loads the package of that name from wherever the program keeps it. */
export type ImportRuntime = (name: 'onnxruntime-node' | 'onnxruntime-web') => Promise<unknown>;

export interface OpenedSession {
  readonly runtime: OnnxRuntime;
  readonly kind: RuntimeKind;
  readonly session: OnnxSession;
  /** Why the native runtime does not serve, for doctor. */
  readonly nativeFailure: string | undefined;
}

/* The names are literals, so that a bundler keeps both imports as they are. */
const importBeside: ImportRuntime = async (name) => (name === 'onnxruntime-node' ? import('onnxruntime-node') : import('onnxruntime-web'));

/** Opens `modelPath`. `readModel` is asked only by WebAssembly, which takes bytes. Throws EMBEDDING_FAILED when neither runtime can. */
export async function openSession(
  modelPath: string,
  readModel: () => Promise<ModelBytes>,
  options: { importRuntime?: ImportRuntime; runtime?: 'auto' | RuntimeKind; threads?: number },
): Promise<OpenedSession> {
  const importRuntime = options.importRuntime ?? importBeside;
  const wanted = options.runtime ?? 'auto';
  let nativeFailure: string | undefined;
  if (wanted !== 'wasm') {
    try {
      const runtime = asRuntime(await importRuntime('onnxruntime-node'));
      const session = await runtime.InferenceSession.create(modelPath, { executionProviders: ['cpu'], intraOpNumThreads: options.threads ?? 1, interOpNumThreads: 1, executionMode: 'sequential', enableCpuMemArena: false, enableMemPattern: false, logSeverityLevel: 3 });
      return { runtime, kind: 'native', session, nativeFailure };
    } catch (error) {
      // No binary for this platform, or one that does not fit it: WebAssembly is slower and runs everywhere.
      nativeFailure = messageOf(error);
      if (wanted === 'native') throw new CairnError('EMBEDDING_FAILED', `onnxruntime-node could not open the model: ${nativeFailure}`, { cause: error });
    }
  }
  try {
    const runtime = asRuntime(await importRuntime('onnxruntime-web'));
    if (runtime.env.wasm !== undefined) runtime.env.wasm.numThreads = options.threads ?? 1;
    const { model, ...externalData } = await readModel();
    const session = await runtime.InferenceSession.create(model, { executionProviders: ['wasm'], logSeverityLevel: 3, ...externalData });
    return { runtime, kind: 'wasm', session, nativeFailure };
  } catch (error) {
    const native = nativeFailure === undefined ? '' : ` onnxruntime-node: ${nativeFailure}.`;
    throw new CairnError('EMBEDDING_FAILED', `No inference runtime could open the model.${native} onnxruntime-web: ${messageOf(error)}`, { cause: error });
  }
}

/** Accepts a module and a CommonJS module behind `default`. */
function asRuntime(loaded: unknown): OnnxRuntime {
  for (const candidate of [loaded, (loaded as { default?: unknown } | undefined)?.default]) {
    if (typeof candidate === 'object' && candidate !== null && 'InferenceSession' in candidate && 'Tensor' in candidate) return candidate as OnnxRuntime;
  }
  throw new CairnError('EMBEDDING_FAILED', 'The package that was loaded is no ONNX runtime.');
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
