/* cli/command_sweep_search.c - the paper's search from its first run to the table. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_study.h"
#include "core/option.h"
#include "jensen/study.h"

typedef struct search_values {
    cli_worker_values worker;
    jsn_sweep_plan plan;
    jsn_train_config base;
    char *store, *format;
    bool show;
} search_values;

static const jsn_option_info own[] = {
    CLI_STORE_ROW(search_values, "where the study is kept"),
    {"format", 'f', JSN_OPTION_CHOICE, "markdown", 0, 0, "markdown|csv|latex|html",
     NULL, "of the table", offsetof(search_values, format)},
    {"show", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "run nothing, print the table of what there is", offsetof(search_values, show)},
};

static const jsn_option_info *options(size_t *count)
{
    static cli_option_table table;
    static const cli_option_part parts[] = {
        {.rows = own, .count = sizeof own / sizeof own[0]},
        {.from = cli_worker_options, .offset = offsetof(search_values, worker)},
        {.from = jsn_sweep_plan_options, .offset = offsetof(search_values, plan)},
        {.from = jsn_train_options,
         .offset = offsetof(search_values, base),
         .without = "out|set|json|config"},
    };
    return cli_join_options(&table, parts, sizeof parts / sizeof parts[0], count);
}

/* The usual of what the command line left open; five seeds, as in the paper. */
static jsn_status fill(search_values *v)
{
    size_t count = 0;
    const jsn_option_info *table = options(&count);
    jsn_status status = JSN_OK;
    if (v->plan.preset == NULL)
        status = jsni_options_set(table, count, v, "preset", "two-stage");
    if (status == JSN_OK && v->plan.retrain == JSN_OPTION_INT_UNSET)
        v->plan.retrain = 5;
    if (status == JSN_OK && v->plan.retrain == 0)
        return cli_usage("--retrain 0: 'jensen sweep create --preset' makes a search "
                         "without an end");
    if (status == JSN_OK)
        status = cli_fill_options(table, count, v, offsetof(search_values, base));
    return status == JSN_OK ? cli_fill_preset(&v->plan, &v->base) : status;
}

static jsn_status print_table(jsn_sweep *sweep, const char *format)
{
    char *text = NULL;
    const jsn_status status = jsn_study_export(
        sweep, JSN_STUDY_WINNERS, format == NULL ? "markdown" : format, NULL, &text);
    if (status == JSN_OK)
        cli_write(text);
    jsn_text_release(text);
    return status;
}

/* Runs that failed are a failure of what should have run them, not of a look at them. */
static jsn_status say_failed(jsn_sweep *sweep, bool show)
{
    jsn_sweep_counts n;
    const jsn_status status = jsn_sweep_count(sweep, &n);
    if (status != JSN_OK || n.failed == 0 || show)
        return status;
    return cli_fail(JSN_ERR_NUMERIC,
                    "%zu of %zu runs failed: 'jensen sweep status %s --failures' says "
                    "why",
                    n.failed, n.waiting + n.running + n.complete + n.pruned + n.failed,
                    jsn_sweep_about(sweep).name);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    search_values *v = values;
    jsn_sweep *sweep = NULL;
    const char *url = cli_store_url(v->store);
    jsn_status status = JSN_OK;
    if (args->count == 0 || args->count > 2)
        return cli_usage("NAME and DATA are wanted");
    const char *name = args->items[0];
    if (v->show) {
        status = jsn_sweep_open_to_read(&sweep, url, name);
    } else {
        if (args->count == 2)
            status = jsn_train_config_set(&v->base, "data", args->items[1]);
        if (status == JSN_OK && v->base.data == NULL)
            return cli_usage("which data? jensen sweep search NAME DATA ...");
        if (status == JSN_OK)
            status = fill(v);
        if (status == JSN_OK)
            status = cli_check_data(&v->base);
        if (status == JSN_OK)
            status = jsn_sweep_search(&sweep, url, name, &v->plan, &v->base);
        if (status == JSN_OK)
            status = cli_work(url, name, &v->worker, true);
    }
    if (status == JSN_OK)
        status = print_table(sweep, v->format);
    if (status == JSN_OK) {
        cli_say("the winners: jensen sweep best ");
        cli_put_word(stderr, name);
        cli_say("\n");
        status = say_failed(sweep, v->show);
    }
    jsn_sweep_close(sweep);
    return status;
}

const cli_command cli_command_sweep_search = {
    .name = "sweep search",
    .summary = "the paper's search, its winners on all images, their table",
    .usage = "NAME DATA [--preset NAME] [--methods LIST] [OPTIONS]",
    .details =
        "Learning rate and weight decay first, then the loss's parameter, by\n"
        "accuracy on a validation part; then the winners are trained on all images\n"
        "with five seeds (--retrain N). Prints losses against noises: mean,\n"
        "deviation, bold by a t-test. The same command continues after a stop, and\n"
        "prints the table again at the end.\n\n"
        "  jensen sweep search mine cifar10:PATH --methods ce,gjs --device cuda\n"
        "  jensen sweep search plc cifar10:PATH --preset instance \\\n"
        "         --noise-from file:plc_cifar10.csv.xz --methods gjs\n"
        "  jensen sweep search web webvision:DIR,classes=50 --preset webvision\n\n"
        "More machines help with 'jensen sweep worker --store URL NAME'.",
    .library_options = options,
    .values_size = sizeof(search_values),
    .run = run,
    .deferred = true,
    .continues = true,
};
