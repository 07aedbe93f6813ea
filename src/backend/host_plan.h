/* backend/host_plan.h - what the CPU backends share: an open device, and the part of a
 * plan that does not depend on how layers are computed (blocks, labels, the batch, loss
 * and update). A backend's own structs begin with these; the functions marked as entries
 * go into its table of backend_impl.h, which says what they do. */
#ifndef JSNI_BACKEND_HOST_PLAN_H
#define JSNI_BACKEND_HOST_PLAN_H

#include "backend/backend_impl.h"
#include "backend/host_memory.h"
#include "core/pool.h"

typedef struct jsni_host_device {
    jsni_backend base;
    char text[128]; /* filled in by the backend */
} jsni_host_device;

typedef struct jsni_host_plan {
    jsni_plan base;
    jsni_plan_options options;
    jsni_pool *pool;       /* made by the backend, destroyed by release */
    float *params;         /* [graph->param_floats] */
    float *stats;          /* [graph->stat_floats] */
    float *grads;          /* [graph->param_floats], NULL without training */
    float *state;          /* [optimiser_slots][graph->param_floats], as grads */
    size_t views, samples; /* of the present input; 0 before the first */
    jsni_pass pass;        /* the latest forward */
    bool ran;              /* forward came, and no backward or input after it */
    jsni_host_labels labels;
    double mean;
    double *values; /* [batch] of the loss */
    /* [views][samples][outputs] of the present input; borrowed from the backend's
     * memory, logit_gradient NULL when it keeps none */
    float *logits, *logit_gradient;
} jsni_host_plan;

/* JSN_ERR_DEVICE for any device but 0 of backend `name`. */
JSN_MUST_CHECK jsn_status jsni_host_check_device(const char *name, size_t device);

/* Blocks, labels and values for plan->options, all zero. JSN_ERR_MEMORY; release also
 * after a failure. */
JSN_MUST_CHECK jsn_status jsni_host_plan_allocate(jsni_host_plan *plan);
/* Also the pool; not the plan itself. */
void jsni_host_plan_release(jsni_host_plan *plan);

/* Notes the sizes of a new input. JSN_ERR_ARGUMENT when views or samples are 0 or beyond
 * the plan. */
JSN_MUST_CHECK jsn_status jsni_host_begin_input(jsni_host_plan *plan, size_t views,
                                                size_t samples);

/* Notes the pass. JSN_ERR_ARGUMENT when there is no input, when a training pass is asked
 * of a plan for evaluation, or when BatchNorm would see a single value a channel. */
JSN_MUST_CHECK jsn_status jsni_host_begin_pass(jsni_host_plan *plan,
                                               const jsni_pass *pass);

/* JSN_ERR_ARGUMENT unless a forward came before in a plan for training; `what` is the
 * entry, for the sentence. */
JSN_MUST_CHECK jsn_status jsni_host_check_ran(const jsni_host_plan *plan,
                                              const char *what);

/* JSN_ERR_ARGUMENT: the plan keeps no gradient of node `number`. */
JSN_MUST_CHECK jsn_status jsni_host_no_gradient(const jsni_plan *plan, size_t number);

/* ---- entries, for JSNI_HOST_ENTRIES ---- */

size_t jsni_host_device_count(void);
const char *jsni_host_device_text(const jsni_backend *backend);
size_t jsni_host_available(const jsni_backend *backend);
jsn_status jsni_host_download(jsni_plan *plan, size_t member, jsni_block block,
                              float *to);
jsn_status jsni_host_set_labels(jsni_plan *plan, size_t member,
                                const jsni_labels *labels);
jsn_status jsni_host_loss(jsni_plan *plan, const jsni_losses *losses);
jsn_status jsni_host_copy_output(jsni_plan *plan);
jsn_status jsni_host_read_loss(jsni_plan *plan, size_t member, double *mean,
                               double *values);
jsn_status jsni_host_read_output(jsni_plan *plan, size_t member, float *to);
jsn_status jsni_host_synchronize(jsni_plan *plan);
jsn_status jsni_host_write_output_gradient(jsni_plan *plan, size_t member,
                                           const float *from);
jsn_status jsni_host_read_output_gradient(jsni_plan *plan, size_t member, float *to);

/* The rows of a backend's table that are the same for all of them. */
#define JSNI_HOST_ENTRIES                                                         \
    .can = {.members = 1, .precisions = JSNI_CAN(JSN_PRECISION_FP32)},            \
    .device_count = jsni_host_device_count, .device_text = jsni_host_device_text, \
    .memory_available = jsni_host_available, .download = jsni_host_download,      \
    .set_labels = jsni_host_set_labels, .loss = jsni_host_loss,                   \
    .copy_output = jsni_host_copy_output, .read_loss = jsni_host_read_loss,       \
    .read_output = jsni_host_read_output, .synchronize = jsni_host_synchronize,   \
    .write_output_gradient = jsni_host_write_output_gradient,                     \
    .read_output_gradient = jsni_host_read_output_gradient

/* Entries as well, where a backend makes nothing else from the parameters. */
jsn_status jsni_host_upload(jsni_plan *plan, size_t member, jsni_block block,
                            const float *from);
jsn_status jsni_host_update(jsni_plan *plan, const jsni_update *update);

#endif /* JSNI_BACKEND_HOST_PLAN_H */
