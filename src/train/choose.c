/* train/choose.c - see choose.h; docs/guide.md explains the rules to users. */
#include "train/choose.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "augment/augment_part.h"
#include "backend/optim_impl.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/image_part.h"
#include "core/option.h"
#include "core/progress.h"
#include "core/text.h"
#include "core/words.h"
#include "data/dataset_impl.h"
#include "data/dataset_part.h"
#include "data/image_decoder.h"
#include "jensen/augment.h"
#include "jensen/backend.h"
#include "jensen/loss.h"
#include "jensen/network.h"
#include "jensen/recipe.h"
#include "train/choose_augment.h"
#include "train/choose_begun.h"
#include "train/choose_device.h"
#include "train/choose_look.h"
#include "train/choose_weights.h"
#include "train/head.h"
#include "train/recipe_find.h"
#include "train/run_begun.h"
#include "train/schedule.h"
#include "train/stages.h"

enum {
    LARGE = 1000, /* pixels a side from which on an image is a large photograph */
    FEW = 50      /* a class of fewer images is warned about */
};

/* Sets an option that is unset and says why. */
static jsn_status pick(jsn_train_config *config, const jsn_logger *logger,
                       const char *name, const char *why, const char *format, ...)
    JSNI_PRINTF(5, 6);

static jsn_status pick(jsn_train_config *config, const jsn_logger *logger,
                       const char *name, const char *why, const char *format, ...)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    if (jsni_options_is_set(jsni_options_find(table, count, name), config))
        return JSN_OK;
    char value[96];
    va_list args;
    va_start(args, format);
    (void)jsni_format_list(value, sizeof value, format, args);
    va_end(args);
    jsni_say(logger, JSN_LOG_INFO, "%s: %s (%s)", name, value, why);
    return jsn_train_config_set(config, name, value);
}

static void warn_of_doubts(const jsni_problem *p, const jsni_look *seen,
                           const jsn_logger *logger)
{
    size_t *counts = jsni_alloc_zero(p->classes, sizeof *counts);
    if (counts == NULL)
        return;
    for (size_t i = 0; i < p->train.count; i++)
        counts[p->train.used[i]]++;
    size_t least = 0, most = 0;
    for (size_t k = 1; k < p->classes; k++) {
        least = counts[k] < counts[least] ? k : least;
        most = counts[k] > counts[most] ? k : most;
    }
    size_t few = 0;
    for (size_t k = 0; k < p->classes; k++)
        few += counts[k] < FEW;
    if (few > 1)
        jsni_say(
            logger, JSN_LOG_WARNING,
            "%zu classes have fewer than %d training images, '%s' the fewest (%zu); do "
            "not expect much for them",
            few, (int)FEW, jsn_dataset_class(p->data, least), counts[least]);
    if (few == 1)
        jsni_say(logger, JSN_LOG_WARNING,
                 "class '%s' has only %zu training %s; do not expect much for it",
                 jsn_dataset_class(p->data, least), counts[least],
                 jsni_noun(counts[least], "image", "images"));
    if (counts[most] > 5 * counts[least])
        jsni_say(
            logger, JSN_LOG_WARNING,
            "unbalanced: '%s' has %zu %s, '%s' %zu; consider --class-weights balanced "
            "or --sampling balanced",
            jsn_dataset_class(p->data, most), counts[most],
            jsni_noun(counts[most], "image", "images"),
            jsn_dataset_class(p->data, least), counts[least]);
    if (seen->grey)
        jsni_say(logger, JSN_LOG_WARNING,
                 "the images look grey; colour augmentation does nothing for them");
    jsni_free(counts);
}

/* A loss that compares views and is given one is another loss, which may be meant, but is
 * to be said. */
static void warn_of_one_view(const char *option, const char *spec,
                             const jsn_logger *logger)
{
    const jsn_loss_info *info = NULL;
    const size_t length = strcspn(spec, ":");
    for (size_t i = 0; (info = jsn_loss_describe(i)) != NULL; i++)
        if (strlen(info->name) == length && strncmp(info->name, spec, length) == 0)
            break;
    if (info == NULL || info->views < 2)
        return;
    const bool part = strcmp(info->name, "gjs-consistency") == 0;
    jsni_say(logger, JSN_LOG_WARNING,
             "--%s %s compares views of an image; with one view it is %s; --views 2 "
             "compares two",
             option, spec, part ? "always 0 and teaches nothing" : "js");
}

