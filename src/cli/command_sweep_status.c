/* cli/command_sweep_status.c - where a study stands. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_study.h"
#include "core/words.h"

typedef struct status_values {
    char *store;
    bool json, failures;
} status_values;

static const jsn_option_info options[] = {
    CLI_STORE_ROW(status_values, "where the study is"),
    {"failures", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "list the failed trials with their reasons", offsetof(status_values, failures)},
    CLI_JSON_ROW(status_values, "one JSON object"),
};

static jsn_status print_failures(jsn_sweep *sweep)
{
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    const jsn_status status = jsn_sweep_trials(sweep, &trials, &count);
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        if (trials[i].state == JSN_SWEEP_FAILED) {
            const char *why = jsn_sweep_fact(&trials[i], "failure");
            cli_print("trial %lld failed: %s\n", (long long)trials[i].number,
                      why == NULL ? "no reason stored" : why);
        }
    jsn_sweep_trials_release(trials, count);
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const status_values *v = values;
    jsn_sweep *sweep = NULL;
    jsn_sweep_counts c;
    if (args->count > 1)
        return cli_usage("one study at a time, '%s' is too many", args->items[1]);
    jsn_status status = jsn_sweep_open_to_read(
        &sweep, cli_store_url(v->store), args->count == 1 ? args->items[0] : NULL);
    if (status == JSN_OK)
        status = jsn_sweep_count(sweep, &c);
    if (status == JSN_OK && v->json)
        cli_print("{\"waiting\":%zu,\"running\":%zu,\"complete\":%zu,\"pruned\":%zu,"
                  "\"failed\":%zu,\"trials\":%zu}\n",
                  c.waiting, c.running, c.complete, c.pruned, c.failed,
                  c.waiting + c.running + c.complete + c.pruned + c.failed);
    else if (status == JSN_OK)
        cli_print("%s: %zu %s: %zu complete, %zu running, %zu waiting, %zu pruned, "
                  "%zu failed\n",
                  jsn_sweep_about(sweep).name,
                  c.waiting + c.running + c.complete + c.pruned + c.failed,
                  jsni_noun(c.waiting + c.running + c.complete + c.pruned + c.failed,
                            "trial", "trials"),
                  c.complete, c.running, c.waiting, c.pruned, c.failed);
    if (status == JSN_OK && v->failures)
        status = print_failures(sweep);
    jsn_sweep_close(sweep);
    return status;
}

const cli_command cli_command_sweep_status = {
    .name = "sweep status",
    .summary = "where a study stands",
    .usage = "[STUDY] [--failures] [--json]",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(status_values),
    .run = run,
};
