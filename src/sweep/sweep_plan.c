/* sweep/sweep_plan.c - see jensen/sweep.h: the options of a study, and its creation:
 * grid, random search, files. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/number.h"
#include "core/option.h"
#include "core/rng.h"
#include "format/yaml.h"
#include "sweep/sweep_impl.h"
#include "train/spec_check.h"

#define FIELD(name) offsetof(jsn_sweep_plan, name)

static const jsn_option_info options[] = {
    {"axis", 'a', JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "OPTION=VALUES",
     "a training option to search: lr=0.01,0.1 or, with random search, "
     "lr=log:0.001..0.1; ';' separates values that hold commas",
     FIELD(axes)},
    {"search", 0, JSN_OPTION_CHOICE, "grid", 0, 0, "grid|random|none", NULL,
     "every combination of the axes, or --trials drawn ones; none: trials are added "
     "later",
     FIELD(search)},
    {"trials", 'n', JSN_OPTION_INT, "20", 1, 1e6, NULL, "N",
     "combinations that random search draws", FIELD(trials)},
    {"search-seed", 0, JSN_OPTION_INT, "1", 0, 9e15, NULL, "N", "seed of random search",
     FIELD(search_seed)},
    {"seeds", 0, JSN_OPTION_INT, "1", 1, 1000, NULL, "N",
     "runs of each combination, with the seeds from --seed on", FIELD(seeds)},
    {"objective", 0, JSN_OPTION_CHOICE, "auto", 0, 0,
     "auto|val_acc|val_acc_noisy|val_acc_best|test_acc|test_acc_best|test_top5|"
     "consistency",
     NULL, "the result to optimise; auto: val_acc, or test_acc without validation data",
     FIELD(objective)},
    {"direction", 0, JSN_OPTION_CHOICE, "maximize", 0, 0, "maximize|minimize", NULL,
     "whether a high or a low objective is better", FIELD(direction)},
    {"pruner", 0, JSN_OPTION_CHOICE, "none", 0, 0, "none|median", NULL,
     "median: end runs that are worse than the median of the finished ones at the same "
     "epoch",
     FIELD(pruner)},
    {"prune-after", 0, JSN_OPTION_INT, "1", 0, 1e6, NULL, "N",
     "prune no run before this many epochs", FIELD(prune_after)},
    {"preset", 0, JSN_OPTION_CHOICE, NULL, 0, 0,
     "two-stage|noisy-validation|instance|webvision", NULL,
     "the paper's search: learning rate and weight decay at 40% noise, then the loss's "
     "parameter; its noisy-validation protocol; its searches for Table 8 and Table 2",
     FIELD(preset)},
    {"dataset", 0, JSN_OPTION_CHOICE, NULL, 0, 0, "cifar10|cifar100|webvision", NULL,
     "whose grids the preset uses (default: cifar10, webvision for its preset)",
     FIELD(dataset)},
    {"noise-from", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "SPEC",
     "preset instance: from=RUN, posteriors=FILE.npy, or file:LABELS.csv with a column "
     "type1_35 and the like",
     FIELD(noise_from)},
    {"retrain", 0, JSN_OPTION_INT, "0", 0, 64, NULL, "N",
     "preset: train the winners again on all images, with the seeds 1 to N; 5 in "
     "'sweep search'",
     FIELD(retrain)},
    {"methods", 0, JSN_OPTION_TEXT, "all", 0, 0, NULL, "LIST",
     "losses that the preset searches: ce,bs,ls,sce,gce,nce+rce,js,gjs or all",
     FIELD(methods)},
};

const jsn_option_info *jsn_sweep_plan_options(size_t *count)
{
    if (count == NULL)
        return NULL;
    *count = JSNI_COUNT_OF(options);
    return options;
}

jsn_status jsn_sweep_plan_init(jsn_sweep_plan *plan)
{
    JSNI_NEED(plan);
    return jsni_options_init(options, JSNI_COUNT_OF(options), plan);
}

void jsn_sweep_plan_release(jsn_sweep_plan *plan)
{
    if (plan == NULL)
        return;
    jsni_options_release(options, JSNI_COUNT_OF(options), plan);
}

/* Entries of a list joined for an axis. */
static jsn_status add_file_axis(jsn_sweep_plan *plan, const jsni_json *entry)
{
    jsni_text text = {0};
    char *axis = NULL;
    jsni_text_format(&text, "%s=", jsni_json_key(entry));
    if (jsni_json_kind_of(entry) == JSNI_JSON_ARRAY)
        for (size_t i = 0; i < jsni_json_count(entry); i++) {
            const char *value = jsni_axis_word(jsni_json_at(entry, i));
            if (strchr(value, ';') != NULL) {
                jsni_text_release(&text);
                return jsni_fail(JSN_ERR_ARGUMENT,
                                 "axis '%s': '%s' holds a ';', which separates values",
                                 jsni_json_key(entry), value);
            }
            jsni_text_format(&text, "%s%s", i == 0 ? "" : ";", value);
        }
    else
        jsni_text_add(&text, jsni_axis_word(entry));
    JSNI_TRY(jsni_text_take(&text, &axis));
    jsni_sweep_axis checked;
    jsn_status status = jsni_axis_parse(&checked, axis);
    jsni_axis_release(&checked);
    if (status == JSN_OK)
        status = jsn_texts_add(&plan->axes, axis);
    jsni_free(axis);
    return status;
}

