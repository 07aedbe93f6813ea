/* tests/theory/test_theory_sharp.c - worlds in which the theorems' inequalities are
 * equalities, so that constants that are a thousandth too small or too large fail.
 *
 * With S(f) the sum of the loss over all K labels, C2 the loss of views that agree on
 * one wrong class and e_y a label, the proofs lose nothing but this:
 *
 * Theorem 1   R_eta = (1 - eta K/(K-1)) R + eta/(K-1) E[S], and B_L <= S <= B_U. It is
 *             an equality when f* has S = B_U everywhere (views on different classes),
 *             f*_eta has S = B_L (uniform) and their clean risks agree (the noisy
 *             inequality) or their noisy ones (the clean one).
 *
 * Theorem 2   R_eta = E[eta_yy S - sum_i (eta_yy - eta_yi) L(e_i)], with S(f*) <= B_U,
 *             S(f*_eta) >= B_L and L(e_i, f*_eta) - L(e_i, f*) <= C1 - C2. But f* has
 *             clean risk zero, hence agrees with itself, and S(f*) = (K-1) C2, which is
 *             the B_U of JS, not that of GJS. And replacing the views of f*_eta by
 *             their mean lowers its risk by its consistency term, so what f*_eta can
 *             gain is what it can gain under JS (that is Proposition 4). Hence
 *
 *               - for JS the bound is reached, in the limit of rows that hardly prefer
 *                 the true class, by a uniform f*_eta;
 *               - for GJS never more than (B_U of JS - B_L) E[eta_yy] is reached. Any
 *                 B_U above that of JS gives an inequality that is true, so no world
 *                 can contradict it: the test shows that the least true B_U is that of
 *                 JS, to a thousandth. C1 stands beside it and cannot be seen;
 *               - for JS with eta_yy = c/K, the others equal, and a uniform f*_eta the
 *                 slack is exactly (c-1) (C1 - B_L/K): a C1 below B_L/K is caught, and
 *                 B_L/K comes near to C1 = C2 as K grows (4% off at K = 100, 0.6% at
 *                 1000, for pi1 = 0.5).
 *
 * Risks are sums of the definition over all labels. The true class is 0 everywhere.
 */
#include "support/support.h"

#include <math.h>

#include "jensen/theory.h"

enum { INPUTS = 2, MOST_CLASSES = 1000, MOST_VIEWS = 3 };

typedef struct predictor {
    double p[INPUTS][MOST_VIEWS * MOST_CLASSES]; /* [views][classes] packed */
} predictor;

typedef struct sharp_world {
    size_t classes, views;
    double pi1;
    double chance[INPUTS];
    double given[MOST_CLASSES]; /* distribution of the noisy label: transition row 0 */
    predictor f[2];             /* f* and f*_eta */
} sharp_world;

static sharp_world shared_world; /* large, so not on the stack */

static sharp_world *make_world(size_t classes, size_t views, double pi1)
{
    sharp_world *w = &shared_world;
    memset(w, 0, sizeof *w);
    w->classes = classes;
    w->views = views;
    w->pi1 = pi1;
    w->chance[0] = 1.0;
    return w;
}

static void put_uniform(sharp_world *w, size_t f)
{
    for (size_t n = 0; n < INPUTS; n++)
        for (size_t k = 0; k < w->views * w->classes; k++)
            w->f[f].p[n][k] = 1.0 / (double)w->classes;
}

/* View v sits on class first + v * step. */
static void put_vertices(sharp_world *w, size_t f, size_t input, size_t first,
                         size_t step)
{
    for (size_t v = 0; v < w->views; v++)
        w->f[f].p[input][v * w->classes + first + v * step] = 1.0;
}

/* eta_yy and, for each other class, its share of the rest. */
static void set_noise(sharp_world *w, double stay)
{
    for (size_t k = 0; k < w->classes; k++)
        w->given[k] = k == 0 ? stay : (1.0 - stay) / (double)(w->classes - 1);
}

static double loss_of(const sharp_world *w, size_t f, size_t input, size_t label)
{
    jsn_theory_parts parts;
    assert_ok(jsn_theory_decompose(&parts, w->views, w->classes, w->pi1, NULL, label,
                                   w->f[f].p[input]));
    return parts.gjs;
}

static double clean_risk(const sharp_world *w, size_t f)
{
    double risk = 0.0;
    for (size_t n = 0; n < INPUTS && w->chance[n] > 0.0; n++)
        risk += w->chance[n] * loss_of(w, f, n, 0);
    return risk;
}

