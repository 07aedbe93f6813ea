/* loss/sum_spec.c - reads specs of losses: a loss of the table, or a sum of them,
 *
 *     [number*]spec[+[number*]spec ...]        "10*nce+0.1*rce", "gce:q=0.7+mae"
 *
 * either of them also clipped,
 *
 *     logitclip:tau=1,p=2,loss=SPEC
 *
 * A name of the table may hold a plus itself ("nce+rce") and wins over the sum of its
 * parts. A plus inside a number ("1e+3") separates nothing. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/names.h"
#include "core/number.h"
#include "core/text.h"
#include "loss/loss_impl.h"
#include "loss/loss_number.h"
#include "loss/plugin_load.h"

/* A weight beyond is a slip; together with those of the losses it stays finite in float. */
static const double LEAST_WEIGHT = 1e-6, MOST_WEIGHT = 1e6;

/* Length of "number*" in front of a term, 0: there is none. */
static size_t weight_length(const char *text)
{
    const size_t digits = strspn(text, "0123456789.eE+-");
    return digits > 0 && text[digits] == '*' ? digits + 1 : 0;
}

/* Whether a term can begin here: behind a plus. */
static bool begins_term(const char *text)
{
    return isalpha((unsigned char)text[weight_length(text)]) != 0;
}

/* The losses of the table, then those of plugins, and the row of each; NULL behind the
 * last. */
static const jsni_loss_def *entry_at(size_t index, size_t *row)
{
    size_t count = 0;
    while (count <= index && jsni_loss_def_at(count) != NULL)
        count++;
    *row = index < count ? index : JSNI_LOSS_TOTAL + index - count;
    return index < count ? jsni_loss_def_at(index) : jsni_loss_plugin_at(index - count);
}

/* The entry with the longest name that `text` begins with, and that ends there. */
static const jsni_loss_def *find_name(const char *text, size_t *index)
{
    const jsni_loss_def *best = NULL, *def = NULL;
    size_t longest = 0, row = 0;
    for (size_t i = 0; (def = entry_at(i, &row)) != NULL; i++) {
        const size_t length = strlen(def->info.name);
        const char next =
            strncmp(text, def->info.name, length) == 0 ? text[length] : '?';
        if (length > longest && (next == '\0' || next == ':' || next == '+')) {
            longest = length;
            best = def;
            *index = row;
        }
    }
    return best;
}

static jsn_status unknown(const char *text)
{
    const jsni_loss_def *def = NULL;
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ":+"), text);
    jsni_names names;
    jsni_names_begin(&names, word, "'jensen show losses'");
    for (size_t i = 0, row = 0; (def = entry_at(i, &row)) != NULL; i++)
        jsni_names_add(&names, def->info.name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no loss named '%s'",
                           names.word);
}

/* Parameters and constants of the term, whose entry is known, from its own spec. */
static jsn_status prepare_term(const char *own, size_t views, jsni_loss_term *term)
{
    jsni_spec_value values[JSNI_LOSS_MAX_PARAMS];
    const jsn_loss_info *info = &term->def->info;
    JSNI_TRY(jsni_spec_values(own, info->params, info->param_count, values));
    term->setup = (jsni_loss_setup){.outer = 1.0,
                                    .views_wanted = info->views,
                                    .in_double = term->index >= JSNI_LOSS_TOTAL,
                                    .row = term->index};
    for (size_t i = 0; i < info->param_count; i++)
        term->setup.constant[i] = values[i].real;
    if (term->def->prepare != NULL)
        JSNI_TRY(term->def->prepare(own, values, views, &term->setup));
    term->index = term->setup.row;
    term->plugin = jsni_loss_plugin_file(term->index);
    term->all_views = term->setup;
    return JSN_OK;
}

