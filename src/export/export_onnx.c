/* export/export_onnx.c - a classifier as a file of ONNX: transform, networks, their mean. */
#include "export/export_impl.h"

#include <stdbool.h>
#include <stdio.h>

#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "export/onnx.h"

/* The network of one member, with its weights. */
static jsn_status put_member(jsni_onnx *o, jsn_classifier *c, size_t member,
                             jsni_name *logits)
{
    jsn_model *model = c->models[member];
    const jsni_graph *graph = model->graph;
    float *params =
        jsni_alloc(graph->param_floats + graph->stat_floats, sizeof *params);
    JSNI_TRY_ALLOC(params);
    float *stats = params + graph->param_floats;
    char prefix[40] = "";
    if (c->card.members > 1)
        (void)snprintf(prefix, sizeof prefix, "member%zu.", member + 1);
    jsn_status status = jsni_model_read(model, 0, JSNI_BLOCK_PARAMETERS, params);
    if (status == JSN_OK)
        status = jsni_model_read(model, 0, JSNI_BLOCK_STATISTICS, stats);
    if (status == JSN_OK)
        status = jsni_onnx_network(o, graph, params, stats, prefix, logits);
    jsni_free(params);
    return status;
}

static void put_softmax(jsni_onnx *o, const char *name, const char *from)
{
    jsni_onnx_begin(o, "Softmax", name, &from, 1);
    jsni_onnx_int(o, "axis", 1);
    jsni_onnx_end(o);
}

/* The mean of all members' probabilities, as `name`. */
static jsn_status put_mean(jsni_onnx *o, const jsni_name *logits, size_t members,
                           const char *name)
{
    const char **inputs = jsni_alloc(members, sizeof *inputs);
    jsni_name *shares = jsni_alloc(members, sizeof *shares);
    const bool room = inputs != NULL && shares != NULL;
    for (size_t m = 0; room && m < members; m++) {
        (void)snprintf(shares[m].text, sizeof shares[m].text, "member%zu.probabilities",
                       m + 1);
        put_softmax(o, shares[m].text, logits[m].text);
        inputs[m] = shares[m].text;
    }
    if (room) {
        jsni_onnx_begin(o, "Mean", name, inputs, members);
        jsni_onnx_end(o);
    }
    jsni_free(inputs);
    jsni_free(shares);
    return room ? JSN_OK : JSN_ERR_MEMORY;
}

/* From the logits of the members to the outputs. The logits of an ensemble are the logarithm
 * of its probabilities. */
static jsn_status put_output(jsni_onnx *o, const jsni_model_card *card,
                             const jsni_name *logits, bool raw)
{
    static const char chances[] = "probabilities", sums[] = "logits";
    const jsni_onnx_dim dim[] = {{0, "N"}, {card->classes, NULL}};
    if (card->members > 1) {
        const char *mean = raw ? "mean.probabilities" : chances;
        JSNI_TRY(put_mean(o, logits, card->members, mean));
        jsni_onnx_op(o, "Log", sums, mean, NULL);
    } else {
        jsni_onnx_op(o, "Identity", sums, logits->text, NULL);
        if (!raw)
            put_softmax(o, chances, sums);
    }
    if (!raw)
        jsni_onnx_output(o, chances, JSNI_ONNX_FLOAT, dim, 2);
    jsni_onnx_output(o, sums, JSNI_ONNX_FLOAT, dim, 2);
    return JSN_OK;
}

static jsn_status put_input(jsni_onnx *o, const jsni_model_card *card, bool raw)
{
    const size_t size = card->image_size;
    if (raw) {
        const jsni_onnx_dim dim[] = {{0, "N"}, {3, NULL}, {size, NULL}, {size, NULL}};
        jsni_onnx_input(o, JSNI_ONNX_BATCH, JSNI_ONNX_FLOAT, dim, 4);
        return JSN_OK;
    }
    const jsni_onnx_dim dim[] = {{0, "N"}, {0, "H"}, {0, "W"}, {3, NULL}};
    jsni_onnx_input(o, JSNI_ONNX_IMAGE, JSNI_ONNX_UINT8, dim, 4);
    return jsni_onnx_transform(o, card);
}

/* What a user of the file wants to know of it. */
static jsn_status put_notes(jsni_onnx *o, const jsni_model_card *card)
{
    char *names = NULL, numbers[200];
    JSNI_TRY(jsni_export_texts(card->names, card->classes, &names));
    jsni_onnx_note(o, "classes", names);
    jsn_text_release(names);
    jsni_onnx_note(o, "network", card->network);
    jsni_onnx_note(o, "transform", card->evaluation);
    (void)jsni_format(numbers, sizeof numbers, "%zu", card->image_size);
    jsni_onnx_note(o, "image_size", numbers);
    (void)jsni_format(numbers, sizeof numbers, "[%.9g, %.9g, %.9g]",
                      (double)card->mean[0], (double)card->mean[1],
                      (double)card->mean[2]);
    jsni_onnx_note(o, "mean", numbers);
    (void)jsni_format(numbers, sizeof numbers, "[%.9g, %.9g, %.9g]",
                      (double)card->deviation[0], (double)card->deviation[1],
                      (double)card->deviation[2]);
    jsni_onnx_note(o, "deviation", numbers);
    return JSN_OK;
}

static jsn_status write(jsn_classifier *c, const char *path,
                        const jsn_export_options *options)
{
    const bool raw = options->raw != 0;
    const jsni_model_card *card = &c->card;
    jsni_onnx o = {0};
    jsni_name *logits = jsni_alloc_zero(card->members, sizeof *logits);
    JSNI_TRY_ALLOC(logits);
    jsn_status status = put_input(&o, card, raw);
    for (size_t m = 0; status == JSN_OK && m < card->members; m++)
        status = put_member(&o, c, m, &logits[m]);
    if (status == JSN_OK)
        status = put_output(&o, card, logits, raw);
    if (status == JSN_OK)
        status = put_notes(&o, card);
    if (status == JSN_OK)
        status = jsni_onnx_write(&o, card->network, path);
    jsni_onnx_release(&o);
    jsni_free(logits);
    return status;
}

const jsni_export_format jsni_export_onnx = {
    {"onnx",
     "ONNX, opset 17: images in, probabilities out; for ONNX Runtime and the like"},
    write,
};