static double noisy_risk(const sharp_world *w, size_t f)
{
    double risk = 0.0;
    for (size_t n = 0; n < INPUTS && w->chance[n] > 0.0; n++)
        for (size_t k = 0; k < w->classes; k++)
            risk += w->chance[n] * w->given[k] * loss_of(w, f, n, k);
    return risk;
}

/* R_eta(f*) - R_eta(f*_eta) and R(f*) - R(f*_eta), having seen that the two are what
 * they are called. */
static void measure(const sharp_world *w, double *noisy, double *clean)
{
    *noisy = noisy_risk(w, 0) - noisy_risk(w, 1);
    *clean = clean_risk(w, 0) - clean_risk(w, 1);
    assert_true(*noisy >= 0.0);
    assert_true(*clean <= 0.0);
}

/* Bounds whose width B_U - B_L is off: deliberately wrong. */
static jsn_theory_bounds stretched(jsn_theory_bounds b, double factor)
{
    b.upper = b.lower + factor * (b.upper - b.lower);
    b.upper_js = b.lower + factor * (b.upper_js - b.lower);
    return b;
}

typedef struct sharp_case {
    size_t classes, views;
    double pi1, eta;
} sharp_case;

/* Where such an f* exists: input 0 has a view on the true class, input 1 none, and
 * the loss of uniform predictions must lie between the two losses. */
static const sharp_case cases_1[] = {
    {3, 1, 0.1, 0.3},    {3, 1, 0.5, 0.3},   {3, 1, 0.9, 0.5},   {10, 1, 0.1, 0.5},
    {10, 1, 0.5, 0.5},   {100, 1, 0.5, 0.5}, {10, 2, 0.9, 0.3},  {100, 2, 0.5, 0.1},
    {100, 2, 0.5, 0.02}, {100, 2, 0.9, 0.5}, {100, 3, 0.9, 0.1},
};

/* A world of Theorem 1 in which f* has the clean risk that uniform predictions have,
 * less `less`. */
static sharp_world *world_1(const sharp_case *c, double less)
{
    sharp_world *w = make_world(c->classes, c->views, c->pi1);
    put_vertices(w, 0, 0, 0, 1);
    put_vertices(w, 0, 1, 1, 1);
    put_uniform(w, 1);
    set_noise(w, 1.0 - c->eta);
    const double right = loss_of(w, 0, 0, 0), wrong = loss_of(w, 0, 1, 0);
    const double share = (wrong - (clean_risk(w, 1) - less)) / (wrong - right);
    assert_true(share > 0.0 && share < 1.0);
    w->chance[0] = share;
    w->chance[1] = 1.0 - share;
    return w;
}

static void test_theorem_1_noisy_is_reached(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases_1 / sizeof cases_1[0]; n++) {
        const sharp_case *c = &cases_1[n];
        const sharp_world *w = world_1(c, 1e-9);
        jsn_theory_bounds b;
        jsn_theory_risk risk;
        double noisy, clean;
        measure(w, &noisy, &clean);
        assert_ok(jsn_theory_bounds_equal(&b, c->classes, c->views, c->pi1));
        assert_ok(jsn_theory_risk_symmetric(&risk, &b, c->eta, false));
        assert_true(noisy <= risk.noisy_highest);
        assert_close(noisy, risk.noisy_highest, 0.0, 1e-6);
        const jsn_theory_bounds wrong = stretched(b, 0.999);
        assert_ok(jsn_theory_risk_symmetric(&risk, &wrong, c->eta, false));
        assert_false(noisy <= risk.noisy_highest);
    }
}

static void test_theorem_1_clean_is_reached(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases_1 / sizeof cases_1[0]; n++) {
        const sharp_case *c = &cases_1[n];
        /* Noisy risks are linear in the share: two shares give the one at which that
         * of f* is just above that of uniform predictions. */
        double noisy_0, noisy_1, clean_0, clean_1;
        measure(world_1(c, 1e-9), &noisy_0, &clean_0);
        measure(world_1(c, 1e-4), &noisy_1, &clean_1);
        const double slope = (noisy_1 - noisy_0) / (clean_1 - clean_0);
        const sharp_world *w = world_1(c, -clean_0 + (noisy_0 - 1e-9) / slope);
        jsn_theory_bounds b;
        jsn_theory_risk risk;
        double noisy, clean;
        measure(w, &noisy, &clean);
        assert_ok(jsn_theory_bounds_equal(&b, c->classes, c->views, c->pi1));
        assert_ok(jsn_theory_risk_symmetric(&risk, &b, c->eta, false));
        assert_true(clean >= risk.clean_lowest);
        assert_close(clean, risk.clean_lowest, 0.0, 1e-5);
        const jsn_theory_bounds wrong = stretched(b, 0.999);
        assert_ok(jsn_theory_risk_symmetric(&risk, &wrong, c->eta, false));
        assert_false(clean >= risk.clean_lowest);
    }
}

