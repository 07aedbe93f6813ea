/* cli/command_show_optimizers.c - the table of optimisers. */
#include "cli/cli.h"
#include "cli/cli_params.h"
#include "jensen/backend.h"

static cli_entry row(size_t index)
{
    const jsn_optimiser_info *info = jsn_optimiser_describe(index);
    if (info == NULL)
        return (cli_entry){0};
    return (cli_entry){info->name, info->summary, info->params, info->param_count};
}

static jsn_status run(void *values, const jsn_texts *args)
{
    return cli_show_table(values, args, row);
}

const cli_command cli_command_show_optimizers = {
    .name = "show optimizers",
    .summary = "the optimisers and their parameters",
    .usage = "[--json]",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
