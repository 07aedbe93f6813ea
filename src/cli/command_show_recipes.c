/* cli/command_show_recipes.c - the paper's configurations. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "jensen/recipe.h"

static void print_recipe(const jsn_recipe *r)
{
    (void)printf("%s  (%s, %s)\n", r->name, r->result, r->dataset);
    for (size_t i = 0; i < r->option_count; i++)
        (void)printf("    --%s %s\n", r->options[i].name, r->options[i].value);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    (void)values;
    size_t shown = 0;
    for (size_t i = 0; i < jsn_recipe_count(); i++) {
        jsn_recipe r;
        const jsn_status status = jsn_recipe_at(i, &r);
        if (status != JSN_OK)
            return status;
        bool wanted = args->count == 0;
        bool whole = false;
        for (size_t k = 0; k < args->count; k++) {
            wanted = wanted || strstr(r.name, args->items[k]) != NULL ||
                     strcmp(r.result, args->items[k]) == 0;
            whole = whole || strcmp(r.name, args->items[k]) == 0;
        }
        if (!wanted)
            continue;
        shown++;
        if (whole)
            print_recipe(&r);
        else
            (void)printf("%-34s %-8s %s\n", r.name, r.result,
                         jsn_recipe_value(&r, "loss"));
    }
    if (shown == 0)
        return cli_usage("no recipe has '%s' in its name", args->items[0]);
    return JSN_OK;
}

const cli_command cli_command_show_recipes = {
    .name = "show recipes",
    .summary = "the paper's configurations, for train --recipe",
    .usage = "[PART-OF-A-NAME | TABLE ...]",
    .details = "A whole name prints the recipe's options.",
    .values_size = 1,
    .run = run,
};
