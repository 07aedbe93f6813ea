/* noise/noise_instance.c - noise that depends on the image, through the posteriors of a
 * classifier (Zhang et al., "Learning with feature-dependent label noise", 2021).
 *
 * With u and s the most and second most probable class and D the difference of their
 * probabilities, the label becomes u with probability keep(D) / factor and s otherwise;
 * the given label plays no part:
 *     type 1   keep = (1 + D^2) / 2
 *     type 2   keep = D^3
 *     type 3   keep = (D^3 + D^2 + D) / 3
 * The factor is found by bisection so that the asked share of the labels changes, or
 * given.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/words.h"
#include "jensen/array.h"
#include "noise/noise_impl.h"

enum { TYPE, RATE, FACTOR, POSTERIORS, FROM, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"type", "1, 2 or 3", 1, 1, 3, JSN_PARAM_REAL},
    {"rate", "share of the labels that changes", 0.35, 0, 1, JSN_PARAM_REAL},
    {"factor", "divides the probability to keep; 0: calibrated to the rate", 0, 0, 1e9,
     JSN_PARAM_REAL},
    {"posteriors", ".npy file, [samples][classes]", 0, 0, 0, JSN_PARAM_TEXT},
    {"from", "run whose network gives the posteriors", 0, 0, 0, JSN_PARAM_TEXT},
};

static jsn_status prepare(jsn_noise *noise)
{
    const char *path = noise->text[POSTERIORS];
    if (floor(noise->param[TYPE]) != noise->param[TYPE])
        return jsni_fail(JSN_ERR_ARGUMENT, "noise 'instance': type %g is not 1, 2 or 3",
                         noise->param[TYPE]);
    if (path != NULL && noise->text[FROM] != NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "noise 'instance': posteriors and from exclude each other");
    if (path == NULL)
        return JSN_OK;
    jsn_array raw, *real = jsni_alloc_zero(1, sizeof *real);
    JSNI_TRY_ALLOC(real);
    noise->state = real;
    JSNI_TRY(jsn_array_read(&raw, path));
    jsn_status status = jsn_array_convert(real, &raw, JSN_DTYPE_FLOAT32);
    jsn_array_release(&raw);
    if (status == JSN_OK && real->rank != 2)
        status =
            jsni_fail(JSN_ERR_DATA, "%s: %zu %s, not [samples][classes]", path,
                      real->rank, jsni_noun(real->rank, "dimension", "dimensions"));
    return status;
}

static void release(jsn_noise *noise)
{
    if (noise->state != NULL)
        jsn_array_release(noise->state);
    jsni_free(noise->state);
}

/* Where posteriors are, and which row is a sample's. */
typedef struct posterior_rows {
    const float *rows;
    const uint32_t *numbers; /* [samples]; NULL: in the order of the samples */
} posterior_rows;

/* A file has the rows of the whole data set in its order, or those of the samples alone
 * in theirs, as a run records them. */
static jsn_status find_posteriors(const jsn_noise *noise, const jsn_noise_input *in,
                                  posterior_rows *out)
{
    const jsn_array *file = noise->state;
    const bool whole =
        file != NULL && in->numbers != NULL && file->shape[0] == in->total;
    *out = (posterior_rows){file != NULL ? file->data : in->posteriors,
                            whole ? in->numbers : NULL};
    if (out->rows == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "noise 'instance': needs posteriors=FILE.npy or from=RUN");
    if (file != NULL &&
        ((!whole && file->shape[0] != in->samples) || file->shape[1] != in->classes))
        return jsni_fail(JSN_ERR_DATA, "%s: %zu %s of %zu %s, the data has %zu of %zu",
                         noise->text[POSTERIORS], file->shape[0],
                         jsni_noun(file->shape[0], "sample", "samples"), file->shape[1],
                         jsni_noun(file->shape[1], "class", "classes"),
                         in->numbers != NULL ? in->total : in->samples, in->classes);
    return JSN_OK;
}

/* What the noise needs of a sample: keep(D) over the sample's uniform draw (the label is
 * u where that quotient exceeds the factor), and the two classes. */
typedef struct candidate {
    double threshold;
    int32_t first, second;
} candidate;

static double keep(int type, double d)
{
    if (type == 1)
        return (1.0 + d * d) / 2.0;
    return type == 2 ? d * d * d : (d * d * d + d * d + d) / 3.0;
}

