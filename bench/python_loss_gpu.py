#!/usr/bin/env python3
"""python_loss_gpu.py - what python_loss.py compares, on a GPU: GJS and CE of jensen.torch beside
PyTorch's own, forward and backward, microseconds, median of rounds taken in turn. Needs the package
and a GPU."""
import torch

from python_loss import SHAPES, in_turn, line, measure_of, steps_of


def rounds():
    """By shape, the median microseconds of each step; printed as they come."""
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; us a call, forward and backward")
    for samples, classes in (*SHAPES, (65536, 1000)):
        measures = {name: measure_of(step, torch.cuda.synchronize)
                    for name, step in steps_of(samples, classes, "cuda").items()}
        us = in_turn(measures, 7)
        print(f"{samples:6d} x {classes:4d}  {line(us)}", flush=True)
        yield (samples, classes), us


if __name__ == "__main__":
    for _ in rounds():
        pass
