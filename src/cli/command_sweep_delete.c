/* cli/command_sweep_delete.c - takes a study out of its store. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_study.h"
#include "core/words.h"

typedef struct delete_values {
    char *store;
    bool yes;
} delete_values;

static const jsn_option_info options[] = {
    CLI_STORE_ROW(delete_values, "where the study is"),
    {"yes", 'y', JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "do it; without this, only say what would be removed",
     offsetof(delete_values, yes)},
};

static jsn_status run(void *values, const jsn_texts *args)
{
    const delete_values *v = values;
    jsn_sweep *sweep = NULL;
    jsn_sweep_counts n;
    if (args->count != 1)
        return cli_usage("needs the name of one study");
    const char *name = args->items[0];
    jsn_status status = jsn_sweep_open(&sweep, cli_store_url(v->store), name);
    if (status == JSN_OK)
        status = jsn_sweep_count(sweep, &n);
    if (status == JSN_OK && v->yes)
        status = jsn_sweep_delete(sweep);
    if (status == JSN_OK) {
        const size_t trials = n.waiting + n.running + n.complete + n.pruned + n.failed;
        cli_print("study '%s' %s %s: %zu %s, %zu complete; run folders stay\n", name,
                  v->yes ? "is removed from" : "would be removed from",
                  jsn_sweep_about(sweep).store, trials,
                  jsni_noun(trials, "trial", "trials"), n.complete);
        if (!v->yes)
            status = cli_usage("nothing is removed without --yes");
    }
    jsn_sweep_close(sweep);
    return status;
}

const cli_command cli_command_sweep_delete = {
    .name = "sweep delete",
    .summary = "take a study out of its store; its run folders stay",
    .usage = "STUDY --yes [--store URL]",
    .details =
        "Removes the study and what the store knows of its trials: options, results,\n"
        "values after each epoch. The name is free then. Without --yes it says what\n"
        "would be removed. Run folders stay: remove runs/STUDY yourself. A study\n"
        "that somebody works on is refused.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(delete_values),
    .run = run,
};
