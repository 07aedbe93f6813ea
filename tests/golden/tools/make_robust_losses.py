#!/usr/bin/env python3
"""make_robust_losses.py - golden values of the robust losses, of sums and of clamp=1.

Reads the inputs of losses.safetensors, writes robust_losses.json and
robust_losses.safetensors beside them: CASE/loss (F64 [B], per sample) and CASE/grad1.. (F64
[B,K], derivative of the batch mean). 220 digits (mpmath); the definitions below are those of
the papers, written down once more and differentiated by reverse mode, so that no formula of
the library's is used. Needs mpmath and NumPy.
"""
import json
import os
import struct
import sys

import numpy as np
from mpmath import mp, mpf

mp.dps = 220
GOLDEN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Var:
    """A number and how it depends on others."""

    def __init__(self, value, parents=()):
        self.value, self.parents, self.grad = mpf(value), parents, mpf(0)

    def __add__(self, other):
        other = lift(other)
        return Var(self.value + other.value, ((self, 1), (other, 1)))

    def __mul__(self, other):
        other = lift(other)
        return Var(self.value * other.value, ((self, other.value), (other, self.value)))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -lift(other)

    def __rsub__(self, other):
        return lift(other) - self

    def __truediv__(self, other):
        return self * lift(other) ** -1

    def __rtruediv__(self, other):
        return lift(other) / self

    def __pow__(self, power):
        power = mpf(power)
        if power == 0:
            return Var(1)
        if self.value == 0:
            return Var(0)
        return Var(self.value ** power, ((self, power * self.value ** (power - 1)),))

    __radd__, __rmul__ = __add__, __mul__


def lift(x):
    return x if isinstance(x, Var) else Var(x)


def exp(x):
    e = mp.exp(x.value)
    return Var(e, ((x, e),))


def log(x):
    return Var(mp.log(x.value), ((x, 1 / x.value),))


def cut(x, low):
    """max(x, low), without gradient below."""
    return x if x.value >= low else Var(low)


def total(items):
    items = [lift(i) for i in items]
    return Var(sum(i.value for i in items), tuple((i, 1) for i in items))


def backward(root):
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((parent, False) for parent, _ in node.parents)
    for node in order:
        node.grad = mpf(0)
    root.grad = mpf(1)
    for node in reversed(order):
        for parent, slope in node.parents:
            parent.grad += slope * node.grad


class Sample:
    """Softmax of one view and the label."""

    def __init__(self, z, y):
        top = max(v.value for v in z)
        e = [exp(v - top) for v in z]
        s = total(e)
        self.z, self.y, self.k = z, y, len(z)
        self.l = [v - top - log(s) for v in z]
        self.p = [exp(l) for l in self.l]
        self.py, self.ly = self.p[y], self.l[y]


def ce(s):
    return -s.ly


def mae(s):
    return 2 * (1 - s.py)


def nce(s):
    return s.ly / total(s.l)


def rce(s):
    return -mp.log(mpf("1e-4")) * (1 - s.py)


def gce(s, q):
    return (1 - s.py ** q) / q


def focal_of(p, l, gamma):
    return -(1 - p) ** gamma * l


def focal(s, gamma=0.5):
    return focal_of(s.py, s.ly, mpf(gamma))


def nfl(s, gamma=0.5):
    terms = [focal_of(p, l, mpf(gamma)) for p, l in zip(s.p, s.l)]
    return terms[s.y] / total(terms)


def agce(s, a=0.6, q=0.6):
    a, q = mpf(a), mpf(q)
    return ((a + 1) ** q - (a + s.py) ** q) / q


def aul(s, a=5.5, q=3):
    a, q = mpf(a), mpf(q)
    return ((a - s.py) ** q - (a - 1) ** q) / q


def ael(s, a=2.5):
    return exp(-s.py / mpf(a))


def negative(s, gamma, low):
    """1 - (A - F_y) / sum_k (A - F_k) with F of the cut probability."""
    low, gamma = mpf(low), mpf(gamma)
    worst = -(1 - low) ** gamma * mp.log(low)
    lack = []
    for p, l in zip(s.p, s.l):
        lack.append(worst - focal_of(p, l, gamma) if p.value >= low else Var(0))
    return 1 - lack[s.y] / total(lack)


def anl_ce(s, alpha=5, beta=5, low=1e-7):
    return alpha * nce(s) + beta * negative(s, 0, low)


