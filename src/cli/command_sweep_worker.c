/* cli/command_sweep_worker.c - one worker: trials of a study, one after another. */
#include "cli/cli.h"
#include "cli/cli_study.h"

typedef struct worker_values {
    cli_worker_values worker;
    char *store;
    bool wait, stop_at_eof;
} worker_values;

static const jsn_option_info own[] = {
    CLI_STORE_ROW(worker_values, "where the study is"),
    {"wait", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "stay while other workers run, to take over what they may leave behind",
     offsetof(worker_values, wait)},
    {"stop-at-eof", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "stop as with Ctrl-C when standard input ends, for example when the parent "
     "program dies",
     offsetof(worker_values, stop_at_eof)},
};

static const jsn_option_info *options(size_t *count)
{
    static cli_option_table table;
    static const cli_option_part parts[] = {
        {.from = cli_worker_options,
         .offset = offsetof(worker_values, worker),
         .without = "jobs"},
        {.rows = own, .count = sizeof own / sizeof own[0]},
    };
    return cli_join_options(&table, parts, sizeof parts / sizeof parts[0], count);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    worker_values *v = values;
    if (args->count > 1)
        return cli_usage("one study at a time, '%s' is too many", args->items[1]);
    v->worker.jobs = 1;
    const jsn_status status = v->stop_at_eof ? cli_stop_at_eof() : JSN_OK;
    if (status != JSN_OK)
        return status;
    return cli_work(cli_store_url(v->store), args->count == 1 ? args->items[0] : NULL,
                    &v->worker, v->wait);
}

const cli_command cli_command_sweep_worker = {
    .name = "sweep worker",
    .summary = "do runs of a study, beside any number of other workers",
    .usage = "[STUDY] [--store URL] [OPTIONS]",
    .details =
        "Claims one trial after another until none waits. Start as many as you like,\n"
        "on any machine that reaches the store. A password belongs in PGPASSWORD,\n"
        "~/.pgpass or the variable JENSEN_STORE, not on the command line.",
    .library_options = options,
    .values_size = sizeof(worker_values),
    .run = run,
};
