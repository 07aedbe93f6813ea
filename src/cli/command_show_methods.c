/* cli/command_show_methods.c - the table of methods that remember each sample. */
#include "cli/cli.h"
#include "cli/cli_params.h"

static jsn_status run(void *values, const jsn_texts *args)
{
    return cli_show_table(values, args, JSN_CATALOG_METHODS);
}

const cli_command cli_command_show_methods = {
    .name = "show methods",
    .summary = "the methods that remember each sample, and their parameters",
    .usage = "[--json]",
    .details =
        "A method works beside a loss: 'jensen train DATA --method elr' or '--method\n"
        "elr:lambda=7,beta=0.9'. docs/losses.md explains each.",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
