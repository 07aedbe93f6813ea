/* sweep/sweep_choice.c - see jensen/sweep.h: the best trial of a study, and the best
 * configuration, whose trials differ in their seed alone. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "store/run_record.h"
#include "store/run_repeat.h"
#include "sweep/sweep_impl.h"

static bool in_group(const jsn_sweep_trial *trial, const char *group)
{
    const char *own = jsn_sweep_fact(trial, "group");
    return group == NULL || (own != NULL && strcmp(own, group) == 0);
}

static bool has_value(const jsn_sweep_trial *trial)
{
    return trial->state == JSN_SWEEP_COMPLETE && !isnan(trial->value);
}

static bool better(const jsn_sweep *sweep, double a, double b)
{
    return sweep->study.maximize ? a > b : a < b;
}

size_t jsni_sweep_best(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                       size_t count, const char *group)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (has_value(&trials[i]) && in_group(&trials[i], group) &&
            (best == SIZE_MAX || better(sweep, trials[i].value, trials[best].value)))
            best = i;
    return best;
}

/* Trials that differ in their seed alone. */
typedef struct configuration {
    uint64_t mark;    /* of the options, whatever their order */
    size_t first;     /* index of a trial, the lowest */
    size_t n, valued; /* trials; those with a value */
    size_t best;      /* index of the best of these, SIZE_MAX: none */
    double sum;       /* of their values */
    double again;     /* how often a trial was begun anew after its worker had failed */
} configuration;

static uint64_t mark_text(uint64_t mark, const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        mark = (mark ^ (unsigned char)*c) * 1099511628211u;
    return mark * 31u;
}

/* The same for trials of one configuration, and hardly ever for others: spares the
 * comparison of their options. */
static uint64_t mark_of(const jsn_sweep_trial *trial)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < trial->option_count; i++)
        if (jsni_run_setting_tells_apart(trial->options[i].name))
            sum += mark_text(mark_text(14695981039346656037u, trial->options[i].name),
                             trial->options[i].text);
    return sum;
}

/* Whether what tells `a` from others is the same in `b`. */
static bool options_in(const jsn_sweep_trial *a, const jsn_sweep_trial *b)
{
    for (size_t i = 0; i < a->option_count; i++) {
        const char *other = jsn_sweep_option(b, a->options[i].name);
        if (jsni_run_setting_tells_apart(a->options[i].name) &&
            (other == NULL || strcmp(a->options[i].text, other) != 0))
            return false;
    }
    return true;
}

static void add_trial(const jsn_sweep *sweep, configuration *c,
                      const jsn_sweep_trial *trials, size_t i)
{
    const double attempts = jsni_sweep_number(&trials[i], "attempts");
    c->n++;
    c->again += attempts > 1.0 ? attempts - 1.0 : 0.0;
    if (!has_value(&trials[i]))
        return;
    c->valued++;
    c->sum += trials[i].value;
    if (c->best == SIZE_MAX || better(sweep, trials[i].value, trials[c->best].value))
        c->best = i;
}

/* Whether options of a trial are still open: one that Optuna enqueued gets them when it
 * is run, and one that cannot be run never does. It repeats no other. */
static bool is_open(const jsn_sweep *sweep, const jsn_sweep_trial *trial)
{
    if (trial->state == JSN_SWEEP_COMPLETE)
        return false;
    for (size_t i = 0; i < jsni_json_count(sweep->axes); i++)
        if (jsn_sweep_option(trial, jsni_json_key(jsni_json_at(sweep->axes, i))) ==
            NULL)
            return true;
    return trial->option_count == 0 &&
           jsn_sweep_fact(trial, "system:fixed_params") != NULL;
}

/* Finds the configurations of the group's trials; of [count] says which, SIZE_MAX:
 * another group's, or not known. Returns how many there are. */
static size_t find_all(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                       size_t count, const char *group, configuration *list, size_t *of)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        of[i] = SIZE_MAX;
        if (!in_group(&trials[i], group) || is_open(sweep, &trials[i]))
            continue;
        const uint64_t mark = mark_of(&trials[i]);
        size_t k = 0;
        while (k < total && (list[k].mark != mark ||
                             !options_in(&trials[list[k].first], &trials[i]) ||
                             !options_in(&trials[i], &trials[list[k].first])))
            k++;
        if (k == total)
            list[total++] = (configuration){.mark = mark, .first = i, .best = SIZE_MAX};
        of[i] = k;
    }
    return total;
}

