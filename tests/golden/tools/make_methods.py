#!/usr/bin/env python3
"""make_methods.py - golden values of the methods (ELR, SOP).

Reads the inputs of losses.safetensors, writes methods.json and methods.safetensors beside
them. A case is three steps in a row on the same samples, with other logits in each, so that
the memory of one step is what the next begins with: CASE/memory0 (F64 [B,K]) and for step s
CASE/loss<s> ([B]), CASE/grad<s>_<view> ([B,K], of the batch mean), CASE/memory<s> ([B,K]).
220 digits (mpmath), gradients by reverse mode, also those that move u and v.
"""
import json
import os

import numpy as np
from mpmath import mp, mpf

from make_robust_losses import (GOLDEN, Sample, Var, backward, log, read_safetensors, total,
                                write_safetensors)

STEPS = 3


def clip(x, low, high):
    """x cut to [low, high], without gradient outside."""
    return x if low <= x.value <= high else Var(low if x.value < low else high)


def gjs(views, pi1=mpf("0.5")):
    share, y = (1 - pi1) / len(views), views[0].y
    value = Var(0)
    for k in range(views[0].k):
        m = (pi1 if k == y else 0) + total([share * s.p[k] for s in views])
        if k == y:
            value = value + pi1 * (mp.log(1) - log(m))
        for s in views:
            value = value + share * s.p[k] * (s.l[k] - log(m))
    return value / (-(1 - pi1) * mp.log(1 - pi1))


def elr(views, memory, batch, base, beta=0.7, lam=3, low=1e-4):
    """The loss, and what is remembered."""
    beta, low = mpf(beta), mpf(low)
    cut = [[clip(p, low, 1 - low) for p in s.p] for s in views]
    kept = []
    for k in range(len(memory)):
        mean = sum(q[k].value / sum(x.value for x in q) for q in cut) / len(views)
        kept.append(beta * memory[k] + (1 - beta) * mean)
    terms = [log(1 - total([t * x for t, x in zip(kept, q)])) for q in cut]
    return base(views) + mpf(lam) * total(terms) / len(views), lambda: kept


def sop(views, memory, batch, base, lr_u=10, lr_v=10, low=1e-4):
    low, y = mpf(low), views[0].y
    w = [Var(x) for x in memory]
    fixed = [Var(x) for x in memory]  # the cross-entropy does not move v
    label = [mpf(k == y) for k in range(len(w))]

    def shift(of, k):
        square = clip(of[k] * of[k], mpf(0), mpf(1))
        return square if k == y else -square

    value = Var(0)
    for s in views:
        q = [p + shift(w if k == y else fixed, k) for k, p in enumerate(s.p)]
        q = [x if x.value >= low else Var(low) for x in q]
        share = q[y] / total(q)
        value = value - log(share if share.value >= low else Var(low))
        top = max(z.value for z in s.z)
        for k, z in enumerate(s.z):
            off = mpf(z.value == top) + shift(w, k) - label[k]
            value = value + off * off
    value = value / len(views)
    rates = [mpf(lr_u) if k == y else mpf(lr_v) for k in range(len(w))]
    return value, lambda: [x.value - rate * x.grad / batch for x, rate in zip(w, rates)]


def ce(views):
    return total([-s.ly for s in views]) / len(views)


ALL = ["K2_normal1", "K2_extreme80", "K3_ties", "K3_nearonehot", "K10_normal1", "K10_normal30",
       "K10_extreme1e4", "K10_nearonehot", "K100_normal1", "K1000_normal1"]
SHORT = ["K2_normal1", "K3_ties", "K10_normal1", "K10_extreme1e4", "K10_nearonehot"]
SAMPLES = {2: 8, 3: 8, 10: 8, 100: 2, 1000: 1}
# loss, method, views, function, deviation of the memory at first, inputs
CASES = [
    ("ce", "elr", 1, lambda *a: elr(*a, ce), 0.0, ALL),
    ("ce", "elr:beta=0.9,lambda=7", 1, lambda *a: elr(*a, ce, mpf(0.9), 7), 0.0, SHORT),
    ("ce", "elr:clamp=0.01", 2, lambda *a: elr(*a, ce, mpf(0.7), 3, mpf(0.01)), 0.0, SHORT),
    ("gjs:pi1=0.5", "elr", 2, lambda *a: elr(*a, gjs), 0.0, SHORT),
    ("ce", "sop", 1, lambda *a: sop(*a, ce), 1e-8, ALL),
    ("ce", "sop:lr_u=1,lr_v=100,init=0.5", 1, lambda *a: sop(*a, ce, 1, 100), 0.5, ALL),
    ("ce", "sop:init=0.3,clamp=0.001", 2, lambda *a: sop(*a, ce, 10, 10, mpf(0.001)), 0.3, SHORT),
]


def run(case, name, inputs, tensors):
    loss, method, views, fn, spread, _ = case
    key = f"{loss}/{method}/{name}"
    logits = [inputs[f"inputs/{name}/logits{j + 1}"] for j in range(views)]
    labels = inputs[f"inputs/{name}/labels"]
    count, classes = SAMPLES[logits[0].shape[1]], logits[0].shape[1]
    rng = np.random.default_rng(len(key))
    memory = [[mpf(float(x)) for x in row] for row in spread * rng.standard_normal((count, classes))]
    tensors[f"{key}/memory0"] = np.array([[float(x) for x in row] for row in memory])
    for step in range(1, STEPS + 1):
        values = np.zeros(count)
        grads = np.zeros((views, count, classes))
        for i in range(count):
            z = [[Var(float(v)) for v in np.roll(logits[j][i], step - 1)] for j in range(views)]
            value, remember = fn([Sample(v, int(labels[i])) for v in z], memory[i], count)
            backward(value)
            memory[i] = remember()
            values[i] = float(value.value)
            for j in range(views):
                grads[j][i] = [float(v.grad / count) for v in z[j]]
        tensors[f"{key}/loss{step}"] = values
        for j in range(views):
            tensors[f"{key}/grad{step}_{j + 1}"] = grads[j]
        tensors[f"{key}/memory{step}"] = np.array([[float(x) for x in row] for row in memory])
    return {"name": key, "loss": loss, "method": method, "inputs": name, "views": views,
            "samples": count, "classes": classes}


def main():
    inputs = read_safetensors(os.path.join(GOLDEN, "losses.safetensors"))
    tensors = {}
    cases = [run(case, name, inputs, tensors) for case in CASES for name in case[-1]]
    with open(os.path.join(GOLDEN, "methods.json"), "w") as file:
        file.write('{"cases": [\n' + ",\n".join(json.dumps(c) for c in cases) + "\n]}\n")
    write_safetensors(os.path.join(GOLDEN, "methods.safetensors"), tensors)


if __name__ == "__main__":
    main()
