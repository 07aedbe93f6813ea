/* cli/command_show_augment.c - pipelines, stages and operations of augmentation. */
#include "cli/cli.h"
#include "cli/cli_params.h"
#include "jensen/augment.h"

static void show_pipelines(cli_record *r)
{
    cli_words(r, "pipelines:\n");
    cli_begin_array(r, "pipelines");
    for (size_t i = 0; jsn_augment_describe(i) != NULL; i++) {
        const jsn_augment_info *info = jsn_augment_describe(i);
        if (info->stages == NULL)
            continue;
        cli_begin_object(r, NULL);
        cli_field_text(r, "name", "  %-20s", info->name);
        cli_field_text(r, "summary", " %s\n", info->help);
        cli_words(r, "%23s", "");
        cli_field_text(r, "stages", info->stages[0] ? "%s\n" : "(no stage)\n",
                       info->stages);
        cli_end(r);
    }
    cli_end(r);
}

static void show_stages(cli_record *r)
{
    cli_words(r, "\nstages (join with '+'):\n");
    cli_begin_array(r, "stages");
    for (size_t i = 0; jsn_augment_describe(i) != NULL; i++) {
        const jsn_augment_info *info = jsn_augment_describe(i);
        if (info->stages != NULL)
            continue;
        const jsn_entry entry = {info->name, info->help, info->params,
                                 info->param_count};
        cli_show_entry(r, "  %-12s", &entry);
    }
    cli_end(r);
}

static void show_operations(cli_record *r)
{
    cli_words(r, "\noperations ('jensen augment --op'; RandAugment's have the range of "
                 "magnitude 0..30):\n");
    cli_begin_array(r, "operations");
    for (size_t i = 0; jsn_operation_describe(i) != NULL; i++) {
        const jsn_operation_info *info = jsn_operation_describe(i);
        cli_begin_object(r, NULL);
        cli_field_text(r, "name", "  %-14s", info->name);
        cli_field_bool(r, "randaugment", NULL, NULL, info->randaugment);
        if (info->randaugment) {
            cli_field_real(r, "low", " %g", info->low);
            cli_field_real(r, "high", "..%g", info->high);
            cli_field_bool(r, "signed", ", either sign", NULL, info->is_signed);
        }
        cli_words(r, "\n");
        cli_end(r);
    }
    cli_end(r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const cli_show_values *v = values;
    cli_record r;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    const jsn_status status = cli_record_open(&r, v->json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    show_pipelines(&r);
    show_stages(&r);
    show_operations(&r);
    cli_end(&r);
    return cli_record_close(&r);
}

const cli_command cli_command_show_augment = {
    .name = "show augment",
    .summary = "the augmentation pipelines, stages and operations",
    .usage = "[--json]",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
