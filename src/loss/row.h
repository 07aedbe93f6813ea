/* loss/row.h - what a loss file is written against.
 *
 * A row function sees the log-probabilities l and the target t of one sample (or, where
 * classes are few, of one sample a lane: the same code serves both). It returns the
 * loss and describes its derivative g = dL/dl, each l_k taken as a free variable, as
 *
 *     g_k = target * t_k + uniform + plogp * p_k l_k     (sums of what it needs)
 *     g_k = target * t_k + uniform + dense_scale * d_k   (with an array of its own; for
 *                                                         labels say `mixed`)
 *
 * Which of the two depends on parameters, views and the kind of target, never on numbers.
 * A multiple of p_k may be added to g or left out: it does not change the gradient of
 * the logits, g_k - p_k sum_i g_i, which the common code makes of it. Loops go over
 * chunks of lanes:
 *
 *     for (size_t c = 0; c < row->chunks; c++)
 *         sum = sum + jsni_p(row, 0, c) * jsni_logp(row, 0, c);
 *     sum = jsni_total(row, sum);
 *
 * In padding lanes p and t are 0 and l is finite. The code is compiled as C11 for each
 * instruction set and as CUDA C++: keep to the common subset of core/hd.h.
 */
#ifndef JSNI_LOSS_ROW_H
#define JSNI_LOSS_ROW_H

#include "loss/lanes.h"
#ifdef JSNI_PLUGIN /* built outside of the tree: loss/plugin.h */
#include "jensen/loss.h"
#else
#include "loss/loss_impl.h"
#endif

/* The counts of a row; constants in a device's build for rows of one size. */
#ifndef JSNI_ROW_COUNTS
#define JSNI_ROW_COUNTS                                                            \
    size_t views; /* 1 unless the loss is joint */                                 \
    size_t chunks;                                                                 \
    size_t target_first, target_last; /* t is 0 in chunks outside [first, last) */ \
    int soft;                         /* 0: t is 1 at the label and 0 elsewhere */
#endif

typedef struct jsni_row {
    const jsni_scalar *constant; /* [JSNI_LOSS_CONSTANTS] */
    const jsni_real *e;          /* [views][chunks] exp(z - max) */
    jsni_real *d;       /* [views][chunks] z - max; free for a dense gradient */
    const jsni_real *t; /* [chunks] target */
    jsni_scalar
        *m; /* [chunks] memory of the sample, or row of a table; at any address */
    jsni_scalar *m_last; /* its last chunk, where lanes are the classes of one sample */
    JSNI_ROW_COUNTS
    jsni_scalar classes;
    int apart; /* each lane is a sample of its own */
#ifdef JSNI_ROW_HEADER
    JSNI_ROW_FIELDS /* of a device: where the thread stands */
#endif
        jsni_real target_plogp;               /* sum_k t_k log t_k */
    jsni_real inverse[JSN_LOSS_MAX_VIEWS];    /* 1 / sum_k e_k */
    jsni_real log_sum[JSN_LOSS_MAX_VIEWS];    /* log sum_k e_k */
    jsni_real label_logp[JSN_LOSS_MAX_VIEWS]; /* l at the label, unless soft */
    jsni_real share;                          /* of the sample in the mean */
} jsni_row;

/* All zero at first. */
typedef struct jsni_grad {
    jsni_real target;
    jsni_real uniform;
    jsni_real plogp;
    jsni_real plogp_sum; /* plogp * sum_k p_k l_k */
    jsni_real dense_scale;
    jsni_real dense_sum; /* dense_scale * sum_k d_k */
    int dense;           /* row->d holds d_k; excludes plogp */
    int entropic;        /* plogp is used */
    int mixed; /* dense, with target and uniform beside it for labels as well */
} jsni_grad;

#ifdef JSNI_ROW_HEADER
#include JSNI_ROW_HEADER
#else
static inline size_t jsni_at(const jsni_row *row, size_t view, size_t chunk)
{
    return view * row->chunks + chunk;
}

/* The sum over the lanes of one sample, in every lane. */
static inline jsni_real jsni_total(const jsni_row *row, jsni_real x)
{
    return row->apart ? x : jsni_fill(jsni_lane_sum(x));
}

/* The largest over the lanes of one sample, in every lane. */
static inline jsni_real jsni_highest(const jsni_row *row, jsni_real x)
{
    return row->apart ? x : jsni_fill(jsni_lane_max(x));
}

