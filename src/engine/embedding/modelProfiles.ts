/**
 * How well-known sentence encoders want to be used: prefixes, pooling, dimensions, length.
 * A wrong prefix or pooling gives vectors that look fine and find the wrong things, so these
 * are data, in one table, for every embedder that takes a model by name.
 */
export interface ModelProfile {
  /** Lower-case name without its owner. */
  readonly name: string;
  /** Where ONNX files of it lie on the hub. */
  readonly hubId: string;
  readonly dimensions: number;
  /** Longest input that is used; longer ones bring nothing for one statement and cost quadratically. */
  readonly maxTokens: number;
  readonly pooling: 'mean' | 'cls';
  readonly prefixes: { readonly query: string; readonly passage: string };
}

const NONE = { query: '', passage: '' };

export const MODEL_PROFILES: readonly ModelProfile[] = [
  { name: 'multilingual-e5-small', hubId: 'Xenova/multilingual-e5-small', dimensions: 384, maxTokens: 512, pooling: 'mean', prefixes: { query: 'query: ', passage: 'passage: ' } },
  { name: 'all-minilm-l6-v2', hubId: 'Xenova/all-MiniLM-L6-v2', dimensions: 384, maxTokens: 256, pooling: 'mean', prefixes: NONE },
  { name: 'bge-small-zh-v1.5', hubId: 'Xenova/bge-small-zh-v1.5', dimensions: 512, maxTokens: 512, pooling: 'cls', prefixes: { query: '为这个句子生成表示以用于检索相关文章：', passage: '' } },
  { name: 'bge-small-en-v1.5', hubId: 'Xenova/bge-small-en-v1.5', dimensions: 384, maxTokens: 512, pooling: 'cls', prefixes: { query: 'Represent this sentence for searching relevant passages: ', passage: '' } },
  { name: 'nomic-embed-text-v1.5', hubId: 'nomic-ai/nomic-embed-text-v1.5', dimensions: 768, maxTokens: 512, pooling: 'mean', prefixes: { query: 'search_query: ', passage: 'search_document: ' } },
  { name: 'bge-m3', hubId: 'Xenova/bge-m3', dimensions: 1024, maxTokens: 512, pooling: 'cls', prefixes: NONE },
];

/** The profile of a model's id or file name; undefined for a model that is not in the table. */
export function profileOf(model: string): ModelProfile | undefined {
  const name = model.split(/[/\\]/).filter((part) => part !== '').at(-1)?.toLowerCase().replace(/:latest$/, '');
  return MODEL_PROFILES.find((profile) => profile.name === name);
}
