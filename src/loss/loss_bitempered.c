/* loss/loss_bitempered.c - bi-tempered logistic loss.
 *
 *     p_k = exp_t2(z_k - a),  a such that sum_k p_k = 1
 *     L = -log_t1 p_y - (1 - sum_k p_k^(2-t1)) / (2 - t1)
 *     log_t x = (x^(1-t) - 1) / (1 - t),  exp_t x = (1 + (1-t) x)^(1/(1-t))
 *
 * after Amid et al., "Robust Bi-Tempered Logistic Loss Based on Bregman Divergences",
 * NeurIPS 2019. t1 < 1 bounds the loss, t2 > 1 gives the softmax a heavy tail; t1 = t2 = 1
 * is cross-entropy. With q_k = p_k^t2 / sum_i p_i^t2 and
 * G_k = (p_k - [k = y]) p_k^(t2-t1) the gradient of the logits is G_k - q_k sum_i G_i.
 *
 * a solves sum_k exp_t2(d_k - a) = S = 1. S^(1-t2) is nearly linear in a (exactly, for
 * equal logits), so that a step of the fourth order, for which a pass over the classes has the
 * derivatives at hand, leaves few digits; the authors iterate a fixed point five times.
 *
 * With s = t2 - 1 and r = 1 / (1 + s (a - z)), which is p^s, every power of p is one of r.
 * Where their exponents are whole, as for the authors' temperatures, they are products. Else
 * each takes a logarithm and an exponential, and the loss is several times as long. */
#include <math.h>

#include "loss/row.h"

enum {
    BITEMPERED_T1,
    BITEMPERED_T2,
    BITEMPERED_WHOLE = 6, /* 1/s, or 0: powers are no products */
    BITEMPERED_RISE,      /* (1 - t1) / s */
    BITEMPERED_MOST = 16  /* as the exponent of a product */
};

JSNI_SETUP const jsn_param_info bitempered_params[] = {
    {"t1", "temperature of the logarithm; below 1 the loss is bounded", 0.8, 0, 1,
     JSN_PARAM_REAL},
    {"t2", "temperature of the softmax; above 1 its tail is heavy", 1.2, 1, 4,
     JSN_PARAM_REAL},
};

/* Whether the exponents are those of the authors' temperatures. */
JSNI_HD static inline int bitempered_is_usual(double whole, double rise)
{
    return whole == 5.0 && rise == 1.0;
}

/* The exponents, where all are whole. */
JSNI_SETUP jsn_status bitempered_prepare(const char *spec,
                                         const jsni_spec_value *values, size_t views,
                                         jsni_loss_setup *setup)
{
    (void)spec;
    (void)views;
    const double t1 = values[BITEMPERED_T1].real, s = values[BITEMPERED_T2].real - 1.0;
    const double whole = rint(1.0 / s), rise = rint((1.0 - t1) / s);
    if (!(whole <= BITEMPERED_MOST) || fabs(whole * s - 1.0) > 1e-9 ||
        fabs(rise * s - (1.0 - t1)) > 1e-9)
        return JSN_OK;
    setup->constant[BITEMPERED_WHOLE] = whole;
    setup->constant[BITEMPERED_RISE] = rise;
    setup->bare = bitempered_is_usual(whole, rise);
    return JSN_OK;
}

/* log exp_t2(x) for x <= 0; s = t2 - 1. */
JSNI_ROW static inline jsni_real tempered_log(jsni_real x, jsni_scalar s)
{
    return s > R(0) ? jsni_log1p(-s * x) / -s : x;
}

/* expm1(x u) / x, u where x is 0. */
JSNI_ROW static inline jsni_real grown_by(jsni_real u, jsni_scalar x)
{
    return x > R(0) ? jsni_expm1(x * u) / x : u;
}

