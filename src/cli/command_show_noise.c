/* cli/command_show_noise.c - the table of noise models. */
#include "cli/cli.h"
#include "cli/cli_params.h"
#include "jensen/noise.h"

static cli_entry row(size_t index)
{
    const jsn_noise_info *info = jsn_noise_describe(index);
    if (info == NULL)
        return (cli_entry){0};
    return (cli_entry){info->name, info->help, info->params, info->param_count};
}

static jsn_status run(void *values, const jsn_texts *args)
{
    return cli_show_table(values, args, row);
}

const cli_command cli_command_show_noise = {
    .name = "show noise",
    .summary = "the noise models and their parameters",
    .usage = "[--json]",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
