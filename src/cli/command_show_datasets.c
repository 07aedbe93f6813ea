/* cli/command_show_datasets.c - the table of data sets. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_params.h"
#include "jensen/dataset.h"

static jsn_status run(void *values, const jsn_texts *args)
{
    (void)values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    for (size_t i = 0; jsn_dataset_describe(i) != NULL; i++) {
        const jsn_dataset_info *info = jsn_dataset_describe(i);
        (void)printf("%-12s %s\n", info->name, info->summary);
        cli_print_params(info->params, info->param_count);
    }
    return JSN_OK;
}

const cli_command cli_command_show_datasets = {
    .name = "show datasets",
    .summary = "the data sets and their parameters",
    .usage = "",
    .run = run,
};
