/* cli/command_sweep_best.c - the best trial of a study, or of each group of it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_study.h"
#include "jensen/json.h"

typedef struct best_values {
    char *store;
    bool json;
} best_values;

static const jsn_option_info options[] = {
    CLI_STORE_ROW(best_values, "where the study is"),
    {"json", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "one JSON object a line",
     offsetof(best_values, json)},
};

static jsn_status print_json(const jsn_sweep_trial *t, const char *group)
{
    jsn_json_writer *w = NULL;
    const jsn_status status = jsn_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsn_json_begin_object(w, NULL);
    jsn_json_put_int(w, "trial", t->number);
    if (group != NULL)
        jsn_json_put_text(w, "group", group);
    jsn_json_put_real(w, "value", t->value);
    jsn_json_begin_object(w, "options");
    for (size_t i = 0; i < t->option_count; i++)
        jsn_json_put_text(w, t->options[i].name, t->options[i].text);
    jsn_json_end(w);
    jsn_json_put_text(w, "run", jsn_sweep_fact(t, "run"));
    jsn_json_end(w);
    return cli_print_json(w);
}

static jsn_status print(const jsn_sweep *sweep, const jsn_sweep_trial *t,
                        const char *group, bool json)
{
    if (json)
        return print_json(t, group);
    if (group != NULL)
        (void)printf("%-24s ", group);
    (void)printf("trial %lld: %s %.4f ", (long long)t->number,
                 jsn_sweep_measured(sweep, t), t->value);
    for (size_t i = 0; i < t->option_count; i++)
        (void)printf(" --%s %s", t->options[i].name, t->options[i].text);
    const char *folder = jsn_sweep_fact(t, "run");
    (void)printf("  (%s)\n", folder == NULL ? "no run folder" : folder);
    return JSN_OK;
}

static jsn_status print_all(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                            size_t count, bool json)
{
    bool grouped = false;
    for (size_t i = 0; i < count; i++) {
        const char *group = jsn_sweep_fact(&trials[i], "group");
        bool first = group != NULL;
        for (size_t k = 0; first && k < i; k++) {
            const char *other = jsn_sweep_fact(&trials[k], "group");
            first = other == NULL || strcmp(other, group) != 0;
        }
        if (!first)
            continue;
        grouped = true;
        const size_t best = jsn_sweep_best(sweep, trials, count, group);
        const jsn_status status =
            best == SIZE_MAX ? JSN_OK : print(sweep, &trials[best], group, json);
        if (status != JSN_OK)
            return status;
    }
    const size_t best = grouped ? SIZE_MAX : jsn_sweep_best(sweep, trials, count, NULL);
    if (!grouped && best == SIZE_MAX)
        (void)fprintf(stderr, "no trial of '%s' is complete yet\n",
                      jsn_sweep_name(sweep));
    return best == SIZE_MAX ? JSN_OK : print(sweep, &trials[best], NULL, json);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const best_values *v = values;
    jsn_sweep *sweep = NULL;
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    if (args->count > 1)
        return cli_usage("one study at a time, '%s' is too many", args->items[1]);
    jsn_status status = jsn_sweep_open(&sweep, cli_store_url(v->store),
                                       args->count == 1 ? args->items[0] : NULL);
    if (status == JSN_OK)
        status = jsn_sweep_trials(sweep, &trials, &count);
    if (status == JSN_OK)
        status = print_all(sweep, trials, count, v->json);
    jsn_sweep_trials_release(trials, count);
    jsn_sweep_close(sweep);
    return status;
}

const cli_command cli_command_sweep_best = {
    .name = "sweep best",
    .summary = "the best trial of a study, or of each of its groups",
    .usage = "[STUDY] [--json]",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(best_values),
    .run = run,
};