jsn_status jsn_sweep_plan_read(const char *path, jsn_sweep_plan *plan,
                               jsn_train_config *base)
{
    JSNI_NEED(path);
    jsni_json *doc = NULL;
    JSNI_TRY(jsni_yaml_read(&doc, path));
    jsn_status status = JSN_OK;
    if (jsni_json_kind_of(doc) != JSNI_JSON_OBJECT)
        status = jsni_json_refuse(doc, "must be a mapping of options to values");
    for (size_t i = 0; status == JSN_OK && i < jsni_json_count(doc); i++) {
        const jsni_json *entry = jsni_json_at(doc, i);
        const char *key = jsni_json_key(entry);
        const jsni_json *failed = entry;
        if (strcmp(key, "axes") == 0) {
            for (size_t k = 0; status == JSN_OK && k < jsni_json_count(entry); k++) {
                failed = jsni_json_at(entry, k);
                status = add_file_axis(plan, failed);
            }
        } else if (jsni_options_find(options, JSNI_COUNT_OF(options), key) != NULL) {
            status = jsni_options_set(options, JSNI_COUNT_OF(options), plan, key,
                                      jsni_json_text(entry));
        } else {
            status = jsn_train_config_set(base, key, jsni_axis_word(entry));
        }
        if (status != JSN_OK && status != JSN_ERR_MEMORY) {
            char sentence[400];
            (void)snprintf(sentence, sizeof sentence, "%s", jsn_last_error());
            status =
                jsni_fail(status, "%s:%zu: %s", path, jsni_json_line(failed), sentence);
        }
    }
    jsni_json_destroy(doc);
    return status;
}

/* The text of an axis at `index` of its choices, or drawn from its range. */
static void axis_text(const jsni_sweep_axis *axis, size_t index, jsni_rng *rng,
                      char *out, size_t size)
{
    if (axis->kind == JSNI_SWEEP_CHOICES) {
        (void)snprintf(out, size, "%s", axis->choices.items[index]);
        return;
    }
    char text[JSNI_NUMBER_TEXT];
    jsni_number_format(jsni_axis_draw(axis->low, axis->high,
                                      axis->kind == JSNI_SWEEP_INT, axis->log_scale,
                                      rng),
                       text);
    (void)snprintf(out, size, "%s", text);
}

enum { MOST_AXES = 16, AXIS_TEXT = 256 };

