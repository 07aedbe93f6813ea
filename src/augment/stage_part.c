/* augment/stage_part.c - stages that resize a part of the image, and what follows from
 * knowing that part before the image is decoded: only it has to be, and a part that will
 * shrink may be decoded coarse. */
#include <math.h>

#include "augment/augment_impl.h"
#include "augment/augment_part.h"
#include "augment/pipeline.h"
#include "core/fail.h"
#include "core/image_part.h"

enum { C = 3 };

/* From `at` on, `length` of the whole image's pixels, as coordinates of a row of `count`
 * coarse pixels that begins at `origin`: the hull of pixels that they cut. */
static bool to_coarse(size_t at, size_t length, ptrdiff_t origin, unsigned divisor,
                      size_t count, size_t *first, size_t *pixels, double *start)
{
    const ptrdiff_t from = (ptrdiff_t)at - origin;
    if (from < 0)
        return false;
    const size_t low = (size_t)from, high = low + length;
    *first = low / divisor;
    const size_t end = (high + divisor - 1) / divisor;
    *pixels = end - *first;
    *start = (double)low / divisor - (double)*first;
    return end <= count;
}

/* What of the result is made: all of it, or what the stage behind takes. */
static jsn_status choose_result(const jsni_stage_part *p, const jsni_stage *behind,
                                const jsni_work *work, jsni_resize_to *to)
{
    *to = (jsni_resize_to){p->to_width, p->to_height, 0, 0, p->to_width, p->to_height};
    if (behind == NULL)
        return JSN_OK;
    to->across = work->out_width;
    to->down = work->out_height;
    return behind->def->cut(work, p->to_width, p->to_height, &to->left, &to->top);
}

jsn_status jsni_part_run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng)
{
    return jsni_part_run_cut(stage, NULL, work, rng);
}

jsn_status jsni_part_run_cut(const jsni_stage *stage, const jsni_stage *behind,
                             jsni_work *work, jsni_rng *rng)
{
    const jsni_stage_part p =
        stage->def->part(stage, work->whole_width, work->whole_height, work->out_width,
                         work->out_height, rng);
    if (p.to_width * p.to_height > JSN_IMAGE_MAX_PIXELS)
        return jsni_fail(JSN_ERR_DATA, "%s: a %zux%zu image would become %zux%zu",
                         stage->def->info.name, work->whole_width, work->whole_height,
                         p.to_width, p.to_height);
    jsni_resize_from from = {.stride = work->width * C};
    size_t x = 0, y = 0;
    if (!to_coarse(p.left, p.width, work->left, work->divisor, work->width, &x,
                   &from.width, &from.left) ||
        !to_coarse(p.top, p.height, work->top, work->divisor, work->height, &y,
                   &from.height, &from.top))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: the part of the image that was given does not hold the "
                         "%zux%zu pixels at %zu,%zu",
                         stage->def->info.name, p.width, p.height, p.left, p.top);
    from.data = work->data + (y * work->width + x) * C;
    from.across = (double)p.width / work->divisor;
    from.down = (double)p.height / work->divisor;
    jsni_resize_to to;
    uint8_t *out = NULL;
    JSNI_TRY(choose_result(&p, behind, work, &to));
    JSNI_TRY(jsni_work_room(work, to.across, to.down, &out));
    JSNI_TRY(jsni_resize_part(&work->scratch->resize, &from, p.filter, &to, out));
    jsni_work_take(work, out, to.across, to.down);
    return JSN_OK;
}

/* The largest of 8, 4, 2, 1 that leaves `density` pixels for each that is made. */
static unsigned coarsest(const jsni_stage_part *p, double density)
{
    for (unsigned d = 8; d > 1 && density > 0.0; d /= 2)
        if ((double)p->width / d >= density * (double)p->to_width &&
            (double)p->height / d >= density * (double)p->to_height)
            return d;
    return 1;
}

static void widen(size_t *at, size_t *length, size_t other, size_t other_length)
{
    const size_t end = *at + *length, other_end = other + other_length;
    *at = *at < other ? *at : other;
    *length = (end > other_end ? end : other_end) - *at;
}

jsn_status jsni_augment_want(const jsn_augment *pipeline, size_t width, size_t height,
                             const jsn_augment_key *key, uint32_t views, double density,
                             jsni_image_want *want)
{
    if (pipeline == NULL || key == NULL || want == NULL || width == 0 || height == 0 ||
        !isfinite(density) || key->view > 0xFFFF || views > 0x10000 - key->view)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: NULL or an empty image");
    *want = (jsni_image_want){0, 0, width, height, 1};
    const jsni_stage *first = &pipeline->stage[0];
    if (pipeline->count == 0 || first->def->part == NULL)
        return JSN_OK;
    for (uint32_t v = 0; v < views; v++) {
        jsn_augment_key one = *key;
        one.view += v;
        jsni_rng rng = jsni_augment_stream(&one);
        const jsni_stage_part p = first->def->part(
            first, width, height, pipeline->width, pipeline->height, &rng);
        const unsigned divisor = coarsest(&p, density);
        if (v == 0) {
            *want = (jsni_image_want){p.left, p.top, p.width, p.height, divisor};
            continue;
        }
        widen(&want->left, &want->width, p.left, p.width);
        widen(&want->top, &want->height, p.top, p.height);
        want->divisor = divisor < want->divisor ? divisor : want->divisor;
    }
    return JSN_OK;
}
