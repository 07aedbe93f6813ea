/* cli/command_show_noise.c - the table of noise models. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_params.h"
#include "jensen/noise.h"

static jsn_status print_json(void)
{
    jsn_json_writer *w = NULL;
    const jsn_status status = jsn_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsn_json_begin_array(w, NULL);
    for (size_t i = 0; jsn_noise_describe(i) != NULL; i++) {
        const jsn_noise_info *info = jsn_noise_describe(i);
        cli_put_entry(w, info->name, info->help, info->params, info->param_count);
    }
    jsn_json_end(w);
    return cli_print_json(w);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const cli_show_values *v = values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    if (v->json)
        return print_json();
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
    .usage = "[--json]",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