typedef struct creation {
    const jsn_sweep_plan *plan;
    const jsni_study *study;
    const jsni_json *axes;
    jsni_sweep_axis list[MOST_AXES];
    size_t count;
    int64_t first_seed;
    char texts[MOST_AXES][AXIS_TEXT];
} creation;

/* One combination with all its seeds. */
static jsn_status add_combination(creation *c)
{
    jsn_sweep_pair pairs[MOST_AXES + 1];
    char seed[24];
    size_t count = 0;
    bool seeded = false;
    for (size_t i = 0; i < c->count; i++) {
        pairs[count++] = (jsn_sweep_pair){c->list[i].row->name, c->texts[i]};
        seeded = seeded || strcmp(c->list[i].row->name, "seed") == 0;
    }
    const bool several = !seeded && c->plan->seeds > 1;
    for (int64_t s = 0; s < (several ? c->plan->seeds : 1); s++) {
        (void)snprintf(seed, sizeof seed, "%lld", (long long)(c->first_seed + s));
        pairs[count] = (jsn_sweep_pair){"seed", seed};
        JSNI_TRY(jsni_sweep_add(c->study, c->axes, pairs, count + (several ? 1 : 0),
                                NULL, NULL));
    }
    return JSN_OK;
}

static jsn_status add_grid(creation *c)
{
    size_t index[MOST_AXES] = {0};
    for (;;) {
        for (size_t i = 0; i < c->count; i++)
            axis_text(&c->list[i], index[i], NULL, c->texts[i], AXIS_TEXT);
        JSNI_TRY(add_combination(c));
        size_t at = c->count;
        while (at > 0 && ++index[at - 1] == c->list[at - 1].choices.count)
            index[--at] = 0;
        if (at == 0)
            return JSN_OK;
    }
}

static jsn_status add_random(creation *c)
{
    for (int64_t n = 0; n < c->plan->trials; n++) {
        for (size_t i = 0; i < c->count; i++) {
            const jsni_sweep_axis *axis = &c->list[i];
            jsni_rng rng = jsni_rng_stream((uint64_t)c->plan->search_seed,
                                           JSNI_RNG_SWEEP, 0, (uint32_t)n, (uint32_t)i);
            const size_t index =
                axis->kind == JSNI_SWEEP_CHOICES
                    ? jsni_rng_below(&rng, (uint32_t)axis->choices.count)
                    : 0;
            axis_text(axis, index, &rng, c->texts[i], AXIS_TEXT);
        }
        JSNI_TRY(add_combination(c));
    }
    return JSN_OK;
}

static jsn_status parse_axes(creation *c)
{
    const jsn_texts *texts = &c->plan->axes;
    if (texts->count > MOST_AXES)
        return jsni_fail(JSN_ERR_RANGE, "%zu axes, at most %d are possible",
                         texts->count, MOST_AXES);
    for (size_t i = 0; i < texts->count; i++) {
        JSNI_TRY(jsni_axis_parse(&c->list[c->count], texts->items[i]));
        const jsni_sweep_axis *axis = &c->list[c->count++];
        if (axis->kind != JSNI_SWEEP_CHOICES && strcmp(c->plan->search, "grid") == 0)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "axis '%s': a range needs --search random",
                             axis->row->name);
        if (strcmp(axis->row->name, "seed") == 0 && c->plan->seeds > 1)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "axis 'seed' and --seeds both choose the seeds");
        for (size_t k = 0; k + 1 < c->count; k++)
            if (c->list[k].row == axis->row)
                return jsni_fail(JSN_ERR_ARGUMENT, "axis '%s' comes twice",
                                 axis->row->name);
        for (size_t k = 0; k < axis->choices.count; k++)
            if (strlen(axis->choices.items[k]) >= AXIS_TEXT)
                return jsni_fail(JSN_ERR_RANGE, "axis '%s': a value is too long",
                                 axis->row->name);
    }
    return JSN_OK;
}

