#!/usr/bin/env python3
"""Writes the .npy fixtures with NumPy (1.24): every type, both byte orders, both memory
orders, ranks 0 to 3, header versions 1 to 3. Element i of each, in C order, is
(i * 7 - 5) converted to the type (for bool: i % 3 == 0; for unsigned: i * 7)."""
import os
import sys

import numpy as np
from numpy.lib import format as npy

out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))


def values(shape, dtype):
    i = np.arange(int(np.prod(shape)))
    if dtype == "bool":
        return (i % 3 == 0).reshape(shape)
    base = i * 7 if dtype.startswith("u") else i * 7 - 5
    return base.astype(dtype).reshape(shape)


def save(name, array, version=(1, 0)):
    with open(os.path.join(out, name), "wb") as f:
        npy.write_array(f, array, version=version)


for dtype in ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 "
              "float16 float32 float64").split():
    save(f"{dtype}.npy", values((3, 4), dtype))
for dtype in ("int16", "int64", "float32", "float64"):
    a = values((2, 3, 4), dtype)
    save(f"{dtype}_big.npy", a.astype(a.dtype.newbyteorder(">")))
save("fortran.npy", np.asfortranarray(values((2, 3, 4), "int32")))
save("fortran_big.npy", np.asfortranarray(values((2, 3, 4), "float64").astype(">f8")))
save("scalar.npy", np.array(-5, dtype="int64"))
save("vector.npy", values((5,), "float32"))
save("empty.npy", values((0, 4), "float32"))
save("version2.npy", values((3, 4), "float32"), (2, 0))
save("version3.npy", values((3, 4), "float32"), (3, 0))
# Types that must be refused.
save("complex.npy", np.zeros(2, dtype="complex64"))
save("record.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
save("text.npy", np.array(["a", "bc"]))