/* Whether a chunk can have padding lanes. */
static inline int jsni_ragged(const jsni_row *row, size_t chunk)
{
    return !row->apart && chunk + 1 == row->chunks;
}

static inline jsni_real jsni_target(const jsni_row *row, size_t chunk)
{
    return row->t[jsni_at(row, 0, chunk)];
}

/* What a method remembers of the sample, and what it will from now on. For a loss with a
 * matrix: the row of its table at the label, which stays as it is. */
static inline jsni_real jsni_recall(const jsni_row *row, size_t chunk)
{
    return jsni_load(jsni_ragged(row, chunk) ? row->m_last
                                             : row->m + chunk * JSNI_LANES);
}

static inline void jsni_remember(const jsni_row *row, size_t chunk, jsni_real value)
{
    jsni_store(jsni_ragged(row, chunk) ? row->m_last : row->m + chunk * JSNI_LANES,
               value);
}
#endif

JSNI_ROW static inline jsni_real jsni_p(const jsni_row *row, size_t view, size_t chunk)
{
    return row->e[jsni_at(row, view, chunk)] * row->inverse[view];
}

JSNI_ROW static inline jsni_real jsni_logp(const jsni_row *row, size_t view,
                                           size_t chunk)
{
    return row->d[jsni_at(row, view, chunk)] - row->log_sum[view];
}

/* Replaces l of the chunk by an entry of the dense gradient. */
JSNI_ROW static inline void jsni_put(const jsni_row *row, size_t view, size_t chunk,
                                     jsni_real value)
{
    row->d[jsni_at(row, view, chunk)] = value;
}

/* `x` in the lanes that hold a class, 0 in padding: there d is 0 and e, which would be 1,
 * is 0 as well. To be asked before jsni_put(). */
JSNI_ROW static inline jsni_real jsni_inside(const jsni_row *row, size_t view,
                                             size_t chunk, jsni_real x)
{
    if (!jsni_ragged(row, chunk))
        return x;
    const size_t at = jsni_at(row, view, chunk);
    const jsni_real half = jsni_fill(R(0.5)), zero = jsni_fill(R(0));
    return jsni_less(row->d[at], -half, x, jsni_less(row->e[at], half, zero, x));
}

/* 0, or NaN where a logit is: the logarithm and the exponential of some levels make
 * ordinary numbers of it, so that a value made by them alone adds this. */
JSNI_ROW static inline jsni_real jsni_doubt(const jsni_row *row, size_t view)
{
    return R(0) * row->log_sum[view];
}

/* x^power for x > 0. */
JSNI_ROW static inline jsni_real jsni_pow(jsni_real x, jsni_scalar power)
{
    return jsni_exp(power * jsni_log(x));
}

/* x log x, 0 at 0. */
JSNI_ROW static inline jsni_real jsni_xlogx(jsni_real x)
{
    const jsni_real tiny = jsni_fill(R(JSNI_TINY));
    return jsni_less(tiny, x, x * jsni_log(jsni_max(tiny, x)), jsni_fill(R(0)));
}

/* sum_k t_k l_k of view 0. */
JSNI_ROW static inline jsni_real jsni_target_logp(const jsni_row *row)
{
    if (!row->soft)
        return row->label_logp[0];
    jsni_real sum = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++)
        sum = jsni_fma(jsni_target(row, c), jsni_logp(row, 0, c), sum);
    return jsni_total(row, sum);
}

/* sum_k l_k of view 0. d is 0 in padding lanes, where l is not. */
JSNI_ROW static inline jsni_real jsni_sum_logp(const jsni_row *row)
{
    jsni_real sum = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++)
        sum = sum + row->d[jsni_at(row, 0, c)];
    return jsni_total(row, sum) - row->classes * row->log_sum[0];
}

/* sum_k p_k l_k of view 0, minus the entropy. */
JSNI_ROW static inline jsni_real jsni_sum_plogp(const jsni_row *row)
{
    jsni_real sum = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++)
        sum = jsni_fma(jsni_p(row, 0, c), jsni_logp(row, 0, c), sum);
    return jsni_total(row, sum);
}

/* Adds weight * (sum_k p_k l_k) to the gradient and returns it. */
JSNI_ROW static inline jsni_real jsni_add_plogp(const jsni_row *row, jsni_grad *grad,
                                                jsni_scalar weight)
{
    const jsni_real sum = weight * jsni_sum_plogp(row);
    grad->entropic = 1;
    grad->plogp = jsni_fill(weight);
    grad->plogp_sum = sum;
    return sum;
}

