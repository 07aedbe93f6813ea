/* data/pack.c - see data/pack.h.
 *
 * The calling thread reads the archive (decompression is the bottleneck and cannot be
 * split) and hands members over in batches; decoding threads turn batches into pixels as
 * long as all images have the size of the first one, and the reader helps once it is
 * done. What does not become pixels stays encoded: in memory, or, beyond the limit, in
 * the cache file as it comes.
 */
#include "data/pack.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/limit.h"
#include "core/pool.h"
#include "data/archive.h"
#include "data/archive_link.h"
#include "data/image_decoder.h"

enum { BATCH = 128, MOST_DECODERS = 16 };

/* Encoded bytes that are held before a pack of unequal images goes to its file. */
static const size_t spill_limit = (size_t)256 << 20;
/* Photographs stay encoded: their pixels take ten times the room, and runs use few. */
static const size_t most_pixels = (size_t)1 << 20;

typedef struct batch {
    struct batch *next;
    size_t count;
    size_t first; /* number of its first file */
    uint8_t *bytes;
    size_t length, room;
    size_t end[BATCH]; /* where each file ends in `bytes` */
    uint8_t *pixels;   /* [count][height][width][3], or NULL */
} batch;

typedef struct building {
    const char *path;
    jsni_pack_kind kind;
    jsni_pack *pack;
    size_t memory; /* limit for what is kept */
    size_t encoded;
    size_t width, height; /* of the first image; 0 before */
    batch *first, *last;  /* all batches, in order */
    char *cache;          /* file, or NULL */
    jsni_pack_writer writer;
    size_t written;     /* bytes that went to the cache file already */
    jsni_piece *pieces; /* of spilled files */
    size_t piece_room;
    jsni_links links;
    size_t stored; /* files that are no links */
    jsni_decoder_pool *decoders;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    batch *todo;     /* the oldest batch that no thread took */
    size_t handed;   /* complete batches from `todo` on */
    size_t decoding; /* taken and not done */
    bool uniform, finished;
} building;

/* Hidden files and folders, and what a Macintosh adds. */
static bool is_passed_over(const char *name)
{
    return name[0] == '.' || strstr(name, "/.") != NULL ||
           strncmp(name, "__MACOSX", 8) == 0;
}

static bool is_wanted(void *user, const char *name)
{
    const building *b = user;
    return !is_passed_over(name) &&
           (b->kind == JSNI_PACK_FILES || jsni_is_image_name(name));
}

/* Pixels of one batch; false when an image is broken or has another size. */
static bool decode_batch(building *b, jsni_image_decoder *decoder, batch *work)
{
    const size_t bytes = b->width * b->height * JSN_IMAGE_CHANNELS;
    jsn_image image = {0};
    work->pixels = jsni_alloc(work->count, bytes);
    bool good = work->pixels != NULL;
    for (size_t i = 0, start = 0; good && i < work->count; start = work->end[i++]) {
        const jsni_image_input input = {work->bytes + start, work->end[i] - start, ""};
        good = jsni_image_decoder_run(decoder, &input, &image) == JSN_OK &&
               image.width == b->width && image.height == b->height;
        if (good)
            memcpy(work->pixels + i * bytes, image.data, bytes);
    }
    jsn_image_release(&image);
    return good;
}

/* Decodes batches until there are none left; `wait` for more until the end. */
static void decode_some(building *b, bool wait)
{
    jsni_image_decoder *decoder = NULL;
    const bool ready = jsni_decoder_pool_take(b->decoders, &decoder) == JSN_OK;
    pthread_mutex_lock(&b->mutex);
    for (;;) {
        while (wait && b->handed == 0 && !b->finished)
            pthread_cond_wait(&b->changed, &b->mutex);
        if (b->handed == 0)
            break;
        batch *work = b->todo;
        b->todo = work->next;
        b->handed--;
        b->decoding++;
        const bool wanted = b->uniform;
        pthread_mutex_unlock(&b->mutex);
        const bool good = wanted && ready && decode_batch(b, decoder, work);
        pthread_mutex_lock(&b->mutex);
        b->decoding--;
        b->uniform = b->uniform && good;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->mutex);
    if (ready)
        jsni_decoder_pool_give(b->decoders, decoder);
}

