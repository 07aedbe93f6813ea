/* store/run_record.c - see run_record.h. config.yaml is flat and written by this
 * library, so that its lines are read here without libyaml: reports work in any build. */
#include "store/run_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "store/record_epoch.h"
#include "store/record_field.h"
#include "store/run_files.h"
#include "store/run_folder.h"
#include "store/run_rows.h"

enum { MOST_MEMBERS = 64 };
#define MOST_CONFIG_BYTES ((size_t)4 << 20)

static jsn_status add_setting(jsni_run_record *run, const char *name, size_t length,
                              const char *value)
{
    jsni_run_setting *grown =
        jsni_realloc(run->settings, run->setting_count + 1, sizeof *grown);
    JSNI_TRY_ALLOC(grown);
    run->settings = grown;
    jsni_run_setting *last = &grown[run->setting_count];
    last->name = jsni_text_copy_n(name, length);
    last->value = jsni_text_copy(value);
    run->setting_count++;
    return last->name == NULL || last->value == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

/* "name: value", the value bare or in double quotes. */
static jsn_status read_line(jsni_run_record *run, const char *where, const char *line)
{
    const char *colon = strstr(line, ": ");
    if (line[0] == '#' || line[0] == '\0')
        return JSN_OK;
    if (colon == NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: '%.60s' is no 'name: value'", where, line);
    const size_t length = (size_t)(colon - line);
    const char *value = colon + 2;
    if (value[0] != '"')
        return add_setting(run, line, length, value);
    jsni_json *text = NULL;
    JSNI_TRY(jsni_json_parse(&text, where, value, strlen(value)));
    const jsn_status status = add_setting(run, line, length, jsni_json_text(text));
    jsni_json_destroy(text);
    return status;
}

static jsn_status read_config(jsni_run_record *run)
{
    char *data = NULL, *path = NULL;
    size_t length = 0;
    JSNI_TRY(jsni_file_read_in(run->path, JSNI_RUN_CONFIG, MOST_CONFIG_BYTES, &data,
                               &length));
    path = jsni_path_join(run->path, JSNI_RUN_CONFIG);
    jsn_status status = path == NULL ? JSN_ERR_MEMORY : JSN_OK;
    char *next = NULL;
    size_t number = 1;
    for (char *line = data; status == JSN_OK && line != NULL; line = next, number++) {
        char where[1100];
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        (void)snprintf(where, sizeof where, "%s:%zu", path, number);
        status = read_line(run, where, line);
    }
    jsni_free(path);
    jsni_free(data);
    return status;
}

static jsn_status read_records(jsni_run_record *run)
{
    JSNI_TRY(jsni_record_evaluation_read(&run->evaluation, run->path, &run->evaluated));
    JSNI_TRY(jsni_record_result_read(&run->result, run->path, &run->finished));
    JSNI_TRY(jsni_record_open(run->path, JSNI_RUN_ENVIRONMENT, &run->environment));
    /* What was just read, last: a sentence about a line is worth more. */
    static const char *const read[] = {JSNI_RUN_CONFIG, JSNI_RUN_METRICS,
                                       JSNI_RUN_EVALUATION, JSNI_RUN_ENVIRONMENT};
    for (size_t i = 0; i < JSNI_COUNT_OF(read); i++)
        JSNI_TRY(jsni_run_files_verify(&run->result, run->path, read[i], true));
    return JSN_OK;
}

/* Lines of bad_images.csv without its heading; it is a remark, not a result, and one
 * that cannot be read counts as none. */
static jsn_status count_bad_images(jsni_run_record *run)
{
    char *data = NULL;
    bool there = false;
    size_t length = 0;
    jsn_status status = jsni_file_find(run->path, JSNI_RUN_BAD_IMAGES, &there);
    if (status == JSN_OK && there)
        status = jsni_file_read_in(run->path, JSNI_RUN_BAD_IMAGES, MOST_CONFIG_BYTES,
                                   &data, &length);
    for (size_t i = 0; status == JSN_OK && i + 1 < length; i++)
        run->bad_images += data[i] == '\n';
    jsni_free(data);
    return status == JSN_ERR_DATA ? JSN_OK : status;
}

/* The last part of the path, whatever slashes end it. */
static char *last_part(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t from = end;
    while (from > 0 && path[from - 1] != '/')
        from--;
    return jsni_text_copy_n(path + from, end - from);
}

static jsn_status read_settings(jsni_run_record *run, const char *folder)
{
    bool there = false;
    JSNI_TRY_ALLOC(run->path = jsni_text_copy(folder));
    JSNI_TRY_ALLOC(run->name = last_part(folder));
    JSNI_TRY(jsni_file_find(folder, JSNI_RUN_CONFIG, &there));
    if (!there)
        return jsni_fail(JSN_ERR_DATA, "%s: not a run folder (there is no %s)", folder,
                         JSNI_RUN_CONFIG);
    return read_config(run);
}

jsn_status jsni_run_settings_check(const char *folder)
{
    jsni_run_record run = {0};
    const jsn_status status = read_settings(&run, folder);
    jsni_run_record_release(&run);
    return status;
}

/* One folder, without those of members. */
static jsn_status read_folder(jsni_run_record *run, const char *folder)
{
    JSNI_TRY(read_settings(run, folder));
    JSNI_TRY(jsni_run_rows_read(run->path, &run->rows, &run->epochs));
    JSNI_TRY(read_records(run));
    return count_bad_images(run);
}

/* Members have none of their own: a link to the folder itself would never end. */
static jsn_status read_members(jsni_run_record *run)
{
    jsni_run_record *members = jsni_alloc_zero(MOST_MEMBERS, sizeof *members);
    JSNI_TRY_ALLOC(members);
    run->members = members;
    for (size_t m = 0; m < MOST_MEMBERS; m++) {
        char name[32];
        (void)snprintf(name, sizeof name, "member-%zu", m + 1);
        char *path = jsni_path_join(run->path, name);
        JSNI_TRY_ALLOC(path);
        bool there = false;
        jsn_status status = jsni_folder_find(run->path, name, &there);
        run->member_count += there;
        if (status == JSN_OK && there)
            status = read_folder(&members[m], path);
        jsni_free(path);
        if (!there || status != JSN_OK)
            return status;
    }
    return JSN_OK;
}

jsn_status jsni_run_record_read(jsni_run_record *run, const char *folder)
{
    *run = (jsni_run_record){0};
    jsn_status status = read_folder(run, folder);
    if (status == JSN_OK)
        status = read_members(run);
    if (status != JSN_OK)
        jsni_run_record_release(run);
    return status;
}

void jsni_run_record_release(jsni_run_record *run)
{
    for (size_t i = 0; i < run->setting_count; i++) {
        jsni_free(run->settings[i].name);
        jsni_free(run->settings[i].value);
    }
    for (size_t m = 0; m < run->member_count; m++)
        jsni_run_record_release(&run->members[m]);
    jsni_record_evaluation_release(&run->evaluation);
    jsni_record_result_release(&run->result);
    jsni_json_destroy(run->environment);
    jsni_free(run->members);
    jsni_free(run->settings);
    jsni_free(run->rows);
    jsni_free(run->path);
    jsni_free(run->name);
    *run = (jsni_run_record){0};
}

const char *jsni_run_record_setting(const jsni_run_record *run, const char *name)
{
    for (size_t i = 0; i < run->setting_count; i++)
        if (strcmp(run->settings[i].name, name) == 0)
            return run->settings[i].value;
    return "";
}

bool jsni_run_setting_is_manner(const char *name)
{
    static const char *const manners[] = {"threads", "workers", "checkpoint-minutes"};
    for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++)
        if (strcmp(name, manners[i]) == 0)
            return true;
    return false;
}

bool jsni_run_setting_tells_apart(const char *name)
{
    return strcmp(name, "seed") != 0 && !jsni_run_setting_is_manner(name);
}

size_t jsni_run_record_curve(const jsni_run_record *run, const char *key, double *out)
{
    size_t finite = 0;
    for (size_t i = 0; i < run->epochs; i++) {
        out[i] = jsni_epoch_number(&run->rows[i], key);
        finite += isfinite(out[i]) != 0;
    }
    return finite;
}

double jsni_run_record_result(const jsni_run_record *run, const char *key)
{
    if (run->finished)
        return jsni_record_number(&run->result.numbers, key);
    return run->epochs == 0 ? NAN : jsni_epoch_number(&run->rows[run->epochs - 1], key);
}
