"""The losses written down once more, for autograd in float64: plain formulas from the
definitions of the papers, with nothing of the library's forms. `z` is [views][samples][classes],
`t` the targets [samples][classes]; the result is one value a sample, of js-sqrt one value. The
parameters are named as the library's, and their defaults are the authors'."""
import math

import torch


def entropy_term(x):
    return torch.where(x > 0, x * torch.log(torch.where(x > 0, x, torch.ones_like(x))), torch.zeros_like(x))


def kl_divergence(a, b):
    return (entropy_term(a) - torch.where(a > 0, a * torch.log(b), torch.zeros_like(b))).sum(-1)


def mean_of_views(f):
    """The loss of one view, given its probabilities, averaged over the views."""
    return lambda z, t, **k: sum(f(torch.softmax(v, -1), torch.log_softmax(v, -1), t, **k) for v in z) / len(z)


def mean_of_logits(f):
    """The same for a loss with a softmax of its own."""
    return lambda z, t, **k: sum(f(v, t, **k) for v in z) / len(z)


def of(t, x):
    """What `x` is at the label."""
    return (t * x).sum(-1)


# Jensen-Shannon

CUT = 1e-7  # where published code cuts a probability


def weights_of(views, pi1, pi):
    return pi or [pi1] + [(1 - pi1) / views] * views


def jensen_shannon(distributions, weights, clamp=0):
    mixture = sum(w * p for w, p in zip(weights, distributions))
    if not clamp:
        return sum(w * kl_divergence(p, mixture) for w, p in zip(weights, distributions))
    log_mixture = mixture.clamp(min=CUT).log()
    return sum(w * (p * (p.clamp(min=CUT).log() - log_mixture)).sum(-1) for w, p in zip(weights, distributions))


def factor(pi1, scale):
    return -(1 - pi1) * math.log(1 - pi1) if scale else 1


def js(p, log_p, t, pi1=0.5, pi=None, scale=1, clamp=0):
    pi1, rest = weights_of(1, pi1, pi)
    return jensen_shannon([t, p], [pi1, rest], clamp) / factor(pi1, scale)


def gjs(z, t, pi1=0.5, pi=None, scale=1, clamp=0):
    weights = weights_of(len(z), pi1, pi)
    return jensen_shannon([t, *torch.softmax(z, -1)], weights, clamp) / factor(weights[0], scale)


def mean_prediction(z, weights):
    return sum(w * p for w, p in zip(weights[1:], torch.softmax(z, -1))) / sum(weights[1:])


def gjs_nocons(z, t, pi1=0.5, pi=None, scale=1, code=0):
    weights = weights_of(len(z), pi1, pi)
    mean, first = mean_prediction(z, weights), weights[0]
    if code:
        mean = mean * (1 - first)  # the authors' code does not divide it: it sums to 1 - pi1
    return jensen_shannon([t, mean], [first, 1 - first]) / factor(first, scale)


def gjs_consistency(z, t, pi1=0.5, pi=None, scale=1):
    weights = weights_of(len(z), pi1, pi)
    mean = mean_prediction(z, weights)
    return sum(w * kl_divergence(p, mean)
               for w, p in zip(weights[1:], torch.softmax(z, -1))) / factor(weights[0], scale)


def twice(scale):
    return 2 / math.log(2) if scale else 1


def kl(p, log_p, t, scale=0, clamp=0):
    return twice(scale) * (entropy_term(t) - t * (p.clamp(min=CUT).log() if clamp else log_p)).sum(-1)


def kl_rev(p, log_p, t, scale=0, clamp=0):
    log_p = p.clamp(min=CUT).log() if clamp else log_p
    return twice(scale) * (p * (log_p - torch.log(t.clamp(min=CUT)))).sum(-1)


def jeffreys(p, log_p, t, scale=0, clamp=0):
    return (kl(p, log_p, t, scale, clamp) + kl_rev(p, log_p, t, scale, clamp)) / 2


