/* loss/plugin_define.h - the record by which a plugin tells of its loss: what loss/row.h
 * makes of JSNI_LOSS_DEFINE() in a plugin, and what jsn_loss_load() reads. */
#ifndef JSNI_LOSS_PLUGIN_DEFINE_H
#define JSNI_LOSS_PLUGIN_DEFINE_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/loss.h"

/* Raised when the meaning of the record, of a row or of a gradient changes. */
#define JSNI_PLUGIN_VERSION 1
#define JSNI_PLUGIN_MAGIC   "jensen loss"
#define JSNI_PLUGIN_SYMBOL  "jsni_loss_plugin_record"

/* What is read before anything else of the record is: the same in all versions. */
typedef struct jsni_plugin_head {
    char magic[12]; /* JSNI_PLUGIN_MAGIC */
    uint32_t version;
    uint32_t record_bytes, row_bytes, grad_bytes; /* as the plugin was compiled */
} jsni_plugin_head;

typedef struct jsni_plugin_record {
    jsni_plugin_head head;
    const char *name, *summary;
    const jsn_param_info *params; /* [param_count], or NULL */
    size_t param_count;
    int kind;
    int prepares; /* has a function that makes constants, which a plugin cannot */
    jsni_row_fn *row;
} jsni_plugin_record;

#define JSNI_PLUGIN_HEAD                                                    \
    {                                                                       \
        JSNI_PLUGIN_MAGIC, JSNI_PLUGIN_VERSION, sizeof(jsni_plugin_record), \
            sizeof(jsni_row), sizeof(jsni_grad)                             \
    }

#ifdef JSNI_PLUGIN
#define JSNI_LOSS_DEFINE(id, text, summary_text, kind, param_infos, param_total, \
                         prepare_fn)                                             \
    __attribute__((visibility(                                                   \
        "default"))) extern const jsni_plugin_record jsni_loss_plugin_record;    \
    const jsni_plugin_record jsni_loss_plugin_record = {                         \
        JSNI_PLUGIN_HEAD, (text), (summary_text),       (param_infos),           \
        (param_total),    (kind), (prepare_fn) != NULL, id##_row}
#endif

#endif /* JSNI_LOSS_PLUGIN_DEFINE_H */
