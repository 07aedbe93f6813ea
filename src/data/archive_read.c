/* data/archive_read.c - see data/archive.h; on libarchive. */
#define _POSIX_C_SOURCE 200809L
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/folder.h"
#include "data/archive.h"
#include "data/archive_link.h"
#include "data/dataset_impl.h"
#include "data/listing.h"

enum { ROOM = 1 << 20, BLOCK = 1 << 18, MOST_TIMES = 1000 };

/* Small archives of very regular pictures may compress beyond MOST_TIMES. */
static const uint64_t free_bytes = (uint64_t)64 << 20;

typedef struct reading {
    const char *path;
    struct archive *archive;
    const jsni_archive_visitor *visitor;
    uint64_t size; /* of the archive file */
    uint64_t read; /* bytes out of it so far */
    uint8_t *buffer;
    size_t room;
} reading;

/* libarchive has no text where it found no memory for one. */
static jsn_status archive_failed(const reading *r)
{
    const char *text = archive_error_string(r->archive);
    if (text == NULL || archive_errno(r->archive) == ENOMEM ||
        strstr(text, "not enough memory") != NULL)
        return jsni_fail(JSN_ERR_MEMORY, "%s: no memory to read it", r->path);
    return jsni_fail(JSN_ERR_DATA, "%s: cannot be read as an archive: %s", r->path,
                     text);
}

static jsn_status make_room(reading *r, size_t wanted)
{
    if (wanted <= r->room)
        return JSN_OK;
    const size_t size = wanted > 2 * r->room ? wanted : 2 * r->room;
    uint8_t *larger = jsni_realloc(r->buffer, size, 1);
    JSNI_TRY_ALLOC(larger);
    r->buffer = larger;
    r->room = size;
    return JSN_OK;
}

/* The whole current member into the buffer. Its stated size is a hint alone: the limit
 * holds for what really comes out. */
static jsn_status read_member(reading *r, struct archive_entry *entry, const char *name,
                              size_t *length)
{
    const int64_t stated =
        archive_entry_size_is_set(entry) ? archive_entry_size(entry) : BLOCK;
    const size_t limit = r->visitor->member_limit;
    *length = 0;
    if (stated < 0 || (uint64_t)stated > limit)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: member %s has %lld bytes, more than the "
                         "limit of %zu",
                         r->path, name, (long long)stated, limit);
    JSNI_TRY(make_room(r, (size_t)stated + 1));
    for (;;) {
        if (*length == r->room)
            JSNI_TRY(make_room(r, *length + BLOCK));
        const la_ssize_t got =
            archive_read_data(r->archive, r->buffer + *length, r->room - *length);
        if (got == ARCHIVE_RETRY)
            continue;
        if (got < 0)
            return archive_failed(r);
        if (got == 0)
            return JSN_OK;
        *length += (size_t)got;
        r->read += (uint64_t)got;
        if (*length > limit)
            return jsni_fail(JSN_ERR_DATA,
                             "%s: member %s is larger than the limit of "
                             "%zu bytes",
                             r->path, name, limit);
        if (r->read > free_bytes && r->read / MOST_TIMES > r->size)
            return jsni_fail(JSN_ERR_DATA, "%s: expands to more than %d times its size",
                             r->path, (int)MOST_TIMES);
    }
}

/* A hard link names a member from the top, a symbolic one from its own folder. */
static jsn_status visit_link(const reading *r, struct archive_entry *entry,
                             const char *name)
{
    const bool hard = archive_entry_hardlink(entry) != NULL;
    const char *raw =
        hard ? archive_entry_hardlink_utf8(entry) : archive_entry_symlink_utf8(entry);
    char target[JSNI_DATASET_MAX_NAME] = "";
    if (raw == NULL)
        raw = hard ? archive_entry_hardlink(entry) : archive_entry_symlink(entry);
    if (raw == NULL || r->visitor->link == NULL)
        return JSN_OK;
    if (hard ? jsni_path_plain(r->path, raw, target) != JSN_OK
             : !jsni_link_target(name, raw, target))
        target[0] = '\0';
    return r->visitor->link(r->visitor->user, name, target);
}