static void *decoder_main(void *user)
{
    decode_some(user, true);
    return NULL;
}

static bool is_uniform(building *b)
{
    pthread_mutex_lock(&b->mutex);
    const bool uniform = b->uniform;
    pthread_mutex_unlock(&b->mutex);
    return uniform;
}

/* Ends decoding for good: waits for those at work and throws their pixels away. */
static void stop_decoding(building *b)
{
    pthread_mutex_lock(&b->mutex);
    b->uniform = false;
    while (b->decoding > 0)
        pthread_cond_wait(&b->changed, &b->mutex);
    b->todo = NULL;
    b->handed = 0;
    pthread_mutex_unlock(&b->mutex);
    for (batch *at = b->first; at != NULL; at = at->next) {
        jsni_free(at->pixels);
        at->pixels = NULL;
    }
}

static void free_batches(building *b)
{
    for (batch *at = b->first, *next = NULL; at != NULL; at = next) {
        next = at->next;
        jsni_free(at->pixels);
        jsni_free(at->bytes);
        jsni_free(at);
    }
    b->first = b->last = NULL;
}

static jsn_status does_not_fit(const building *b, size_t need)
{
    const bool lowered =
        jsni_limit(JSNI_LIMIT_KEPT) < jsn_limit_describe(JSNI_LIMIT_KEPT)->initial;
    return jsni_fail(JSN_ERR_DATA,
                     "%s: %.1f MiB of images do not fit into the %.1f MiB of memory "
                     "allowed%s, and the cache on disk is off",
                     b->path, (double)need / 1048576.0, (double)b->memory / 1048576.0,
                     lowered ? " (--limit kept)" : "");
}

/* Moves all batches to the cache file. */
static jsn_status spill(building *b)
{
    stop_decoding(b);
    if (b->cache == NULL)
        return b->encoded > b->memory ? does_not_fit(b, b->encoded) : JSN_OK;
    if (b->writer.state == NULL)
        JSNI_TRY(jsni_pack_cache_begin(&b->writer, b->cache, b->encoded));
    for (const batch *at = b->first; at != NULL; at = at->next) {
        JSNI_TRY(jsni_pack_cache_add(&b->writer, at->bytes, at->length));
        if (b->piece_room < at->first + at->count) {
            const size_t room = 2 * (at->first + at->count) + 1024;
            jsni_piece *larger = jsni_realloc(b->pieces, room, sizeof *larger);
            JSNI_TRY_ALLOC(larger);
            b->pieces = larger;
            b->piece_room = room;
        }
        for (size_t i = 0, start = 0; i < at->count; start = at->end[i++])
            b->pieces[at->first + i] =
                (jsni_piece){b->written + start, at->end[i] - start};
        b->written += at->length;
    }
    free_batches(b);
    return JSN_OK;
}

/* The last batch is complete: let it be decoded, or moved out of memory. */
static jsn_status hand_over(building *b)
{
    const size_t image = b->width * b->height * JSN_IMAGE_CHANNELS;
    pthread_mutex_lock(&b->mutex);
    if (b->pack->files.count * image > b->memory || b->width * b->height > most_pixels)
        b->uniform = false;
    const bool uniform = b->uniform;
    if (uniform)
        b->handed++;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->mutex);
    const size_t limit = uniform || b->memory < spill_limit ? b->memory : spill_limit;
    if (b->encoded - b->written > limit)
        return spill(b);
    return JSN_OK;
}

