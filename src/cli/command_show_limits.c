/* cli/command_show_limits.c - the limits on what files may ask for. */
#include "cli/cli.h"
#include "cli/cli_params.h"
#include "cli/cli_record.h"
#include "jensen/limit.h"

static jsn_status run(void *values, const jsn_texts *args)
{
    const cli_show_values *v = values;
    cli_record r;
    if (args->count > 0)
        return cli_usage("takes no arguments, only --json");
    const jsn_status status = cli_record_open(&r, v->json);
    if (status != JSN_OK)
        return status;
    cli_begin_array(&r, NULL);
    for (size_t i = 0; jsn_limit_describe(i) != NULL; i++) {
        const jsn_limit_info *limit = jsn_limit_describe(i);
        cli_begin_object(&r, NULL);
        cli_field_text(&r, "name", "%-8s ", limit->name);
        cli_field_int(&r, "initial", "%14lld  ", (int64_t)limit->initial);
        cli_field_int(&r, "highest", NULL, (int64_t)limit->highest);
        cli_field_text(&r, "summary", "%s\n", limit->help);
        cli_end(&r);
    }
    cli_end(&r);
    return cli_record_close(&r);
}

const cli_command cli_command_show_limits = {
    .name = "show limits",
    .summary = "how much a file may ask for, and what --limit sets",
    .usage = "[--json]",
    .details =
        "Each line has a limit, its default, and what it counts. Commands that open\n"
        "data take --limit NAME=VALUE, more than once or with commas. A value is a\n"
        "whole number such as 1000, 2e8 or 4GiB. Limits are no part of a run: it\n"
        "continues with others.\n\n"
        "  jensen train photos --limit pixels=2e8\n"
        "  jensen data info csv:species.csv --limit classes=40000,file=2GiB",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
