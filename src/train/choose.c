/* train/choose.c - see choose.h; docs/guide.md explains the rules to users. */
#include "train/choose.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/model_match.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "data/dataset_impl.h"
#include "data/image_decoder.h"
#include "jensen/augment.h"
#include "jensen/backend.h"
#include "jensen/loss.h"
#include "train/init_weights.h"
#include "train/schedule.h"

enum {
    PROBES = 48,  /* images looked at to learn sizes and colours */
    GLANCE = 256, /* pixels a side that suffice for that */
    LARGE = 1000, /* pixels a side from which on an image is a large photograph */
    FEW = 50      /* a class of fewer images is warned about */
};

/* The image looked at with the least or the largest width or height. */
enum { NARROWEST, LOWEST, WIDEST, HIGHEST, EXTREMES };
typedef struct extreme {
    size_t width, height; /* 0: nothing could be read */
    size_t position;      /* in the part */
} extreme;

typedef struct look {
    size_t side; /* median of the shorter sides; 0: nothing could be read */
    bool same;   /* all images have one size */
    bool square;
    bool grey;    /* all looked at are grey */
    bool divides; /* most can be decoded at reduced size */
    double bytes; /* of pixels, the mean of an image */
    bool gpu;
    /* Of the weights to start from: their network (empty: not known) and the side of
     * their input (0: not known). */
    char init_network[JSNI_NETWORK_SPEC];
    size_t init_size;
    extreme at[EXTREMES];
} look;

static void say(const jsn_logger *logger, jsn_log_level level, const char *format, ...)
    JSNI_PRINTF(3, 4);

static void say(const jsn_logger *logger, jsn_log_level level, const char *format, ...)
{
    if (logger == NULL || logger->message == NULL)
        return;
    char text[256];
    va_list args;
    va_start(args, format);
    (void)jsni_format_list(text, sizeof text, format, args);
    va_end(args);
    logger->message(logger->user, level, text);
}

/* Sets an option that is unset and says why. */
static jsn_status pick(jsn_train_config *config, const jsn_logger *logger,
                       const char *name, const char *why, const char *format, ...)
    JSNI_PRINTF(5, 6);

static jsn_status pick(jsn_train_config *config, const jsn_logger *logger,
                       const char *name, const char *why, const char *format, ...)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    if (jsn_options_is_set(jsn_options_find(table, count, name), config))
        return JSN_OK;
    char value[96];
    va_list args;
    va_start(args, format);
    (void)jsni_format_list(value, sizeof value, format, args);
    va_end(args);
    say(logger, JSN_LOG_INFO, "%s: %s (%s)", name, value, why);
    return jsn_train_config_set(config, name, value);
}

static bool is_grey(const jsn_image *image)
{
    const size_t pixels = image->width * image->height;
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t *p = image->data + 3 * i;
        if (p[0] != p[1] || p[1] != p[2])
            return false;
    }
    return true;
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void note_extremes(look *seen, const jsn_image_part *image, size_t position)
{
    const extreme now = {image->width, image->height, position};
    extreme *at = seen->at;
    if (at[NARROWEST].width == 0 || now.width < at[NARROWEST].width)
        at[NARROWEST] = now;
    if (at[LOWEST].height == 0 || now.height < at[LOWEST].height)
        at[LOWEST] = now;
    if (now.width > at[WIDEST].width)
        at[WIDEST] = now;
    if (now.height > at[HIGHEST].height)
        at[HIGHEST] = now;
}

