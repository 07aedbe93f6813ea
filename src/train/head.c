/* train/head.c - see head.h. The body is the whole network with as many classes as it has
 * features, and the identity for its last layer: its logits are the features. */
#include "train/head.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/progress.h"
#include "nn/network_impl.h"
#include "train/head_features.h"
#include "train/model_card.h"
#include "train/run.h"
#include "train/run_begun.h"
#include "train/run_name.h"
#include "train/stages.h"
#include "train/tail.h"

bool jsni_head_alone(const jsn_train_config *config)
{
    return config->finetune != NULL && strcmp(config->finetune, "head") == 0;
}

/* The two tensors of a head of one linear layer; false: it is another one. */
static bool find_head(const jsni_graph *graph, const jsni_tensor **weight,
                      const jsni_tensor **bias)
{
    size_t count = 0;
    *weight = *bias = NULL;
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *t = &graph->params[i];
        if (!graph->nodes[t->node].head)
            continue;
        count++;
        if (t->rank == 2)
            *weight = t;
        else
            *bias = t;
    }
    return count == 2 && *weight != NULL && *bias != NULL;
}

jsn_status jsni_head_whole(const jsn_train_config *c, size_t classes, jsn_model **out)
{
    jsn_model_options o;
    jsn_model_options_init(&o);
    o.network = c->network;
    o.classes = classes;
    o.height = o.width = (size_t)c->image_size;
    o.device = c->device;
    o.batch = (size_t)c->batch;
    o.threads = (size_t)c->threads;
    JSNI_TRY(jsn_precision_parse(c->precision, &o.precision));
    return jsn_model_create(out, &o);
}

/* Sets the head of a model: weight [classes][features] and bias [classes]. */
static jsn_status set_head(jsn_model *model, const float *weight, const float *bias)
{
    const jsni_tensor *w = NULL, *b = NULL;
    float *params = jsni_alloc(model->graph->param_floats, sizeof *params);
    JSNI_TRY_ALLOC(params);
    jsn_status status = jsni_model_read(model, 0, JSNI_BLOCK_PARAMETERS, params);
    if (status == JSN_OK && find_head(model->graph, &w, &b)) {
        memcpy(params + w->offset, weight, w->count * sizeof(float));
        memcpy(params + b->offset, bias, b->count * sizeof(float));
        status = jsni_model_write(model, 0, JSNI_BLOCK_PARAMETERS, params);
    }
    jsni_free(params);
    return status;
}

static jsn_status set_identity(jsn_model *model, size_t floats)
{
    float *weight = jsni_alloc_zero(floats + 1, floats * sizeof *weight);
    JSNI_TRY_ALLOC(weight);
    for (size_t i = 0; i < floats; i++)
        weight[i * floats + i] = 1.0f;
    const jsn_status status = set_head(model, weight, weight + floats * floats);
    jsni_free(weight);
    return status;
}

/* How many features the network has for its last layer. */
static jsn_status count_features(const jsni_run *run, size_t *out)
{
    const size_t side = (size_t)run->job.config->image_size;
    const jsni_tensor *weight = NULL, *bias = NULL;
    jsni_graph *graph = NULL;
    JSNI_TRY(jsni_network_build(run->job.config->network,
                                (jsni_shape){JSN_IMAGE_CHANNELS, side, side},
                                run->job.problem->classes, &graph));
    const bool fits = find_head(graph, &weight, &bias);
    *out = fits ? weight->dim[1] : 0;
    jsni_graph_destroy(graph);
    return fits ? JSN_OK
                : jsni_fail(JSN_ERR_ARGUMENT,
                            "--finetune head: the classifier of %s is more than one "
                            "linear layer; --finetune all trains the whole network",
                            run->job.config->network);
}

jsn_status jsni_head_body_kept(const char *folder, const jsn_train_config *config,
                               bool *out)
{
    JSNI_TRY(jsni_file_find(folder, JSNI_HEAD_BODY, out));
    return *out ? jsni_run_begun_in(folder, config, out) : JSN_OK;
}

static void remove_body(const char *folder)
{
    char *path = jsni_path_join(folder, JSNI_HEAD_BODY);
    if (path != NULL)
        (void)remove(path);
    jsni_free(path);
}