/* Puts the trials that count into their configurations. */
static jsn_status add_all(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                          size_t count, configuration *list, const size_t *of,
                          size_t *counted)
{
    jsni_run_identity *ids = jsni_alloc(count, sizeof *ids);
    JSNI_TRY_ALLOC(ids);
    for (size_t i = 0; i < count; i++) {
        /* A seed that is no option of the trials is the same for all. */
        const char *seed = jsn_sweep_option(&trials[i], "seed");
        seed = seed == NULL ? "" : seed;
        ids[i] = (jsni_run_identity){of[i], of[i] == SIZE_MAX ? NULL : seed,
                                     has_value(&trials[i]), (double)trials[i].number};
    }
    jsni_run_repeats(ids, count, counted);
    for (size_t i = 0; i < count; i++)
        if (of[i] != SIZE_MAX && counted[i] == i)
            add_trial(sweep, &list[of[i]], trials, i);
    jsni_free(ids);
    return JSN_OK;
}

static double mean_of(const configuration *c)
{
    return c->sum / (double)c->n;
}

/* Whether `a` is chosen before `b`, which has the lower trial number. Means that differ
 * by the rounding of their sums are equal. */
static bool ahead(const jsn_sweep *sweep, const configuration *a,
                  const configuration *b, bool repeated)
{
    const double x = mean_of(a), y = mean_of(b);
    if (!repeated)
        return better(sweep, x, y);
    if (fabs(x - y) > 1e-12 * fabs(y))
        return better(sweep, x, y);
    return a->again < b->again;
}

static jsn_status take(jsn_sweep_choice *out, const configuration *list, size_t chosen,
                       const size_t *of, size_t count)
{
    JSNI_TRY_ALLOC(out->trials = jsni_alloc(list[chosen].n, sizeof *out->trials));
    for (size_t i = 0; i < count; i++)
        if (of[i] == chosen && out->counted[i] == i)
            out->trials[out->n++] = i;
    out->best = list[chosen].best;
    out->mean = mean_of(&list[chosen]);
    return JSN_OK;
}

jsn_status jsn_sweep_choose(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                            size_t count, const char *group, jsn_sweep_choice *out)
{
    JSNI_NEED(sweep);
    JSNI_NEED(trials);
    JSNI_NEED(out);
    *out = (jsn_sweep_choice){.best = SIZE_MAX, .mean = NAN};
    if (count == 0)
        return JSN_OK;
    configuration *list = jsni_alloc(count, sizeof *list);
    size_t *of = jsni_alloc(count, sizeof *of);
    size_t total = 0;
    out->counted = jsni_alloc(count, sizeof *out->counted);
    jsn_status status = JSN_ERR_MEMORY;
    if (list != NULL && of != NULL && out->counted != NULL) {
        total = find_all(sweep, trials, count, group, list, of);
        status = add_all(sweep, trials, count, list, of, out->counted);
    }
    if (status == JSN_OK) {
        size_t chosen = SIZE_MAX;
        for (size_t k = 0; k < total; k++)
            out->repeated = out->repeated || list[k].n > 1;
        for (size_t k = 0; k < total; k++) {
            if (list[k].valued < list[k].n)
                out->left_out++;
            else if (chosen == SIZE_MAX ||
                     ahead(sweep, &list[k], &list[chosen], out->repeated))
                chosen = k;
        }
        if (chosen != SIZE_MAX)
            status = take(out, list, chosen, of, count);
    }
    jsni_free(list);
    jsni_free(of);
    if (status != JSN_OK)
        jsn_sweep_choice_release(out);
    return status;
}

void jsn_sweep_choice_release(jsn_sweep_choice *choice)
{
    if (choice == NULL)
        return;
    jsni_free(choice->trials);
    jsni_free(choice->counted);
    *choice = (jsn_sweep_choice){0};
}
