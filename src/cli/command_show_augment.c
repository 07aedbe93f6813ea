/* cli/command_show_augment.c - pipelines, stages and operations of augmentation. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_params.h"
#include "jensen/augment.h"

static void print_operations(void)
{
    (void)printf("\noperations ('jensen augment --op'; RandAugment's have the range of "
                 "magnitude 0..30):\n");
    for (size_t i = 0; jsn_operation_describe(i) != NULL; i++) {
        const jsn_operation_info *info = jsn_operation_describe(i);
        (void)printf("  %-14s", info->name);
        if (info->randaugment)
            (void)printf(" %g..%g%s", info->low, info->high,
                         info->is_signed ? ", either sign" : "");
        (void)printf("\n");
    }
}

static jsn_status run(void *values, const jsn_texts *args)
{
    (void)values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    (void)printf("pipelines:\n");
    for (size_t i = 0; jsn_augment_describe(i) != NULL; i++) {
        const jsn_augment_info *info = jsn_augment_describe(i);
        if (info->stages != NULL)
            (void)printf("  %-20s %s\n%23s%s\n", info->name, info->help, "",
                         info->stages[0] ? info->stages : "(no stage)");
    }
    (void)printf("\nstages (join with '+'):\n");
    for (size_t i = 0; jsn_augment_describe(i) != NULL; i++) {
        const jsn_augment_info *info = jsn_augment_describe(i);
        if (info->stages != NULL)
            continue;
        (void)printf("  %-12s %s\n", info->name, info->help);
        cli_print_params(info->params, info->param_count);
    }
    print_operations();
    return JSN_OK;
}

const cli_command cli_command_show_augment = {
    .name = "show augment",
    .summary = "the augmentation pipelines, stages and operations",
    .usage = "",
    .run = run,
};
