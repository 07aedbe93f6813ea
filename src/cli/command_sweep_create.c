/* cli/command_sweep_create.c - a study with its trials. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_record.h"
#include "cli/cli_study.h"
#include "core/option.h"
#include "core/words.h"

typedef struct create_values {
    jsn_sweep_plan plan;
    jsn_train_config base;
    char *store, *file;
    bool without_data;
} create_values;

static const jsn_option_info own[] = {
    CLI_STORE_ROW(create_values, "sqlite:///FILE or postgresql://USER@HOST/DB"),
    {"file", 'f', JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "axes and options from a YAML or JSON file; the command line is stronger",
     offsetof(create_values, file)},
    {"without-data", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "do not look for the data: the machines that will work have it",
     offsetof(create_values, without_data)},
};

static const jsn_option_info *options(size_t *count)
{
    static cli_option_table table;
    static const cli_option_part parts[] = {
        {.rows = own, .count = sizeof own / sizeof own[0]},
        {.from = jsn_sweep_plan_options, .offset = offsetof(create_values, plan)},
        {.from = jsn_train_options,
         .offset = offsetof(create_values, base),
         .without = "out|set"},
    };
    return cli_join_options(&table, parts, sizeof parts / sizeof parts[0], count);
}

static jsn_status fill(create_values *v)
{
    size_t count = 0;
    const jsn_option_info *table = options(&count);
    return cli_fill_options(table, count, v, offsetof(create_values, base));
}

/* The command line is stronger than the file: what it has set is set again. */
static jsn_status read_file(create_values *v)
{
    size_t count = 0;
    const jsn_option_info *table = options(&count);
    char **said = calloc(count, sizeof *said);
    jsn_status status = said == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        if (table[i].kind != JSN_OPTION_TEXTS && table[i].kind != JSN_OPTION_FLAG &&
            jsni_options_is_set(&table[i], v))
            status = jsni_options_text(&table[i], v, &said[i]);
    if (status == JSN_OK)
        status = jsn_sweep_plan_read(v->file, &v->plan, &v->base);
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        if (said[i] != NULL)
            status = jsni_options_set(table, count, v, table[i].name, said[i]);
    for (size_t i = 0; said != NULL && i < count; i++)
        jsn_text_release(said[i]);
    free(said);
    return status;
}

/* The command as it can be pasted into a shell. */
static void say_how_to_run(const char *name)
{
    cli_say("next: jensen sweep run ");
    cli_put_word(stderr, name);
    cli_say("\n");
}

static jsn_status describe(jsn_sweep *sweep, const jsn_sweep_counts *counts, bool json)
{
    const jsn_sweep_traits about = jsn_sweep_about(sweep);
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "study", "study '%s' ", about.name);
    cli_field_int(&r, "trials", "with %lld ", (int64_t)counts->waiting);
    cli_words(&r, "%s", jsni_noun(counts->waiting, "trial", "trials"));
    cli_field_text(&r, "store", " in %s\n", about.store);
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    create_values *v = values;
    jsn_sweep *sweep = NULL;
    jsn_sweep_counts counts;
    jsn_status status = JSN_OK;
    if (args->count == 0)
        return cli_usage("the study needs a name");
    if (args->count > 2)
        return cli_usage("'%s' is too many; NAME and DATA are wanted", args->items[2]);
    if (v->file != NULL)
        status = read_file(v);
    /* The study keeps the options of the file, not its name: it may change later. */
    if (status == JSN_OK)
        status = jsn_train_config_read_file(&v->base);
    if (status == JSN_OK && args->count == 2)
        status = jsn_train_config_set(&v->base, "data", args->items[1]);
    if (status == JSN_OK && v->base.data == NULL)
        return cli_usage("which data? jensen sweep create NAME DATA ...");
    if (status == JSN_OK)
        status = fill(v);
    if (status == JSN_OK)
        status = cli_fill_preset(&v->plan, &v->base);
    if (status == JSN_OK && v->plan.axes.count == 0 && v->plan.preset == NULL &&
        v->plan.seeds < 2 && strcmp(v->plan.search, "none") != 0)
        return cli_usage("what is to be searched? --axis lr=0.01,0.1, or --preset");
    if (status == JSN_OK && !v->without_data)
        status = cli_check_data(&v->base);
    if (status == JSN_OK)
        status = jsn_sweep_create(&sweep, cli_store_url(v->store), args->items[0],
                                  &v->plan, &v->base);
    if (status == JSN_OK)
        status = jsn_sweep_count(sweep, &counts);
    if (status == JSN_OK)
        status = describe(sweep, &counts, v->base.json);
    if (status == JSN_OK)
        say_how_to_run(args->items[0]);
    jsn_sweep_close(sweep);
    return status;
}

const cli_command cli_command_sweep_create = {
    .name = "sweep create",
    .summary = "make a study: a list of runs to do",
    .usage = "NAME DATA [--axis OPTION=VALUES ...] [OPTIONS]",
    .details =
        "Any training option can be an axis or be set for all runs:\n\n"
        "  jensen sweep create first cifar10:PATH --axis lr=0.01,0.1 \\\n"
        "         --axis 'loss=ce;gjs:pi1=0.3;gjs:pi1=0.5' --seeds 5 --epochs 20\n"
        "  jensen sweep create wide photos/ --search random --trials 50 \\\n"
        "         --axis lr=log:0.001..0.5 --axis batch=32..256 --pruner median\n"
        "  jensen sweep create paper cifar10:PATH --preset two-stage --methods gjs\n\n"
        "Then: jensen sweep run NAME, or jensen sweep worker on several machines.",
    .library_options = options,
    .values_size = sizeof(create_values),
    .run = run,
    .deferred = true,
};
