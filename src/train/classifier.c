/* train/classifier.c - see jensen/classifier.h. */
#include "jensen/classifier.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/pool.h"
#include "jensen/model.h"
#include "jensen/network.h"
#include "store/run_files.h"
#include "train/classifier_impl.h"
#include "train/metrics.h"
#include "train/test_views.h"
#include "weights/weight_cache.h"

/* The weights in a run's folder, which must be what the run wrote. */
static jsn_status load_from(jsn_model *model, const char *folder)
{
    bool there = false;
    JSNI_TRY(jsni_file_find(folder, JSNI_RUN_MODEL, &there));
    if (!there)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: the run is not finished (there is no %s); the command "
                         "that started it continues it",
                         folder, JSNI_RUN_MODEL);
    JSNI_TRY(jsni_run_files_verify_in(folder, JSNI_RUN_MODEL));
    return jsni_model_load_in(model, folder, JSNI_RUN_MODEL, NULL);
}

/* The weights of a member. */
static jsn_status load_weights(const jsn_classifier *c, size_t member)
{
    char name[64];
    bool there = false;
    if (c->weights != NULL)
        return jsn_model_load(c->models[member], c->weights, NULL);
    if (c->card.members == 1)
        return load_from(c->models[member], c->folder);
    (void)snprintf(name, sizeof name, "member-%zu", member + 1);
    JSNI_TRY(jsni_folder_find(c->folder, name, &there)); /* refuses a link */
    char *folder = jsni_path_join(c->folder, name);
    JSNI_TRY_ALLOC(folder);
    const jsn_status status = load_from(c->models[member], folder);
    jsni_free(folder);
    return status;
}

static jsn_status open_model(jsn_classifier *c, size_t member,
                             const jsn_classifier_options *options)
{
    jsn_model_options o;
    jsn_model_options_init(&o);
    o.network = c->card.network;
    o.classes = c->card.classes;
    o.height = o.width = c->card.image_size;
    o.device = options->device;
    o.batch = options->batch;
    o.threads = options->threads;
    o.precision = options->precision;
    JSNI_TRY(jsn_model_create(&c->models[member], &o));
    return load_weights(c, member);
}

/* The transforms that the card names; new images may have any size, also where nothing was
 * augmented. */
static jsn_status open_transforms(jsn_classifier *c)
{
    const jsni_model_card *card = &c->card;
    const size_t size = card->image_size;
    const char *plain =
        strcmp(card->evaluation, "none") == 0 ? "fit" : card->evaluation;
    JSNI_TRY(
        jsn_augment_create(&c->plain, plain, size, size, card->mean, card->deviation));
    const char *augment = strcmp(card->augment, "none") == 0 ? plain : card->augment;
    return jsn_augment_create(&c->augment, augment, size, size, card->mean,
                              card->deviation);
}

/* Does the network exist, for images of this size? */
static jsn_status try_network(const jsni_model_card *card)
{
    jsn_network *network = NULL;
    const jsn_status status = jsn_network_create(
        &network, card->network, 3, card->image_size, card->image_size, card->classes);
    jsn_network_destroy(network);
    return status;
}

/* Everything that the card says. A network or a transform that does not exist is a fault of
 * the file that names it and not of the command. */
static jsn_status take_card(jsn_classifier *c, const jsn_classifier_options *options)
{
    jsn_status status = try_network(&c->card);
    if (status == JSN_OK)
        status = open_transforms(c);
    const bool wrong = status == JSN_ERR_UNKNOWN_NAME || status == JSN_ERR_RANGE ||
                       status == JSN_ERR_ARGUMENT;
    if (options->run == NULL || !wrong)
        return status;
    return jsni_fail(JSN_ERR_DATA, "%s/%s: %s", options->run, JSNI_RUN_CARD,
                     jsn_last_error());
}

static jsn_status set_up(jsn_classifier *c, const jsn_classifier_options *options)
{
    const jsni_model_card *card = &c->card;
    const size_t size = card->image_size;
    JSNI_TRY(take_card(c, options));
    JSNI_TRY_ALLOC(c->models = jsni_alloc_zero(card->members, sizeof(jsn_model *)));
    for (size_t m = 0; m < card->members; m++)
        JSNI_TRY(open_model(c, m, options));
    JSNI_TRY(jsn_augment_scratch_create(&c->scratch));
    JSNI_TRY_ALLOC(c->images = jsni_alloc(c->batch, 3 * size * size * sizeof(float)));
    if (c->views > 1)
        JSNI_TRY_ALLOC(c->view = jsni_alloc(c->batch, 3 * size * size * sizeof(float)));
    JSNI_TRY_ALLOC(c->logits = jsni_alloc(c->batch, card->classes * sizeof(float)));
    JSNI_TRY_ALLOC(c->row = jsni_alloc(card->classes, sizeof *c->row));
    return JSN_OK;
}

