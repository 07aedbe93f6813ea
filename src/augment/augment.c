/* augment/augment.c - pipelines: spec to stages, stages over an image, normalisation.
 * Names no stage: everything particular to one is in its own file. */
#include "jensen/augment.h"

#include <math.h>
#include <string.h>

#include "augment/augment_impl.h"
#include "augment/augment_part.h"
#include "augment/pipeline.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/image_part.h"

jsn_status jsni_work_room(jsni_work *work, size_t width, size_t height, uint8_t **out)
{
    jsn_augment_scratch *scratch = work->scratch;
    const int next = work->data == scratch->image[0].data ? 1 : 0;
    JSNI_TRY(jsni_buffer_reserve(&scratch->image[next], width * height * 3));
    *out = scratch->image[next].data;
    return JSN_OK;
}

void jsni_work_take(jsni_work *work, const uint8_t *data, size_t width, size_t height)
{
    work->data = data;
    work->width = work->whole_width = width;
    work->height = work->whole_height = height;
    work->left = work->top = 0;
    work->divisor = 1;
}

jsn_status jsni_work_apply(jsni_work *work, const jsni_pixel_op *op)
{
    uint8_t *out = NULL;
    JSNI_TRY(jsni_work_room(work, work->width, work->height, &out));
    jsni_pixel_op_run(op, work->data, out, work->width, work->height);
    jsni_work_take(work, out, work->width, work->height);
    return JSN_OK;
}

static jsn_status check_create(const char *spec, size_t height, size_t width,
                               const float *mean, const float *std)
{
    if (spec == NULL || mean == NULL || std == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: NULL argument");
    if (height == 0 || width == 0 || height > 16384 || width > 16384)
        return jsni_fail(JSN_ERR_RANGE, "augment: output of %zux%zu pixels", width,
                         height);
    for (int c = 0; c < 3; c++)
        if (!isfinite(mean[c]) || !isfinite(std[c]) || std[c] <= 0.0f)
            return jsni_fail(JSN_ERR_ARGUMENT, "augment: mean %g, std %g of channel %d",
                             (double)mean[c], (double)std[c], c);
    return JSN_OK;
}

static void fill_normal(float normal[3][256], const float *mean, const float *std)
{
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 256; i++)
            normal[c][i] = ((float)i / 255.0f - mean[c]) / std[c];
}

