/* train/mixup.c - see mixup.h. */
#include "train/mixup.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/mix.h"
#include "core/rng.h"
#include "jensen/loss.h"

bool jsni_mixup_on(const jsn_train_config *config)
{
    return config->mixup > 0.0; /* NaN: not asked for */
}

static jsn_status check_loss(const jsn_train_config *c)
{
    enum { ANY = 2 }; /* classes */
    jsn_loss *loss = NULL;
    JSNI_TRY(jsn_loss_create(&loss, c->loss, ANY, (size_t)c->views));
    const bool soft = jsn_loss_describe_of(loss)->soft;
    jsn_loss_destroy(loss);
    if (!soft)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--mixup makes soft targets, but --loss %s takes only labels; "
                         "'jensen show losses' tells which losses take both",
                         c->loss);
    return JSN_OK;
}

jsn_status jsni_mixup_check(const jsn_train_config *c)
{
    if (!jsni_mixup_on(c))
        return JSN_OK;
    if (c->method != NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--mixup mixes samples, and --method %s remembers each by "
                         "itself; leave one of them out",
                         c->method);
    if (c->loss_noisy != NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--mixup mixes samples, and --loss-noisy tells them apart; "
                         "leave one of them out");
    if (c->record_posteriors)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--record-posteriors would keep those of mixed images; leave "
                         "--mixup out");
    return check_loss(c);
}

/* Gamma(a, 1) for a >= 1, after Marsaglia and Tsang, ACM TOMS 26, 2000. */
static double draw_gamma(jsni_rng *rng, double a)
{
    const double d = a - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        const double x = jsni_rng_normal(rng), root = 1.0 + c * x;
        const double u = 1.0 - jsni_rng_uniform(rng), v = root * root * root;
        if (root > 0.0 && log(u) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

/* Beta(a, a); below 1 after Joehnk, Metrika 8, 1964. */
static double draw_beta(jsni_rng *rng, double a)
{
    if (a >= 1.0) {
        const double x = draw_gamma(rng, a), y = draw_gamma(rng, a);
        return x / (x + y);
    }
    for (;;) {
        const double x = pow(jsni_rng_uniform(rng), 1.0 / a);
        const double y = pow(jsni_rng_uniform(rng), 1.0 / a);
        if (x + y > 0.0 && x + y <= 1.0)
            return x / (x + y);
    }
}

float jsni_mixup_draw(double alpha, uint64_t seed, uint32_t epoch, size_t batch,
                      size_t samples, uint32_t *partner)
{
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_MIXUP, epoch, (uint32_t)batch, 0);
    const float share = (float)draw_beta(&rng, alpha);
    for (size_t i = 0; i < samples; i++)
        partner[i] = (uint32_t)i;
    jsni_rng_shuffle(&rng, partner, samples);
    return share;
}

static void mix_row(float *row, const float *other, size_t floats, float share)
{
    for (size_t k = 0; k < floats; k++)
        row[k] = jsni_mix(row[k], other[k], share);
}

/* Whether a cycle is walked from this sample on: from its least. */
static bool begins_cycle(const uint32_t *partner, size_t sample)
{
    size_t at = partner[sample];
    while (at > sample)
        at = partner[at];
    return at == sample;
}

void jsni_mixup_walk(const uint32_t *partner, size_t samples, uint32_t *walk)
{
    size_t count = 0;
    for (uint32_t first = 0; first < samples; first++) {
        if (!begins_cycle(partner, first))
            continue;
        uint32_t at = first;
        for (; partner[at] != first; at = partner[at])
            walk[count++] = at;
        walk[count++] = at | JSNI_MIXUP_LAST;
    }
}

/* Along the cycles each row meets its partner before that one changes; the last of a cycle
 * meets the first as it was. */
void jsni_mixup_rows(float *rows, size_t floats, size_t samples, float share,
                     const uint32_t *partner, float *room)
{
    for (size_t first = 0; first < samples; first++) {
        if (!begins_cycle(partner, first))
            continue;
        memcpy(room, rows + first * floats, floats * sizeof *rows);
        size_t at = first;
        for (; partner[at] != first; at = partner[at])
            mix_row(rows + at * floats, rows + partner[at] * floats, floats, share);
        mix_row(rows + at * floats, room, floats, share);
    }
}