/* Weights that no run describes: the transform is the one that a folder of images gets. */
static jsn_status make_card(jsni_model_card *card, const char *network, size_t classes)
{
    enum { LARGE = 128 }; /* pixels; such networks are trained on parts of images */
    static const float mean[3] = {0.485f, 0.456f, 0.406f};
    static const float deviation[3] = {0.229f, 0.224f, 0.225f};
    const jsn_network_info *info = jsn_network_find(network);
    if (info == NULL || classes < 2) { /* the sentence is that of the creation */
        jsn_network *none = NULL;
        const jsn_status status =
            jsn_network_create(&none, network, 3, 32, 32, classes);
        jsn_network_destroy(none);
        return status == JSN_OK ? JSN_ERR_UNKNOWN_NAME : status;
    }
    card->members = 1;
    card->image_size = info->height;
    memcpy(card->mean, mean, sizeof mean);
    memcpy(card->deviation, deviation, sizeof deviation);
    JSNI_TRY_ALLOC(card->network = jsni_text_copy(network));
    JSNI_TRY_ALLOC(card->augment = jsni_text_copy("none"));
    JSNI_TRY_ALLOC(card->evaluation = jsni_text_copy(
                       info->height < LARGE ? "fit" : "resize+centercrop"));
    JSNI_TRY_ALLOC(card->names = jsni_alloc_zero(classes, sizeof *card->names));
    card->classes = classes;
    for (size_t k = 0; k < classes; k++) {
        char name[24];
        (void)snprintf(name, sizeof name, "%zu", k);
        JSNI_TRY_ALLOC(card->names[k] = jsni_text_copy(name));
    }
    return JSN_OK;
}

void jsn_classifier_options_init(jsn_classifier_options *options)
{
    if (options == NULL)
        return;
    *options = (jsn_classifier_options){
        .device = "auto", .batch = 64, .views = 1, .precision = JSN_PRECISION_FP32};
}

static jsn_status read_card(jsn_classifier *c, const jsn_classifier_options *o)
{
    if (o->run != NULL) {
        JSNI_TRY(jsni_weights_check_name(o->run));
        JSNI_TRY(jsni_weights_or_path(o->run, &c->folder));
        JSNI_TRY(jsni_model_card_read(&c->card, c->folder));
        return jsni_run_files_verify_in(c->folder, JSNI_RUN_CARD);
    }
    JSNI_TRY_ALLOC(c->weights = jsni_text_copy(o->weights));
    return make_card(&c->card, o->network, o->classes);
}

jsn_status jsn_classifier_create(jsn_classifier **out,
                                 const jsn_classifier_options *options)
{
    JSNI_NEED(out);
    JSNI_NEED(options);
    *out = NULL;
    if (options->run == NULL && (options->network == NULL || options->weights == NULL))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "a classifier needs a run, or a network and its weights");
    if (options->batch == 0)
        return jsni_fail(JSN_ERR_RANGE, "a classifier needs a batch of 1 at least");
    if (options->views < 1 || options->views > JSNI_TEST_VIEWS)
        return jsni_fail(JSN_ERR_RANGE, "a classifier has 1 to %d views of an image",
                         (int)JSNI_TEST_VIEWS);
    jsn_classifier *c = jsni_alloc_zero(1, sizeof *c);
    JSNI_TRY_ALLOC(c);
    c->batch = options->batch;
    c->threads = options->threads;
    c->views = options->views;
    jsn_status status = read_card(c, options);
    if (status == JSN_OK)
        status = set_up(c, options);
    if (status != JSN_OK) {
        jsn_classifier_close(c);
        return status;
    }
    *out = c;
    return JSN_OK;
}

jsn_status jsn_classifier_open(jsn_classifier **out, const char *folder,
                               const char *device, size_t threads)
{
    JSNI_NEED(out);
    jsn_classifier_options o;
    jsn_classifier_options_init(&o);
    o.run = folder;
    o.device = device;
    o.threads = threads;
    return jsn_classifier_create(out, &o);
}

