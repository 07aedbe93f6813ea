/* train/head_features.c - see head_features.h and features.h. */
#include "train/head_features.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/rng.h"
#include "core/text.h"
#include "core/words.h"
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

/* Where the features of one pass go. */
typedef struct filling {
    jsni_features *features;
    size_t copy;
} filling;

static jsn_status fill(void *user, const uint32_t *position, size_t samples,
                       const float *logits)
{
    const filling *f = user;
    const size_t floats = f->features->floats;
    for (size_t i = 0; i < samples; i++) {
        float *to =
            f->features->values + (f->copy * f->features->count + position[i]) * floats;
        memcpy(to, logits + i * floats, floats * sizeof(float));
        f->features->there[position[i]] = true;
    }
    return JSN_OK;
}

static jsn_status compute_copy(jsni_run *run, jsn_model *body, const jsni_part *part,
                               jsni_features *features, size_t copy)
{
    const jsn_train_config *c = run->config;
    const jsni_loader_options o = {
        .part = part,
        .classes = run->problem->classes,
        .augment = copy > 0 ? run->group->augment : run->group->plain,
        .height = (size_t)c->image_size,
        .width = (size_t)c->image_size,
        .batch = (size_t)c->batch,
        .views = 1,
        .workers = (size_t)c->workers,
        .order = JSNI_ORDER_KEPT,
        .seed = run->seed,
        .max_bad = (size_t)c->max_bad,
        .tally = run->tally,
        .scaled_decode = c->scaled_decode,
    };
    jsni_loader *loader = NULL;
    filling to = {features, copy};
    JSNI_TRY(jsni_loader_create(&loader, &o));
    const jsni_logits_pass pass = {.model = body,
                                   .loader = loader,
                                   .classes = features->floats,
                                   .epoch = (uint32_t)copy,
                                   .fn = fill,
                                   .user = &to,
                                   .stop = &run->group->stop,
                                   .logger = run->group->watch->logger,
                                   .what = copy > 0 ? "features of augmented copies"
                                                    : "features"};
    const jsn_status status = jsni_evaluate_logits(&pass);
    jsni_loader_destroy(loader);
    return status;
}

/* By what the features of a part are known again: everything that their bits depend on. */
static jsn_status make_key(const jsni_run *run, jsn_model *body, const jsni_part *part,
                           const jsni_features *f, char out[JSNI_SHA256_HEX])
{
    const jsn_train_config *c = run->config;
    char weights[JSNI_SHA256_HEX], text[1024];
    jsn_device_info device;
    jsni_sha256 sha;
    JSNI_TRY(jsn_model_sha256(body, weights));
    JSNI_TRY(jsn_device_describe(c->device, &device));
    const int length = jsni_format(
        text, sizeof text, "%s %s %s %s %s %lld %lld %g %zu %zu %zu %s|", jsn_version(),
        weights, c->network, device.text, c->precision, (long long)c->image_size,
        (long long)c->batch, c->scaled_decode, f->copies, f->count, f->floats,
        jsn_augment_text(run->group->plain));
    if (length < 0 || (size_t)length >= sizeof text)
        return jsni_fail(JSN_ERR_UNSUPPORTED, "options too long for the cache");
    jsni_sha256_init(&sha);
    jsni_sha256_add(&sha, text, (size_t)length);
    if (f->copies > 1) {
        const char *augment = jsn_augment_text(run->group->augment);
        jsni_sha256_add(&sha, augment, strlen(augment) + 1);
        jsni_sha256_add(&sha, &run->seed, sizeof run->seed);
    }
    for (size_t i = 0; i < part->count; i++)
        JSNI_TRY(jsni_sample_identify(part->data, part->split, part->index[i], &sha));
    jsni_sha256_hex(&sha, out);
    return JSN_OK;
}

static void say_found(jsni_run *run, const jsni_part *part)
{
    char text[100];
    (void)snprintf(text, sizeof text, "features of %zu %s: from the cache", part->count,
                   jsni_noun(part->count, "image", "images"));
    run->logger.message(run, JSN_LOG_INFO, text);
}

jsn_status jsni_head_features(jsni_run *run, jsn_model *body, const jsni_part *part,
                              size_t floats, size_t copies, jsni_features *out)
{
    char key[JSNI_SHA256_HEX];
    bool found = false;
    if (part->data == NULL || part->count == 0)
        return JSN_OK;
    JSNI_TRY(features_create(out, part->count, floats, copies));
    const jsn_status known = make_key(run, body, part, out, key);
    if (known == JSN_ERR_MEMORY)
        return known;
    if (known == JSN_OK)
        JSNI_TRY(jsni_feature_cache_load(key, out, &found));
    if (found) {
        say_found(run, part);
        return JSN_OK;
    }
    for (size_t i = 0; i < copies; i++)
        JSNI_TRY(compute_copy(run, body, part, out, i));
    if (known == JSN_OK)
        jsni_feature_cache_store(key, out, run->group->watch->logger);
    return JSN_OK;
}
