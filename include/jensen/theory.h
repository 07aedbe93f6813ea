/* jensen/theory.h - what is proved about the Jensen-Shannon losses, as numbers.
 *
 * Notation of the paper: K classes; M distributions, the label first and M-1 views of
 * the network after it; weights pi = (pi1, ..., piM) that sum to 1; h(x) = -x log x;
 * Z = h(1 - pi1). The divergence is
 *
 *     D(p1, ..., pM) = sum_j pi_j KL(pj || m),   m = sum_j pi_j pj,
 *
 * and the scaled losses are D / Z. JS is M = 2, GJS is M >= 3. Logarithms are natural.
 *
 * Everything here is computed in double from its own formulas, independently of the
 * loss library, in forms that keep their digits for pi1 from 1e-300 to 1 - 1e-16. No
 * function keeps state; all may be called from any thread. On failure outputs are
 * untouched. Pointers are not NULL unless it says so; JSN_ERR_ARGUMENT where one is.
 */
#ifndef JENSEN_THEORY_H
#define JENSEN_THEORY_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most views that a call accepts. */
enum { JSN_THEORY_MAX_VIEWS = 64 };

/* Constants that bound a loss. With the sum over all K labels that a sample could be
 * given, whatever the predictions are,
 *
 *     lower <= sum_k L(e_k, p2, ..., pM) <= upper,
 *
 * c1 bounds a single loss from above, and c2 is the loss when all views sit on one
 * wrong class. Unscaled; divide by z for the scaled losses. */
typedef struct jsn_theory_bounds {
    size_t classes;   /* K */
    size_t views;     /* M - 1 */
    double pi1;       /* weight of the label */
    double z;         /* Z = h(1 - pi1) */
    double lower;     /* B_L: attained when every view is uniform */
    double upper;     /* B_U: attained when the views are spread over the classes */
    double upper_js;  /* B_U of JS, (K-1)(h(pi1) + h(1-pi1)): what GJS has when its
                        views agree */
    double c1;        /* C1 = sum_j h(pi_j); attained only if K >= M */
    double c2;        /* C2 = h(pi1) + h(1-pi1) */
    bool upper_tight; /* whether `upper` is attained. False only for unequal weights
                         with more views than classes and more than 12 views, where
                         finding the best spread is a partition problem; `upper` is
                         then a bound that is valid and near. */
} jsn_theory_bounds;

/* The constants for equal view weights (1-pi1)/views.
 *   JSN_ERR_ARGUMENT  classes < 2, views < 1 or > JSN_THEORY_MAX_VIEWS
 *   JSN_ERR_RANGE     pi1 not inside (0, 1) */
JSN_API JSN_MUST_CHECK jsn_status jsn_theory_bounds_equal(jsn_theory_bounds *out,
                                                          size_t classes, size_t views,
                                                          double pi1);

/* The same for any weights: `weights` is [views+1], the label's first.
 *   JSN_ERR_ARGUMENT  as above
 *   JSN_ERR_RANGE     a weight not inside (0, 1), or a sum off 1 by more than 1e-6 */
JSN_API JSN_MUST_CHECK jsn_status jsn_theory_bounds_weighted(jsn_theory_bounds *out,
                                                             size_t classes,
                                                             size_t views,
                                                             const double *weights);

typedef enum jsn_theory_loss {
    JSN_THEORY_CE,  /* -log p_y */
    JSN_THEORY_MAE, /* ||e_y - p||_1 = 2(1 - p_y) */
    JSN_THEORY_GCE, /* (1 - p_y^q)/q */
    JSN_THEORY_JS   /* JS of e_y and p, scaled; parameter = pi1 */
} jsn_theory_loss;

/* Between which values sum_k L(e_k, p) lies for losses of one view, in the scale of the
 * loss library. `parameter` is q for GCE, pi1 for JS and ignored by the others; *upper
 * is infinite for CE.
 *   JSN_ERR_ARGUMENT  classes < 2
 *   JSN_ERR_RANGE     GCE and parameter not in (0, 1], JS and not inside (0, 1) */
JSN_API JSN_MUST_CHECK jsn_status jsn_theory_label_sum(jsn_theory_loss loss,
                                                       double parameter, size_t classes,
                                                       double *lower, double *upper);

/* The scaled JS loss as a function of the predicted probability p_y of the label; it
 * depends on nothing else. Limits: -log p_y for pi1 -> 0, 1 - p_y for pi1 -> 1 (slowly,
 * like 1/|log(1-pi1)|). NaN unless 0 < pi1 < 1 and 0 <= p_y <= 1. */
JSN_API double jsn_theory_js(double pi1, double p_y);

