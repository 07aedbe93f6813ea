/* sweep/search_stages.c - the paper's searches, which go in stages, one after another.
 *
 * 1. Learning rate times weight decay, with the loss's parameter fixed.
 * 2. With the best of these, the loss's parameter.
 * 3. On demand, what was found is trained again on all images, with several seeds.
 *
 * A protocol says at which noises this is done. two-stage: stage one at 40% noise,
 * symmetric and asymmetric, stage two at every noise. noisy-validation (Table 12): learning
 * rate and weight decay of CE at 40% symmetric noise, then each loss's parameter there, all
 * by validation labels that are noisy, too. instance (Table 8): all of it at noise of the
 * first type, whose winners serve the other two. webvision (Table 2): the noise of the data.
 * The values are those of the paper's appendix; where it lists none (SCE, NCE+RCE) they
 * include all of its winners.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/names.h"
#include "core/text.h"
#include "sweep/sweep_impl.h"

/* A noise, and the noises whose first and second stage it takes its values from. */
typedef struct place {
    const char *name, *noise;
    int first, second;
} place;

enum { SYM_40 = 2, ASYM_40 = 6 };
static const place every[] = {{"clean", "none", SYM_40, 0},
                              {"sym-20", "sym:rate=0.2", SYM_40, 1},
                              {"sym-40", "sym:rate=0.4", SYM_40, 2},
                              {"sym-60", "sym:rate=0.6", SYM_40, 3},
                              {"sym-80", "sym:rate=0.8", SYM_40, 4},
                              {"asym-20", "asym:rate=0.2", ASYM_40, 5},
                              {"asym-40", "asym:rate=0.4", ASYM_40, 6}};
static const place one_parameter[] = {{"clean", "none", SYM_40, SYM_40},
                                      {"sym-20", "sym:rate=0.2", SYM_40, SYM_40},
                                      {"sym-40", "sym:rate=0.4", SYM_40, SYM_40},
                                      {"sym-60", "sym:rate=0.6", SYM_40, SYM_40},
                                      {"sym-80", "sym:rate=0.8", SYM_40, SYM_40},
                                      {"asym-20", "asym:rate=0.2", SYM_40, SYM_40},
                                      {"asym-40", "asym:rate=0.4", SYM_40, SYM_40}};
/* Where their labels come from, the plan says. */
static const place instances[] = {{"type1", "instance:type=1,rate=0.35", 0, 0},
                                  {"type2", "instance:type=2,rate=0.35", 0, 0},
                                  {"type3", "instance:type=3,rate=0.35", 0, 0}};
static const place real[] = {{"real", "none", 0, 0}};

enum { TEN, HUNDRED, WEB, GRIDS }; /* whose grids of losses */

typedef struct protocol {
    const char *preset, *dataset;
    int grid;
    const place *places;
    size_t place_count;
    const char *rates[6], *decays[5]; /* up to a NULL */
    bool own_recipes; /* one a loss, "webvision/gjs"; else that of the study */
    bool rates_of_ce; /* for all losses */
} protocol;

#define RATES_10                                      \
    {                                                 \
        "0.001", "0.005", "0.01", "0.05", "0.1", NULL \
    }
#define RATES_100                                 \
    {                                             \
        "0.01", "0.05", "0.1", "0.2", "0.4", NULL \
    }
#define DECAYS_10                    \
    {                                \
        "1e-4", "5e-4", "1e-3", NULL \
    }
#define DECAYS_100                   \
    {                                \
        "1e-5", "5e-5", "1e-4", NULL \
    }
#define PLACES(list) list, JSNI_COUNT_OF(list)

static const protocol protocols[] = {
    {"two-stage", "cifar10", TEN, PLACES(every), RATES_10, DECAYS_10, false, false},
    {"two-stage", "cifar100", HUNDRED, PLACES(every), RATES_100, DECAYS_100, false,
     false},
    {"noisy-validation", "cifar10", TEN, PLACES(one_parameter), RATES_10, DECAYS_10,
     false, true},
    {"noisy-validation", "cifar100", HUNDRED, PLACES(one_parameter), RATES_100,
     DECAYS_100, false, true},
    {"instance", "cifar10", TEN, PLACES(instances), RATES_10, DECAYS_10, false, false},
    /* 5e-4 is among the winners of Table 8. */
    {"instance",
     "cifar100",
     HUNDRED,
     PLACES(instances),
     RATES_100,
     {"1e-5", "5e-5", "1e-4", "5e-4", NULL},
     false,
     false},
    {"webvision",
     "webvision",
     WEB,
     PLACES(real),
     {"0.1", "0.2", "0.4", NULL},
     {"1e-4", NULL},
     true,
     false},
};

