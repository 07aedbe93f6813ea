/* cli/command_tune.c - loss weight and learning rate for one's own data, chosen without
 * clean labels. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_study.h"
#include "core/option.h"
#include "core/words.h"
#include "jensen/noise.h"

typedef struct tune_values {
    cli_worker_values worker;
    jsn_train_config base;
    char *store, *study;
    int64_t budget;
} tune_values;

static const jsn_option_info own[] = {
    {"runs", 'n', JSN_OPTION_INT, "0", 0, 1000, NULL, "N",
     "budget: at most N runs, failed ones counted; 0: the whole plan of 9",
     offsetof(tune_values, budget)},
    {"minutes", 0, JSN_OPTION_REAL, "0", 0, 1e6, NULL, "N",
     "budget: start no run that would end after N minutes; 0: none",
     offsetof(tune_values, worker.minutes)},
    {"study", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "NAME",
     "name of the study (default: tune- and the name of the data)",
     offsetof(tune_values, study)},
    CLI_STORE_ROW(tune_values, "where the study is kept"),
    {"folder", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FOLDER",
     "run folders go below FOLDER/STUDY (default: runs)",
     offsetof(tune_values, worker.runs)},
};

static const jsn_option_info *options(size_t *count)
{
    static cli_option_table table;
    static const cli_option_part parts[] = {
        {.rows = own, .count = sizeof own / sizeof own[0]},
        {.from = jsn_train_options,
         .offset = offsetof(tune_values, base),
         .without = "out|set|loss|lr|val-labels"},
    };
    return cli_join_options(&table, parts, sizeof parts / sizeof parts[0], count);
}

static int stop_asked(void *user)
{
    (void)user;
    return cli_stop_requested();
}

/* tune-NAME, the last part of the data's path. */
static void name_study(const tune_values *v, char *out, size_t size)
{
    if (v->study != NULL) {
        (void)snprintf(out, size, "%s", v->study);
        return;
    }
    char data[200];
    (void)snprintf(data, sizeof data, "%s", v->base.data);
    size_t length = strlen(data);
    while (length > 1 && data[length - 1] == '/')
        data[--length] = '\0';
    const char *slash = strrchr(data, '/');
    (void)snprintf(out, size, "tune-%s", slash == NULL ? data : slash + 1);
}

static void print_failed(const tune_values *v, const char *study, size_t failed)
{
    cli_print("%zu more %s no part in the choice; why: jensen sweep status ", failed,
              jsni_noun(failed, "run failed and has", "runs failed and have"));
    cli_put_word(stdout, study);
    cli_print(" --failures");
    if (v->store != NULL) {
        cli_print(" --store ");
        cli_put_word(stdout, v->store);
    }
    cli_print("\n");
}

/* The command that trains the chosen run: every option that was set and matters. */
static void print_command(const jsn_train_config *base, const jsn_tune_result *r)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    cli_print("train with it:\n  jensen train ");
    cli_put_word(stdout, base->data);
    cli_print(" --loss %s --lr %s", r->loss, r->lr);
    for (size_t i = 0; i < count; i++) {
        char *text = NULL;
        if (strcmp(table[i].name, "data") == 0 || strcmp(table[i].name, "loss") == 0 ||
            strcmp(table[i].name, "lr") == 0 || !jsn_train_option_matters(&table[i]) ||
            !jsni_options_is_set(&table[i], base) ||
            jsni_options_text(&table[i], base, &text) != JSN_OK)
            continue;
        cli_print(" --%s ", table[i].name);
        cli_put_word(stdout, text);
        jsn_text_release(text);
    }
    cli_print("\n");
}

static void print_choice(const tune_values *v, const char *study,
                         const jsn_tune_result *r)
{
    cli_print("chosen after %zu %s: --loss %s --lr %s\n", r->runs,
              jsni_noun(r->runs, "run", "runs"), r->loss, r->lr);
    if (r->failed > 0)
        print_failed(v, study, r->failed);
    cli_print("accuracy on noisy validation labels: %.2f%%\n",
              100.0 * r->val_acc_noisy);
    if (!r->finished)
        cli_print("the budget ended before the plan did; the same command with a "
                  "larger one goes on\n");
    print_command(&v->base, r);
}

/* Copies an option that is not what it would be by itself. */
static jsn_status take_unusual(const jsn_option_info *row, const jsn_train_config *from,
                               const jsn_train_config *usual, jsn_train_config *to)
{
    char *text = NULL, *initial = NULL;
    jsn_status status = jsni_options_text(row, from, &text);
    if (status == JSN_OK)
        status = jsni_options_text(row, usual, &initial);
    if (status == JSN_OK && strcmp(text, initial) != 0)
        status = jsn_train_config_set(to, row->name, text);
    jsn_text_release(text);
    jsn_text_release(initial);
    return status;
}

/* Puts what --config and --recipe say in the place of their names: the study keeps the
 * options themselves, whatever becomes of the file, and the command names them. A loss is
 * what is looked for; a learning rate is where to begin. */
