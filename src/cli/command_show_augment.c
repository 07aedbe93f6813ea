/* cli/command_show_augment.c - pipelines, stages and operations of augmentation. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_params.h"
#include "core/json.h"
#include "jensen/augment.h"

static void print_operations(void)
{
    cli_print("\noperations ('jensen augment --op'; RandAugment's have the range of "
              "magnitude 0..30):\n");
    for (size_t i = 0; jsn_operation_describe(i) != NULL; i++) {
        const jsn_operation_info *info = jsn_operation_describe(i);
        cli_print("  %-14s", info->name);
        if (info->randaugment)
            cli_print(" %g..%g%s", info->low, info->high,
                      info->is_signed ? ", either sign" : "");
        cli_print("\n");
    }
}

static void put_operations(jsni_json_writer *w)
{
    jsni_json_begin_array(w, "operations");
    for (size_t i = 0; jsn_operation_describe(i) != NULL; i++) {
        const jsn_operation_info *info = jsn_operation_describe(i);
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "name", info->name);
        jsni_json_put_bool(w, "randaugment", info->randaugment);
        if (info->randaugment) {
            jsni_json_put_real(w, "low", info->low);
            jsni_json_put_real(w, "high", info->high);
            jsni_json_put_bool(w, "signed", info->is_signed);
        }
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

static jsn_status print_json(void)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_begin_array(w, "pipelines");
    for (size_t i = 0; jsn_augment_describe(i) != NULL; i++) {
        const jsn_augment_info *info = jsn_augment_describe(i);
        if (info->stages == NULL)
            continue;
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "name", info->name);
        jsni_json_put_text(w, "summary", info->help);
        jsni_json_put_text(w, "stages", info->stages);
        jsni_json_end(w);
    }
    jsni_json_end(w);
    jsni_json_begin_array(w, "stages");
    for (size_t i = 0; jsn_augment_describe(i) != NULL; i++) {
        const jsn_augment_info *info = jsn_augment_describe(i);
        if (info->stages == NULL)
            cli_put_entry(w, info->name, info->help, info->params, info->param_count);
    }
    jsni_json_end(w);
    put_operations(w);
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
    cli_print("pipelines:\n");
    for (size_t i = 0; jsn_augment_describe(i) != NULL; i++) {
        const jsn_augment_info *info = jsn_augment_describe(i);
        if (info->stages != NULL)
            cli_print("  %-20s %s\n%23s%s\n", info->name, info->help, "",
                      info->stages[0] ? info->stages : "(no stage)");
    }
    cli_print("\nstages (join with '+'):\n");
    for (size_t i = 0; jsn_augment_describe(i) != NULL; i++) {
        const jsn_augment_info *info = jsn_augment_describe(i);
        if (info->stages != NULL)
            continue;
        cli_print("  %-12s %s\n", info->name, info->help);
        cli_print_params(info->params, info->param_count);
    }
    print_operations();
    return JSN_OK;
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
