#!/usr/bin/env python3
"""make_audit.py > audit.json - expected results of jensen/audit.h, from NumPy (the definitions, written
down a second time) and cleanlab 2.x (its confident joint and its order of labels, which must agree)."""
import json

import numpy as np
from cleanlab.count import compute_confident_joint
from cleanlab.rank import get_label_quality_scores
from scipy.special import gammaln


def case(seed, n, k, rate, sharpness):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    wrong = rng.random(n) < rate
    given = np.where(wrong, (true + rng.integers(1, 3, n)) % k, true)
    logits = rng.normal(size=(n, k)) + sharpness * np.eye(k)[true] + 0.5 * sharpness * np.eye(k)[(true + 1) % k]
    p = np.exp(logits)
    return given, np.round(p / p.sum(1, keepdims=True), 6)


def log_ratio(a, b):
    return np.log(np.maximum(a, 1e-7)) - np.log(np.maximum(b, 1e-7))


def thresholds(y, p):
    return np.array([p[y == c, c].mean() for c in range(p.shape[1])])


def confident_class(y, p):
    reach = p >= thresholds(y, p) - 1e-6
    return np.where(reach.sum(1) > 1, p.argmax(1), np.where(reach.any(1), reach.argmax(1), -1))


def scaled(table, y):
    table = table.astype(float)
    return table * (np.bincount(y, minlength=len(table)) / table.sum(1))[:, None]


def joint(y, p):
    c = confident_class(y, p)
    table = np.zeros((p.shape[1],) * 2)
    np.add.at(table, (y[c >= 0], c[c >= 0]), 1)
    np.fill_diagonal(table, np.maximum(np.diag(table), 1))
    peer = compute_confident_joint(y, p, calibrate=False)
    assert (table == peer).all(), "cleanlab's confident joint differs"
    return scaled(table, y)


def spread_weight(few):
    """the weight of the Dirichlet distribution, of a grid, that fits how each class spreads its wrong labels"""
    k = len(few)
    off = few[~np.eye(k, dtype=bool)].reshape(k, k - 1)
    grid = [0.05 * 2**i for i in range(12)]
    fit = [(gammaln(a + off) - gammaln(a)).sum() + (gammaln(a * (k - 1)) - gammaln(a * (k - 1) + off.sum(1))).sum() for a in grid]
    return grid[int(np.argmax(fit))]


def unlikely(y, p, c):
    """labels among the samples of class c, each in the half where it is less probable; right ones fill up to a half.
    Fewer than 40 are counted all."""
    half, counts = len(y) // 2, np.zeros(p.shape[1])
    if len(y) < 40:
        return np.bincount(y, minlength=p.shape[1]).astype(float)
    for j in set(y) - {c}:
        lower = np.argsort(-p[:, j].astype(np.float32), kind="stable")[half:]
        counts[j] = (y[lower] == j).sum()
    counts[c] = max(0, len(y) - half - counts.sum())
    return counts


