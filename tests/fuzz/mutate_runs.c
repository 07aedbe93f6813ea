/* tests/fuzz/mutate_runs.c - run folders damaged in many ways, read by what reads them.
 *
 *     mutate_runs [CASES [FIRST [KEEP]]]
 *
 * Trains a small run and an ensemble, then takes case after case: links their files into a
 * new folder, damages one to three of them (bits, cuts, JSON values, links, missing and
 * empty files), in half of the cases without the checksums that would give it away, and
 * lets report, check, predict and eval read the folder, and training continue in it. Each
 * case is a process: a crash (or a finding of a sanitizer), more than ten seconds, a status
 * that blames the command instead of the file, and anything written outside of the folder
 * are counted and named by the number of the case, which FIRST repeats. The folder KEEP
 * gets a copy of each such case. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/hd.h"
#include "core/text.h"
#include "fuzz/fuzz.h"
#include "jensen/classifier.h"
#include "jensen/option.h"
#include "jensen/report.h"
#include "jensen/run_check.h"
#include "jensen/train.h"
#include "train/classifier_impl.h"

enum { MOST_SECONDS = 10, MOST_FILE = 1 << 22, BLAMED = 9 };

static uint64_t state; /* of the generator, from the number of the case */

static size_t draw(size_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return below == 0 ? 0 : (size_t)(state >> 33) % below;
}

static jsn_status train(const char *members, const char *out)
{
    const char *const options[][2] = {
        {"data", "builtin:size=40,test=20"},
        {"network", "mlp:width=2"},
        {"device", "ref"},
        {"loss", "ce"},
        {"augment", "none"},
        {"epochs", "2"},
        {"batch", "10"},
        {"threads", "1"},
        {"workers", "0"},
        {"val-fraction", "0.25"},
        {"noise", "sym:rate=0.4"},
        {"members", members},
        {"out", out},
    };
    jsn_train_config config;
    jsn_train_result result;
    jsn_status status = JSN_OK;
    jsn_train_config_clear(&config);
    for (size_t i = 0; status == JSN_OK && i < JSNI_COUNT_OF(options); i++)
        status = jsn_train_config_set(&config, options[i][0], options[i][1]);
    if (status == JSN_OK)
        status = jsn_train(&config, NULL, NULL, NULL, &result);
    jsn_train_config_release(&config);
    return status;
}

static char source[200]; /* the folder that is taken, below the working folder */

static int link_entry(const char *path, const struct stat *info, int kind,
                      struct FTW *where)
{
    char to[400];
    (void)info;
    (void)where;
    (void)snprintf(to, sizeof to, "case/run%s", path + strlen(source));
    return kind == FTW_D ? mkdir(to, 0777) : link(path, to);
}

static int remove_entry(const char *path, const struct stat *info, int kind,
                        struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static void put(const char *path, const char *data, size_t size)
{
    (void)unlink(path); /* the file is a link to the sound one */
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL && fwrite(data, 1, size, file) == size &&
               fclose(file) == 0);
}

/* ---- damage ----------------------------------------------------------------------- */

static void add_value(jsni_text *out)
{
    static const char *const values[] = {"1e308",
                                         "-1e308",
                                         "1e-310",
                                         "5e-324",
                                         "0",
                                         "-1",
                                         "1e30",
                                         "17",
                                         "0.5",
                                         "1.0000001",
                                         "null",
                                         "true",
                                         "\"\"",
                                         "[]",
                                         "{}",
                                         "\"x\"",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "\"../../../x\"",
                                         "\"/etc/passwd\"",
                                         "\"\\u001b[2J\\u202e\"",
                                         "[[1,2],[3]]",
                                         "\"mlp:width=1\"",
                                         "\"randaugment:n=9\""};
    const size_t kind = draw(JSNI_COUNT_OF(values) + 2);
    if (kind < JSNI_COUNT_OF(values)) {
        jsni_text_add(out, values[kind]);
        return;
    }
    const bool deep = kind == JSNI_COUNT_OF(values);
    const size_t count = deep ? 20 + draw(300) : 1 + draw(90000);
    jsni_text_add(out, deep ? "" : "\"");
    for (size_t i = 0; i < count; i++)
        jsni_text_add(out, deep ? "[" : "n");
    for (size_t i = 0; deep && i < count; i++)
        jsni_text_add(out, "]");
    jsni_text_add(out, deep ? "" : "\"");
}