static jsn_status add_batch(building *b)
{
    batch *added = jsni_alloc_zero(1, sizeof *added);
    JSNI_TRY_ALLOC(added);
    added->first = b->pack->files.count;
    /* Decoding threads follow `next`. */
    pthread_mutex_lock(&b->mutex);
    if (b->last != NULL)
        b->last->next = added;
    else
        b->first = added;
    b->last = added;
    if (b->todo == NULL)
        b->todo = added;
    pthread_mutex_unlock(&b->mutex);
    return JSN_OK;
}

static jsn_status take_folder(void *user, const char *name)
{
    building *b = user;
    return is_passed_over(name) ? JSN_OK : jsni_listing_add(&b->pack->folders, name);
}

static jsn_status take_file(void *user, const char *name, const uint8_t *bytes,
                            size_t length)
{
    building *b = user;
    if (b->pack->files.count >= jsni_limit(JSNI_LIMIT_ROWS))
        return jsni_limit_fail(JSNI_LIMIT_ROWS, "%s", b->path);
    if (b->kind == JSNI_PACK_IMAGES && b->width == 0) {
        /* A first image that cannot be measured makes the pack one of files. */
        size_t width = 0, height = 0;
        jsni_image_decoder *decoder = NULL;
        JSNI_TRY(jsni_decoder_pool_take(b->decoders, &decoder));
        const jsni_image_input input = {bytes, length, name};
        if (jsni_image_decoder_measure(decoder, &input, &width, &height) != JSN_OK) {
            pthread_mutex_lock(&b->mutex);
            b->uniform = false;
            pthread_mutex_unlock(&b->mutex);
            width = height = 1;
        }
        jsni_decoder_pool_give(b->decoders, decoder);
        b->width = width;
        b->height = height;
    }
    if (b->last == NULL || b->last->count == BATCH)
        JSNI_TRY(add_batch(b));
    batch *to = b->last;
    /* Also for an empty file: an address is formed from the memory in any case. */
    if (to->bytes == NULL || to->room - to->length < length) {
        const size_t room = 2 * to->room + length + 65536;
        uint8_t *larger = jsni_realloc(to->bytes, room, 1);
        JSNI_TRY_ALLOC(larger);
        to->bytes = larger;
        to->room = room;
    }
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
    b->encoded += length;
    JSNI_TRY(jsni_listing_add(&b->pack->files, name));
    to->end[to->count++] = to->length;
    return to->count == BATCH ? hand_over(b) : JSN_OK;
}

static jsn_status take_link(void *user, const char *name, const char *target)
{
    building *b = user;
    return is_passed_over(name) ? JSN_OK : jsni_links_add(&b->links, name, target);
}

/* Where links lead, now that all members are known. An image that is a link to nothing
 * is a broken one, without any bytes; a link to a folder is a folder without files. */
static jsn_status settle_links(building *b, const jsn_logger *logger)
{
    JSNI_TRY(jsni_links_follow(&b->links, &b->pack->files, is_wanted, b));
    for (size_t i = 0; i < b->links.names.count; i++) {
        const char *name = jsni_listing_name(&b->links.names, i);
        if (b->links.to[i] == JSNI_LINK_NOWHERE && b->kind == JSNI_PACK_IMAGES)
            JSNI_TRY(take_file(b, name, (const uint8_t *)"", 0));
        if (b->links.to[i] == JSNI_LINK_FOLDER)
            JSNI_TRY(take_folder(b, name));
    }
    b->stored = b->pack->files.count;
    jsni_links_tell(&b->links, b->path, logger);
    return JSN_OK;
}

/* One block out of all batches: pixels, or encoded bytes with their pieces. order[i] is
 * the stored file whose bytes file i has. */