/* The network as the run keeps it, else with the weights that the run begins with. `identity`:
 * its last layer hands on what it reads. */
static jsn_status open_whole(const jsni_run *run, size_t outputs, bool identity,
                             jsn_model **out)
{
    char *path = NULL;
    bool kept = false;
    int head = 0;
    JSNI_TRY(jsni_head_whole(run->job.config, outputs, out));
    JSNI_TRY(jsni_head_body_kept(run->folder.path, run->job.config, &kept));
    if (kept)
        return jsni_model_load_in(*out, run->folder.path, JSNI_HEAD_BODY, NULL);
    JSNI_TRY(jsni_stages_path(run, &path));
    const jsn_status status = jsn_model_load(*out, path, &head);
    jsni_free(path);
    JSNI_TRY(status);
    if (identity)
        JSNI_TRY(set_identity(*out, outputs));
    remove_body(
        run->folder.path); /* of a run with other options that was killed early */
    JSNI_TRY(jsni_head_keep_choice(&run->folder, &run->job));
    return jsni_model_save_in(*out, run->folder.path, JSNI_HEAD_BODY);
}

/* What makes the features. */
static jsn_status open_body(const jsni_run *run, jsni_head *h, jsn_model **out)
{
    jsn_model *whole = NULL;
    if (!jsni_tail_wanted(run->job.config)) {
        JSNI_TRY(count_features(run, &h->floats));
        return open_whole(run, h->floats, true, out);
    }
    jsn_status status = open_whole(run, run->job.problem->classes, false, &whole);
    if (status == JSN_OK)
        status = jsni_tail_front(run, h, whole, out);
    jsn_model_destroy(whole);
    return status;
}

/* Mean and deviation of each feature over the training images as they are. */
static jsn_status measure(jsni_head *h)
{
    const jsni_features *f = &h->train;
    JSNI_TRY_ALLOC(h->mean = jsni_alloc(h->floats, sizeof(float)));
    JSNI_TRY_ALLOC(h->scale = jsni_alloc(h->floats, sizeof(float)));
    for (size_t k = 0; k < h->floats; k++) {
        double sum = 0.0, squares = 0.0, count = 0.0;
        for (size_t i = 0; i < f->count; i++)
            if (f->there[i]) {
                sum += (double)f->values[i * h->floats + k];
                count += 1.0;
            }
        const double mean = count > 0.0 ? sum / count : 0.0;
        for (size_t i = 0; i < f->count; i++)
            if (f->there[i]) {
                const double off = (double)f->values[i * h->floats + k] - mean;
                squares += off * off;
            }
        const double deviation = count > 0.0 ? sqrt(squares / count) : 0.0;
        h->mean[k] = (float)mean;
        h->scale[k] = deviation > 1e-6 ? (float)(1.0 / deviation) : 0.0f;
    }
    return JSN_OK;
}

static void standardise(const jsni_head *h, jsni_features *f)
{
    const size_t rows = f->values == NULL ? 0 : f->copies * f->count;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < h->floats; k++) {
            float *value = &f->values[i * h->floats + k];
            *value = (*value - h->mean[k]) * h->scale[k];
        }
}

static jsn_status compute(jsni_run *run, jsni_head *h, jsn_model *body)
{
    const jsni_problem *p = run->job.problem;
    JSNI_TRY(jsni_head_features(run, body, &p->train, h->floats, JSNI_HEAD_COPIES,
                                &h->train));
    JSNI_TRY(jsni_head_features(run, body, &p->val, h->floats, 1, &h->val));
    JSNI_TRY(jsni_head_features(run, body, &p->test, h->floats, 1, &h->test));
    if (h->cut > 0)
        return JSN_OK;
    JSNI_TRY(measure(h));
    standardise(h, &h->train);
    standardise(h, &h->val);
    standardise(h, &h->test);
    return JSN_OK;
}

jsn_status jsni_head_keep_choice(const jsni_run_folder *folder, const jsni_job *job)
{
    jsni_text text = {0};
    jsni_model_card card = {0};
    jsn_status status =
        jsni_model_card_make(&card, job->config, job->problem, folder->path);
    card.seed = job->seed;
    card.members = 1;
    if (status == JSN_OK)
        status = jsni_model_card_write(&card, folder);
    jsni_model_card_release(&card);
    if (status == JSN_OK)
        status = jsni_run_config_text(job->config, &text);
    if (status == JSN_OK)
        status = jsni_run_write(folder, JSNI_RUN_CONFIG, text.data, text.length);
    jsni_text_release(&text);
    return status;
}

