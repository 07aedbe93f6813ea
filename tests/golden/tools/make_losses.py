#!/usr/bin/env python3
"""Golden values of the loss functions, from their definitions, with mpmath.

    python3 tools/make_losses.py --seed 1 --out DIR [--grid canonical|random]

Writes DIR/losses.safetensors, DIR/losses.json and DIR/theory.json.
Everything is evaluated with 220 significant digits and rounded once to
float64.  No clamp is applied to any prediction.  Gradients come from the
derivative of each definition with respect to the probabilities, chained with
the softmax Jacobian; a random subset is checked against central differences
in the same precision (step 1e-70) before anything is written.
"""
import argparse
import os
import random

import mpmath as mp
import numpy as np
from mpmath import mpf

from goldenio import ensure_dir, num, write_json, write_safetensors
from loss_definitions import (LOSSES, MULTI, ONE, ZERO, dot, gjs_core, l_consistency, l_gjs, l_nocons, safe_logs,
                              softmax, view_weights, z_scale)


# ------------------------------------------------------------------ inputs

def make_inputs(rng, K, regime, B, V):
    """V float32 logit tensors, labels and two kinds of soft targets."""
    views = []
    labels = rng.integers(0, K, size=B).astype(np.int32)
    if regime.startswith("normal"):
        s = float(regime[6:])
        base = rng.standard_normal((B, K))
        for v in range(V):
            # views of one sample are correlated, as two augmentations are
            views.append(s * (0.8 * base + 0.6 * rng.standard_normal((B, K))))
    elif regime == "extreme80":
        for v in range(V):
            views.append(rng.choice([-80.0, 80.0, 0.0], size=(B, K), p=[0.45, 0.35, 0.2]))
    elif regime == "extreme1e4":
        for v in range(V):
            views.append(rng.choice([-1e4, 1e4, 0.0], size=(B, K), p=[0.45, 0.35, 0.2]))
    elif regime == "ties":
        for v in range(V):
            z = rng.integers(-1, 2, size=(B, K)).astype(np.float64)
            z[0] = 0.0                       # a uniform prediction
            z[1] = 3.0                       # the same, shifted
            if v:                            # identical views in some rows
                z[2:4] = views[0][2:4]
            views.append(z)
    elif regime == "nearonehot":
        gap = np.array([2.0, 8.0, 15.0, 17.0, 20.0, 30.0, 40.0, 100.0])
        for v in range(V):
            z = 0.25 * rng.standard_normal((B, K))
            for b in range(B):
                # even rows favour the label, odd rows another class
                c = labels[b] if b % 2 == 0 else (labels[b] + 1 + v % max(1, K - 1)) % K
                z[b, c] += gap[(b // 2 * 3 + b + v) % len(gap)]
            views.append(z)
    else:
        raise ValueError(regime)
    views = [v.astype(np.float32) for v in views]
    # soft targets: multiples of 2^-20 that sum to one exactly
    D = 1 << 20
    dense = rng.dirichlet(np.full(K, 0.7), size=B)
    dn = np.floor(dense * D).astype(np.int64)
    two = np.zeros((B, K), np.int64)
    for b in range(B):
        dn[b, labels[b]] += D - dn[b].sum()
        other = (labels[b] + 1 + rng.integers(0, K - 1)) % K
        lam = int(rng.integers(1, D))
        two[b, labels[b]] += lam
        two[b, other] += D - lam
    return {"views": views, "labels": labels,
            "soft_dense": (dn / D).astype(np.float32),
            "soft_mixup": (two / D).astype(np.float32)}


class Set:
    """An input set with its cached softmax values."""

    def __init__(self, name, K, regime, data):
        self.name, self.K, self.regime, self.data = name, K, regime, data
        self.B = len(data["labels"])
        self.z = [[[mpf(float(x)) for x in row] for row in v] for v in data["views"]]
        self.sm = [[softmax(row) for row in v] for v in self.z]

    def target(self, kind, b):
        if kind == "labels":
            t = [ZERO] * self.K
            t[int(self.data["labels"][b])] = ONE
            return t
        return [mpf(float(x)) for x in self.data[kind][b]]


def evaluate(S, loss, par, target, views):
    fn = LOSSES[loss][0]
    out = np.empty(S.B)
    grads = [np.empty((S.B, S.K)) for _ in range(views)]
    total = ZERO
    for b in range(S.B):
        P = [S.sm[v][b][0] for v in range(views)]
        L = [S.sm[v][b][1] for v in range(views)]
        t = S.target(target, b)
        val, G = fn(t, P, L, par)
        total += val
        out[b] = float(val)
        for v in range(views):
            c = dot(P[v], G[v])
            for k in range(S.K):
                grads[v][b, k] = float(P[v][k] * (G[v][k] - c) / S.B)
    return out, grads, float(total / S.B)


def probe(S, loss, par, target, views, grads, rnd):
    """Central differences for one random entry; returns the deviation."""
    fn = LOSSES[loss][0]
    b, v, k = rnd.randrange(S.B), rnd.randrange(views), rnd.randrange(S.K)
    t = S.target(target, b)
    h = mpf(10) ** -70
    vals = []
    for s in (h, -h):
        z = [list(S.z[j][b]) for j in range(views)]
        z[v][k] += s
        sm = [softmax(r) for r in z]
        vals.append(fn(t, [x[0] for x in sm], [x[1] for x in sm], par)[0])
    d = (vals[0] - vals[1]) / (2 * h) / S.B
    return abs(float(d) - grads[v][b, k])


# --------------------------------------------------------------- the cases

def build(grid, rng):
    """Lists of input sets and of cases (loss, set, params, target, views)."""
    r3 = lambda lo, hi: round(float(rng.uniform(lo, hi)), 3)
    canonical = grid == "canonical"
    if canonical:
        regimes = ["normal0.1", "normal1", "normal5", "normal30", "extreme80",
                   "extreme1e4", "ties", "nearonehot"]
        pis = [1e-6, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 1 - 1e-3, 1 - 1e-6]
        mid = [0.1, 0.5, 0.9]
        qs = [0.1, 0.3, 0.5, 0.7, 0.9, 1.0]
        ts = [0.1, 0.3, 0.5, 0.7, 0.9]
        ab = [(0.1, 0.1), (0.5, 0.1), (1.0, 1.0), (6.0, 0.1)]
        nr = [(1.0, 1.0), (10.0, 0.1), (20.0, 0.1), (1.0, 0.1)]
        uneq = [[0.5, 0.125, 0.375], [0.25, 0.5, 0.25], [0.9, 0.0625, 0.0375],
                [0.3, 0.1, 0.2, 0.4], [0.125, 0.25, 0.0625, 0.5, 0.03125, 0.03125]]
        bs = {2: 8, 3: 8, 10: 8, 100: 4, 1000: 4}
        Ks, Kbig = (2, 3, 10, 100), 1000
    else:
        regimes = ["normal0.3", "normal2", "normal7", "normal20", "extreme80",
                   "extreme1e4", "ties", "nearonehot"]
        pis = [3e-6, 2e-3] + [r3(0.02, 0.98) for _ in range(5)] + [1 - 4e-3, 1 - 3e-6]
        mid = [r3(0.05, 0.3), r3(0.4, 0.6), r3(0.75, 0.97)]
        qs = [r3(0.05, 0.99) for _ in range(6)]
        ts = [r3(0.02, 0.98) for _ in range(5)]
        ab = [(r3(0.05, 8), r3(0.05, 2)) for _ in range(4)]
        nr = [(r3(0.5, 20), r3(0.05, 2)) for _ in range(4)]
        uneq = []
        for M in (3, 3, 4, 5, 6):
            w = rng.dirichlet(np.full(M, 2.0))
            uneq.append([round(float(x), 4) for x in w])
            uneq[-1][-1] = round(1 - sum(uneq[-1][:-1]), 4)
        bs = {2: 6, 4: 7, 7: 12, 50: 5, 777: 4}
        Ks, Kbig = (2, 4, 7, 50), 777
    Kmain, Khigh = Ks[2], Ks[3]

    sets, cases = {}, []

    def get(K, regime, V):
        name = f"K{K}_{regime}"
        if name not in sets:
            B = bs[K]
            sets[name] = Set(name, K, regime, make_inputs(rng, K, regime, B, V))
        return sets[name]

    def add(S, loss, par=None, target="labels"):
        par = dict(par or {})
        views = 1
        if loss in MULTI:
            views = (len(par["weights"]) if "weights" in par else par["M"]) - 1
        if loss == "js":
            par.setdefault("M", 2)
        cases.append((loss, S, par, target, views))

    single = [("ce", {}), ("mae", {}), ("mae_half", {}), ("js", {"pi1": 0.5 if canonical else mid[1]}),
              ("ls_ce", {"t": ts[0]}), ("ls_kl", {"t": ts[2]}), ("bootstrap", {"t": ts[1]}),
              ("rce", {}), ("sce", dict(zip(("alpha", "beta"), ab[0]))), ("gce", {"q": qs[3]}),
              ("nce", {}), ("nce_rce", dict(zip(("alpha", "beta"), nr[1]))),
              ("kl_rev", {}), ("jeffreys", {}), ("k", {}), ("k_rev", {})]
    softies = [s for s in single if s[0] not in ("gce", "mae_half")] + [("kl", {}), ("mae_half", {})]

    few = [regimes[1], "extreme80", "ties", "nearonehot"]
    for K in Ks:
        for r in (regimes if K == Kmain else few if K < Kmain else
                  [regimes[1], regimes[3], "extreme1e4", "nearonehot"]):
            S = get(K, r, 5 if K == Kmain else 3)
            for l, p in single:
                add(S, l, p)
            add(S, "gjs", {"M": 3, "pi1": 0.5 if canonical else mid[0]})
            if K <= Kmain:
                add(S, "gjs", {"M": 4, "pi1": 0.3 if canonical else mid[2]})
            add(S, "gjs_nocons", {"M": 3, "pi1": 0.5 if canonical else mid[0]})
            add(S, "gjs_consistency", {"M": 3, "pi1": 0.5 if canonical else mid[0]})

    # pi1 sweeps on every regime of the main K
    for r in regimes:
        S = get(Kmain, r, 5)
        for i, p in enumerate(pis):
            if not (canonical and p == 0.5):
                add(S, "js", {"pi1": p})
                add(S, "gjs", {"M": 3, "pi1": p})
            if r in (regimes[1], regimes[2], "nearonehot"):
                add(S, "js", {"pi1": p, "scaled": False})
                add(S, "gjs", {"M": 3, "pi1": p, "scaled": False})
    for r in (regimes[1], regimes[2], "extreme80", "nearonehot", "ties"):
        S = get(Kmain, r, 5)
        for M in (4, 6):
            for p in mid:
                add(S, "gjs", {"M": M, "pi1": p})
        add(S, "gjs", {"M": 6, "pi1": mid[1], "scaled": False})
        for w in uneq:
            add(S, "gjs", {"weights": w})
            add(S, "gjs_nocons", {"weights": w})
        add(S, "gjs", {"weights": uneq[0], "scaled": False})
        add(S, "gjs_consistency", {"weights": uneq[0]})
        for p in mid:
            add(S, "gjs_nocons", {"M": 3, "pi1": p})
            add(S, "gjs_consistency", {"M": 4, "pi1": p})
    # sweeps of the other hyper-parameters
    for r in (regimes[1], regimes[2], "nearonehot"):
        S = get(Kmain, r, 5)
        for q in qs:
            add(S, "gce", {"q": q})
        for t in ts:
            add(S, "ls_ce", {"t": t})
            add(S, "ls_kl", {"t": t})
            add(S, "bootstrap", {"t": t})
        for a, b in ab:
            add(S, "sce", {"alpha": a, "beta": b})
        for a, b in nr:
            add(S, "nce_rce", {"alpha": a, "beta": b})
    # soft targets
    for K, rs in ((Kmain, [regimes[1], regimes[2], "extreme80", "nearonehot"]),
                  (Khigh, [regimes[1]]), (Ks[0], [regimes[1]])):
        for r in rs:
            S = get(K, r, 5 if K == Kmain else 3)
            for kind in ("soft_dense", "soft_mixup"):
                for l, p in softies:
                    add(S, l, p, kind)
                for p in (mid if K == Kmain else mid[1:2]):
                    add(S, "js", {"pi1": p}, kind)
                    add(S, "gjs", {"M": 3, "pi1": p}, kind)
                    add(S, "gjs_nocons", {"M": 3, "pi1": p}, kind)
                if K == Kmain:
                    add(S, "gjs", {"M": 4, "pi1": mid[0]}, kind)
                    add(S, "gjs", {"M": 3, "pi1": mid[1], "scaled": False}, kind)
                    add(S, "gjs", {"weights": uneq[1]}, kind)
    # many classes
    S = get(Kbig, regimes[1], 2)
    for l, p in [("ce", {}), ("js", {"pi1": mid[1]}), ("gce", {"q": qs[3]}), ("nce", {}),
                 ("k_rev", {}), ("gjs", {"M": 3, "pi1": mid[1]})]:
        add(S, l, p)
    return sets, cases


def case_name(loss, S, par, target):
    bits = []
    if "weights" in par:
        bits.append("w" + "_".join(num(v) for v in par["weights"]))
    else:
        if "M" in par and loss != "js":
            bits.append(f"M{par['M']}")
        if "pi1" in par:
            bits.append("pi" + num(par["pi1"]))
    for key in ("t", "q", "alpha", "beta"):
        if key in par:
            bits.append(key + num(par[key]))
    if par.get("scaled") is False:
        bits.append("Z1")
    if target != "labels":
        bits.append(target)
    return "/".join([loss, S.name] + (["_".join(bits)] if bits else []))


# ------------------------------------------------------------------ theory

def js_mp(t, preds, w):
    v, _ = gjs_core([t] + preds, [safe_logs(t)] + [safe_logs(p) for p in preds], w)
    return v


def make_theory(grid, rng):
    f = float
    canonical = grid == "canonical"
    r3 = lambda lo, hi: round(float(rng.uniform(lo, hi)), 3)
    pis = ([1e-6, 1e-3, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1 - 1e-3, 1 - 1e-6]
           if canonical else [2e-6, 3e-3, r3(.02, .2), r3(.2, .4), r3(.4, .6), r3(.6, .8), r3(.8, .98), 1 - 2e-3, 1 - 5e-6])
    Ks, Ms = ((2, 10, 100), (2, 3, 5)) if canonical else ((3, 14, 50), (2, 3, 4, 6))
    bounds = []
    for K in Ks:
        e = lambda i: [ONE if k == i else ZERO for k in range(K)]
        u = [ONE / K] * K
        for M in Ms:
            if M > K + 1:
                continue
            for p in pis:
                w = view_weights({"pi1": p, "M": M})
                Z = z_scale({}, w)
                bl = K * js_mp(e(0), [u] * (M - 1), w) / Z
                preds = [e(j) for j in range(M - 1)]
                # labels outside the predicted classes all give the same term
                terms = [js_mp(e(k), preds, w) for k in range(min(K, M))]
                bu = (mp.fsum(terms[:M - 1]) + (K - M + 1) * (terms[M - 1] if K >= M else ZERO)) / Z
                H = lambda x: -x * mp.log(x) if x else ZERO
                p1 = w[0]
                closed = ((M - 1) * H(p1 + (1 - p1) / (M - 1)) + (K - 1) * (M - 1) * H((1 - p1) / (M - 1))
                          + (K - M + 1) * H(p1)) / Z
                assert abs(closed - bu) < mpf(10) ** -150
                c1 = mp.fsum(H(x) for x in w)
                c2 = H(p1) + H(1 - p1)
                bounds.append({"K": K, "M": M, "pi1": p, "Z": f(Z), "B_L": f(bl), "B_U": f(bu),
                               "C1_unscaled": f(c1), "C2_unscaled": f(c2), "C1": f(c1 / Z), "C2": f(c2 / Z)})
    limits = []
    for K in Ks:
        for trial in range(3):
            z = [mpf(float(np.float32(x))) for x in rng.standard_normal(K) * (1, 3, 8)[trial]]
            P, L = softmax(z)
            y = int(rng.integers(0, K))
            t = [ONE if k == y else ZERO for k in range(K)]
            row = {"K": K, "label": y, "p_y": f(P[y]), "CE": f(-L[y]), "half_L1": f(1 - P[y]), "JS": []}
            for p in (1e-12, 1e-9, 1e-6, 1e-3, 1e-2, 0.5, 1 - 1e-2, 1 - 1e-3, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12):
                v, _ = l_gjs(t, [P], [L], {"pi1": p, "M": 2})
                row["JS"].append([p, f(v)])
            if K <= 14:
                row["logits"] = [f(v) for v in z]
            limits.append(row)
    decomposition = []
    for K in Ks:
        for M in (3, 4, 6):
            for p in ([0.1, 0.5, 0.9] if canonical else [r3(.05, .4), r3(.4, .7), r3(.7, .97)]):
                zs = [[mpf(float(np.float32(x))) for x in rng.standard_normal(K) * 2] for _ in range(M - 1)]
                sm = [softmax(z) for z in zs]
                P, L = [s[0] for s in sm], [s[1] for s in sm]
                y = int(rng.integers(0, K))
                t = [ONE if k == y else ZERO for k in range(K)]
                par = {"pi1": p, "M": M}
                g = l_gjs(t, P, L, par)[0]
                j = l_nocons(t, P, L, par)[0]
                c = l_consistency(t, P, L, par)[0]
                assert abs(g - j - c) < mpf(10) ** -150
                w = view_weights(par)
                d2 = gjs_core(P, L, [x / (1 - w[0]) for x in w[1:]])[0]
                row = {"K": K, "M": M, "pi1": p, "label": y, "GJS": f(g), "JS_of_mean": f(j),
                       "consistency_term": f(c), "D_GJS_pi''_unscaled": f(d2), "Z": f(z_scale({}, w))}
                if K <= 14:
                    row["logits"] = [[f(v) for v in z] for z in zs]
                decomposition.append(row)
    match = []
    qs = [i / 10 for i in range(1, 10)] if canonical else sorted(r3(0.06, 0.93) for _ in range(9))
    for q in qs:
        goal = mpf(2) ** (1 - mpf(q))
        fun = lambda x: 1 - mp.log(1 + x) / mp.log(1 - x) - goal
        lo, hi = mpf(10) ** -30, ONE - mpf(10) ** -30
        for _ in range(500):
            c = (lo + hi) / 2
            # near 0 the ratio is 2, near 1 it is 1: decreasing in pi1
            lo, hi = (c, hi) if fun(c) > 0 else (lo, c)
        match.append({"q": q, "gradient_scale": f(goal), "pi1": f(lo), "one_minus_pi1": f(1 - lo)})
    return {
        "about": {
            "bounds": "B_L <= sum_k L(e_k, p_2..p_M) <= B_U for the scaled loss (division by Z = -(1-pi1) log(1-pi1)), equal weights pi_j = (1-pi1)/(M-1), M <= K+1. B_L at p_j uniform, B_U at distinct unit vectors. C1 = H(pi), C2 = H(pi1) + H(1-pi1) with H(x) = -x log x; *_unscaled for the divergence, plain C1, C2 divided by Z.",
            "limits": "JS(e_y, p) scaled: tends to CE = -log p_y for pi1 -> 0 and to half_L1 = 1 - p_y for pi1 -> 1 (slowly, like 1/|log(1-pi1)|).",
            "decomposition": "GJS = JS_of_mean + consistency_term, consistency_term = (1-pi1) D_GJS_pi''(p_2..p_M) / Z with the SAME Z(pi1); logits listed for K <= 14.",
            "gce_match": "pi1 with log(pi1/((1-pi1) p_y) + 1)/(-log(1-pi1)) = p_y^(q-1) at p_y = 1/2.",
            "numbers": "pi1 and q are the float64 values as printed (round-trip decimals); logits are exact float32 values."},
        "bounds": bounds, "limits": limits, "decomposition": decomposition, "gce_match": match,
    }


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, required=True)
    ap.add_argument("--out", required=True)
    ap.add_argument("--grid", choices=["canonical", "random"], default="canonical")
    ap.add_argument("--probes", type=int, default=1, help="finite-difference probes per case")
    a = ap.parse_args()
    ensure_dir(a.out)
    rng = np.random.Generator(np.random.PCG64(a.seed))
    rnd = random.Random(a.seed)
    sets, cases = build(a.grid, rng)
    tensors, listing, seen, worst = {}, [], set(), 0.0
    for S in sets.values():
        for i, v in enumerate(S.data["views"]):
            tensors[f"inputs/{S.name}/logits{i + 1}"] = v
        tensors[f"inputs/{S.name}/labels"] = S.data["labels"]
    for loss, S, par, target, views in cases:
        name = case_name(loss, S, par, target)
        if name in seen:
            continue
        seen.add(name)
        val, grads, mean = evaluate(S, loss, par, target, views)
        if S.K <= 100:
            for _ in range(a.probes):
                worst = max(worst, probe(S, loss, par, target, views, grads, rnd))
        assert np.isfinite(val).all() and all(np.isfinite(g).all() for g in grads), name
        tensors[name + "/loss"] = val
        for i, g in enumerate(grads):
            tensors[f"{name}/grad{i + 1}"] = g
        if target != "labels":
            tensors[f"inputs/{S.name}/{target}"] = S.data[target]
        entry = {"name": name, "loss": loss, "inputs": S.name, "target": target, "views": views}
        p = dict(par)
        if loss in MULTI or loss == "js":
            p.setdefault("scaled", True)
            p["M"] = views + 1
        entry["params"] = p
        entry["mean"] = mean
        listing.append(entry)
    print(f"{len(listing)} cases, {len(sets)} input sets; largest gap to central differences {worst:.2e}")
    assert worst < 1e-12
    write_safetensors(os.path.join(a.out, "losses.safetensors"), tensors,
                      {"content": "loss functions: inputs, per-sample losses, gradients of the batch mean",
                       "digits": str(mp.mp.dps), "seed": a.seed, "grid": a.grid})
    write_json(os.path.join(a.out, "losses.json"), {
        "about": {
            "tensors": "inputs/SET/logits1.. (F32 [B,K], one per view), inputs/SET/labels (I32 [B]), inputs/SET/soft_dense and soft_mixup (F32 [B,K], multiples of 2^-20, rows sum to one exactly); CASE/loss (F64 [B], per sample), CASE/grad1.. (F64 [B,K], derivative of the batch MEAN with respect to that view's logits).",
            "precision": f"mpmath, {mp.mp.dps} digits, rounded once to float64; results below the float64 range are 0 or subnormal.",
            "hyper-parameters": "The float64 values as printed (round-trip decimals), taken as exact. Equal weights: pi_j = (1-pi1)/(M-1) exactly. Unequal weights: the last one is 1 minus the others.",
            "clamps": "None on predictions. RCE/SCE floor the target at 1e-4, KL' and Jeffreys' second half at 1e-7.",
            "target": "labels = one-hot of inputs/SET/labels, otherwise the named soft target.",
            "mean": "mean of the exact per-sample losses."},
        "losses": {k: v[1] for k, v in LOSSES.items()},
        "seed": a.seed, "grid": a.grid,
        "inputs": [{"name": S.name, "K": S.K, "batch": S.B, "regime": S.regime,
                    "views": len(S.data["views"])} for S in sets.values()],
        "cases": listing})
    write_json(os.path.join(a.out, "theory.json"), make_theory(a.grid, rng))
    for n in ("losses.safetensors", "losses.json", "theory.json"):
        print(n, os.path.getsize(os.path.join(a.out, n)))


if __name__ == "__main__":
    main()
