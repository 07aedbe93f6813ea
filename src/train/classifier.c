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
#include "train/class_scores.h"
#include "train/evaluate.h"
#include "train/model_card.h"
#include "train/test_views.h"

struct jsn_classifier {
    char *folder;  /* of the run, or NULL */
    char *weights; /* the file instead of a run's, or NULL */
    jsni_model_card card;
    size_t batch;
    size_t views;       /* of an image, whose probabilities are averaged */
    jsn_model **models; /* [members] */
    jsn_augment *plain, *augment;
    jsn_augment_scratch *scratch;
    float *images; /* [batch][3][size][size] */
    float *view;   /* the same, of one of several views */
    float *logits; /* [batch][classes] */
};

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

/* Everything that the card says. */
static jsn_status set_up(jsn_classifier *c, const jsn_classifier_options *options)
{
    const jsni_model_card *card = &c->card;
    const size_t size = card->image_size;
    JSNI_TRY_ALLOC(c->models = jsni_alloc_zero(card->members, sizeof(jsn_model *)));
    for (size_t m = 0; m < card->members; m++)
        JSNI_TRY(open_model(c, m, options));
    /* New images may have any size. */
    const char *plain =
        strcmp(card->evaluation, "none") == 0 ? "fit" : card->evaluation;
    JSNI_TRY(
        jsn_augment_create(&c->plain, plain, size, size, card->mean, card->deviation));
    JSNI_TRY(jsn_augment_create(&c->augment, card->augment, size, size, card->mean,
                                card->deviation));
    JSNI_TRY(jsn_augment_scratch_create(&c->scratch));
    JSNI_TRY_ALLOC(c->images = jsni_alloc(c->batch, 3 * size * size * sizeof(float)));
    if (c->views > 1)
        JSNI_TRY_ALLOC(c->view = jsni_alloc(c->batch, 3 * size * size * sizeof(float)));
    JSNI_TRY_ALLOC(c->logits = jsni_alloc(c->batch, card->classes * sizeof(float)));
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
        JSNI_TRY_ALLOC(c->folder = jsni_text_copy(o->run));
        JSNI_TRY(jsni_model_card_read(&c->card, o->run));
        return jsni_run_files_verify_in(o->run, JSNI_RUN_CARD);
    }
    JSNI_TRY_ALLOC(c->weights = jsni_text_copy(o->weights));
    return make_card(&c->card, o->network, o->classes);
}

/* A network or a transform that does not exist, or that the weights do not fit, is a fault
 * of the file that names it and not of the command. */
