"""The losses written down once more, for autograd in float64: plain formulas from the
definitions, with nothing of the library's forms. `z` is [views][samples][classes], `t` the
targets [samples][classes]; the result is one value a sample."""
import math

import torch


def entropy_term(x):
    return torch.where(x > 0, x * torch.log(torch.where(x > 0, x, torch.ones_like(x))), torch.zeros_like(x))


def kl(a, b):
    return (entropy_term(a) - torch.where(a > 0, a * torch.log(b), torch.zeros_like(b))).sum(-1)


def mean_of_views(f):
    return lambda z, t, **k: sum(f(torch.softmax(v, -1), torch.log_softmax(v, -1), t, **k) for v in z) / len(z)


def jensen_shannon(distributions, weights):
    mixture = sum(w * p for w, p in zip(weights, distributions))
    return sum(w * kl(p, mixture) for w, p in zip(weights, distributions))


def scale(pi1):
    return -(1 - pi1) * math.log(1 - pi1)


def js(p, log_p, t, pi1=0.5):
    return jensen_shannon([t, p], [pi1, 1 - pi1]) / scale(pi1)


def gjs(z, t, pi1=0.5):
    p = [torch.softmax(v, -1) for v in z]
    return jensen_shannon([t, *p], [pi1] + [(1 - pi1) / len(p)] * len(p)) / scale(pi1)


def gjs_nocons(z, t, pi1=0.5):
    return js(sum(torch.softmax(v, -1) for v in z) / len(z), None, t, pi1)


def ce(p, log_p, t):
    return -(t * log_p).sum(-1)


def rce(p, log_p, t):
    return -(p * torch.log(t.clamp(min=1e-4))).sum(-1)


def nce(p, log_p, t):
    return (t * log_p).sum(-1) / log_p.sum(-1)


def kl_rev(p, log_p, t):
    return (p * (log_p - torch.log(t.clamp(min=1e-7)))).sum(-1)


def bs(p, log_p, t, beta=0.8):
    return -((beta * t + (1 - beta) * p) * log_p).sum(-1)


def ls(p, log_p, t, epsilon=0.1):
    return ce(p, log_p, (1 - epsilon) * t + epsilon / t.shape[-1])


FORMULAS = {
    "gjs": gjs,
    "js": mean_of_views(js),
    "gjs-nocons": gjs_nocons,
    "gjs-consistency": lambda z, t, pi1=0.5: gjs(z, t, pi1) - gjs_nocons(z, t, pi1),
    "ce": mean_of_views(ce),
    "mae": mean_of_views(lambda p, log_p, t: (t - p).abs().sum(-1)),
    "gce": mean_of_views(lambda p, log_p, t, q=0.7: (1 - (p * t).sum(-1) ** q) / q),
    "sce": mean_of_views(lambda p, log_p, t: 0.1 * ce(p, log_p, t) + rce(p, log_p, t)),
    "nce": mean_of_views(nce),
    "rce": mean_of_views(rce),
    "nce+rce": mean_of_views(lambda p, log_p, t: 10 * nce(p, log_p, t) + 0.1 * rce(p, log_p, t)),
    "ls": mean_of_views(ls),
    "bs": mean_of_views(bs),
    "kl": mean_of_views(lambda p, log_p, t: kl(t, p)),
    "kl-rev": mean_of_views(kl_rev),
    "jeffreys": mean_of_views(lambda p, log_p, t: (kl(t, p) + kl_rev(p, log_p, t)) / 2),
    "k": mean_of_views(lambda p, log_p, t: kl(t, (t + p) / 2)),
    "k-rev": mean_of_views(lambda p, log_p, t: kl(p, (t + p) / 2)),
}
