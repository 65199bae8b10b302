"""Reads a .safetensors file into float32 arrays without torch."""
import json
import struct

import numpy as np

DTYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64}


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (header_size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + header_size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = (8 + header_size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[start:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors
