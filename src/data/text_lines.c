/* data/text_lines.c - see data/text_lines.h. */
#include "data/text_lines.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/number.h"
#include "data/listing.h"
#include "format/compressed.h"

jsn_status jsni_line_fail(const char *path, size_t number, const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s:%zu: %s", path, number, what);
}

jsn_status jsni_lines_read(const char *path, jsni_line_fn *fn, void *user)
{
    char *text = NULL;
    size_t length = 0;
    JSNI_TRY(jsni_file_read_any(path, &text, &length));
    jsn_status status = JSN_OK;
    if (memchr(text, 0, length) != NULL)
        status =
            jsni_fail(JSN_ERR_DATA, "%s: holds a NUL byte, so it is not a list", path);
    size_t number = 0;
    for (char *line = text; status == JSN_OK && line < text + length;) {
        char *end = strchr(line, '\n');
        char *next = end != NULL ? end + 1 : text + length;
        if (end == NULL)
            end = text + length;
        while (end > line && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
            end--;
        *end = '\0';
        number++;
        if (*line != '\0')
            status = fn(user, number, line);
        line = next;
    }
    jsni_free(text);
    return status;
}

jsn_status jsni_line_path_label(const char *path, size_t number, char *line,
                                int64_t *label)
{
    char *blank = strrchr(line, ' ');
    char *tab = strrchr(line, '\t');
    blank = tab != NULL && (blank == NULL || tab > blank) ? tab : blank;
    if (blank == NULL || !jsni_number_int(blank + 1, strlen(blank + 1), label) ||
        *label < 0 || *label > INT32_MAX)
        return jsni_line_fail(path, number, "expected a path and a class number");
    while (blank > line && (blank[-1] == ' ' || blank[-1] == '\t'))
        blank--;
    *blank = '\0';
    return JSN_OK;
}

jsn_status jsni_dataset_take_folder(const jsn_dataset *data,
                                    const jsni_dataset_request *request, char **out)
{
    *out = NULL;
    if (!request->values[0].given)
        return jsni_fail(JSN_ERR_ARGUMENT, "'%s': say where the files are: %s:DIR",
                         request->spec, data->traits.kind);
    JSNI_TRY(jsni_spec_text(&request->values[0], out));
    bool there = false;
    jsn_status status = jsni_folder_find(NULL, *out, &there);
    if (status == JSN_OK && there)
        return JSN_OK;
    if (status == JSN_OK)
        status = jsni_fail(JSN_ERR_DATA, "%s: no such folder", *out);
    jsni_free(*out);
    *out = NULL;
    return status;
}

jsn_status jsni_dataset_number_classes(jsn_dataset *data, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char name[24];
        (void)snprintf(name, sizeof name, "%zu", k);
        JSNI_TRY(jsni_dataset_add_class(data, name));
    }
    return JSN_OK;
}

typedef struct list_reading {
    const jsni_sample_list *to;
    const char *file;
} list_reading;

static jsn_status add_list_line(void *user, size_t number, char *line)
{
    const list_reading *r = user;
    int64_t label = 0;
    char name[2 * JSNI_DATASET_MAX_NAME], plain[JSNI_DATASET_MAX_NAME];
    JSNI_TRY(jsni_line_path_label(r->file, number, line, &label));
    if (label >= 1000)
        return jsni_line_fail(r->file, number, "a class number of 1000 or more");
    if ((size_t)label >= r->to->keep)
        return JSN_OK;
    if (strlen(line) >= JSNI_DATASET_MAX_NAME)
        return jsni_line_fail(r->file, number, "the path is too long");
    (void)snprintf(name, sizeof name, "%s%s", r->to->prefix, line);
    JSNI_TRY(jsni_path_plain(r->file, name, plain));
    if (strncmp(plain, r->to->prefix, strlen(r->to->prefix)) != 0)
        return jsni_line_fail(r->file, number, "no image is named");
    return jsni_dataset_add(r->to->data, r->to->split, plain, (int32_t)label);
}

jsn_status jsni_dataset_add_list(const jsni_sample_list *to, const char *file)
{
    list_reading r = {to, file};
    return jsni_lines_read(file, add_list_line, &r);
}

static jsn_status add_class_line(void *user, size_t number, char *line)
{
    const jsni_sample_list *to = user;
    (void)number;
    return to->data->traits.classes < to->keep ? jsni_dataset_add_class(to->data, line)
                                               : JSN_OK;
}

jsn_status jsni_dataset_add_synsets(const jsni_sample_list *to, const char *folder,
                                    const char *file)
{
    char *path = jsni_path_join(folder, file);
    JSNI_TRY_ALLOC(path);
    bool there = false;
    jsni_sample_list list = *to;
    jsn_status status = jsni_file_find(NULL, path, &there);
    if (status == JSN_OK && there) {
        status = jsni_lines_read(path, add_class_line, &list);
        if (status == JSN_OK && to->data->traits.classes < to->keep)
            status = jsni_fail(JSN_ERR_DATA, "%s: names %zu classes of %zu", path,
                               to->data->traits.classes, to->keep);
    } else if (status == JSN_OK) {
        status = jsni_dataset_number_classes(to->data, to->keep);
    }
    jsni_free(path);
    return status;
}