def k(p, log_p, t, scale=0):
    return twice(scale) * kl_divergence(t, (t + p) / 2)


def k_rev(p, log_p, t, scale=0):
    return twice(scale) * kl_divergence(p, (t + p) / 2)


def js_sqrt(z, t, scale=0):
    return twice(scale) * mean_of_views(js)(z, t, scale=0).mean().sqrt()


# Cross-entropy, the absolute error, and what is between them

def ce(p, log_p, t):
    return -of(t, log_p)


def mae(p, log_p, t, half=0):
    return (t - p).abs().sum(-1) / (2 if half else 1)


def ls(p, log_p, t, epsilon=0.1, kl=0):
    smooth = (1 - epsilon) * t + epsilon / t.shape[-1]
    return kl_divergence(smooth, p) if kl else ce(p, log_p, smooth)


def bs(p, log_p, t, beta=0.8, clamp=0):
    return -((beta * t + (1 - beta) * p) * (p.clamp(min=CUT).log() if clamp else log_p)).sum(-1)


def gce(p, log_p, t, q=0.7, clamp=0):
    return (1 - of(t, p.clamp(min=CUT) if clamp else p) ** q) / q


def rce(p, log_p, t, clamp=0):
    return -((p.clamp(min=CUT) if clamp else p) * torch.log(t.clamp(min=1e-4))).sum(-1)


def sce(p, log_p, t, alpha=0.1, beta=1, clamp=0):
    return alpha * ce(p, log_p, t) + beta * rce(p, log_p, t, clamp)


def taylor(p, log_p, t, terms=2):
    return sum((1 - of(t, p)) ** i / i for i in range(1, terms + 1))


def poly(p, log_p, t, epsilon=2):
    return ce(p, log_p, t) + epsilon * (1 - of(t, p))


def agce(p, log_p, t, a=0.6, q=0.6):
    return ((a + 1) ** q - (a + of(t, p)) ** q) / q


def aul(p, log_p, t, a=5.5, q=3):
    return ((a - of(t, p)) ** q - (a - 1) ** q) / q


def ael(p, log_p, t, a=2.5):
    return torch.exp(-of(t, p) / a)


def log_tempered(x, t):
    return torch.log(x) if t == 1 else (x ** (1 - t) - 1) / (1 - t)


def exp_tempered(x, t):
    return torch.exp(x) if t == 1 else (1 + (1 - t) * x).clamp(min=0) ** (1 / (1 - t))


def bitempered(z, t, t1=0.8, t2=1.2):
    with torch.no_grad():  # the normalisation: halving, from sums of at least 1 and at most 1
        low = z.max(-1, keepdim=True).values
        high = low - log_tempered(torch.full_like(low, 1 / z.shape[-1]), t2)
        for _ in range(100):
            middle = (low + high) / 2
            above = exp_tempered(z - middle, t2).sum(-1, keepdim=True) > 1
            low, high = torch.where(above, middle, low), torch.where(above, high, middle)
        slope = (exp_tempered(z - low, t2) ** t2).sum(-1, keepdim=True)
    # One step of Newton's method changes no value, but tells autograd how the normalisation follows z.
    shift = low + (exp_tempered(z - low, t2).sum(-1, keepdim=True) - 1) / slope
    p = exp_tempered(z - shift, t2)
    # the Bregman divergence of a one-hot target: log_t1 of its entries of 0 counts times 0
    return (1 - (p ** (2 - t1)).sum(-1)) / -(2 - t1) - log_tempered(of(t, p), t1)


# Normalised losses: over the sum of the same loss for all labels

def nce(p, log_p, t):
    return ce(p, log_p, t) / -log_p.sum(-1)


def focal_terms(p, log_p, gamma):
    return -(1 - p) ** gamma * log_p


def focal(p, log_p, t, gamma=0.5):
    return of(t, focal_terms(p, log_p, gamma))


def nfl(p, log_p, t, gamma=0.5):
    return focal(p, log_p, t, gamma) / focal_terms(p, log_p, gamma).sum(-1)


