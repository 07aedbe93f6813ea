/* loss/loss_impl.h - the host side of a loss: its record, what one evaluation reads,
 * and the levels (instruction sets) that can run it. The arithmetic of a loss file is
 * written against loss/row.h. */
#ifndef JSNI_LOSS_IMPL_H
#define JSNI_LOSS_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hd.h"
#include "core/pool.h"
#include "core/spec.h"
#include "jensen/loss.h"
#include "loss/loss_limits.h"
#include "loss/loss_mode.h"

enum { JSNI_LOSS_MAX_TERMS = 6 /* of a sum */ };

/* A batch is cut into at most this many pieces, whatever the number of threads. */
enum { JSNI_LOSS_PIECES = 256 };

/* The numbers that a row function reads, made once from the spec, in double. */
typedef struct jsni_loss_setup {
    double constant[JSNI_LOSS_CONSTANTS];
    double outer;        /* what a root is multiplied by */
    size_t views_wanted; /* when the user names no number */
    bool in_double;      /* float would lose digits */
    bool bare;           /* in float the row reads no e and no log_sum, and makes the
                          * gradient of the logits by itself */
    double spread;       /* of the normal draws that a method's memory begins with */
    size_t row;          /* in loss_list.h: what evaluates it, the loss itself unless
                          * prepare() says otherwise */
    const char *matrix;  /* the file of its matrix, a slice of the spec; NULL: none */
    size_t matrix_length;
} jsni_loss_setup;

/* Turns parsed parameters into constants. They come in as the parameters in order;
 * `views` is 0 when a spec is only checked. */
typedef jsn_status jsni_loss_prepare_fn(const char *spec, const jsni_spec_value *values,
                                        size_t views, jsni_loss_setup *setup);

typedef struct jsni_loss_def {
    jsn_loss_info info;
    bool joint;  /* reads all views together; else one at a time, and views average */
    bool root;   /* the loss is the root of the batch mean */
    bool hidden; /* evaluates another's variant: not in the table that users see */
    bool method; /* remembers its samples: in the table of methods */
    bool whole;  /* a method that is a loss by itself */
    jsni_loss_prepare_fn *prepare; /* or NULL */
} jsni_loss_def;

/* A parameter that switches: 0 or 1 and nothing between. */
JSN_MUST_CHECK jsn_status jsni_loss_flag(const char *spec, const char *name,
                                         double value);

/* A parameter that counts. */
JSN_MUST_CHECK jsn_status jsni_loss_whole(const char *spec, const char *name,
                                          double value);

/* One loss of a sum, a * L1 + b * L2 + ... */
typedef struct jsni_loss_term {
    const jsni_loss_def *def;
    size_t index; /* in loss_list.h */
    double weight;
    const char *plugin; /* borrowed: the file that it comes from; NULL: jensen itself */
    jsni_loss_setup all_views; /* as made */
    jsni_loss_setup setup;     /* as used: all_views, or for the first view alone */
    float constant_f[JSNI_LOSS_CONSTANTS];
} jsni_loss_term;

/* A wrapper of the whole: logits of a larger norm are scaled down to it. */
typedef struct jsni_loss_clip {
    double tau;   /* 0: they are taken as they are */
    double power; /* of the norm, at least 1 */
} jsni_loss_clip;

/* What a piece of an evaluation reads and writes. */
typedef struct jsni_loss_job {
    size_t index;                /* of the loss in loss_list.h */
    const jsni_loss_term *terms; /* of a sum, in place of the index; NULL: one loss */
    size_t term_count;
    const jsni_loss_clip *clip; /* with terms; or NULL */
    bool joint;
    bool bare;   /* the loss needs no softmax; of a loss alone */
    bool f64;    /* logits, targets, gradient are double */
    bool stream; /* the gradient is larger than the caches: write around them */
    size_t samples, classes, views, views_read;
    const void *logits;
    const void *targets;
    const int32_t *labels;
    void *grad;
    double *per_sample;
    void *memory;      /* [samples][classes] of a method, as the logits; else NULL */
    const void *table; /* [classes][classes], a row a label, as the logits; or NULL */
    const double *class_weights;
    const double *sample_weights;
    double inverse_weight;  /* 1 / sum of the weights */
    const uint8_t *chooser; /* evaluate the samples with (chooser[i] != 0) == chosen */
    bool chosen;
    const double *constant;  /* [JSNI_LOSS_CONSTANTS] */
    const float *constant_f; /* the same, rounded */
} jsni_loss_job;

typedef struct jsni_loss_part {
    double sum; /* of weight times loss */
    size_t bad; /* the first sample whose loss is not finite, or SIZE_MAX */
} jsni_loss_part;

/* Weight of sample i before division by the sum. */
double jsni_loss_weight_of(const jsni_loss_job *job, size_t i);

static inline double jsni_loss_weight(const jsni_loss_job *job, size_t i)
{
    return job->class_weights == NULL && job->sample_weights == NULL
               ? 1.0
               : jsni_loss_weight_of(job, i);
}

/* One instruction set: samples [first, last), `scratch` of scratch_bytes() bytes,
 * 64-byte aligned and zeroed at first; its target area is left zeroed. */
typedef void jsni_loss_run_fn(const jsni_loss_job *job, size_t first, size_t last,
                              void *scratch, jsni_loss_part *part);

