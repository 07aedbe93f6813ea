/* tests/data/part_fixture.h - JPEGs with known pixels, and parts of images against the whole. */
#ifndef TESTS_DATA_PART_FIXTURE_H
#define TESTS_DATA_PART_FIXTURE_H

#include "core/image_part.h"
#include "core/rng.h"
#include "data/image_decoder.h"
#include "support/support.h"

typedef struct jpeg_file {
    uint8_t *bytes; /* malloc'ed */
    size_t length;
} jpeg_file;

/* Encodes `pixels`, [height][width][3], behind an EXIF block with this orientation. */
jpeg_file part_encode(const uint8_t *pixels, size_t width, size_t height, int sampling,
                      int flags, int orientation);

/* A smooth random walk. */
void part_fill(uint8_t *pixels, size_t count, uint64_t seed);

/* What is wanted: always the jsni_image_want of `user`, or all at the divisor of `user`. */
jsn_status part_give(void *user, size_t width, size_t height, jsni_image_want *want);
jsn_status part_all_at(void *user, size_t width, size_t height, jsni_image_want *want);

size_t part_below(jsni_rng *rng, size_t n);

/* Whether every pixel of `part` is at its place in `whole`. */
int part_agrees(const jsni_image_part *part, const jsni_image_part *whole);

/* Whether the part holds what was wanted. */
int part_holds(const jsni_image_part *part, const jsni_image_want *want);

#endif /* TESTS_DATA_PART_FIXTURE_H */
