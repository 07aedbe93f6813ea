/* train/recipe_families.c - see recipe_families.h. Where the paper is silent the choice
 * is written beside the family. */
#include "train/recipe_families.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/text.h"
#include "train/recipe_beyond.h"
#include "train/recipe_rows.h"

typedef struct walk {
    jsni_recipe_visit *visit;
    void *user;
    bool ended;
} walk;

static const struct {
    const char *spec;
    jsn_recipe_noise kind;
    int percent;
} noises[JSNI_RECIPE_NOISES] = {
    {"none", JSN_RECIPE_CLEAN, 0},
    {"sym:rate=0.2", JSN_RECIPE_SYMMETRIC, 20},
    {"sym:rate=0.4", JSN_RECIPE_SYMMETRIC, 40},
    {"sym:rate=0.6", JSN_RECIPE_SYMMETRIC, 60},
    {"sym:rate=0.8", JSN_RECIPE_SYMMETRIC, 80},
    {"asym:rate=0.2", JSN_RECIPE_ASYMMETRIC, 20},
    {"asym:rate=0.4", JSN_RECIPE_ASYMMETRIC, 40},
};
enum { CLEAN, SYM_20, SYM_40, SYM_60, SYM_80, ASYM_20, ASYM_40 };

static void set(jsn_recipe *recipe, const char *name, const char *format, ...)
    JSNI_PRINTF(3, 4);

/* Sets an option, replacing an earlier value. */
static void set(jsn_recipe *recipe, const char *name, const char *format, ...)
{
    size_t i = 0;
    while (i < recipe->option_count && strcmp(recipe->options[i].name, name) != 0)
        i++;
    if (i == JSN_RECIPE_MAX_OPTIONS)
        return; /* a test walks all recipes and checks that none is that long */
    recipe->options[i].name = name;
    va_list args;
    va_start(args, format);
    (void)jsni_format_list(recipe->options[i].value, JSN_RECIPE_TEXT, format, args);
    va_end(args);
    if (i == recipe->option_count)
        recipe->option_count++;
}

static void begin(jsn_recipe *recipe, const char *result, const char *dataset,
                  const char *format, ...) JSNI_PRINTF(4, 5);

static void begin(jsn_recipe *recipe, const char *result, const char *dataset,
                  const char *format, ...)
{
    *recipe = (jsn_recipe){.result = result, .dataset = dataset};
    va_list args;
    va_start(args, format);
    (void)jsni_format_list(recipe->name, sizeof recipe->name, format, args);
    va_end(args);
}

static void emit(walk *w, const jsn_recipe *recipe)
{
    if (!w->ended)
        w->ended = w->visit(recipe, w->user);
}

/* What all CIFAR runs share. */
static void set_cifar(jsn_recipe *r)
{
    set(r, "network", "preactresnet34");
    set(r, "augment", "strong");
    set(r, "epochs", "400");
    set(r, "batch", "128");
    set(r, "optimizer", "sgd");
    set(r, "momentum", "0.9");
    set(r, "nesterov", "1");
    set(r, "schedule", "step:at=0.5/0.75,factor=0.1");
}

static void set_loss(jsn_recipe *r, const char *form, const char *param)
{
    char text[JSN_RECIPE_TEXT];
    jsni_recipe_loss(text, form, param);
    set(r, "loss", "%s", text);
}

static void set_row(jsn_recipe *r, const jsni_recipe_row *row, int noise)
{
    r->method = r->tuned = row->method;
    r->noise = noises[noise].kind;
    r->percent = noises[noise].percent;
    set_cifar(r);
    set_loss(r, row->form, row->param[noise]);
    set(r, "noise", "%s", noises[noise].spec);
    set(r, "lr", "%s", noise >= ASYM_20 ? row->lr_asym : row->lr_sym);
    set(r, "weight-decay", "%s", noise >= ASYM_20 ? row->wd_asym : row->wd_sym);
}