/* r^n */
JSNI_ROW static inline jsni_real product(jsni_real r, int n)
{
    jsni_real all = jsni_fill(R(1));
    for (;;) {
        if (n & 1)
            all = all * r;
        n >>= 1;
        if (n == 0)
            return all;
        r = r * r;
    }
}

/* Of an entry: r, p and p^(1-t1), 0 in padding lanes. */
typedef struct tempered {
    jsni_real r, p, risen;
} tempered;

/* `whole` is BITEMPERED_WHOLE; without `risen` that member is p. */
JSNI_ROW static inline tempered tempered_at(const jsni_row *row, size_t c, jsni_real a,
                                            int whole, int risen)
{
    const jsni_scalar t1 = row->constant[BITEMPERED_T1];
    const jsni_scalar s = row->constant[BITEMPERED_T2] - R(1);
    const jsni_real x = row->d[jsni_at(row, 0, c)] - a;
    const jsni_real r = jsni_inside(row, 0, c, R(1) / (R(1) - s * x));
    if (whole > 0) {
        const jsni_real p = product(r, whole);
        const int rise = (int)row->constant[BITEMPERED_RISE];
        return (tempered){r, p, risen ? product(r, rise) : p};
    }
    const jsni_real l = tempered_log(x, s), p = jsni_inside(row, 0, c, jsni_exp(l));
    return (tempered){r, p, risen ? jsni_exp((R(1) - t1) * l) : p};
}

/* Sums over the classes of p r^j. d/da of each is -(1 + j s) times the next. */
typedef struct tempered_sums {
    jsni_real s0, s1, s2, s3;
} tempered_sums;

JSNI_ROW static inline tempered_sums sums_at(const jsni_row *row, jsni_real a,
                                             int whole)
{
    const jsni_real zero = jsni_fill(R(0));
    tempered_sums sums = {zero, zero, zero, zero};
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const tempered at = tempered_at(row, c, a, whole, 0);
        const jsni_real r2 = at.r * at.r;
        sums.s0 = sums.s0 + at.p;
        sums.s1 = jsni_fma(at.p, at.r, sums.s1);
        sums.s2 = jsni_fma(at.p, r2, sums.s2);
        sums.s3 = jsni_fma(at.p, r2 * at.r, sums.s3);
    }
    sums.s0 = jsni_total(row, sums.s0);
    sums.s1 = jsni_total(row, sums.s1);
    sums.s2 = jsni_total(row, sums.s2);
    sums.s3 = jsni_total(row, sums.s3);
    return sums;
}

/* A move of second order, x, never passes the root from below. One of a higher order may, where
 * most classes lie in a few places far apart; so it is kept between half of x and 4 x. */
JSNI_ROW static inline jsni_real tempered_bounded(jsni_real factor)
{
    return jsni_max(jsni_fill(R(0.5)), jsni_min(jsni_fill(R(4)), factor));
}

/* What a is to be moved by, from the sums there: the root of F = (1 - S^-s) / s to the third
 * or fourth order, by the derivatives S^s F' = f1 and so on. The third makes at most 1 / `least`
 * of x. */
JSNI_ROW static inline jsni_real move_of(const tempered_sums *sums, jsni_scalar s,
                                         jsni_scalar least)
{
    const jsni_real one = R(1) / sums->s0;
    const jsni_real f1 = sums->s1 * one, m2 = sums->s2 * one, m3 = sums->s3 * one;
    const jsni_real f11 = f1 * f1, steep = R(1) / f1;
    const jsni_real x = grown_by(jsni_log(sums->s0), s) * steep;
    const jsni_real b = R(0.5) * (R(1) + s) * (f11 - m2) * steep; /* f2 / (2 f1) */
    if (s > R(0.5001)) /* far from straight: the order that does not overshoot */
        return x / jsni_max(jsni_fill(least), R(1) + b * x);
    const jsni_real f3 =
        f1 * ((R(2) + s) * f11 - R(3) * (R(1) + s) * m2) + (R(1) + R(2) * s) * m3;
    const jsni_real c = R(1) / R(6) * (R(1) + s) * f3 * steep;
    return x * tempered_bounded(R(1) - x * (b - x * (R(2) * b * b - c)));
}