static jsn_status pick_loss(jsn_train_config *c, const jsn_logger *logger)
{
    size_t views = 1, other = 1;
    if (c->method != NULL)
        JSNI_TRY(pick(c, logger, "loss", "what the method is made for", "ce"));
    JSNI_TRY(pick(c, logger, "loss", "robust to wrong labels, needs no tuning",
                  jsni_head_alone(c) || jsni_stages_two(c) ? "gjs:pi1=0.98"
                                                           : "gjs:pi1=0.5"));
    JSNI_TRY(jsn_loss_check(c->loss, &views));
    if (c->loss_noisy != NULL)
        JSNI_TRY(jsn_loss_check(c->loss_noisy, &other));
    JSNI_TRY(pick(c, logger, "views", "what the loss compares", "%zu",
                  views > other ? views : other));
    if (c->views == 1) {
        warn_of_one_view("loss", c->loss, logger);
        if (c->loss_noisy != NULL)
            warn_of_one_view("loss-noisy", c->loss_noisy, logger);
    }
    return JSN_OK;
}

/* Photographs on a CPU. Their first model is to come in minutes, so it is a small one on
 * small images, of which a step costs little: many steps at a high rate teach a few
 * hundred photographs more than few steps of a deep network do (docs/networks.md). */
static const struct {
    size_t side;
    const char *network;
    double epochs; /* at most */
    const char *optimiser;
    double rate;        /* of that optimiser, from a batch of 32 on */
    size_t better_side; /* what more time buys */
    const char *better_network;
} quick = {32, "cnn:width=32", 120.0, "sgd", 0.1, 64, "cnn:width=32"};

static bool is_small(const jsni_look *seen)
{
    return seen->side > 0 && seen->side <= 100;
}

static bool is_quick(const jsni_look *seen)
{
    return !is_small(seen) && !seen->gpu && !seen->earlier &&
           seen->init_network[0] == '\0';
}

static jsn_status pick_input(jsn_train_config *c, const jsni_look *seen,
                             const jsn_logger *logger)
{
    size_t size = seen->gpu ? 224 : 128;
    const char *why = "photographs";
    if (seen->same && seen->square && seen->side <= 64 && seen->side >= 8) {
        size = seen->side;
        why = "the size of the images";
    } else if (is_small(seen)) {
        size = seen->side <= 48 ? 32 : 64;
        why = "small images";
    } else if (is_quick(seen)) {
        size = quick.side;
        why = "photographs on a CPU, for a first model in minutes";
    }
    if (seen->init_size > 0) {
        size = seen->init_size;
        why = "as in the run of --init";
    }
    JSNI_TRY(pick(c, logger, "image-size", why, "%zu", size));
    const bool as_is =
        seen->same && seen->square && seen->side == (size_t)c->image_size;
    if (as_is && c->image_size <= 64)
        return pick(c, logger, "augment", "small images of one size", "strong");
    if (c->image_size <= 64)
        return pick(c, logger, "augment",
                    is_small(seen) ? "small images, resized"
                                   : "photographs, made small",
                    "fit+strong");
    return pick(c, logger, "augment", "photographs", "jitter");
}

static jsn_status pick_network(jsn_train_config *c, const jsni_look *seen,
                               const jsn_logger *logger)
{
    if (seen->init_network[0] != '\0')
        return pick(c, logger, "network", "that of --init", "%s", seen->init_network);
    if (is_quick(seen) && c->image_size <= 64)
        return pick(c, logger, "network", "photographs on a CPU", "%s", quick.network);
    if (c->image_size > 40)
        return pick(c, logger, "network", "images larger than 40 pixels", "resnet18");
    if (seen->gpu)
        return pick(c, logger, "network", "small images", "preactresnet34");
    return pick(c, logger, "network", "small images, on a CPU",
                "preactresnet34:width=16");
}

static jsn_status pick_length(jsn_train_config *c, const jsni_problem *p,
                              const jsni_look *seen, const jsn_logger *logger)
{
    const size_t n = p->train.count;
    if (jsni_head_alone(c)) {
        JSNI_TRY(pick(c, logger, "epochs", "the classifier alone", JSNI_HEAD_EPOCHS));
        JSNI_TRY(pick(c, logger, "lr", "the classifier alone, slowly", JSNI_HEAD_RATE));
    }
    if (jsni_stages_two(c)) {
        JSNI_TRY(
            pick(c, logger, "layer-decay", "lower rates towards the input", "0.8"));
        JSNI_TRY(pick(c, logger, "norm-stats", "small data", "keep"));
        JSNI_TRY(pick(c, logger, "epochs", "stage 2, from a trained classifier", "5"));
        JSNI_TRY(pick(c, logger, "lr", "stage 2, slowly", "0.001"));
    }
    size_t batch = n >= 20000 ? 128 : n >= 2000 ? 64 : 32;
    while (batch > 4 && batch * 4 > n)
        batch /= 2;
    while (batch > 1 && batch > n)
        batch /= 2;
    JSNI_TRY(pick(c, logger, "batch", "by the number of images", "%zu", batch));
    const double steps = floor((double)n / (double)c->batch);
    const double wanted = seen->gpu ? 12000.0 : 4000.0;
    const bool small = is_quick(seen) && strcmp(c->network, quick.network) == 0;
    const double most = seen->gpu ? 200.0 : small ? quick.epochs : 60.0;
    double epochs = ceil(wanted / (steps > 0.0 ? steps : 1.0));
    epochs = epochs < 15.0 ? 15.0 : epochs > most ? most : epochs;
    char why[64];
    (void)snprintf(why, sizeof why, "about %.0f steps", epochs * steps);
    JSNI_TRY(pick(c, logger, "epochs", why, "%.0f", epochs));
    const jsni_optim_def *optimiser = jsni_optim_find(c->optimizer);
    if (optimiser == NULL)
        return JSN_ERR_UNKNOWN_NAME;
    if (small && strcmp(optimiser->info.name, quick.optimiser) == 0 && c->init == NULL)
        return pick(c, logger, "lr", "high, for a small network", "%g",
                    quick.rate * fmin(1.0, (double)c->batch / 32.0));
    const double base = optimiser->usual_rate * (c->init != NULL ? 0.1 : 1.0);
    return pick(c, logger, "lr",
                c->init != NULL ? "fine-tuning, scaled with the batch"
                                : "scaled with the batch",
                "%g", base * (double)c->batch / 128.0);
}

