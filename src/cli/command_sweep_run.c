/* cli/command_sweep_run.c - works a study off on this machine. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_study.h"

typedef struct run_values {
    cli_worker_values worker;
    char *store;
    bool retry;
} run_values;

static const jsn_option_info own[] = {
    CLI_STORE_ROW(run_values, "where the study is"),
    {"retry-failed", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "first try failed trials again", offsetof(run_values, retry)},
};

static const jsn_option_info *options(size_t *count)
{
    static cli_option_table table;
    static const cli_option_part parts[] = {
        {.from = cli_worker_options, .offset = offsetof(run_values, worker)},
        {.rows = own, .count = sizeof own / sizeof own[0]},
    };
    return cli_join_options(&table, parts, sizeof parts / sizeof parts[0], count);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const run_values *v = values;
    jsn_sweep *sweep = NULL;
    jsn_sweep_counts counts;
    const char *url = cli_store_url(v->store);
    if (args->count > 1)
        return cli_usage("one study at a time, '%s' is too many", args->items[1]);
    const char *name = args->count == 1 ? args->items[0] : NULL;
    jsn_status status = JSN_OK;
    if (v->retry) {
        status = jsn_sweep_open(&sweep, url, name);
        if (status == JSN_OK)
            status = jsn_sweep_retry(sweep, NULL);
        jsn_sweep_close(sweep);
        sweep = NULL;
    }
    if (status == JSN_OK)
        status = cli_work(url, name, &v->worker, true);
    if (status != JSN_OK)
        return status;
    status = jsn_sweep_open(&sweep, url, name);
    if (status == JSN_OK)
        status = jsn_sweep_count(sweep, &counts);
    if (status == JSN_OK)
        cli_print("%zu complete, %zu pruned, %zu failed, %zu waiting, %zu running\n",
                  counts.complete, counts.pruned, counts.failed, counts.waiting,
                  counts.running);
    jsn_sweep_close(sweep);
    return status;
}

const cli_command cli_command_sweep_run = {
    .name = "sweep run",
    .summary = "do the runs of a study on this machine",
    .usage = "[STUDY] [--jobs N] [OPTIONS]",
    .details =
        "Ctrl-C stops with checkpoints (exit 75); the same command continues. The\n"
        "workers of --jobs stop in the same way when this command is killed.\n"
        "More machines help with 'jensen sweep worker --store URL STUDY'.",
    .library_options = options,
    .values_size = sizeof(run_values),
    .run = run,
    .continues = true,
};
