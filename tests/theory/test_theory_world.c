/* tests/theory/test_theory_world.c - both theorems in small finite worlds.
 *
 * A world has a few inputs, each with a probability and a true class, and a finite set
 * of predictors, each a table of distributions [inputs][views][classes]. Risks are
 * exact sums, f* and f*_eta are found by trying every predictor, so the inequalities
 * can be checked as they are printed. The checker is checked with constants that are
 * far too small; test_theory_sharp.c has the worlds that a small error contradicts.
 */
#include "support/support.h"

#include <math.h>

#include "core/rng.h"
#include "jensen/theory.h"

enum { INPUTS = 4, CLASSES = 3, VIEWS = 2, PREDICTORS = 400 };

typedef struct world {
    double pi1;
    size_t views;
    double chance[INPUTS]; /* of each input */
    size_t truth[INPUTS];
    double transition[CLASSES][CLASSES];
    double prediction[PREDICTORS][INPUTS][VIEWS][CLASSES];
} world;

/* A vertex or a random point; views of one predictor agree or not. */
static void draw_prediction(jsni_rng *rng, double p[CLASSES])
{
    double sum = 0.0;
    if (jsni_rng_below(rng, 2) == 0) {
        memset(p, 0, CLASSES * sizeof(double));
        p[jsni_rng_below(rng, CLASSES)] = 1.0;
        return;
    }
    for (size_t k = 0; k < CLASSES; k++) {
        p[k] = -log(1.0 - jsni_rng_uniform(rng)) + 1e-12;
        sum += p[k];
    }
    for (size_t k = 0; k < CLASSES; k++)
        p[k] /= sum;
}

static void draw_world(world *w, jsni_rng *rng, double pi1, size_t views)
{
    double sum = 0.0;
    w->pi1 = pi1;
    w->views = views;
    for (size_t i = 0; i < INPUTS; i++) {
        w->chance[i] = 0.1 + jsni_rng_uniform(rng);
        sum += w->chance[i];
        w->truth[i] = jsni_rng_below(rng, CLASSES);
    }
    for (size_t i = 0; i < INPUTS; i++)
        w->chance[i] /= sum;
    for (size_t f = 0; f < PREDICTORS; f++)
        for (size_t i = 0; i < INPUTS; i++) {
            const int agree = jsni_rng_below(rng, 2) == 0;
            for (size_t v = 0; v < VIEWS; v++)
                if (v > 0 && agree)
                    memcpy(w->prediction[f][i][v], w->prediction[f][i][0],
                           sizeof w->prediction[f][i][0]);
                else
                    draw_prediction(rng, w->prediction[f][i][v]);
        }
}

/* The first predictor becomes perfect: clean risk zero. */
static void make_perfect(world *w)
{
    for (size_t i = 0; i < INPUTS; i++)
        for (size_t v = 0; v < VIEWS; v++)
            for (size_t k = 0; k < CLASSES; k++)
                w->prediction[0][i][v][k] = k == w->truth[i] ? 1.0 : 0.0;
}

static void set_symmetric(world *w, double eta)
{
    for (size_t y = 0; y < CLASSES; y++)
        for (size_t i = 0; i < CLASSES; i++)
            w->transition[y][i] = i == y ? 1.0 - eta : eta / (CLASSES - 1);
}

static void set_asymmetric(world *w, jsni_rng *rng)
{
    for (size_t y = 0; y < CLASSES; y++) {
        double sum = 0.0;
        for (size_t i = 0; i < CLASSES; i++) {
            w->transition[y][i] = i == y ? 1.0 : 0.99 * jsni_rng_uniform(rng);
            sum += w->transition[y][i];
        }
        for (size_t i = 0; i < CLASSES; i++)
            w->transition[y][i] /= sum;
    }
}

/* Mean scaled loss of predictor f, and its mean consistency term; `noisy` draws the
 * given label from the transition row of the true class. */