/* JSNI_LOSS_DEFINE is the last line of every loss file: its table entry. In the double
 * build it defines the record that loss.c lists and the row function; in the others the
 * row function alone; for a device, whose build names JSNI_KERNEL_HEADER, the kernel. */
typedef jsni_real jsni_row_fn(const jsni_row *row, jsni_grad *grad);

/* Puts a plugin's row into its place behind those of the table; see plugin_load.c. */
#ifdef JSNI_LEVEL_DOUBLE
void jsni_loss_set_row(size_t row, jsni_row_fn *fn);
#endif

/* Marks set-up code, which every compilation sees and the double build alone uses. */
#if defined(JSNI_KERNEL_HEADER)
#define JSNI_SETUP __attribute__((unused)) static
#include JSNI_KERNEL_HEADER
#else
#define JSNI_SETUP __attribute__((unused)) static

#define JSNI_LOSS_ROW(id)                                                        \
    jsni_real JSNI_LEVELED(jsni_row_##id)(const jsni_row *row, jsni_grad *grad); \
    jsni_real JSNI_LEVELED(jsni_row_##id)(const jsni_row *row, jsni_grad *grad)  \
    {                                                                            \
        return id##_row(row, grad);                                              \
    }

#ifdef JSNI_LEVEL_DOUBLE
#define JSNI_LOSS_DEFINE(id, text, summary_text, kind, param_infos, param_total, \
                         prepare_fn)                                             \
    _Static_assert((param_total) <= JSNI_LOSS_MAX_PARAMS,                        \
                   "raise JSNI_LOSS_MAX_PARAMS");                                \
    JSNI_LOSS_ROW(id)                                                            \
    extern const jsni_loss_def jsni_loss_##id;                                   \
    const jsni_loss_def jsni_loss_##id = {                                       \
        {(text), (summary_text), (param_infos), (param_total),                   \
         ((kind) & (JSNI_JOINT | JSNI_METHOD)) == JSNI_JOINT ? 2 : 1,            \
         ((kind)&JSNI_HARD_ONLY) == 0, ((kind)&JSNI_ROOT) == 0},                 \
        ((kind)&JSNI_JOINT) != 0,                                                \
        ((kind)&JSNI_ROOT) != 0,                                                 \
        ((kind)&JSNI_HIDDEN) != 0,                                               \
        ((kind)&JSNI_METHOD) != 0,                                               \
        ((kind)&JSNI_WHOLE) != 0,                                                \
        (prepare_fn)}
#else
#define JSNI_LOSS_DEFINE(id, text, summary_text, kind, param_infos, param_total, \
                         prepare_fn)                                             \
    JSNI_LOSS_ROW(id)                                                            \
    _Static_assert(1, "")
#endif
#endif

/* JSNI_LOSS_PAIR behind it: the loss has id##_rows(), which also works on two groups of samples
 * at once. That is for a loss that is `bare`, where lanes are samples, in float, and is listed
 * in lane_driver.c. */
typedef void jsni_pair_fn(const jsni_row *const *rows, jsni_grad *const *grads,
                          jsni_real *values);
#if defined(JSNI_KERNEL_HEADER)
#define JSNI_LOSS_PAIR(id) static_assert(1, "")
#elif defined(JSNI_LEVEL_DOUBLE)
#define JSNI_LOSS_PAIR(id) _Static_assert(1, "")
#else
#define JSNI_LOSS_PAIR(id)                                                        \
    jsni_pair_fn JSNI_LEVELED(jsni_pair_##id);                                    \
    void JSNI_LEVELED(jsni_pair_##id)(const jsni_row *const *rows,                \
                                      jsni_grad *const *grads, jsni_real *values) \
    {                                                                             \
        id##_rows(rows, 2, grads, values);                                        \
    }                                                                             \
    _Static_assert(1, "")
#endif

/* Kinds for JSNI_LOSS_DEFINE. */
enum {
    JSNI_ONE_VIEW = 0,  /* sees one view at a time */
    JSNI_JOINT = 1,     /* sees all views together, wants two */
    JSNI_HARD_ONLY = 2, /* not defined for soft targets */
    JSNI_ROOT = 4,      /* the root of the batch mean */
    JSNI_HIDDEN = 8,    /* evaluates another entry's variant, has no name of its own */
    JSNI_METHOD = 16,   /* remembers a number a class of each sample: jsni_recall() */
    JSNI_WHOLE = 32     /* a method that is a loss by itself; others are added to one */
};

#endif /* JSNI_LOSS_ROW_H */
