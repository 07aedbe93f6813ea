/* Fuzz target: a study that others have written to. Each line of the input changes one column of
 * the study's tables; then it is read, judged and exported, in one of the formats by the input's length.
 * covers: store/trial_read.c store/study.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/fuzz_folder.h"
#include "jensen/jensen.h"
#include "store/store_impl.h"

/* By the first letter of a line; the rest of the line is the value, as text. The forms
 * that a value takes follow the letters. */
static const char *const columns[] = {"studies.study_name",
                                      "study_directions.direction",
                                      "study_directions.objective",
                                      "study_user_attributes.key",
                                      "study_user_attributes.value_json",
                                      "study_system_attributes.value_json",
                                      "trials.number",
                                      "trials.study_id",
                                      "trials.state",
                                      "trials.datetime_start",
                                      "trials.datetime_complete",
                                      "trial_user_attributes.key",
                                      "trial_user_attributes.value_json",
                                      "trial_system_attributes.value_json",
                                      "trial_params.param_name",
                                      "trial_params.param_value",
                                      "trial_params.distribution_json",
                                      "trial_values.value",
                                      "trial_values.value_type",
                                      "trial_values.objective",
                                      "trial_heartbeats.heartbeat",
                                      "trials.trial_id",
                                      "studies.study_id"};
static const char *const forms[] = {
    "$1",   "CAST($1 AS INTEGER)", "CAST($1 AS REAL)", "CAST($1 AS BLOB)", "NULL",
    "9e999"};
enum {
    COLUMNS = sizeof columns / sizeof columns[0],
    FORMS = sizeof forms / sizeof forms[0]
};

static char sound[100], changed[100];
static sqlite3
    *kept[2]; /* a database in memory is there as long as somebody has it open */

/* Databases are in memory from here on; the program only looks whether there are files of
 * their names. */
static void keep_in_memory(void)
{
    FUZZ_CHECK(sqlite3_initialize() == SQLITE_OK);
    FUZZ_CHECK(sqlite3_vfs_register(sqlite3_vfs_find("memdb"), 1) == SQLITE_OK);
    fuzz_folder_begin();
    fuzz_folder_put("sound.db", "", 0);
    fuzz_folder_put("changed.db", "", 0);
    (void)snprintf(sound, sizeof sound, "%s/sound.db", fuzz_folder);
    (void)snprintf(changed, sizeof changed, "%s/changed.db", fuzz_folder);
    FUZZ_CHECK(sqlite3_open(sound, &kept[0]) == SQLITE_OK);
    FUZZ_CHECK(sqlite3_open(changed, &kept[1]) == SQLITE_OK);
}

/* A study of two trials, one of them with a result. */
static void make_study(void)
{
    jsn_train_config config;
    jsn_sweep_plan plan = {0};
    jsn_sweep *sweep = NULL;
    jsni_store *store = NULL;
    keep_in_memory();
    jsn_train_config_clear(&config);
    FUZZ_CHECK(jsn_train_config_set(&config, "data", "builtin:size=20") == JSN_OK &&
               jsn_train_config_set(&config, "epochs", "1") == JSN_OK &&
               jsn_sweep_plan_init(&plan) == JSN_OK &&
               jsn_texts_add(&plan.axes, "lr=0.1,0.2") == JSN_OK &&
               jsn_sweep_create(&sweep, sound, "s", &plan, &config) == JSN_OK);
    jsn_sweep_close(sweep);
    jsn_sweep_plan_release(&plan);
    jsn_train_config_release(&config);
    FUZZ_CHECK(jsni_store_open(&store, sound, JSNI_STORE_WRITE) == JSN_OK);
    static const char *const rows[] = {
        "UPDATE trials SET state = 'COMPLETE' WHERE number = 0",
        "INSERT INTO trial_values (trial_id, objective, value, value_type) "
        "SELECT trial_id, 0, 0.5, 'FINITE' FROM trials WHERE number = 0",
        "INSERT INTO trial_user_attributes (trial_id, \"key\", value_json) "
        "SELECT trial_id, 'run', '\"runs/x\"' FROM trials WHERE number = 0"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        FUZZ_CHECK(jsni_store_run(store, rows[i], NULL, 0, NULL, NULL) == JSN_OK);
    jsni_store_close(store);
}

/* Takes back what the last input changed. */
static void copy_study(void)
{
    sqlite3_backup *copy = sqlite3_backup_init(kept[1], "main", kept[0], "main");
    FUZZ_CHECK(copy != NULL && sqlite3_backup_step(copy, -1) == SQLITE_DONE);
    FUZZ_CHECK(sqlite3_backup_finish(copy) == SQLITE_OK);
}

/* "aBvalue": column a, form B, on every row. What SQLite refuses is not changed. */
static void change(jsni_store *store, char *line)
{
    if (strlen(line) < 2)
        return;
    char sql[256], table[64];
    const char *column = columns[(unsigned char)line[0] % COLUMNS];
    const char *form = forms[(unsigned char)line[1] % FORMS];
    const char *value = line + 2, *dot = strchr(column, '.');
    (void)snprintf(table, sizeof table, "%.*s", (int)(dot - column), column);
    (void)snprintf(sql, sizeof sql, "UPDATE OR IGNORE %s SET \"%s\" = %s", table,
                   dot + 1, form);
    (void)!jsni_store_run(store, sql, &value, 1, NULL, NULL);
}

static void check(jsn_status status)
{
    FUZZ_CHECK(status == JSN_OK || jsn_last_error()[0] != '\0');
    FUZZ_CHECK(status != JSN_ERR_MEMORY);
}

static void use_study(size_t format)
{
    static const char *const formats[] = {"csv", "markdown", "latex", "html"};
    jsn_sweep *sweep = NULL;
    jsn_sweep_trial *trials = NULL;
    jsn_sweep_counts counts;
    size_t count = 0;
    const jsn_status opened = jsn_sweep_open_to_read(&sweep, changed, NULL);
    check(opened);
    if (opened != JSN_OK)
        return;
    check(jsn_sweep_count(sweep, &counts));
    if (jsn_sweep_trials(sweep, &trials, &count) == JSN_OK) {
        jsn_sweep_choice choice = {0};
        check(jsn_sweep_choose(sweep, trials, count, NULL, &choice));
        jsn_sweep_choice_release(&choice);
    }
    jsn_sweep_trials_release(trials, count);
    char *text = NULL;
    check(jsn_study_export(sweep, NULL, formats[format % 4], NULL, &text));
    jsn_text_release(text);
    jsn_sweep_close(sweep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char input[4097];
    if (sound[0] == '\0')
        make_study();
    if (size >= sizeof input)
        return 0;
    memcpy(input, data, size);
    input[size] = '\0';
    copy_study();
    jsni_store *store = NULL;
    FUZZ_CHECK(jsni_store_open(&store, changed, JSNI_STORE_WRITE) == JSN_OK);
    for (char *rest = input, *line; (line = strsep(&rest, "\n")) != NULL;)
        change(store, line);
    jsni_store_close(store);
    use_study(size);
    return 0;
}