static void risk_of(const world *w, size_t f, int noisy, double *risk,
                    double *consistency)
{
    *risk = *consistency = 0.0;
    for (size_t i = 0; i < INPUTS; i++)
        for (size_t given = 0; given < CLASSES; given++) {
            const double chance =
                noisy ? w->transition[w->truth[i]][given] : given == w->truth[i];
            jsn_theory_parts parts;
            assert_ok(jsn_theory_decompose(&parts, w->views, CLASSES, w->pi1, NULL,
                                           given, &w->prediction[f][i][0][0]));
            *risk += w->chance[i] * chance * parts.gjs;
            *consistency += w->chance[i] * chance * parts.consistency;
        }
}

typedef struct excess {
    double noisy; /* R_eta(f*) - R_eta(f*_eta) */
    double clean; /* R(f*) - R(f*_eta) */
    int consistent;
} excess;

static excess measure(const world *w)
{
    double clean[PREDICTORS], noisy[PREDICTORS], spread[PREDICTORS], unused;
    size_t best = 0, best_noisy = 0;
    for (size_t f = 0; f < PREDICTORS; f++) {
        risk_of(w, f, 0, &clean[f], &spread[f]);
        risk_of(w, f, 1, &noisy[f], &unused);
        best = clean[f] < clean[best] ? f : best;
        best_noisy = noisy[f] < noisy[best_noisy] ? f : best_noisy;
    }
    return (excess){noisy[best] - noisy[best_noisy], clean[best] - clean[best_noisy],
                    spread[best] <= spread[best_noisy]};
}

/* The checker: whether the excess lies within the bounds. */
static int within(const excess *e, const jsn_theory_risk *r)
{
    const double slack = 1e-12;
    return e->noisy >= r->noisy_lowest - slack &&
           e->noisy <= r->noisy_highest + slack &&
           e->clean >= r->clean_lowest - slack && e->clean <= r->clean_highest + slack;
}

/* Bounds with the width B_U - B_L shrunk to a fraction: deliberately wrong. */
static jsn_theory_bounds shrunk(jsn_theory_bounds b, double fraction)
{
    b.upper = b.lower + fraction * (b.upper - b.lower);
    b.upper_js = b.lower + fraction * (b.upper_js - b.lower);
    b.c1 = b.c2 + fraction * (b.c1 - b.c2);
    return b;
}

static world shared_world; /* large, so not on the stack */

static const double weights_of_label[] = {0.1, 0.5, 0.9};

static void test_theorem_1_in_a_finite_world(void **state)
{
    (void)state;
    world *w = &shared_world;
    jsni_rng rng = jsni_rng_stream(21, JSNI_RNG_TEST, 0, 0, 0);
    int caught = 0, inherited = 0;
    for (int n = 0; n < 36; n++) {
        const size_t views = 1 + (size_t)n % 2;
        const double eta = 0.6 * jsni_rng_uniform(&rng);
        jsn_theory_bounds b;
        jsn_theory_risk risk;
        draw_world(w, &rng, weights_of_label[n / 2 % 3], views);
        set_symmetric(w, eta);
        assert_ok(jsn_theory_bounds_equal(&b, CLASSES, views, w->pi1));
        const excess e = measure(w);
        assert_ok(jsn_theory_risk_symmetric(&risk, &b, eta, false));
        assert_true(within(&e, &risk));
        if (e.consistent) {
            inherited++;
            assert_ok(jsn_theory_risk_symmetric(&risk, &b, eta, true));
            assert_true(within(&e, &risk));
        }
        const jsn_theory_bounds wrong = shrunk(b, 1e-3);
        assert_ok(jsn_theory_risk_symmetric(&risk, &wrong, eta, false));
        caught += !within(&e, &risk);
    }
    assert_true(caught > 0);    /* a wrong B_U does not pass */
    assert_true(inherited > 3); /* Proposition 4 was exercised */
}

