/* cli/command_export.c - a model for other programs. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "core/words.h"
#include "jensen/export.h"

typedef struct export_values {
    char *out, *format, *check;
    bool raw, json;
} export_values;

static const jsn_option_info options[] = {
    CLI_OUT_ROW(export_values, NULL, "FILE", "the file to write"),
    {"format", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "NAME",
     "without it the ending of FILE decides (.safetensors, .py, else onnx); one of",
     offsetof(export_values, format)},
    {"raw", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "a normalised batch in and logits out, without the transform of images",
     offsetof(export_values, raw)},
    {"check", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "DIR",
     "onnx: compare the file with jensen on the images in DIR; needs ONNX Runtime",
     offsetof(export_values, check)},
    CLI_JSON_ROW(export_values, "one JSON object on stdout"),
};

/* A file gets what its name promises, when nobody says otherwise. */
static const char *format_of(const export_values *v)
{
    const char *ending = strrchr(v->out, '.');
    if (v->format != NULL)
        return v->format;
    if (ending != NULL && strcmp(ending, ".safetensors") == 0)
        return "safetensors";
    return ending != NULL && strcmp(ending, ".py") == 0 ? "pytorch" : "onnx";
}

/* `found`: NULL when nothing was compared. */
static jsn_status say(const export_values *v, const jsn_classifier *classifier,
                      const jsn_export_difference *found)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, v->json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "file", "%s\n", v->out);
    cli_field_text(&r, "format", NULL, format_of(v));
    cli_field_bool(&r, "raw", NULL, NULL, v->raw);
    cli_field_int(&r, "classes", NULL, (int64_t)jsn_classifier_classes(classifier));
    if (found != NULL) {
        cli_field_int(&r, "images", "%lld ", (int64_t)found->images);
        cli_words(&r, "%s", jsni_noun(found->images, "image", "images"));
        cli_field_text(&r, "runtime", " in ONNX Runtime %s: ", found->version);
        cli_field_real(&r, "largest",
                       v->raw ? "logits at most %.2g apart"
                              : "probabilities at most %.2g apart",
                       found->largest);
        cli_field_text(&r, "path", found->largest > 0.0 ? " (%s)" : NULL, found->path);
        cli_words(&r, "\n");
        cli_field_int(&r, "unread", NULL, (int64_t)found->unread);
        if (found->unread > 0)
            cli_say("%zu %s cannot be read and %s left out\n", found->unread,
                    jsni_noun(found->unread, "file", "files"),
                    jsni_noun(found->unread, "was", "were"));
    }
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const export_values *v = values;
    jsn_classifier *classifier = NULL;
    jsn_classifier_options c;
    jsn_export_options o;
    jsn_export_difference found;
    if (args->count != 1)
        return cli_usage("needs one run folder, or weights of the cache");
    if (v->out == NULL)
        return cli_usage("needs a file to write: -o model.onnx");
    if (v->check != NULL && strcmp(format_of(v), "onnx") != 0)
        return cli_usage("--check compares a file of ONNX");
    jsn_classifier_options_init(&c);
    c.run = args->items[0];
    c.device = "cpu";
    c.batch = 1;
    jsn_export_options_init(&o);
    o.format = format_of(v);
    o.raw = v->raw;
    jsn_status status = jsn_classifier_create(&classifier, &c);
    if (status == JSN_OK)
        status = jsn_export(classifier, v->out, &o);
    const bool written = status == JSN_OK;
    if (written && v->check != NULL)
        status = jsn_export_check(classifier, v->out, v->check, &found);
    if (status == JSN_ERR_UNSUPPORTED && written)
        status = cli_fail(status, "--check: %s", jsn_last_error());
    if (written) {
        const jsn_status said =
            say(v, classifier, status == JSN_OK && v->check != NULL ? &found : NULL);
        status = status == JSN_OK ? said : status;
    }
    jsn_classifier_close(classifier);
    return status;
}

const cli_command cli_command_export = {
    .name = "export",
    .summary = "a model for other programs, such as ONNX Runtime",
    .usage = "(RUN | WEIGHTS) -o FILE [OPTIONS]",
    .details =
        "Writes the model of a run for other programs.\n"
        "onnx: takes 'image', a batch of images, uint8 [N][H][W][3], and gives\n"
        "'probabilities' and 'logits'. Resizing, cropping and normalisation are\n"
        "inside, with the same bytes as 'jensen predict'. All images of a batch have\n"
        "one size. Turn them upright first: the model does not see their EXIF data.\n"
        "An ensemble is averaged inside. The metadata hold the class names. --check\n"
        "runs the file in ONNX Runtime, if that is installed, and prints the largest\n"
        "difference of a probability, with --raw of a logit. JENSEN_ONNXRUNTIME names\n"
        "its library; without it the system's and that of an active Python\n"
        "environment are tried.\n"
        "pytorch: FILE.py, a Python module that needs only PyTorch, and its weights\n"
        "in FILE.safetensors. Its load() gives the network, its class names and its\n"
        "image transform.\n"
        "safetensors: only the weights, under PyTorch's names.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .named = "format",
    .names = JSN_CATALOG_EXPORT_FORMATS,
    .values_size = sizeof(export_values),
    .run = run,
};
