#!/usr/bin/env python3
"""python_loss.py [PROGRAM] - GJS and CE of jensen.torch on the CPU, beside PyTorch's own: forward and
backward, microseconds, median of rounds taken in turn, of one thread and of two. With the path of the
program, the time that `jensen bench loss` needs for arrays of the same shape is taken in the same rounds.
What a call in Python adds to it stands beside an autograd.Function that computes nothing: one whose
gradient is not written, and one that fills it. Needs the package, and a C++ compiler for torch.compile.
python_loss_gpu.py is the same on a GPU."""
import argparse
import json
import math
import statistics
import subprocess
import time

import torch
import torch.nn.functional as F

import jensen
import jensen.torch

SHAPES = (128, 10), (1024, 1000), (65536, 10)
SPECS = {"gjs": "gjs:pi1=0.5", "ce": "ce"}
TURN = 0.02  # seconds that a step has in a round; one call at least


def reference(z, y, pi1=0.5):
    """GJS of two views as a user writes it."""
    t = F.one_hot(y, z.shape[-1]).to(z.dtype)
    p = torch.softmax(z, -1)
    rest = (1 - pi1) / len(z)
    mixture = (pi1 * t + rest * p.sum(0)).clamp(1e-7, 1).log()
    terms = pi1 * F.kl_div(mixture, t, reduction="none").sum(-1)
    for view in p:
        terms = terms + rest * F.kl_div(mixture, view, reduction="none").sum(-1)
    return terms.mean() / (-(1 - pi1) * math.log(1 - pi1))


class Empty(torch.autograd.Function):
    """A gradient that is allocated and not written; or filled, as new memory has to be taken into use."""

    @staticmethod
    def forward(ctx, z, filled):
        ctx.save_for_backward(z)
        ctx.filled = filled
        return z.new_empty(())

    @staticmethod
    def backward(ctx, above):
        z, = ctx.saved_tensors
        return torch.zeros_like(z) if ctx.filled else torch.empty_like(z), None


def steps_of(samples, classes, device):
    """What is compared, by name, each forward and backward, after a look at the values and gradients."""
    z = torch.randn(2, samples, classes, device=device, requires_grad=True)
    one = z[0].detach().clone().requires_grad_()
    y = torch.randint(0, classes, (samples,), device=device)
    torch._dynamo.reset()  # compiled for this shape and this number of threads, not for any
    functions = {"gjs": (jensen.torch.Loss(SPECS["gjs"]), z, y), "eager": (reference, z, y),
                 "compiled": (torch.compile(reference, dynamic=False), z, y),
                 "ce": (jensen.torch.Loss(SPECS["ce"]), one, y), "F.cross_entropy": (F.cross_entropy, one, y),
                 "empty": (Empty.apply, z, False), "filled": (Empty.apply, z, True),
                 "filled, 1 view": (Empty.apply, one, True)}

    def step_of(f, logits, *rest):
        def step():
            logits.grad = None
            value = f(logits, *rest)
            value.backward()
            return value
        return step

    steps = {name: step_of(*function) for name, function in functions.items()}
    for ours, theirs in (("gjs", "eager"), ("gjs", "compiled"), ("ce", "F.cross_entropy")):
        values, gradients = [], []
        for name in (ours, theirs):
            values.append(steps[name]().item())
            gradients.append(samples * functions[name][1].grad)
        assert abs(values[0] - values[1]) < 1e-4, f"{ours} and {theirs} have different values"
        assert (gradients[0] - gradients[1]).abs().max().item() < 1e-4, f"{ours} and {theirs} have different gradients"
    return steps


def timed(step, calls, wait):
    """Microseconds of a call, after one that is not counted: what ran before has left its own data in the
    caches. `wait` is for what the calls have only started."""
    step()
    wait()
    start = time.perf_counter()
    for _ in range(calls):
        step()
    wait()
    return (time.perf_counter() - start) / calls * 1e6


def in_turn(measures, rounds):
    """By name, the median of what each measure says, in rounds of one each."""
    found = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            found[name].append(measure())
    return {name: statistics.median(values) for name, values in found.items()}


def measure_of(step, wait=lambda: None, turn=TURN):
    timed(step, 4, wait)
    calls = max(1, round(turn * 1e6 / timed(step, 3, wait)))
    return lambda: timed(step, calls, wait)


def program_measure(program, spec, samples, classes, threads):
    """Microseconds that the program says it needs."""
    command = [program, "bench", "loss", "--loss", spec, "--batch", str(samples), "--classes", str(classes),
               "--threads", str(threads), "--seconds", str(TURN), "--json"]

    def measure():
        row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        assert (row["samples"], row["classes"], row["threads"]) == (samples, classes, threads)
        return row["median_seconds"] * 1e6
    return measure


def line(medians):
    return "  ".join(f"{name} {microseconds:.1f}" for name, microseconds in medians.items())


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program", nargs="?", help="of jensen, for its own time")
    options.add_argument("--rounds", type=int, default=25)
    options = options.parse_args()
    print(f"PyTorch {torch.__version__}, jensen {jensen.__version__}; us a call, forward and backward, "
          f"median of {options.rounds} rounds")
    for threads in (1, 2):
        torch.set_num_threads(threads)
        torch._inductor.config.cpp.threads = threads  # else code of another number may come out of the cache
        jensen.set_threads(threads)
        for samples, classes in SHAPES:
            measures = {name: measure_of(step) for name, step in steps_of(samples, classes, "cpu").items()}
            if options.program:
                measures.update({f"program {name}": program_measure(options.program, spec, samples, classes, threads)
                                 for name, spec in SPECS.items()})
            us = in_turn(measures, options.rounds)
            print(f"{threads} thread{'s' * (threads > 1)}, {samples:6d} x {classes:4d}  {line(us)}")
            beside = [f"eager / gjs {us['eager'] / us['gjs']:.2f}", f"compiled / gjs {us['compiled'] / us['gjs']:.2f}",
                      f"F.cross_entropy / ce {us['F.cross_entropy'] / us['ce']:.2f}"]
            if options.program:
                for name, filled in (("gjs", "filled"), ("ce", "filled, 1 view")):
                    own = us[f"program {name}"]
                    beside.append(f"{name} / program {us[name] / own:.2f}, {us[name] - own:.1f} us more "
                                  f"(empty {us['empty']:.1f}, filled {us[filled]:.1f})")
            print("    " + "; ".join(beside), flush=True)


if __name__ == "__main__":
    main()
