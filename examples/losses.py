#!/usr/bin/env python3
"""The same as losses.c from Python, with nothing but ctypes: the generalised Jensen-Shannon loss
of a tiny batch. Prints the mean loss, the loss of each sample and the gradient with respect to the
logits.

    python3 examples/losses.py
"""
import ctypes as c
import os


def load():
    """$JENSEN_LIBRARY, else the one that `make` built here, else the installed library."""
    tree = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    named = os.environ.get("JENSEN_LIBRARY")
    for path in [named] if named else [f"{tree}/build/release/libjensen.so", "libjensen.so.1"]:
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
                ("sample_weights", c.c_void_p), ("divisor", c.c_double), ("other", c.c_void_p), ("use_other", c.c_void_p)]


class Result(c.Structure):
    _fields_ = [("mean", c.c_double), ("per_sample", c.c_void_p), ("grad", c.c_void_p)]


VIEWS, SAMPLES, CLASSES = 2, 2, 3
logits = (c.c_float * 12)(2, .5, -1, .1, .2, .3, 1.5, 0, -.5, .4, -.2, 0)  # [views][samples][classes]
labels = (c.c_int32 * SAMPLES)(0, 2)
values = (c.c_double * SAMPLES)()
gradient = (c.c_float * 12)()  # as logits
loss, batch, result = c.c_void_p(), Batch(), Result()
if lib.jsn_loss_create(c.byref(loss), b"gjs:pi1=0.5", c.c_size_t(CLASSES), c.c_size_t(VIEWS)) != 0:
    raise SystemExit(lib.jsn_last_error().decode())
lib.jsn_loss_batch_init(c.byref(batch))
batch.samples, batch.logits, batch.labels = SAMPLES, c.addressof(logits), c.addressof(labels)
result.per_sample, result.grad = c.addressof(values), c.addressof(gradient)
if lib.jsn_loss_eval(loss, c.byref(batch), c.byref(result)) != 0:
    raise SystemExit(lib.jsn_last_error().decode())
print(f"mean {result.mean:.7f}")
for i, value in enumerate(values):
    of_view_0 = " ".join(f"{g:+.6f}" for g in gradient[i * CLASSES:(i + 1) * CLASSES])
    print(f"sample {i}: loss {value:.7f}, gradient of view 0: {of_view_0}")
lib.jsn_loss_destroy(loss)