static const jsni_recipe_row *find_row(const char *dataset, const char *method)
{
    for (size_t i = 0; i < jsni_recipe_row_count; i++)
        if (strcmp(jsni_recipe_rows[i].dataset, dataset) == 0 &&
            strcmp(jsni_recipe_rows[i].method, method) == 0)
            return &jsni_recipe_rows[i];
    return NULL;
}

/* Table 1 (and Table 13, measured on the same runs). */
static void walk_table1(walk *w)
{
    jsn_recipe r;
    for (size_t i = 0; i < jsni_recipe_row_count; i++)
        for (int noise = 0; noise < JSNI_RECIPE_NOISES; noise++) {
            const jsni_recipe_row *row = &jsni_recipe_rows[i];
            begin(&r, "table1", row->dataset, "%s/%s/%s", row->dataset,
                  jsni_recipe_noises[noise], row->method);
            set_row(&r, row, noise);
            emit(w, &r);
        }
}

/* Table 12: one learning rate and weight decay a data set, found with noisy validation
 * labels for CE at sym-40, and one parameter a method. */
static void walk_noisy_validation(walk *w)
{
    jsn_recipe r;
    for (size_t i = 0; i < jsni_recipe_row_count; i++)
        for (int noise = 0; noise < JSNI_RECIPE_NOISES; noise++) {
            const jsni_recipe_row *row = &jsni_recipe_rows[i];
            const bool ten = strcmp(row->dataset, "cifar10") == 0;
            begin(&r, "table12", row->dataset, "%s/noisy-val/%s/%s", row->dataset,
                  jsni_recipe_noises[noise], row->method);
            set_row(&r, row, noise);
            set_loss(&r, row->form, row->noisy_validation_param);
            set(&r, "lr", ten ? "0.05" : "0.4");
            set(&r, "weight-decay", ten ? "1e-3" : "1e-4");
            emit(w, &r);
        }
}

/* Table 8: instance-dependent noise. The labels need posteriors or a file, which the
 * user adds: --noise instance:...,from=RUN or --noise file:... */
static void walk_instance(walk *w)
{
    static const struct {
        const char *dataset, *method, *loss, *lr, *wd;
    } rows[] = {
        {"cifar10", "ce", "ce", "0.1", "1e-3"},
        {"cifar10", "gce", "gce:q=0.9", "0.005", "1e-3"},
        {"cifar10", "gjs", "gjs:pi1=0.5", "0.001", "5e-4"},
        {"cifar100", "ce", "ce", "0.1", "5e-4"},
        {"cifar100", "gce", "gce:q=0.7", "0.4", "5e-5"},
        {"cifar100", "gjs", "gjs:pi1=0.3", "0.1", "5e-4"},
    };
    static const char *const types[] = {"type1", "type2", "type3"};
    jsn_recipe r;
    for (size_t i = 0; i < JSNI_COUNT_OF(rows); i++)
        for (int type = 1; type <= 3; type++) {
            begin(&r, "table8", rows[i].dataset, "%s/instance%d-35/%s", rows[i].dataset,
                  type, rows[i].method);
            r.method = rows[i].method;
            r.noise = JSN_RECIPE_INSTANCE;
            r.percent = 35;
            r.variant = types[type - 1];
            set_cifar(&r);
            set(&r, "loss", "%s", rows[i].loss);
            set(&r, "noise", "instance:type=%d,rate=0.35", type);
            set(&r, "lr", "%s", rows[i].lr);
            set(&r, "weight-decay", "%s", rows[i].wd);
            emit(w, &r);
        }
}