/* The set options of `base` as an object of texts. */
static jsn_status put_base(const jsni_study *study, const jsn_train_config *base)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        char *text = NULL;
        if (!jsni_options_is_set(&table[i], base) || table[i].kind == JSN_OPTION_FLAG ||
            strcmp(table[i].name, "set") == 0 || strcmp(table[i].name, "out") == 0)
            continue;
        status = jsni_options_text(&table[i], base, &text);
        if (status == JSN_OK)
            jsni_json_put_text(w, table[i].name, text);
        jsn_text_release(text);
    }
    jsni_json_end(w);
    if (status == JSN_OK)
        status = jsni_sweep_put(study, "base", w);
    jsni_json_writer_destroy(w);
    return status;
}

static jsn_status put_settings(const jsni_study *study, const jsn_sweep_plan *plan)
{
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "objective", plan->objective);
    jsni_json_put_text(w, "search", plan->search);
    jsni_json_put_text(w, "pruner", plan->pruner);
    jsni_json_put_int(w, "prune_after", plan->prune_after);
    jsni_json_end(w);
    const jsn_status status = jsni_sweep_put(study, "settings", w);
    jsni_json_writer_destroy(w);
    return status;
}

static jsn_status put_axes(creation *c, jsni_json **tree)
{
    jsni_json_writer *w = NULL;
    char *json = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    for (size_t i = 0; i < c->count; i++)
        jsni_axis_put(&c->list[i], w, c->list[i].row->name);
    jsni_json_end(w);
    jsn_status status = jsni_json_writer_take(w, &json);
    jsni_json_writer_destroy(w);
    if (status == JSN_OK)
        status = jsni_study_set(c->study, "axes", json);
    if (status == JSN_OK)
        status = jsni_json_parse(tree, "axes", json, strlen(json));
    jsn_text_release(json);
    return status;
}

static jsn_status fill_study(creation *c, const jsn_train_config *base)
{
    jsni_json *axes = NULL;
    JSNI_TRY(put_base(c->study, base));
    JSNI_TRY(put_settings(c->study, c->plan));
    jsn_status status = put_axes(c, &axes);
    c->axes = axes;
    if (status == JSN_OK && c->plan->preset != NULL)
        status = jsni_stages_begin(c->study, c->plan);
    else if (status == JSN_OK && strcmp(c->plan->search, "grid") == 0)
        status = c->count == 0 && c->plan->seeds < 2 ? JSN_OK : add_grid(c);
    else if (status == JSN_OK && strcmp(c->plan->search, "random") == 0)
        status = add_random(c);
    jsni_json_destroy(axes);
    return status;
}

/* A name goes into commands, pages and terminals. */
static jsn_status check_name(const char *name)
{
    if (name[0] == '\0')
        return jsni_fail(JSN_ERR_ARGUMENT, "a study needs a name; '' is empty");
    if (name[0] == '-')
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "a study cannot be called '%s': it would be taken for an "
                         "option; begin its name with another character than '-'",
                         name);
    for (const char *at = name; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "the name of a study has a control character (byte %d) at "
                             "place %zu; leave it out",
                             (int)*at, (size_t)(at - name) + 1);
    return JSN_OK;
}

