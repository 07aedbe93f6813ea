/* format/compressed.c - decompression through libarchive; see compressed.h. */
#include "format/compressed.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"

/* libarchive has no text where it found no memory for one. */
static jsn_status damaged(const char *path, struct archive *a)
{
    const char *why = archive_error_string(a);
    if (why == NULL || archive_errno(a) == ENOMEM ||
        strstr(why, "not enough memory") != NULL)
        return jsni_fail(JSN_ERR_MEMORY, "%s: no memory to read it", path);
    return jsni_fail(JSN_ERR_DATA, "%s: cannot be decompressed: %s", path, why);
}

/* Filters only: the "archive" is the one stream behind them. */
static jsn_status open_stream(struct archive *a, struct archive_entry *entry,
                              const char *path, const char *data, size_t length)
{
    if (archive_read_support_filter_xz(a) != ARCHIVE_OK ||
        archive_read_support_filter_gzip(a) != ARCHIVE_OK ||
        archive_read_support_filter_bzip2(a) != ARCHIVE_OK ||
        archive_read_support_format_raw(a) != ARCHIVE_OK)
        return damaged(path, a);
    /* Zstandard may be missing from libarchive; then such a file fails to open. */
    (void)archive_read_support_filter_zstd(a);
    if (archive_read_open_memory(a, data, length) != ARCHIVE_OK ||
        archive_read_next_header2(a, entry) != ARCHIVE_OK)
        return damaged(path, a);
    /* A header that no filter takes would be handed through as it is. */
    if (archive_filter_code(a, 0) == ARCHIVE_FILTER_NONE)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: cannot be decompressed: damaged, or of a kind that this "
                         "libarchive lacks",
                         path);
    return JSN_OK;
}

static jsn_status inflate_all(struct archive *a, const char *path, size_t limit,
                              jsni_text *text)
{
    enum { PIECE = 1 << 16 };
    char *piece = jsni_alloc(PIECE, 1);
    JSNI_TRY_ALLOC(piece);
    jsn_status status = JSN_OK;
    for (;;) {
        const la_ssize_t n = archive_read_data(a, piece, PIECE);
        if (n <= 0) {
            if (n < 0)
                status = damaged(path, a);
            break;
        }
        if ((size_t)n > limit - text->length) {
            status = jsni_fail(JSN_ERR_DATA,
                               "%s: more than the limit of %zu bytes when decompressed",
                               path, limit);
            break;
        }
        jsni_text_add_n(text, piece, (size_t)n);
        if (text->status != JSN_OK) {
            status = text->status;
            break;
        }
    }
    jsni_free(piece);
    return status;
}

jsn_status jsni_file_read_any(const char *path, size_t limit, char **out,
                              size_t *length)
{
    char *data = NULL;
    size_t packed = 0;
    jsni_text text = {0};
    JSNI_TRY(jsni_file_read(path, limit, &data, &packed));
    if (!jsni_is_compressed(data, packed)) {
        *out = data;
        *length = packed;
        return JSN_OK;
    }
    struct archive *a = archive_read_new();
    /* An own entry: archive_read_new() does not look whether it got one. */
    struct archive_entry *entry = archive_entry_new();
    jsn_status status = a == NULL || entry == NULL
                            ? jsni_fail(JSN_ERR_MEMORY, "%s: no memory", path)
                            : open_stream(a, entry, path, data, packed);
    if (status == JSN_OK)
        status = inflate_all(a, path, limit, &text);
    archive_entry_free(entry);
    (void)archive_read_free(a);
    jsni_free(data);
    if (status == JSN_OK) {
        const size_t unpacked = text.length;
        status = jsni_text_take(&text, out);
        if (status == JSN_OK)
            *length = unpacked;
    } else {
        jsni_text_release(&text);
    }
    return status;
}
