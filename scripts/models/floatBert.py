"""The BERT encoder in plain numpy: the yardstick for every converted model. Slow and exact."""
import math

import numpy as np

def _erf(x):
    """The error function from a table of exact values, off by less than 1e-10; calling math.erf for each is slow."""
    return np.interp(x, _GRID, _GRID_VALUES)


_GRID = np.linspace(-6, 6, 1_200_001)
_GRID_VALUES = np.array([math.erf(value) for value in _GRID])


def encode(tensors, token_ids, layers, heads, epsilon=1e-12, observe=None):
    """Mean-pooled, unit-length sentence vector of one tokenised text."""
    width = tensors["embeddings.position_embeddings.weight"].shape[1]
    count, head_width = len(token_ids), width // heads

    def norm(x, prefix):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) / np.sqrt(variance + epsilon) * tensors[f"{prefix}.weight"] + tensors[f"{prefix}.bias"]

    def dense(x, prefix):
        if observe is not None:
            observe(prefix, x)
        return x @ tensors[f"{prefix}.weight"].T + tensors[f"{prefix}.bias"]

    hidden = tensors["embeddings.word_embeddings.weight"][token_ids]
    hidden = hidden + tensors["embeddings.position_embeddings.weight"][:count] + tensors["embeddings.token_type_embeddings.weight"][0]
    hidden = norm(hidden, "embeddings.LayerNorm")
    for layer in range(layers):
        prefix = f"encoder.layer.{layer}."
        query, key, value = (
            dense(hidden, f"{prefix}attention.self.{part}").reshape(count, heads, head_width).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(head_width)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        context = (weights @ value).transpose(1, 0, 2).reshape(count, width)
        hidden = norm(dense(context, f"{prefix}attention.output.dense") + hidden, f"{prefix}attention.output.LayerNorm")
        inner = dense(hidden, f"{prefix}intermediate.dense")
        inner = inner * 0.5 * (1 + _erf(inner / math.sqrt(2)))
        hidden = norm(dense(inner, f"{prefix}output.dense") + hidden, f"{prefix}output.LayerNorm")
    pooled = hidden.mean(0)
    return (pooled / np.linalg.norm(pooled)).astype(np.float32)


def encode_all(tensors, all_token_ids, layers, heads):
    """Vectors of all texts, and per linear layer the largest absolute input of each channel."""
    largest = {}

    def observe(name, x):
        peak = np.abs(x).max(0)
        largest[name] = np.maximum(largest.get(name, 0), peak)

    vectors = [encode(tensors, ids, layers, heads, observe=observe) for ids in all_token_ids]
    return vectors, largest