jsn_status jsn_augment_create(jsn_augment **out, const char *spec, size_t height,
                              size_t width, const float mean[3], const float std[3])
{
    if (out == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: NULL argument");
    *out = NULL;
    JSNI_TRY(check_create(spec, height, width, mean, std));
    jsn_augment *pipeline = jsni_alloc_zero(1, sizeof *pipeline);
    JSNI_TRY_ALLOC(pipeline);
    pipeline->height = height;
    pipeline->width = width;
    fill_normal(pipeline->recipe.normal, mean, std);
    const jsn_status status = jsni_pipeline_parse(pipeline, spec);
    if (status != JSN_OK) {
        jsn_augment_destroy(pipeline);
        return status;
    }
    *out = pipeline;
    return JSN_OK;
}

void jsn_augment_destroy(jsn_augment *pipeline)
{
    if (pipeline == NULL)
        return;
    for (size_t i = 0; i < pipeline->count; i++)
        jsni_free(pipeline->stage[i].op);
    jsni_free(pipeline->text);
    jsni_free(pipeline);
}

const char *jsn_augment_text(const jsn_augment *pipeline)
{
    if (pipeline == NULL)
        return NULL;
    return pipeline->text;
}

const jsni_recipe *jsni_augment_recipe(const jsn_augment *pipeline)
{
    return pipeline->has_recipe ? &pipeline->recipe : NULL;
}

jsn_status jsn_augment_scratch_create(jsn_augment_scratch **out)
{
    if (out == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: NULL argument");
    JSNI_TRY_ALLOC(*out = jsni_alloc_zero(1, sizeof **out));
    return JSN_OK;
}

void jsn_augment_scratch_destroy(jsn_augment_scratch *scratch)
{
    if (scratch == NULL)
        return;
    jsni_buffer_release(&scratch->image[0]);
    jsni_buffer_release(&scratch->image[1]);
    jsni_resize_room_release(&scratch->resize);
    jsni_free(scratch);
}

jsni_rng jsni_augment_stream(const jsn_augment_key *key)
{
    return jsni_rng_stream(key->seed,
                           key->purpose == 0 ? JSNI_RNG_AUGMENT : JSNI_RNG_CONSISTENCY,
                           key->epoch, key->sample, key->view);
}

static bool is_whole(const jsni_image_part *in)
{
    return in->divisor == 1 && in->left == 0 && in->top == 0 &&
           in->image.width == in->width && in->image.height == in->height;
}

static jsni_image_part whole_of(const jsn_image *in)
{
    return (jsni_image_part){*in, in->width, in->height, 0, 0, 1};
}

static jsn_status check_apply(const jsn_augment *pipeline,
                              const jsn_augment_scratch *scratch,
                              const jsni_image_part *in, const jsn_augment_key *key,
                              const void *out)
{
    if (pipeline == NULL || scratch == NULL || in == NULL || key == NULL ||
        out == NULL || in->image.data == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: NULL argument");
    if (in->image.width == 0 || in->image.height == 0 || in->width == 0 ||
        in->height == 0 || in->width > JSN_IMAGE_MAX_SIDE ||
        in->height > JSN_IMAGE_MAX_SIDE)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: image of %zux%zu pixels",
                         in->width, in->height);
    if (in->divisor == 0 || in->divisor > 8)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: divisor %u", in->divisor);
    if (!is_whole(in) && (pipeline->count == 0 || pipeline->stage[0].def->part == NULL))
        return jsni_fail(JSN_ERR_ARGUMENT, "augment '%s': works on whole images only",
                         pipeline->text);
    if (key->view > 0xFFFF || key->purpose > 1)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: view %u, purpose %u", key->view,
                         key->purpose);
    return JSN_OK;
}

static jsn_status run_stages(const jsn_augment *pipeline, jsni_work *work,
                             jsni_rng *rng)
{
    for (size_t i = 0; i < pipeline->count; i++) {
        const jsni_stage *stage = &pipeline->stage[i];
        const jsni_stage *behind = i + 1 < pipeline->count ? stage + 1 : NULL;
        if (stage->def->part == NULL || behind == NULL || behind->def->cut == NULL) {
            JSNI_TRY(stage->def->run(stage, work, rng));
            continue;
        }
        JSNI_TRY(jsni_part_run_cut(stage, behind, work, rng));
        i++;
    }
    if (work->width != pipeline->width || work->height != pipeline->height)
        return jsni_fail(JSN_ERR_DATA,
                         "augment '%s': the image is %zux%zu, not %zux%zu; 'fit+' in "
                         "front resizes",
                         pipeline->text[0] ? pipeline->text : "none", work->width,
                         work->height, pipeline->width, pipeline->height);
    return JSN_OK;
}

static void normalise(const jsn_augment *pipeline, const uint8_t *bytes, float *out)
{
    const size_t pixels = pipeline->width * pipeline->height;
    const float(*normal)[256] = pipeline->recipe.normal;
    float *r = out, *g = out + pixels, *b = out + 2 * pixels;
    for (size_t i = 0; i < pixels; i++) {
        r[i] = normal[0][bytes[3 * i]];
        g[i] = normal[1][bytes[3 * i + 1]];
        b[i] = normal[2][bytes[3 * i + 2]];
    }
}

static void blank(const jsn_augment *pipeline, const jsn_augment_box *box, float *out)
{
    for (size_t c = 0; c < 3; c++)
        for (size_t y = box->y0; y < box->y1; y++)
            memset(out + (c * pipeline->height + y) * pipeline->width + box->x0, 0,
                   (box->x1 - box->x0) * sizeof(float));
}

/* Whether the fused path of view_run.c applies to this image. */
static bool is_planned(const jsn_augment *pipeline, const jsni_image_part *in)
{
    return pipeline->has_recipe && in->image.width == pipeline->width &&
           in->image.height == pipeline->height && is_whole(in);
}

static jsni_work work_of(const jsn_augment *pipeline, jsn_augment_scratch *scratch,
                         const jsni_image_part *in)
{
    return (jsni_work){.data = in->image.data,
                       .width = in->image.width,
                       .height = in->image.height,
                       .whole_width = in->width,
                       .whole_height = in->height,
                       .left = in->left,
                       .top = in->top,
                       .divisor = in->divisor,
                       .out_width = pipeline->width,
                       .out_height = pipeline->height,
                       .scratch = scratch};
}

static jsn_status run_all(const jsn_augment *pipeline, jsn_augment_scratch *scratch,
                          const jsni_image_part *in, const jsn_augment_key *key,
                          float *out)
{
    jsni_rng rng = jsni_augment_stream(key);
    jsni_work work = work_of(pipeline, scratch, in);
    JSNI_TRY(run_stages(pipeline, &work, &rng));
    normalise(pipeline, work.data, out);
    for (size_t i = 0; i < work.boxes; i++)
        blank(pipeline, &work.box[i], out);
    return JSN_OK;
}

jsn_status jsni_augment_staged(const jsn_augment *pipeline,
                               jsn_augment_scratch *scratch, const jsn_image *in,
                               const jsn_augment_key *key, float *out)
{
    const jsni_image_part all = whole_of(in);
    return run_all(pipeline, scratch, &all, key, out);
}

jsn_status jsn_augment_apply(const jsn_augment *pipeline, jsn_augment_scratch *scratch,
                             const jsn_image *in, const jsn_augment_key *key,
                             float *out)
{
    if (in == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: NULL argument");
    const jsni_image_part all = whole_of(in);
    return jsni_augment_apply_part(pipeline, scratch, &all, key, out);
}

jsn_status jsni_augment_apply_part(const jsn_augment *pipeline,
                                   jsn_augment_scratch *scratch,
                                   const jsni_image_part *in,
                                   const jsn_augment_key *key, float *out)
{
    JSNI_TRY(check_apply(pipeline, scratch, in, key, out));
    if (!is_planned(pipeline, in))
        return run_all(pipeline, scratch, in, key, out);
    jsni_rng rng = jsni_augment_stream(key);
    const jsni_view_plan plan = jsni_view_draw(&pipeline->recipe, &rng);
    return jsni_view_run(&pipeline->recipe, &plan, in->image.data, scratch, out);
}

jsn_status jsn_augment_bytes(const jsn_augment *pipeline, jsn_augment_scratch *scratch,
                             const jsn_image *in, const jsn_augment_key *key,
                             uint8_t *out, jsn_augment_box *boxes, size_t box_room,
                             size_t *box_count)
{
    if (in == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: NULL argument");
    const jsni_image_part all = whole_of(in);
    JSNI_TRY(check_apply(pipeline, scratch, &all, key, out));
    jsni_rng rng = jsni_augment_stream(key);
    jsni_work work = work_of(pipeline, scratch, &all);
    JSNI_TRY(run_stages(pipeline, &work, &rng));
    if (work.data != NULL)
        memcpy(out, work.data, work.width * work.height * 3);
    size_t kept = 0;
    for (; boxes != NULL && kept < work.boxes && kept < box_room; kept++)
        boxes[kept] = work.box[kept];
    if (box_count != NULL)
        *box_count = kept;
    return JSN_OK;
}