def anl_fl(s, alpha=5, beta=5, low=1e-7, gamma=0.5):
    return alpha * nfl(s, gamma) + beta * negative(s, gamma, low)


def taylor(s, t=2):
    return total([(1 - s.py) ** i / i for i in range(1, t + 1)])


def poly(s, epsilon=2):
    return ce(s) + epsilon * (1 - s.py)


def eps_ce(s, m=1e4):
    m = mpf(m)
    high = s.z[s.y].value == max(v.value for v in s.z)
    return -log((s.py + (m if high else 0)) / (1 + m))


def forward(s, rate=0.4):
    return -log((1 - mpf(rate)) * s.py + mpf(rate) / s.k)


def backward_corrected(s, rate=0.4):
    """The row of the inverse transition matrix times the losses of all classes."""
    r = mpf(rate)
    row = [((1 if k == s.y else 0) - r / s.k) / (1 - r) for k in range(s.k)]
    return total([-c * l for c, l in zip(row, s.l)])


def peer(s, alpha=1):
    return ce(s) - mpf(alpha) / s.k * total([-l for l in s.l])


def tanh(x):
    return 1 - 2 / (exp(2 * x) + 1)


def fdiv(s, reward, conjugate):
    return total([conjugate(p) for p in s.p]) / s.k - reward(s.py)


def fdiv_tv(s):
    return fdiv(s, lambda p: tanh(p) / 2, lambda p: tanh(p) / 2)


def fdiv_pearson(s):
    return fdiv(s, lambda p: p, lambda p: p + p * p / 4)


def fdiv_js(s):
    two = mp.log(2)
    return fdiv(s, lambda p: two - log(1 + exp(-p)), lambda p: p + log(1 + exp(-p)) - two)


def bitempered(s, t1=0.8, t2=1.2):
    t1, t2 = mpf(t1), mpf(t2)
    z = [v.value for v in s.z]
    top = max(z)

    def tempered(x):
        return mp.exp(x) if t2 == 1 else (1 - (t2 - 1) * x) ** (-1 / (t2 - 1))

    low, high = top, top + (mp.log(len(z)) if t2 == 1 else (mpf(len(z)) ** (t2 - 1) - 1) / (t2 - 1))
    a = low
    for _ in range(400):  # Newton from the left: the sum is convex and falls
        p = [tempered(v - a) for v in z]
        step = (sum(p) - 1) / sum(x ** t2 for x in p)
        a += step
        if abs(step) < mpf(10) ** -200:
            break
    p = [tempered(v - a) for v in z]
    escort = sum(x ** t2 for x in p)
    shift = Var(a, tuple((v, x ** t2 / escort) for v, x in zip(s.z, p)))
    q = []
    for v in s.z:
        x = v - shift
        q.append(exp(x) if t2 == 1 else (1 - (t2 - 1) * x) ** (-1 / (t2 - 1)))
    own = log(q[s.y]) if t1 == 1 else (q[s.y] ** (1 - t1) - 1) / (1 - t1)
    return -own - (1 - total([x ** (2 - t1) for x in q])) / (2 - t1)


LOW = mpf("1e-7")


def clamped_logs(s):
    return [log(cut(p, LOW)) for p in s.p]


def kl_clamped(s):
    return -clamped_logs(s)[s.y]


def jeffreys_clamped(s):
    c = clamped_logs(s)
    reverse = total([p * (l - (0 if k == s.y else mp.log(LOW))) for k, (p, l) in enumerate(zip(s.p, c))])
    return (kl_clamped(s) + reverse) / 2


def bs_clamped(s, beta=0.8):
    c, beta = clamped_logs(s), mpf(beta)
    return total([-((beta if k == s.y else 0) + (1 - beta) * p) * l
                  for k, (p, l) in enumerate(zip(s.p, c))])


def gce_clamped(s, q=0.7):
    return (1 - cut(s.py, LOW) ** mpf(q)) / mpf(q)


def rce_clamped(s):
    floor = mp.log(mpf("1e-4"))
    return total([-cut(p, LOW) * (0 if k == s.y else floor) for k, p in enumerate(s.p)])


def sce_clamped(s, alpha=0.1, beta=1):
    return mpf(alpha) * ce(s) + beta * rce_clamped(s)