/* The larger of two lower bounds of a: log_t2 of the sum of the exponentials, since exp_t2 lies
 * above exp, and the a of equal logits with the same mean. */
JSNI_ROW static inline jsni_real first_shift(const jsni_row *row, jsni_scalar s)
{
    jsni_real sum = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++)
        sum = sum + row->d[jsni_at(row, 0, c)];
    const jsni_real equal = grown_by(jsni_log(jsni_fill(row->classes)), s);
    return jsni_max(equal + jsni_total(row, sum) / row->classes,
                    grown_by(row->log_sum[0], s));
}

/* Steps enough for 1e-14 of p, or for 2e-7 in float, but for rows of few kinds: few where the
 * tail is light. */
JSNI_ROW static inline int steps_of(jsni_scalar s)
{
    return (s > R(0.5001) ? 4 : s > R(0.2001) ? 3 : 2) + (JSNI_EXACT ? 2 : 0);
}

/* No row needs more. */
enum { TEMPERED_MOST_STEPS = 30 };

/* 1 + s a is at least 1 at the root, which no step leaves far behind. */
#define TEMPERED_LEAST R(0.9)

/* a. Lanes whose last move was large go on; the others stay, so that none depends on its
 * neighbours. */
JSNI_ROW static inline jsni_real tempered_shift(const jsni_row *row, jsni_scalar s,
                                                int whole)
{
    const jsni_scalar limit = JSNI_EXACT ? R(1e-5) : s > R(0.5001) ? R(3e-2) : R(1e-2);
    const jsni_real least = jsni_fill(s > R(0) ? (TEMPERED_LEAST - R(1)) / s : R(-1));
    const jsni_real zero = jsni_fill(R(0));
    const int usual = steps_of(s);
    jsni_real a = first_shift(row, s), left = zero;
    for (int step = 0; step < TEMPERED_MOST_STEPS; step++) {
        if (step >= usual && !jsni_any_above(left, R(0)))
            break;
        const tempered_sums sums = sums_at(row, a, whole);
        const jsni_real move = move_of(&sums, s, step < usual ? R(0.1) : R(0.25));
        const jsni_real next = jsni_max(a + move, least);
        a = step < usual ? next : jsni_less(zero, left, next, a);
        left = jsni_max(jsni_abs(move) - limit * (R(1) + s * a), zero); /* NaN: 0 */
    }
    return a;
}

/* Any temperatures. */
JSNI_ROW static inline jsni_real tempered_loss(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar t1 = row->constant[BITEMPERED_T1];
    const jsni_scalar s = row->constant[BITEMPERED_T2] - R(1);
    const int whole = (int)row->constant[BITEMPERED_WHOLE];
    const jsni_real zero = jsni_fill(R(0));
    jsni_real power = zero, escort = zero, pull = zero, label = zero;
    const jsni_real a = tempered_shift(row, s, whole);
    JSNI_UNROLL
    for (size_t c = row->target_first; c < row->target_last; c++)
        label = jsni_fma(jsni_target(row, c),
                         tempered_log(row->d[jsni_at(row, 0, c)] - a, s), label);
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const tempered at = tempered_at(row, c, a, whole, 1);
        power = jsni_fma(at.p, at.risen, power);
        escort = jsni_fma(at.p, at.r, escort);
        pull = pull + (at.p - jsni_target(row, c)) * at.risen * at.r;
    }
    power = jsni_total(row, power);
    pull = jsni_total(row, pull) / jsni_total(row, escort);
    label = jsni_total(row, label);
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const tempered at = tempered_at(row, c, a, whole, 1);
        const jsni_real own = (at.p - jsni_target(row, c)) * at.risen;
        jsni_put(row, 0, c, at.r * (own - pull * at.p));
    }
    grad->dense = 1; /* complete: it sums to 0 */
    grad->dense_scale = jsni_fill(R(1));
    return jsni_doubt(row, 0) - grown_by(label, R(1) - t1) -
           (R(1) - power) / (R(2) - t1);
}

