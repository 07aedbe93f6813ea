/* cli/cli_study.c - see cli_study.h. Several workers are processes of this program, each
 * with its share of the cores: a crash of one leaves the others alone. The store's URL
 * goes to them in the environment, where other users do not see a password. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli_study.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/machine.h"
#include "core/option.h"
#include "jensen/dataset.h"
#include "jensen/report.h"

extern char **environ;

#define FIELD(name) offsetof(cli_worker_values, name)

static const jsn_option_info rows[] = {
    {"jobs", 'j', JSN_OPTION_INT, "1", 1, 256, NULL, "N",
     "runs at a time on this machine; they share the cores", FIELD(jobs)},
    {"threads", 't', JSN_OPTION_INT, "0", 0, 1024, NULL, "N",
     "CPU threads of a run; 0: all cores, divided by --jobs", FIELD(threads)},
    {"device", 'd', JSN_OPTION_TEXT, NULL, 0, 0, NULL, "D",
     "auto, cpu, ref, cuda, cuda:1; default: the study's", FIELD(device)},
    {"runs", 0, JSN_OPTION_TEXT, "runs", 0, 0, NULL, "FOLDER",
     "run folders go below FOLDER/STUDY", FIELD(runs)},
    {"grace", 0, JSN_OPTION_REAL, "60", 0.2, 1e6, NULL, "SECONDS",
     "take over a running trial that shows no sign of life for this long",
     FIELD(grace)},
    {"retries", 0, JSN_OPTION_INT, "3", 0, 1000, NULL, "N",
     "how often a trial is taken over before it counts as failed", FIELD(retries)},
    {"max-trials", 0, JSN_OPTION_INT, "0", 0, 1e9, NULL, "N",
     "stop after N trials; 0: when none is left", FIELD(most)},
    {"minutes", 0, JSN_OPTION_REAL, "0", 0, 1e7, NULL, "N",
     "start no trial after N minutes; 0: no limit", FIELD(minutes)},
    {"together", 0, JSN_OPTION_INT, "0", 0, 64, NULL, "N",
     "trials of one network to train side by side; 0: 8 on a GPU, else 1",
     FIELD(group)},
};

const jsn_option_info *cli_worker_options(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

void cli_put_word(FILE *file, const char *text)
{
    bool plain = text[0] != '\0';
    for (const char *c = text; *c != '\0'; c++)
        plain =
            plain && (isalnum((unsigned char)*c) || strchr("_-+=:,./@%", *c) != NULL);
    if (plain) {
        cli_print_to(file, "%s", text);
        return;
    }
    cli_print_to(file, "'");
    for (size_t length; *text != '\0'; text += length) {
        length = strcspn(text, "'");
        cli_print_to(file, "%.*s%s", (int)length, text,
                     text[length] == '\'' ? "'\\''" : "");
        length += text[length] == '\'';
    }
    cli_print_to(file, "'");
}

const char *cli_store_url(const char *given)
{
    const char *environment = getenv("JENSEN_STORE");
    if (given != NULL)
        return given;
    return environment != NULL && environment[0] != '\0' ? environment
                                                         : JSN_SWEEP_STORE;
}

static bool in_list(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, "|");
        if (n == length && strncmp(at, name, n) == 0)
            return true;
        at += at[n] == '|' ? n + 1 : n;
    }
    return false;
}

static void join_row(cli_option_table *table, const jsn_option_info *row, size_t offset)
{
    bool letter = false;
    for (size_t k = 0; k < table->count; k++) {
        const jsn_option_info *other = &table->rows[k];
        if (strcmp(other->name, row->name) == 0)
            return;
        letter = letter || (other->letter != 0 && other->letter == row->letter);
    }
    jsn_option_info *out = &table->rows[table->count++];
    *out = *row;
    out->offset += offset;
    if (letter)
        out->letter = 0;
}

static void join_part(cli_option_table *table, const cli_option_part *part)
{
    size_t count = part->count;
    const jsn_option_info *add = part->from != NULL ? part->from(&count) : part->rows;
    for (size_t i = 0; i < count; i++)
        if (!in_list(part->without, add[i].name))
            join_row(table, &add[i], part->offset);
}

const jsn_option_info *cli_join_options(cli_option_table *table,
                                        const cli_option_part *parts, size_t part_count,
                                        size_t *count)
{
    if (table->count == 0)
        for (size_t p = 0; p < part_count; p++)
            join_part(table, &parts[p]);
    *count = table->count;
    return table->rows;
}

jsn_status cli_fill_options(const jsn_option_info *table, size_t count, void *values,
                            size_t base)
{
    for (size_t i = 0; i < count; i++) {
        const bool training = table[i].offset >= base &&
                              table[i].offset < base + sizeof(jsn_train_config);
        if (training || table[i].initial == NULL ||
            jsni_options_is_set(&table[i], values))
            continue;
        const jsn_status status =
            jsni_options_set(table, count, values, table[i].name, table[i].initial);
        if (status != JSN_OK)
            return status;
    }
    return JSN_OK;
}

jsn_status cli_check_data(const jsn_train_config *base)
{
    const char *const specs[] = {base->data, base->val, base->test};
    jsn_dataset_options options;
    jsn_dataset_options_init(&options);
    options.logger = cli_logger();
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        jsn_dataset *data = NULL;
        const jsn_status status =
            specs[i] == NULL ? JSN_OK : jsn_dataset_open(&data, specs[i], &options);
        jsn_dataset_close(data);
        if (status != JSN_OK)
            return status;
    }
    return JSN_OK;
}

/* A page that cannot be written does not undo the training. */
void cli_write_page(const char *run, void *user)
{
    (void)user;
    if (jsn_report_run(run, false) != JSN_OK) {
        const jsn_logger *logger = cli_logger();
        logger->message(logger->user, JSN_LOG_WARNING, jsn_last_error());
    }
}

