/* data/inspect.c - reads every image of a split: to find the broken ones, or to sum the
 * pixels; see jensen/dataset.h. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/pool.h"
#include "core/progress.h"
#include "core/sha256.h"
#include "data/copies.h"
#include "data/dataset_impl.h"

enum { CHUNK = 512, REASON = 256 };

typedef struct checking {
    const jsn_dataset *data;
    jsn_split split;
    size_t first;
    jsn_image *images;       /* [threads] */
    char (*reasons)[REASON]; /* [CHUNK], "" when good */
    jsn_status found[CHUNK];
    uint64_t *prints; /* [samples], or NULL */
} checking;

static void check_one(void *user, size_t index, size_t worker)
{
    checking *c = user;
    jsn_image *image = &c->images[worker];
    c->reasons[index][0] = '\0';
    c->found[index] = jsn_dataset_image(c->data, c->split, c->first + index, image);
    const bool reads = c->found[index] == JSN_OK;
    if (c->prints != NULL)
        c->prints[c->first + index] = reads ? jsni_image_print(image) : 0;
    if (!reads) {
        (void)strncpy(c->reasons[index], jsn_last_error(), REASON - 1);
        c->reasons[index][REASON - 1] = '\0';
    }
}

/* Tells of a broken image; want of memory is no fault of the image. */
static jsn_status tell(const checking *c, size_t index, jsn_dataset_bad_fn *fn,
                       void *user)
{
    if (c->found[index] == JSN_ERR_DATA)
        return fn(user, c->split, c->first + index, c->reasons[index]);
    return c->found[index] == JSN_OK
               ? JSN_OK
               : jsni_fail(c->found[index], "%s", c->reasons[index]);
}

jsn_status jsn_dataset_check(const jsn_dataset *data, jsn_split split, size_t threads,
                             const jsn_logger *logger, jsn_dataset_bad_fn *fn,
                             void *user, uint64_t *prints)
{
    JSNI_NEED(fn);
    JSNI_NEED(data);
    jsni_pool *pool = NULL;
    const size_t samples = jsn_dataset_samples(data, split);
    checking c = {.data = data, .split = split, .prints = prints};
    JSNI_TRY(jsni_pool_create(&pool, threads));
    threads = jsni_pool_threads(pool);
    jsn_status status = JSN_ERR_MEMORY;
    c.images = jsni_alloc_zero(threads, sizeof *c.images);
    c.reasons = jsni_alloc(CHUNK, sizeof *c.reasons);
    if (c.images != NULL && c.reasons != NULL)
        status = JSN_OK;
    for (; status == JSN_OK && c.first < samples; c.first += CHUNK) {
        const size_t count = samples - c.first < CHUNK ? samples - c.first : CHUNK;
        jsni_pool_run(pool, count, check_one, &c);
        for (size_t i = 0; status == JSN_OK && i < count; i++)
            status = tell(&c, i, fn, user);
        jsni_progress(logger, "checking images", c.first + count, samples);
    }
    for (size_t t = 0; c.images != NULL && t < threads; t++)
        jsn_image_release(&c.images[t]);
    jsni_free(c.reasons);
    jsni_free(c.images);
    jsni_pool_destroy(pool);
    return status;
}

jsn_status jsn_dataset_pixels_sha256(const jsn_dataset *data, jsn_split split,
                                     char hex[65])
{
    JSNI_NEED(data);
    JSNI_NEED(hex);
    jsni_sha256 sha;
    jsn_image image = {0};
    jsn_status status = JSN_OK;
    jsni_sha256_init(&sha);
    for (size_t i = 0; status == JSN_OK && i < jsn_dataset_samples(data, split); i++) {
        status = jsn_dataset_image(data, split, i, &image);
        if (status == JSN_OK)
            jsni_sha256_add(&sha, image.data,
                            image.width * image.height * JSN_IMAGE_CHANNELS);
    }
    jsn_image_release(&image);
    if (status == JSN_OK)
        jsni_sha256_hex(&sha, hex);
    return status;
}