static jsn_status gather(building *b, const size_t *order, bool pixels)
{
    jsni_pack *pack = b->pack;
    const size_t count = pack->files.count;
    const size_t image = b->width * b->height * JSN_IMAGE_CHANNELS;
    const batch **where = jsni_alloc(b->stored / BATCH + 1, sizeof *where);
    /* Of stored files: encoded bytes are kept once, however many links lead to them. */
    jsni_piece *placed = jsni_alloc_zero(b->stored, sizeof *placed);
    pack->owned = pixels ? jsni_alloc(count, image) : jsni_alloc(b->encoded, 1);
    pack->pieces = pixels ? NULL : jsni_alloc(count, sizeof *pack->pieces);
    if (where == NULL || placed == NULL || pack->owned == NULL ||
        (!pixels && pack->pieces == NULL)) {
        jsni_free(placed);
        jsni_free(where);
        return JSN_ERR_MEMORY;
    }
    size_t used = 0, n = 0;
    for (const batch *at = b->first; at != NULL; at = at->next)
        where[n++] = at;
    for (size_t i = 0; i < count; i++) {
        const batch *from = where[order[i] / BATCH];
        const size_t k = order[i] % BATCH;
        const size_t start = k == 0 ? 0 : from->end[k - 1];
        if (pixels) {
            memcpy(pack->owned + i * image, from->pixels + k * image, image);
            continue;
        }
        if (placed[order[i]].length == 0) {
            placed[order[i]] = (jsni_piece){used, from->end[k] - start};
            memcpy(pack->owned + used, from->bytes + start, from->end[k] - start);
            used += from->end[k] - start;
        }
        pack->pieces[i] = placed[order[i]];
    }
    jsni_free(placed);
    jsni_free(where);
    if (pixels) {
        pack->pixels = pack->owned;
        pack->width = b->width;
        pack->height = b->height;
    } else {
        pack->bytes = pack->owned;
    }
    return JSN_OK;
}

/* Everything is in the cache file but its lists. */
static jsn_status finish_spilled(building *b, const size_t *order,
                                 const jsni_file_identity *identity)
{
    const size_t count = b->pack->files.count;
    JSNI_TRY(spill(b));
    b->pack->pieces = jsni_alloc(count, sizeof *b->pack->pieces);
    JSNI_TRY_ALLOC(b->pack->pieces);
    for (size_t i = 0; i < count; i++)
        b->pack->pieces[i] = b->pieces[order[i]];
    JSNI_TRY(jsni_pack_cache_end(&b->writer, b->pack, b->kind, identity, JSN_OK));
    jsni_pack_release(b->pack);
    if (!jsni_pack_cache_load(b->pack, b->cache, b->kind, identity))
        return jsni_fail(JSN_ERR_DATA, "%s: the cache file %s does not read back",
                         b->path, b->cache);
    return JSN_OK;
}

/* Writing the cache is a service: when it fails, the data set works all the same. */
static void write_cache(building *b, const jsni_file_identity *identity,
                        const jsn_logger *logger)
{
    const size_t image = b->width * b->height * JSN_IMAGE_CHANNELS;
    const jsni_pack *pack = b->pack;
    if (b->cache == NULL)
        return;
    const size_t bytes = pack->pixels != NULL ? pack->files.count * image : b->encoded;
    jsn_status status = jsni_pack_cache_begin(&b->writer, b->cache, bytes);
    if (status == JSN_OK)
        status = jsni_pack_cache_add(&b->writer, pack->owned, bytes);
    status = jsni_pack_cache_end(&b->writer, pack, b->kind, identity, status);
    if (status != JSN_OK && logger != NULL && logger->message != NULL)
        logger->message(logger->user, JSN_LOG_WARNING, jsn_last_error());
}

