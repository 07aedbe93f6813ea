/* study/study_name.c - see study_name.h. */
#include "study/study_name.h"

#include <string.h>

#include "core/hd.h"
#include "core/option.h"
#include "core/sha256.h"
#include "sweep/sweep_impl.h"

enum { HASH = 8 }; /* hexadecimal digits at the end of a name */

const jsn_option_info *jsni_study_next_option(const jsn_train_config *config,
                                              size_t *at)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    while (*at < count) {
        const jsn_option_info *option = &table[(*at)++];
        if (jsn_train_option_matters(option) && jsni_options_is_set(option, config))
            return option;
    }
    return NULL;
}

bool jsni_study_names_data(const char *option)
{
    return strcmp(option, "data") == 0 || strcmp(option, "val") == 0 ||
           strcmp(option, "test") == 0;
}

jsn_status jsni_study_options(const jsn_train_config *config, const char *between,
                              bool data, jsni_text *out)
{
    const jsn_option_info *option;
    const char *separator = "";
    for (size_t i = 0; (option = jsni_study_next_option(config, &i)) != NULL;) {
        char *text = NULL;
        if (strcmp(option->name, "device") == 0)
            continue;
        JSNI_TRY(jsni_options_text(option, config, &text));
        jsni_text_format(out, "%s%s=%s", separator, option->name,
                         data || !jsni_study_names_data(option->name) ? text : "");
        jsn_text_release(text);
        separator = between;
    }
    return out->status;
}

jsn_status jsni_study_name(const char *prefix, const jsn_train_config *config,
                           const jsn_sweep_pair *more, jsni_text *name)
{
    jsni_text options = {0};
    char hex[JSNI_SHA256_HEX];
    jsni_sha256 sha;
    jsn_status status = jsni_study_options(config, "\n", true, &options);
    if (more != NULL)
        jsni_text_format(&options, "\n%s=%s", more->name, more->text);
    if (status == JSN_OK)
        status = options.status;
    jsni_sha256_init(&sha);
    if (options.length > 0)
        jsni_sha256_add(&sha, options.data, options.length);
    jsni_sha256_hex(&sha, hex);
    jsni_text_release(&options);
    jsni_text_format(name, "%s%.*s", prefix, HASH, hex);
    return status == JSN_OK ? name->status : status;
}

/* Whether a study was named by the function above. */
static bool is_named(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && strlen(name) == length + HASH &&
           strspn(name + length, "0123456789abcdef") == HASH;
}

/* Whether the options that a study's runs share are `options`. Those that this version
 * does not know are others. */
static jsn_status shares(const jsn_sweep *sweep, const char *options, bool *out)
{
    jsn_train_config config;
    jsni_text own = {0};
    *out = false;
    jsn_train_config_clear(&config);
    jsn_status status = jsni_sweep_base(sweep, &config);
    if (status == JSN_OK)
        status = jsni_study_options(&config, "\n", false, &own);
    if (status == JSN_OK)
        *out = strcmp(own.data == NULL ? "" : own.data, options) == 0;
    jsni_text_release(&own);
    jsn_train_config_release(&config);
    return status == JSN_ERR_MEMORY ? status : JSN_OK;
}

/* The best of `names`. */
static jsn_status choose(jsn_sweep **out, const jsn_sweep *beside,
                         const jsni_store_rows *names, const char *prefix,
                         const char *options)
{
    size_t most = 1;
    for (size_t i = 0; i < names->rows; i++) {
        const char *name = jsni_store_cell(names, i, 0);
        jsn_sweep_counts counts = {0};
        jsn_sweep *sweep = NULL;
        bool wanted = false;
        if (!is_named(name, prefix))
            continue;
        jsn_status status = jsn_sweep_open_to_read(&sweep, beside->store->url, name);
        if (status == JSN_ERR_ARGUMENT || status == JSN_ERR_DATA)
            continue; /* removed meanwhile, or another program's */
        if (status == JSN_OK)
            status = shares(sweep, options, &wanted);
        if (status == JSN_OK)
            status = jsn_sweep_count(sweep, &counts);
        if (status == JSN_OK && wanted && counts.complete >= most) {
            jsn_sweep *worse = *out;
            most = counts.complete;
            *out = sweep;
            sweep = worse;
        }
        jsn_sweep_close(sweep);
        JSNI_TRY(status);
    }
    return JSN_OK;
}

jsn_status jsni_study_choose(jsn_sweep **out, const jsn_sweep *beside,
                             const char *prefix, const jsn_train_config *config)
{
    jsni_store_rows names = {0};
    jsni_text options = {0};
    *out = NULL;
    jsn_status status = jsni_study_options(config, "\n", false, &options);
    if (status == JSN_OK)
        status = jsni_study_names(beside->store, &names);
    if (status == JSN_OK)
        status = choose(out, beside, &names, prefix,
                        options.data == NULL ? "" : options.data);
    if (status != JSN_OK) {
        jsn_sweep_close(*out);
        *out = NULL;
    }
    jsni_store_rows_release(&names);
    jsni_text_release(&options);
    return status;
}
