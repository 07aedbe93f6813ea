/* cli/command_augment.c - one operation on an image, or a contact sheet of what a
 * pipeline makes of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "jensen/augment.h"
#include "jensen/image_file.h"

typedef struct augment_values {
    char *op, *at, *pipeline, *out;
    double value;
    int64_t copies, seed, size, zoom;
    jsn_texts limit;
} augment_values;

static const jsn_option_info options[] = {
    {"op", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "NAME",
     "one operation: a name that 'jensen show augment' lists, case ignored",
     offsetof(augment_values, op)},
    {"value", 0, JSN_OPTION_REAL, "0", -1e6, 1e6, NULL, "V",
     "the operation's exact value with its sign, e.g. degrees of Rotate",
     offsetof(augment_values, value)},
    {"at", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "X,Y",
     "drawn centre of CutoutAbs (default: the middle)", offsetof(augment_values, at)},
    {"pipeline", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "SPEC",
     "a contact sheet of this pipeline instead, e.g. strong",
     offsetof(augment_values, pipeline)},
    {"copies", 0, JSN_OPTION_INT, "64", 1, 4096, NULL, "N", "images on the sheet",
     offsetof(augment_values, copies)},
    CLI_SEED_ROW(augment_values),
    {"size", 0, JSN_OPTION_INT, "0", 0, 4096, NULL, "N",
     "side of the pipeline's output; 0: that of the image, 224 for pipelines that "
     "resize",
     offsetof(augment_values, size)},
    {"zoom", 0, JSN_OPTION_INT, "0", 0, 64, NULL, "N",
     "every pixel becomes N x N on the sheet; 0: small images are enlarged",
     offsetof(augment_values, zoom)},
    CLI_OUT_ROW(augment_values, NULL, "FILE",
                "image to write: .png, .jpg, .ppm or .bmp"),
    CLI_LIMIT_ROW(augment_values),
};

static jsn_status run_operation(const augment_values *v, const jsn_image *in)
{
    double x = (double)in->width / 2.0, y = (double)in->height / 2.0;
    if (v->at != NULL) {
        char *end = NULL, *last = NULL;
        x = strtod(v->at, &end);
        if (end == v->at || *end != ',')
            return cli_usage("--at: '%s' is not X,Y", v->at);
        y = strtod(end + 1, &last);
        if (last == end + 1 || *last != '\0')
            return cli_usage("--at: '%s' is not X,Y", v->at);
    }
    jsn_image out = {0};
    jsn_status status = jsn_augment_operation(in, v->op, v->value, x, y, &out);
    if (status == JSN_OK)
        status = jsn_image_write(v->out, &out);
    jsn_image_release(&out);
    return status;
}

/* Copies a tile to the sheet, every pixel zoom x zoom. */
static void place(const uint8_t *tile, size_t width, size_t height, size_t zoom,
                  jsn_image *sheet, size_t left, size_t top)
{
    for (size_t y = 0; y < height * zoom; y++)
        for (size_t x = 0; x < width * zoom; x++)
            memcpy(sheet->data + ((top + y) * sheet->width + left + x) * 3,
                   tile + (y / zoom * width + x / zoom) * 3, 3);
}

/* Cutout is zero after the normalisation: the mean colour. */
static void paint(uint8_t *tile, size_t width, const jsn_augment_box *box)
{
    static const uint8_t colour[3] = {125, 123, 114};
    for (size_t y = box->y0; y < box->y1; y++)
        for (size_t x = box->x0; x < box->x1; x++)
            memcpy(tile + (y * width + x) * 3, colour, 3);
}

typedef struct sheet_plan {
    size_t width, height, zoom, copies, columns;
} sheet_plan;

