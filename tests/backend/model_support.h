/* tests/backend/model_support.h - small models for tests, and steps of training. */
#ifndef TESTS_BACKEND_MODEL_SUPPORT_H
#define TESTS_BACKEND_MODEL_SUPPORT_H

#include "backend/backend_support.h"
#include "backend/model.h"

enum { MODEL_IMAGE = 3 * 8 * 8 }; /* floats of an image of model_small() */

/* Five classes, images of 8x8, batches of 6, one thread. */
jsn_model_options model_small(const char *device);

/* With initial weights. To be destroyed. */
jsn_model *model_make(const jsn_model_options *o);

/* `steps` steps on fixed data; returns the last loss. */
double model_train(jsn_model *model, const char *spec, size_t views, size_t samples,
                   size_t image, size_t steps, double rate);

#endif /* TESTS_BACKEND_MODEL_SUPPORT_H */
