/* export/onnx_input.c - the transform of evaluation as nodes of ONNX.
 *
 * A resized side is a product with a matrix that is made inside the graph, since the size of
 * the image is known there alone: row i holds the filter around the middle of output i,
 * normalised and rounded to 22 binary digits, as augment/image_resize.c has it. The numbers
 * are whole and the products are in double, so the bytes are the same to the last. */
#include <stdbool.h>
#include <stdio.h>

#include "core/fail.h"
#include "core/hd.h"
#include "export/onnx.h"
#include "export/resizing.h"

typedef struct writer {
    jsni_onnx *onnx;
    size_t size;       /* of the output, a square */
    jsn_filter filter; /* of the resizing */
    char side;         /* 'h' or 'w', the side whose nodes are being written */
} writer;

/* A name of this side's: "resize.h.scale". */
static jsni_name of(const writer *w, const char *last)
{
    jsni_name out;
    (void)snprintf(out.text, sizeof out.text, "resize.%c.%s", w->side, last);
    return out;
}

static void put(const writer *w, const char *op, const char *name, const char *one,
                const char *other)
{
    jsni_onnx_op(w->onnx, op, of(w, name).text, of(w, one).text,
                 other == NULL ? NULL : of(w, other).text);
}

/* The same with a constant of the graph as the second input. */
static void put_with(const writer *w, const char *op, const char *name, const char *one,
                     const char *constant)
{
    jsni_onnx_op(w->onnx, op, of(w, name).text, of(w, one).text, constant);
}

static void put_cast(jsni_onnx *o, const char *name, const char *from,
                     jsni_onnx_type type)
{
    jsni_onnx_begin(o, "Cast", name, &from, 1);
    jsni_onnx_int(o, "to", type);
    jsni_onnx_end(o);
}

static void cast(const writer *w, const char *name, const char *from,
                 jsni_onnx_type type)
{
    put_cast(w->onnx, of(w, name).text, of(w, from).text, type);
}

/* "name" = 0, 1, ..., end - 1 as [end] in double; `end` is an integer scalar. */
static void put_counts(const writer *w, const char *name, const char *end)
{
    const char *const inputs[] = {"zero", end, "one"};
    char number[JSNI_NAME_SIZE];
    (void)snprintf(number, sizeof number, "resize.%c.%s.int", w->side, name);
    jsni_onnx_begin(w->onnx, "Range", number, inputs, 3);
    jsni_onnx_end(w->onnx);
    put_cast(w->onnx, of(w, name).text, number, JSNI_ONNX_DOUBLE);
}

/* Keys' cubic with a = -1/2 of "distance", in the two pieces of its definition. */
static void put_cubic(const writer *w)
{
    put_with(w, "Mul", "c1", "distance", "c.1.5"); /* ((1.5 t - 2.5) t) t + 1 */
    put_with(w, "Sub", "c2", "c1", "c.2.5");
    put(w, "Mul", "c3", "c2", "distance");
    put(w, "Mul", "c4", "c3", "distance");
    put_with(w, "Add", "near", "c4", "c.1");
    put_with(w, "Sub", "f1", "distance", "c.5"); /* (((t - 5) t + 8) t - 4) (-1/2) */
    put(w, "Mul", "f2", "f1", "distance");
    put_with(w, "Add", "f3", "f2", "c.8");
    put(w, "Mul", "f4", "f3", "distance");
    put_with(w, "Sub", "f5", "f4", "c.4");
    put_with(w, "Mul", "far", "f5", "c.minus.half");
    put_with(w, "Less", "is.near", "distance", "c.1");
    put_with(w, "Less", "is.far", "distance", "c.2");
    const jsni_name far = of(w, "is.far"), far_value = of(w, "far"),
                    outer = of(w, "outer"), near = of(w, "is.near"),
                    near_value = of(w, "near"), kernel = of(w, "kernel");
    const char *const beyond[] = {far.text, far_value.text, "c.0"};
    jsni_onnx_begin(w->onnx, "Where", outer.text, beyond, 3);
    jsni_onnx_end(w->onnx);
    const char *const both[] = {near.text, near_value.text, outer.text};
    jsni_onnx_begin(w->onnx, "Where", kernel.text, both, 3);
    jsni_onnx_end(w->onnx);
}

