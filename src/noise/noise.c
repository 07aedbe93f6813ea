/* noise/noise.c - the table of noise models, and the counting that all of them share.
 * Knows no model by name. */
#include "jensen/noise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/names.h"
#include "core/text.h"
#include "core/words.h"
#include "jensen/limit.h"
#include "noise/noise_impl.h"

#define ROW(id) &jsni_noise_##id,
static const jsni_noise_def *const table[] = {JSNI_NOISE_LIST(ROW)};
#undef ROW

jsn_entry jsni_noise_entry(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? table[index]->info : (jsn_entry){0};
}

void jsn_noise_input_init(jsn_noise_input *in)
{
    if (in == NULL)
        return;
    *in = (jsn_noise_input){0};
}

jsni_rng jsni_noise_stream(const jsn_noise_input *in, uint32_t sample, uint32_t what)
{
    return jsni_rng_stream(in->seed, JSNI_RNG_NOISE, in->part, sample, what);
}

size_t jsni_noise_quota(double rate, size_t count)
{
    const double exact = rate * (double)count;
    const double nearest = nearbyint(exact);
    const double quota = fabs(exact - nearest) < 1e-6 ? nearest : ceil(exact);
    return quota <= 0.0 ? 0 : quota >= (double)count ? count : (size_t)quota;
}

uint32_t *jsni_noise_order(const jsn_noise_input *in)
{
    uint32_t *order = jsni_alloc(in->samples, sizeof *order);
    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < in->samples; i++)
        order[i] = (uint32_t)i;
    jsni_rng rng = jsni_noise_stream(in, 0, JSNI_NOISE_ORDER);
    jsni_rng_shuffle(&rng, order, in->samples);
    return order;
}

static jsn_status unknown_model(const char *spec)
{
    jsni_names names;
    jsni_names_begin(&names, spec, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        jsni_names_add(&names, table[i]->info.name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "noise: no model '%s'",
                           names.word);
}

static jsn_status read_params(jsn_noise *noise, const char *spec)
{
    const jsn_entry *info = &noise->def->info;
    jsni_spec_value value[JSNI_NOISE_MAX_PARAMS];
    JSNI_TRY(jsni_spec_values(spec, info->params, info->param_count, value));
    for (size_t i = 0; i < info->param_count; i++) {
        noise->param[i] = value[i].real;
        if (info->params[i].kind == JSN_PARAM_TEXT ||
            info->params[i].kind == JSN_PARAM_POSITIONAL)
            JSNI_TRY(jsni_spec_text(&value[i], &noise->text[i]));
    }
    return noise->def->prepare == NULL ? JSN_OK : noise->def->prepare(noise);
}

jsn_status jsn_noise_create(jsn_noise **out, const char *spec)
{
    if (out == NULL || spec == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "noise: NULL argument");
    *out = NULL;
    const jsni_noise_def *def = NULL;
    for (size_t i = 0; i < JSNI_COUNT_OF(table) && def == NULL; i++)
        if (jsni_spec_names(spec, table[i]->info.name))
            def = table[i];
    if (def == NULL)
        return unknown_model(spec);
    jsn_noise *noise = jsni_alloc_zero(1, sizeof *noise);
    JSNI_TRY_ALLOC(noise);
    noise->def = def;
    const jsn_status status = read_params(noise, spec);
    if (status != JSN_OK) {
        jsn_noise_destroy(noise);
        return status;
    }
    *out = noise;
    return JSN_OK;
}

void jsn_noise_destroy(jsn_noise *noise)
{
    if (noise == NULL)
        return;
    if (noise->def->release != NULL)
        noise->def->release(noise);
    for (size_t i = 0; i < JSNI_NOISE_MAX_PARAMS; i++)
        jsni_free(noise->text[i]);
    jsni_free(noise);
}

static jsn_status check_input(const jsn_noise_input *in)
{
    if (in->labels == NULL || in->samples == 0 || in->classes < 2)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "noise: needs labels of at least 1 sample and 2 classes");
    if (in->samples > UINT32_MAX || in->classes > 1000000)
        return jsni_fail(JSN_ERR_RANGE, "noise: %zu %s of %zu %s", in->samples,
                         jsni_noun(in->samples, "sample", "samples"), in->classes,
                         jsni_noun(in->classes, "class", "classes"));
    for (size_t i = 0; i < in->samples; i++)
        if (in->labels[i] < 0 || (size_t)in->labels[i] >= in->classes)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "noise: label %ld of sample %zu, %zu classes",
                             (long)in->labels[i], i, in->classes);
    for (size_t i = 0; in->numbers != NULL && i < in->samples; i++)
        if (in->numbers[i] >= in->total)
            return jsni_fail(JSN_ERR_ARGUMENT, "noise: sample %lu of %zu",
                             (unsigned long)in->numbers[i], in->total);
    return JSN_OK;
}