/* Broken images are passed over; the loader names them. */
static jsn_status look_at(const jsni_part *part, look *out)
{
    const jsn_dataset_traits *traits = jsn_dataset_about(part->data);
    look seen = {.grey = true,
                 .same = traits->width > 0,
                 .square = traits->width == traits->height};
    size_t sides[PROBES], found = 0, coarse = 0, enough = GLANCE;
    jsn_image_part image = {0};
    jsn_status status = JSN_OK;
    for (size_t i = 0; i < PROBES && i < part->count; i++) {
        const size_t at = part->count <= PROBES ? i : i * (part->count / PROBES);
        status = jsn_dataset_image_part(part->data, part->split, part->index[at],
                                        jsni_image_want_coarse, &enough, &image);
        if (status == JSN_ERR_DATA || status == JSN_ERR_UNSUPPORTED) {
            status = JSN_OK;
            continue;
        }
        if (status != JSN_OK)
            break;
        sides[found++] = image.width < image.height ? image.width : image.height;
        coarse += image.divisor > 1;
        seen.bytes += (double)(image.width * image.height * JSN_IMAGE_CHANNELS);
        seen.square = seen.square && image.width == image.height;
        note_extremes(&seen, &image, at);
        seen.grey = seen.grey && is_grey(&image.image);
    }
    jsn_image_release(&image.image);
    if (found > 0) {
        qsort(sides, found, sizeof sides[0], compare_sizes);
        seen.side = sides[found / 2];
        seen.bytes /= (double)found;
    }
    seen.divides = 2 * coarse > found;
    seen.grey = seen.grey && found > 0;
    *out = seen;
    return status;
}