static jsn_status settle(jsn_train_config *base)
{
    static const char *const left[] = {"config", "recipe", "out", "loss"};
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    jsn_train_config file, usual;
    jsn_train_config_clear(&file);
    jsn_train_config_clear(&usual);
    jsn_status status = jsn_train_config_resolve(&usual);
    if (status == JSN_OK && base->config != NULL)
        status = jsn_train_config_set(&file, "config", base->config);
    if (status == JSN_OK && base->recipe != NULL)
        status = jsn_train_config_set(&file, "recipe", base->recipe);
    if (status == JSN_OK)
        status = jsn_train_config_resolve(&file);
    for (size_t i = 0; status == JSN_OK && i < sizeof left / sizeof left[0]; i++)
        status = jsn_train_config_set(&file, left[i], "auto");
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        if (table[i].kind != JSN_OPTION_FLAG && table[i].kind != JSN_OPTION_TEXTS &&
            !jsni_options_is_set(&table[i], base))
            status = take_unusual(&table[i], &file, &usual, base);
    jsn_train_config_release(&usual);
    jsn_train_config_release(&file);
    if (status == JSN_OK)
        status = jsn_train_config_set(base, "config", "auto");
    if (status == JSN_OK)
        status = jsn_train_config_set(base, "recipe", "auto");
    return status;
}

/* The part to compare on: what a label file leaves (missing=val), with its labels as they
 * are; else a tenth of the data, with the noise of the rest. */
static jsn_status choose_validation(jsn_train_config *base)
{
    jsn_noise *noise = NULL;
    jsn_status status = JSN_OK;
    if (base->noise != NULL)
        status = jsn_noise_create(&noise, base->noise);
    const bool left = status == JSN_OK && jsn_noise_about(noise).leaves_missing;
    jsn_noise_destroy(noise);
    if (status == JSN_OK && isnan(base->val_fraction) && base->val == NULL && !left)
        status = jsn_train_config_set(base, "val-fraction", "0.1");
    if (status == JSN_OK)
        status = jsn_train_config_set(base, "val-labels", left ? "clean" : "noisy");
    return status;
}

static jsn_status tune(tune_values *v, const jsn_texts *args)
{
    jsn_tune_result result;
    jsn_sweep_worker worker;
    char name[256];
    jsn_status status = JSN_OK;
    if (args->count > 1)
        return cli_usage("takes one data set; '%s' is one too many", args->items[1]);
    v->base.lr = NAN; /* no option here: it is what is looked for */
    if (args->count == 1)
        status = jsn_train_config_set(&v->base, "data", args->items[0]);
    if (status == JSN_OK)
        status = settle(&v->base);
    if (status == JSN_OK && v->base.data == NULL)
        return cli_usage("which data?");
    if (status == JSN_OK && v->base.val_fraction == 0.0 && v->base.val == NULL)
        return cli_usage("settings are compared on validation data: --val-fraction "
                         "above 0, or --val");
    if (status == JSN_OK)
        status = choose_validation(&v->base);
    if (status != JSN_OK)
        return status;
    name_study(v, name, sizeof name);
    jsn_sweep_worker_init(&worker);
    worker.folder = v->worker.runs;
    worker.ended = cli_write_page;
    worker.seconds = v->worker.minutes > 0.0 ? 60.0 * v->worker.minutes : 0.0;
    cli_catch_signals();
    status =
        jsn_tune(cli_store_url(v->store), name, &v->base, v->budget > 0 ? v->budget : 0,
                 &worker, cli_logger(), stop_asked, NULL, &result);
    if (status != JSN_OK)
        return status;
    if (v->base.json)
        cli_print("{\"loss\":\"%s\",\"lr\":%s,\"val_acc_noisy\":%.17g,\"runs\":%zu,"
                  "\"finished\":%s,\"failed\":%zu}\n",
                  result.loss, result.lr, result.val_acc_noisy, result.runs,
                  result.finished ? "true" : "false", result.failed);
    else
        print_choice(v, name, &result);
    return JSN_OK;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    tune_values *v = values;
    const jsn_status status = tune(v, args);
    /* Set here, no option of this command, so not released with them. */
    jsn_text_release(v->base.val_labels);
    v->base.val_labels = NULL;
    return status;
}

const cli_command cli_command_tune = {
    .name = "tune",
    .summary = "choose loss weight and learning rate without clean labels",
    .usage = "DATA [--runs N | --minutes N] [OPTIONS]",
    .details =
        "Tries several settings and compares them on held-out data, whose labels may\n"
        "be wrong, too. First come five learning rates with GJS at pi1 = 0.5,\n"
        "beginning with the one that train would take. Then come four other weights\n"
        "at the best rate. Prints the command that trains with the best setting.\n"
        "Runs are kept; the same command continues. A run that fails is counted and\n"
        "named, but not chosen. If the data has changed, the study is refused;\n"
        "--study NAME makes another one.\n\n"
        "  jensen tune photos/ --minutes 60",
    .library_options = options,
    .values_size = sizeof(tune_values),
    .run = run,
    .deferred = true,
    .continues = true,
};