static void test_theorem_2_in_a_finite_world(void **state)
{
    (void)state;
    world *w = &shared_world;
    jsni_rng rng = jsni_rng_stream(23, JSNI_RNG_TEST, 0, 0, 0);
    int caught = 0;
    for (int n = 0; n < 36; n++) {
        const size_t views = 1 + (size_t)n % 2;
        double prior[CLASSES] = {0};
        jsn_theory_bounds b;
        jsn_theory_risk risk;
        draw_world(w, &rng, weights_of_label[n / 2 % 3], views);
        make_perfect(w);
        set_asymmetric(w, &rng);
        for (size_t i = 0; i < INPUTS; i++)
            prior[w->truth[i]] += w->chance[i];
        assert_ok(jsn_theory_bounds_equal(&b, CLASSES, views, w->pi1));
        const excess e = measure(w);
        assert_ok(
            jsn_theory_risk_asymmetric(&risk, &b, &w->transition[0][0], prior, false));
        assert_true(within(&e, &risk));
        /* f* is perfect, hence perfectly consistent: Proposition 4 always applies. */
        assert_true(e.consistent);
        assert_ok(
            jsn_theory_risk_asymmetric(&risk, &b, &w->transition[0][0], prior, true));
        assert_true(within(&e, &risk));
        const jsn_theory_bounds wrong = shrunk(b, 0.0);
        assert_ok(jsn_theory_risk_asymmetric(&risk, &wrong, &w->transition[0][0], prior,
                                             false));
        caught += !within(&e, &risk);
    }
    assert_true(caught > 0);
}

static void test_risk_bounds_by_hand(void **state)
{
    (void)state;
    /* K = 10, JS, pi1 = 1/2: B_L/Z = 15.165533, B_U/Z = 18, so the width is 2.834467;
     * eta = 0.4: 0.4/9 and 0.4/(9 - 4) of it. */
    jsn_theory_bounds b;
    jsn_theory_risk r;
    assert_ok(jsn_theory_bounds_equal(&b, 10, 1, 0.5));
    assert_ok(jsn_theory_risk_symmetric(&r, &b, 0.4, false));
    assert_close(r.noisy_highest, 0.4 / 9 * 2.834467, 1e-7, 0);
    assert_close(r.clean_lowest, -0.4 / 5 * 2.834467, 1e-7, 0);
    assert_true(r.noisy_lowest == 0.0 && r.clean_highest == 0.0);
    /* GJS M = 3: 12.079579; with the condition of Proposition 4 again JS's. */
    assert_ok(jsn_theory_bounds_equal(&b, 10, 2, 0.5));
    assert_ok(jsn_theory_risk_symmetric(&r, &b, 0.4, false));
    assert_close(r.noisy_highest, 0.4 / 9 * 12.079579, 1e-7, 0);
    assert_ok(jsn_theory_risk_symmetric(&r, &b, 0.4, true));
    assert_close(r.noisy_highest, 0.4 / 9 * 2.834467, 1e-7, 0);
    /* Theorem 2, K = 2, rows (0.8, 0.2) and (0.6, 0.4 -> refused). */
    double t[4] = {0.8, 0.2, 0.3, 0.7};
    assert_ok(jsn_theory_bounds_equal(&b, 2, 2, 0.5));
    assert_ok(jsn_theory_risk_asymmetric(&r, &b, t, NULL, false));
    assert_close(r.noisy_highest,
                 ((b.upper - b.lower) * 0.75 + (b.c1 - b.c2) * 0.5) / b.z, 1e-13, 0);
    assert_true(isinf(r.clean_lowest));
    t[2] = 0.6;
    t[3] = 0.4;
    assert_fails(jsn_theory_risk_asymmetric(&r, &b, t, NULL, false), JSN_ERR_RANGE,
                 "class 1 turns into 0");
    t[3] = 0.5;
    assert_fails(jsn_theory_risk_asymmetric(&r, &b, t, NULL, false), JSN_ERR_RANGE,
                 "sums to 1.1");
    assert_fails(jsn_theory_risk_symmetric(&r, &b, 0.5, false), JSN_ERR_RANGE, "eta");
    assert_fails(jsn_theory_risk_symmetric(&r, &b, NAN, false), JSN_ERR_RANGE, "eta");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_theorem_1_in_a_finite_world),
        cmocka_unit_test(test_theorem_2_in_a_finite_world),
        cmocka_unit_test(test_risk_bounds_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
