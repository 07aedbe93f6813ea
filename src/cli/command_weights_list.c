/* cli/command_weights_list.c - the weights in the cache. */
#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_weights.h"

typedef struct list_values {
    bool json;
} list_values;

static const jsn_option_info options[] = {
    CLI_JSON_ROW(list_values, "one JSON object per line on stdout"),
};

static jsn_status run(void *values, const jsn_texts *args)
{
    const list_values *v = values;
    jsn_weights_info *list = NULL;
    size_t count = 0;
    if (args->count != 0)
        return cli_usage("takes no arguments");
    /* With damaged ones among them it has the others, and fails at the end. */
    const jsn_status status = jsn_weights_list(&list, &count);
    const jsn_status printed = cli_weights_print(list, count, v->json);
    if (status == JSN_OK && count == 0)
        cli_say("no weights in the cache; 'make weights' and 'jensen weights fetch' "
                "bring some\n");
    jsn_weights_list_free(list, count);
    return status != JSN_OK ? status : printed;
}

const cli_command cli_command_weights_list = {
    .name = "weights list",
    .summary = "the weights in the cache",
    .usage = "[--json]",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(list_values),
    .run = run,
};