/* The parameter's values in stage two, up to a NULL, and the one fixed in stage one; NULL:
 * the paper does not search for the loss there. */
typedef struct method {
    const char *name, *fixed[GRIDS];
    const char *grid[GRIDS][7];
} method;

#define ONE(spec, more)                                                         \
    {                                                                           \
        spec "=0.1" more, spec "=0.3" more, spec "=0.5" more, spec "=0.7" more, \
            spec "=0.9" more, NULL                                              \
    }
#define NONE \
    {        \
        NULL \
    }

static const method methods[] = {
    {"ce", {"ce", "ce", "ce"}, {NONE, NONE, NONE}},
    {"bs",
     {"bs:beta=0.9", "bs:beta=0.9", NULL},
     {ONE("bs:beta", ""), ONE("bs:beta", ""), NONE}},
    {"ls",
     {"ls:epsilon=0.7", "ls:epsilon=0.7", NULL},
     {ONE("ls:epsilon", ""), ONE("ls:epsilon", ""), NONE}},
    {"sce",
     {"sce:alpha=0.1,beta=1", "sce:alpha=6,beta=0.1", NULL},
     {{"sce:alpha=0.05,beta=0.1", "sce:alpha=0.05,beta=1", "sce:alpha=0.1,beta=0.1",
       "sce:alpha=0.1,beta=1", "sce:alpha=0.2,beta=0.1", "sce:alpha=0.2,beta=1", NULL},
      {"sce:alpha=0.1,beta=0.1", "sce:alpha=0.1,beta=1", "sce:alpha=1,beta=0.1",
       "sce:alpha=1,beta=1", "sce:alpha=6,beta=0.1", "sce:alpha=6,beta=1", NULL},
      NONE}},
    {"gce",
     {"gce:q=0.7", "gce:q=0.7", NULL},
     {ONE("gce:q", ""), ONE("gce:q", ""), NONE}},
    {"nce+rce",
     {"nce+rce:alpha=1,beta=1", "nce+rce:alpha=10,beta=0.1", NULL},
     {{"nce+rce:alpha=1,beta=0.1", "nce+rce:alpha=1,beta=1", "nce+rce:alpha=5,beta=0.1",
       "nce+rce:alpha=5,beta=1", "nce+rce:alpha=10,beta=0.1", "nce+rce:alpha=10,beta=1",
       NULL},
      {"nce+rce:alpha=5,beta=0.1", "nce+rce:alpha=5,beta=1",
       "nce+rce:alpha=10,beta=0.1", "nce+rce:alpha=10,beta=1",
       "nce+rce:alpha=20,beta=0.1", "nce+rce:alpha=20,beta=1", NULL},
      NONE}},
    {"js",
     {"js:pi1=0.5", "js:pi1=0.5", "js:pi1=0.5,scale=0"},
     {ONE("js:pi1", ""), ONE("js:pi1", ""), ONE("js:pi1", ",scale=0")}},
    {"gjs",
     {"gjs:pi1=0.5", "gjs:pi1=0.5", "gjs:pi1=0.5,scale=0"},
     {ONE("gjs:pi1", ""), ONE("gjs:pi1", ""), ONE("gjs:pi1", ",scale=0")}},
};

/* A search as the study keeps it. */
typedef struct search {
    const jsni_study *study;
    const protocol *protocol;
    const char *methods,
        *noise_from; /* borrowed; the latter "" where it is not needed */
    int64_t retrain;
} search;

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

static jsn_status find_protocol(const char *preset, const char *dataset,
                                const protocol **out)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(protocols); i++)
        if (strcmp(protocols[i].preset, preset) == 0 &&
            strcmp(protocols[i].dataset, dataset) == 0) {
            *out = &protocols[i];
            return JSN_OK;
        }
    return jsni_fail(JSN_ERR_ARGUMENT, "--preset %s: the paper has none on %s", preset,
                     dataset);
}

static bool wanted(const search *s, const method *m)
{
    return m->fixed[s->protocol->grid] != NULL && listed(s->methods, m->name);
}

void jsni_sweep_put_instance(jsni_text *out, const char *noise, const char *from,
                             const char *type, int percent)
{
    if (strncmp(from, "file:", 5) == 0)
        jsni_text_format(out, "%s,column=%s_%d%s", from, type, percent,
                         strstr(from, ",missing=") == NULL ? ",missing=val" : "");
    else
        jsni_text_format(out, "%s,%s", noise, from);
}

