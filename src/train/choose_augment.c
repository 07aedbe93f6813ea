/* train/choose_augment.c - see choose_augment.h. */
#include "train/choose_augment.h"

#include <stdio.h>
#include <string.h>

#include "augment/augment_part.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/image_part.h"
#include "core/progress.h"
#include "data/dataset_part.h"
#include "jensen/augment.h"

/* A jsni_image_want_fn: what the pipeline uses of an image. */
typedef struct trial {
    const jsn_augment *pipeline;
    jsn_augment_key key;
    double density;
} trial;

static jsn_status want_of(void *user, size_t width, size_t height,
                          jsni_image_want *want)
{
    const trial *t = user;
    return jsni_augment_want(t->pipeline, width, height, &t->key, 1, t->density, want);
}

/* Whether the pipeline takes an image; a file that has become unreadable passes. */
static jsn_status try_image(trial *t, const jsni_part *part, const jsni_extreme *e,
                            float *out)
{
    jsni_image_part image = {0};
    jsn_augment_scratch *scratch = NULL;
    jsn_status status = jsn_augment_scratch_create(&scratch);
    if (status == JSN_OK)
        status = jsni_dataset_image_part(part->data, part->split,
                                         part->index[e->position], want_of, t, &image);
    if (status == JSN_ERR_DATA)
        status = JSN_OK;
    else if (status == JSN_OK)
        status = jsni_augment_apply_part(t->pipeline, scratch, &image, &t->key, out);
    jsn_augment_scratch_destroy(scratch);
    jsn_image_release(&image.image);
    return status;
}

static void warn_of_window(const jsn_train_config *c, const jsni_extreme *widest,
                           const jsn_logger *logger)
{
    const size_t size = (size_t)c->image_size;
    jsni_say(logger, JSN_LOG_WARNING,
             "--augment %s takes parts of %zux%zu pixels from images as large as "
             "%zux%zu; --augment fit+%s shows them whole",
             c->augment, size, size, widest->width, widest->height, c->augment);
}

jsn_status jsni_check_augment(const jsn_train_config *c, const jsni_part *part,
                              const jsni_look *seen, const jsn_logger *logger)
{
    static const float mean[3] = {0.5f, 0.5f, 0.5f}, deviation[3] = {0.5f, 0.5f, 0.5f};
    const size_t size = (size_t)c->image_size;
    const jsni_extreme *e = seen->at;
    jsn_augment *pipeline = NULL;
    float *out = jsni_alloc(size * size, JSN_IMAGE_CHANNELS * sizeof *out);
    JSNI_TRY_ALLOC(out);
    jsn_status status =
        jsn_augment_create(&pipeline, c->augment, size, size, mean, deviation);
    for (size_t i = 0; status == JSN_OK && i < JSNI_EXTREMES && e[i].width > 0; i++) {
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
        e[JSNI_WIDEST].width > 2 * size && e[JSNI_HIGHEST].height > 2 * size)
        warn_of_window(c, &e[JSNI_WIDEST], logger);
    jsn_augment_destroy(pipeline);
    jsni_free(out);
    return status;
}
