/* cli/command_show_recipes.c - the paper's configurations. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_params.h"
#include "jensen/recipe.h"

static void show_recipe(cli_record *r, const jsn_recipe *recipe)
{
    cli_begin_object(r, NULL);
    cli_field_text(r, "name", "%s", recipe->name);
    cli_field_text(r, "result", "  (%s, ", recipe->result);
    cli_field_text(r, "dataset", "%s)\n", recipe->dataset);
    cli_begin_object(r, "options");
    for (size_t i = 0; i < recipe->option_count; i++) {
        cli_words(r, "    --%s", recipe->options[i].name);
        cli_field_text(r, recipe->options[i].name, " %s\n", recipe->options[i].value);
    }
    cli_end(r);
    if (recipe->weights != NULL)
        cli_field_text(r, "weights",
                       "    starts from the weights %s, which --init names\n",
                       recipe->weights);
    cli_end(r);
}

/* 0: not asked for; 1: by a part of its name or its table; 2: by its whole name. */
static int wanted(const jsn_recipe *r, const jsn_texts *args)
{
    int found = args->count == 0;
    for (size_t k = 0; k < args->count; k++) {
        if (strcmp(r->name, args->items[k]) == 0)
            return 2;
        if (strstr(r->name, args->items[k]) != NULL ||
            strcmp(r->result, args->items[k]) == 0)
            found = 1;
    }
    return found;
}

/* A recipe that is not named whole is a line of the text. */
static jsn_status list(cli_record *r, const jsn_texts *args)
{
    jsn_recipe recipe;
    size_t shown = 0;
    for (size_t i = 0; jsn_recipe_at(i, &recipe) == JSN_OK; i++) {
        const int how = wanted(&recipe, args);
        shown += how > 0;
        if (how == 2 || (how == 1 && r->json != NULL))
            show_recipe(r, &recipe);
        else if (how == 1)
            cli_words(r, "%-34s %-8s %s\n", recipe.name, recipe.result,
                      jsn_recipe_value(&recipe, "loss"));
    }
    if (shown == 0)
        return cli_usage("no recipe has '%s' in its name", args->items[0]);
    return JSN_OK;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const cli_show_values *v = values;
    cli_record r;
    jsn_status status = cli_record_open(&r, v->json);
    if (status != JSN_OK)
        return status;
    cli_begin_array(&r, NULL);
    status = list(&r, args);
    cli_end(&r);
    if (status == JSN_OK)
        return cli_record_close(&r);
    cli_record_drop(&r);
    return status;
}

const cli_command cli_command_show_recipes = {
    .name = "show recipes",
    .summary = "the paper's configurations, for train --recipe",
    .usage = "[PART-OF-A-NAME | TABLE ...] [--json]",
    .details = "A whole name prints the recipe's options.",
    .options = cli_show_options,
    .option_count = 1,
    .values_size = sizeof(cli_show_values),
    .run = run,
};