/* Table 2. JS is unscaled as well: the released configuration has Z = 1 for both. */
static void walk_webvision(walk *w)
{
    static const struct {
        const char *name, *loss, *lr, *batch, *members;
    } rows[] = {
        {"ce", "ce", "0.4", "64", "1"},
        {"js", "js:pi1=0.1,scale=0", "0.2", "64", "1"},
        {"gjs", "gjs:pi1=0.1,scale=0", "0.1", "32", "1"},
        {"gjs-2net", "gjs:pi1=0.1,scale=0", "0.1", "32", "2"},
    };
    jsn_recipe r;
    for (size_t i = 0; i < JSNI_COUNT_OF(rows); i++) {
        begin(&r, "table2", "webvision", "webvision/%s", rows[i].name);
        r.method = rows[i].name;
        set(&r, "network", "resnet50");
        set(&r, "image-size", "224");
        set(&r, "augment", "jitter");
        set(&r, "epochs", "300");
        set(&r, "batch", "%s", rows[i].batch);
        set(&r, "optimizer", "sgd");
        set(&r, "momentum", "0.9");
        set(&r, "nesterov", "1");
        set(&r, "schedule", "exp:factor=0.97");
        set(&r, "loss", "%s", rows[i].loss);
        set(&r, "noise", "none");
        set(&r, "lr", "%s", rows[i].lr);
        set(&r, "weight-decay", "1e-4");
        set(&r, "members", "%s", rows[i].members);
        emit(w, &r);
    }
}

/* Tables 9 and 10, after PLC: no momentum; Food-101N starts from ImageNet's weights. "Cropping" of ANIMAL-10N is taken as 4
 * pixels of zero padding; both losses are scaled. */
static void walk_real_noise(walk *w)
{
    static const struct {
        const char *result, *dataset, *method, *network, *size, *augment, *epochs,
            *batch, *schedule, *loss, *lr, *wd, *weights;
    } rows[] = {
        {"table9", "animal10n", "ce", "vgg19bn", "64", "animal10n-plc", "100", "128",
         "step:at=50/75,factor=0.2", "ce", "0.1", "1e-3", NULL},
        {"table9", "animal10n", "gjs", "vgg19bn", "64", "animal10n", "100", "128",
         "step:at=50/75,factor=0.2", "gjs:pi1=0.5", "0.05", "5e-4", NULL},
        {"table10", "food101n", "ce", "resnet50-plc", "224", "food101n", "30", "32",
         "step:at=10/20,factor=0.1", "ce", "0.005", "1e-3", "resnet50-imagenet"},
        {"table10", "food101n", "gjs", "resnet50-plc", "224", "food101n", "30", "32",
         "step:at=10/20,factor=0.1", "gjs:pi1=0.3", "0.001", "1e-3",
         "resnet50-imagenet"},
    };
    jsn_recipe r;
    for (size_t i = 0; i < JSNI_COUNT_OF(rows); i++) {
        begin(&r, rows[i].result, rows[i].dataset, "%s/%s", rows[i].dataset,
              rows[i].method);
        r.method = rows[i].method;
        r.weights = rows[i].weights;
        set(&r, "network", "%s", rows[i].network);
        set(&r, "image-size", "%s", rows[i].size);
        set(&r, "augment", "%s", rows[i].augment);
        set(&r, "epochs", "%s", rows[i].epochs);
        set(&r, "batch", "%s", rows[i].batch);
        set(&r, "optimizer", "sgd");
        set(&r, "momentum", "0");
        set(&r, "nesterov", "0");
        set(&r, "schedule", "%s", rows[i].schedule);
        set(&r, "loss", "%s", rows[i].loss);
        set(&r, "noise", "none");
        set(&r, "lr", "%s", rows[i].lr);
        set(&r, "weight-decay", "%s", rows[i].wd);
        emit(w, &r);
    }
}

/* Ablations and learning curves: CIFAR-100, validation accuracy on the 45k/5k split,
 * learning rate and weight decay of Table 7 (not stated in the paper). */
static void begin_ablation(jsn_recipe *r, const char *result, const char *method,
                           int noise, const char *name)
{
    begin(r, result, "cifar100", "%s/%s", result, name);
    set_row(r, find_row("cifar100", method), noise);
    set(r, "val-fraction", "0.1");
}

/* Table 3, pi1 = 1/2 (not stated). */
static void walk_table3(walk *w)
{
    static const char *const rows[][3] = {{"js", "js", "js:pi1=0.5"},
                                          {"js-mean", "gjs", "gjs-nocons:pi1=0.5"},
                                          {"gjs", "gjs", "gjs:pi1=0.5"}};
    jsn_recipe r;
    for (size_t i = 0; i < JSNI_COUNT_OF(rows); i++) {
        begin_ablation(&r, "table3", rows[i][1], SYM_40, rows[i][0]);
        r.method = rows[i][0];
        set(&r, "loss", "%s", rows[i][2]);
        emit(w, &r);
    }
}

