"""Universal Sentence Encoder, multilingual (Yang et al., 2019, arXiv 1907.04307): its CNN form as ONNX and in float arithmetic.

Token vectors, three convolutions over 2, 3 and 5 neighbouring tokens beside them, a layer norm, the sum over all
tokens divided by the root of their number, four dense layers, a unit vector. `weights`: name -> float array, or for a
matrix (8-bit array, scale, zero point), which is what the packages hold; `table` is the same of the token vectors, with
one scale and zero point per row.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from modelFolder import save_model

# (tokens a convolution sees, how many of them are to the left)
BRANCHES = ((2, 0), (3, 1), (5, 2))


def dense(value):
    """The float array behind one in 8 bits."""
    if not isinstance(value, tuple):
        return value
    steps, scale, zero = value
    return (steps.astype(np.float32) - np.float32(zero)) * np.float32(scale)


def _norm(x, gamma, beta, epsilon):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + epsilon) * gamma + beta


def encode(weights, table, ids):
    """Float reference: ids with the marks for start and end -> unit vector."""
    weights = {name: dense(value) for name, value in weights.items()}
    rows, scale, zero = table
    words = (rows[ids].astype(np.float32) - zero[ids, None]) * scale[ids, None]
    features = [words]
    for size, left in BRANCHES:
        x = _norm(words @ weights[f"proj{size}"] + weights[f"proj_b{size}"], weights[f"ln_g{size}"], weights[f"ln_b{size}"], weights["eps"])
        for layer in ("1", "2"):
            padded = np.concatenate([np.zeros((left, 256)), x, np.zeros((size - 1 - left, 256))])
            seen = np.concatenate([padded[i : i + len(ids)] for i in range(size)], axis=1)
            x = x + np.maximum(seen @ weights[f"w{layer}_{size}"] + weights[f"b{layer}_{size}"], 0)
        features.append(x)
    all_features = _norm(np.concatenate(features, axis=1), weights["ln_g"], weights["ln_b"], weights["eps"])
    pooled = (all_features @ weights["cnn_W"] + weights["cnn_b"]).sum(0) / np.sqrt(len(ids))
    y0 = np.maximum(pooled @ weights["d0"], 0)
    y1 = np.maximum(pooled @ weights["p1"] + y0 @ weights["d1"], 0)
    y2 = np.maximum(y1 @ weights["d2"], 0)
    z = np.tanh(y1 @ weights["p3"] + y2 @ weights["d3"])
    return z / np.linalg.norm(z)


def write_use(weights, table, path):
    """input_ids [1, tokens] -> last_hidden_state [1, 1, 512]: one vector for the whole text, not yet of length 1."""
    nodes, constants = [], []

    def constant(name, value):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def floats(name):
        return constant(name, weights[name].astype(np.float32))

    def matrix(name, arrange=lambda steps: steps):
        """In the 8 bits it came in, turned by `arrange`."""
        steps, scale, zero = weights[name]
        return op("DequantizeLinear", [constant(f"{name}_steps", arrange(steps)), constant(f"{name}_scale", np.float32(scale)), constant(f"{name}_zero", steps.dtype.type(zero))], name)

    rows, scale, zero = table
    one = constant("one", np.array([1], np.int64))
    ids = op("Reshape", ["input_ids", constant("flat", np.array([-1], np.int64))], "ids")
    raw = op("Cast", [op("Gather", [constant("table", rows), ids], "rows")], "rows_float", to=TensorProto.FLOAT)

    def of_rows(name, value):
        return op("Unsqueeze", [op("Gather", [constant(name, value.astype(np.float32)), ids], f"{name}_of"), one], f"{name}_column")

    words = op("Mul", [op("Sub", [raw, of_rows("row_zero", zero)], "steps"), of_rows("row_scale", scale)], "words")

    features = [words]
    for size, left in BRANCHES:
        projected = op("Add", [op("MatMul", [words, matrix(f"proj{size}")], f"within{size}"), floats(f"proj_b{size}")], f"projected{size}")
        x = op("LayerNormalization", [projected, floats(f"ln_g{size}"), floats(f"ln_b{size}")], f"normed{size}", axis=-1, epsilon=float(weights["eps"]))
        for layer in ("1", "2"):
            # [tokens seen x in, out] -> [out, in, tokens seen], what Conv wants.
            kernel = matrix(f"w{layer}_{size}", lambda steps, size=size: steps.reshape(size, 256, 256).transpose(2, 1, 0))
            line = op("Unsqueeze", [op("Transpose", [x], f"t{layer}_{size}", perm=[1, 0]), constant(f"axis{layer}_{size}", np.array([0], np.int64))], f"line{layer}_{size}")
            seen = op("Conv", [line, kernel, floats(f"b{layer}_{size}")], f"conv{layer}_{size}", kernel_shape=[size], pads=[left, size - 1 - left])
            back = op("Transpose", [op("Squeeze", [seen, f"axis{layer}_{size}"], f"flat{layer}_{size}")], f"back{layer}_{size}", perm=[1, 0])
            x = op("Add", [x, op("Relu", [back], f"relu{layer}_{size}")], f"x{layer}_{size}")
        features.append(x)
    joined = op("LayerNormalization", [op("Concat", features, "joined", axis=1), floats("ln_g"), floats("ln_b")], "features", axis=-1, epsilon=float(weights["eps"]))
    tokens = op("Add", [op("MatMul", [joined, matrix("cnn_W")], "c"), floats("cnn_b")], "tokens")
    total = op("ReduceSum", [tokens, constant("first_axis", np.array([0], np.int64))], "total", keepdims=1)
    count = op("Sqrt", [op("Cast", [op("Shape", [ids], "shape")], "count", to=TensorProto.FLOAT)], "root")
    pooled = op("Div", [total, count], "pooled")
    y0 = op("Relu", [op("MatMul", [pooled, matrix("d0")], "m0")], "y0")
    y1 = op("Relu", [op("Add", [op("MatMul", [pooled, matrix("p1")], "m1"), op("MatMul", [y0, matrix("d1")], "m2")], "a1")], "y1")
    y2 = op("Relu", [op("MatMul", [y1, matrix("d2")], "m3")], "y2")
    z = op("Tanh", [op("Add", [op("MatMul", [y1, matrix("p3")], "m4"), op("MatMul", [y2, matrix("d3")], "m5")], "a2")], "z")
    op("Unsqueeze", [z, constant("front", np.array([0], np.int64))], "last_hidden_state")

    graph = helper.make_graph(
        nodes,
        "universal-sentence-encoder-multilingual",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [1, 1, 512])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    save_model(model, path)
