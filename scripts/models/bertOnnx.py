"""Writes a BERT sentence encoder as an ONNX graph whose large matrices are 8-bit.

Why not the usual dynamic quantisation: its activation scale is one number for the
whole batch, so the vector of a text would depend on the texts beside it, and on
processors without VNNI its u8 x s8 products saturate, so that machines disagree.
Here every token row has its own scale, weights stay within -76..76 and activations
within 0..212, so that no intermediate sum can saturate (212 * 76 * 2 < 32768): equal
results everywhere. Measured on checkTexts.json, mean cosine to the float model:
64 and 255 .9970, 76 and 212 .9976, 90 and 180 .9974, 100 and 160 .9972; the usual
per-tensor form .9901. Channels that are far larger than others are evened out between
activations and weights first (SmoothQuant, arXiv 2211.10438, alpha one half).
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from modelFolder import save_model

WEIGHT_RANGE = 76
ACTIVATION_RANGE = 212
GELU_MINIMUM = np.float32(0.17)  # GELU is never below -0.16998
MICROSOFT = "com.microsoft"


class Graph:
    """Nodes and initialisers under construction; every method returns value names."""

    def __init__(self):
        self.nodes, self.initializers, self.constants, self.count = [], [], {}, 0

    def name(self, prefix):
        self.count += 1
        return f"{prefix}_{self.count}"

    def weight(self, array):
        name = self.name("w")
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def constant(self, value, dtype):
        key = (np.dtype(dtype).name, np.ndim(value), tuple(np.ravel(value).tolist()))
        if key not in self.constants:
            self.constants[key] = self.weight(np.array(value, dtype))
        return self.constants[key]

    def ints(self, value):
        return self.constant(value, np.int64)

    def float(self, value):
        return self.constant(value, np.float32)

    def op(self, kind, inputs, outputs=1, domain="", **attributes):
        names = [self.name(kind.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, domain=domain, **attributes))
        return names[0] if outputs == 1 else names


def quantize_rows(matrix, limit):
    """Symmetric, one scale per row: int8 values within +-limit and float32 scales."""
    scales = np.maximum(np.abs(matrix).max(1), 1e-8) / limit
    values = np.clip(np.round(matrix / scales[:, None]), -limit, limit).astype(np.int8)
    return values, scales.astype(np.float32)


def smoothing_of(weight, largest):
    """What to divide each input channel by, given the largest activation seen there."""
    balance = np.sqrt(np.maximum(largest, 1e-3) / np.maximum(np.abs(weight).max(0), 1e-4))
    return balance.astype(np.float32)


def linear(g, x, weight, bias, after_gelu=False, largest=None):
    """x @ weight.T + bias with 8-bit activations per token row; weight is [out, in]."""
    if largest is not None and not after_gelu:
        balance = smoothing_of(weight, largest)
        x = g.op("Mul", [x, g.weight(1 / balance)])
        weight = weight * balance
    values, scales = quantize_rows(weight, WEIGHT_RANGE)
    # x is kept as lowest + step * q with q in 0..212, so a row with a one-sided
    # outlier keeps its resolution; the lowest value's share of the product is
    # lowest * (sum of the column) and is added afterwards.
    column_sums = (values.astype(np.float32) * scales[:, None]).sum(1).astype(np.float32)
    bias = bias.astype(np.float32)
    if after_gelu:
        # Known lowest value: its share is a constant and moves into the bias.
        above = g.op("Add", [x, g.float(GELU_MINIMUM)])
        highest = g.op("ReduceMax", [above, g.ints([-1])], keepdims=1)
        offset = g.weight(bias - GELU_MINIMUM * column_sums)
    else:
        lowest = g.op("ReduceMin", [x, g.ints([-1])], keepdims=1)
        above = g.op("Sub", [x, lowest])
        highest = g.op("Sub", [g.op("ReduceMax", [x, g.ints([-1])], keepdims=1), lowest])
        offset = g.op("Add", [g.op("Mul", [lowest, g.weight(column_sums)]), g.weight(bias)])
    step = g.op("Mul", [g.op("Max", [highest, g.float(1e-8)]), g.float(1 / ACTIVATION_RANGE)])
    quantized = g.op("Cast", [g.op("Round", [g.op("Div", [above, step])])], to=TensorProto.UINT8)
    product = g.op(
        "MatMulIntegerToFloat",
        [quantized, g.weight(values.T), g.float(1.0), g.weight(scales)],
        domain=MICROSOFT,
    )
    return g.op("Add", [g.op("Mul", [product, step]), offset])


def embed_words(g, table, ids):
    values, scales = quantize_rows(table, 127)
    rows = g.op("Cast", [g.op("Gather", [g.weight(values), ids], axis=0)], to=TensorProto.FLOAT)
    return g.op("Mul", [rows, g.op("Gather", [g.weight(scales[:, None]), ids], axis=0)])


def write_bert(tensors, layers, heads, path, largest=None, epsilon=1e-12, max_positions=512):
    """tensors: float32 arrays under the names of the Hugging Face BertModel.

    largest: per linear layer the largest absolute activation of each input channel
    (from floatBert.encode_all).
    """
    largest = largest or {}
    g = Graph()
    width = tensors["embeddings.position_embeddings.weight"].shape[1]
    head_width = width // heads

    def norm(x, prefix):
        weight, bias = (g.weight(tensors[f"{prefix}.{part}"].astype(np.float32)) for part in ("weight", "bias"))
        return g.op("LayerNormalization", [x, weight, bias], axis=-1, epsilon=epsilon)

    length = g.op("Slice", [g.op("Shape", ["input_ids"]), g.ints([1]), g.ints([2])])
    positions_table = tensors["embeddings.position_embeddings.weight"][:max_positions].astype(np.float32)
    positions = g.op("Slice", [g.weight(positions_table), g.ints([0]), length, g.ints([0])])
    types = g.op("Gather", [g.weight(tensors["embeddings.token_type_embeddings.weight"].astype(np.float32)), "token_type_ids"], axis=0)
    words = embed_words(g, tensors["embeddings.word_embeddings.weight"], "input_ids")
    hidden = norm(g.op("Add", [g.op("Add", [words, types]), positions]), "embeddings.LayerNorm")

    mask = g.op("Unsqueeze", [g.op("Cast", ["attention_mask"], to=TensorProto.FLOAT), g.ints([1, 2])])
    mask_bias = g.op("Mul", [g.op("Sub", [g.float(1.0), mask]), g.float(-1e9)])
    split_heads = g.ints([0, 0, heads, head_width])

    def heads_of(x, order):
        return g.op("Transpose", [g.op("Reshape", [x, split_heads])], perm=order)

    for layer in range(layers):
        prefix = f"encoder.layer.{layer}."
        # Query, key and value share their input: one product, quantised once.
        parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
        joined = linear(
            g,
            hidden,
            np.concatenate([tensors[f"{part}.weight"] for part in parts]),
            np.concatenate([tensors[f"{part}.bias"] for part in parts]),
            largest=largest.get(parts[0]),
        )
        query, key, value = g.op("Split", [joined], 3, axis=2, num_outputs=3)
        scores = g.op("MatMul", [heads_of(query, [0, 2, 1, 3]), heads_of(key, [0, 2, 3, 1])])
        scores = g.op("Add", [g.op("Mul", [scores, g.float(head_width**-0.5)]), mask_bias])
        context = g.op("MatMul", [g.op("Softmax", [scores], axis=-1), heads_of(value, [0, 2, 1, 3])])
        context = g.op("Reshape", [g.op("Transpose", [context], perm=[0, 2, 1, 3]), g.ints([0, 0, width])])

        def dense(x, part, after_gelu=False):
            name = prefix + part
            return linear(g, x, tensors[f"{name}.weight"], tensors[f"{name}.bias"], after_gelu, largest.get(name))

        hidden = norm(g.op("Add", [dense(context, "attention.output.dense"), hidden]), f"{prefix}attention.output.LayerNorm")
        inner = g.op("Gelu", [dense(hidden, "intermediate.dense")], domain=MICROSOFT)
        hidden = norm(g.op("Add", [dense(inner, "output.dense", after_gelu=True), hidden]), f"{prefix}output.LayerNorm")

    g.nodes.append(helper.make_node("Identity", [hidden], ["last_hidden_state"]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", width])]
    graph = helper.make_graph(g.nodes, "bert", inputs, outputs, g.initializers)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="cairn")
    model.ir_version = 9
    save_model(model, path)