/* A trial of group "STAGE/METHOD/NOISE"; with `seed` on all images. */
static jsn_status add(const search *s, const char *stage, const method *m,
                      const place *at, const char *loss, const char *lr, const char *wd,
                      const char *seed)
{
    char group[64], recipe[64];
    jsni_text noise = {0};
    if (strncmp(at->noise, "instance:", 9) == 0)
        jsni_sweep_put_instance(&noise, at->noise, s->noise_from, at->name, 35);
    JSNI_TRY(noise.status);
    (void)snprintf(recipe, sizeof recipe, "%s/%s", s->protocol->dataset, m->name);
    (void)snprintf(group, sizeof group, "%s/%s/%s", stage, m->name, at->name);
    const jsn_sweep_pair pairs[] = {
        {"loss", loss},
        {"noise", noise.data == NULL ? at->noise : noise.data},
        {"lr", lr},
        {"weight-decay", wd},
        {"recipe", s->protocol->own_recipes ? recipe : NULL},
        {"val-fraction", seed == NULL ? NULL : "0"},
        {"seed", seed}};
    const jsn_status status =
        jsni_sweep_add(s->study, NULL, pairs, JSNI_COUNT_OF(pairs), group, NULL);
    jsni_text_release(&noise);
    return status;
}

static jsn_status add_rates(const search *s, const method *m, const place *at)
{
    const protocol *p = s->protocol;
    for (size_t r = 0; p->rates[r] != NULL; r++)
        for (size_t d = 0; p->decays[d] != NULL; d++)
            JSNI_TRY(add(s, "stage1", m, at, m->fixed[p->grid], p->rates[r],
                         p->decays[d], NULL));
    return JSN_OK;
}

/* Learning rate times weight decay of each loss at each noise that others refer to. */
static jsn_status add_first(const search *s)
{
    const protocol *p = s->protocol;
    for (size_t i = 0; i < JSNI_COUNT_OF(methods); i++)
        for (size_t n = 0; n < p->place_count; n++) {
            bool used = false;
            for (size_t k = 0; k < p->place_count; k++)
                used = used || p->places[k].first == (int)n;
            if (used && (p->rates_of_ce ? i == 0 : wanted(s, &methods[i])))
                JSNI_TRY(add_rates(s, &methods[i], &p->places[n]));
        }
    return JSN_OK;
}

/* The winner of a stage; NULL: all of its trials failed. */
static const jsn_sweep_trial *winner(const jsn_sweep *sweep,
                                     const jsn_sweep_trial *trials, size_t count,
                                     const char *stage, const char *name,
                                     const place *at)
{
    char group[64];
    (void)snprintf(group, sizeof group, "%s/%s/%s", stage, name, at->name);
    const size_t best = jsni_sweep_best(sweep, trials, count, group);
    return best == SIZE_MAX ? NULL : &trials[best];
}

/* The parameter of a loss at a noise, with what stage one found. Without a winner there
 * the second stage stays empty. */
static jsn_status add_second(const search *s, const jsn_sweep *sweep,
                             const jsn_sweep_trial *trials, size_t count)
{
    const protocol *p = s->protocol;
    for (size_t i = 0; i < JSNI_COUNT_OF(methods); i++)
        for (size_t n = 0; n < p->place_count && wanted(s, &methods[i]); n++) {
            const method *m = &methods[i];
            const place *at = &p->places[n];
            const jsn_sweep_trial *best =
                winner(sweep, trials, count, "stage1", p->rates_of_ce ? "ce" : m->name,
                       &p->places[at->first]);
            if (at->second != (int)n || best == NULL)
                continue;
            for (size_t k = 0; m->grid[p->grid][k] != NULL; k++)
                JSNI_TRY(add(s, "stage2", m, at, m->grid[p->grid][k],
                             jsn_sweep_option(best, "lr"),
                             jsn_sweep_option(best, "weight-decay"), NULL));
        }
    return JSN_OK;
}

/* What was found, on all images: the winner of stage two, of a loss without parameters
 * that of stage one. */
static jsn_status add_third(const search *s, const jsn_sweep *sweep,
                            const jsn_sweep_trial *trials, size_t count)
{
    const protocol *p = s->protocol;
    for (size_t i = 0; i < JSNI_COUNT_OF(methods); i++)
        for (size_t n = 0; n < p->place_count && wanted(s, &methods[i]); n++) {
            const method *m = &methods[i];
            const place *at = &p->places[n];
            const jsn_sweep_trial *best = m->grid[p->grid][0] == NULL
                                              ? winner(sweep, trials, count, "stage1",
                                                       m->name, &p->places[at->first])
                                              : winner(sweep, trials, count, "stage2",
                                                       m->name, &p->places[at->second]);
            for (int64_t seed = 1; best != NULL && seed <= s->retrain; seed++) {
                char text[24];
                (void)snprintf(text, sizeof text, "%lld", (long long)seed);
                JSNI_TRY(add(s, "retrain", m, at, jsn_sweep_option(best, "loss"),
                             jsn_sweep_option(best, "lr"),
                             jsn_sweep_option(best, "weight-decay"), text));
            }
        }
    return JSN_OK;
}