def beside_nce(passive, alpha, beta, **defaults):
    def f(p, log_p, t, alpha=alpha, beta=beta, **k):
        return alpha * nce(p, log_p, t) + beta * passive(p, log_p, t, **{**defaults, **k})
    return mean_of_views(f)


def negative(losses, worst, t):
    """1 - (A - L_y) / sum_k (A - L_k), the normalised negative loss."""
    return 1 - of(t, worst - losses) / (worst - losses).sum(-1)


def anl_ce(p, log_p, t, alpha=5, beta=5, **cut):
    least = cut.get("min", 1e-7)
    return alpha * nce(p, log_p, t) + beta * negative(-p.clamp(min=least).log(), -math.log(least), t)


def anl_fl(p, log_p, t, alpha=5, beta=5, gamma=0.5, **cut):
    least = cut.get("min", 1e-7)
    held = p.clamp(min=least)
    worst = -(1 - least) ** gamma * math.log(least)
    return alpha * nfl(p, log_p, t, gamma) + beta * negative(focal_terms(held, held.log(), gamma), worst, t)


# epsilon-softmax

def eps_ce(p, log_p, t, m=1e4):
    top = torch.nn.functional.one_hot(p.argmax(-1), p.shape[-1])
    return -torch.log(of(t, (p + m * top) / (1 + m)))


# Corrections: by the transition matrix T, whose row i has the labels of class i

def transition(classes, rate):
    return (1 - rate) * torch.eye(classes, dtype=torch.float64) + rate / classes


def forward(p, log_p, t, rate=0.4):
    return -torch.log(of(t, p @ transition(p.shape[-1], rate)))


def backward(p, log_p, t, rate=0.4):
    inverse = torch.linalg.inv(transition(p.shape[-1], rate))
    return of(t, -log_p @ inverse.T)  # the loss of each label, then that of the label there is


# Against a peer, whose label is every class in turn

def peer(p, log_p, t, alpha=1, clamp=0):
    peers = torch.log(p + clamp) if clamp else log_p
    return ce(p, log_p, t) + alpha * peers.mean(-1)


def divergence(g, conjugate):
    """The variational form: -E g under the joint distribution + E f*(g) under the product."""
    return mean_of_views(lambda p, log_p, t: conjugate(g(p)).mean(-1) - of(t, g(p)))


FORMULAS = {
    "gjs": gjs,
    "js": mean_of_views(js),
    "gjs-nocons": gjs_nocons,
    "gjs-consistency": gjs_consistency,
    "ce": mean_of_views(ce),
    "mae": mean_of_views(mae),
    "gce": mean_of_views(gce),
    "sce": mean_of_views(sce),
    "nce": mean_of_views(nce),
    "rce": mean_of_views(rce),
    "nce+rce": beside_nce(rce, 10, 0.1),
    "ls": mean_of_views(ls),
    "bs": mean_of_views(bs),
    "kl": mean_of_views(kl),
    "kl-rev": mean_of_views(kl_rev),
    "jeffreys": mean_of_views(jeffreys),
    "k": mean_of_views(k),
    "k-rev": mean_of_views(k_rev),
    "js-sqrt": js_sqrt,
    "focal": mean_of_views(focal),
    "nfl": mean_of_views(nfl),
    "agce": mean_of_views(agce),
    "aul": mean_of_views(aul),
    "ael": mean_of_views(ael),
    "nce+agce": beside_nce(agce, 1, 4, a=6, q=1.5),
    "nce+aul": beside_nce(aul, 1, 4, a=6.3, q=1.5),
    "nce+ael": beside_nce(ael, 1, 4, a=5),
    "anl-ce": mean_of_views(anl_ce),
    "anl-fl": mean_of_views(anl_fl),
    "taylor": lambda z, targets, t=2: mean_of_views(taylor)(z, targets, terms=t),
    "poly": mean_of_views(poly),
    "bitempered": mean_of_logits(bitempered),
    "eps-ce": mean_of_views(eps_ce),
    "eps-ce+mae": mean_of_views(lambda p, log_p, t, alpha=0.01, beta=5, m=1e5:
                                alpha * eps_ce(p, log_p, t, m) + beta * mae(p, log_p, t)),
    "forward": mean_of_views(forward),
    "backward": mean_of_views(backward),
    "peer": mean_of_views(peer),
    "fdiv-tv": divergence(lambda v: torch.tanh(v) / 2, lambda u: u),
    "fdiv-pearson": divergence(lambda v: v, lambda u: u * u / 4 + u),
    "fdiv-js": divergence(lambda v: torch.log(2 / (1 + torch.exp(-v))), lambda u: -torch.log(2 - torch.exp(u))),
}

