/* train/test_views.h - the views of an image whose predictions are averaged (--tta): the
 * image, its mirror image, and both moved by a sixteenth of their side into each corner,
 * the border repeated. Nothing is drawn: the same images give the same predictions. */
#ifndef JSNI_TRAIN_TEST_VIEWS_H
#define JSNI_TRAIN_TEST_VIEWS_H

#include <stddef.h>

enum { JSNI_TEST_VIEWS = 10 };

/* View number `view` of tensors [count][3][size][size]; 0 is a copy. */
void jsni_test_view(const float *in, size_t count, size_t size, size_t view,
                    float *out);

#endif /* JSNI_TRAIN_TEST_VIEWS_H */
