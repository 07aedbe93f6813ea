/* cli/command_show_schedules.c - the table of learning-rate schedules. */
#include "cli/cli.h"
#include "cli/cli_params.h"

static jsn_status run(void *values, const jsn_texts *args)
{
    return cli_show_table(values, args, JSN_CATALOG_SCHEDULES);
}

const cli_command cli_command_show_schedules = {
    .name = "show schedules",
    .summary = "the learning-rate schedules and their parameters",
    .usage = "[--json]",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