/* What follows is for the authors' temperatures in float, t1 = 0.8 and t2 = 1.2, with which
 * p = r^5 and p^(1-t1) = r, so that all sums are of powers of r. -s d takes the place of d, since
 * r is then 1 / (from - s d) by one addition, where `from` is 1 + s a. */
#define USUAL_S R(0.2)

/* A move that the sums for the gradient follow, and that needs no further step; steps, of
 * which rows of few kinds need more than two. */
#define USUAL_LIMIT R(5e-4)
enum { USUAL_STEPS = 12 };

/* Beyond this -s d is cut in the sums for the start, whose squares would overflow. */
#define USUAL_FAR R(1e3)

/* Sums over the classes of -s d and of its square. */
typedef struct usual_moments {
    jsni_real first, second;
} usual_moments;

/* Puts -s d in place of d of an entry, and adds it to the sums. */
JSNI_ROW static inline void usual_scale(const jsni_row *row, size_t c,
                                        usual_moments *sums)
{
    const size_t at = jsni_at(row, 0, c);
    const jsni_real zero = jsni_fill(R(0)), x = row->d[at] * -USUAL_S;
    const jsni_real near = jsni_min(x, jsni_fill(USUAL_FAR));
    sums->first = sums->first + near;
    sums->second = jsni_fma(near, near, sums->second);
    jsni_put(row, 0, c, x);
    /* In padding lanes d and e are 0, and r is to be. NaN stays NaN. */
    if (jsni_ragged(row, c))
        jsni_put(row, 0, c,
                 x + jsni_same(row->e[at] + x, zero, jsni_fill(R(JSNI_LARGE))));
}

/* Puts -s d in place of d. Returns `from` to begin with, the larger of log_sum's lower bound (by
 * an exponential of four terms; 1 where there is no log_sum) and an estimate by mean and variance
 * of the logits. For equal ones that is `equal`, and exact. */
JSNI_ROW static inline jsni_real usual_start(const jsni_row *row, jsni_real equal)
{
    const jsni_real one = jsni_fill(R(1)), zero = jsni_fill(R(0));
    usual_moments even = {zero, zero}, odd = even; /* one would wait for itself */
    const size_t pairs = row->chunks / 2;
    JSNI_UNROLL
    for (size_t c = 0; c < pairs; c++) {
        usual_scale(row, 2 * c, &even);
        usual_scale(row, 2 * c + 1, &odd);
    }
    if (row->chunks % 2 != 0)
        usual_scale(row, row->chunks - 1, &even);
    const jsni_scalar part = R(1) / row->classes;
    const jsni_real mean = jsni_total(row, even.first + odd.first) * part;
    const jsni_real spread =
        jsni_fma(-mean, mean, jsni_total(row, even.second + odd.second) * part);
    /* Of many classes the spread can be off, and even negative. */
    const jsni_real square = equal * equal;
    const jsni_real above =
        R(3) * equal * spread /
        jsni_max(R(0.5) * square, jsni_fma(equal, equal, R(4) * spread));
    const jsni_real h = row->log_sum[0] * (USUAL_S / R(8));
    const jsni_real third = jsni_fma(h, jsni_fill(R(1.0 / 6)), jsni_fill(R(0.5)));
    const jsni_real root = jsni_fma(h, jsni_fma(h, third, one), one);
    const jsni_real root2 = root * root, root4 = root2 * root2;
    return jsni_max((equal - mean) + above, root4 * root4);
}

/* r of an entry. */
JSNI_ROW static inline jsni_real usual_root(const jsni_row *row, size_t c,
                                            jsni_real from)
{
    return R(1) / (from + row->d[jsni_at(row, 0, c)]);
}

