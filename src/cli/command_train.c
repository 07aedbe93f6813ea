/* cli/command_train.c - one run, or an ensemble: trains, continues, reports. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_study.h"
#include "jensen/report.h"
#include "jensen/train.h"

typedef struct train_values {
    jsn_train_config config;
    jsn_texts plugin;
} train_values;

static const jsn_option_info own[] = {CLI_PLUGIN_ROW(train_values)};

static const jsn_option_info *options(size_t *count)
{
    static cli_option_table table;
    static const cli_option_part parts[] = {
        {.from = jsn_train_options, .offset = offsetof(train_values, config)},
        {.rows = own, .count = sizeof own / sizeof own[0]},
    };
    return cli_join_options(&table, parts, sizeof parts / sizeof parts[0], count);
}

static int stop_asked(void *user)
{
    (void)user;
    return cli_stop_requested();
}

/* A page that cannot be written does not undo the training. */
static jsn_status hear(void *user, const jsn_event *event)
{
    (void)user;
    if (event->kind != JSN_EVENT_FINISHED || event->member > 0)
        return JSN_OK;
    const bool before = event->finished->result->already_finished;
    if (before)
        cli_say("%s is finished; nothing to do\n", event->run);
    if (jsn_report_run(event->run, before) != JSN_OK)
        cli_say("warning: no report: %s\n", jsn_last_error());
    return JSN_OK;
}

static void print_share(const char *name, double value)
{
    if (!isnan(value))
        cli_print("%-22s %6.2f%%\n", name, 100.0 * value);
}

static void print_result(const jsn_train_result *r)
{
    cli_print("%-22s %s\n", "run", r->run);
    cli_print("%-22s %s/report.html\n", "report", r->run);
    if (r->stopped[0] != '\0')
        cli_print("%-22s %s\n", "stopped", r->stopped);
    print_share("test accuracy (last)", r->test_acc);
    print_share("test accuracy (best)", r->test_acc_best);
    print_share("validation accuracy", r->val_acc);
    print_share("consistency", r->consistency);
    print_share("label noise, real", r->noise_real);
    cli_print("%-22s %.64s\n", "weights sha256", r->weights_sha256);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    jsn_train_config *config = &((train_values *)values)->config;
    jsn_train_result result;
    if (args->count > 1)
        return cli_usage("takes one data set; '%s' is one too many", args->items[1]);
    if (args->count == 1) {
        if (config->data != NULL)
            return cli_usage("--data and '%s' both name the data", args->items[0]);
        const jsn_status status = jsn_train_config_set(config, "data", args->items[0]);
        if (status != JSN_OK)
            return status;
    }
    cli_catch_signals();
    const jsn_watcher watcher = {.event = hear, .stop = stop_asked};
    jsn_status status = jsn_train_watched(config, 1, cli_logger(), &watcher, &result);
    if (status != JSN_OK)
        return cli_offer_out(status, config->out, "runs");
    if (!config->json) {
        print_result(&result);
        return JSN_OK;
    }
    char *text = NULL;
    status = jsn_train_result_json(&result, &text);
    if (status == JSN_OK)
        cli_print("%s\n", text);
    jsn_text_release(text);
    return status;
}

const cli_command cli_command_train = {
    .name = "train",
    .summary = "train a classifier on labels that are partly wrong",
    .usage = "DATA [OPTIONS]",
    .details =
        "DATA is a folder of images with one sub-folder per class, an archive of\n"
        "one, or a data set: builtin, cifar10:PATH, csv:FILE, ... ('jensen show\n"
        "datasets'). Options that you leave out are chosen from the data, printed,\n"
        "and stored in the run folder. Without validation or test data, a tenth of\n"
        "each class is kept for validation. The classes of --val and --test are\n"
        "matched by name: some may be missing, none may be new. The same command\n"
        "continues an unfinished run and does nothing to a finished one.",
    .library_options = options,
    .values_size = sizeof(train_values),
    .run = run,
    .deferred = true,
    .continues = true,
};
