"""Reads the vocabulary of a SentencePiece .model file: (text, log probability) by id. Only what is needed of its protobuf."""
import struct


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            return value, at


def _fields(data, at, end):
    """(number, value) of each field between two offsets; bytes for messages and texts."""
    while at < end:
        key, at = _varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = _varint(data, at)
        elif wire == 2:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            size = {1: 8, 5: 4}[wire]
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def read_pieces(path):
    with open(path, "rb") as file:
        data = file.read()
    pieces = []
    for number, value in _fields(data, 0, len(data)):
        if number == 1:
            piece = dict(_fields(value, 0, len(value)))
            pieces.append((piece[1].decode(), struct.unpack("<f", piece[2])[0] if 2 in piece else 0.0))
    return pieces