static jsn_status visit(reading *r, struct archive_entry *entry)
{
    const jsni_archive_visitor *v = r->visitor;
    const char *raw = archive_entry_pathname_utf8(entry);
    if (raw == NULL)
        raw = archive_entry_pathname(entry);
    if (raw == NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: a member's name is not UTF-8", r->path);
    char name[JSNI_DATASET_MAX_NAME];
    JSNI_TRY(jsni_path_plain(r->path, raw, name));
    if (name[0] == '\0')
        return JSN_OK;
    if (archive_entry_hardlink(entry) != NULL ||
        archive_entry_filetype(entry) == AE_IFLNK)
        return visit_link(r, entry, name);
    if (archive_entry_filetype(entry) == AE_IFDIR)
        return v->folder != NULL ? v->folder(v->user, name) : JSN_OK;
    if (archive_entry_filetype(entry) != AE_IFREG || !v->wants(v->user, name))
        return JSN_OK;
    if (archive_entry_is_data_encrypted(entry))
        return jsni_fail(JSN_ERR_DATA, "%s: member %s is encrypted", r->path, name);
    size_t length = 0;
    JSNI_TRY(read_member(r, entry, name, &length));
    return v->file(v->user, name, r->buffer, length);
}

static jsn_status visit_all(reading *r, struct archive_entry *entry)
{
    const jsn_logger *logger = r->visitor->logger;
    uint64_t said = 0;
    for (;;) {
        const int result = archive_read_next_header2(r->archive, entry);
        if (result == ARCHIVE_EOF)
            break;
        if (result == ARCHIVE_RETRY)
            continue;
        if (result < ARCHIVE_WARN)
            return archive_failed(r);
        JSNI_TRY(visit(r, entry));
        const la_int64_t at = archive_filter_bytes(r->archive, -1);
        const uint64_t done = at > 0 && (uint64_t)at < r->size ? (uint64_t)at : 0;
        if (logger != NULL && logger->progress != NULL && done > said + r->size / 100) {
            logger->progress(logger->user, "reading archive", done, r->size, "");
            said = done;
        }
    }
    if (logger != NULL && logger->progress != NULL)
        logger->progress(logger->user, "reading archive", r->size, r->size, "");
    return JSN_OK;
}

/* A filter or format that is missing from libarchive is a warning. libarchive 3.6 closes a
 * filter that was never opened when liblzma finds no memory. */
static jsn_status start(const reading *r)
{
    JSNI_TRY(jsni_alloc_room(ROOM));
    if (archive_read_support_filter_all(r->archive) < ARCHIVE_WARN ||
        archive_read_support_format_tar(r->archive) < ARCHIVE_WARN ||
        archive_read_support_format_zip(r->archive) < ARCHIVE_WARN ||
        archive_read_open_filename(r->archive, r->path, BLOCK) != ARCHIVE_OK)
        return archive_failed(r);
    return JSN_OK;
}

static jsn_status walk(const char *path, const jsni_archive_visitor *visitor)
{
    jsni_file_identity identity;
    JSNI_TRY(jsni_file_identify(path, &identity));
    reading r = {path, archive_read_new(), visitor, identity.size, 0, NULL, 0};
    /* An own entry: archive_read_new() does not look whether it got one. */
    struct archive_entry *entry = archive_entry_new();
    jsn_status status = JSN_OK;
    if (r.archive == NULL || entry == NULL)
        status = jsni_fail(JSN_ERR_MEMORY, "libarchive could not be started");
    else
        status = start(&r);
    if (status == JSN_OK)
        status = visit_all(&r, entry);
    archive_entry_free(entry);
    (void)archive_read_free(r.archive);
    jsni_free(r.buffer);
    return status;
}

/* libarchive turns names that are marked as UTF-8 into the characters of the locale, and
 * loses those that it has no characters for. So this thread gets one that has them all. */
jsn_status jsni_archive_walk(const char *path, const jsni_archive_visitor *visitor)
{
    static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
    locale_t wide = (locale_t)0;
    for (size_t i = 0; wide == (locale_t)0 && i < sizeof names / sizeof names[0]; i++) {
        locale_t now = duplocale(uselocale((locale_t)0));
        if (now != (locale_t)0)
            wide = newlocale(LC_CTYPE_MASK, names[i], now);
        if (now != (locale_t)0 && wide == (locale_t)0)
            freelocale(now);
    }
    if (wide == (locale_t)0) /* plain names are read all the same */
        return walk(path, visitor);
    const locale_t before = uselocale(wide);
    const jsn_status status = walk(path, visitor);
    (void)uselocale(before);
    freelocale(wide);
    return status;
}
