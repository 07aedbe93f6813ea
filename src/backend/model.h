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
    jsni_update update; /* as the optimiser spec says; rate, decay, step per call */
    size_t member;      /* that init, load, save and sha256 act on */
    float *staging;     /* owned: [param_floats + stat_floats] for load, save, sha256 */
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

#endif /* JSNI_BACKEND_MODEL_H */
