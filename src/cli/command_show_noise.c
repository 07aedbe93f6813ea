/* cli/command_show_noise.c - the table of noise models. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_params.h"
#include "jensen/noise.h"

static jsn_status run(void *values, const jsn_texts *args)
{
    (void)values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    for (size_t i = 0; jsn_noise_describe(i) != NULL; i++) {
        const jsn_noise_info *info = jsn_noise_describe(i);
        (void)printf("%-12s %s\n", info->name, info->help);
        cli_print_params(info->params, info->param_count);
    }
    return JSN_OK;
}

const cli_command cli_command_show_noise = {
    .name = "show noise",
    .summary = "the noise models and their parameters",
    .usage = "",
    .run = run,
};
