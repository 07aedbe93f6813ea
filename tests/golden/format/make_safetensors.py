#!/usr/bin/env python3
"""Writes sample.safetensors from the format's description alone (struct and json): one
tensor of each type; element i has the value i + 1 (bool: i % 2). The header is not
padded, so that its end is not aligned."""
import json
import os
import struct
import sys

out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
half = {1: 0x3C00, 2: 0x4000, 3: 0x4200, 4: 0x4400, 5: 0x4500, 6: 0x4600}
brain = {1: 0x3F80, 2: 0x4000, 3: 0x4040, 4: 0x4080, 5: 0x40A0, 6: 0x40C0}
kinds = [("F64", "d"), ("I64", "q"), ("U64", "Q"), ("F32", "f"), ("I32", "i"), ("U32", "I"),
         ("F16", "H"), ("BF16", "H"), ("I16", "h"), ("U16", "H"),
         ("I8", "b"), ("U8", "B"), ("BOOL", "?")]
header, data = {"__metadata__": {"format": "pt", "note": "caf\u00e9"}}, b""
for dtype, code in kinds:
    values = range(1, 7)
    if dtype == "BOOL":
        values = [i % 2 == 1 for i in range(6)]
    elif dtype == "F16":
        values = [half[v] for v in values]
    elif dtype == "BF16":
        values = [brain[v] for v in values]
    piece = struct.pack("<6" + code, *values)
    header["t." + dtype] = {"dtype": dtype, "shape": [2, 3],
                            "data_offsets": [len(data), len(data) + len(piece)]}
    data += piece
header["scalar"] = {"dtype": "U8", "shape": [], "data_offsets": [len(data), len(data) + 1]}
data += b"\x01"
header["empty"] = {"dtype": "F32", "shape": [0, 7], "data_offsets": [0, 0]}
text = json.dumps(header).encode()
while len(text) % 8 != 3:
    text += b" "
with open(os.path.join(out, "sample.safetensors"), "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text + data)