static void put_triangle(const writer *w)
{
    const jsni_name left = of(w, "slope");
    jsni_onnx_op(w->onnx, "Sub", left.text, "c.1", of(w, "distance").text);
    put_with(w, "Max", "kernel", "slope", "c.0");
}

/* "matrix" [size][in] of the side whose values are there: "in", the pixels that are resized;
 * "to", their number after that; "first", the first of them that is kept. All are integer
 * scalars. */
static void put_matrix(const writer *w)
{
    cast(w, "in.real", "in", JSNI_ONNX_DOUBLE);
    cast(w, "to.real", "to", JSNI_ONNX_DOUBLE);
    cast(w, "first.real", "first", JSNI_ONNX_DOUBLE);
    put(w, "Div", "scale", "in.real", "to.real");
    put_with(w, "Max", "wide", "scale", "c.1");
    jsni_onnx_op(w->onnx, "Div", of(w, "narrow").text, "c.1", of(w, "wide").text);
    /* middles of the outputs, as a column */
    put_counts(w, "kept", "kept.size");
    put(w, "Add", "output", "first.real", "kept");
    put_with(w, "Add", "output.middle", "output", "c.half");
    put(w, "Mul", "centre.row", "output.middle", "scale");
    put_with(w, "Unsqueeze", "centre", "centre.row", "axis.1");
    put_counts(w, "inputs", of(w, "in").text);
    put(w, "Sub", "from.centre", "inputs", "centre");
    put_with(w, "Add", "from.middle", "from.centre", "c.half");
    put(w, "Mul", "signed", "from.middle", "narrow");
    put(w, "Abs", "distance", "signed", NULL);
    if (w->filter == JSN_FILTER_BICUBIC)
        put_cubic(w);
    else
        put_triangle(w);
    const jsni_name kernel = of(w, "kernel"), sum = of(w, "sum");
    const char *const summed[] = {kernel.text, "axis.1"};
    jsni_onnx_begin(w->onnx, "ReduceSum", sum.text, summed, 2);
    jsni_onnx_int(w->onnx, "keepdims", 1);
    jsni_onnx_end(w->onnx);
    put(w, "Div", "share", "kernel", "sum");
    /* 22 digits, halves away from zero */
    put_with(w, "Mul", "scaled", "share", "c.digits");
    put(w, "Abs", "size", "scaled", NULL);
    put_with(w, "Add", "size.half", "size", "c.half");
    put(w, "Floor", "size.whole", "size.half", NULL);
    put(w, "Sign", "sign", "scaled", NULL);
    put(w, "Mul", "matrix", "size.whole", "sign");
}

/* A sum of whole numbers to a byte: floor(x / 2^22 + 1/2), from 0 to 255. */
static void put_byte(const writer *w, const char *from, const char *to)
{
    put_with(w, "Div", "unscaled", from, "c.digits");
    put_with(w, "Add", "unscaled.half", "unscaled", "c.half");
    put(w, "Floor", "whole", "unscaled.half", NULL);
    const jsni_name whole = of(w, "whole");
    const char *const inputs[] = {whole.text, "c.0", "c.255"};
    jsni_onnx_begin(w->onnx, "Clip", to, inputs, 3);
    jsni_onnx_end(w->onnx);
}

typedef struct constant {
    const char *name;
    double value;
} constant;

static void put_reals(jsni_onnx *o, const constant *reals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        jsni_onnx_scalar_real(o, reals[i].name, reals[i].value);
}

