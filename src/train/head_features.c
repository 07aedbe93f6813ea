/* train/head_features.c - see head_features.h and features.h. */
#include "train/head_features.h"

#include <stdarg.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/rng.h"
#include "core/text.h"
#include "core/words.h"
#include "data/checksum.h"
#include "data/sample_file.h"
#include "jensen/version.h"
#include "train/feature_cache.h"
#include "train/run.h"

const float *jsni_features_view(const jsni_features *f, uint64_t seed, uint32_t epoch,
                                uint32_t position, size_t view)
{
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_AUGMENT, epoch, position, 0);
    const size_t first = f->copies > 1 ? jsni_rng_below(&rng, (uint32_t)f->copies) : 0;
    const size_t copy = (first + view) % f->copies;
    return f->values + (copy * f->count + position) * f->floats;
}

static jsn_status features_create(jsni_features *f, size_t count, size_t floats,
                                  size_t copies)
{
    *f = (jsni_features){.count = count, .floats = floats, .copies = copies};
    JSNI_TRY_ALLOC(f->values = jsni_alloc_zero(copies * count, floats * sizeof(float)));
    JSNI_TRY_ALLOC(f->there = jsni_alloc_zero(count, sizeof *f->there));
    return JSN_OK;
}

void jsni_features_release(jsni_features *f)
{
    jsni_free(f->values);
    jsni_free(f->there);
}

/* One pass over the images of a part: as they are, or a copy of each. */
typedef struct filling {
    jsni_run *run;
    jsn_model *body;
    const jsni_part *part;
    jsni_features *features;
    size_t copy;
    jsni_feature_cache *cache;
    jsni_sha256 common; /* all that keys of the pass have in common */
    jsni_part left;     /* the images that the cache lacks, index alone */
    uint32_t *position; /* [left.count], owned: where they are in the part */
    uint32_t *draws;    /* [left.count], owned */
    size_t found;       /* in the cache */
    size_t unkept;      /* that could not be stored */
} filling;

static float *place(const filling *f, size_t position)
{
    return f->features->values +
           (f->copy * f->features->count + position) * f->features->floats;
}

/* The file of an image in the cache; false: it cannot be told from others. */
static bool make_key(const filling *f, size_t position, char out[JSNI_SHA256_HEX])
{
    jsni_sha256 sha = f->common;
    const jsni_part *part = f->part;
    const uint32_t sample = part->index[position];
    const char *path = jsn_dataset_path(part->data, part->split, sample);
    jsni_sha256_add(&sha, path, strlen(path) + 1);
    if (jsni_sample_identify(part->data, part->split, sample, &sha) != JSN_OK)
        return false;
    jsni_sha256_hex(&sha, out);
    return true;
}

static jsn_status fill(void *user, const uint32_t *position, size_t samples,
                       const float *logits)
{
    filling *f = user;
    const size_t floats = f->features->floats;
    for (size_t i = 0; i < samples; i++) {
        const size_t at = f->position[position[i]];
        char key[JSNI_SHA256_HEX];
        memcpy(place(f, at), logits + i * floats, floats * sizeof(float));
        f->features->there[at] = true;
        if (f->unkept == 0 && make_key(f, at, key) &&
            jsni_feature_cache_store(f->cache, key, logits + i * floats, floats) !=
                JSN_OK)
            f->unkept++;
    }
    return JSN_OK;
}

/* Augmented copies are drawn by the name of an image, so that they stay the same when the
 * images around it change. */
static uint32_t draw_of(const jsni_part *part, size_t position)
{
    const char *path = jsn_dataset_path(part->data, part->split, part->index[position]);
    return (uint32_t)jsni_checksum(0, path, strlen(path));
}

/* Takes what the cache has, and lists the rest. */
static jsn_status take_cached(filling *f)
{
    const size_t count = f->part->count;
    JSNI_TRY_ALLOC(f->left.index = jsni_alloc(count, sizeof *f->left.index));
    JSNI_TRY_ALLOC(f->position = jsni_alloc(count, sizeof *f->position));
    JSNI_TRY_ALLOC(f->draws = jsni_alloc(count, sizeof *f->draws));
    for (size_t i = 0; i < count; i++) {
        char key[JSNI_SHA256_HEX];
        if (f->copy > 0 && !f->features->there[i])
            continue; /* broken */
        if (make_key(f, i, key) &&
            jsni_feature_cache_load(f->cache, key, place(f, i), f->features->floats)) {
            f->features->there[i] = true;
            f->found++;
            continue;
        }
        f->left.index[f->left.count] = f->part->index[i];
        f->position[f->left.count] = (uint32_t)i;
        f->draws[f->left.count++] = draw_of(f->part, i);
    }
    return JSN_OK;
}

