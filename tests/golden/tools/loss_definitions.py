"""The losses as formulas in mpmath: value and derivative by the probabilities.

Used by make_losses.py.  Everything is evaluated with 220 significant digits.
"""
import mpmath as mp
from mpmath import mpf

mp.mp.dps = 220
ZERO, ONE = mpf(0), mpf(1)
A_FLOOR = mpf(1e-4)      # label floor of RCE / SCE: log(0) := log(1e-4)
KL_FLOOR = mpf(1e-7)     # label floor of KL' and Jeffreys


# ------------------------------------------------------------------ basics

def softmax(z):
    m = max(z)
    e = [mp.exp(v - m) for v in z]
    s = mp.fsum(e)
    ls = mp.log(s)
    return [v / s for v in e], [v - m - ls for v in z]


def dot(a, b):
    return mp.fdot(zip(a, b))


def xlogx(v):
    return v * mp.log(v) if v else ZERO


def entropy(p):
    return -mp.fsum(xlogx(v) for v in p)


def floor_log(t, lo):
    return [mp.log(v if v > lo else lo) for v in t]


def view_weights(par):
    """pi_1 .. pi_M as exact numbers that sum to one."""
    if "weights" in par:
        w = [mpf(v) for v in par["weights"]]
        w[-1] = ONE - mp.fsum(w[:-1])
        return w
    p1, n = mpf(par["pi1"]), par["M"] - 1
    return [p1] + [(ONE - p1) / n] * n


def z_scale(par, w):
    return -(ONE - w[0]) * mp.log(ONE - w[0]) if par.get("scaled", True) else ONE


# ------------------------------------------------------------------ losses
# each: (t, P, L, par) -> (loss, [dloss/dp of view 1, view 2, ...])
# t: target distribution; P[j], L[j]: probabilities and log-probabilities.

def l_ce(t, P, L, par):
    p, l = P[0], L[0]
    return -dot(t, l), [[-a / b if a else ZERO for a, b in zip(t, p)]]


def l_kl(t, P, L, par):
    v, g = l_ce(t, P, L, par)
    return v - entropy(t), g


def l_mae(t, P, L, par):
    return (mp.fsum(abs(a - b) for a, b in zip(t, P[0])),
            [[mpf(mp.sign(b - a)) for a, b in zip(t, P[0])]])


def l_mae_half(t, P, L, par):
    v, g = l_mae(t, P, L, par)
    return v / 2, [[x / 2 for x in g[0]]]


def gjs_core(dists, logs, w):
    """sum_i w_i KL(d_i || m) and its derivative with respect to each d_i."""
    K = len(dists[0])
    m = [mp.fsum(wi * d[k] for wi, d in zip(w, dists)) for k in range(K)]
    lm = [mp.log(v) if v else ZERO for v in m]
    val, der = ZERO, []
    for wi, d, ld in zip(w, dists, logs):
        r = [(a - b) if x else ZERO for a, b, x in zip(ld, lm, d)]
        val += wi * dot(d, r)
        der.append([wi * x for x in r])
    return val, der


def safe_logs(t):
    return [mp.log(v) if v else ZERO for v in t]


def l_gjs(t, P, L, par):
    w = view_weights(par)
    v, g = gjs_core([t] + P, [safe_logs(t)] + L, w)
    z = z_scale(par, w)
    return v / z, [[x / z for x in gj] for gj in g[1:]]


def l_nocons(t, P, L, par):
    w = view_weights(par)
    a = [wi / (ONE - w[0]) for wi in w[1:]]
    K = len(t)
    mean = [mp.fsum(ai * p[k] for ai, p in zip(a, P)) for k in range(K)]
    v, g = gjs_core([t, mean], [safe_logs(t), safe_logs(mean)], [w[0], ONE - w[0]])
    z = z_scale(par, w)
    return v / z, [[ai * x / z for x in g[1]] for ai in a]


def l_consistency(t, P, L, par):
    w = view_weights(par)
    v, g = gjs_core(P, L, [wi / (ONE - w[0]) for wi in w[1:]])
    s = (ONE - w[0]) / z_scale(par, w)
    return s * v, [[s * x for x in gj] for gj in g]


def smooth(t, eps):
    K = len(t)
    return [(ONE - eps) * v + eps / K for v in t]


def l_ls_ce(t, P, L, par):
    return l_ce(smooth(t, mpf(par["t"])), P, L, par)


def l_ls_kl(t, P, L, par):
    return l_kl(smooth(t, mpf(par["t"])), P, L, par)


def l_bs(t, P, L, par):
    s = mpf(par["t"])
    p, l = P[0], L[0]
    ce, g = l_ce(t, P, L, par)
    ent = -dot(p, l)
    return ((ONE - s) * ce + s * ent,
            [[(ONE - s) * a - s * (b + 1) for a, b in zip(g[0], l)]])