def calibrated(y, p, t):
    """the power and the offsets of log p with which p gives the labels: their shares are met, their likelihood is largest"""
    n, k = p.shape
    m = min(n, max(400000 // k, 2000))
    used = np.arange(m) * n // m
    logs = np.log(np.maximum(p[used], 1e-12)).astype(np.float32).astype(float)
    soft = lambda z: np.exp(z - z.max(1, keepdims=True)) / np.exp(z - z.max(1, keepdims=True)).sum(1, keepdims=True)
    offset, best = np.zeros(k), (-np.inf,)
    for i, power in enumerate((0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 1.45, 1.75, 2.1, 2.5)):
        for _ in range(5 if i else 15):
            offset = offset + np.log((np.bincount(y, minlength=k) + 20) / (n * soft(power * logs + offset).mean(0) + 20))
        q = soft(power * logs + offset)
        given, moved = q[np.arange(m), y[used]], (q * t[:, y[used]].T).sum(1)
        fit = max(np.log(np.maximum((1 - e) * given + e * moved, 1e-12)).mean() for e in (0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.85, 1))
        best = max(best, (fit, power, offset), key=lambda found: found[0])
    return soft(best[1] * np.log(np.maximum(p, 1e-12)) + best[2])


def surest(y, p):
    n, k = p.shape
    few, sure = np.zeros((k, k)), np.zeros((k, k))
    for c in range(k):
        of = np.flatnonzero(p.argmax(1) == c)
        of = of[np.argsort(-p[of, c].astype(np.float32), kind="stable")]
        m = max(int(np.ceil(0.2 * len(of))), min(20, len(of)))
        h = max(int(np.ceil(0.5 * len(of))), m, int((p[of, c] >= 0.9 * p[of[:m], c].mean()).sum()))
        few[c] = unlikely(y[of[:m]], p[of[:m]], c)
        sure[c] = np.bincount(y[of[:h]], minlength=k) * len(of) / max(h, 1)
    wrong = few.sum(1) - np.diag(few)
    rate = (wrong + 2 * k * (1 - np.trace(few) / few.sum())) / (few.sum(1) + 2 * k)
    a = spread_weight(few)
    t = rate[:, None] * (few + a) / (wrong + a * (k - 1))[:, None]
    np.fill_diagonal(t, 1 - rate)
    return t, scaled(sure.T, y)


def unmix(y, p, t):
    n, k = p.shape
    wrong, suggested = np.zeros(n), np.zeros(n, int)
    for i in range(n):
        others = sorted((c for c in range(k) if c != y[i]), key=lambda c: -p[i, c])[:11]
        s = np.array([y[i]] + others)
        q = p[i, s] + 1e-7
        m = t[np.ix_(s, s)] + 1e-7
        u = q.copy()
        for _ in range(10):
            u = u * (m @ (q / (u @ m))) / m.sum(1)
        wrong[i] = 1 - u[0] * m[0, 0] / (u @ m[:, 0])
        suggested[i] = s[1 + u[1:].argmax()]
    return wrong, suggested


def chances(raw, slope, errors):
    low, high = -60.0, 60.0
    for _ in range(200):
        mid = (low + high) / 2
        low, high = (low, mid) if (1 / (1 + np.exp(-(slope * raw + mid)))).sum() > errors else (mid, high)
    return 1 / (1 + np.exp(-(slope * raw + low)))


def views_of(p):
    """three views whose mean is p, within rounding: p turned towards its neighbours by up to a tenth"""
    turned = [p, 0.9 * p + 0.1 * np.roll(p, 1, 1), 0.95 * p + 0.05 * np.roll(p, 2, 1)]
    return np.round(np.stack(turned), 6).astype(np.float32)


def agreement(y, p, views):
    tops = views.argmax(2)
    share = ((tops == y).sum(0) + p[np.arange(len(y)), y]) / (len(views) + 1)
    rest = np.eye(p.shape[1])[tops].sum(0)
    votes = np.where(rest > 0, rest + p, 0)
    votes[np.arange(len(y)), y] = 0
    return log_ratio(1 - share, share), votes


def entropy_of(p, axis):
    return -(np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)).sum(axis)


def consistency(y, views):
    v, w = views.astype(float), 0.5 / len(views)
    mixed = 0.5 * np.eye(v.shape[2])[y] + w * v.sum(0)
    d = entropy_of(mixed, 1) - w * entropy_of(v, 2).sum(0)
    return log_ratio(d, 0.5 * np.log(2) + 0.5 * np.log(2 * len(views)) - d)


def results(y, p):
    n, k = p.shape
    views = views_of(p)
    p = np.round(views.astype(float).mean(0), 8)
    p = p / p.sum(1, keepdims=True)
    at = np.arange(n)
    given = p[at, y]
    rest = p.copy()
    rest[at, y] = -1
    other = rest.argmax(1)
    t = thresholds(y, p)
    margin = p[at, other] - given
    c = confident_class(y, p)
    elsewhere = (c >= 0) & (c != y)
    entropy = -(np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)).sum(1)
    transition, sure = surest(y, p)
    q = calibrated(y, p, transition)
    wrong, unmixed = unmix(y, q, transition)
    odds = log_ratio(wrong, 1 - wrong)
    cj = joint(y, p)
    voted, votes = agreement(y, p, views)
    methods = {
        "self-confidence": (log_ratio(1 - given, given), 1.0, other, cj),
        "margin": (margin, 4.0, other, cj),
        "normalized-margin": (log_ratio(p[at, other], t[other]) - log_ratio(given, t[y]), 1.0, other, cj),
        "confident": (margin + 2 * elsewhere, 2.0, np.where(elsewhere, c, other), cj),
        "entropy": (log_ratio(entropy, given), 1.0, other, cj),
        "agreement": (voted, 1.0, np.where(votes.max(1) > 0, votes.argmax(1), other), cj),
        "consistency": (consistency(y, views), 1.0, other, cj),
        "unmixed": (odds, 0.66, unmixed, sure),
        "combined": (0.47 * odds + 0.56 * log_ratio(1.0, q[at, y]), 1.0, unmixed, sure),
    }
    for ours, theirs in (("self-confidence", "self_confidence"), ("margin", "normalized_margin")):
        assert (np.argsort(-methods[ours][0], kind="stable") == np.argsort(get_label_quality_scores(y, p, method=theirs), kind="stable")).all()
    out = []
    for name, (raw, slope, suggested, matrix) in methods.items():
        errors = matrix.sum() - np.trace(matrix)
        out.append({"method": name, "noise_rate": errors / n, "matrix": matrix.ravel().tolist(),
                    "suggested": suggested.tolist(), "score": chances(raw, slope, errors).tolist()})
    return {"samples": n, "classes": k, "labels": y.tolist(), "posteriors": p.ravel().tolist(), "views": np.round(views.astype(float), 6).ravel().tolist(), "thresholds": t.tolist(), "methods": out}


def shortened(value):
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, list):
        return [shortened(v) for v in value]
    return {k: shortened(v) for k, v in value.items()} if isinstance(value, dict) else value


print('{"cases":[' + ",\n".join(
    json.dumps({key: value if key in ("posteriors", "views") else shortened(value) for key, value in made.items()}, separators=(",", ":"))
    for made in (results(*case(1, 660, 3, 0.25, 3.0)), results(*case(2, 300, 15, 0.15, 4.0)))) + "]}")
