/* cli/command_show_losses.c - the table of losses. */
#include "cli/cli.h"
#include "cli/cli_params.h"
#include "jensen/loss.h"

static jsn_status run(void *values, const jsn_texts *args)
{
    const cli_show_values *v = values;
    cli_record r;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    const jsn_status status = cli_record_open(&r, v->json);
    if (status != JSN_OK)
        return status;
    cli_begin_array(&r, NULL);
    for (size_t i = 0; jsn_loss_describe(i) != NULL; i++) {
        const jsn_loss_info *info = jsn_loss_describe(i);
        cli_begin_object(&r, NULL);
        cli_field_text(&r, "name", "%-16s ", info->name);
        cli_field_text(&r, "summary", "%s", info->summary);
        cli_field_int(&r, "views", info->views > 1 ? " [compares views]" : NULL,
                      (int64_t)info->views);
        cli_field_bool(&r, "soft_targets", "\n", " [labels only]\n", info->soft);
        cli_field_bool(&r, "per_sample", NULL, NULL, info->per_sample);
        cli_show_params(&r, info->params, info->param_count);
        cli_end(&r);
    }
    cli_end(&r);
    return cli_record_close(&r);
}

const cli_command cli_command_show_losses = {
    .name = "show losses",
    .summary = "the losses and their parameters",
    .usage = "[--json]",
    .details =
        "A loss is named by a spec, NAME or NAME:key=value,key=value, for example\n"
        "gjs:pi1=0.3 or nce+rce:alpha=10,beta=0.1. Sums have weights:\n"
        "10*nce+0.1*rce. logitclip:tau=1,p=2,loss=SPEC clips the logits of any loss.\n"
        "docs/losses.md explains each.",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