static void warn_of_doubts(const jsni_problem *p, const look *seen,
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
        say(logger, JSN_LOG_WARNING,
            "%zu classes have fewer than %d training images, '%s' the fewest (%zu); "
            "expect little for them",
            few, (int)FEW, jsn_dataset_class(p->data, least), counts[least]);
    if (few == 1)
        say(logger, JSN_LOG_WARNING,
            "class '%s' has %zu training %s only; expect little for it",
            jsn_dataset_class(p->data, least), counts[least],
            jsn_noun(counts[least], "image", "images"));
    if (counts[most] > 5 * counts[least])
        say(logger, JSN_LOG_WARNING,
            "unbalanced: '%s' has %zu %s, '%s' %zu; consider --class-weights balanced "
            "or --sampling balanced",
            jsn_dataset_class(p->data, most), counts[most],
            jsn_noun(counts[most], "image", "images"),
            jsn_dataset_class(p->data, least), counts[least]);
    if (seen->grey)
        say(logger, JSN_LOG_WARNING,
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
    say(logger, JSN_LOG_WARNING,
        "--%s %s compares views of an image; with one view it is %s; --views 2 "
        "compares two",
        option, spec, part ? "always 0 and teaches nothing" : "js");
}

static jsn_status pick_loss(jsn_train_config *c, const jsn_logger *logger)
{
    size_t views = 1, other = 1;
    JSNI_TRY(pick(c, logger, "loss", "robust to wrong labels, wants no tuning",
                  "gjs:pi1=0.5"));
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

static jsn_status pick_input(jsn_train_config *c, const look *seen,
                             const jsn_logger *logger)
{
    size_t size = seen->gpu ? 224 : 128;
    const char *why = "photographs";
    if (seen->same && seen->square && seen->side <= 64 && seen->side >= 8) {
        size = seen->side;
        why = "the size of the images";
    } else if (seen->side > 0 && seen->side <= 48) {
        size = 32;
        why = "small images";
    } else if (seen->side > 0 && seen->side <= 100) {
        size = 64;
        why = "small images";
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
        return pick(c, logger, "augment", "small images, resized", "fit+strong");
    return pick(c, logger, "augment", "photographs", "jitter");
}

static jsn_status pick_network(jsn_train_config *c, const look *seen,
                               const jsn_logger *logger)
{
    if (seen->init_network[0] != '\0')
        return pick(c, logger, "network", "that of --init", "%s", seen->init_network);
    if (c->image_size > 40)
        return pick(c, logger, "network", "images larger than 40 pixels", "resnet18");
    if (seen->gpu)
        return pick(c, logger, "network", "small images", "preactresnet34");
    return pick(c, logger, "network", "small images, on a CPU",
                "preactresnet34:width=16");
}

static jsn_status pick_length(jsn_train_config *c, const jsni_problem *p,
                              const look *seen, const jsn_logger *logger)
{
    const size_t n = p->train.count;
    size_t batch = n >= 20000 ? 128 : n >= 2000 ? 64 : 32;
    while (batch > 4 && batch * 4 > n)
        batch /= 2;
    while (batch > 1 && batch > n)
        batch /= 2;
    JSNI_TRY(pick(c, logger, "batch", "by the number of images", "%zu", batch));
    const double steps = floor((double)n / (double)c->batch);
    const double wanted = seen->gpu ? 12000.0 : 4000.0;
    const double most = seen->gpu ? 200.0 : 60.0;
    double epochs = ceil(wanted / (steps > 0.0 ? steps : 1.0));
    epochs = epochs < 15.0 ? 15.0 : epochs > most ? most : epochs;
    char why[64];
    (void)snprintf(why, sizeof why, "about %.0f steps", epochs * steps);
    JSNI_TRY(pick(c, logger, "epochs", why, "%.0f", epochs));
    const bool adamw = strcmp(c->optimizer, "adamw") == 0;
    const double base = (adamw ? 1e-3 : 0.1) * (c->init != NULL ? 0.1 : 1.0);
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
                              const look *seen, const jsn_logger *logger)
{
    const bool large = seen->side >= LARGE && seen->side >= 4 * (size_t)c->image_size;
    bool coarse = false;
    if (isnan(c->scaled_decode) && large && seen->divides && c->recipe == NULL)
        JSNI_TRY(begins_with_resize(c, &coarse));
    if (coarse)
        return pick(c, logger, "scaled-decode",
                    "photographs far larger than the network's input", "0.5");
    if (isnan(c->scaled_decode))
        JSNI_TRY(jsn_train_config_set(c, "scaled-decode", "0"));
    const double all = seen->bytes * (double)p->train.count;
    const double room = (double)jsni_dataset_memory_left(p->data);
    if (large && c->scaled_decode == 0.0 && all > room)
        say(logger, JSN_LOG_INFO,
            "memory: %.1f GB keep decoded images, all would take %.1f GB; the others "
            "are "
            "decoded again in every epoch ('jensen data convert --size' makes small "
            "copies)",
            room / 1e9, all / 1e9);
    return JSN_OK;
}

/* A jsn_image_want_fn: what the pipeline uses of an image. */
typedef struct trial {
    const jsn_augment *pipeline;
    jsn_augment_key key;
    double density;
} trial;

static jsn_status want_of(void *user, size_t width, size_t height, jsn_image_want *want)
{
    const trial *t = user;
    return jsn_augment_want(t->pipeline, width, height, &t->key, 1, t->density, want);
}

/* Whether the pipeline takes an image; a file that has become unreadable passes. */
static jsn_status try_image(trial *t, const jsni_part *part, const extreme *e,
                            float *out)
{
    jsn_image_part image = {0};
    jsn_augment_scratch *scratch = NULL;
    jsn_status status = jsn_augment_scratch_create(&scratch);
    if (status == JSN_OK)
        status = jsn_dataset_image_part(part->data, part->split,
                                        part->index[e->position], want_of, t, &image);
    if (status == JSN_ERR_DATA)
        status = JSN_OK;
    else if (status == JSN_OK)
        status = jsn_augment_apply_part(t->pipeline, scratch, &image, &t->key, out);
    jsn_augment_scratch_destroy(scratch);
    jsn_image_release(&image.image);
    return status;
}

/* An augmentation that the images are too small or too large for is a wrong choice, not
 * a matter of some broken images; one that cuts a small window out of large images is
 * allowed, and rarely meant. */
static jsn_status check_augment(const jsn_train_config *c, const jsni_part *part,
                                const look *seen, const jsn_logger *logger)
{
    static const float mean[3] = {0.5f, 0.5f, 0.5f}, deviation[3] = {0.5f, 0.5f, 0.5f};
    const size_t size = (size_t)c->image_size;
    const extreme *e = seen->at;
    jsn_augment *pipeline = NULL;
    float *out = jsni_alloc(size * size, JSN_IMAGE_CHANNELS * sizeof *out);
    JSNI_TRY_ALLOC(out);
    jsn_status status =
        jsn_augment_create(&pipeline, c->augment, size, size, mean, deviation);
    for (size_t i = 0; status == JSN_OK && i < EXTREMES && e[i].width > 0; i++) {
        trial t = {pipeline, {0}, c->scaled_decode};
        status = try_image(&t, part, &e[i], out);
        if (status == JSN_ERR_DATA) {
            char why[256];
            (void)snprintf(why, sizeof why, "%s", jsn_last_error());
            status = jsni_fail(
                JSN_ERR_ARGUMENT, "--augment %s and '%s': %s%s", c->augment,
                jsn_dataset_path(part->data, part->split, part->index[e[i].position]),
                why, strstr(why, "fit+") != NULL ? "" : "; 'fit+' in front resizes");
        }
    }
    if (status == JSN_OK && strstr(jsn_augment_text(pipeline), "fit") == NULL &&
        strstr(jsn_augment_text(pipeline), "resize") == NULL &&
        e[WIDEST].width > 2 * size && e[HIGHEST].height > 2 * size)
        say(logger, JSN_LOG_WARNING,
            "--augment %s takes parts of %zux%zu pixels from images as large as "
            "%zux%zu; "
            "--augment fit+%s shows them whole",
            c->augment, size, size, e[WIDEST].width, e[WIDEST].height, c->augment);
    jsn_augment_destroy(pipeline);
    jsni_free(out);
    return status;
}

/* Options that were given for an effect which they will not have. */
static jsn_status warn_of_idle(const jsn_train_config *c, const jsni_problem *p,
                               const jsn_logger *logger)
{
    jsni_schedule schedule;
    JSNI_TRY(jsni_schedule_parse(c->schedule, (size_t)c->epochs, &schedule));
    for (size_t i = 0; i < schedule.place_count; i++)
        if (schedule.places[i] >= schedule.epochs)
            say(logger, JSN_LOG_WARNING,
                "--schedule %s: the drop after epoch %g never comes in %g epochs",
                c->schedule, schedule.places[i], schedule.epochs);
    if (c->loss_noisy != NULL && !(p->noise_real > 0.0))
        say(logger, JSN_LOG_WARNING,
            "--loss-noisy %s is not used: no label is known to be wrong",
            c->loss_noisy);
    return JSN_OK;
}

/* Options that cannot work with what there is. */
static jsn_status check_stop(const jsn_train_config *c, const jsni_problem *p)
{
    if (c->early_stop == JSN_OPTION_INT_UNSET)
        return JSN_OK;
    if (p->val.data == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--early-stop %lld judges by validation images, and there are "
                         "none; --val-fraction 0.1 keeps some of each class",
                         (long long)c->early_stop);
    if (c->record_posteriors)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--record-posteriors keeps the last epoch's, which "
                         "--early-stop does not know beforehand");
    return JSN_OK;
}

/* The average is kept on the host, after each step: a GPU that trains by whole epochs
 * would have to wait for it. */
static jsn_status check_average(const jsn_train_config *c, const look *seen)
{
    if (!isnan(c->ema) && seen->gpu)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--ema %g works on the CPU alone so far (--device cpu)",
                         c->ema);
    return JSN_OK;
}

jsn_status jsni_choose(jsn_train_config *c, const jsni_problem *p,
                       const jsn_logger *logger)
{
    jsn_device_info device;
    JSNI_TRY(jsn_device_describe(c->device, &device));
    if (strncmp(c->device, "cuda", 4) != 0)
        JSNI_TRY(jsn_train_config_set(c, "device", device.backend));
    look seen = {0};
    JSNI_TRY(look_at(&p->train, &seen));
    seen.gpu = strcmp(device.backend, "cuda") == 0;
    say(logger, JSN_LOG_INFO,
        "data: %zu training, %zu validation, %zu test %s, %zu classes; device: %s",
        p->train.count, p->val.count, p->test.count,
        jsn_noun(p->test.count, "image", "images"), p->classes, device.text);
    if (c->init != NULL && c->network == NULL)
        JSNI_TRY(jsni_init_look(c->init, seen.init_network, sizeof seen.init_network,
                                &seen.init_size));
    warn_of_doubts(p, &seen, logger);
    JSNI_TRY(check_stop(c, p));
    JSNI_TRY(check_average(c, &seen));
    JSNI_TRY(pick_loss(c, logger));
    JSNI_TRY(pick_input(c, &seen, logger));
    JSNI_TRY(pick_decode(c, p, &seen, logger));
    JSNI_TRY(check_augment(c, &p->train, &seen, logger));
    JSNI_TRY(pick_network(c, &seen, logger));
    JSNI_TRY(pick_length(c, p, &seen, logger));
    c->val_fraction = p->val_fraction;
    return warn_of_idle(c, p, logger);
}
