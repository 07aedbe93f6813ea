/* cli/command_data_fetch.c - downloads a published data set. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "jensen/fetch.h"

typedef struct fetch_values {
    char *out, *url, *sha256;
    jsn_texts limit;
} fetch_values;

static const jsn_option_info options[] = {
    CLI_OUT_ROW(fetch_values, ".", "DIR", "folder to unpack into"),
    {"url", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "URL",
     "another place for the same archive (https; http from this machine)",
     offsetof(fetch_values, url)},
    {"sha256", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "HEX",
     "expect this sum instead of the published ones", offsetof(fetch_values, sha256)},
    CLI_LIMIT_ROW(fetch_values),
};

static jsn_status run(void *values, const jsn_texts *args)
{
    const fetch_values *v = values;
    if (args->count != 1)
        return cli_usage("takes one name: cifar10 or cifar100");
    const jsn_fetch_options how = {v->out, v->url, v->sha256, cli_logger()};
    const jsn_status status = jsn_fetch(args->items[0], &how);
    for (size_t i = 0; status == JSN_OK && jsn_fetch_describe(i) != NULL; i++)
        if (strcmp(jsn_fetch_describe(i)->name, args->items[0]) == 0)
            cli_print("%s:%s/%s\n", args->items[0], v->out,
                      jsn_fetch_describe(i)->folder);
    return status;
}

const cli_command cli_command_data_fetch = {
    .name = "data fetch",
    .summary = "download CIFAR-10 or CIFAR-100, check and unpack it",
    .usage = "cifar10|cifar100 [--out DIR]",
    .details =
        "Downloads the binary version from its publisher over https, compares size,\n"
        "MD5 (as published) and SHA-256, unpacks it, and prints the spec to use. The\n"
        "same command continues a download that broke off.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(fetch_values),
    .run = run,
};
