/* cli/command_weights_fetch.c - downloads pretrained weights into the cache. */
#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_weights.h"

typedef struct fetch_values {
    char *as, *sha256, *url;
    bool json;
    jsn_texts limit;
} fetch_values;

static const jsn_option_info options[] = {
    {"sha256", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "HEX",
     "the expected SHA-256, or at least its first 8 digits",
     offsetof(fetch_values, sha256)},
    {"as", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "NAME",
     "name to keep them under; else NAME, or that of the network",
     offsetof(fetch_values, as)},
    {"url", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "URL",
     "another place for a published file (https; http from this machine)",
     offsetof(fetch_values, url)},
    CLI_LIMIT_ROW(fetch_values),
    CLI_JSON_ROW(fetch_values, "one JSON object on stdout"),
};

static void list_published(void)
{
    for (size_t i = 0; jsn_weights_publication(i) != NULL; i++) {
        const jsn_weights_published *p = jsn_weights_publication(i);
        cli_print("%-15s %s\n", p->name, p->url);
    }
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const fetch_values *v = values;
    jsn_weights_info info = {0};
    if (args->count > 1)
        return cli_usage("needs one name or URL");
    if (args->count == 0) {
        list_published();
        return JSN_OK;
    }
    const jsn_weights_fetch_options how = {v->as, v->sha256, v->url, cli_logger()};
    jsn_status status = jsn_weights_fetch(args->items[0], &how, &info);
    if (status == JSN_OK)
        cli_weights_note(&info);
    if (status == JSN_OK)
        status = cli_weights_print(&info, 1, v->json);
    jsn_weights_release(&info);
    return status;
}

const cli_command cli_command_weights_fetch = {
    .name = "weights fetch",
    .summary = "download pretrained weights into the cache",
    .usage = "[NAME | URL [--sha256 HEX]] [--as NAME]",
    .details =
        "Without arguments, lists the published weights of torchvision that it knows\n"
        "by name. A URL needs --sha256, unless its file name carries the first\n"
        "digits of the SHA-256 (resnet18-f37072fd.pth). A file with another sum is\n"
        "removed unread. The same command continues a download that broke off.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(fetch_values),
    .run = run,
};
