/* review/label_format.h - labels as files of other programs: what a format implements. A format
 * is one file, label_format_<id>.c, and one row in label_format_list.h. */
#ifndef JSNI_REVIEW_LABEL_FORMAT_H
#define JSNI_REVIEW_LABEL_FORMAT_H

#include "core/json.h"
#include "jensen/param.h"
#include "review/label_format_list.h"
#include "review/review_session.h"

/* An image that others are to look at. */
typedef struct jsni_label_item {
    uint32_t sample;
    const char *path, *label; /* as decided, else as given */
    const char *given, *suggested, *kind;
    double score;
    bool answered, unsure; /* by a decision that counts */
} jsni_label_item;

typedef struct jsni_label_sheet {
    const jsni_session *session;
    const jsni_label_item *items; /* [count] */
    size_t count;
    const char *prefix; /* comes before the path of an image in an address */
} jsni_label_sheet;

/* What a file says of an image. */
typedef struct jsni_label_answer {
    const char *image; /* its path, or what has this path at its end */
    const char *label; /* a class; NULL: left open */
    bool remove;       /* the image belongs to no class */
    size_t line;       /* of the file */
    size_t entry;      /* from 1: files of one line have many entries */
} jsni_label_answer;

typedef jsn_status jsni_label_answer_fn(void *user, const jsni_label_answer *answer);

typedef struct jsni_label_format {
    struct {
        const char *name, *summary;
    } info;
    bool
        asked; /* an entry is what a person answered, also where the label is the old one */
    bool bare; /* images are named without what follows the last dot of their names */
    jsn_status (*write)(const jsni_label_sheet *sheet, const char *file);
    /* Hands every answer of the file to `take`. */
    jsn_status (*read)(const char *file, jsni_label_answer_fn *take, void *user);
} jsni_label_format;

#define JSNI_DECLARE_LABEL_FORMAT(id) \
    extern const jsni_label_format jsni_label_format_##id;
JSNI_LABEL_FORMAT_LIST(JSNI_DECLARE_LABEL_FORMAT)
#undef JSNI_DECLARE_LABEL_FORMAT

jsn_entry jsni_label_format_entry(size_t index); /* all zero behind the last */

/* JSN_ERR_UNKNOWN_NAME */
JSN_MUST_CHECK jsn_status jsni_label_format_find(const char *name,
                                                 const jsni_label_format **out);

/* What is written to a file. One in the folder of the audit is its own: somebody else's link in
 * its place is not followed. */
JSN_MUST_CHECK jsn_status jsni_label_file_write(const jsni_label_sheet *sheet,
                                                const char *file, const char *text,
                                                size_t length);

/* The writer's text to a file; destroys the writer. */
JSN_MUST_CHECK jsn_status jsni_label_json_write(const jsni_label_sheet *sheet,
                                                const char *file,
                                                jsni_json_writer *writer);

/* Names without their endings: "cat/7" of "cat/7.jpg". */
typedef struct jsni_bare_names {
    char **names; /* [count], owned, and each of them */
    size_t count;
    jsni_name_index index;
} jsni_bare_names;

/*   JSN_ERR_DATA  two are the same then
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_bare_names_make(jsni_bare_names *out,
                                               const char *const *paths, size_t count);
void jsni_bare_names_release(jsni_bare_names *names); /* a zeroed one is fine */

#endif /* JSNI_REVIEW_LABEL_FORMAT_H */
