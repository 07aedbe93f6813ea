/* jensen/loss.h - losses for classifiers trained on noisy labels.
 *
 * A loss reads the logits of a batch and the given, possibly wrong, labels. It
 * returns the mean loss over the samples and its gradient with respect to the
 * logits. The softmax belongs to the loss, never to the network.
 *
 * A loss is named by a spec, "name" or "name:key=value,key=value", or by a sum of such,
 * "10*nce+0.1*rce":
 *
 *     jsn_loss *loss = NULL;
 *     if (jsn_loss_create(&loss, "gjs:pi1=0.5", 10, 2) != JSN_OK)
 *         fprintf(stderr, "jensen: %s\n", jsn_last_error());
 *     jsn_loss_batch batch;
 *     jsn_loss_batch_init(&batch);
 *     batch.samples = 128;
 *     batch.logits = logits;                  // float [2][128][10]
 *     batch.labels = labels;                  // int32_t [128]
 *     jsn_loss_result result = {.grad = grad}; // float [2][128][10]
 *     if (jsn_loss_eval(loss, &batch, &result) == JSN_OK)
 *         printf("%g\n", result.mean);
 *     jsn_loss_destroy(loss);
 *
 * Losses that compare several predictions for the same sample (the generalised
 * Jensen-Shannon divergence and its parts) read all views of the batch together; the
 * others average over the views.
 */
#ifndef JENSEN_LOSS_H
#define JENSEN_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/param.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What exists. The records are static: never free them. */
typedef struct jsn_loss_info {
    const char *name;
    const char *summary; /* one line, for help texts */
    const jsn_param_info *params;
    size_t param_count;
    size_t views;    /* how many it wants when nothing else is said: 1 or 2 */
    bool soft;       /* takes soft targets */
    bool per_sample; /* is a mean of per-sample values */
} jsn_loss_info;

/* The record at `index`, NULL behind the last. */
JSN_API const jsn_loss_info *jsn_loss_describe(size_t index);

/* Checks a spec and says how many views the loss wants when the user names no number:
 * 1, or 2 for gjs and its parts, or the number of view weights in `pi=...`. `views`
 * may be NULL.
 *   JSN_ERR_ARGUMENT      the spec is malformed or its weights do not fit
 *   JSN_ERR_UNKNOWN_NAME  no such loss, or the loss has no such parameter
 *   JSN_ERR_RANGE         a parameter lies outside its bounds */
JSN_API JSN_MUST_CHECK jsn_status jsn_loss_check(const char *spec, size_t *views);

/* Adds the loss of a shared object ('jensen plugin new NAME' writes the source of one) to
 * those that specs can name, for as long as the process lives. This runs code of the file:
 * load what you trust. *out (may be NULL) is its record. The same file again is no
 * failure. Not to be called while other threads make losses.
 *   JSN_ERR_ARGUMENT  no plugin, one for another version, a name that is taken; the
 *                     sentence says what is wrong with it
 *   JSN_ERR_RANGE     too many plugins
 *   JSN_ERR_DATA, JSN_ERR_IO  there is no such file, or it cannot be read */
JSN_API JSN_MUST_CHECK jsn_status jsn_loss_load(const char *path,
                                                const jsn_loss_info **out);

/* One property that every loss must have, as measured. */
typedef struct jsn_loss_finding {
    const char *name;    /* static: "gradient against central differences" */
    double worst, limit; /* the largest error, and what is allowed */
    bool passed;
} jsn_loss_finding;

enum { JSN_LOSS_FINDINGS = 6 };

/* Puts a loss through what all losses of jensen are put through: gradients against
 * signed central differences, a shift of the logits, float32 beside float64, ties and
 * extreme logits; two to a thousand classes, labels and (where it takes them) soft
 * targets. JSN_OK says that all was measured, whatever came out.
 *   as jsn_loss_create() */
JSN_API JSN_MUST_CHECK jsn_status
jsn_loss_verify(const char *spec, jsn_loss_finding findings[JSN_LOSS_FINDINGS]);

/* A loss with its parameters fixed. It holds scratch memory and threads, so one thread
 * uses it at a time; give each thread its own. */
typedef struct jsn_loss jsn_loss;

enum { JSN_LOSS_MAX_VIEWS = 16 };

/* Makes a loss for logits of `classes` >= 2 entries and `views` in 1 ..
 * JSN_LOSS_MAX_VIEWS. On success *out is owned by the caller, who calls
 * jsn_loss_destroy(). On failure *out is NULL: the statuses of jsn_loss_check(), and
 *   JSN_ERR_ARGUMENT  classes or views too small, or `pi` has not 1 + views entries
 *   JSN_ERR_RANGE     too many classes or views
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_loss_create(jsn_loss **out, const char *spec,
                                                  size_t classes, size_t views);

/* Accepts NULL. */
JSN_API void jsn_loss_destroy(jsn_loss *loss);