/* The bound of Theorem 2 for the noise of the world; every class has the row of class
 * 0, turned, and all samples are of class 0. */
static double bound_2(const sharp_world *w, const jsn_theory_bounds *b, bool consistent)
{
    static double transition[MOST_CLASSES * MOST_CLASSES];
    static double prior[MOST_CLASSES];
    const size_t k = w->classes;
    for (size_t y = 0; y < k; y++) {
        prior[y] = y == 0 ? 1.0 : 0.0;
        for (size_t i = 0; i < k; i++)
            transition[y * k + i] = w->given[(i + k - y) % k];
    }
    jsn_theory_risk risk;
    assert_ok(jsn_theory_risk_asymmetric(&risk, b, transition, prior, consistent));
    return risk.noisy_highest;
}

/* f* is perfect, f*_eta uniform; the true class is kept with probability c/K. */
static sharp_world *world_2(size_t classes, size_t views, double pi1, double c)
{
    sharp_world *w = make_world(classes, views, pi1);
    put_vertices(w, 0, 0, 0, 0);
    put_uniform(w, 1);
    set_noise(w, c / (double)classes);
    return w;
}

static const double weights_of_label[] = {0.1, 0.5, 0.9};
static const size_t class_counts[] = {2, 3, 10, 100};

static void check_theorem_2(size_t classes, size_t views, double pi1)
{
    const sharp_world *w = world_2(classes, views, pi1, 1.0 + 1e-7);
    jsn_theory_bounds b;
    double noisy, clean;
    measure(w, &noisy, &clean);
    assert_close(clean_risk(w, 0), 0.0, 1e-13, 0.0);
    assert_ok(jsn_theory_bounds_equal(&b, classes, views, pi1));
    assert_true(noisy <= bound_2(w, &b, false));
    assert_true(noisy <= bound_2(w, &b, true));
    assert_close(noisy, bound_2(w, &b, true), 0.0, 1e-5);
    /* The least constant in the place of B_U that the world does not contradict. */
    jsn_theory_bounds least = b;
    least.upper = b.upper_js;
    assert_true(noisy <= bound_2(w, &least, false));
    assert_close(noisy, bound_2(w, &least, false), 0.0, 1e-5);
    const jsn_theory_bounds wrong = stretched(least, 0.999);
    assert_false(noisy <= bound_2(w, &wrong, false));
    assert_false(noisy <= bound_2(w, &wrong, true));
}

static void test_theorem_2_is_reached(void **state)
{
    (void)state;
    for (size_t views = 1; views <= MOST_VIEWS; views++)
        for (size_t i = 0; i < sizeof class_counts / sizeof class_counts[0]; i++)
            for (size_t j = 0; j < 3; j++)
                check_theorem_2(class_counts[i], views, weights_of_label[j]);
}

/* The slack is (c-1) (C1 - B_L/K), so the term with C1 counts, too. */
static void test_theorem_2_sees_the_largest_loss(void **state)
{
    (void)state;
    static const struct {
        size_t classes;
        double pi1, factor; /* of C1, deliberately wrong */
    } cases[] = {{10, 0.5, 0.75},  {100, 0.5, 0.95},   {100, 0.9, 0.97},
                 {100, 0.1, 0.90}, {1000, 0.5, 0.992}, {1000, 0.9, 0.995}};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        const sharp_world *w = world_2(cases[n].classes, 1, cases[n].pi1, 1.5);
        jsn_theory_bounds b;
        double noisy, clean;
        measure(w, &noisy, &clean);
        assert_ok(jsn_theory_bounds_equal(&b, cases[n].classes, 1, cases[n].pi1));
        const double bound = bound_2(w, &b, false);
        const double each = b.lower / (double)b.classes;
        assert_true(noisy <= bound);
        assert_close(bound - noisy, 0.5 * (b.c1 - each) / b.z, 1e-12, 1e-9);
        jsn_theory_bounds wrong = b;
        wrong.c1 = cases[n].factor * b.c1;
        assert_false(noisy <= bound_2(w, &wrong, false));
        wrong.c1 = each * (1.0 + 1e-3); /* as small as it may be */
        assert_true(noisy <= bound_2(w, &wrong, false));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_theorem_1_noisy_is_reached),
        cmocka_unit_test(test_theorem_1_clean_is_reached),
        cmocka_unit_test(test_theorem_2_is_reached),
        cmocka_unit_test(test_theorem_2_sees_the_largest_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