jsn_status jsni_head_open(jsni_run *run)
{
    jsn_model *body = NULL;
    jsni_head *h = jsni_alloc_zero(1, sizeof *h);
    JSNI_TRY_ALLOC(h);
    run->feed.head = h;
    jsn_status status = open_body(run, h, &body);
    if (status == JSN_OK)
        status = compute(run, h, body);
    jsn_model_destroy(body);
    return status;
}

void jsni_head_close(jsni_head *h)
{
    if (h == NULL)
        return;
    jsni_features_release(&h->train);
    jsni_features_release(&h->val);
    jsni_features_release(&h->test);
    jsni_free(h->mean);
    jsni_free(h->scale);
    jsni_free(h);
}

/* The head for features as the body makes them: w (x - mean) scale + b. */
static jsn_status unfold(const jsni_run *run, float *weight, float *bias)
{
    const jsni_head *h = run->feed.head;
    const jsni_graph *graph = run->group->model->graph;
    const jsni_tensor *w = NULL, *b = NULL;
    float *params = jsni_alloc(graph->param_floats, sizeof *params);
    JSNI_TRY_ALLOC(params);
    const jsn_status status =
        jsni_model_read(run->group->model, run->member, JSNI_BLOCK_PARAMETERS, params);
    if (status == JSN_OK && find_head(graph, &w, &b))
        for (size_t c = 0; c < run->job.problem->classes; c++) {
            double sum = (double)params[b->offset + c];
            for (size_t k = 0; k < h->floats; k++) {
                const size_t at = c * h->floats + k;
                weight[at] = params[w->offset + at] * h->scale[k];
                sum -= (double)weight[at] * (double)h->mean[k];
            }
            bias[c] = (float)sum;
        }
    jsni_free(params);
    return status;
}

/* The trained head into the whole network. */
static jsn_status put_head(const jsni_run *run, jsn_model *whole)
{
    const size_t classes = run->job.problem->classes;
    float *weight = jsni_alloc(classes, (run->feed.head->floats + 1) * sizeof *weight);
    JSNI_TRY_ALLOC(weight);
    float *bias = weight + classes * run->feed.head->floats;
    jsn_status status = unfold(run, weight, bias);
    if (status == JSN_OK)
        status = set_head(whole, weight, bias);
    jsni_free(weight);
    return status;
}

/* The network that the run keeps, with as many outputs as there are classes. */
static jsn_status load_kept(const jsni_run *run, jsn_model **out)
{
    int head = 0;
    JSNI_TRY(jsni_head_whole(run->job.config, run->job.problem->classes, out));
    return jsni_model_load_in(*out, run->folder.path, JSNI_HEAD_BODY, &head);
}

jsn_status jsni_head_first_weights(jsni_run *run)
{
    jsn_model *whole = NULL;
    if (run->feed.head->cut == 0) {
        jsni_say(&run->logger, JSN_LOG_INFO,
                 "the classifier starts anew, for %zu classes",
                 run->job.problem->classes);
        return JSN_OK;
    }
    jsn_status status = load_kept(run, &whole);
    if (status == JSN_OK)
        status = jsni_tail_take(run, whole);
    jsn_model_destroy(whole);
    return status;
}

jsn_status jsni_head_save(jsni_run *run, const char *name, char sha256[65])
{
    jsn_model *whole = NULL;
    jsn_status status = load_kept(run, &whole);
    if (status == JSN_OK)
        status =
            run->feed.head->cut > 0 ? jsni_tail_put(run, whole) : put_head(run, whole);
    if (status == JSN_OK)
        status = jsni_model_save_in(whole, run->folder.path, name);
    if (status == JSN_OK && sha256 != NULL)
        status = jsni_model_sha256(whole, sha256);
    jsn_model_destroy(whole);
    return status;
}

void jsni_head_remove_body(const jsni_run *run)
{
    if (run->feed.head != NULL)
        remove_body(run->folder.path);
}
