/* cli/command_sweep_worker.c - one worker: trials of a study, one after another. */
#include "cli/cli.h"
#include "cli/cli_study.h"

typedef struct worker_values {
    cli_worker_values worker;
    char *store;
    bool wait;
} worker_values;

static const jsn_option_info own[] = {
    {"store", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "URL",
     "where the study is; default $JENSEN_STORE, else sqlite:///jensen.db",
     offsetof(worker_values, store)},
    {"wait", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "stay while other workers run, to take over what they may leave behind",
     offsetof(worker_values, wait)},
};

static const jsn_option_info *options(size_t *count)
{
    static jsn_option_info table[32];
    static size_t used;
    if (used == 0) {
        size_t rows = 0;
        const jsn_option_info *worker = cli_worker_options(&rows);
        used = cli_join_options(table, 0, worker, rows, offsetof(worker_values, worker),
                                "jobs");
        used = cli_join_options(table, used, own, 2, 0, NULL);
    }
    *count = used;
    return table;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    worker_values *v = values;
    if (args->count > 1)
        return cli_usage("one study at a time, '%s' is too many", args->items[1]);
    v->worker.jobs = 1;
    return cli_work(cli_store_url(v->store), args->count == 1 ? args->items[0] : NULL,
                    &v->worker, v->wait);
}

const cli_command cli_command_sweep_worker = {
    .name = "sweep worker",
    .summary = "work on a study, beside any number of other workers",
    .usage = "[STUDY] [--store URL] [OPTIONS]",
    .details = "Claims one trial after another until none waits. Start as many as you "
               "like, on "
               "any\n"
               "machine that reaches the store. A password belongs in PGPASSWORD, "
               "~/.pgpass or "
               "the\n"
               "variable JENSEN_STORE, not on the command line.",
    .library_options = options,
    .values_size = sizeof(worker_values),
    .run = run,
};