def l_rce(t, P, L, par):
    lt = floor_log(t, A_FLOOR)
    return -dot(P[0], lt), [[-v for v in lt]]


def mix(f, a, g, b):
    def h(t, P, L, par):
        x, dx = f(t, P, L, par)
        y, dy = g(t, P, L, par)
        ca, cb = mpf(par[a]), mpf(par[b])
        return ca * x + cb * y, [[ca * u + cb * v for u, v in zip(dx[0], dy[0])]]
    return h


def l_gce(t, P, L, par):
    q = mpf(par["q"])
    y = t.index(max(t))
    v = mp.exp(q * L[0][y])
    g = [ZERO] * len(t)
    g[y] = -v / P[0][y]
    return (ONE - v) / q, [g]


def l_nce(t, P, L, par):
    p, l = P[0], L[0]
    N, D = dot(t, l), mp.fsum(l)
    return N / D, [[(a / D - N / (D * D)) / b for a, b in zip(t, p)]]


def l_klrev(t, P, L, par):
    lt = floor_log(t, KL_FLOOR)
    r = [a - b for a, b in zip(L[0], lt)]
    return dot(P[0], r), [[v + 1 for v in r]]


def l_jeffreys(t, P, L, par):
    a, da = l_kl(t, P, L, par)
    b, db = l_klrev(t, P, L, par)
    return (a + b) / 2, [[(u + v) / 2 for u, v in zip(da[0], db[0])]]


def l_k(t, P, L, par):
    p = P[0]
    m = [(a + b) / 2 for a, b in zip(t, p)]
    v = mp.fsum(a * (mp.log(a) - mp.log(c)) for a, c in zip(t, m) if a)
    return v, [[-a / (2 * c) if a else ZERO for a, c in zip(t, m)]]


def l_krev(t, P, L, par):
    p, l = P[0], L[0]
    m = [(a + b) / 2 for a, b in zip(t, p)]
    r = [a - mp.log(c) for a, c in zip(l, m)]
    return dot(p, r), [[a + 1 - b / (2 * c) for a, b, c in zip(r, p, m)]]


LOSSES = {
    "ce": (l_ce, "-sum_k t_k log p_k"),
    "mae": (l_mae, "||t - p||_1 = sum_k |t_k - p_k|; 2 (1 - p_y) for a one-hot target"),
    "mae_half": (l_mae_half, "||t - p||_1 / 2; 1 - p_y for a one-hot target. This is what the authors' code trains with and the pi1 -> 1 limit of JS"),
    "js": (l_gjs, "[pi1 KL(t||m) + (1-pi1) KL(p||m)] / Z, m = pi1 t + (1-pi1) p; Z = -(1-pi1) log(1-pi1) if scaled else 1"),
    "gjs": (l_gjs, "[pi1 KL(t||m) + sum_{j>=2} pi_j KL(p_j||m)] / Z, m = pi1 t + sum_j pi_j p_j; Z as in js. Without `weights`, pi_j = (1-pi1)/(M-1)"),
    "gjs_nocons": (l_nocons, "js between t and mean = sum_{j>=2} pi_j p_j / (1-pi1), a distribution; weights (pi1, 1-pi1); Z as in js"),
    "gjs_consistency": (l_consistency, "(1-pi1) sum_{j>=2} (pi_j/(1-pi1)) KL(p_j||mean) / Z: the remainder gjs - gjs_nocons; needs no target; same Z (from pi1)"),
    "ls_ce": (l_ls_ce, "ce with t' = (1-t) target + t/K"),
    "ls_kl": (l_ls_kl, "KL(t'||p), t' as in ls_ce; the value the authors' code reports (ls_ce minus the constant H(t'))"),
    "bootstrap": (l_bs, "(1-t) ce + t H(p): soft bootstrapping with target (1-t) target + t p, gradient also through the p in the target"),
    "rce": (l_rce, "-sum_k p_k log max(t_k, 1e-4)"),
    "sce": (mix(l_ce, "alpha", l_rce, "beta"), "alpha ce + beta rce, A = log 1e-4"),
    "gce": (l_gce, "(1 - p_y^q)/q"),
    "nce": (l_nce, "(sum_k t_k log p_k) / (sum_k log p_k)"),
    "nce_rce": (mix(l_nce, "alpha", l_rce, "beta"), "alpha nce + beta rce"),
    "kl": (l_kl, "KL(t||p)"),
    "kl_rev": (l_klrev, "KL' : sum_k p_k (log p_k - log max(t_k, 1e-7))"),
    "jeffreys": (l_jeffreys, "(kl + kl_rev)/2, with the target floor 1e-7 in kl_rev only"),
    "k": (l_k, "KL(t || (t+p)/2)"),
    "k_rev": (l_krev, "K' : KL(p || (t+p)/2)"),
}
MULTI = {"gjs", "gjs_nocons", "gjs_consistency"}
