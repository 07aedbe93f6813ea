/* cli/command_export.c - a model for other programs. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "jensen/export.h"

typedef struct export_values {
    char *out, *format, *check;
    bool raw;
} export_values;

static const jsn_option_info options[] = {
    CLI_OUT_ROW(export_values, NULL, "FILE", "the file to write"),
    {"format", 0, JSN_OPTION_TEXT, "onnx", 0, 0, NULL, "NAME",
     "onnx, pytorch, safetensors", offsetof(export_values, format)},
    {"raw", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "a normalised batch in and logits out, without the transform of images",
     offsetof(export_values, raw)},
    {"check", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "DIR",
     "onnx: compare the file with jensen on the images in DIR; needs ONNX Runtime",
     offsetof(export_values, check)},
};

static jsn_status check_file(jsn_classifier *classifier, const export_values *v)
{
    jsn_export_difference found;
    const jsn_status status = jsn_export_check(classifier, v->out, v->check, &found);
    if (status == JSN_ERR_UNSUPPORTED)
        return cli_usage("--check: %s", jsn_last_error());
    if (status != JSN_OK)
        return status;
    cli_print("%zu images in ONNX Runtime %s: probabilities at most %.2g apart",
              found.images, found.version, found.largest);
    if (found.largest > 0.0)
        cli_print(" (%s)", found.path);
    cli_print("\n");
    if (found.unread > 0)
        cli_say("%zu files cannot be read and were left out\n", found.unread);
    return JSN_OK;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const export_values *v = values;
    jsn_classifier *classifier = NULL;
    jsn_classifier_options c;
    jsn_export_options o;
    if (args->count != 1)
        return cli_usage("needs one run folder");
    if (v->out == NULL)
        return cli_usage("needs a file to write: -o model.onnx");
    if (v->check != NULL && (v->raw || strcmp(v->format, "onnx") != 0))
        return cli_usage("--check compares a file of ONNX that takes images");
    jsn_classifier_options_init(&c);
    c.run = args->items[0];
    c.device = "cpu";
    c.batch = 1;
    jsn_export_options_init(&o);
    o.format = v->format;
    o.raw = v->raw;
    jsn_status status = jsn_classifier_create(&classifier, &c);
    if (status == JSN_OK)
        status = jsn_export(classifier, v->out, &o);
    if (status == JSN_OK)
        cli_print("%s\n", v->out);
    if (status == JSN_OK && v->check != NULL)
        status = check_file(classifier, v);
    jsn_classifier_close(classifier);
    return status;
}

const cli_command cli_command_export = {
    .name = "export",
    .summary = "a model for other programs, such as ONNX Runtime",
    .usage = "RUN -o FILE [OPTIONS]",
    .details =
        "Writes the model of a run for other programs.\n"
        "onnx: takes a batch of images, uint8 [N][H][W][3], and gives class\n"
        "probabilities. Resizing, cropping and normalisation are inside, with the\n"
        "same bytes as 'jensen predict'. All images of a batch have one size. Turn\n"
        "them upright first: the model does not see their EXIF data. An ensemble is\n"
        "averaged inside. The metadata hold the class names. --check runs the file\n"
        "in ONNX Runtime, if that is installed, and prints the largest difference of\n"
        "a probability; JENSEN_ONNXRUNTIME names its library.\n"
        "pytorch: FILE.py, a Python module that needs only PyTorch, and its weights\n"
        "in FILE.safetensors. Its load() gives the network, its class names and its\n"
        "image transform.\n"
        "safetensors: only the weights, under PyTorch's names.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(export_values),
    .run = run,
};