/* What the bits of all features of the pass depend on. */
static jsn_status mark_pass(filling *f)
{
    const jsni_run *run = f->run;
    const jsn_train_config *c = run->job.config;
    char weights[JSNI_SHA256_HEX], text[600];
    jsn_device_info device;
    JSNI_TRY(jsni_model_sha256(f->body, weights));
    JSNI_TRY(jsn_device_describe(c->device, &device));
    (void)jsni_format(text, sizeof text, "%s %s %s %s %lld %g %zu %zu|", jsn_version(),
                      weights, device.text, c->precision, (long long)c->image_size,
                      c->scaled_decode, f->features->floats, f->copy);
    const char *pipeline =
        jsn_augment_text(f->copy > 0 ? run->group->augment : run->group->plain);
    jsni_sha256_init(&f->common);
    jsni_sha256_add(&f->common, text, strlen(text));
    jsni_sha256_add(&f->common, c->network, strlen(c->network) + 1);
    jsni_sha256_add(&f->common, pipeline, strlen(pipeline) + 1);
    if (f->copy > 0)
        jsni_sha256_add(&f->common, &run->job.seed, sizeof run->job.seed);
    return JSN_OK;
}

/* Broken images count when the loaders of the run meet them. */
static jsn_status compute_left(filling *f)
{
    const jsni_run *run = f->run;
    const jsn_train_config *c = run->job.config;
    const jsni_loader_options o = {
        .part = &f->left,
        .draws = f->draws,
        .classes = run->job.problem->classes,
        .augment = f->copy > 0 ? run->group->augment : run->group->plain,
        .height = (size_t)c->image_size,
        .width = (size_t)c->image_size,
        .batch = (size_t)c->batch,
        .views = 1,
        .workers = (size_t)c->workers,
        .order = JSNI_ORDER_KEPT,
        .seed = run->job.seed,
        .max_bad = (size_t)c->max_bad,
        .scaled_decode = c->scaled_decode,
    };
    jsni_loader *loader = NULL;
    JSNI_TRY(jsni_loader_create(&loader, &o));
    const jsni_logits_pass pass = {.model = f->body,
                                   .loader = loader,
                                   .classes = f->features->floats,
                                   .epoch = (uint32_t)f->copy,
                                   .fn = fill,
                                   .user = f,
                                   .stop = &run->group->stop,
                                   .logger = run->group->watch->logger,
                                   .what = f->copy > 0 ? "features of augmented copies"
                                                       : "features"};
    const jsn_status status = jsni_evaluate_logits(&pass);
    jsni_loader_destroy(loader);
    return status;
}

static void say_of(jsni_run *run, const char *format, ...) JSNI_PRINTF(2, 3);

static void say_of(jsni_run *run, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    (void)jsni_format_list(text, sizeof text, format, args);
    va_end(args);
    run->logger.message(run, JSN_LOG_INFO, text);
}

static jsn_status run_pass(filling *f)
{
    JSNI_TRY(mark_pass(f));
    JSNI_TRY(take_cached(f));
    if (f->found > 0)
        say_of(f->run, "features of %zu %s%s: from the cache", f->found,
               f->copy > 0 ? "augmented " : "", jsni_noun(f->found, "image", "images"));
    if (f->left.count > 0)
        JSNI_TRY(compute_left(f));
    if (f->unkept > 0)
        say_of(f->run, "features are not kept for the next run: %.200s",
               jsn_last_error());
    return JSN_OK;
}

jsn_status jsni_head_features(jsni_run *run, jsn_model *body, const jsni_part *part,
                              size_t floats, size_t copies, jsni_features *out)
{
    jsni_feature_cache cache;
    if (part->data == NULL || part->count == 0)
        return JSN_OK;
    JSNI_TRY(features_create(out, part->count, floats, copies));
    JSNI_TRY(jsni_feature_cache_open(&cache));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < copies; i++) {
        filling f = {.run = run,
                     .body = body,
                     .part = part,
                     .features = out,
                     .copy = i,
                     .cache = &cache,
                     .left = {.data = part->data, .split = part->split}};
        status = run_pass(&f);
        jsni_free(f.left.index);
        jsni_free(f.position);
        jsni_free(f.draws);
    }
    jsni_feature_cache_close(&cache);
    return status;
}