/* The gradient scale g of a loss that depends on p_y alone: its gradient with respect
 * to the logit z_i is -g(p_y) dp_y/dz_i. CE 1/p_y, MAE (halved, 1 - p_y) 1, GCE
 * p_y^(q-1), JS log(1 + pi1/((1-pi1) p_y)) / -log(1-pi1). `parameter` as above. NaN
 * outside the domains. */
JSN_API double jsn_theory_gradient_scale(jsn_theory_loss loss, double parameter,
                                         double p_y);

/* The pi1 whose JS has the gradient scale of GCE with this q at probability p_y (the
 * paper: p_y = 1/2). 1 - pi1 is handed out as well, as it falls below the resolution of
 * pi1 for q near 1; beyond (q > 0.999 at p_y = 1/2) it is 0, with pi1 = 1.
 *   JSN_ERR_RANGE  q or p_y not inside (0, 1) */
JSN_API JSN_MUST_CHECK jsn_status jsn_theory_match_gce(double q, double p_y,
                                                       double *pi1,
                                                       double *one_minus_pi1);

/* D(p1, ..., pM) for `count` distributions over `classes` classes, unscaled, to about
 * 1e-15 relative also when the distributions nearly agree. p is [count][classes],
 * weights [count].
 *   JSN_ERR_ARGUMENT  count or classes is 0
 *   JSN_ERR_RANGE     a weight or probability outside [0, 1], or a sum off 1 by more
 *                     than 1e-6 */
JSN_API JSN_MUST_CHECK jsn_status jsn_theory_divergence(size_t count, size_t classes,
                                                        const double *weights,
                                                        const double *p, double *out);

/* JS as an f-divergence: D(p1, p2) = sum_k p2_k f(p1_k / p2_k) with
 * f(t) = h(pi1 t + 1 - pi1) - pi1 h(t), which is convex with f(1) = 0. NaN for t < 0. */
JSN_API double jsn_theory_f(double pi1, double t);
JSN_API double jsn_theory_f_second(double pi1, double t); /* f''(t) > 0 */

/* GJS = JS of the label and the mean prediction + consistency of the predictions. */
typedef struct jsn_theory_parts {
    double z;           /* Z = h(1 - pi1), which divides both parts */
    double gjs;         /* scaled GJS, computed on its own, not as a sum */
    double js;          /* scaled JS of the label and the mean of the views */
    double consistency; /* (1-pi1) D_pi''(p2, ..., pM) / Z */
    double spread; /* D_pi''(p2, ..., pM), pi'' = (pi2, ..., piM)/(1-pi1), unscaled */
} jsn_theory_parts;

/* weights is [views+1], the label's first, or NULL for equal view weights; p is
 * [views][classes]; label in [0, classes). `pi1` is read only if weights is NULL.
 * Statuses as the two calls above; JSN_ERR_MEMORY. */
JSN_API JSN_MUST_CHECK jsn_status jsn_theory_decompose(jsn_theory_parts *out,
                                                       size_t views, size_t classes,
                                                       double pi1,
                                                       const double *weights,
                                                       size_t label, const double *p);

/* Risk bounds. f* minimises the clean risk R, f*_eta the risk R_eta under noise, both
 * over the same set of predictors. The bounds are those of the scaled loss. */
typedef struct jsn_theory_risk {
    double noisy_lowest; /* of R_eta(f*) - R_eta(f*_eta) */
    double noisy_highest;
    double clean_lowest;  /* of R(f*) - R(f*_eta); -infinity from Theorem 2, which */
    double clean_highest; /* says nothing about it beyond the definition of f* */
} jsn_theory_risk;

/* Theorem 1: symmetric noise, each label replaced with probability eta by one of the
 * K-1 *other* classes, all equally likely. (Noise of rate r drawn over all K classes,
 * the experiments' kind, is eta = r (K-1)/K.) `consistent` states the condition of
 * Proposition 4, that on average f* is at least as consistent as f*_eta (its mean
 * consistency term is not larger); GJS then inherits the bounds of JS.
 *   JSN_ERR_RANGE  eta not in [0, (K-1)/K) */
JSN_API JSN_MUST_CHECK jsn_status jsn_theory_risk_symmetric(
    jsn_theory_risk *out, const jsn_theory_bounds *bounds, double eta, bool consistent);

/* Theorem 2: class-dependent noise; transition is [K][K], row y the distribution of the
 * given label when y is true, with transition[y][y] larger than every other entry of
 * its row; prior [K] is the distribution of the true label, NULL for uniform. Assumes
 * that f* has clean risk zero. With `consistent` the term with C1 - C2 drops as well.
 *   JSN_ERR_RANGE  a row or the prior is not a distribution (sum off by more than
 *                  1e-6), or a diagonal entry is not the largest of its row */
JSN_API JSN_MUST_CHECK jsn_status jsn_theory_risk_asymmetric(
    jsn_theory_risk *out, const jsn_theory_bounds *bounds, const double *transition,
    const double *prior, bool consistent);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_THEORY_H */