jsn_status jsn_sweep_create(jsn_sweep **out, const char *url, const char *name,
                            const jsn_sweep_plan *plan, const jsn_train_config *base)
{
    JSNI_NEED(url);
    JSNI_NEED(name);
    JSNI_NEED(plan);
    JSNI_NEED(base);
    creation *c = jsni_alloc_zero(1, sizeof *c);
    jsni_store *store = NULL;
    jsni_study study;
    if (out != NULL)
        *out = NULL;
    JSNI_TRY_ALLOC(c);
    const jsn_status named = check_name(name);
    if (named != JSN_OK) {
        jsni_free(c);
        return named;
    }
    c->plan = plan;
    c->study = &study;
    c->first_seed = base->seed == JSN_OPTION_INT_UNSET ? 1 : base->seed;
    jsn_status status = parse_axes(c);
    if (status == JSN_OK)
        status = jsni_train_check_specs(base);
    if (status == JSN_OK && base->config != NULL)
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "%s: a study keeps options, not the name of a file, which "
                           "may change between trials (jsn_train_config_read_file())",
                           base->config);
    if (status == JSN_OK && plan->preset != NULL && c->count > 0)
        status =
            jsni_fail(JSN_ERR_ARGUMENT, "a preset has its own axes; leave --axis out");
    if (status == JSN_OK && plan->preset != NULL && plan->seeds > 1)
        status =
            jsni_fail(JSN_ERR_ARGUMENT, "a preset tries every setting with one "
                                        "seed, as the paper does; --seed says which");
    if (status == JSN_OK)
        status = jsni_store_open(&store, url, JSNI_STORE_CREATE);
    if (status == JSN_OK) {
        status = jsni_store_begin(store);
        if (status == JSN_OK) {
            status = jsni_study_create(&study, store, name,
                                       strcmp(plan->direction, "minimize") != 0);
            if (status == JSN_OK)
                status = fill_study(c, base);
            status = jsni_store_end(store, status);
        }
    }
    jsni_store_close(store);
    for (size_t i = 0; i < c->count; i++)
        jsni_axis_release(&c->list[i]);
    jsni_free(c);
    if (status == JSN_OK && out != NULL)
        status = jsn_sweep_open(out, url, name);
    return status;
}

/* Refuses a study whose runs share other options than `base`; where they are computed makes
 * no difference. */
static jsn_status check_base(const jsn_sweep *sweep, const jsn_train_config *base)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    for (size_t i = 0; i < count; i++) {
        const jsni_json *entry = jsni_json_get(sweep->base, table[i].name);
        const char *then = entry == NULL ? "" : jsni_json_text(entry);
        char *now = NULL;
        if (!jsn_train_option_matters(&table[i]) ||
            strcmp(table[i].name, "device") == 0)
            continue;
        if (jsni_options_is_set(&table[i], base))
            JSNI_TRY(jsni_options_text(&table[i], base, &now));
        const bool same = strcmp(then, now == NULL ? "" : now) == 0;
        jsn_status status = JSN_OK;
        if (!same)
            status =
                jsni_fail(JSN_ERR_ARGUMENT,
                          "study '%s' has --%s '%s', not '%s'; another name makes "
                          "another study",
                          sweep->name, table[i].name, then, now == NULL ? "" : now);
        jsn_text_release(now);
        JSNI_TRY(status);
    }
    return JSN_OK;
}

static jsn_status check_same(const jsn_sweep *sweep, const jsn_sweep_plan *plan,
                             const jsn_train_config *base)
{
    char *then = NULL, *now = NULL;
    JSNI_TRY(check_base(sweep, base));
    JSNI_TRY(jsni_stages_text(plan, &now));
    jsn_status status = jsni_study_get(&sweep->study, "stages", &then);
    if (status == JSN_OK && (then == NULL || strcmp(then, now) != 0))
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "study '%s' is another search (%.200s); another name makes "
                           "another study",
                           sweep->name, then == NULL ? "no preset" : then);
    jsn_text_release(then);
    jsn_text_release(now);
    return status;
}

jsn_status jsn_sweep_search(jsn_sweep **out, const char *url, const char *name,
                            const jsn_sweep_plan *plan, const jsn_train_config *base)
{
    JSNI_NEED(out);
    JSNI_NEED(url);
    JSNI_NEED(name);
    JSNI_NEED(plan);
    JSNI_NEED(base);
    bool found = false;
    *out = NULL;
    if (plan->preset == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "a search needs a preset (--preset NAME)");
    JSNI_TRY(jsni_sweep_exists(url, name, &found));
    if (!found)
        return jsn_sweep_create(out, url, name, plan, base);
    JSNI_TRY(jsn_sweep_open(out, url, name));
    const jsn_status status = check_same(*out, plan, base);
    if (status != JSN_OK) {
        jsn_sweep_close(*out);
        *out = NULL;
    }
    return status;
}
