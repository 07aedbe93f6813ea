/* backend/model.h - the inside of jensen/model.h, for the trainer and tests: graph,
 * backend and plan behind one handle, and its blocks in canonical layout. */
#ifndef JSNI_BACKEND_MODEL_H
#define JSNI_BACKEND_MODEL_H

#include "backend/backend_impl.h"
#include "jensen/model.h"

struct jsn_model {
    jsni_graph *graph;     /* owned */
    jsni_backend *backend; /* owned */
    jsni_plan *plan;       /* owned */
    jsni_plan_options options;
    jsni_memory memory;
    jsni_update update;   /* as the optimiser spec says; rate, decay, step per call */
    bool keep_statistics; /* jsni_model_tune() */
    double *factor;       /* owned: [param_count] of the rate, or NULL */
    size_t member;        /* that init, load, save and sha256 act on */
    float *staging; /* owned: [param_floats + stat_floats] for load, save, sha256 */
};

/* Floats of a canonical block of this model. */
size_t jsni_model_block_floats(const jsn_model *model, jsni_block block);

/* A whole block of member `member`, as checkpoints keep it; the tensors inside are
 * model->graph->params (also of gradients and each optimiser slot) and ->stats. */
JSN_MUST_CHECK jsn_status jsni_model_read(jsn_model *model, size_t member,
                                          jsni_block block, float *to);
JSN_MUST_CHECK jsn_status jsni_model_write(jsn_model *model, size_t member,
                                           jsni_block block, const float *from);

/* jsn_model_load() and _save() of a file that is named as in core/file.h. */
JSN_MUST_CHECK jsn_status jsni_model_load_in(jsn_model *model, const char *folder,
                                             const char *name, int *head);
JSN_MUST_CHECK jsn_status jsni_model_save_in(jsn_model *model, const char *folder,
                                             const char *name);

/* Chooses the member that jsn_model_init(), _load(), _save() and _sha256() act on. */
void jsni_model_select(jsn_model *model, size_t member);

/* As jsn_model_create(), with every plan option and a graph of the caller's, which the
 * model owns from then on, also on failure. options->optimiser_slots is set from
 * `optimiser` (NULL: none). */
JSN_MUST_CHECK jsn_status jsni_model_create(jsn_model **out, jsni_graph *graph,
                                            const char *device, const char *optimiser,
                                            const jsni_plan_options *options);

/* From now on steps tune weights that the network has from elsewhere. The learning rate of a
 * block of layers is `decay` times that of the block behind it, that of the classifier is
 * the step's (nn/graph_part.h). With `keep_statistics` BatchNorm normalises by its running
 * statistics, which stay as they are, and nothing is dropped.
 *   JSN_ERR_UNSUPPORTED  on a GPU
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_model_tune(jsn_model *model, double decay,
                                          bool keep_statistics);

/* How many workers ask a source for images, 0: this network takes none on its device; and for
 * how many images at most in one call: some batches. */
size_t jsni_model_source_workers(const jsn_model *model);
size_t jsni_model_source_images(const jsn_model *model);

/* jsn_model_evaluate() of images that a source makes while the network works on others: the
 * logits [*there][classes] of those that are there, in order. The bits are those of
 * jsn_model_evaluate() for each batch of the samples, without those that are not there. */
JSN_MUST_CHECK jsn_status jsni_model_evaluate_from(jsn_model *model,
                                                   const jsni_source *source,
                                                   size_t samples, size_t *there,
                                                   float *logits);

/* SHA-256 over the bytes of all parameters, then all running statistics, each in the
 * order of the network's layers, little-endian float32. */
JSN_MUST_CHECK jsn_status jsni_model_sha256(jsn_model *model, char hex[65]);

/* Waits until the device has done all that was asked for. */
JSN_MUST_CHECK jsn_status jsni_model_synchronize(jsn_model *model);

/* Whether images of a later step can be on their way to the device while it works on
 * another: stage_input of backend_impl.h, whose rules hold for these. */
bool jsni_model_stages(const jsn_model *model);
JSN_MUST_CHECK jsn_status jsni_model_stage(jsn_model *model, const float *images,
                                           size_t views, size_t samples);
/* `model` is a jsn_model with stages: as the loader wants them. */
bool jsni_model_pin(void *model, void *memory, size_t bytes);
void jsni_model_unpin(void *model, void *memory);

/* Waits for the mean loss of a step that was begun without asking for it. */
JSN_MUST_CHECK jsn_status jsni_model_loss(jsn_model *model, double *mean);

/* The logits [views][samples][classes] of the latest training step or evaluation. */
JSN_MUST_CHECK jsn_status jsni_model_logits(jsn_model *model, float *logits);

/* Name of layer `index` and how the backend runs it; NULL when index >= layers. The
 * texts belong to the model. */
const char *jsni_model_layer(const jsn_model *model, size_t index);
const char *jsni_model_implementation(const jsn_model *model, size_t index);

typedef struct jsni_layer_time {
    size_t layer;
    const char *what; /* "forward", "backward data", ...; static */
    double seconds;
} jsni_layer_time;

/* What each layer adds to the time of a training step of the full batch, in the order in
 * which it is run, several entries a layer. Layers that run within another one have
 * none. Runs some steps on the present images; gradients are overwritten, weights and
 * running statistics are not. *count may exceed `room`: the rest is left out.
 *   JSN_ERR_ARGUMENT     made without an optimiser, no step was run yet
 *   JSN_ERR_UNSUPPORTED  the backend does not time its layers
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_model_time_layers(jsn_model *model,
                                                 jsni_layer_time *times, size_t room,
                                                 size_t *count);

/* The limit beside it: what the layers of the same step cost when each is computed by
 * itself by the primitives of the library that the backend stands on, in the layout and
 * with the algorithm that are best there, on the model's number of threads. Statuses and
 * arguments as above; weights and statistics stay as they are. */
JSN_MUST_CHECK jsn_status jsni_model_time_limit(jsn_model *model,
                                                jsni_layer_time *times, size_t room,
                                                size_t *count);

#endif /* JSNI_BACKEND_MODEL_H */