static jsn_status begin_result(const jsn_noise_input *in, jsn_noise_result *out)
{
    const size_t n = in->samples, k = in->classes;
    out->samples = n;
    out->classes = k;
    out->nominal_rate = NAN;
    out->factor = NAN;
    JSNI_TRY_ALLOC(out->labels = jsni_alloc(n, sizeof *out->labels));
    JSNI_TRY_ALLOC(out->listed = jsni_alloc(n, 1));
    JSNI_TRY_ALLOC(out->class_rates = jsni_alloc_zero(k, sizeof(double)));
    if (k <= JSN_MATRIX_MAX_CLASSES)
        JSNI_TRY_ALLOC(out->transitions = jsni_alloc_zero(k * k, sizeof(size_t)));
    memcpy(out->labels, in->labels, n * sizeof *out->labels);
    memset(out->listed, 1, n);
    return JSN_OK;
}

static jsn_status count_result(const jsn_noise_input *in, jsn_noise_result *out)
{
    const size_t k = in->classes;
    size_t *all = jsni_alloc_zero(k, sizeof *all); /* [classes], samples */
    JSNI_TRY_ALLOC(all);
    for (size_t i = 0; i < in->samples; i++) {
        const size_t from = (size_t)in->labels[i], to = (size_t)out->labels[i];
        if (!out->listed[i])
            continue;
        out->listed_samples++;
        out->changed += from != to;
        all[from]++;
        out->class_rates[from] += from != to;
        if (out->transitions != NULL)
            out->transitions[from * k + to]++;
    }
    out->real_rate = out->listed_samples == 0
                         ? 0.0
                         : (double)out->changed / (double)out->listed_samples;
    for (size_t c = 0; c < k; c++)
        if (all[c] > 0)
            out->class_rates[c] /= (double)all[c];
    jsni_free(all);
    return JSN_OK;
}

jsn_status jsn_noise_apply(const jsn_noise *noise, const jsn_noise_input *in,
                           jsn_noise_result *out)
{
    if (noise == NULL || in == NULL || out == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "noise: NULL argument");
    *out = (jsn_noise_result){0};
    JSNI_TRY(check_input(in));
    jsn_status status = begin_result(in, out);
    if (status == JSN_OK)
        status = noise->def->run(noise, in, out);
    if (status == JSN_OK)
        status = count_result(in, out);
    if (status != JSN_OK)
        jsn_noise_result_release(out);
    return status;
}

void jsn_noise_result_release(jsn_noise_result *result)
{
    if (result == NULL)
        return;
    jsni_free(result->labels);
    jsni_free(result->listed);
    jsni_free(result->class_rates);
    jsni_free(result->transitions);
    *result = (jsn_noise_result){0};
}

/* The text of the parameter of that name; NULL when it is not given or not known. */
static const char *find_text(const jsn_noise *noise, const char *name)
{
    for (size_t i = 0; i < noise->def->info.param_count; i++)
        if (strcmp(noise->def->info.params[i].name, name) == 0)
            return noise->text[i];
    return NULL;
}

jsn_noise_traits jsn_noise_about(const jsn_noise *noise)
{
    if (noise == NULL)
        return (jsn_noise_traits){0};
    return (jsn_noise_traits){.run = find_text(noise, "from"),
                              .leaves_missing = find_text(noise, "missing") != NULL};
}
