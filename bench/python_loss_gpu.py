#!/usr/bin/env python3
"""python_loss_gpu.py - GJS and CE of jensen.torch on a GPU, beside PyTorch's own: forward and
backward, microseconds, median of rounds taken in turn. Needs the package and a GPU."""
import math
import statistics
import time

import torch
import torch.nn.functional as F

import jensen.torch


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
    @staticmethod
    def forward(ctx, z):
        ctx.shape = z.shape
        return z.new_zeros(())

    @staticmethod
    def backward(ctx, above):
        return above.expand(ctx.shape)


def timed(step, calls):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / calls * 1e6


def main():
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; us a call, forward and backward")
    gjs, ce = jensen.torch.GJS(pi1=0.5), jensen.torch.CE()
    compiled = torch.compile(reference)
    for samples, classes in ((128, 10), (1024, 1000), (65536, 10), (65536, 1000)):
        z = torch.randn(2, samples, classes, device="cuda", requires_grad=True)
        one = z[0].detach().clone().requires_grad_()
        y = torch.randint(0, classes, (samples,), device="cuda")

        def run(f, logits, *rest):
            def step():
                logits.grad = None
                f(logits, *rest).backward()
            return step

        steps = {"gjs": run(gjs, z, y), "eager": run(reference, z, y), "compiled": run(compiled, z, y),
                 "ce": run(ce, one, y), "F.cross_entropy": run(F.cross_entropy, one, y),
                 "empty": run(Empty.apply, one)}
        assert abs(gjs(z, y).item() - reference(z, y).item()) < 1e-4
        calls = 200 if samples < 10000 else 20
        for step in steps.values():
            timed(step, 5)
        rounds = {name: [] for name in steps}
        for _ in range(7):
            for name, step in steps.items():
                rounds[name].append(timed(step, calls))
        print(f"{samples:6d} x {classes:4d}  " +
              "  ".join(f"{name} {statistics.median(times):.1f}" for name, times in rounds.items()))


if __name__ == "__main__":
    main()