static void put_constants(jsni_onnx *o, size_t size)
{
    static const constant reals[] = {{"c.0", 0.0},
                                     {"c.half", 0.5},
                                     {"c.1", 1.0},
                                     {"c.255", 255.0},
                                     {"c.digits", 4194304.0}}; /* 2^22 */
    put_reals(o, reals, JSNI_COUNT_OF(reals));
    jsni_onnx_scalar_int(o, "zero", 0);
    jsni_onnx_scalar_int(o, "one", 1);
    jsni_onnx_scalar_int(o, "two", 2);
    jsni_onnx_scalar_int(o, "kept.size", (int64_t)size);
    jsni_onnx_vector_int(o, "axis.1", 1);
}

static void put_cubic_constants(jsni_onnx *o)
{
    static const constant reals[] = {
        {"c.1.5", 1.5}, {"c.2", 2.0}, {"c.2.5", 2.5},        {"c.4", 4.0},
        {"c.5", 5.0},   {"c.8", 8.0}, {"c.minus.half", -0.5}};
    put_reals(o, reals, JSNI_COUNT_OF(reals));
}

/* The sides of the image, as integer scalars "image.h" and "image.w". */
static void put_sides(jsni_onnx *o)
{
    jsni_onnx_op(o, "Shape", "image.shape", JSNI_ONNX_IMAGE, NULL);
    jsni_onnx_op(o, "Gather", "image.h", "image.shape", "one");
    jsni_onnx_op(o, "Gather", "image.w", "image.shape", "two");
}

static void put_identity(const writer *w, const char *name, const char *from)
{
    jsni_onnx_op(w->onnx, "Identity", of(w, name).text, from, NULL);
}

/* fit: the largest centred square. Leaves "cut", the part of the images that is resized, and
 * "in", "to" and "first" of each side. */
static void put_fit(writer *w)
{
    jsni_onnx_vector_int(w->onnx, "axis.0", 0);
    jsni_onnx_vector_int(w->onnx, "axis.2", 2);
    jsni_onnx_op(w->onnx, "Min", "fit.side", "image.h", "image.w");
    jsni_onnx_op(w->onnx, "Unsqueeze", "fit.length", "fit.side", "axis.0");
    for (size_t i = 0; i < 2; i++) {
        w->side = "hw"[i];
        put_identity(w, "in", "fit.side");
        put_identity(w, "to", "kept.size");
        put_identity(w, "first", "zero");
        jsni_onnx_op(w->onnx, "Sub", of(w, "rest").text, i == 0 ? "image.h" : "image.w",
                     "fit.side");
        put_with(w, "Div", "start.scalar", "rest", "two");
        put_with(w, "Unsqueeze", "start", "start.scalar", "axis.0");
        put_with(w, "Add", "end", "start", "fit.length");
        const jsni_name start = of(w, "start"), end = of(w, "end");
        const char *const slice[] = {i == 0 ? JSNI_ONNX_IMAGE : "cut.rows", start.text,
                                     end.text, i == 0 ? "axis.1" : "axis.2"};
        jsni_onnx_begin(w->onnx, "Slice", i == 0 ? "cut.rows" : "cut", slice, 4);
        jsni_onnx_end(w->onnx);
    }
}

/* resize and centercrop: the shorter side gets `length` pixels, of which the middle is
 * kept. Leaves the same. */