typedef struct jsni_loss_ops {
    size_t (*scratch_bytes)(size_t classes, size_t views);
    jsni_loss_run_fn *run;
} jsni_loss_ops;

extern const jsni_loss_ops jsni_loss_ops_double;
extern const jsni_loss_ops jsni_loss_ops_plain;
extern const jsni_loss_ops jsni_loss_ops_avx2;
extern const jsni_loss_ops jsni_loss_ops_avx512;

/* What a backend keeps of a loss in the memory of its devices. */
typedef struct jsni_loss_kept {
    void *copies;
    void (*release)(void *copies); /* set with the copies */
} jsni_loss_kept;

/* A loss handle; loss.c makes it, evaluate_loss.c runs it. */
struct jsn_loss {
    jsni_loss_term terms[JSNI_LOSS_MAX_TERMS];
    size_t term_count; /* 1: a loss of the table */
    jsni_loss_clip clip;
    jsn_loss_info info; /* of a sum its own */
    char *name;         /* owned: the spec of a sum, or NULL */
    bool joint, root, in_double;
    bool method;   /* one of the terms is, and needs the memory of its samples */
    char *matrix;  /* owned: the file that the spec names, or NULL */
    double *table; /* owned, [classes][classes]: made of the matrix; see transition.c */
    float *table_f;       /* the same, rounded */
    jsni_loss_kept *kept; /* owned, with the table: its copies on devices */
    size_t classes, views;
    bool first_only;
    jsni_loss_level forced; /* JSNI_LOSS_AUTO: choose */
    jsni_loss_level used;
    jsni_pool *pool;               /* owned; NULL: the calling thread alone */
    size_t workers;                /* scratch areas */
    size_t scratch_bytes;          /* of one, a multiple of 64 */
    char *scratch;                 /* [workers][scratch_bytes], 64-byte aligned */
    jsni_loss_level scratch_level; /* that wrote to it last */
    jsni_loss_part parts[JSNI_LOSS_PIECES];
};

/* What a device needs to evaluate a loss; see backend/cuda/cuda_loss.h. */
typedef struct jsni_loss_device_term {
    size_t index;  /* in loss_list.h */
    double weight; /* in the sum; 1 for a loss alone */
    bool joint, in_double, method;
    bool matrix;        /* reads rows of the table */
    const char *plugin; /* borrowed: the file that it comes from, or NULL, and then */
    const void *kernel; /* what evaluates it, of cuda_plugin.c */
    double constant[JSNI_LOSS_CONSTANTS];
} jsni_loss_device_term;

typedef struct jsni_loss_device {
    size_t classes, views, views_read;
    bool joint, root, in_double; /* of any term */
    double tau, power;           /* of clipped logits; 0: they are taken as they are */
    const float *table;          /* in the memory of the device; NULL: no matrix */
    double outer;                /* root: what it is multiplied by */
    size_t term_count;
    jsni_loss_device_term terms[JSNI_LOSS_MAX_TERMS];
} jsni_loss_device;

/* All but the table and the kernels of plugins, which are the backend's to find. */
void jsni_loss_for_device(const jsn_loss *loss, jsni_loss_device *out);

/* Gives back what a backend keeps of a loss, since its table changes or it ends. */
void jsni_loss_forget(jsn_loss *loss);

/* Whether `loss`, with `other` for some of the samples or NULL, can be evaluated on class
 * labels or (`soft`) on soft targets. JSN_ERR_ARGUMENT. */
JSN_MUST_CHECK jsn_status jsni_loss_check_use(const jsn_loss *loss,
                                              const jsn_loss *other, bool soft);

/* The table, for those who read specs. */
const jsni_loss_def *jsni_loss_def_at(size_t index); /* NULL behind the last */

/* The same of methods; *place is where it stands in loss_list.h. */
const jsni_loss_def *jsni_method_def_at(size_t index, size_t *place);

/* Both for jensen/catalog.h; all zero behind the last. */
jsn_entry jsni_loss_entry(size_t index);
jsn_entry jsni_method_entry(size_t index);

/* Reads a spec, a loss or a sum of them: "gce:q=0.7", "10*nce+0.1*rce", with what wraps it:
 * "logitclip:tau=1,loss=10*nce+0.1*rce". `views` is 0 when the spec is only checked. The statuses of jsn_loss_check(). */
JSN_MUST_CHECK jsn_status jsni_loss_read_spec(const char *spec, size_t views,
                                              jsni_loss_term *terms, size_t *count,
                                              jsni_loss_clip *clip);

/* The term that a method adds: "elr:beta=0.7". Statuses as above. */
JSN_MUST_CHECK jsn_status jsni_loss_read_method(const char *spec, size_t views,
                                                jsni_loss_term *term);

/* Notes the file of the matrix that one of the terms names.
 *   JSN_ERR_ARGUMENT  several do, or one beside a method */
JSN_MUST_CHECK jsn_status jsni_loss_find_matrix(jsn_loss *loss);

/* The ops of a level, NULL where the machine or the build lacks it. */
const jsni_loss_ops *jsni_loss_level_ops(jsni_loss_level level);
jsni_loss_level jsni_loss_best_level(void);

#endif /* JSNI_LOSS_IMPL_H */
