/* cli/command_show_datasets.c - the table of data sets. */
#include "cli/cli.h"
#include "cli/cli_params.h"

static jsn_status run(void *values, const jsn_texts *args)
{
    return cli_show_table(values, args, JSN_CATALOG_DATASETS);
}

const cli_command cli_command_show_datasets = {
    .name = "show datasets",
    .summary = "the data sets and their parameters",
    .usage = "[--json]",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
