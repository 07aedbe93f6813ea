/* noise/label_write.c - noisy labels and transition matrices as CSV files. */
#include <stdbool.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/number.h"
#include "core/text.h"
#include "jensen/limit.h"
#include "jensen/noise.h"

/* A field, quoted when it holds what would end it. */
static void add_field(jsni_text *text, const char *field)
{
    if (strpbrk(field, ",\"\r\n") == NULL) {
        jsni_text_add(text, field);
        return;
    }
    jsni_text_add(text, "\"");
    for (; *field != '\0'; field++) {
        if (*field == '"')
            jsni_text_add(text, "\"");
        jsni_text_add_n(text, field, 1);
    }
    jsni_text_add(text, "\"");
}

static jsn_status write_text(jsni_text *text, const char *path)
{
    char *data = NULL;
    const size_t length = text->length;
    JSNI_TRY(jsni_text_take(text, &data));
    const jsn_status status = jsni_file_write(path, data, length);
    jsni_free(data);
    return status;
}

jsn_status jsn_noise_write_csv(const jsn_noise_input *in,
                               const jsn_noise_result *result, const char *path)
{
    if (in == NULL || result == NULL || path == NULL ||
        result->samples != in->samples || result->labels == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "noise: NULL, or a result of other labels");
    jsni_text text = {0};
    jsni_text_add(&text, "path,given,noisy\n");
    for (size_t i = 0; i < in->samples; i++) {
        if (!result->listed[i])
            continue;
        if (in->paths != NULL)
            add_field(&text, in->paths[i]);
        else
            jsni_text_format(&text, "%zu", i);
        jsni_text_format(&text, ",%ld,%ld\n", (long)in->labels[i],
                         (long)result->labels[i]);
    }
    return write_text(&text, path);
}

jsn_status jsn_noise_write_matrix(const jsn_noise_result *result, const char *path)
{
    if (result == NULL || path == NULL || result->labels == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "noise: NULL or empty result");
    const size_t k = result->classes;
    if (result->transitions == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: a matrix of %zu classes is not written, only up to %d",
                         path, k, JSN_MATRIX_MAX_CLASSES);
    jsni_text text = {0};
    for (size_t c = 0; c < k; c++) {
        const size_t *row = result->transitions + c * k;
        size_t all = 0;
        for (size_t d = 0; d < k; d++)
            all += row[d];
        for (size_t d = 0; d < k; d++) {
            char number[JSNI_NUMBER_TEXT];
            jsni_number_format(all > 0 ? (double)row[d] / (double)all : c == d, number);
            jsni_text_format(&text, "%s%s", d == 0 ? "" : ",", number);
        }
        jsni_text_add(&text, "\n");
    }
    return write_text(&text, path);
}
