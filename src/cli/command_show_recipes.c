/* cli/command_show_recipes.c - the paper's configurations. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_params.h"
#include "core/json.h"
#include "jensen/recipe.h"

static void print_recipe(const jsn_recipe *r)
{
    cli_print("%s  (%s, %s)\n", r->name, r->result, r->dataset);
    for (size_t i = 0; i < r->option_count; i++)
        cli_print("    --%s %s\n", r->options[i].name, r->options[i].value);
    if (r->weights != NULL)
        cli_print("    starts from the weights %s, which --init names\n", r->weights);
}

static void put_recipe(jsni_json_writer *w, const jsn_recipe *r)
{
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "name", r->name);
    jsni_json_put_text(w, "result", r->result);
    jsni_json_put_text(w, "dataset", r->dataset);
    if (r->weights != NULL)
        jsni_json_put_text(w, "weights", r->weights);
    jsni_json_begin_object(w, "options");
    for (size_t i = 0; i < r->option_count; i++)
        jsni_json_put_text(w, r->options[i].name, r->options[i].value);
    jsni_json_end(w);
    jsni_json_end(w);
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

/* To the writer, or without one as text. *shown counts. */
static jsn_status list(const jsn_texts *args, jsni_json_writer *w, size_t *shown)
{
    jsn_recipe r;
    for (size_t i = 0; jsn_recipe_at(i, &r) == JSN_OK; i++) {
        const int how = wanted(&r, args);
        *shown += how > 0;
        if (how > 0 && w != NULL)
            put_recipe(w, &r);
        else if (how == 2)
            print_recipe(&r);
        else if (how == 1)
            cli_print("%-34s %-8s %s\n", r.name, r.result,
                      jsn_recipe_value(&r, "loss"));
    }
    if (*shown == 0)
        return cli_usage("no recipe has '%s' in its name", args->items[0]);
    return JSN_OK;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const cli_show_values *v = values;
    jsni_json_writer *w = NULL;
    size_t shown = 0;
    if (!v->json)
        return list(args, NULL, &shown);
    jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_array(w, NULL);
    status = list(args, w, &shown);
    jsni_json_end(w);
    if (status == JSN_OK)
        return cli_print_json(w);
    jsni_json_writer_destroy(w);
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
