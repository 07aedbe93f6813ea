/* cli/command_sweep_best.c - the best configuration of a study, or of each group of it:
 * a trial, or several that differ in their seed alone. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "cli/cli_study.h"
#include "core/json.h"
#include "core/stats.h"
#include "core/words.h"

typedef struct best_values {
    char *store;
    bool json;
} best_values;

static const jsn_option_info options[] = {
    CLI_STORE_ROW(best_values, "where the study is"),
    CLI_JSON_ROW(best_values, "one JSON object per line"),
};

/* The sample deviation of the configuration's values; NaN with one seed. */
static jsn_status deviation_of(const jsn_sweep_choice *c, const jsn_sweep_trial *trials,
                               double *out)
{
    double *values = calloc(c->n, sizeof *values);
    if (values == NULL)
        return JSN_ERR_MEMORY;
    for (size_t i = 0; i < c->n; i++)
        values[i] = trials[c->trials[i]].value;
    *out = jsni_stats_deviation(values, c->n);
    free(values);
    return JSN_OK;
}

static jsn_status print_json(const jsn_sweep_choice *c, const jsn_sweep_trial *trials,
                             const char *group)
{
    const jsn_sweep_trial *t = &trials[c->best];
    double deviation = 0.0;
    jsni_json_writer *w = NULL;
    jsn_status status = deviation_of(c, trials, &deviation);
    if (status == JSN_OK)
        status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_int(w, "trial", t->number);
    if (group != NULL)
        jsni_json_put_text(w, "group", group);
    jsni_json_put_real(w, "value", t->value);
    jsni_json_put_real(w, "mean", c->mean);
    jsni_json_put_real(w, "deviation", deviation);
    jsni_json_put_int(w, "n", (int64_t)c->n);
    jsni_json_begin_array(w, "trials");
    for (size_t i = 0; i < c->n; i++)
        jsni_json_put_int(w, NULL, trials[c->trials[i]].number);
    jsni_json_end(w);
    jsni_json_begin_object(w, "options");
    for (size_t i = 0; i < t->option_count; i++)
        jsni_json_put_text(w, t->options[i].name, t->options[i].text);
    jsni_json_end(w);
    jsni_json_put_text(w, "run", jsn_sweep_fact(t, "run"));
    jsni_json_end(w);
    return cli_print_json(w);
}

static void print_trial(const jsn_sweep_trial *t)
{
    cli_print("trial %lld: %s %.4f ", (long long)t->number, t->measured, t->value);
    for (size_t i = 0; i < t->option_count; i++)
        cli_print(" --%s %s", t->options[i].name, t->options[i].text);
    const char *folder = jsn_sweep_fact(t, "run");
    cli_print("  (%s)\n", folder == NULL ? "no run folder" : folder);
}

static jsn_status print_seeds(const jsn_sweep_choice *c, const jsn_sweep_trial *trials)
{
    const jsn_sweep_trial *t = &trials[c->best];
    const char *folder = jsn_sweep_fact(t, "run");
    double deviation = 0.0;
    const jsn_status status = deviation_of(c, trials, &deviation);
    if (status != JSN_OK)
        return status;
    for (size_t i = 0; i < c->n; i++)
        cli_print("%s%lld",
                  i > 0      ? ", "
                  : c->n > 1 ? "trials "
                             : "trial ",
                  (long long)trials[c->trials[i]].number);
    cli_print(": mean %s %.4f", t->measured, c->mean);
    if (c->n > 1)
        cli_print(", deviation %.4f", deviation);
    cli_print(", n %zu ", c->n);
    for (size_t i = 0; i < t->option_count; i++)
        if (strcmp(t->options[i].name, "seed") != 0)
            cli_print(" --%s %s", t->options[i].name, t->options[i].text);
    cli_print("  (best seed: trial %lld, %.4f, %s)\n", (long long)t->number, t->value,
              folder == NULL ? "no run folder" : folder);
    return JSN_OK;
}

