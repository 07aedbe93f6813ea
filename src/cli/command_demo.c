/* cli/command_demo.c - the two-minute comparison: cross-entropy and GJS on the built-in
 * pictures, four labels of ten drawn anew. Both get the same network, data, epochs and
 * search over the learning rate; docs/demo.md has the search and five seeds. The table
 * is printed whatever it says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_progress.h"
#include "core/stats.h"
#include "core/words.h"
#include "jensen/report.h"
#include "jensen/train.h"

enum { LOSSES = 2, MOST_SEEDS = 100, LINE_EVERY = 10 };

static const struct {
    const char *name, *title, *loss, *lr;
} contestants[LOSSES] = {
    {"ce", "cross-entropy", "ce", "0.1"},
    {"gjs", "GJS", "gjs:pi1=0.5", "0.1"},
};

typedef struct demo_values {
    char *out, *device;
    int64_t seed, seeds, epochs, size, threads;
} demo_values;

static const jsn_option_info options[] = {
    CLI_OUT_ROW(demo_values, "demo", "DIR", "folder of the runs and the page"),
    {"seed", 's', JSN_OPTION_INT, "1", 0, 1e15, NULL, "N", "the first seed",
     offsetof(demo_values, seed)},
    {"seeds", 0, JSN_OPTION_INT, "1", 1, MOST_SEEDS, NULL, "N",
     "repeat with N seeds: mean and deviation", offsetof(demo_values, seeds)},
    {"epochs", 'e', JSN_OPTION_INT, "40", 1, 100000, NULL, "N",
     "passes over the pictures", offsetof(demo_values, epochs)},
    {"size", 0, JSN_OPTION_INT, "2000", 100, 1e6, NULL, "N", "training pictures",
     offsetof(demo_values, size)},
    CLI_THREADS_ROW(demo_values),
    CLI_DEVICE_ROW(demo_values, "auto, cpu, ref, cuda"),
};

/* What a run says by itself is for those who want to know more; see hear(). */
static void pass_message(void *user, jsn_log_level level, const char *text)
{
    (void)user;
    cli_logger()->message(cli_logger()->user,
                          level == JSN_LOG_INFO ? JSN_LOG_DEBUG : level, text);
}

static void pass_progress(void *user, const jsn_progress *progress)
{
    (void)user;
    cli_logger()->progress(cli_logger()->user, progress);
}

static int stop_asked(void *user)
{
    (void)user;
    return cli_stop_requested();
}

/* Of every run only some epochs are worth a line, unless all are shown; a page at its
 * end. */
static jsn_status hear(void *user, const jsn_event *event)
{
    char text[256];
    (void)user;
    if (event->kind == JSN_EVENT_FINISHED)
        return jsn_report_run(event->run, event->finished->result->already_finished);
    if (event->kind != JSN_EVENT_EPOCH)
        return JSN_OK;
    const jsn_epoch *e = event->epoch;
    if (!cli_progress_shows_all() &&
        (e->epoch % LINE_EVERY == 0 || e->epoch == e->epochs)) {
        jsn_epoch_text(e, text, sizeof text);
        cli_logger()->message(cli_logger()->user, JSN_LOG_INFO, text);
    }
    return JSN_OK;
}

static jsn_status train_one(const demo_values *v, size_t loss, int64_t seed,
                            const char *folder, jsn_train_result *result)
{
    const jsn_logger logger = {NULL, pass_message, pass_progress};
    const jsn_watcher watcher = {.event = hear, .stop = stop_asked};
    char data[64], epochs[32], seeds[32], threads[32];
    (void)snprintf(data, sizeof data, "builtin:size=%lld,test=1000",
                   (long long)v->size);
    (void)snprintf(epochs, sizeof epochs, "%lld", (long long)v->epochs);
    (void)snprintf(seeds, sizeof seeds, "%lld", (long long)seed);
    (void)snprintf(threads, sizeof threads, "%lld", (long long)v->threads);
    const struct {
        const char *name, *value;
    } settings[] = {
        {"data", data},
        {"noise", "sym:rate=0.4"},
        {"loss", contestants[loss].loss},
        {"lr", contestants[loss].lr},
        {"network", "cnn:width=16"},
        {"augment", "weak"},
        {"batch", "32"},
        {"schedule", "step:at=0.6/0.85,factor=0.1"},
        {"consistency", "every"},
        {"epochs", epochs},
        {"seed", seeds},
        {"threads", threads},
        {"device", v->device},
        {"out", folder},
    };
    jsn_train_config config;
    jsn_train_config_clear(&config);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < sizeof settings / sizeof settings[0];
         i++)
        status = jsn_train_config_set(&config, settings[i].name, settings[i].value);
    if (status == JSN_OK)
        status = jsn_train_watched(&config, 1, &logger, &watcher, result);
    jsn_train_config_release(&config);
    return status;
}