/* Table 4: one loss on clean samples, another on mislabelled ones; both views are
 * forwarded, JS reads the first. GJS's learning rate and weight decay. */
static void walk_table4(walk *w)
{
    static const char *const methods[] = {"js", "gjs"};
    static const char *const pi1[] = {"0.1", "0.5", "0.9"};
    jsn_recipe r;
    for (int clean = 0; clean < 2; clean++)
        for (int noisy = 0; noisy < 2; noisy++)
            for (size_t k = 0; k < JSNI_COUNT_OF(pi1); k++) {
                char name[JSN_RECIPE_TEXT];
                (void)snprintf(name, sizeof name, "%s-%s/%s", methods[clean],
                               methods[noisy], pi1[k]);
                begin_ablation(&r, "table4", "gjs", SYM_40, name);
                r.method = methods[clean];
                r.noisy = methods[noisy];
                r.pi1 = pi1[k];
                set(&r, "loss", "%s:pi1=%s", methods[clean], pi1[k]);
                set(&r, "loss-noisy", "%s:pi1=%s", methods[noisy], pi1[k]);
                set(&r, "views", "2");
                emit(w, &r);
            }
}

/* Tables 5 (augmentation) and 6 (epochs). */
static void walk_tables5_6(walk *w)
{
    static const char *const methods[] = {"gce", "nce+rce", "gjs"};
    static const struct {
        const char *result, *name, *option, *value;
    } rows[] = {
        {"table5", "full", "augment", "strong"},
        {"table5", "no-cutout", "augment", "strong-nocutout"},
        {"table5", "no-randaugment", "augment", "strong-norandaugment"},
        {"table5", "weak", "augment", "weak"},
        {"table6", "200", "epochs", "200"},
        {"table6", "400", "epochs", "400"},
    };
    static const int used[] = {SYM_40, ASYM_40};
    jsn_recipe r;
    for (size_t i = 0; i < JSNI_COUNT_OF(rows); i++)
        for (size_t n = 0; n < JSNI_COUNT_OF(used); n++)
            for (size_t m = 0; m < JSNI_COUNT_OF(methods); m++) {
                char name[JSN_RECIPE_TEXT];
                (void)snprintf(name, sizeof name, "%s/%s/%s", rows[i].name,
                               jsni_recipe_noises[used[n]], methods[m]);
                begin_ablation(&r, rows[i].result, methods[m], used[n], name);
                r.variant = rows[i].name;
                set(&r, rows[i].option, "%s", rows[i].value);
                emit(w, &r);
            }
}

/* Figure 1's learning rates and weight decays are "lower than in Table 7": a quarter and a
 * half of them. */
static const struct {
    const char *dataset, *lr, *weight_decay;
} lower_rates[] = {{"cifar100", "0.1", "5e-5"}, {"cifar10", "0.0125", "5e-4"}};

/* Figure 1: CE over-fits. Figure 6: CE, JS and GJS at sym-40 with the same learning
 * rate and weight decay (GJS's), pi1 = 1/2. */
static void walk_curves(walk *w)
{
    static const char *const six[][2] = {
        {"ce", "ce"}, {"js", "js:pi1=0.5"}, {"gjs", "gjs:pi1=0.5"}};
    jsn_recipe r;
    for (int noise = CLEAN; noise <= SYM_80; noise++) {
        begin_ablation(&r, "fig1", "ce", noise, jsni_recipe_noises[noise]);
        r.tuned = NULL;
        set(&r, "lr", "%s", lower_rates[0].lr);
        set(&r, "weight-decay", "%s", lower_rates[0].weight_decay);
        set(&r, "consistency", "every");
        emit(w, &r);
    }
    for (size_t i = 0; i < JSNI_COUNT_OF(six); i++) {
        begin_ablation(&r, "fig6", "gjs", SYM_40, six[i][0]);
        r.method = six[i][0];
        set(&r, "loss", "%s", six[i][1]);
        set(&r, "consistency", "every");
        emit(w, &r);
    }
}

