#!/usr/bin/env python3
"""The same as losses.c from Python, with nothing but ctypes."""
import ctypes as c
import os


def load():
    """$JENSEN_LIBRARY, else the installed library, else the one that `make` built."""
    tree = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    named = os.environ.get("JENSEN_LIBRARY")
    for path in [named] if named else ["libjensen.so.0", f"{tree}/build/release/libjensen.so"]:
        try:
            return c.CDLL(path)
        except OSError as error:
            problem = error
    raise SystemExit(f"{problem}\n'make' builds the library, 'make install' installs it, "
                     "JENSEN_LIBRARY names it")


lib = load()
lib.jsn_last_error.restype = c.c_char_p


class Batch(c.Structure):
    _fields_ = [("samples", c.c_size_t), ("type", c.c_int), ("logits", c.c_void_p),
                ("labels", c.c_void_p), ("targets", c.c_void_p), ("class_weights", c.c_void_p),
                ("sample_weights", c.c_void_p), ("other", c.c_void_p), ("use_other", c.c_void_p)]


class Result(c.Structure):
    _fields_ = [("mean", c.c_double), ("per_sample", c.c_void_p), ("grad", c.c_void_p)]


logits = (c.c_float * 12)(2, .5, -1, .1, .2, .3, 1.5, 0, -.5, .4, -.2, 0)  # [2][2][3]
labels = (c.c_int32 * 2)(0, 2)
loss, batch, result = c.c_void_p(), Batch(), Result()
if lib.jsn_loss_create(c.byref(loss), b"gjs:pi1=0.5", c.c_size_t(3), c.c_size_t(2)) != 0:
    raise SystemExit(lib.jsn_last_error().decode())
lib.jsn_loss_batch_init(c.byref(batch))
batch.samples, batch.logits, batch.labels = 2, c.addressof(logits), c.addressof(labels)
if lib.jsn_loss_eval(loss, c.byref(batch), c.byref(result)) != 0:
    raise SystemExit(lib.jsn_last_error().decode())
print(f"mean {result.mean:.7f}")
lib.jsn_loss_destroy(loss)