/* Another value in place of one behind ':', ',', '[' or a space. */
static void replace_value(jsni_text *out, const char *data, size_t size)
{
    size_t at = draw(size + 1);
    while (at < size && strchr(":,[ ", data[at]) == NULL)
        at++;
    at += at < size;
    size_t end = at;
    if (end < size && data[end] == '"')
        for (end++; end < size && data[end] != '"';)
            end++;
    while (end < size && strchr(",]}\n", data[end]) == NULL)
        end++;
    jsni_text_add_n(out, data, at);
    add_value(out);
    jsni_text_add_n(out, data + end, size - end);
}

static void damage(const char *path)
{
    char *data = NULL;
    size_t size = 0;
    if (jsni_file_read(path, MOST_FILE, &data, &size) != JSN_OK)
        return; /* damaged already */
    jsni_text out = {0};
    switch (draw(12)) {
    case 0:
        (void)unlink(path);
        break;
    case 1:
        put(path, "", 0);
        break;
    case 2:
        put(path, data, draw(size + 1));
        break;
    case 3: /* a link, to itself, to a folder or to a file of another kind */
        (void)unlink(path);
        FUZZ_CHECK(symlink(draw(2)   ? "."
                           : draw(2) ? "config.yaml"
                                     : "/etc/hostname",
                           path) == 0);
        break;
    case 4: { /* a part twice */
        const size_t from = draw(size + 1), length = draw(size - from + 1);
        jsni_text_add_n(&out, data, from + length);
        jsni_text_add_n(&out, data + from, size - from);
        break;
    }
    case 5:
    case 6:
        for (size_t flips = 1 + draw(4); size > 0 && flips > 0; flips--)
            data[draw(size)] ^= (char)(1 << draw(8));
        put(path, data, size);
        break;
    default:
        replace_value(&out, data, size);
    }
    if (out.length > 0)
        put(path, out.data, out.length);
    jsni_text_release(&out);
    jsni_free(data);
}

/* A run of an earlier version, whose files nothing vouches for. */
static void unsign(const char *path)
{
    char *data = NULL;
    size_t size = 0;
    if (jsni_file_read(path, MOST_FILE, &data, &size) != JSN_OK)
        return;
    char *key = strstr(data, "\"files\"");
    if (key != NULL) {
        memcpy(key, "\"filez\"", 7);
        put(path, data, size);
    }
    jsni_free(data);
}

static void damage_some(void)
{
    static const char *const files[] = {"evaluation.json",
                                        "evaluation.json",
                                        "evaluation.json",
                                        "model.json",
                                        "model.json",
                                        "metrics.jsonl",
                                        "metrics.jsonl",
                                        "result.json",
                                        "result.json",
                                        "config.yaml",
                                        "environment.json",
                                        "model.safetensors",
                                        "model-best.safetensors",
                                        "checkpoint.safetensors",
                                        "labels.csv",
                                        "doubtful.csv",
                                        "doubtful/01.png"};
    const bool ensemble = strcmp(source, "both") == 0;
    if (draw(2) == 0) {
        unsign("case/run/result.json");
        unsign("case/run/member-1/result.json");
        unsign("case/run/member-2/result.json");
    }
    for (size_t count = 1 + draw(3); count > 0; count--) {
        char path[200];
        (void)snprintf(path, sizeof path, "case/run/%s%s",
                       ensemble && draw(2) ? "member-1/" : "",
                       files[draw(JSNI_COUNT_OF(files))]);
        damage(path);
    }
}

/* ---- reading ---------------------------------------------------------------------- */

/* What a file may be refused with. */
static void expect(const char *what, jsn_status status)
{
    if (status == JSN_OK || status == JSN_ERR_DATA || status == JSN_ERR_IO ||
        status == JSN_ERR_NUMERIC)
        return;
    printf("%s: %s: %s\n", what, jsn_status_text(status), jsn_last_error());
    (void)fflush(stdout);
    _exit(BLAMED);
}

static void read_page(void)
{
    const char *runs[] = {"case/run"};
    char *text = NULL;
    expect("page", jsn_report_write(runs, 1, NULL, "case/run/report.html"));
    expect("table", jsn_report_table(runs, 1, NULL, "csv", &text));
    jsn_text_release(text);
    jsn_run_checked checked;
    const jsn_status status = jsn_run_check(&checked, runs[0]);
    expect("check", status);
    if (status == JSN_OK)
        jsn_run_checked_release(&checked);
}

