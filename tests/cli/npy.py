#!/usr/bin/env python3
"""npy.py FILE [VIEWS] ROWS COLUMNS - numbers from standard input as a float32 .npy file; tests have no NumPy."""
import array
import math
import sys

path, shape = sys.argv[1], tuple(map(int, sys.argv[2:]))
values = array.array("f", map(float, sys.stdin.read().split()))
assert len(values) == math.prod(shape), len(values)
head = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)
head = head.ljust(117) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + values.tobytes())
