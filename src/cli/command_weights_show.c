/* cli/command_weights_show.c - what is known of weights in the cache. */
#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_weights.h"

typedef struct show_values {
    bool json;
} show_values;

static const jsn_option_info options[] = {
    CLI_JSON_ROW(show_values, "one JSON object on stdout"),
};

static jsn_status run(void *values, const jsn_texts *args)
{
    const show_values *v = values;
    jsn_weights_info info = {0};
    if (args->count != 1)
        return cli_usage("needs the name of weights in the cache");
    jsn_status status = jsn_weights_find(args->items[0], &info);
    if (status == JSN_OK)
        status = cli_weights_describe(&info, v->json);
    jsn_weights_release(&info);
    return status;
}

const cli_command cli_command_weights_show = {
    .name = "weights show",
    .summary = "what is known about weights in the cache",
    .usage = "NAME [--json]",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(show_values),
    .run = run,
};