# Parameters beside the defaults. A list of weights is for one number of views. The matrix of a
# correction is not here: Python has no way to give one.
OTHERS = {
    "gjs": [{"pi1": 0.1}, {"pi1": 0.9, "scale": 0}, {"pi": [0.5, 0.3, 0.2]}, {"clamp": 1, "pi1": 0.3}],
    "js": [{"pi1": 0.1}, {"pi1": 0.9, "scale": 0}, {"pi": [0.7, 0.3]}, {"clamp": 1, "pi1": 0.3}],
    "gjs-nocons": [{"pi1": 0.1}, {"pi1": 0.9, "scale": 0}, {"pi": [0.5, 0.3, 0.2]}, {"code": 1, "pi1": 0.3}],
    "gjs-consistency": [{"pi1": 0.1}, {"pi1": 0.9, "scale": 0}, {"pi": [0.5, 0.3, 0.2]}],
    "mae": [{"half": 1}],
    "gce": [{"q": 0.3}, {"q": 1.0}, {"clamp": 1}],
    "sce": [{"alpha": 6, "beta": 0.1}, {"clamp": 1}],
    "rce": [{"clamp": 1}],
    "nce+rce": [{"alpha": 1, "beta": 1}],
    "ls": [{"epsilon": 0.4}, {"kl": 1}],
    "bs": [{"beta": 0.3}, {"clamp": 1}],
    "kl": [{"scale": 1}, {"clamp": 1}],
    "kl-rev": [{"scale": 1}],
    "jeffreys": [{"scale": 1}, {"clamp": 1}],
    "k": [{"scale": 1}],
    "k-rev": [{"scale": 1}],
    "js-sqrt": [{"scale": 1}],
    "focal": [{"gamma": 0}, {"gamma": 2}],
    "nfl": [{"gamma": 0}, {"gamma": 2}],
    "agce": [{"a": 1.8, "q": 3}, {"a": 6, "q": 1.5}],
    "aul": [{"a": 6, "q": 1.5}, {"a": 1.1, "q": 0.5}],
    "ael": [{"a": 0.5}],
    "nce+agce": [{"alpha": 10, "beta": 0.1, "a": 1.8, "q": 3}],
    "nce+aul": [{"alpha": 10, "beta": 0.015, "a": 6, "q": 3}],
    "nce+ael": [{"alpha": 10, "beta": 0.1, "a": 1.5}],
    "anl-ce": [{"alpha": 10, "beta": 1}, {"min": 1e-3}],
    "anl-fl": [{"alpha": 10, "beta": 1, "gamma": 2}, {"min": 1e-3}],
    "taylor": [{"t": 1}, {"t": 6}],
    "poly": [{"epsilon": -1}, {"epsilon": 5}],
    "bitempered": [{"t1": 0.2, "t2": 4}, {"t1": 1}, {"t2": 1}, {"t1": 0.5, "t2": 2}],
    "eps-ce": [{"m": 0.5}],
    "eps-ce+mae": [{"alpha": 1, "beta": 0.3, "m": 2}],
    "forward": [{"rate": 0}, {"rate": 0.8}],
    "backward": [{"rate": 0}, {"rate": 0.8}],
    "peer": [{"alpha": 0.3}, {"clamp": 1e-3}],
}
