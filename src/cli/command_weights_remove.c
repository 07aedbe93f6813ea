/* cli/command_weights_remove.c - takes weights out of the cache. */
#include "cli/cli.h"
#include "jensen/weights.h"

static jsn_status run(void *values, const jsn_texts *args)
{
    (void)values;
    if (args->count != 1)
        return cli_usage("needs the name of weights in the cache");
    return jsn_weights_remove(args->items[0]);
}

const cli_command cli_command_weights_remove = {
    .name = "weights remove",
    .summary = "take weights out of the cache",
    .usage = "NAME",
    .details =
        "Runs that started from them can still continue: their checkpoints have all\n"
        "they need.",
    .run = run,
};
