/* train/run_plugin.c - see run_plugin.h. */
#include "train/run_plugin.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "jensen/backend.h"
#include "loss/plugin_load.h"
#include "loss/plugin_source.h"

/* Adds the plugins of a spec, which may be NULL, to a list, each once. */
static jsn_status add_plugins(const char *spec, jsni_text *list)
{
    jsni_loss_term terms[JSNI_LOSS_MAX_TERMS];
    jsni_loss_clip clip;
    size_t count = 0;
    if (spec == NULL)
        return JSN_OK;
    JSNI_TRY(jsni_loss_read_spec(spec, 0, terms, &count, &clip));
    for (size_t i = 0; i < count; i++) {
        const char *sha256 = jsni_loss_plugin_sha256(terms[i].index);
        if (sha256 != NULL && (list->data == NULL || !strstr(list->data, sha256)))
            jsni_text_format(list, "%s%s", list->length > 0 ? "/" : "", sha256);
    }
    return list->status;
}

/* A GPU compiles the source of the plugins in a spec: what is missing is said before the data
 * is read. */
static jsn_status check_sources(const char *spec, const char *device)
{
    jsni_loss_term terms[JSNI_LOSS_MAX_TERMS];
    jsni_loss_clip clip;
    jsn_device_info info;
    size_t count = 0;
    if (spec == NULL)
        return JSN_OK;
    JSNI_TRY(jsn_device_describe(device, &info));
    JSNI_TRY(jsni_loss_read_spec(spec, 0, terms, &count, &clip));
    jsn_status status = JSN_OK;
    for (size_t i = 0; info.gpu && status == JSN_OK && i < count; i++) {
        char *source = NULL, *nvcc = NULL;
        if (terms[i].plugin == NULL)
            continue;
        status = jsni_plugin_source(terms[i].plugin, &source);
        if (status == JSN_OK)
            status = jsni_plugin_compiler(&nvcc);
        jsni_free(nvcc);
        jsni_free(source);
    }
    return status;
}

jsn_status jsni_run_plugins(jsn_train_config *config)
{
    char *want = config->plugin_sha256;
    jsni_text list = {0};
    if (want != NULL && jsni_loss_plugin_at(0) == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss '%.60s' comes from a plugin: --plugin FILE.so, the file "
                         "with the SHA-256 %.64s",
                         config->loss == NULL ? "" : config->loss, want);
    jsn_status status = add_plugins(config->loss, &list);
    if (status == JSN_OK)
        status = add_plugins(config->loss_noisy, &list);
    if (status == JSN_OK && want != NULL &&
        strcmp(want, list.data == NULL ? "" : list.data) != 0)
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "plugin-sha256: the run needs a plugin with the SHA-256 "
                           "%.64s, loss '%.60s' comes from %.64s",
                           want, config->loss == NULL ? "" : config->loss,
                           list.data == NULL ? "jensen itself" : list.data);
    if (status == JSN_OK && list.length > 0)
        status = check_sources(config->loss, config->device);
    if (status == JSN_OK && list.length > 0)
        status = check_sources(config->loss_noisy, config->device);
    if (status == JSN_OK && list.length > 0 && want == NULL)
        return jsni_text_take(&list, &config->plugin_sha256);
    jsni_text_release(&list);
    return status;
}