def gjs_clamped(views, pi1=0.5):
    pi1, y = mpf(pi1), views[0].y
    share = (1 - pi1) / len(views)
    value = Var(0)
    for k in range(views[0].k):
        m = (pi1 if k == y else 0) + total([share * s.p[k] for s in views])
        log_m = log(cut(m, LOW))
        if k == y:
            value = value - pi1 * log_m
        for s in views:
            value = value + share * s.p[k] * (log(cut(s.p[k], LOW)) - log_m)
    return value / (-(1 - pi1) * mp.log(1 - pi1))


def js_clamped(s, pi1=0.5):
    return gjs_clamped([s], pi1)


def norm_clip(z, tau, p):
    """The logits, scaled to a norm of tau where it is larger."""
    size = total([v ** p if v.value >= 0 else (-v) ** p for v in z]) ** (1 / mpf(p))
    return [v * (tau / size) for v in z] if size.value > tau else z


def logitclip(fn, tau=1, p=2):
    def clipped(s):
        views = s if isinstance(s, list) else [s]
        cut = [Sample(norm_clip(v.z, mpf(tau), mpf(p)), v.y) for v in views]
        return fn(cut if isinstance(s, list) else cut[0])
    return clipped


SHORT = ["K2_normal1", "K3_ties", "K10_normal1", "K10_extreme1e4", "K10_nearonehot"]
ALL = ["K2_normal1", "K2_extreme80", "K3_ties", "K3_nearonehot", "K10_normal1", "K10_normal30",
       "K10_extreme1e4", "K10_nearonehot", "K100_normal1", "K1000_normal1"]
D = mpf
CASES = [
    ("focal", focal, ALL), ("focal:gamma=2", lambda s: focal(s, 2), SHORT),
    ("focal:gamma=0", lambda s: focal(s, 0), SHORT),
    ("nfl", nfl, ALL), ("nfl:gamma=2", lambda s: nfl(s, 2), SHORT),
    ("agce", agce, ALL), ("agce:a=4,q=0.2", lambda s: agce(s, D(4.0), D(0.2)), SHORT),
    ("aul", aul, ALL), ("aul:a=3,q=0.1", lambda s: aul(s, D(3.0), D(0.1)), SHORT),
    ("ael", ael, ALL),
    ("nce+agce", lambda s: nce(s) + 4 * agce(s, D(6.0), D(1.5)), ALL),
    ("nce+aul", lambda s: nce(s) + 4 * aul(s, D(6.3), D(1.5)), ALL),
    ("nce+ael", lambda s: nce(s) + 4 * ael(s, D(5.0)), ALL),
    ("anl-ce", anl_ce, ALL), ("anl-ce:alpha=10,beta=1", lambda s: anl_ce(s, 10, 1), SHORT),
    ("anl-fl", anl_fl, ALL),
    ("taylor", taylor, ALL), ("taylor:t=1", lambda s: taylor(s, 1), SHORT),
    ("taylor:t=40", lambda s: taylor(s, 40), SHORT),
    ("poly", poly, ALL), ("poly:epsilon=-1", lambda s: poly(s, -1), SHORT),
    ("bitempered", bitempered, ALL),
    ("bitempered:t1=0.2,t2=4", lambda s: bitempered(s, D(0.2), D(4.0)), SHORT),
    ("bitempered:t1=1,t2=1", lambda s: bitempered(s, 1, 1), SHORT),
    ("eps-ce", eps_ce, ALL), ("eps-ce:m=0", lambda s: eps_ce(s, 0), SHORT),
    ("eps-ce+mae", lambda s: D(0.01) * eps_ce(s, 1e5) + 5 * mae(s), ALL),
    ("forward", forward, ALL), ("forward:rate=0", lambda s: forward(s, 0), SHORT),
    ("backward", backward_corrected, ALL), ("peer", peer, ALL),
    ("fdiv-tv", fdiv_tv, ALL), ("fdiv-pearson", fdiv_pearson, ALL), ("fdiv-js", fdiv_js, ALL),
    ("nce+mae", lambda s: nce(s) + mae(s), ALL),
    ("1*nce+1*rce", lambda s: nce(s) + rce(s), SHORT),
    ("10*nce+0.1*rce", lambda s: 10 * nce(s) + D(0.1) * rce(s), SHORT),
    ("1*gce:q=0.7+1*mae", lambda s: gce(s, D(0.7)) + mae(s), ALL),
    ("0.5*ce+2*nfl+3*anl-ce", lambda s: D(0.5) * ce(s) + 2 * nfl(s) + 3 * anl_ce(s), SHORT),
    ("2.5*ce", lambda s: D(2.5) * ce(s), SHORT),
    ("kl:clamp=1", kl_clamped, ALL), ("jeffreys:clamp=1", jeffreys_clamped, ALL),
    ("bs:clamp=1", bs_clamped, ALL), ("gce:clamp=1", gce_clamped, ALL),
    ("rce:clamp=1", rce_clamped, ALL), ("sce:clamp=1", sce_clamped, ALL),
    ("js:clamp=1", js_clamped, ALL),
    ("gjs:clamp=1", gjs_clamped, ALL), ("gjs:clamp=1,pi1=0.1", lambda v: gjs_clamped(v, D(0.1)), SHORT),
    ("gjs:clamp=1+0.5*ce", lambda v: gjs_clamped(v) + D(0.5) / 2 * (ce(v[0]) + ce(v[1])), SHORT),
    ("logitclip:loss=ce", logitclip(ce), ALL),
    ("logitclip:tau=3,loss=gce:q=0.7", logitclip(lambda s: gce(s, D(0.7)), 3), ALL),
    ("logitclip:tau=2,p=1,loss=focal:gamma=2+mae", logitclip(lambda s: focal(s, 2) + mae(s), 2, 1), SHORT),
    ("logitclip:tau=0.5,p=3.5,loss=2.5*ce", logitclip(lambda s: D(2.5) * ce(s), D(0.5), D(3.5)), SHORT),
    ("logitclip:tau=4,loss=gjs:clamp=1,pi1=0.1", logitclip(lambda v: gjs_clamped(v, D(0.1)), 4), SHORT),
]
VIEWS = {"gjs:clamp=1": 2, "gjs:clamp=1,pi1=0.1": 2, "gjs:clamp=1+0.5*ce": 2,
         "logitclip:tau=4,loss=gjs:clamp=1,pi1=0.1": 2}