static void read_model(void)
{
    jsn_classifier *c = NULL;
    jsn_classifier_options o;
    jsn_classifier_scores scores = {0};
    jsn_classifier_options_init(&o);
    o.run = "case/run";
    o.device = "ref";
    o.threads = 1;
    o.batch = 4;
    const jsn_status status = jsn_classifier_create(&c, &o);
    expect("predict", status);
    if (status != JSN_OK)
        return;
    expect("eval",
           jsni_classifier_evaluate(c, "builtin:size=40,test=20", 1, NULL, &scores));
    jsn_classifier_scores_release(&scores);
    jsn_classifier_close(c);
}

/* The command that made the run, given again before its end. */
static void continue_run(void)
{
    (void)unlink("case/run/result.json");
    const jsn_status status =
        train(strcmp(source, "both") == 0 ? "2" : "1", "case/run");
    if (status != JSN_ERR_ARGUMENT) /* another run's options, says the folder */
        expect("train", status);
}

static void run_case(size_t number)
{
    state = number * 2654435761u + 1u;
    (void)alarm(MOST_SECONDS);
    (void)snprintf(source, sizeof source, "%s", draw(4) == 0 ? "both" : "run");
    FUZZ_CHECK(mkdir("case", 0777) == 0);
    FUZZ_CHECK(nftw(source, link_entry, 16, FTW_PHYS) == 0);
    damage_some();
    read_page();
    read_model();
    continue_run();
}

/* Runs `fn` in a process of its own; its wait status. */
static int apart(void (*fn)(size_t), size_t number)
{
    int status = 0;
    (void)fflush(stdout);
    const pid_t child = fork();
    FUZZ_CHECK(child >= 0);
    if (child == 0) {
        fn(number);
        exit(0);
    }
    FUZZ_CHECK(waitpid(child, &status, 0) == child);
    return status;
}

static void train_both(size_t unused)
{
    (void)unused;
    if (train("1", "run") != JSN_OK || train("2", "both") != JSN_OK) {
        printf("%s\n", jsn_last_error());
        exit(1);
    }
}

/* Entries of a folder; what is more than there should be was written outside. */
static size_t entries_of(const char *folder)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    if (jsni_folder_list(folder, &entries, &count) != JSN_OK)
        return 0;
    jsni_folder_free(entries, count);
    return count;
}

static void keep_case(const char *folder, size_t number)
{
    char command[500];
    if (folder == NULL)
        return;
    (void)snprintf(command, sizeof command, "/bin/cp -a case '%s/case-%zu'", folder,
                   number);
    (void)!system(command);
}

int main(int argc, char **argv)
{
    const size_t cases = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 300;
    const size_t first = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 0;
    const char *keep = argc > 3 ? argv[3] : NULL;
    char folder[] = "/tmp/jensen-mutate-XXXXXX",
         memory[] = "/dev/shm/jensen-mutate-XXXXXX";
    char *work = access("/dev/shm", W_OK) == 0 ? memory : folder;
    size_t crashes = 0, hangs = 0, blamed = 0, outside = 0;
    FUZZ_CHECK(mkdtemp(work) != NULL && chdir(work) == 0);
    FUZZ_CHECK(apart(train_both, 0) == 0);
    for (size_t i = first; i < first + cases; i++) {
        const int status = apart(run_case, i);
        const bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
        const bool blame = WIFEXITED(status) && WEXITSTATUS(status) == BLAMED;
        const bool wrote = entries_of(".") != 3 || entries_of("case") != 1;
        hangs += hang;
        blamed += blame;
        outside += wrote;
        crashes += status != 0 && !hang && !blame;
        if (status != 0 || wrote) {
            printf("case %zu: %s\n", i,
                   hang    ? "hangs"
                   : blame ? "blames the command"
                   : wrote ? "writes outside"
                           : "crashes");
            keep_case(keep, i);
        }
        (void)nftw("case", remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
    FUZZ_CHECK(chdir("/") == 0);
    (void)nftw(work, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    printf("%zu cases: %zu crashes, %zu hangs, %zu written outside, %zu blamed on the "
           "command\n",
           cases, crashes, hangs, outside, blamed);
    return crashes + hangs + outside + blamed != 0;
}
