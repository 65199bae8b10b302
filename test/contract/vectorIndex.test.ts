/** Every VectorIndex implementation against the one contract. */
import { createExactIndex } from '../../src/engine/vectorIndex/exact/exactIndex.ts';
import { createHnswIndex } from '../../src/engine/vectorIndex/hnsw/hnswIndex.ts';
import { vectorIndexContract } from './vectorIndex.contract.ts';

vectorIndexContract('exact, WebAssembly kernel', createExactIndex);
vectorIndexContract('exact, plain typed arrays', (options) => createExactIndex({ ...options, kernel: false }));
vectorIndexContract('hnsw', createHnswIndex);