/* Mean over the seeds, with the deviation when there are several. */
static void print_number(const jsn_train_result *results, size_t seeds, size_t offset,
                         double scale, int decimals)
{
    double values[MOST_SEEDS];
    char text[64], part[32] = "";
    for (size_t i = 0; i < seeds; i++)
        values[i] = scale * *(const double *)((const char *)&results[i] + offset);
    (void)snprintf(text, sizeof text, "%.*f", decimals, jsni_stats_mean(values, seeds));
    if (seeds > 1)
        (void)snprintf(part, sizeof part, " +- %.*f", decimals,
                       jsni_stats_deviation(values, seeds));
    (void)strncat(text, part, sizeof text - strlen(text) - 1);
    cli_print("  %15s", text);
}

static void print_table(const jsn_train_result *results, size_t seeds)
{
    static const struct {
        const char *title;
        int decimals;
        size_t offset;
        double scale;
    } lines[] = {
        {"test accuracy, last epoch, %", 2, offsetof(jsn_train_result, test_acc), 100},
        {"test accuracy, best epoch, %", 2, offsetof(jsn_train_result, test_acc_best),
         100},
        {"mislabelled: true class found, %", 2,
         offsetof(jsn_train_result, train_acc_noisy), 100},
        {"consistency, label right, %", 2, offsetof(jsn_train_result, consistency_true),
         100},
        {"consistency, label wrong, %", 2,
         offsetof(jsn_train_result, consistency_noisy), 100},
        {"time, s", 0, offsetof(jsn_train_result, seconds), 1},
    };
    cli_print("\n%-34s", "");
    for (size_t l = 0; l < LOSSES; l++)
        cli_print("  %15s", contestants[l].title);
    cli_print("\n");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        cli_print("%-34s", lines[i].title);
        for (size_t l = 0; l < LOSSES; l++)
            print_number(results + l * seeds, seeds, lines[i].offset, lines[i].scale,
                         lines[i].decimals);
        cli_print("\n");
    }
    size_t ahead = 0;
    for (size_t s = 0; s < seeds; s++)
        ahead += results[seeds + s].test_acc > results[s].test_acc;
    cli_print("\n%.1f%% of the labels are wrong (nominal rate 40%%, the true class "
              "may be drawn again).\nGJS is ahead in %zu of %zu %s.\n",
              100.0 * results[0].noise_real, ahead, seeds,
              jsni_noun(seeds, "seed", "seeds"));
}

static void print_next(const demo_values *v, const char *folder)
{
    cli_print("\nSee %s/report.html. Next (jensen is build/release/jensen until "
              "'make install'):\n"
              "  jensen report %s          the page of one run\n"
              "  jensen demo --seeds 5 --out demo5       five seeds\n"
              "  jensen train photos/                    your own folder, one "
              "sub-folder a class\n"
              "  jensen predict %s photos/ --csv out.csv\n"
              "  jensen show recipes                     the paper's experiments\n",
              v->out, folder, folder);
}

static jsn_status compare(const demo_values *v, jsn_train_result *results,
                          const char **folders)
{
    const size_t seeds = (size_t)v->seeds;
    char page[JSN_TRAIN_PATH + 32];
    for (size_t s = 0; s < seeds; s++)
        for (size_t l = 0; l < LOSSES; l++) {
            char folder[JSN_TRAIN_PATH];
            const int64_t seed = v->seed + (int64_t)s;
            const int length =
                snprintf(folder, sizeof folder, "%s/%s-e%lld-s%lld", v->out,
                         contestants[l].name, (long long)v->epochs, (long long)seed);
            if (length < 0 || (size_t)length >= sizeof folder)
                return cli_usage("--out is too long");
            cli_say("training with %s, seed %lld (%s)\n", contestants[l].title,
                    (long long)seed, folder);
            jsn_train_result *result = &results[l * seeds + s];
            const jsn_status status = train_one(v, l, seed, folder, result);
            if (status != JSN_OK)
                return status;
            folders[l * seeds + s] = result->run;
        }
    (void)snprintf(page, sizeof page, "%s/report.html", v->out);
    const jsn_status status =
        jsn_report_write(folders, LOSSES * seeds,
                         "Cross-entropy and GJS, 40% symmetric label noise", page);
    if (status != JSN_OK)
        return status;
    print_table(results, seeds);
    print_next(v, folders[seeds]);
    return JSN_OK;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const demo_values *v = values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    const size_t count = LOSSES * (size_t)v->seeds;
    jsn_train_result *results = calloc(count, sizeof *results);
    const char **folders = calloc(count, sizeof *folders);
    jsn_status status = JSN_ERR_MEMORY;
    cli_catch_signals();
    if (results != NULL && folders != NULL)
        status = compare(v, results, folders);
    free(results);
    free(folders);
    return status;
}

const cli_command cli_command_demo = {
    .name = "demo",
    .summary = "the two-minute comparison on the built-in pictures",
    .usage = "[OPTIONS]",
    .details =
        "Trains the same small network twice on pictures with 40% symmetric label\n"
        "noise: with cross-entropy and with GJS, each at the learning rate that the\n"
        "same search found for it. Prints a table and writes DIR/report.html. Runs\n"
        "that are finished are not trained again.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(demo_values),
    .run = run,
};