/* Adds what an entry has to the sums. */
JSNI_ROW static inline void usual_add(const jsni_row *row, size_t c, jsni_real from,
                                      tempered_sums *sums)
{
    const jsni_real r = usual_root(row, c, from);
    const jsni_real r2 = r * r, r4 = r2 * r2, r6 = r4 * r2;
    sums->s0 = jsni_fma(r4, r, sums->s0);
    sums->s1 = sums->s1 + r6;
    sums->s2 = jsni_fma(r6, r, sums->s2);
    sums->s3 = jsni_fma(r4, r4, sums->s3);
}

/* sums_at() a. Two sums of each kind, since one would wait for itself. */
JSNI_ROW static inline tempered_sums usual_sums(const jsni_row *row, jsni_real from)
{
    const jsni_real zero = jsni_fill(R(0));
    tempered_sums even = {zero, zero, zero, zero}, odd = even;
    const size_t pairs = row->chunks / 2;
    JSNI_UNROLL
    for (size_t c = 0; c < pairs; c++) {
        usual_add(row, 2 * c, from, &even);
        usual_add(row, 2 * c + 1, from, &odd);
    }
    if (row->chunks % 2 != 0)
        usual_add(row, row->chunks - 1, from, &even);
    even.s0 = jsni_total(row, even.s0 + odd.s0);
    even.s1 = jsni_total(row, even.s1 + odd.s1);
    even.s2 = jsni_total(row, even.s2 + odd.s2);
    even.s3 = jsni_total(row, even.s3 + odd.s3);
    return even;
}

/* s times move_of(). (S^s - 1) / s is a quotient of polynomials of S - 1, which agrees with it
 * in four terms. */
JSNI_ROW static inline jsni_real usual_move(const tempered_sums *sums)
{
    const jsni_real one = jsni_fill(R(1)), m = sums->s0 - R(1);
    const jsni_real i0 = one / sums->s0, i1 = one / sums->s1;
    const jsni_real over = m * jsni_fma(jsni_fill(R(0.5)), m, one);
    const jsni_real under = jsni_fma(
        m, jsni_fma(jsni_fill(R(0.12)), m, jsni_fill(R(0.9))), jsni_fill(R(1)));
    const jsni_real x = over / under * (sums->s0 * i1);
    const jsni_real f1 = sums->s1 * i0, m2 = sums->s2 * i0;
    const jsni_real b = R(0.6) * (f1 - sums->s2 * i1);
    const jsni_real c =
        jsni_fma(R(0.44) * f1, f1, R(0.28) * (sums->s3 * i1) - R(0.72) * m2);
    const jsni_real d = jsni_fma(x, R(2) * b * b - c, -b);
    return USUAL_S * x * tempered_bounded(jsni_fma(x, d, one));
}

/* Where a row stands: `from`, the sums there, and the move that they ask for. */
typedef struct usual_place {
    jsni_real from, move;
    tempered_sums sums;
} usual_place;

/* Steps of `count` rows until what is left is small; the last move is not made. Lanes that are
 * settled stay, so that none depends on its neighbours. */
JSNI_ROW static inline void usual_solve(const jsni_row *const *rows, size_t count,
                                        usual_place *places)
{
    const jsni_real limit = jsni_fill(USUAL_LIMIT), zero = jsni_fill(R(0));
    const jsni_real least = jsni_fill(TEMPERED_LEAST);
    const jsni_real equal = jsni_pow(jsni_fill(rows[0]->classes), USUAL_S);
    JSNI_UNROLL
    for (size_t i = 0; i < count; i++)
        places[i].from = usual_start(rows[i], equal);
    for (int step = 1;; step++) {
        jsni_real left = zero;
        JSNI_UNROLL
        for (size_t i = 0; i < count; i++)
            places[i].sums = usual_sums(rows[i], places[i].from);
        JSNI_UNROLL
        for (size_t i = 0; i < count; i++) {
            places[i].move = usual_move(&places[i].sums);
            left = jsni_max(jsni_abs(places[i].move), left);
        }
        if (step == USUAL_STEPS || !jsni_any_above(left, USUAL_LIMIT))
            return;
        JSNI_UNROLL
        for (size_t i = 0; i < count; i++)
            places[i].from =
                jsni_max(places[i].from + jsni_less(limit, jsni_abs(places[i].move),
                                                    places[i].move, zero),
                         least);
    }
}

