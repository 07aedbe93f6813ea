/* train/run_name.c - see run_name.h. */
#include "train/run_name.h"

#include <ctype.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/option.h"
#include "core/sha256.h"
#include "format/yaml.h"
#include "store/run_record.h"

bool jsni_run_option_identifies(const jsn_option_info *row)
{
    return jsn_train_option_matters(row) && strcmp(row->name, "max-bad") != 0;
}

/* Options that the table had not always: runs without them keep the fingerprint, and so
 * the name, that they began with. */
static bool joined_later(const jsn_option_info *row)
{
    static const char *const later[] = {
        "labels", "early-stop",    "ema",         "finetune",   "method",
        "mixup",  "plugin-sha256", "layer-decay", "norm-stats", "l1"};
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        if (strcmp(row->name, later[i]) == 0)
            return true;
    return false;
}

jsn_status jsni_run_fingerprint(const jsn_train_config *config,
                                char out[JSNI_FINGERPRINT])
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    jsni_sha256 sha;
    jsni_sha256_init(&sha);
    for (size_t i = 0; i < count; i++) {
        if (!jsn_train_option_matters(&table[i]) ||
            (joined_later(&table[i]) && !jsni_options_is_set(&table[i], config)))
            continue;
        char *value = NULL;
        const bool own = jsni_run_option_identifies(&table[i]);
        JSNI_TRY(jsni_options_text(&table[i], config, &value));
        const char *counted = own ? value : table[i].initial;
        jsni_sha256_add(&sha, table[i].name, strlen(table[i].name) + 1);
        jsni_sha256_add(&sha, counted, strlen(counted) + 1);
        jsn_text_release(value);
    }
    jsni_sha256_hex(&sha, out);
    return JSN_OK;
}

/* Letters, digits and dots of a text, the rest as '-'. */
static void add_word(jsni_text *text, const char *from, size_t length)
{
    for (size_t i = 0; i < length && i < 40; i++) {
        const char c = from[i];
        const bool plain = isalnum((unsigned char)c) || c == '.' || c == '+';
        jsni_text_add_n(text, plain ? &c : "-", 1);
    }
}

/* Of a path only its last part. */
static void add_last(jsni_text *text, const char *spec)
{
    size_t length = strlen(spec);
    while (length > 1 && spec[length - 1] == '/')
        length--;
    size_t from = length;
    while (from > 0 && spec[from - 1] != '/')
        from--;
    add_word(text, spec + from, length - from);
}

/* Whether a path ends in "." or "..", which name nothing (and hide a folder). */
static bool is_nameless(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *last = slash != NULL ? slash + 1 : path;
    return strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
}

static void add_path(jsni_text *text, const char *spec)
{
    char *real = NULL;
    if (is_nameless(spec) && jsni_path_real(spec, &real) == JSN_OK)
        add_last(text, real);
    else
        add_last(text, spec);
    jsni_free(real);
}

static jsn_status default_folder(const jsn_train_config *config, char **out)
{
    char fingerprint[JSNI_FINGERPRINT];
    JSNI_TRY(jsni_run_fingerprint(config, fingerprint));
    jsni_text text = {0};
    jsni_text_add(&text, JSNI_RUNS "/");
    add_path(&text, config->data);
    jsni_text_add(&text, "-");
    add_word(&text, config->loss, strlen(config->loss));
    jsni_text_add(&text, "-");
    add_path(&text, config->noise);
    jsni_text_format(&text, "-s%lld-%.8s", (long long)config->seed, fingerprint);
    return jsni_text_take(&text, out);
}

jsn_status jsni_run_folder_name(const jsn_train_config *config, char **out)
{
    if (config->out == NULL)
        return default_folder(config, out);
    if (config->out[0] == '\0')
        return jsni_fail(JSN_ERR_ARGUMENT, "--out names no folder; without it the run "
                                           "gets one of its own below runs/");
    *out = jsni_text_copy(config->out);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

jsn_status jsni_run_config_text(const jsn_train_config *config, jsni_text *out)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    bool said = false;
    jsni_yaml_add_comment(out,
                          "every option of this run; jensen train --config reads it");
    for (size_t i = 0; i < count; i++) {
        char *value = NULL;
        const bool manner = jsni_run_setting_is_manner(table[i].name);
        if (!jsni_options_is_set(&table[i], config) ||
            !(manner || jsn_train_option_matters(&table[i])))
            continue;
        if (manner && !said) {
            jsni_yaml_add_comment(out,
                                  "how it was run; the result is the same for any");
            said = true;
        }
        JSNI_TRY(jsni_options_text(&table[i], config, &value));
        if (table[i].kind == JSN_OPTION_TEXT || table[i].kind == JSN_OPTION_CHOICE)
            jsni_yaml_add_text(out, table[i].name, value);
        else
            jsni_yaml_add_word(out, table[i].name, value);
        jsn_text_release(value);
    }
    return out->status;
}
