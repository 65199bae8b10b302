"""What every bundled model folder holds beside the weights: manifest, checksums, pinned vectors."""
import hashlib
import json
import os

import numpy as np
import onnx
import onnxruntime


def sha256_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=2)
        file.write("\n")


def write_manifest(folder, manifest, files):
    """model.json: everything the program must know, with size and SHA-256 of each file."""
    entries = {name: {"sizeBytes": os.path.getsize(f"{folder}/{name}"), "sha256": sha256_of(f"{folder}/{name}")} for name in files}
    write_json(f"{folder}/model.json", {**manifest, "files": entries})


def save_model(model, path):
    """Graph in `path`, weights in `path`_data: a runtime maps that file, so of a table of words only the rows in use take memory."""
    data = f"{path}_data"
    if os.path.exists(data):
        os.remove(data)  # onnx appends
    onnx.save_model(model, path, save_as_external_data=True, location=os.path.basename(data), size_threshold=4096)
    os.chmod(data, 0o644)


def open_encoder(path):
    """token ids -> mean-pooled unit vector, through onnxruntime on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def encode(token_ids):
        ids = np.array([token_ids], np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        names = {entry.name for entry in session.get_inputs()}
        hidden = session.run(None, {name: value for name, value in feeds.items() if name in names})[0][0]
        pooled = hidden.mean(0)
        return pooled / np.linalg.norm(pooled)

    return encode


def compare(name, left, right):
    cosines = [float(np.dot(a, b)) for a, b in zip(left, right)]
    print(f"{name}: {len(cosines)} texts, cosine min {min(cosines):.5f}, mean {np.mean(cosines):.5f}")
    return min(cosines)
