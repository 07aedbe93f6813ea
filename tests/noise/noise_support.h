/* tests/noise/noise_support.h - a noise model in one call, for the tests of src/noise. */
#ifndef TESTS_NOISE_SUPPORT_H
#define TESTS_NOISE_SUPPORT_H

#include "support/support.h"

#include "jensen/noise.h"

/* Labels 0, 1, ..., classes-1, 0, ... in `labels`, and an input that points to them. */
static inline jsn_noise_input noise_input(int32_t *labels, size_t samples,
                                          size_t classes, uint64_t seed)
{
    jsn_noise_input in;
    for (size_t i = 0; i < samples; i++)
        labels[i] = (int32_t)(i % classes);
    jsn_noise_input_init(&in);
    in.labels = labels;
    in.samples = samples;
    in.classes = classes;
    in.seed = seed;
    return in;
}

static inline void noise_apply(const char *spec, const jsn_noise_input *in,
                               jsn_noise_result *out)
{
    jsn_noise *noise = NULL;
    assert_ok(jsn_noise_create(&noise, spec));
    assert_ok(jsn_noise_apply(noise, in, out));
    jsn_noise_destroy(noise);
}

/* Applying must fail with `status` and a sentence that holds `words`. */
static inline void noise_refused(const char *spec, const jsn_noise_input *in,
                                 jsn_status status, const char *words)
{
    jsn_noise *noise = NULL;
    jsn_noise_result out;
    assert_ok(jsn_noise_create(&noise, spec));
    assert_fails(jsn_noise_apply(noise, in, &out), status, words);
    assert_null(out.labels);
    jsn_noise_destroy(noise);
}

/* Whatever comes of it is released; for support_walk_allocations(). */
static inline jsn_status noise_try(const char *spec, const jsn_noise_input *in)
{
    jsn_noise *noise = NULL;
    jsn_noise_result r = {0};
    jsn_status status = jsn_noise_create(&noise, spec);
    if (status == JSN_OK)
        status = jsn_noise_apply(noise, in, &r);
    jsn_noise_result_release(&r);
    jsn_noise_destroy(noise);
    return status;
}

/* A text file of a test. */
static inline const char *noise_file(const char *folder, const char *name,
                                     const char *text)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

#endif /* TESTS_NOISE_SUPPORT_H */