static const char *dataset_of(const jsn_sweep_plan *plan)
{
    return plan->dataset != NULL                    ? plan->dataset
           : strcmp(plan->preset, "webvision") == 0 ? "webvision"
                                                    : "cifar10";
}

jsn_status jsni_stages_text(const jsn_sweep_plan *plan, char **out)
{
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "preset", plan->preset);
    jsni_json_put_text(w, "dataset", dataset_of(plan));
    jsni_json_put_text(w, "methods", plan->methods);
    if (plan->retrain > 0)
        jsni_json_put_int(w, "retrain", plan->retrain);
    if (plan->noise_from != NULL)
        jsni_json_put_text(w, "noise_from", plan->noise_from);
    jsni_json_end(w);
    const jsn_status status = jsni_json_writer_take(w, out);
    jsni_json_writer_destroy(w);
    return status;
}

jsn_status jsni_stages_begin(const jsni_study *study, const jsn_sweep_plan *plan)
{
    search s = {.study = study,
                .methods = plan->methods,
                .noise_from = plan->noise_from == NULL ? "" : plan->noise_from};
    char *text = NULL;
    JSNI_TRY(check_list(plan->methods));
    JSNI_TRY(find_protocol(plan->preset, dataset_of(plan), &s.protocol));
    if (s.protocol->places == instances && plan->noise_from == NULL)
        return jsni_fail(
            JSN_ERR_ARGUMENT,
            "--preset instance: where does the noise come from? "
            "--noise-from from=RUN (a run with --record-posteriors 1), "
            "posteriors=FILE.npy or file:LABELS.csv with a column type1_35 "
            "and the like");
    JSNI_TRY(jsni_stages_text(plan, &text));
    jsn_status status = jsni_study_set(study, "stages", text);
    jsn_text_release(text);
    if (status == JSN_OK)
        status = jsni_study_set(study, "stage", "1");
    return status == JSN_OK ? add_first(&s) : status;
}

/* Whether all trials so far have ended; then the stage, a number, is over. */
static jsn_status advance(jsn_sweep *sweep, const search *s, const char *now)
{
    jsn_sweep_counts counts;
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    const bool first = strcmp(now, "1") == 0;
    JSNI_TRY(jsn_sweep_count(sweep, &counts));
    if (counts.waiting > 0 || counts.running > 0)
        return JSN_OK;
    JSNI_TRY(jsn_sweep_trials(sweep, &trials, &count));
    jsn_status status = jsni_store_begin(sweep->store);
    if (status == JSN_OK) {
        /* Of several workers one replaces the number and adds the trials. */
        bool mine = false;
        status = jsni_study_swap(&sweep->study, "stage", now, first ? "2" : "3", &mine);
        if (status == JSN_OK && mine)
            status = first ? add_second(s, sweep, trials, count)
                           : add_third(s, sweep, trials, count);
        status = jsni_store_end(sweep->store, status);
    }
    jsn_sweep_trials_release(trials, count);
    return status;
}

jsn_status jsni_stages_advance(jsn_sweep *sweep, bool *more)
{
    char *stage = NULL;
    *more = false;
    if (sweep->stages == NULL)
        return JSN_OK;
    JSNI_TRY(jsni_study_get(&sweep->study, "stage", &stage));
    search s = {
        .study = &sweep->study,
        .methods = jsni_json_text(jsni_json_get(sweep->stages, "methods")),
        .noise_from = jsni_json_text(jsni_json_get(sweep->stages, "noise_from")),
        .retrain = jsni_json_int(jsni_json_get(sweep->stages, "retrain")),
    };
    const int number = stage == NULL ? 0 : stage[0] - '0';
    jsn_status status = JSN_OK;
    *more = number == 1 || (number == 2 && s.retrain > 0);
    if (*more)
        status = find_protocol(jsni_json_text(jsni_json_get(sweep->stages, "preset")),
                               jsni_json_text(jsni_json_get(sweep->stages, "dataset")),
                               &s.protocol);
    if (*more && status == JSN_OK)
        status = advance(sweep, &s, stage);
    jsni_free(stage);
    return status;
}
