/* train/loader_source.h - a data set, its training part and a pipeline, for tests of the
 * loader: 70 built-in images, which a group of tests has as `builtin`, or any other. */
#ifndef TESTS_TRAIN_LOADER_SOURCE_H
#define TESTS_TRAIN_LOADER_SOURCE_H

#include "support/support.h"
#include "train/loader.h"

enum { SIDE = 32, FLOATS = 3 * SIDE * SIDE, SAMPLES = 70 };

typedef struct source {
    jsn_dataset *data;
    jsni_part part;
    jsn_augment *augment;
} source;

/* 0, or 1 after the sentence of what is wrong. */
int source_open(source *s, const char *spec);
void source_close(source *s);

extern source builtin;
int builtin_set_up(void **state);
int builtin_tear_down(void **state);

/* Of a loader of two views. */
jsni_loader_options source_options(const source *s, size_t batch, size_t workers);

#endif /* TESTS_TRAIN_LOADER_SOURCE_H */
