/* train/run_begun.c - see run_begun.h. */
#include "train/run_begun.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/option.h"
#include "train/run_differs.h"
#include "train/run_name.h"

jsn_status jsni_config_copy(jsn_train_config *out, const jsn_train_config *from)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    jsn_status status = JSN_OK;
    jsn_train_config_clear(out);
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        char *text = NULL;
        if (table[i].kind == JSN_OPTION_TEXTS || table[i].kind == JSN_OPTION_FLAG ||
            !jsni_options_is_set(&table[i], from))
            continue;
        status = jsni_options_text(&table[i], from, &text);
        if (status == JSN_OK)
            status = jsn_train_config_set(out, table[i].name, text);
        jsn_text_release(text);
    }
    out->json = from->json;
    if (status != JSN_OK)
        jsn_train_config_release(out);
    return status;
}

jsn_status jsni_run_begun_in(const char *folder, const jsn_train_config *config,
                             bool *begun)
{
    char wanted[JSNI_FINGERPRINT];
    *begun = false;
    JSNI_TRY(jsni_run_fingerprint(config, wanted));
    /* A file that cannot be read, or that somebody has edited, is no such run's. */
    char has[JSNI_FINGERPRINT] = "";
    jsn_train_config kept;
    jsn_train_config_clear(&kept);
    jsn_status status = jsni_run_config_read(folder, &kept);
    if (status == JSN_OK)
        status = jsni_run_fingerprint(&kept, has);
    *begun = status == JSN_OK && strcmp(has, wanted) == 0;
    jsn_train_config_release(&kept);
    return status == JSN_ERR_IO || status == JSN_ERR_MEMORY ? status : JSN_OK;
}

jsn_status jsni_run_begun_with(const jsn_train_config *config, bool *begun)
{
    char *folder = NULL;
    *begun = false;
    JSNI_TRY(jsni_run_folder_name(config, &folder));
    const jsn_status status = jsni_run_begun_in(folder, config, begun);
    jsni_free(folder);
    return status;
}