/* The best of a group (NULL: of the study); *found: there is one. */
static jsn_status print_best(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                             size_t count, const char *group, bool json, bool *found)
{
    jsn_sweep_choice c;
    jsn_status status = jsn_sweep_choose(sweep, trials, count, group, &c);
    if (status != JSN_OK)
        return status;
    *found = c.n > 0;
    for (size_t i = 0; i < count && c.counted != NULL; i++)
        if (c.counted[i] != i)
            cli_say("trial %lld repeats trial %lld: the same options and seed "
                    "count once\n",
                    (long long)trials[i].number,
                    (long long)trials[c.counted[i]].number);
    if (c.repeated && c.left_out > 0)
        cli_say("%s%sleft out: %zu %s of which not all seeds "
                "are complete\n",
                group == NULL ? "" : group, group == NULL ? "" : ": ", c.left_out,
                jsni_noun(c.left_out, "configuration", "configurations"));
    if (*found && json) {
        status = print_json(&c, trials, group);
    } else if (*found) {
        if (group != NULL)
            cli_print("%-24s ", group);
        if (c.repeated)
            status = print_seeds(&c, trials);
        else
            print_trial(&trials[c.best]);
    }
    jsn_sweep_choice_release(&c);
    return status;
}

static jsn_status print_all(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                            size_t count, bool json)
{
    bool grouped = false, found = false;
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
        const jsn_status status = print_best(sweep, trials, count, group, json, &found);
        if (status != JSN_OK)
            return status;
    }
    if (grouped)
        return JSN_OK;
    const jsn_status status = print_best(sweep, trials, count, NULL, json, &found);
    bool over = true; /* nothing of it is to come */
    bool any = false; /* trial with a result */
    for (size_t i = 0; i < count; i++) {
        const jsn_sweep_state state = trials[i].state;
        over = over && state != JSN_SWEEP_WAITING && state != JSN_SWEEP_RUNNING;
        any = any || (state == JSN_SWEEP_COMPLETE && !isnan(trials[i].value));
    }
    if (status == JSN_OK && !found)
        cli_say(any ? "no configuration of '%s' has all its seeds complete%s\n"
                    : "no trial of '%s' is complete%s\n",
                jsn_sweep_about(sweep).name,
                over ? ", and none is left to run; 'jensen sweep status "
                       "--failures' says why"
                     : " yet");
    return status;
}

/* A trial's own word on the data it saw; NULL when it has none, is not complete, or
 * chose its data. */
static const char *data_of(const jsn_sweep_trial *t)
{
    const bool chose = jsn_sweep_option(t, "data") != NULL ||
                       jsn_sweep_option(t, "val") != NULL ||
                       jsn_sweep_option(t, "test") != NULL;
    return chose || t->state != JSN_SWEEP_COMPLETE ? NULL
                                                   : jsn_sweep_fact(t, "data_text");
}

/* Says so when the data has changed between trials. */
static void say_other_data(const jsn_sweep_trial *trials, size_t count)
{
    size_t first = 0;
    while (first < count && data_of(&trials[first]) == NULL)
        first++;
    for (size_t i = first; i < count; i++) {
        const char *data = data_of(&trials[i]);
        if (data == NULL || strcmp(data, data_of(&trials[first])) == 0)
            continue;
        cli_say("trial %lld saw other data (%s) than trial %lld (%s): their "
                "values do not compare\n",
                (long long)trials[i].number, data, (long long)trials[first].number,
                data_of(&trials[first]));
        return;
    }
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const best_values *v = values;
    jsn_sweep *sweep = NULL;
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    if (args->count > 1)
        return cli_usage("one study at a time, '%s' is too many", args->items[1]);
    jsn_status status = jsn_sweep_open_to_read(
        &sweep, cli_store_url(v->store), args->count == 1 ? args->items[0] : NULL);
    if (status == JSN_OK)
        status = jsn_sweep_trials(sweep, &trials, &count);
    if (status == JSN_OK)
        status = print_all(sweep, trials, count, v->json);
    if (status == JSN_OK)
        say_other_data(trials, count);
    jsn_sweep_trials_release(trials, count);
    jsn_sweep_close(sweep);
    return status;
}

const cli_command cli_command_sweep_best = {
    .name = "sweep best",
    .summary = "the best trial of a study, or of each of its groups",
    .usage = "[STUDY] [--json]",
    .details =
        "With several seeds, the configuration with the best mean over its seeds\n"
        "wins. Prints mean, sample deviation, the number of seeds n, and the trials.\n"
        "A configuration with an unfinished seed does not compete. When a trial\n"
        "repeats the options and seed of another, the latest complete one counts.\n"
        "Both are named on stderr. In JSON \"trial\", \"value\", \"options\" and\n"
        "\"run\" are those of the best seed. \"mean\", \"deviation\" (null with one\n"
        "seed), \"n\" and \"trials\" are those of the configuration.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(best_values),
    .run = run,
};