static jsn_status blame_card(const jsn_classifier_options *o, jsn_status status)
{
    const bool wrong = status == JSN_ERR_UNKNOWN_NAME || status == JSN_ERR_RANGE ||
                       status == JSN_ERR_ARGUMENT;
    if (o->run == NULL || !wrong || strstr(jsn_last_error(), "device") != NULL)
        return status;
    return jsni_fail(JSN_ERR_DATA, "%s/%s: %s", o->run, JSNI_RUN_CARD,
                     jsn_last_error());
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
    c->views = options->views;
    jsn_status status = read_card(c, options);
    if (status == JSN_OK)
        status = set_up(c, options);
    status = blame_card(options, status);
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

jsn_status jsn_classifier_open_weights(jsn_classifier **out, const char *network,
                                       const char *weights, size_t classes,
                                       const char *device, size_t threads)
{
    JSNI_NEED(out);
    jsn_classifier_options o;
    jsn_classifier_options_init(&o);
    o.network = network;
    o.weights = weights;
    o.classes = classes;
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

size_t jsn_classifier_batch(const jsn_classifier *c)
{
    if (c == NULL)
        return 0;
    return c->batch;
}

size_t jsn_classifier_image_size(const jsn_classifier *c)
{
    if (c == NULL)
        return 0;
    return c->card.image_size;
}

/* One batch of tensors [count][3][size][size] through every member, in every view. */
static jsn_status run_members(jsn_classifier *c, const float *tensors, size_t count,
                              double *out, float *logits)
{
    const size_t classes = c->card.classes, runs = c->card.members * c->views;
    memset(out, 0, count * classes * sizeof *out);
    double *row = jsni_alloc(classes, sizeof *row);
    JSNI_TRY_ALLOC(row);
    jsn_status status = JSN_OK;
    for (size_t r = 0; status == JSN_OK && r < runs; r++) {
        const size_t view = r / c->card.members;
        if (view > 0)
            jsni_test_view(tensors, count, c->card.image_size, view, c->view);
        status = jsn_model_evaluate(c->models[r % c->card.members],
                                    view > 0 ? c->view : tensors, count, c->logits);
        for (size_t i = 0; status == JSN_OK && i < count; i++) {
            jsni_softmax(c->logits + i * classes, classes, row);
            for (size_t k = 0; k < classes; k++)
                out[i * classes + k] += row[k] / (double)runs;
        }
    }
    jsni_free(row);
    for (size_t i = 0; status == JSN_OK && logits != NULL && i < count * classes; i++)
        logits[i] = runs == 1 ? c->logits[i] : (float)log(out[i]);
    return status;
}

jsn_status jsn_classifier_logits(jsn_classifier *c, const jsn_image *images,
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

jsn_status jsn_classifier_predict(jsn_classifier *c, const jsn_image *images,
                                  size_t count, double *probabilities)
{
    JSNI_NEED(c);
    JSNI_NEED(probabilities);
    return jsn_classifier_logits(c, images, count, probabilities, NULL);
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

/* What an image was found to be. */
typedef struct verdict {
    bool seen;
    int32_t best;
    double best_probability, label_probability;
} verdict;

/* Averages members and views over one pass of a loader. */
typedef struct pass {
    const jsni_part *part;
    size_t classes, runs;
    jsni_evaluation *evaluation; /* borrowed; NULL: only the verdicts are wanted */
    double *sum;       /* [count][classes]; NULL for one run, which needs no average */
    verdict *verdicts; /* [count] */
    double *row;       /* [classes] */
} pass;

/* The probabilities of an image, averaged over all runs. */
static void take_row(const pass *p, size_t i, const double *row)
{
    const int32_t label = p->part->given[i];
    const size_t best = jsni_argmax_real(row, p->classes);
    p->verdicts[i] = (verdict){true, (int32_t)best, row[best], row[label]};
    if (p->evaluation != NULL)
        jsni_evaluation_add(p->evaluation, row, label, label);
}

static jsn_status add_logits(void *user, const uint32_t *position, size_t samples,
                             const float *logits)
{
    pass *p = user;
    for (size_t i = 0; i < samples; i++) {
        JSNI_TRY(jsni_probabilities(p->part, position[i], logits + i * p->classes,
                                    p->classes, p->row));
        if (p->sum == NULL) {
            take_row(p, position[i], p->row);
            continue;
        }
        double *to = p->sum + position[i] * p->classes;
        p->verdicts[position[i]].seen = true;
        for (size_t k = 0; k < p->classes; k++)
            to[k] += p->row[k] / (double)p->runs;
    }
    return JSN_OK;
}

static void release_pass(pass *p)
{
    jsni_free(p->sum);
    jsni_free(p->verdicts);
    jsni_free(p->row);
}

/* Tells every image that could not be read, unless it is all of them, which is a failure
 * of its own. */
static void name_bad(const jsni_loader *loader, size_t total, const jsn_logger *logger)
{
    const size_t count = jsni_loader_bad_count(loader);
    const bool can = logger != NULL && logger->message != NULL;
    for (size_t i = 0; can && count < total && i < count; i++) {
        uint32_t position = 0;
        const char *reason = NULL;
        jsni_loader_bad(loader, i, &position, &reason);
        logger->message(logger->user, JSN_LOG_WARNING, reason);
    }
}

static jsn_status run_pass(jsn_classifier *c, const jsni_part *part,
                           const jsn_augment *augment, const jsn_logger *logger,
                           jsni_evaluation *evaluation, pass *p, uint64_t *bad)
{
    const jsni_loader_options o = {.part = part,
                                   .classes = c->card.classes,
                                   .augment = augment,
                                   .height = c->card.image_size,
                                   .width = c->card.image_size,
                                   .batch = c->batch,
                                   .views = 1,
                                   .workers = 1,
                                   .order = JSNI_ORDER_KEPT,
                                   .seed = c->card.seed,
                                   .purpose = augment == c->augment ? 1 : 0,
                                   .max_bad = SIZE_MAX};
    jsni_loader *loader = NULL;
    const size_t views = augment == c->plain ? c->views : 1;
    *p = (pass){.part = part,
                .classes = c->card.classes,
                .runs = c->card.members * views,
                .evaluation = evaluation};
    if (p->runs > 1)
        JSNI_TRY_ALLOC(
            p->sum = jsni_alloc_zero(part->count, c->card.classes * sizeof(double)));
    JSNI_TRY_ALLOC(p->verdicts = jsni_alloc_zero(part->count, sizeof *p->verdicts));
    JSNI_TRY_ALLOC(p->row = jsni_alloc(c->card.classes, sizeof(double)));
    JSNI_TRY(jsni_loader_create(&loader, &o));
    jsn_status status = JSN_OK;
    for (size_t m = 0; status == JSN_OK && m < c->card.members; m++)
        status = jsni_evaluate_logits(&(jsni_logits_pass){.model = c->models[m],
                                                          .loader = loader,
                                                          .classes = c->card.classes,
                                                          .views = views,
                                                          .size = c->card.image_size,
                                                          .fn = add_logits,
                                                          .user = p,
                                                          .logger = logger,
                                                          .what = "evaluating"});
    for (size_t i = 0; status == JSN_OK && p->sum != NULL && i < part->count; i++)
        if (p->verdicts[i].seen)
            take_row(p, i, p->sum + i * p->classes);
    *bad = jsni_loader_bad_count(loader);
    if (status == JSN_OK && augment == c->plain)
        name_bad(loader, part->count, logger);
    if (status == JSN_OK && *bad == part->count) {
        uint32_t position = 0;
        const char *reason = NULL;
        jsni_loader_bad(loader, 0, &position, &reason);
        status =
            jsni_fail(JSN_ERR_DATA, "none of %zu %s could be used, such as %s",
                      part->count, jsn_noun(part->count, "image", "images"), reason);
    }
    jsni_loader_destroy(loader);
    return status;
}

static jsn_status tell_image(const jsni_part *part, size_t i, const pass *p,
                             jsn_classifier_image_fn *fn, void *user)
{
    const verdict *found = &p->verdicts[i];
    jsn_classifier_image image = {
        .path = jsn_dataset_path(part->data, part->split, part->index[i]),
        .label = part->given[i],
        .predicted = -1,
        .probability = NAN,
        .label_probability = NAN};
    if (found->seen) {
        image.predicted = found->best;
        image.probability = found->best_probability;
        image.label_probability = found->label_probability;
    }
    return fn(user, &image);
}

static jsn_status score(jsn_classifier *c, const jsni_part *part, int consistency,
                        const jsn_logger *logger, jsn_classifier_image_fn *fn,
                        void *user, jsn_classifier_scores *out)
{
    pass plain = {0}, copy = {0};
    jsni_evaluation e = {0};
    uint64_t bad = 0, both = 0, equal = 0;
    jsn_status status = jsni_evaluation_create(&e, c->card.classes);
    if (status == JSN_OK)
        status = run_pass(c, part, c->plain, logger, &e, &plain, &out->bad_images);
    if (status == JSN_OK && consistency)
        status = run_pass(c, part, c->augment, logger, NULL, &copy, &bad);
    for (size_t i = 0; status == JSN_OK && i < part->count; i++) {
        if (fn != NULL)
            status = tell_image(part, i, &plain, fn, user);
        if (!consistency || !plain.verdicts[i].seen || !copy.verdicts[i].seen)
            continue;
        both++;
        equal += plain.verdicts[i].best == copy.verdicts[i].best;
    }
    if (status == JSN_OK) {
        out->samples = e.samples;
        out->accuracy = jsni_evaluation_accuracy(&e);
        out->top5 = jsni_evaluation_top5(&e);
        out->loss = jsni_evaluation_loss(&e);
        out->ece = jsni_evaluation_ece(&e);
        out->consistency = both == 0 ? NAN : (double)equal / (double)both;
        out->confusion = e.confusion;
        e.confusion = NULL;
        status = jsni_class_scores_make(&e, out);
    }
    jsni_evaluation_release(&e);
    release_pass(&copy);
    release_pass(&plain);
    return status;
}

jsn_status jsn_classifier_evaluate(jsn_classifier *c, const char *data, int consistency,
                                   const jsn_logger *logger,
                                   jsn_classifier_scores *scores)
{
    return jsn_classifier_evaluate_images(c, data, consistency, logger, NULL, NULL,
                                          scores);
}

jsn_status jsn_classifier_evaluate_images(jsn_classifier *c, const char *data,
                                          int consistency, const jsn_logger *logger,
                                          jsn_classifier_image_fn *fn, void *user,
                                          jsn_classifier_scores *scores)
{
    JSNI_NEED(c);
    JSNI_NEED(scores);
    jsn_dataset *set = NULL;
    jsn_dataset_options options;
    jsni_part part = {0};
    *scores = (jsn_classifier_scores){0};
    jsn_dataset_options_init(&options);
    options.logger = logger;
    options.once = !consistency && c->card.members == 1;
    JSNI_TRY(jsn_dataset_open(&set, data, &options));
    /* What a run on this data would be judged by; a split that was picked is alone. */
    jsn_split split = jsn_dataset_main_split(set);
    if (jsn_dataset_samples(set, JSN_SPLIT_TEST) > 0)
        split = JSN_SPLIT_TEST;
    else if (jsn_dataset_samples(set, JSN_SPLIT_VAL) > 0)
        split = JSN_SPLIT_VAL;
    jsn_status status = jsni_part_whole(&part, set, split);
    const jsni_classes classes = {(const char *const *)c->card.names, c->card.classes,
                                  c->folder != NULL ? c->folder : c->weights};
    if (status == JSN_OK)
        status = jsni_part_number_by_name(&part, &classes, "", logger);
    if (status == JSN_OK)
        status = score(c, &part, consistency, logger, fn, user, scores);
    scores->split = jsn_split_name(split);
    if (status != JSN_OK)
        jsn_classifier_scores_release(scores);
    jsni_part_release(&part);
    jsn_dataset_close(set);
    return status;
}