static void set_worker(const cli_worker_values *v, jsn_sweep_worker *out)
{
    jsni_machine machine;
    jsn_sweep_worker_init(out);
    jsni_machine_probe(&machine);
    out->folder = v->runs;
    out->device = v->device;
    out->threads = v->threads;
    if (v->threads == 0 && v->jobs > 1) {
        out->threads = (int64_t)machine.cores / v->jobs;
        if (out->threads < 1)
            out->threads = 1;
    }
    out->grace = v->grace;
    out->retries = v->retries;
    out->most = v->most;
    out->seconds = 60.0 * v->minutes;
    out->group = v->group;
    out->ended = cli_write_page;
}

static int stop_asked(void *user)
{
    (void)user;
    return cli_stop_requested();
}

static jsn_status work_here(const char *url, const char *study,
                            const cli_worker_values *v, bool wait)
{
    jsn_sweep *sweep = NULL;
    jsn_sweep_worker worker;
    jsn_status status = jsn_sweep_open(&sweep, url, study);
    if (status != JSN_OK)
        return status;
    set_worker(v, &worker);
    worker.wait = wait;
    status = jsn_sweep_work(sweep, &worker, cli_logger(), stop_asked, NULL, NULL);
    jsn_sweep_close(sweep);
    return status;
}

/* A process of its own group: Ctrl-C reaches it once, from us. Its standard input is
 * `input`, see open_leash(). `most`: trials to start, 0: as many as there are. */
static int start_worker(const char *study, const cli_worker_values *v, int64_t most,
                        int input, pid_t *pid)
{
    char threads[24], grace[32], retries[24], minutes[32], together[24], trials[24];
    jsn_sweep_worker settings;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    set_worker(v, &settings);
    (void)snprintf(threads, sizeof threads, "%lld", (long long)settings.threads);
    (void)snprintf(grace, sizeof grace, "%.17g", v->grace);
    (void)snprintf(minutes, sizeof minutes, "%.17g", v->minutes);
    (void)snprintf(retries, sizeof retries, "%lld", (long long)v->retries);
    (void)snprintf(together, sizeof together, "%lld", (long long)v->group);
    (void)snprintf(trials, sizeof trials, "%lld", (long long)most);
    const char *words[] = {
        "jensen",  "sweep",         "worker",     study,      "--threads",    threads,
        "--grace", grace,           "--retries",  retries,    "--minutes",    minutes,
        "--runs",  v->runs,         "--together", together,   "--max-trials", trials,
        "--wait",  "--stop-at-eof", "-q",         "--device", v->device,      NULL};
    if (v->device == NULL)
        words[sizeof words / sizeof words[0] - 3] = NULL;
    int code = posix_spawnattr_init(&attributes);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_init(&actions);
    if (code == 0) {
        code = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        if (code == 0)
            code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        if (code == 0)
            code = posix_spawnattr_setpgroup(&attributes, 0);
        if (code == 0)
            code = posix_spawn(pid, "/proc/self/exe", &actions, &attributes,
                               (char *const *)words, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)posix_spawnattr_destroy(&attributes);
    return code;
}

static void show(const jsn_sweep_counts *counts, const char *study)
{
    const jsn_logger *logger = cli_logger();
    const size_t ended = counts->complete + counts->pruned + counts->failed;
    char detail[96];
    (void)snprintf(detail, sizeof detail, "%zu running, %zu waiting, %zu failed",
                   counts->running, counts->waiting, counts->failed);
    const char *const parts[] = {detail};
    const jsn_progress p = {.size = sizeof p,
                            .what = study,
                            .done = ended,
                            .total = ended + counts->running + counts->waiting,
                            .left = NAN,
                            .parts = parts,
                            .part_count = 1};
    logger->progress(logger->user, &p);
}

/* Waits for the workers, showing the study; the first failing one's exit code. */
static int watch(pid_t *pids, size_t count, jsn_sweep *sweep)
{
    int worst = 0;
    bool told = false;
    for (size_t left = count; left > 0;) {
        const struct timespec pause = {0, 200000000L};
        jsn_sweep_counts counts;
        for (size_t i = 0; i < count; i++) {
            int state = 0;
            if (pids[i] == 0 || waitpid(pids[i], &state, WNOHANG) != pids[i])
                continue;
            const int code = WIFEXITED(state) ? WEXITSTATUS(state) : CLI_FAILED;
            if (code != 0 && worst == 0)
                worst = code;
            pids[i] = 0;
            left--;
        }
        if (cli_stop_requested() && !told) {
            told = true;
            for (size_t i = 0; i < count; i++)
                if (pids[i] != 0)
                    (void)kill(pids[i], SIGTERM);
        }
        if (jsn_sweep_count(sweep, &counts) == JSN_OK)
            show(&counts, jsn_sweep_about(sweep).name);
        if (left > 0)
            (void)nanosleep(&pause, NULL);
    }
    return worst;
}

/* What an exit code of a worker stands for, so that ours is the same. */
static jsn_status status_of(int code)
{
    switch (code) {
    case CLI_BAD_DATA:
        return JSN_ERR_DATA;
    case CLI_NO_DEVICE:
        return JSN_ERR_DEVICE;
    case CLI_NETWORK:
        return JSN_ERR_NETWORK;
    default:
        return JSN_ERR_IO;
    }
}

/* A pipe into which nobody writes. Workers read from it; the other end is in this
 * process alone, so that they see the end of their input when it dies of whatever. */
static int open_leash(int ends[2])
{
    if (pipe(ends) != 0)
        return errno;
    for (int i = 0; i < 2; i++)
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0)
            return errno;
    return 0;
}