static jsn_status fill_sheet(const augment_values *v, const jsn_augment *pipeline,
                             const jsn_image *in, const sheet_plan *plan,
                             jsn_image *sheet)
{
    enum { GAP = 2, BOXES = 8 };
    jsn_augment_scratch *scratch = NULL;
    jsn_image tile = {0};
    jsn_status status = jsn_augment_scratch_create(&scratch);
    if (status == JSN_OK)
        status = jsn_image_create(&tile, plan->width, plan->height);
    for (size_t i = 0; status == JSN_OK && i < plan->copies; i++) {
        const jsn_augment_key key = {(uint64_t)v->seed, 0, 0, (uint32_t)i, 0};
        jsn_augment_box boxes[BOXES];
        size_t count = 0;
        status = jsn_augment_bytes(pipeline, scratch, in, &key, tile.data, boxes, BOXES,
                                   &count);
        if (status != JSN_OK)
            break;
        for (size_t b = 0; b < count; b++)
            paint(tile.data, plan->width, &boxes[b]);
        place(tile.data, plan->width, plan->height, plan->zoom, sheet,
              GAP + i % plan->columns * (plan->width * plan->zoom + GAP),
              GAP + i / plan->columns * (plan->height * plan->zoom + GAP));
    }
    jsn_image_release(&tile);
    jsn_augment_scratch_destroy(scratch);
    return status;
}

static jsn_status make_sheet(const augment_values *v, const jsn_augment *pipeline,
                             const jsn_image *in, sheet_plan *plan)
{
    const size_t side = plan->width > plan->height ? plan->width : plan->height;
    plan->copies = (size_t)v->copies;
    plan->columns = (size_t)ceil(sqrt((double)plan->copies));
    plan->zoom = v->zoom > 0 ? (size_t)v->zoom : side < 64 ? 96 / side : 1;
    const size_t rows = (plan->copies + plan->columns - 1) / plan->columns;
    jsn_image sheet = {0};
    jsn_status status =
        jsn_image_create(&sheet, 2 + plan->columns * (plan->width * plan->zoom + 2),
                         2 + rows * (plan->height * plan->zoom + 2));
    if (status == JSN_OK) {
        memset(sheet.data, 255, sheet.width * sheet.height * 3);
        status = fill_sheet(v, pipeline, in, plan, &sheet);
    }
    if (status == JSN_OK)
        status = jsn_image_write(v->out, &sheet);
    jsn_image_release(&sheet);
    return status;
}

static jsn_status run_pipeline(const augment_values *v, const jsn_image *in)
{
    const float mean[3] = {0, 0, 0}, std[3] = {1, 1, 1};
    sheet_plan plan = {.width = in->width, .height = in->height};
    char *evaluation = NULL;
    jsn_status status = jsn_augment_evaluation(v->pipeline, &evaluation);
    if (status != JSN_OK)
        return status;
    if (v->size > 0 || strcmp(evaluation, "none") != 0)
        plan.width = plan.height = v->size > 0 ? (size_t)v->size : 224;
    jsn_text_release(evaluation);
    jsn_augment *pipeline = NULL;
    status =
        jsn_augment_create(&pipeline, v->pipeline, plan.height, plan.width, mean, std);
    if (status == JSN_OK)
        status = make_sheet(v, pipeline, in, &plan);
    jsn_augment_destroy(pipeline);
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const augment_values *v = values;
    if (args->count != 1)
        return cli_usage("needs one image, got %zu", args->count);
    if ((v->op == NULL) == (v->pipeline == NULL))
        return cli_usage("needs either --op or --pipeline");
    if (v->out == NULL)
        return cli_usage("needs --out FILE");
    jsn_image in = {0};
    jsn_status status = jsn_image_read(&in, args->items[0]);
    if (status == JSN_OK)
        status = v->op != NULL ? run_operation(v, &in) : run_pipeline(v, &in);
    jsn_image_release(&in);
    return status;
}

const cli_command cli_command_augment = {
    .name = "augment",
    .summary = "show what an operation or a pipeline does to an image",
    .usage = "IMAGE (--op NAME [--value V] [--at X,Y] | --pipeline SPEC) --out FILE",
    .details =
        "Operations give the same bits as Pillow's. A pipeline gives a contact sheet\n"
        "of augmented copies. Cutout's squares are zero after the normalisation, so\n"
        "they are shown in the mean colour.\n\n"
        "  jensen augment cat.png --op Rotate --value -9 --out turned.png\n"
        "  jensen augment cat.png --pipeline strong --copies 64 --out sheet.png\n"
        "  jensen augment photo.jpg --pipeline jitter --copies 16 --out sheet.png",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(augment_values),
    .run = run,
};
