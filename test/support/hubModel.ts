/**
 * A model in the layout of the Hugging Face hub, made from one that ships: the same weights and vocabulary under the
 * file names that `@huggingface/transformers` looks for. And that package itself, fetched once by the product's own
 * installing code into `.cache/transformers`.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory, withLock } from '../../scripts/installing.mjs';
import { importTransformersPackage } from '../../src/runtime/transformersPackage.ts';
import { repositoryDirectory } from './program.ts';
import { writeFiles } from './temporaryFolder.ts';

export const SHIPPED_MODEL = path.join(repositoryDirectory, 'media/models/all-minilm-l6-v2');
/** What stands for `CAIRN_HOME/packages`. */
export const PACKAGES = path.join(cacheDirectory, 'transformers');

/** The real package; undefined where it is not here and the registry cannot be reached. */
export async function findTransformers(): Promise<(() => Promise<unknown>) | undefined> {
  const options = { folder: PACKAGES, env: process.env, log: () => undefined };
  try {
    await withLock(`${PACKAGES}.lock`, async () => importTransformersPackage(options));
  } catch (error) {
    if (await canReachRegistry()) throw error;
    return undefined;
  }
  return async () => importTransformersPackage(options);
}

async function canReachRegistry(): Promise<boolean> {
  try {
    await promisify(execFile)('npm', ['ping', '--fetch-retries=0'], { shell: process.platform === 'win32' });
    return true;
  } catch {
    return false; // whatever the reason: npm itself gets no answer
  }
}

/** Writes `PARENT/NAME` and returns it. */
export function makeHubModel(parent: string, name: string): string {
  const pieces = fs.readFileSync(path.join(SHIPPED_MODEL, 'vocab.txt'), 'utf8').replace(/\n$/, '').split('\n');
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((content) => ({ id: pieces.indexOf(content), content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }));
  const framed = (pieceName: string): object => ({ SpecialToken: { id: pieceName, type_id: 0 } });
  const idOf = (content: string): object => ({ id: content, ids: [pieces.indexOf(content)], tokens: [content] });
  const folder = path.join(parent, name);
  writeFiles(folder, {
    // As the hub says it of a model whose weights lie beside it.
    'config.json': { ...(JSON.parse(fs.readFileSync(path.join(SHIPPED_MODEL, 'config.json'), 'utf8')) as object), 'transformers.js_config': { use_external_data_format: { 'model_quantized.onnx': 1 } } },
    'tokenizer_config.json': { tokenizer_class: 'BertTokenizer', do_lower_case: true, model_max_length: 512, cls_token: '[CLS]', sep_token: '[SEP]', pad_token: '[PAD]', unk_token: '[UNK]', mask_token: '[MASK]' },
    'tokenizer.json': {
      version: '1.0', truncation: null, padding: null, added_tokens: special,
      normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: {
        type: 'TemplateProcessing', single: [framed('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, framed('[SEP]')], pair: [],
        special_tokens: { '[CLS]': idOf('[CLS]'), '[SEP]': idOf('[SEP]') },
      },
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
      model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])) },
    },
  });
  fs.cpSync(path.join(SHIPPED_MODEL, 'onnx'), path.join(folder, 'onnx'), { recursive: true });
  return folder;
}
