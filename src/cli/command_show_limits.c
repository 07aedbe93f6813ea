/* cli/command_show_limits.c - the limits on what files may ask for. */
#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_params.h"
#include "cli/cli_print.h"
#include "core/json.h"
#include "jensen/limit.h"

static jsn_status print_json(void)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_array(w, NULL);
    for (size_t i = 0; jsn_limit_describe(i) != NULL; i++) {
        const jsn_limit_info *limit = jsn_limit_describe(i);
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "name", limit->name);
        jsni_json_put_text(w, "summary", limit->help);
        jsni_json_put_int(w, "initial", (int64_t)limit->initial);
        jsni_json_put_int(w, "highest", (int64_t)limit->highest);
        jsni_json_end(w);
    }
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const cli_show_values *v = values;
    if (args->count > 0)
        return cli_usage("takes no words, only --json");
    if (v->json)
        return print_json();
    for (size_t i = 0; jsn_limit_describe(i) != NULL; i++) {
        const jsn_limit_info *limit = jsn_limit_describe(i);
        cli_print("%-8s %14llu  %s\n", limit->name, (unsigned long long)limit->initial,
                  limit->help);
    }
    return JSN_OK;
}

const cli_command cli_command_show_limits = {
    .name = "show limits",
    .summary = "how much a file may ask for, and what --limit sets",
    .usage = "[--json]",
    .details =
        "Each line is a limit, its value unless --limit sets another, and what it\n"
        "counts. Commands that open data take --limit NAME=VALUE, more than once or\n"
        "with commas; a value is a whole number such as 1000, 2e8 or 4GiB. A run does\n"
        "not depend on its limits: with others it continues.\n\n"
        "  jensen train photos --limit pixels=2e8\n"
        "  jensen data info csv:species.csv --limit classes=40000,file=2GiB",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