static void put_resize_crop(writer *w, size_t length, bool nearest)
{
    jsni_onnx *o = w->onnx;
    jsni_onnx_op(o, "Identity", "cut", JSNI_ONNX_IMAGE, NULL);
    jsni_onnx_scalar_int(o, "short.side", (int64_t)length);
    jsni_onnx_scalar_real(o, "short.real", (double)length);
    jsni_onnx_op(o, "Less", "is.tall", "image.w", "image.h");
    put_cast(o, "image.h.real", "image.h", JSNI_ONNX_DOUBLE);
    put_cast(o, "image.w.real", "image.w", JSNI_ONNX_DOUBLE);
    for (size_t i = 0; i < 2; i++) {
        const bool down = i == 0;
        w->side = down ? 'h' : 'w';
        put_identity(w, "in", down ? "image.h" : "image.w");
        jsni_onnx_op(o, "Mul", of(w, "product").text, "short.real",
                     down ? "image.h.real" : "image.w.real");
        put_with(w, "Div", "long.real", "product",
                 down ? "image.w.real" : "image.h.real");
        if (nearest)
            put_with(w, "Add", "long.rounded", "long.real", "c.half");
        put(w, "Floor", "long.whole", nearest ? "long.rounded" : "long.real", NULL);
        cast(w, "long", "long.whole", JSNI_ONNX_INT64);
        const jsni_name longer = of(w, "long"), to = of(w, "to");
        const char *const choice[] = {"is.tall", down ? longer.text : "short.side",
                                      down ? "short.side" : longer.text};
        jsni_onnx_begin(o, "Where", to.text, choice, 3);
        jsni_onnx_end(o);
        put_with(w, "Sub", "rest", "to", "kept.size");
        cast(w, "rest.real", "rest", JSNI_ONNX_DOUBLE);
        put_with(w, "Mul", "rest.half", "rest.real", "c.half");
        put(w, "Round", "first.whole", "rest.half", NULL); /* halves to even */
        cast(w, "first", "first.whole", JSNI_ONNX_INT64);
    }
}

/* "cut" resized, [N][3][size][size], as "bytes". */
static void put_resized(writer *w)
{
    jsni_onnx *o = w->onnx;
    const char *const pixels = "pixels";
    put_cast(o, "pixels", "cut", JSNI_ONNX_DOUBLE);
    jsni_onnx_begin(o, "Transpose", "planes", &pixels, 1);
    jsni_onnx_ints(o, "perm", (const int64_t[]){0, 3, 1, 2}, 4);
    jsni_onnx_end(o);
    w->side = 'w';
    put_matrix(w);
    put(w, "Transpose", "turned", "matrix", NULL);
    jsni_onnx_op(o, "MatMul", of(w, "sums").text, "planes", of(w, "turned").text);
    put_byte(w, "sums", "columns");
    w->side = 'h';
    put_matrix(w);
    jsni_onnx_op(o, "MatMul", of(w, "sums").text, of(w, "matrix").text, "columns");
    put_byte(w, "sums", "bytes");
}

/* (x / 255 - mean) / deviation, each step in float. */
static void put_normal(jsni_onnx *o, const jsni_model_card *card)
{
    static const float most = 255.0f;
    const size_t dim[] = {1, 3, 1, 1};
    jsni_onnx_floats(o, "white", &most, 0, NULL);
    jsni_onnx_floats(o, "mean", card->mean, 4, dim);
    jsni_onnx_floats(o, "deviation", card->deviation, 4, dim);
    put_cast(o, "bytes.float", "bytes", JSNI_ONNX_FLOAT);
    jsni_onnx_op(o, "Div", "unit", "bytes.float", "white");
    jsni_onnx_op(o, "Sub", "centred", "unit", "mean");
    jsni_onnx_op(o, "Div", JSNI_ONNX_BATCH, "centred", "deviation");
}

jsn_status jsni_onnx_transform(jsni_onnx *o, const jsni_model_card *card)
{
    jsni_resizing resizing;
    JSNI_TRY(jsni_resizing_of(&resizing, card));
    writer w = {.onnx = o, .size = card->image_size, .filter = resizing.filter};
    put_constants(o, w.size);
    put_sides(o);
    if (resizing.fit)
        put_fit(&w);
    else
        put_resize_crop(&w, resizing.length, resizing.nearest);
    if (w.filter == JSN_FILTER_BICUBIC)
        put_cubic_constants(o);
    put_resized(&w);
    put_normal(o, card);
    return JSN_OK;
}