static jsn_status finish(building *b, const jsni_file_identity *identity,
                         const jsn_logger *logger)
{
    size_t *source = NULL, *order = NULL;
    const size_t image = b->width * b->height * JSN_IMAGE_CHANNELS;
    jsn_status status = jsni_links_list(&b->links, &b->pack->files, &source);
    const size_t count = b->pack->files.count;
    if (status == JSN_OK && (order = jsni_alloc(count, sizeof *order)) == NULL)
        status = JSN_ERR_MEMORY;
    if (status == JSN_OK)
        status = jsni_listing_sort(&b->pack->files, b->path, order);
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        order[i] = source[order[i]];
    if (status == JSN_OK && b->writer.state != NULL) {
        status = finish_spilled(b, order, identity);
    } else if (status == JSN_OK) {
        const bool pixels = b->kind == JSNI_PACK_IMAGES && is_uniform(b) &&
                            (count == b->stored || count * image <= b->memory);
        if (!pixels)
            stop_decoding(b);
        status = gather(b, order, pixels);
        free_batches(b);
        if (status == JSN_OK)
            write_cache(b, identity, logger);
    }
    jsni_free(order);
    jsni_free(source);
    return status;
}

/* Reads the archive with `threads` - 1 decoding threads beside this one. */
static jsn_status read_archive(building *b, size_t threads, const jsn_logger *logger)
{
    const jsni_archive_visitor visitor = {b,           logger,    is_wanted,
                                          take_folder, take_file, take_link};
    pthread_t started[MOST_DECODERS];
    size_t count = 0;
    if (b->kind == JSNI_PACK_IMAGES)
        while (count + 1 < threads && count < MOST_DECODERS &&
               pthread_create(&started[count], NULL, decoder_main, b) == 0)
            count++;
    jsn_status status = jsni_archive_walk(b->path, &visitor);
    if (status == JSN_OK)
        status = settle_links(b, logger);
    if (status == JSN_OK && b->last != NULL && b->last->count < BATCH)
        status = hand_over(b);
    pthread_mutex_lock(&b->mutex);
    b->finished = true;
    if (status != JSN_OK)
        b->uniform = false;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->mutex);
    decode_some(b, false);
    for (size_t i = 0; i < count; i++)
        pthread_join(started[i], NULL);
    return status;
}

jsn_status jsni_pack_open(jsni_pack *out, const char *path, jsni_pack_kind kind,
                          const jsn_dataset_options *options)
{
    *out = (jsni_pack){0};
    jsni_file_identity identity;
    building b = {.path = path,
                  .kind = kind,
                  .pack = out,
                  .memory = options->memory,
                  .uniform = kind == JSNI_PACK_IMAGES};
    JSNI_TRY(jsni_file_identify(path, &identity));
    JSNI_TRY(jsni_pack_cache_file(path, kind, options->cache, &b.cache));
    if (b.cache != NULL && jsni_pack_cache_load(out, b.cache, kind, &identity)) {
        jsni_free(b.cache);
        return JSN_OK;
    }
    const size_t threads =
        options->threads > 0 ? options->threads : jsni_usable_cores();
    pthread_mutex_init(&b.mutex, NULL);
    pthread_cond_init(&b.changed, NULL);
    jsn_status status = jsni_decoder_pool_create(&b.decoders);
    if (status == JSN_OK)
        status = read_archive(&b, threads, options->logger);
    if (status == JSN_OK)
        status = finish(&b, &identity, options->logger);
    if (b.writer.state != NULL) /* a failure on the way; `status` says which */
        status = jsni_pack_cache_end(&b.writer, out, kind, &identity, status);
    free_batches(&b);
    jsni_free(b.pieces);
    jsni_links_release(&b.links);
    jsni_decoder_pool_destroy(b.decoders);
    pthread_cond_destroy(&b.changed);
    pthread_mutex_destroy(&b.mutex);
    jsni_free(b.cache);
    if (status != JSN_OK)
        jsni_pack_release(out);
    return status;
}

void jsni_pack_release(jsni_pack *pack)
{
    jsni_listing_release(&pack->files);
    jsni_listing_release(&pack->folders);
    jsni_free(pack->pieces);
    jsni_free(pack->owned);
    jsni_file_unmap(&pack->map);
    *pack = (jsni_pack){0};
}