SAMPLES = {2: 8, 3: 8, 10: 8, 100: 2, 1000: 1}


def read_safetensors(path):
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        head = json.loads(file.read(length))
        data = file.read()
    kinds = {"F32": "<f4", "F64": "<f8", "I32": "<i4"}
    return {name: np.frombuffer(data[t["data_offsets"][0]:t["data_offsets"][1]],
                                kinds[t["dtype"]]).reshape(t["shape"])
            for name, t in head.items() if name != "__metadata__"}


def write_safetensors(path, tensors):
    head, data, at = {}, [], 0
    for name, array in tensors.items():
        raw = array.astype("<f8").tobytes()
        head[name] = {"dtype": "F64", "shape": list(array.shape), "data_offsets": [at, at + len(raw)]}
        data.append(raw)
        at += len(raw)
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def evaluate(fn, z, y, views):
    """Values and gradients of the mean, [views][B][K]."""
    count, classes = z[0].shape
    values, grads = np.zeros(count), np.zeros((views, count, classes))
    for i in range(count):
        logits = [[Var(float(v)) for v in z[j][i]] for j in range(views)]
        samples = [Sample(logits[j], int(y[i])) for j in range(views)]
        root = fn(samples if views > 1 else samples[0])
        backward(root)
        values[i] = float(root.value)
        for j in range(views):
            grads[j][i] = [float(v.grad / count) for v in logits[j]]
    return values, grads


def main():
    inputs = read_safetensors(os.path.join(GOLDEN, "losses.safetensors"))
    cases, tensors = [], {}
    for spec, fn, sets in CASES:
        views = VIEWS.get(spec, 1)
        for name in sets:
            z = [inputs[f"inputs/{name}/logits{j + 1}"] for j in range(views)]
            n = SAMPLES[z[0].shape[1]]
            values, grads = evaluate(fn, [v[:n] for v in z], inputs[f"inputs/{name}/labels"][:n], views)
            case = f"{spec}/{name}"
            cases.append({"name": case, "spec": spec, "inputs": name, "target": "labels", "views": views,
                          "samples": n})
            tensors[f"{case}/loss"] = values
            for j in range(views):
                tensors[f"{case}/grad{j + 1}"] = grads[j]
        print(spec, file=sys.stderr)
    with open(os.path.join(GOLDEN, "robust_losses.json"), "w") as file:
        file.write('{"cases": [\n' + ",\n".join(json.dumps(c) for c in cases) + "\n]}\n")
    write_safetensors(os.path.join(GOLDEN, "robust_losses.safetensors"), tensors)


if __name__ == "__main__":
    main()