static void close_leash(const int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            (void)close(ends[i]);
}

static jsn_status work_beside(const char *url, const char *study,
                              const cli_worker_values *v)
{
    enum { MOST = 256 };
    pid_t pids[MOST] = {0};
    jsn_sweep *sweep = NULL;
    size_t started = 0;
    int leash[2] = {-1, -1};
    if (setenv("JENSEN_STORE", url, 1) != 0)
        return cli_usage("no memory for the environment");
    const jsn_status status = jsn_sweep_open(&sweep, url, study);
    if (status != JSN_OK)
        return status;
    int code = open_leash(leash);
    while (started < (size_t)v->jobs && code == 0) {
        const int64_t index = (int64_t)started;
        const int64_t share = v->most / v->jobs + (index < v->most % v->jobs);
        if (v->most > 0 && share == 0)
            break;
        code = start_worker(jsn_sweep_about(sweep).name, v, share, leash[0],
                            &pids[started]);
        started += code == 0;
    }
    int worst = watch(pids, started, sweep);
    close_leash(leash);
    jsn_sweep_counts counts = {.waiting = 1};
    if (worst != 0 && jsn_sweep_count(sweep, &counts) == JSN_OK &&
        counts.waiting + counts.running == 0) {
        const jsn_logger *logger = cli_logger();
        logger->message(logger->user, JSN_LOG_WARNING,
                        "a worker was lost; the others have done its part");
        worst = 0;
    }
    jsn_sweep_close(sweep);
    if (code != 0)
        return cli_usage("a worker cannot be started: %s", strerror(code));
    if (cli_stop_requested() || worst == CLI_STOPPED)
        return JSN_ERR_STOPPED;
    return worst == 0
               ? JSN_OK
               : cli_fail(status_of(worst),
                          "a worker failed with code %d; what was done is kept", worst);
}

jsn_status cli_work(const char *url, const char *study, const cli_worker_values *v,
                    bool wait)
{
    cli_catch_signals();
    return v->jobs > 1 ? work_beside(url, study, v) : work_here(url, study, v, wait);
}

/* The recipe whose network, epochs and the like the runs of a preset have. */
static const char *recipe_of(const jsn_sweep_plan *plan)
{
    if (strcmp(plan->preset, "webvision") == 0)
        return "webvision/gjs";
    return plan->dataset != NULL && strcmp(plan->dataset, "cifar100") == 0
               ? "cifar100/sym-40/gjs"
               : "cifar10/sym-40/gjs";
}

jsn_status cli_fill_preset(jsn_sweep_plan *plan, jsn_train_config *base)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_sweep_plan_options(&count);
    jsn_status status = JSN_OK;
    if (plan->preset == NULL)
        return JSN_OK;
    const bool noisy = strcmp(plan->preset, "noisy-validation") == 0;
    /* Labels of a file may bring the images that are validated on. */
    const bool brings =
        plan->noise_from != NULL && strncmp(plan->noise_from, "file:", 5) == 0;
    if (base->recipe == NULL)
        status = jsn_train_config_set(base, "recipe", recipe_of(plan));
    if (status == JSN_OK && !(base->val_fraction >= 0.0) && base->val == NULL &&
        !brings)
        status = jsn_train_config_set(base, "val-fraction", "0.1");
    if (status == JSN_OK && noisy)
        status = jsn_train_config_set(base, "val-labels", "noisy");
    /* Of runs on all images, without validation, it is the test accuracy. */
    if (status == JSN_OK && strcmp(plan->objective, "auto") == 0 && plan->retrain == 0)
        status = jsni_options_set(table, count, plan, "objective",
                                  noisy ? "val_acc_noisy" : "val_acc");
    return status;
}