static jsn_status make_candidate(const jsn_noise_input *in, size_t sample, int type,
                                 const float *p, candidate *out)
{
    size_t first = 0, second = 1;
    for (size_t c = 0; c < in->classes; c++) {
        if (!(p[c] >= 0.0f && p[c] <= 1.001f))
            return jsni_fail(JSN_ERR_DATA,
                             "noise 'instance': posterior %g of sample %zu, class %zu",
                             (double)p[c], sample, c);
        if (c == 0)
            continue;
        if (p[c] > p[first]) {
            second = first;
            first = c;
        } else if (c == 1 || p[c] > p[second]) {
            second = c;
        }
    }
    const double d = (double)p[first] - (double)p[second];
    jsni_rng rng = jsni_noise_stream(in, (uint32_t)sample, JSNI_NOISE_EACH);
    const double u = jsni_rng_uniform(&rng);
    const double kept = keep(type, d < 1.0 ? d : 1.0);
    /* u < kept / factor, with u = 0 true for every factor unless nothing is kept. */
    out->threshold = u > 0.0 ? kept / u : kept > 0.0 ? INFINITY : 0.0;
    out->first = (int32_t)first;
    out->second = (int32_t)second;
    return JSN_OK;
}

static size_t wrong_at(const jsn_noise_input *in, const candidate *list, double factor)
{
    size_t wrong = 0;
    for (size_t i = 0; i < in->samples; i++) {
        const int32_t label =
            list[i].threshold > factor ? list[i].first : list[i].second;
        wrong += label != in->labels[i];
    }
    return wrong;
}

static jsn_status calibrate(const jsn_noise_input *in, const candidate *list,
                            double rate, double *factor)
{
    const double n = (double)in->samples, asked = rate * n;
    double low = 1e-6, high = 1e12;
    const double fewest = (double)wrong_at(in, list, low);
    const double most = (double)wrong_at(in, list, high);
    const double slack = 0.002 * n + 1.0;
    if (fewest > most)
        return jsni_fail(JSN_ERR_DATA,
                         "noise 'instance': the first choice of these posteriors is "
                         "wrong more often (%.4f) than their second (%.4f): train the "
                         "classifier longer",
                         fewest / n, most / n);
    if (asked < fewest - slack || asked > most + slack)
        return jsni_fail(JSN_ERR_RANGE,
                         "noise 'instance': rate %g is out of reach: these posteriors "
                         "allow %.4f to %.4f",
                         rate, fewest / n, most / n);
    for (int i = 0; i < 100 && high / low > 1.0 + 1e-12; i++) {
        const double middle = sqrt(low * high);
        if ((double)wrong_at(in, list, middle) < asked)
            low = middle;
        else
            high = middle;
    }
    const double below = fabs((double)wrong_at(in, list, low) - asked);
    const double above = fabs((double)wrong_at(in, list, high) - asked);
    *factor = below < above ? low : high;
    return JSN_OK;
}

static jsn_status fill(const jsn_noise *noise, const jsn_noise_input *in,
                       const posterior_rows *posteriors, candidate *list,
                       jsn_noise_result *out)
{
    for (size_t i = 0; i < in->samples; i++) {
        const size_t row = posteriors->numbers != NULL ? posteriors->numbers[i] : i;
        JSNI_TRY(make_candidate(in, i, (int)noise->param[TYPE],
                                posteriors->rows + row * in->classes, &list[i]));
    }
    out->factor = noise->param[FACTOR];
    if (out->factor == 0.0) {
        JSNI_TRY(calibrate(in, list, noise->param[RATE], &out->factor));
        out->nominal_rate = noise->param[RATE];
    }
    for (size_t i = 0; i < in->samples; i++)
        out->labels[i] =
            list[i].threshold > out->factor ? list[i].first : list[i].second;
    out->drawn = in->samples;
    return JSN_OK;
}

static jsn_status run(const jsn_noise *noise, const jsn_noise_input *in,
                      jsn_noise_result *out)
{
    posterior_rows posteriors;
    JSNI_TRY(find_posteriors(noise, in, &posteriors));
    candidate *list = jsni_alloc(in->samples, sizeof *list);
    JSNI_TRY_ALLOC(list);
    const jsn_status status = fill(noise, in, &posteriors, list, out);
    jsni_free(list);
    return status;
}

const jsni_noise_def jsni_noise_instance = {
    .info = {"instance", "labels confused where a classifier is unsure (PMD noise)",
             params, PARAMS},
    .prepare = prepare,
    .release = release,
    .run = run,
};
