/* export/export_impl.h - a format: one file, export_<name>.c, and one row in export_list.h. */
#ifndef JSNI_EXPORT_IMPL_H
#define JSNI_EXPORT_IMPL_H

#include "export/export_list.h"
#include "jensen/export.h"
#include "jensen/param.h"
#include "train/classifier_impl.h"

typedef struct jsni_export_format {
    struct {
        const char *name, *summary;
    } info;
    jsn_status (*write)(jsn_classifier *classifier, const char *path,
                        const jsn_export_options *options);
} jsni_export_format;

#define JSNI_DECLARE_EXPORT(id) extern const jsni_export_format jsni_export_##id;
JSNI_EXPORT_LIST(JSNI_DECLARE_EXPORT)
#undef JSNI_DECLARE_EXPORT

jsn_entry jsni_export_entry(size_t index); /* all zero behind the last */

/* Names of classes and the like as a list of JSON; jsn_text_release() it. */
JSN_MUST_CHECK jsn_status jsni_export_texts(char *const *values, size_t count,
                                            char **out);

#endif /* JSNI_EXPORT_IMPL_H */
