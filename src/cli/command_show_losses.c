/* cli/command_show_losses.c - the table of losses. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_params.h"
#include "core/json.h"
#include "jensen/loss.h"

static jsn_status print_json(void)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_array(w, NULL);
    for (size_t i = 0; jsn_loss_describe(i) != NULL; i++) {
        const jsn_loss_info *info = jsn_loss_describe(i);
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "name", info->name);
        jsni_json_put_text(w, "summary", info->summary);
        jsni_json_put_int(w, "views", (int64_t)info->views);
        jsni_json_put_bool(w, "soft_targets", info->soft);
        jsni_json_put_bool(w, "per_sample", info->per_sample);
        cli_put_params(w, info->params, info->param_count);
        jsni_json_end(w);
    }
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const cli_show_values *v = values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    if (v->json)
        return print_json();
    for (size_t i = 0; jsn_loss_describe(i) != NULL; i++) {
        const jsn_loss_info *info = jsn_loss_describe(i);
        cli_print("%-16s %s%s%s\n", info->name, info->summary,
                  info->views > 1 ? " [compares views]" : "",
                  info->soft ? "" : " [labels only]");
        cli_print_params(info->params, info->param_count);
    }
    return JSN_OK;
}

const cli_command cli_command_show_losses = {
    .name = "show losses",
    .summary = "the losses and their parameters",
    .usage = "[--json]",
    .details =
        "A loss is named by a spec, NAME or NAME:key=value,key=value, for example\n"
        "gjs:pi1=0.3 or nce+rce:alpha=10,beta=0.1. docs/losses.md explains each.",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
