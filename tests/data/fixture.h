/* tests/data/fixture.h - small image trees and archives for tests, written without the
 * library's own writers. Failures end the test. */
#ifndef TESTS_DATA_FIXTURE_H
#define TESTS_DATA_FIXTURE_H

#include "support/support.h"

#include "jensen/dataset.h"

/* A path in the test's folder; one of eight static buffers in turn. */
const char *fixture_path(const char *folder, const char *name);

/* Writes bytes, making the folders above. */
void fixture_file(const char *folder, const char *name, const void *bytes,
                  size_t length);

/* A PPM of width x height whose pixels all differ by `seed`; fixture_pixel() is what it
 * holds. The name's ending does not matter. */
void fixture_image(const char *folder, const char *name, size_t width, size_t height,
                   unsigned seed);
uint8_t fixture_pixel(unsigned seed, size_t offset);
/* The same in memory: returns the length, at most `room`. */
size_t fixture_ppm(uint8_t *to, size_t room, size_t width, size_t height,
                   unsigned seed);

/* Sample `index` must hold the picture of `seed`. */
void fixture_check(const jsn_dataset *data, jsn_split split, size_t index, size_t width,
                   size_t height, unsigned seed);

/* A ustar archive by hand: begin, any number of members, end. `type` is '0' for a file,
 * '5' for a folder, '1' and '2' for links, '3' a device. */
typedef struct fixture_tar {
    FILE *file;
} fixture_tar;
void fixture_tar_begin(fixture_tar *tar, const char *path);
void fixture_tar_add(fixture_tar *tar, const char *name, size_t name_length, char type,
                     const void *bytes, size_t length);
void fixture_tar_end(fixture_tar *tar);

/* Runs a shell command with the folder as working directory; it must succeed. */
void fixture_shell(const char *folder, const char *command);

#endif /* TESTS_DATA_FIXTURE_H */
