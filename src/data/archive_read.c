/* data/archive_read.c - see data/archive.h; on libarchive.
 *
 * A compressed archive is decompressed by format/compressed.h and handed over in pieces,
 * so that all that comes out is counted: headers and members that are skipped as well.
 * libarchive itself gets no filter, and the formats tar and zip.
 */
#define _POSIX_C_SOURCE 200809L
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/limit.h"
#include "core/progress.h"
#include "data/archive.h"
#include "data/archive_link.h"
#include "data/dataset_impl.h"
#include "data/listing.h"
#include "format/compressed.h"

/* Headers hold names and, of sparse files, maps, for which libarchive takes twenty times
 * their bytes. */
enum { ROOM = 1 << 20, BLOCK = 1 << 16, MOST_HEADER = 8 << 20 };

typedef struct reading {
    const char *path;
    struct archive *archive;
    const jsni_archive_visitor *visitor;
    jsni_unpacker *unpacker; /* NULL: the archive is not compressed as a whole */
    jsn_status status;       /* why `unpacker` gave nothing */
    size_t header;           /* bytes of it since the last member ended; 0: in one */
    uint64_t size;           /* of the archive file */
    uint64_t read;           /* bytes out of its members so far */
    uint8_t *buffer;
    size_t room;
} reading;

/* libarchive has no text where it found no memory for one. */
static jsn_status archive_failed(const reading *r)
{
    if (r->status != JSN_OK)
        return r->status;
    return jsni_archive_fail(r->path, "cannot be read as an archive",
                             archive_error_string(r->archive),
                             archive_errno(r->archive));
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
    const uint64_t limit = jsni_limit(JSNI_LIMIT_MEMBER);
    *length = 0;
    if (stated < 0 || (uint64_t)stated > limit)
        return jsni_limit_fail(JSNI_LIMIT_MEMBER, "%s: member %s", r->path, name);
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
            return jsni_limit_fail(JSNI_LIMIT_MEMBER, "%s: member %s", r->path, name);
        if (r->read > jsni_limit(JSNI_LIMIT_ARCHIVE))
            return jsni_limit_fail(JSNI_LIMIT_ARCHIVE, "%s", r->path);
        JSNI_TRY(jsni_limit_ratio(r->path, r->size, r->read));
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

/* How far the archive file has been read. */
static uint64_t bytes_done(const reading *r)
{
    const la_int64_t at = archive_filter_bytes(r->archive, -1);
    if (r->unpacker != NULL)
        return jsni_unpacker_at(r->unpacker);
    return at > 0 && (uint64_t)at < r->size ? (uint64_t)at : 0;
}

static jsn_status visit_all(reading *r, struct archive_entry *entry)
{
    const jsn_logger *logger = r->visitor->logger;
    uint64_t said = 0;
    for (;;) {
        r->header = 1;
        const int result = archive_read_next_header2(r->archive, entry);
        r->header = 0;
        if (result == ARCHIVE_EOF)
            break;
        if (result == ARCHIVE_RETRY)
            continue;
        if (result < ARCHIVE_WARN)
            return archive_failed(r);
        JSNI_TRY(visit(r, entry));
        if (archive_read_data_skip(r->archive) < ARCHIVE_WARN)
            return archive_failed(r);
        const uint64_t done = bytes_done(r);
        if (done > said + r->size / 100) {
            jsni_progress(logger, "reading archive", done, r->size);
            said = done;
        }
    }
    jsni_progress(logger, "reading archive", r->size, r->size);
    return JSN_OK;
}

/* libarchive's call for more of a compressed archive. */
static la_ssize_t next_piece(struct archive *archive, void *user, const void **piece)
{
    reading *r = user;
    size_t length = 0;
    r->status = jsni_unpacker_next(r->unpacker, piece, &length);
    if (r->header > 0 && (r->header += length) > MOST_HEADER && r->status == JSN_OK)
        r->status =
            jsni_fail(JSN_ERR_DATA, "%s: a member's header has more than %d MiB",
                      r->path, MOST_HEADER >> 20);
    if (r->status == JSN_OK)
        return (la_ssize_t)length;
    archive_set_error(archive, EIO, "%s", jsn_last_error());
    return ARCHIVE_FATAL;
}

static jsn_status open_archive(reading *r)
{
    JSNI_TRY(jsni_alloc_room(ROOM)); /* libarchive crashes when there is none */
    errno = 0;
    JSNI_TRY(jsni_unpacker_open(&r->unpacker, r->path));
    if (archive_read_support_format_tar(r->archive) != ARCHIVE_OK)
        return archive_failed(r);
    if (r->unpacker != NULL)
        return archive_read_open(r->archive, r, NULL, next_piece, NULL) == ARCHIVE_OK
                   ? JSN_OK
                   : archive_failed(r);
    if (archive_read_support_format_zip(r->archive) != ARCHIVE_OK ||
        archive_read_open_filename(r->archive, r->path, BLOCK) != ARCHIVE_OK)
        return archive_failed(r);
    return JSN_OK;
}

static jsn_status walk(const char *path, const jsni_archive_visitor *visitor)
{
    jsni_file_identity identity;
    JSNI_TRY(jsni_file_identify(path, &identity));
    reading r = {.path = path,
                 .archive = archive_read_new(),
                 .visitor = visitor,
                 .size = identity.size};
    /* An own entry: archive_read_new() does not look whether it got one. */
    struct archive_entry *entry = archive_entry_new();
    jsn_status status = JSN_OK;
    if (r.archive == NULL || entry == NULL)
        status = jsni_fail(JSN_ERR_MEMORY, "libarchive could not be started");
    else
        status = open_archive(&r);
    if (status == JSN_OK)
        status = visit_all(&r, entry);
    archive_entry_free(entry);
    (void)archive_read_free(r.archive);
    jsni_unpacker_close(r.unpacker);
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
