/* data/text_lines.h - the lines of a list file ("path label"), and what the data sets
 * made from such files share. */
#ifndef JSNI_DATA_TEXT_LINES_H
#define JSNI_DATA_TEXT_LINES_H

#include "data/dataset_impl.h"

/* Calls fn for every line that is not blank, without its end; `number` counts from 1.
 * The line may be changed by fn. Stops at the first failure, which is returned. Reads
 * compressed files, too.
 *   JSN_ERR_DATA  cannot be read, beyond the limit `file`, holds a NUL byte */
typedef jsn_status jsni_line_fn(void *user, size_t number, char *line);
JSN_MUST_CHECK jsn_status jsni_lines_read(const char *path, jsni_line_fn *fn,
                                          void *user);

/* JSN_ERR_DATA with "path:line: what". */
jsn_status jsni_line_fail(const char *path, size_t number, const char *what);

/* Cuts "path label" at its last blank: the path is left in `line`. */
JSN_MUST_CHECK jsn_status jsni_line_path_label(const char *path, size_t number,
                                               char *line, int64_t *label);

/* The entry's first parameter as an owned folder path; refuses its absence. */
JSN_MUST_CHECK jsn_status jsni_dataset_take_folder(const jsn_dataset *data,
                                                   const jsni_dataset_request *request,
                                                   char **out);

/* Classes named "0" .. "count - 1". */
JSN_MUST_CHECK jsn_status jsni_dataset_number_classes(jsn_dataset *data, size_t count);

/* Where the samples of a list file go; the thousand classes of ImageNet and WebVision. */
typedef struct jsni_sample_list {
    jsn_dataset *data;
    jsn_split split;
    const char *prefix; /* put before every path, "" or with a slash at its end */
    size_t keep;        /* classes: samples of later ones are left out */
} jsni_sample_list;

/* Adds the first `keep` classes: the lines of a file of WordNet ids, each with the name
 * behind it or without, or numbers where the folder has no such file.
 *   JSN_ERR_DATA  the file has fewer lines */
JSN_MUST_CHECK jsn_status jsni_dataset_add_synsets(const jsni_sample_list *to,
                                                   const char *folder,
                                                   const char *file);

/* Adds the samples of `file`, lines of a path and a class number below 1000.
 *   JSN_ERR_DATA  as jsni_lines_read(); a line that is otherwise, a path that leads
 *                 outside */
JSN_MUST_CHECK jsn_status jsni_dataset_add_list(const jsni_sample_list *to,
                                                const char *file);

#endif /* JSNI_DATA_TEXT_LINES_H */
