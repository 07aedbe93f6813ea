/* noise/noise_asym.c - asymmetric noise: a share of the labels turns into one similar
 * class.
 *
 * CIFAR-10: class by class in index order, a share of the samples that bear the label
 * *now* moves on. Cats that have just become dogs may so become cats again: at 40% the
 * released code's labels, and these, are 18.4% wrong, not 20%. mode=simultaneous looks
 * at the given labels alone.
 * CIFAR-100: the first rate * N samples of a shuffle move on in their superclass.
 * mode=next does the latter with the next class in index order, for any data set.
 */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "noise/cifar_map.h"
#include "noise/noise_impl.h"

enum { RATE, MODE, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"rate", "share of the labels that changes (CIFAR-10: of the labels of each class)",
     0.4, 0, 1, JSN_PARAM_REAL},
    {"mode", "inplace (default), simultaneous, next", 0, 0, 0, JSN_PARAM_TEXT},
};

static bool is_mode(const jsn_noise *noise, const char *name)
{
    return noise->text[MODE] != NULL && strcmp(noise->text[MODE], name) == 0;
}

static jsn_status prepare(jsn_noise *noise)
{
    if (noise->text[MODE] == NULL || is_mode(noise, "inplace") ||
        is_mode(noise, "simultaneous") || is_mode(noise, "next"))
        return JSN_OK;
    return jsni_fail(JSN_ERR_ARGUMENT,
                     "noise 'asym': mode '%s' is none of inplace, simultaneous, next",
                     noise->text[MODE]);
}

/* Moves a share of the samples whose label in `current` is `label`. */
static size_t move_class(const jsn_noise_input *in, int32_t label, double rate,
                         const int32_t *current, uint32_t *members, int32_t *labels)
{
    size_t count = 0;
    for (size_t i = 0; i < in->samples; i++)
        if (current[i] == label)
            members[count++] = (uint32_t)i;
    jsni_rng rng = jsni_noise_stream(in, (uint32_t)label, JSNI_NOISE_ORDER);
    jsni_rng_shuffle(&rng, members, count);
    const size_t quota = jsni_noise_quota(rate, count);
    for (size_t i = 0; i < quota; i++)
        labels[members[i]] = jsni_cifar10_next(label);
    return quota;
}

static jsn_status run_cifar10(const jsn_noise *noise, const jsn_noise_input *in,
                              jsn_noise_result *out)
{
    uint32_t *members = jsni_alloc(in->samples, sizeof *members);
    JSNI_TRY_ALLOC(members);
    const int32_t *current = is_mode(noise, "simultaneous") ? in->labels : out->labels;
    for (int32_t label = 0; label < 10; label++)
        if (jsni_cifar10_next(label) != label)
            out->drawn += move_class(in, label, noise->param[RATE], current, members,
                                     out->labels);
    jsni_free(members);
    return JSN_OK;
}

static jsn_status run_cycle(const jsn_noise *noise, const jsn_noise_input *in,
                            jsn_noise_result *out, bool cifar100)
{
    uint32_t *order = jsni_noise_order(in);
    JSNI_TRY_ALLOC(order);
    out->drawn = jsni_noise_quota(noise->param[RATE], in->samples);
    for (size_t i = 0; i < out->drawn; i++) {
        int32_t *label = &out->labels[order[i]];
        *label = cifar100 ? jsni_cifar100_next(*label)
                          : (int32_t)(((size_t)*label + 1) % in->classes);
    }
    jsni_free(order);
    return JSN_OK;
}

static jsn_status run(const jsn_noise *noise, const jsn_noise_input *in,
                      jsn_noise_result *out)
{
    out->nominal_rate = noise->param[RATE];
    if (is_mode(noise, "next"))
        return run_cycle(noise, in, out, false);
    const char *map = in->asymmetric == NULL ? "" : in->asymmetric;
    if (strcmp(map, "cifar10") == 0 && in->classes == 10)
        return run_cifar10(noise, in, out);
    if (strcmp(map, "cifar100") == 0 && in->classes == 100)
        return run_cycle(noise, in, out, true);
    return jsni_fail(JSN_ERR_ARGUMENT,
                     "noise 'asym': the classes are neither those of CIFAR-10 nor of "
                     "CIFAR-100; mode=next moves to the next class, matrix:PATH is for "
                     "any other map");
}

const jsni_noise_def jsni_noise_asym = {
    .info = {"asym", "a share of the labels turned into one similar class (CIFAR)",
             params, PARAMS},
    .prepare = prepare,
    .run = run,
};
