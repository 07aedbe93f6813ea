/* Fuzz target: the cache file of an archive. Its sums hold against damage, not against forgery,
 * so they are mended first. Whatever is taken over lies inside the file.
 * covers: data/pack_cache.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/checksum.h"
#include "data/pack.h"

/* The tail of pack_cache.c: numbers of 64 bits, in this order. */
enum {
    MARK,
    VERSION,
    KIND,
    IDENTITY, /* seven of them */
    PAYLOAD = 14,
    FILES,
    FOLDERS,
    PAYLOAD_SUM,
    INDEX_SUM,
    TAIL_SUM,
    NUMBERS,
    HEAD = 64
};

/* Makes the tail that of this file, and the sums right where the lengths allow. */
static void mend(uint8_t *file, size_t size)
{
    uint64_t tail[NUMBERS];
    const size_t end = size - sizeof tail;
    memcpy(tail, file + end, sizeof tail);
    tail[MARK] = 0x314b43415053494au;
    tail[VERSION] = 3;
    tail[KIND] = JSNI_PACK_IMAGES;
    memset(tail + IDENTITY, 0, 7 * sizeof *tail);
    tail[PAYLOAD_SUM] = 0;
    if (tail[PAYLOAD] <= end - HEAD)
        tail[INDEX_SUM] = jsni_checksum(0, file + HEAD + tail[PAYLOAD],
                                        end - HEAD - (size_t)tail[PAYLOAD]);
    tail[TAIL_SUM] = jsni_checksum(0, tail, TAIL_SUM * sizeof *tail);
    memcpy(file + end, tail, sizeof tail);
}

static void look_at(const jsni_pack *pack)
{
    uint64_t sum = 0;
    const size_t image = pack->width * pack->height * 3;
    for (size_t i = 0; i < pack->files.count && pack->pixels != NULL; i++)
        sum = jsni_checksum(sum, pack->pixels + i * image, image);
    for (size_t i = 0; i < pack->files.count && pack->pieces != NULL; i++)
        sum = jsni_checksum(sum, pack->bytes + pack->pieces[i].offset,
                            pack->pieces[i].length);
    static volatile uint64_t kept;
    kept = sum;
    (void)kept;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const jsni_file_identity identity;
    if (size < HEAD + NUMBERS * sizeof(uint64_t))
        return 0;
    uint8_t *file = malloc(size);
    FUZZ_CHECK(file != NULL);
    memcpy(file, data, size);
    mend(file, size);
    char path[64];
    const int fd = memfd_create("pack", 0);
    FUZZ_CHECK(fd >= 0 && write(fd, file, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    jsni_pack pack;
    if (jsni_pack_cache_load(&pack, path, JSNI_PACK_IMAGES, &identity))
        look_at(&pack);
    jsni_pack_release(&pack);
    (void)close(fd);
    free(file);
    return 0;
}