/* Figure 4: effect of pi1 at 20% and 60%. Figure 5: effect of M, 2 to 5, pi1 = 1/2. */
static void walk_parameters(walk *w)
{
    static const char *const methods[] = {"js", "gjs"};
    static const char *const pi1[] = {"0.1", "0.3", "0.5", "0.7", "0.9"};
    static const int used[] = {SYM_20, SYM_60};
    jsn_recipe r;
    char name[JSN_RECIPE_TEXT];
    for (size_t m = 0; m < JSNI_COUNT_OF(methods); m++)
        for (size_t n = 0; n < JSNI_COUNT_OF(used); n++)
            for (size_t k = 0; k < JSNI_COUNT_OF(pi1); k++) {
                (void)snprintf(name, sizeof name, "%s/%s/%s", methods[m],
                               jsni_recipe_noises[used[n]], pi1[k]);
                begin_ablation(&r, "fig4", methods[m], used[n], name);
                r.pi1 = pi1[k];
                set(&r, "loss", "%s:pi1=%s", methods[m], pi1[k]);
                emit(w, &r);
            }
    for (int noise = SYM_20; noise <= SYM_80; noise++)
        for (int m = 2; m <= 5; m++) {
            (void)snprintf(name, sizeof name, "%s/m%d", jsni_recipe_noises[noise], m);
            begin_ablation(&r, "fig5", "gjs", noise, name);
            r.m = m;
            set(&r, "loss", "%s:pi1=0.5", m == 2 ? "js" : "gjs");
            set(&r, "views", "%d", m - 1);
            emit(w, &r);
        }
}

/* Figure 7: the dissection losses at sym-40, unscaled, JS's learning rate. */
static void walk_dissection(walk *w)
{
    static const char *const losses[][2] = {
        {"kl", "kl"}, {"kl-rev", "kl-rev"}, {"jeffreys", "jeffreys"},
        {"k", "k"},   {"k-rev", "k-rev"},   {"js", "js:pi1=0.5,scale=0"}};
    jsn_recipe r;
    for (size_t i = 0; i < JSNI_COUNT_OF(losses); i++) {
        begin_ablation(&r, "fig7", "js", SYM_40, losses[i][0]);
        r.method = losses[i][0];
        set(&r, "loss", "%s", losses[i][1]);
        emit(w, &r);
    }
}

void jsni_recipe_walk(jsni_recipe_visit *visit, void *user)
{
    static void (*const families[])(walk *) = {
        walk_table1,    walk_webvision,  walk_table3,     walk_table4,
        walk_tables5_6, walk_instance,   walk_real_noise, walk_noisy_validation,
        walk_curves,    walk_parameters, walk_dissection};
    walk w = {visit, user, false};
    for (size_t i = 0; i < JSNI_COUNT_OF(families) && !w.ended; i++)
        families[i](&w);
    jsn_recipe r;
    for (size_t i = 0; !w.ended && jsni_recipe_beyond(i, &r); i++)
        emit(&w, &r);
}

bool jsni_recipe_rates(const jsn_recipe *recipe, const char *dataset, const char **lr,
                       const char **weight_decay)
{
    if (strcmp(recipe->dataset, dataset) == 0)
        return false;
    for (size_t i = 0; recipe->tuned == NULL && i < JSNI_COUNT_OF(lower_rates); i++)
        if (strcmp(lower_rates[i].dataset, dataset) == 0) {
            *lr = lower_rates[i].lr;
            *weight_decay = lower_rates[i].weight_decay;
            return true;
        }
    const jsni_recipe_row *row =
        recipe->tuned == NULL ? NULL : find_row(dataset, recipe->tuned);
    if (row == NULL)
        return false;
    const bool asym = recipe->noise == JSN_RECIPE_ASYMMETRIC;
    *lr = asym ? row->lr_asym : row->lr_sym;
    *weight_decay = asym ? row->wd_asym : row->wd_sym;
    return true;
}
