/* sweep/search_stages.c - the paper's searches, which go in two stages.
 *
 * two-stage: at 40% noise, symmetric and asymmetric, learning rate times weight decay
 * with the loss's parameter fixed; then, with the best of these, the parameter for every
 * noise. noisy-validation (Table 12): learning rate and weight decay of CE at 40%
 * symmetric noise, then each loss's parameter at the same noise, all by the accuracy on
 * validation labels that are noisy, too. The values are those of the paper's appendix;
 * where it lists none (SCE, NCE+RCE) they include all of its winners.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/names.h"
#include "sweep/sweep_impl.h"

static const char *const rates10[] = {"0.001", "0.005", "0.01", "0.05", "0.1"};
static const char *const rates100[] = {"0.01", "0.05", "0.1", "0.2", "0.4"};
static const char *const decays10[] = {"1e-4", "5e-4", "1e-3"};
static const char *const decays100[] = {"1e-5", "5e-5", "1e-4"};
enum { RATES = 5, DECAYS = 3, NOISES = 7 };

static const char *const noise_names[NOISES] = {"clean",  "sym-20",  "sym-40", "sym-60",
                                                "sym-80", "asym-20", "asym-40"};
static const char *const noise_specs[NOISES] = {
    "none",         "sym:rate=0.2",  "sym:rate=0.4", "sym:rate=0.6",
    "sym:rate=0.8", "asym:rate=0.2", "asym:rate=0.4"};
enum { SYM_40 = 2, ASYM_20 = 5, ASYM_40 = 6 };

/* The parameter's values in stage two, up to a NULL, and the one fixed in stage one. */
typedef struct method {
    const char *name, *fixed10, *fixed100;
    const char *grid10[7], *grid100[7];
} method;

#define ONE(spec)                                                             \
    {                                                                         \
        spec "=0.1", spec "=0.3", spec "=0.5", spec "=0.7", spec "=0.9", NULL \
    }

static const method methods[] = {
    {"ce", "ce", "ce", {NULL}, {NULL}},
    {"bs", "bs:beta=0.9", "bs:beta=0.9", ONE("bs:beta"), ONE("bs:beta")},
    {"ls", "ls:epsilon=0.7", "ls:epsilon=0.7", ONE("ls:epsilon"), ONE("ls:epsilon")},
    {"sce",
     "sce:alpha=0.1,beta=1",
     "sce:alpha=6,beta=0.1",
     {"sce:alpha=0.05,beta=0.1", "sce:alpha=0.05,beta=1", "sce:alpha=0.1,beta=0.1",
      "sce:alpha=0.1,beta=1", "sce:alpha=0.2,beta=0.1", "sce:alpha=0.2,beta=1", NULL},
     {"sce:alpha=0.1,beta=0.1", "sce:alpha=0.1,beta=1", "sce:alpha=1,beta=0.1",
      "sce:alpha=1,beta=1", "sce:alpha=6,beta=0.1", "sce:alpha=6,beta=1", NULL}},
    {"gce", "gce:q=0.7", "gce:q=0.7", ONE("gce:q"), ONE("gce:q")},
    {"nce+rce",
     "nce+rce:alpha=1,beta=1",
     "nce+rce:alpha=10,beta=0.1",
     {"nce+rce:alpha=1,beta=0.1", "nce+rce:alpha=1,beta=1", "nce+rce:alpha=5,beta=0.1",
      "nce+rce:alpha=5,beta=1", "nce+rce:alpha=10,beta=0.1", "nce+rce:alpha=10,beta=1",
      NULL},
     {"nce+rce:alpha=5,beta=0.1", "nce+rce:alpha=5,beta=1", "nce+rce:alpha=10,beta=0.1",
      "nce+rce:alpha=10,beta=1", "nce+rce:alpha=20,beta=0.1", "nce+rce:alpha=20,beta=1",
      NULL}},
    {"js", "js:pi1=0.5", "js:pi1=0.5", ONE("js:pi1"), ONE("js:pi1")},
    {"gjs", "gjs:pi1=0.5", "gjs:pi1=0.5", ONE("gjs:pi1"), ONE("gjs:pi1")},
};

/* Whether a method is in the list "gjs,js" or the list is "all". */
static bool listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    if (strcmp(list, "all") == 0)
        return true;
    for (const char *at = list; *at != '\0';) {
        const size_t n = strcspn(at, ",");
        if (n == length && strncmp(at, name, n) == 0)
            return true;
        at += at[n] == ',' ? n + 1 : n;
    }
    return false;
}

static jsn_status unknown_method(const char *text, size_t length)
{
    char word[64];
    jsni_names names;
    (void)snprintf(word, sizeof word, "%.*s", (int)length, text);
    jsni_names_begin(&names, word, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(methods); i++)
        jsni_names_add(&names, methods[i].name);
    jsni_names_add(&names, "all");
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "--methods: no loss '%s'",
                           word);
}

static jsn_status check_list(const char *list)
{
    if (strcmp(list, "all") == 0)
        return JSN_OK;
    for (const char *at = list; *at != '\0';) {
        const size_t n = strcspn(at, ",");
        bool known = false;
        for (size_t i = 0; i < JSNI_COUNT_OF(methods); i++)
            known = known || (strlen(methods[i].name) == n &&
                              strncmp(at, methods[i].name, n) == 0);
        if (!known)
            return unknown_method(at, n);
        at += at[n] == ',' ? n + 1 : n;
    }
    return JSN_OK;
}

