/* export/export_pytorch.c - a classifier as a module of Python that needs PyTorch alone, and
 * its weights beside it. */
#include <stdio.h>
#include <string.h>

#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "export/export_impl.h"
#include "export/pytorch_module.h"
#include "export/resizing.h"

#define ENDING ".py"

/* The path of a member's weights: model.safetensors, or model-1.safetensors and so on. */
static jsn_status weights_path(const char *path, size_t member, size_t members,
                               char **out)
{
    jsni_text text = {0};
    jsni_text_add_n(&text, path, strlen(path) - strlen(ENDING));
    if (members > 1)
        jsni_text_format(&text, "-%zu", member + 1);
    jsni_text_add(&text, ".safetensors");
    return jsni_text_take(&text, out);
}

/* NAME = ["...", ...]: texts as JSON has them, which Python reads alike. */
static jsn_status put_texts(jsni_text *text, const char *name, char *const *values,
                            size_t count)
{
    char *list = NULL;
    JSNI_TRY(jsni_export_texts(values, count, &list));
    jsni_text_format(text, "%s = %s\n", name, list);
    jsn_text_release(list);
    return text->status;
}

static void put_channels(jsni_text *text, const char *name, const float *values)
{
    jsni_text_format(text, "%s = [%.9g, %.9g, %.9g]\n", name, (double)values[0],
                     (double)values[1], (double)values[2]);
}

static void put_transform(jsni_text *text, const jsni_resizing *r,
                          const jsni_model_card *card)
{
    jsni_text_format(text, "SIZE = %zu  # of the square that the network reads\n",
                     card->image_size);
    if (r->fit)
        jsni_text_add(text, "LENGTH = None  # the largest centred square is resized\n");
    else
        jsni_text_format(text,
                         "LENGTH = %zu  # of the shorter side, before the middle is "
                         "cut out\n",
                         r->length);
    jsni_text_format(text, "NEAREST = %s\n", r->nearest ? "True" : "False");
    jsni_text_format(text, "FILTER = \"%s\"\n",
                     r->filter == JSN_FILTER_BICUBIC ? "bicubic" : "bilinear");
    put_channels(text, "MEAN", card->mean);
    put_channels(text, "DEVIATION", card->deviation);
}

static void put_part(jsni_text *text, const char *name)
{
    for (size_t i = 0; i < jsni_pytorch_parts_count; i++)
        if (strcmp(jsni_pytorch_parts[i].name, name) == 0)
            jsni_text_add_n(text, (const char *)jsni_pytorch_parts[i].bytes,
                            jsni_pytorch_parts[i].length);
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* WEIGHTS = [...]: the files, named without their folder. */
static jsn_status put_weights(jsni_text *text, const char *path, size_t members)
{
    char **names = jsni_alloc_zero(members, sizeof *names);
    JSNI_TRY_ALLOC(names);
    jsn_status status = JSN_OK;
    for (size_t m = 0; status == JSN_OK && m < members; m++)
        status = weights_path(last_name(path), m, members, &names[m]);
    if (status == JSN_OK)
        status = put_texts(text, "WEIGHTS", names, members);
    for (size_t m = 0; m < members; m++)
        jsni_free(names[m]);
    jsni_free(names);
    return status;
}

static jsn_status put_module(jsni_text *text, const jsn_classifier *c, const char *path,
                             const jsn_export_options *options)
{
    const jsni_model_card *card = &c->card;
    const bool transform = options->raw == 0;
    jsni_resizing resizing;
    if (transform)
        JSNI_TRY(jsni_resizing_of(&resizing, card));
    jsni_text_add(
        text,
        "\"\"\"A network of jensen. It needs only PyTorch.\n\n"
        "    model = load()                        # for evaluation\n"
        "    logits = model(batch)                 # (N, 3, size, size), normalised\n");
    if (transform)
        jsni_text_add(text, "    batch = model.transform(image)[None]  # an image of "
                            "Pillow, or uint8 (H, W, 3)\n");
    jsni_text_add(text, "    model.classes[logits.argmax()]\n\"\"\"\n"
                        "import json\nimport math\nimport os\n\nimport torch\n"
                        "import torch.nn.functional as F\nfrom torch import nn\n\n");
    JSNI_TRY(put_texts(text, "CLASSES", card->names, card->classes));
    JSNI_TRY(put_weights(text, path, card->members));
    if (transform)
        put_transform(text, &resizing, card);
    jsni_text_add(text, "\n\n");
    JSNI_TRY(jsni_pytorch_network(text, c->models[0]->graph));
    if (transform)
        put_part(text, "model_transform.py");
    put_part(text, "model_load.py");
    return text->status;
}

static jsn_status save_members(jsn_classifier *c, const char *path)
{
    for (size_t m = 0; m < c->card.members; m++) {
        char *name = NULL;
        JSNI_TRY(weights_path(path, m, c->card.members, &name));
        const jsn_status status = jsn_model_save(c->models[m], name);
        jsni_free(name);
        JSNI_TRY(status);
    }
    return JSN_OK;
}

static jsn_status write(jsn_classifier *c, const char *path,
                        const jsn_export_options *options)
{
    const size_t length = strlen(last_name(path)), ending = strlen(ENDING);
    if (length <= ending || strcmp(path + strlen(path) - ending, ENDING) != 0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: a module of Python has a name that ends in " ENDING,
                         path);
    jsni_text text = {0};
    jsn_status status = put_module(&text, c, path, options);
    if (status == JSN_OK)
        status = save_members(c, path);
    if (status == JSN_OK)
        status = jsni_file_write(path, text.data, text.length);
    jsni_text_release(&text);
    return status;
}

const jsni_export_format jsni_export_pytorch = {
    {"pytorch", "a Python module that needs only PyTorch, and its weights beside it"},
    write,
};
