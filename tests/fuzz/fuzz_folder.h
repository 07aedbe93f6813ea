/* tests/fuzz/fuzz_folder.h - a folder in memory, where there is such a file system, for
 * targets whose input is files. Made with the first file, removed when the program ends. */
#ifndef TESTS_FUZZ_FOLDER_H
#define TESTS_FUZZ_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/folder.h"
#include "fuzz/fuzz.h"

static char fuzz_folder[64];

static inline void fuzz_folder_remove(const char *name)
{
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder, name);
    (void)unlink(path);
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
    FUZZ_CHECK(atexit(fuzz_folder_end) == 0);
}

static inline void fuzz_folder_put(const char *name, const void *data, size_t size)
{
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder, name);
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL);
    FUZZ_CHECK(fwrite(data, 1, size, file) == size);
    FUZZ_CHECK(fclose(file) == 0);
}

#endif /* TESTS_FUZZ_FOLDER_H */