/* Whether the pipeline begins with a stage that may be given a coarse image. */
static jsn_status begins_with_resize(const jsn_train_config *c, bool *out)
{
    static const float mean[3] = {0}, deviation[3] = {1, 1, 1};
    const size_t size = (size_t)c->image_size;
    jsn_augment *pipeline = NULL;
    JSNI_TRY(jsn_augment_create(&pipeline, c->augment, size, size, mean, deviation));
    const char *text = jsn_augment_text(pipeline);
    *out = strncmp(text, "resize", 6) == 0 || strncmp(text, "fit", 3) == 0;
    jsn_augment_destroy(pipeline);
    return JSN_OK;
}

/* Photographs of which the network would see a small part of the pixels are decoded at
 * reduced size; all others exactly, and those of recipes. */
static jsn_status pick_decode(jsn_train_config *c, const jsni_problem *p,
                              const jsni_look *seen, const jsn_logger *logger)
{
    const bool large = seen->side >= LARGE && seen->side >= 4 * (size_t)c->image_size;
    bool coarse = false;
    if (isnan(c->scaled_decode) && large && seen->divides && c->recipe == NULL)
        JSNI_TRY(begins_with_resize(c, &coarse));
    if (coarse)
        return pick(c, logger, "scaled-decode",
                    "photographs far larger than the network's input", "1");
    if (isnan(c->scaled_decode))
        JSNI_TRY(jsn_train_config_set(c, "scaled-decode", "0"));
    const double all = seen->bytes * (double)p->train.count;
    const double room = (double)jsni_dataset_memory_left(p->data);
    if (large && c->scaled_decode == 0.0 && all > room)
        jsni_say(
            logger, JSN_LOG_INFO,
            "memory: %.1f GB hold decoded images, all would need %.1f GB; the others "
            "are decoded again in every epoch ('jensen data convert --size' makes "
            "small copies)",
            room / 1e9, all / 1e9);
    return JSN_OK;
}

/* Options that were given for an effect which they will not have. */
static jsn_status warn_of_idle(const jsn_train_config *c, const jsni_problem *p,
                               const jsn_logger *logger)
{
    jsni_schedule schedule;
    JSNI_TRY(jsni_schedule_parse(c->schedule, (size_t)c->epochs, &schedule));
    for (size_t i = 0; i < schedule.place_count; i++)
        if (schedule.places[i] >= schedule.epochs)
            jsni_say(logger, JSN_LOG_WARNING,
                     "--schedule %s: the drop after epoch %g never comes in %g %s",
                     c->schedule, schedule.places[i], schedule.epochs,
                     jsni_noun((size_t)schedule.epochs, "epoch", "epochs"));
    if (c->loss_noisy != NULL && !(p->noise_real > 0.0))
        jsni_say(logger, JSN_LOG_WARNING,
                 "--loss-noisy %s is not used: no label is known to be wrong",
                 c->loss_noisy);
    return JSN_OK;
}

/* A recipe whose runs start from weights that this one does not have. */
static jsn_status warn_of_start(const jsn_train_config *c, const jsn_logger *logger)
{
    jsn_recipe recipe;
    if (c->recipe == NULL || c->init != NULL)
        return JSN_OK;
    JSNI_TRY(jsni_recipe_find(c->recipe, &recipe));
    if (recipe.weights != NULL)
        jsni_say(
            logger, JSN_LOG_WARNING,
            "recipe %s starts from the weights %s, but this run from random ones, so "
            "it does not compare with the paper's; give the file with --init",
            recipe.name, recipe.weights);
    return JSN_OK;
}

