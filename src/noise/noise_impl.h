/* noise/noise_impl.h - what a noise model implements. A model is one file,
 * noise_<id>.c, and one row in noise_list.h. */
#ifndef JSNI_NOISE_IMPL_H
#define JSNI_NOISE_IMPL_H

#include "core/rng.h"
#include "core/spec.h"
#include "jensen/noise.h"
#include "noise/noise_list.h"

enum { JSNI_NOISE_MAX_PARAMS = 5 };

typedef struct jsni_noise_def jsni_noise_def;

struct jsn_noise {
    const jsni_noise_def *def;
    double param[JSNI_NOISE_MAX_PARAMS]; /* by the order of the parameters */
    char *text[JSNI_NOISE_MAX_PARAMS]; /* owned: TEXT and POSITIONAL; NULL: not given */
    void *state;                       /* owned: what prepare() read */
};

struct jsni_noise_def {
    jsn_entry info;
    /* Reads files and checks what the bounds cannot; may be NULL. */
    jsn_status (*prepare)(jsn_noise *noise);
    void (*release)(jsn_noise *noise); /* frees the state; may be NULL */
    /* Changes out->labels, which start as the input's; may set nominal_rate, drawn,
     * factor and listed. */
    jsn_status (*run)(const jsn_noise *noise, const jsn_noise_input *in,
                      jsn_noise_result *out);
};

#define JSNI_DECLARE_NOISE(id) extern const jsni_noise_def jsni_noise_##id;
JSNI_NOISE_LIST(JSNI_DECLARE_NOISE)
#undef JSNI_DECLARE_NOISE

jsn_entry jsni_noise_entry(size_t index); /* all zero behind the last */

/* What a stream of JSNI_RNG_NOISE is for; its `view`. Sample 0 unless noted. */
enum {
    JSNI_NOISE_ORDER = 0, /* shuffles; sample = class where classes are shuffled */
    JSNI_NOISE_LABEL = 1, /* new labels in the order of the shuffle */
    JSNI_NOISE_EACH = 2   /* one stream a sample; sample = its index */
};

jsni_rng jsni_noise_stream(const jsn_noise_input *in, uint32_t sample, uint32_t what);

/* The first ceil(rate * count) numbers of a shuffle: an integer product stays what it
 * is whatever its last binary digit says. */
size_t jsni_noise_quota(double rate, size_t count);

/* A shuffled list of 0..samples-1, owned by the caller; NULL without memory. */
uint32_t *jsni_noise_order(const jsn_noise_input *in);

#endif /* JSNI_NOISE_IMPL_H */