static jsn_status add(const jsni_study *study, const char *group, const char *loss,
                      const char *noise, const char *lr, const char *wd)
{
    const jsn_sweep_pair pairs[] = {
        {"loss", loss}, {"noise", noise}, {"lr", lr}, {"weight-decay", wd}};
    return jsni_sweep_add(study, NULL, pairs, 4, group, NULL);
}

/* Learning rate times weight decay of one loss at one noise. */
static jsn_status add_first(const jsni_study *study, bool ten, const method *m,
                            int noise)
{
    char group[64];
    (void)snprintf(group, sizeof group, "stage1/%s/%s", m->name, noise_names[noise]);
    for (int r = 0; r < RATES; r++)
        for (int d = 0; d < DECAYS; d++)
            JSNI_TRY(add(study, group, ten ? m->fixed10 : m->fixed100,
                         noise_specs[noise], ten ? rates10[r] : rates100[r],
                         ten ? decays10[d] : decays100[d]));
    return JSN_OK;
}

jsn_status jsni_stages_begin(const jsni_study *study, const jsn_sweep_plan *plan)
{
    const bool ten = strcmp(plan->dataset, "cifar10") == 0;
    const bool noisy = strcmp(plan->preset, "noisy-validation") == 0;
    jsni_json_writer *w = NULL;
    JSNI_TRY(check_list(plan->methods));
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "preset", plan->preset);
    jsni_json_put_text(w, "dataset", plan->dataset);
    jsni_json_put_text(w, "methods", plan->methods);
    jsni_json_end(w);
    const jsn_status status = jsni_sweep_put(study, "stages", w);
    jsni_json_writer_destroy(w);
    JSNI_TRY(status);
    JSNI_TRY(jsni_study_set(study, "stage", "1"));
    if (noisy)
        return add_first(study, ten, &methods[0], SYM_40);
    for (size_t i = 0; i < JSNI_COUNT_OF(methods); i++)
        if (listed(plan->methods, methods[i].name)) {
            JSNI_TRY(add_first(study, ten, &methods[i], SYM_40));
            JSNI_TRY(add_first(study, ten, &methods[i], ASYM_40));
        }
    return JSN_OK;
}

/* Stage two of one loss at one noise with what stage one found in `from`. A group whose
 * trials all failed has no winner; its second stage stays empty. */
static jsn_status add_second(jsn_sweep *sweep, const jsn_sweep_trial *trials,
                             size_t count, const char *from, const method *m, bool ten,
                             int noise)
{
    char group[64];
    const size_t best = jsn_sweep_best(sweep, trials, count, from);
    if (best == SIZE_MAX)
        return JSN_OK;
    const char *lr = jsn_sweep_option(&trials[best], "lr");
    const char *wd = jsn_sweep_option(&trials[best], "weight-decay");
    (void)snprintf(group, sizeof group, "stage2/%s/%s", m->name, noise_names[noise]);
    const char *const *grid = ten ? m->grid10 : m->grid100;
    for (size_t i = 0; grid[i] != NULL; i++)
        JSNI_TRY(add(&sweep->study, group, grid[i], noise_specs[noise], lr, wd));
    return JSN_OK;
}

static jsn_status add_all_second(jsn_sweep *sweep, const jsn_sweep_trial *trials,
                                 size_t count)
{
    const jsni_json *s = sweep->stages;
    const bool ten =
        strcmp(jsni_json_text(jsni_json_get(s, "dataset")), "cifar10") == 0;
    const char *list = jsni_json_text(jsni_json_get(s, "methods"));
    const bool noisy =
        strcmp(jsni_json_text(jsni_json_get(s, "preset")), "noisy-validation") == 0;
    for (size_t i = 0; i < JSNI_COUNT_OF(methods); i++) {
        const method *m = &methods[i];
        if (!listed(list, m->name))
            continue;
        if (noisy) {
            JSNI_TRY(
                add_second(sweep, trials, count, "stage1/ce/sym-40", m, ten, SYM_40));
            continue;
        }
        for (int noise = 0; noise < NOISES; noise++) {
            char from[64];
            (void)snprintf(from, sizeof from, "stage1/%s/%s", m->name,
                           noise >= ASYM_20 ? "asym-40" : "sym-40");
            JSNI_TRY(add_second(sweep, trials, count, from, m, ten, noise));
        }
    }
    return JSN_OK;
}

jsn_status jsni_stages_advance(jsn_sweep *sweep, bool *more)
{
    jsn_sweep_counts counts;
    jsn_sweep_trial *trials = NULL;
    char *stage = NULL;
    size_t count = 0;
    *more = false;
    if (sweep->stages == NULL)
        return JSN_OK;
    JSNI_TRY(jsni_study_get(&sweep->study, "stage", &stage));
    const bool first = stage != NULL && strcmp(stage, "1") == 0;
    jsni_free(stage);
    if (!first)
        return JSN_OK;
    *more = true;
    JSNI_TRY(jsn_sweep_count(sweep, &counts));
    if (counts.waiting > 0 || counts.running > 0)
        return JSN_OK;
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    jsn_status status = jsni_store_begin(sweep->store);
    if (status == JSN_OK) {
        /* Of several workers one replaces the number and adds the trials. */
        bool mine = false;
        status = jsni_study_swap(&sweep->study, "stage", "1", "2", &mine);
        if (status == JSN_OK && mine)
            status = add_all_second(sweep, trials, count);
        status = jsni_store_end(sweep->store, status);
    }
    jsn_sweep_trials_release(trials, count);
    return status;
}