/* The record of the loss that a handle was made for; NULL for NULL. */
JSN_API const jsn_loss_info *jsn_loss_describe_of(const jsn_loss *loss);

/* A spec with matrix=FILE ("forward:matrix=t.csv") names the transition matrix of the labels,
 * which is not read here: the path as the spec has it, or NULL. Borrowed from the loss. */
JSN_API const char *jsn_loss_matrix_path(const jsn_loss *loss);

/* Gives such a loss its matrix before it is evaluated, [classes][classes], which is copied:
 * row c has the probabilities of the labels of class c. jsn_noise_read_matrix() reads one.
 *   JSN_ERR_ARGUMENT  a loss without a matrix
 *   JSN_ERR_RANGE     rows that do not sum to 1, a label that no class has, and for the
 *                     backward correction a matrix without an inverse
 *   JSN_ERR_MEMORY    the loss keeps the matrix it had */
JSN_API JSN_MUST_CHECK jsn_status jsn_loss_set_matrix(jsn_loss *loss,
                                                      const double *matrix);

/* Large batches are spread over `threads` threads, 0: one a usable core; 1 (no other
 * thread) after create. The result has the same bits for any number.
 *   JSN_ERR_RANGE, JSN_ERR_MEMORY  the loss keeps the threads it had */
JSN_API JSN_MUST_CHECK jsn_status jsn_loss_set_threads(jsn_loss *loss, size_t threads);

typedef enum jsn_loss_type { JSN_LOSS_F32, JSN_LOSS_F64 } jsn_loss_type;

/* One batch, borrowed for the duration of a call. All arrays are row-major and
 * contiguous. Call jsn_loss_batch_init(), then set what is there. */
typedef struct jsn_loss_batch {
    size_t samples;        /* at least 1 */
    jsn_loss_type type;    /* of logits, targets and gradient; JSN_LOSS_F32 at first */
    const void *logits;    /* [views][samples][classes] */
    const int32_t *labels; /* [samples], each in [0, classes); NULL with targets */
    const void
        *targets; /* [samples][classes], rows >= 0 with sum 1; NULL with labels */
    /* Weights >= 0, not all zero, or NULL. A sample counts with the product of both;
     * with soft targets its class weight is the mean of the classes' under the target.
     * The mean loss divides by the sum of the weights. */
    const double *class_weights;  /* [classes] */
    const double *sample_weights; /* [samples] */
    /* What the mean divides by instead: 1 gives the weighted sum and its gradient, and
     * the weights may then all be zero. 0: the sum of the weights. */
    double divisor;
    /* Another loss for some samples: sample i is evaluated by `other` when
     * use_other[i] != 0. Both NULL, or both set; `other` has the same classes and views
     * and must not be the loss itself. */
    jsn_loss *other;
    const uint8_t *use_other; /* [samples] */
    /* [samples][classes], typed as the logits: what a method remembers of the samples,
     * which the evaluation renews. NULL for a loss without a method, as all are that
     * jsn_loss_create() makes. */
    void *memory;
} jsn_loss_batch;

/* No samples, JSN_LOSS_F32, every array NULL. */
JSN_API void jsn_loss_batch_init(jsn_loss_batch *batch);

typedef struct jsn_loss_result {
    double mean;        /* out */
    double *per_sample; /* [samples], unweighted values; NULL: not wanted */
    void *grad;         /* shaped and typed as the logits: gradient of the mean; is
                         * overwritten, may be the memory of the logits; NULL: not wanted */
} jsn_loss_result;

/* Evaluates mean, values and gradient in one call. Allocates nothing. Targets that do
 * not sum to 1 within 1e-3 are refused. A logit of -infinity excludes its class, where
 * the loss allows that.
 *   JSN_ERR_ARGUMENT  something is NULL or does not fit together: soft targets for a
 *                     loss without them, per-sample values of a loss that has none
 *   JSN_ERR_RANGE     a label lies outside [0, classes), a weight or a target is
 *                     negative or not finite, the weights have no sum to divide by;
 *                     the outputs are untouched
 *   JSN_ERR_NUMERIC   a sample's loss, or their sum, is not finite; the outputs are
 *                     unspecified */
JSN_API JSN_MUST_CHECK jsn_status jsn_loss_eval(jsn_loss *loss,
                                                const jsn_loss_batch *batch,
                                                jsn_loss_result *result);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_LOSS_H */
