/* tests/fuzz/fuzz_replay.c - the ordinary test of a fuzz target: runs it over every file
 * of its corpus (the arguments are folders), then over each file cut short and with one
 * bit flipped, at most a few thousand variants a file. Anything left allocated fails, but for
 * what a target makes once, with its first input. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/file.h"
#include "fuzz/fuzz.h"

#ifndef FUZZ_VARIANTS
#define FUZZ_VARIANTS 2000
#endif
enum { VARIANTS = FUZZ_VARIANTS };

/* From a block of exactly that size, so that ASan sees a read behind it. */
static void run(const char *data, size_t size)
{
    uint8_t *copy = calloc(size == 0 ? 1 : size, 1);
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_variants(char *data, size_t size)
{
    const size_t cut = size / VARIANTS + 1;
    for (size_t n = 0; n <= size; n += cut)
        run(data, n);
    const size_t step = size * 8 / VARIANTS + 1;
    for (size_t bit = 0; bit < size * 8; bit += step) {
        data[bit / 8] = (char)(data[bit / 8] ^ (1 << bit % 8));
        run(data, size);
        data[bit / 8] = (char)(data[bit / 8] ^ (1 << bit % 8));
    }
}

int main(int argc, char **argv)
{
    size_t files = 0;
    run("", 0);
    const size_t once = jsni_alloc_live();
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        const struct dirent *entry = NULL;
        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            char *path = jsni_path_join(argv[i], entry->d_name), *data = NULL;
            size_t size = 0;
            if (path != NULL && jsni_file_exists(path) &&
                jsni_file_read(path, (size_t)1 << 20, &data, &size) == JSN_OK) {
                run(data, size);
                run_variants(data, size);
                files++;
            }
            jsni_free(data);
            jsni_free(path);
        }
        if (folder != NULL)
            (void)closedir(folder);
    }
    const size_t left = jsni_alloc_live() - once;
    printf("%zu corpus files, %zu bytes left allocated\n", files, left);
    return files == 0 || left != 0;
}