void jsn_classifier_close(jsn_classifier *c)
{
    if (c == NULL)
        return;
    for (size_t m = 0; c->models != NULL && m < c->card.members; m++)
        jsn_model_destroy(c->models[m]);
    jsni_free(c->models);
    jsn_augment_destroy(c->plain);
    jsn_augment_destroy(c->augment);
    jsn_augment_scratch_destroy(c->scratch);
    jsni_free(c->images);
    jsni_free(c->view);
    jsni_free(c->logits);
    jsni_free(c->row);
    jsni_model_card_release(&c->card);
    jsni_free(c->folder);
    jsni_free(c->weights);
    jsni_free(c);
}

size_t jsn_classifier_classes(const jsn_classifier *c)
{
    if (c == NULL)
        return 0;
    return c->card.classes;
}

const char *jsn_classifier_class(const jsn_classifier *c, size_t label)
{
    if (c == NULL)
        return NULL;
    return label < c->card.classes ? c->card.names[label] : NULL;
}

size_t jsn_classifier_image_size(const jsn_classifier *c)
{
    if (c == NULL)
        return 0;
    return c->card.image_size;
}

/* The logits of one of `runs` runs become their part of the probabilities. */
static void add_run(const jsn_classifier *c, const float *logits, size_t count,
                    size_t runs, double *out)
{
    const size_t classes = c->card.classes;
    for (size_t i = 0; i < count; i++) {
        jsni_softmax(logits + i * classes, classes, c->row);
        for (size_t k = 0; k < classes; k++)
            out[i * classes + k] += c->row[k] / (double)runs;
    }
}

/* One batch of tensors [count][3][size][size] through every member, in every view. */
static jsn_status run_members(jsn_classifier *c, const float *tensors, size_t count,
                              double *out, float *logits)
{
    const size_t classes = c->card.classes, runs = c->card.members * c->views;
    memset(out, 0, count * classes * sizeof *out);
    for (size_t r = 0; r < runs; r++) {
        const size_t view = r / c->card.members;
        if (view > 0)
            jsni_test_view(tensors, count, c->card.image_size, view, c->view);
        JSNI_TRY(jsn_model_evaluate(c->models[r % c->card.members],
                                    view > 0 ? c->view : tensors, count, c->logits));
        add_run(c, c->logits, count, runs, out);
    }
    for (size_t i = 0; logits != NULL && i < count * classes; i++)
        logits[i] = runs == 1 ? c->logits[i] : (float)log(out[i]);
    return JSN_OK;
}

static bool has_one_run(const jsn_classifier *c)
{
    return c->card.members == 1 && c->views == 1;
}

size_t jsni_classifier_source_workers(const jsn_classifier *c)
{
    return has_one_run(c) ? jsni_model_source_workers(c->models[0]) : 0;
}

size_t jsni_classifier_source_images(const jsn_classifier *c)
{
    return has_one_run(c) ? jsni_model_source_images(c->models[0]) : 0;
}

jsn_status jsni_classifier_predict_from(jsn_classifier *c, const jsni_source *source,
                                        size_t count, size_t *there, double *out,
                                        float *logits)
{
    JSNI_TRY(jsni_model_evaluate_from(c->models[0], source, count, there, logits));
    memset(out, 0, *there * c->card.classes * sizeof *out);
    add_run(c, logits, *there, 1, out);
    return JSN_OK;
}

jsn_status jsn_classifier_predict(jsn_classifier *c, const jsn_image *images,
                                  size_t count, double *probabilities, float *logits)
{
    JSNI_NEED(c);
    JSNI_NEED(probabilities);
    const size_t size = c->card.image_size, classes = c->card.classes;
    const jsn_augment_key key = {0};
    for (size_t at = 0; at < count; at += c->batch) {
        const size_t n = count - at < c->batch ? count - at : c->batch;
        for (size_t i = 0; i < n; i++)
            JSNI_TRY(jsn_augment_apply(c->plain, c->scratch, &images[at + i], &key,
                                       c->images + i * 3 * size * size));
        JSNI_TRY(run_members(c, c->images, n, probabilities + at * classes,
                             logits == NULL ? NULL : logits + at * classes));
    }
    return JSN_OK;
}

jsn_status jsn_classifier_predict_tensors(jsn_classifier *c, const float *tensors,
                                          size_t count, double *probabilities,
                                          float *logits)
{
    JSNI_NEED(c);
    JSNI_NEED(tensors);
    JSNI_NEED(probabilities);
    const size_t size = c->card.image_size, classes = c->card.classes;
    for (size_t at = 0; at < count; at += c->batch) {
        const size_t n = count - at < c->batch ? count - at : c->batch;
        JSNI_TRY(run_members(c, tensors + at * 3 * size * size, n,
                             probabilities + at * classes,
                             logits == NULL ? NULL : logits + at * classes));
    }
    return JSN_OK;
}