/* The term that begins at *at, which is moved to the plus behind it or to the end. */
static jsn_status read_term(const char *spec, const char **at, size_t views,
                            jsni_loss_term *term)
{
    char own[256];
    const size_t weight = weight_length(*at);
    *term = (jsni_loss_term){.weight = 1.0};
    if (weight > 0 && (!jsni_number_real(*at, weight - 1, &term->weight) ||
                       !(term->weight >= LEAST_WEIGHT && term->weight <= MOST_WEIGHT)))
        return jsni_fail(JSN_ERR_RANGE, "'%s': the weight '%.*s' must lie in [%g, %g]",
                         spec, (int)(weight - 1), *at, LEAST_WEIGHT, MOST_WEIGHT);
    const char *name = *at + weight;
    term->def = find_name(name, &term->index);
    if (term->def == NULL)
        return unknown(name);
    const jsn_loss_info *info = &term->def->info;
    size_t end = strlen(info->name);
    /* A plus behind the bare name ends it; among parameters it may belong to a number. */
    while (name[end] != '\0' && !(name[end] == '+' && (end == strlen(info->name) ||
                                                       begins_term(name + end + 1))))
        end++;
    if (end >= sizeof own)
        return jsni_fail(JSN_ERR_ARGUMENT, "'%.60s...': the spec is too long", spec);
    (void)jsni_format(own, sizeof own, "%.*s", (int)end, name);
    JSNI_TRY(prepare_term(own, views, term));
    if (term->setup.matrix != NULL) { /* what is kept is a slice of the caller's text */
        term->setup.matrix = name + (term->setup.matrix - own);
        term->all_views.matrix = term->setup.matrix;
    }
    *at = name + end;
    return JSN_OK;
}

/* "logitclip:tau=1,p=2,loss=SPEC": the spec inside, which is all that follows loss=. */
static jsn_status read_clip(const char *spec, jsni_loss_clip *clip, const char **inside)
{
    enum { TAU, POWER };
    static const jsn_param_info params[] = {
        {"tau", "largest norm", 1, 1e-3, 1e4, JSN_PARAM_REAL},
        {"p", "power of the norm", 2, 1, 100, JSN_PARAM_REAL},
    };
    jsni_spec_value values[JSNI_COUNT_OF(params)];
    char own[128];
    const char *loss = strstr(spec, "loss=");
    *inside = spec;
    *clip = (jsni_loss_clip){0};
    if (!jsni_spec_names(spec, "logitclip"))
        return JSN_OK;
    if (loss == NULL || (loss[-1] != ':' && loss[-1] != ',') ||
        (size_t)(loss - spec) > sizeof own)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "'%.80s': logitclip wraps a loss, which comes last: "
                         "logitclip:tau=1,p=2,loss=ce",
                         spec);
    (void)jsni_format(own, sizeof own, "%.*s", (int)(loss - spec - 1), spec);
    JSNI_TRY(jsni_spec_values(own, params, JSNI_COUNT_OF(params), values));
    clip->tau = values[TAU].real;
    clip->power = values[POWER].real;
    *inside = loss + strlen("loss=");
    return JSN_OK;
}

jsn_status jsni_loss_read_spec(const char *spec, size_t views, jsni_loss_term *terms,
                               size_t *count, jsni_loss_clip *clip)
{
    const char *at = NULL;
    JSNI_TRY(read_clip(spec, clip, &at));
    *count = 0;
    for (;;) {
        if (*count == JSNI_LOSS_MAX_TERMS)
            return jsni_fail(JSN_ERR_ARGUMENT, "'%s': a sum has at most %d losses",
                             spec, (int)JSNI_LOSS_MAX_TERMS);
        JSNI_TRY(read_term(spec, &at, views, &terms[(*count)++]));
        if (*at == '\0')
            break;
        at++; /* the plus */
    }
    const bool sum = *count > 1 || terms[0].weight != 1.0 || clip->tau > 0.0;
    for (size_t i = 0; sum && i < *count; i++)
        if (terms[i].def->root)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "'%s': %s is the root of a mean and cannot be summed or "
                             "clipped",
                             spec, terms[i].def->info.name);
    return JSN_OK;
}

jsn_status jsni_loss_read_method(const char *spec, size_t views, jsni_loss_term *term)
{
    jsni_names names;
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(spec, ":"), spec);
    jsni_names_begin(&names, word, "'jensen show methods'");
    *term = (jsni_loss_term){.weight = 1.0};
    for (size_t i = 0; (term->def = jsni_method_def_at(i, &term->index)) != NULL; i++) {
        if (strcmp(term->def->info.name, word) == 0)
            return prepare_term(spec, views, term);
        jsni_names_add(&names, term->def->info.name);
    }
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no method named '%s'",
                           names.word);
}
