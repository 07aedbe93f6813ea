/* noise/noise_matrix.c - any class-dependent noise: row c of a matrix has the
 * probabilities that a sample of class c gets each label. Every sample draws for itself.
 * The file is one that jsn_noise_read_matrix() reads. */
#include "core/alloc.h"
#include "core/fail.h"
#include "jensen/array.h"
#include "noise/noise_impl.h"

enum { PATH, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"path", "CSV, .npy or audit with the matrix", 0, 0, 0, JSN_PARAM_POSITIONAL},
};

static jsn_status prepare(jsn_noise *noise)
{
    const char *path = noise->text[PATH];
    if (path == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "noise 'matrix': needs a file, matrix:PATH");
    jsn_array *m = jsni_alloc_zero(1, sizeof *m);
    JSNI_TRY_ALLOC(m);
    noise->state = m;
    return jsn_noise_read_matrix(m, path);
}

static void release(jsn_noise *noise)
{
    if (noise->state != NULL)
        jsn_array_release(noise->state);
    jsni_free(noise->state);
}

static int32_t draw(const double *row, size_t classes, double u)
{
    double sum = 0.0;
    size_t last = 0;
    for (size_t d = 0; d < classes; d++) {
        if (row[d] == 0.0)
            continue;
        last = d;
        sum += row[d];
        if (u < sum)
            break;
    }
    return (int32_t)last;
}

static jsn_status run(const jsn_noise *noise, const jsn_noise_input *in,
                      jsn_noise_result *out)
{
    const jsn_array *m = noise->state;
    const size_t classes = m->shape[0];
    if (classes != in->classes)
        return jsni_fail(JSN_ERR_DATA, "%s: a matrix of %zu classes, the data has %zu",
                         noise->text[PATH], classes, in->classes);
    double expected = 0.0;
    for (size_t i = 0; i < in->samples; i++) {
        const size_t given = (size_t)in->labels[i];
        jsni_rng rng = jsni_noise_stream(in, (uint32_t)i, JSNI_NOISE_EACH);
        const double *row = (const double *)m->data + given * classes;
        out->labels[i] = draw(row, classes, jsni_rng_uniform(&rng));
        expected += 1.0 - row[given];
    }
    out->drawn = in->samples;
    out->nominal_rate = expected / (double)in->samples;
    return JSN_OK;
}

const jsni_noise_def jsni_noise_matrix = {
    .info = {"matrix", "labels drawn by a transition matrix from a file", params,
             PARAMS},
    .prepare = prepare,
    .release = release,
    .run = run,
};
