/* tests/fuzz/fuzz_folder.h - a folder for targets whose input is files. Under libFuzzer its
 * files are in memory (fuzz_memory.h); otherwise they are on disk, and removed when the
 * program ends. */
#ifndef TESTS_FUZZ_FOLDER_H
#define TESTS_FUZZ_FOLDER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/folder.h"
#include "fuzz/fuzz.h"
#ifdef JSN_FUZZ
#include "fuzz/fuzz_memory.h"
#endif

static char fuzz_folder[64];

static inline void fuzz_folder_remove(const char *name)
{
#ifdef JSN_FUZZ
    fuzz_memory_remove(name);
#else
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder, name);
    (void)unlink(path);
#endif
}

static inline void fuzz_folder_end(void)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    FUZZ_CHECK(jsni_folder_list(fuzz_folder, &entries, &count) == JSN_OK);
    for (size_t i = 0; i < count; i++)
        fuzz_folder_remove(entries[i].name);
    jsni_folder_free(entries, count);
    (void)rmdir(fuzz_folder);
}

static inline void fuzz_folder_make(void)
{
    (void)snprintf(fuzz_folder, sizeof fuzz_folder, "%s/jensen-fuzz-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    FUZZ_CHECK(mkdtemp(fuzz_folder) != NULL);
}

static inline void fuzz_folder_begin(void)
{
    if (fuzz_folder[0] != '\0')
        return;
    fuzz_folder_make();
#ifdef JSN_FUZZ
    fuzz_memory_begin(fuzz_folder);
#endif
    FUZZ_CHECK(atexit(fuzz_folder_end) == 0);
}

static inline void fuzz_folder_put(const char *name, const void *data, size_t size)
{
#ifdef JSN_FUZZ
    fuzz_memory_put(name, data, size);
#else
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder, name);
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL);
    FUZZ_CHECK(fwrite(data, 1, size, file) == size);
    FUZZ_CHECK(fclose(file) == 0);
#endif
}

/* Parts of the input, with a line "@" between them, each in its file; a part that is missing is
 * empty. */
static inline void fuzz_folder_put_parts(const char *const *names, size_t count,
                                         const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = 0, line = 3; /* "\n@\n" */
        while (length + line <= size && memcmp(data + length, "\n@\n", line) != 0)
            length++;
        const bool last = length + line > size;
        length = last ? size : length + 1; /* with its line end */
        fuzz_folder_put(names[i], data, length);
        data += last ? size : length + line - 1;
        size -= last ? size : length + line - 1;
    }
}

#endif /* TESTS_FUZZ_FOLDER_H */