/* Gradients of some chunks. `targeted` is a constant at every call. */
JSNI_ROW static inline void usual_chunks(const jsni_row *row, size_t first, size_t last,
                                         int targeted, jsni_real from, jsni_real pull)
{
    JSNI_UNROLL
    for (size_t c = first; c < last; c++) {
        const jsni_real r = usual_root(row, c, from), r2 = r * r, r4 = r2 * r2;
        jsni_real g = (r4 * r2) * (r - pull);
        if (targeted)
            g = jsni_fma(-jsni_target(row, c), r2, g);
        jsni_put(row, 0, c, g);
    }
}

/* Value and gradient. The sums for the gradient are those of the last step, moved to where it
 * leads; p r^4 and p r^5 there are taken to go on as p r^2 and p r^3 do. */
JSNI_ROW static inline jsni_real usual_end(const jsni_row *row,
                                           const usual_place *place, jsni_grad *grad)
{
    const tempered_sums sums = place->sums;
    const jsni_real x = place->move, from = place->from + x;
    const jsni_real ratio = sums.s3 / sums.s2, s4 = sums.s3 * ratio, s5 = s4 * ratio;
    const jsni_real escort =
        sums.s1 -
        R(6) * x * (sums.s2 - R(7.0 / 2) * x * (sums.s3 - R(8.0 / 3) * x * s4));
    const jsni_real heavy =
        sums.s2 - R(7) * x * (sums.s3 - R(4) * x * (s4 - R(3) * x * s5));
    const jsni_real label = row->label_logp[0] + row->log_sum[0];
    const jsni_real r = R(1) / (from - USUAL_S * label),
                    pull = (heavy - r * r) / escort;
    usual_chunks(row, 0, row->target_first, 0, from, pull);
    usual_chunks(row, row->target_first, row->target_last, 1, from, pull);
    usual_chunks(row, row->target_last, row->chunks, 0, from, pull);
    grad->dense = 1; /* complete: it sums to 0 */
    grad->dense_scale = jsni_fill(R(1));
    /* (1 - r) / s, without what it loses */
    const jsni_real gap = (from - R(1)) - USUAL_S * label;
    return jsni_doubt(row, 0) + gap * r / USUAL_S - (R(1) - escort) / R(1.2);
}

/* Of two rows each part is done for both: what one waits for is computed beside the other. */
JSNI_ROW static inline void bitempered_rows(const jsni_row *const *rows, size_t count,
                                            jsni_grad *const *grads, jsni_real *values)
{
    usual_place places[2];
    usual_solve(rows, count, places);
    JSNI_UNROLL
    for (size_t i = 0; i < count; i++)
        values[i] = usual_end(rows[i], &places[i], grads[i]);
}

JSNI_ROW static inline jsni_real bitempered_row(const jsni_row *row, jsni_grad *grad)
{
    if (!JSNI_EXACT && bitempered_is_usual(row->constant[BITEMPERED_WHOLE],
                                           row->constant[BITEMPERED_RISE])) {
        jsni_real value;
        bitempered_rows(&row, 1, &grad, &value);
        return value;
    }
    return tempered_loss(row, grad);
}

JSNI_LOSS_DEFINE(bitempered, "bitempered", "bi-tempered logistic loss",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, bitempered_params,
                 JSNI_COUNT_OF(bitempered_params), bitempered_prepare);
JSNI_LOSS_PAIR(bitempered);
