/** The hashing embedder, alone and behind the cache, under the Embedder contract. */
import { createCachedEmbedder } from '../../src/engine/embedding/cachedEmbedder.ts';
import { createHashingEmbedder } from '../../src/engine/embedding/hashing/hashingEmbedder.ts';
import { describeEmbedder } from './embedder.contract.ts';

describeEmbedder({ name: 'The hashing embedder', open: async () => createHashingEmbedder(), supports: { meaning: false } });
describeEmbedder({ name: 'The cached embedder', open: async () => createCachedEmbedder(createHashingEmbedder(), { capacity: 10 }), supports: { meaning: false } });