/* Options that cannot work with what there is. */
static jsn_status check_stop(const jsn_train_config *c, const jsni_problem *p)
{
    if (c->early_stop == JSN_OPTION_INT_UNSET)
        return JSN_OK;
    if (p->val.data == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--early-stop %lld needs validation images, and there are "
                         "none; --val-fraction 0.1 keeps some of each class",
                         (long long)c->early_stop);
    if (c->record_posteriors)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--record-posteriors keeps the last epoch's, which "
                         "--early-stop does not know beforehand");
    return JSN_OK;
}

static jsn_status multiplies_of(const char *network, size_t side, size_t classes,
                                double *out)
{
    jsn_network *made = NULL;
    JSNI_TRY(jsn_network_create(&made, network, 3, side, side, classes));
    *out = (double)jsn_network_totals(made).multiplies;
    jsn_network_destroy(made);
    return JSN_OK;
}

/* Who takes the quick choices is told what more time buys. */
static jsn_status tell_better(const jsn_train_config *c, const jsni_problem *p,
                              const jsn_logger *logger)
{
    double now = 1.0, then = 1.0;
    JSNI_TRY(multiplies_of(c->network, (size_t)c->image_size, p->classes, &now));
    JSNI_TRY(multiplies_of(quick.better_network, quick.better_side, p->classes, &then));
    jsni_say(logger, JSN_LOG_INFO,
             "for a better model, choose image-size %zu and network %s (about %.0f "
             "times longer)",
             quick.better_side, quick.better_network, then / now);
    return JSN_OK;
}

jsn_status jsni_choose_rest(jsn_train_config *c, const jsni_problem *p,
                            const jsni_look *seen, const jsn_logger *logger)
{
    JSNI_TRY(pick_loss(c, logger));
    JSNI_TRY(pick_input(c, seen, logger));
    if (!seen->earlier) {
        JSNI_TRY(pick_decode(c, p, seen, logger));
        JSNI_TRY(jsni_check_augment(c, &p->train, seen, logger));
    }
    JSNI_TRY(pick_network(c, seen, logger));
    return pick_length(c, p, seen, logger);
}

/* A run that was begun with the choices of the first version goes on with them: whether
 * there is one is found out by making them. */
static jsn_status pick_as_begun(jsn_train_config *c, const jsni_problem *p,
                                jsni_look seen, const jsn_logger *logger)
{
    jsn_train_config was;
    bool begun = false;
    seen.earlier = true;
    JSNI_TRY(jsni_config_copy(&was, c));
    jsn_status status = jsni_choose_rest(&was, p, &seen, NULL);
    if (status == JSN_OK && isnan(was.scaled_decode))
        was.scaled_decode = 0.0;
    if (status == JSN_OK)
        status = jsni_run_begun_with(&was, &begun);
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    for (size_t i = 0; status == JSN_OK && begun && i < count; i++) {
        char *text = NULL;
        if (jsni_options_is_set(&table[i], c) || !jsni_options_is_set(&table[i], &was))
            continue;
        status = jsni_options_text(&table[i], &was, &text);
        if (status == JSN_OK)
            status = pick(c, logger, table[i].name, "as this run began", "%s", text);
        jsn_text_release(text);
    }
    jsn_train_config_release(&was);
    return status;
}

jsn_status jsni_choose(jsn_train_config *c, const jsni_problem *p,
                       const jsn_logger *logger)
{
    jsn_device_info device;
    JSNI_TRY(jsni_choose_device(c, &device, logger));
    jsni_look seen = {0};
    JSNI_TRY(jsni_look_at(&p->train, &seen));

    seen.gpu = device.gpu != 0;
    jsni_say(logger, JSN_LOG_INFO,
             "data: %zu training, %zu validation, %zu test %s, %zu classes; device: %s",
             p->train.count, p->val.count, p->test.count,
             jsni_noun(p->test.count, "image", "images"), p->classes, device.text);
    warn_of_doubts(p, &seen, logger);
    JSNI_TRY(check_stop(c, p));
    c->val_fraction = p->val_fraction;
    JSNI_TRY(jsni_choose_begun(c, p, &seen, logger));
    JSNI_TRY(jsni_stages_check(c, seen.gpu));
    if (is_quick(&seen) || seen.side >= LARGE)
        JSNI_TRY(pick_as_begun(c, p, seen, logger));
    const bool open = c->network == NULL && c->image_size == JSN_OPTION_INT_UNSET;
    JSNI_TRY(jsni_choose_rest(c, p, &seen, logger));
    if (open && is_quick(&seen))
        JSNI_TRY(tell_better(c, p, logger));
    JSNI_TRY(warn_of_start(c, logger));
    return warn_of_idle(c, p, logger);
}
