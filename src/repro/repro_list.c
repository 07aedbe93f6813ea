/* repro/repro_list.c - the paper's results, a record each; see repro_impl.h for what the
 * fields mean. A further table or figure is a record here and, where it needs runs, a
 * family of recipes in train/recipe_families.c. */
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/names.h"
#include "core/spec.h"
#include "repro/repro_impl.h"

#define TABLE(number)  .name = "table" number, .printed = "Table " number
#define FIGURE(number) .name = "fig" number, .printed = "Figure " number
/* Methods times label noises. */
#define BY_NOISE .label = {"{Method}", "{noise}", "{rate}"}
/* Methods on both CIFAR data sets. */
#define CIFAR(what)   .dataset = "cifar10", .paper_runs = 5, .bars = what
#define TEST_ACCURACY CIFAR("test accuracy, %"), .measures[0] = {NULL, "test_acc", 1}
/* Methods on data whose labels are wrong by themselves. */
#define REAL_NOISE                                                                 \
    .measures[0] = {"accuracy", "test_acc", 1}, .label = {"{Method}", NULL, NULL}, \
    .paper_runs = 3
/* Ablations: defined on CIFAR-100, compared on held-out images, one run each. */
#define ABLATION \
    .dataset = "cifar100", .measures[0] = {NULL, "val_acc", 1}, .any_cifar = true

static const jsni_grid_panel objective[] = {{.y = "validation accuracy, %"},
                                            {.y = NULL}};
static const jsni_grid_panel agreement[] = {
    {.title = "validation accuracy", .y = "percent", .key = "val_acc"},
    {.title = "consistency, correct labels", .y = "percent", .key = "consistency_true"},
    {.title = "consistency, wrong labels", .y = "percent", .key = "consistency_noisy"},
    {.y = NULL}};

static const jsni_repro_info infos[] = {
    {TABLE("1"), .title = "test accuracy on CIFAR under label noise", TEST_ACCURACY,
     BY_NOISE},
    {TABLE("2"), .title = "real label noise: WebVision", .dataset = "webvision",
     .paper_runs = 5,
     .note = "The ILSVRC12 columns are the same networks on another test set: "
             "--also-test imagenet:DIR,classes=50 fills them.",
     .measures = {{"top-1", "test_acc", 1},
                  {"top-5", "test_top5", 5},
                  {"top-1", "ilsvrc12_acc", 1},
                  {"top-5", "ilsvrc12_top5", 5}},
     .other_test = "ILSVRC12", .label = {"{Method}", "WebVision", NULL}},
    {TABLE("3"), .title = "effect of consistency", .paper_runs = 1, ABLATION, BY_NOISE},
    {TABLE("4"), .title = "JS or GJS on clean and on mislabelled samples",
     .paper_runs = 1, ABLATION,
     .label = {"{Method} on clean, {Noisy} on noisy", NULL, "pi1 = {pi1}"}},
    {TABLE("5"), .title = "effect of augmentation", .paper_runs = 1, ABLATION,
     .compares = "augment", .label = {"{Method}", "{noise} {rate}", "{Variant}"}},
    {TABLE("6"), .title = "effect of the number of epochs",
     .note = "With --epochs N the column 400 has N epochs and the column 200 half of "
             "that.",
     .paper_runs = 1, ABLATION, .label = {"{Method}", "{noise} {rate}", "{epochs}"}},
    {TABLE("7"), .title = "hyper-parameters found by the two-stage search",
     .define = jsni_repro_define_parameters},
    {TABLE("8"), .title = "instance-dependent noise",
     .note = "The paper's column without noise is Table 1's; on CIFAR-10 it prints "
             "consistency instead of accuracy by mistake.",
     TEST_ACCURACY, .label = {"{Method}", "instance-dependent, {rate}", "{Variant}"}},
    {TABLE("9"), .title = "real label noise: ANIMAL-10N", .dataset = "animal10n",
     REAL_NOISE},
    {TABLE("10"), .title = "real label noise: Food-101N", .dataset = "food101n",
     REAL_NOISE},
    {TABLE("11"), .title = "the dissection losses",
     .define = jsni_repro_define_divergences},
    {TABLE("12"), .title = "one parameter set, chosen with noisy validation labels",
     TEST_ACCURACY, BY_NOISE},
    {TABLE("13"), .title = "consistency of the trained networks", .recipes = "table1",
     .note = "The runs are those of Table 1.", CIFAR("consistency, %"),
     /* Agreement has no chance level: constant predictions agree always. */
     .measures[0] = {NULL, "consistency", 0}, BY_NOISE},
    {FIGURE("1"), .title = "CE: over-fitting and consistency over the epochs",
     .curves = agreement, ABLATION, .unranked = true, /* its rows are noise rates */
     .label = {"{percent}", NULL, "CE"}},
    {FIGURE("2"), .title = "JS between CE and MAE", .plot = "js-ce-mae"},
    {FIGURE("3"), .title = "GJS as JS and consistency on the simplex",
     .plot = "gjs-simplex"},
    {FIGURE("4"), .title = "effect of pi1", .curves = objective, ABLATION,
     .label = {"pi1 = {pi1}", "{Method}", "{rate}"}},
    {FIGURE("5"), .title = "effect of M", .lines = "validation accuracy, %", ABLATION,
     .label = {"M = {m}", "{noise}", "{rate}"}},
    {FIGURE("6"), .title = "CE, JS and GJS: accuracy and consistency over the epochs",
     .curves = agreement, ABLATION, BY_NOISE},
    {FIGURE("7"), .title = "the dissection losses over the epochs", .curves = objective,
     ABLATION, .label = {"{method}", "{noise}", "{rate}"}},
    {FIGURE("8"), .title = "gradient scale of JS and GCE", .plot = "js-gce-gradient"},
};

bool jsn_repro_at(size_t index, jsn_repro_entry *out)
{
    if (index >= JSNI_COUNT_OF(infos) || out == NULL)
        return false;
    const jsni_repro_info *i = &infos[index];
    *out = (jsn_repro_entry){i->name, i->title, i->dataset != NULL};
    return true;
}

const char *jsni_repro_recipes(const jsni_repro_info *info)
{
    return info->recipes == NULL ? info->name : info->recipes;
}

jsn_status jsni_repro_find(const jsn_repro_settings *settings,
                           const jsni_repro_info **out)
{
    const char *name = settings->name;
    jsni_names names;
    jsni_names_begin(&names, name, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(infos); i++) {
        *out = &infos[i];
        if (strcmp(infos[i].name, name) != 0)
            jsni_names_add(&names, infos[i].name);
        else if (settings->also_test != NULL && infos[i].dataset != NULL &&
                 infos[i].other_test == NULL)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--also-test: %s has no other test set; table2 has one",
                             name);
        else
            return JSN_OK;
    }
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no result '%s'", name);
}

jsn_status jsn_repro_lookup(const char *name, const char *format, jsn_repro_entry *out)
{
    JSNI_NEED(name);
    JSNI_NEED(out);
    const jsn_repro_settings settings = {.name = name};
    const jsni_repro_info *info = NULL;
    JSNI_TRY(jsni_repro_find(&settings, &info));
    JSNI_TRY(jsni_repro_check_format(info, format));
    (void)jsn_repro_at((size_t)(info - infos), out);
    return JSN_OK;
}

const jsni_repro_dataset jsni_repro_datasets[JSNI_REPRO_DATASETS] = {
    {"cifar10", "CIFAR-10", 60000, 10, true},
    {"cifar100", "CIFAR-100", 60000, 100, true},
    {"webvision", "WebVision", 68444, 50, false},
    {"animal10n", "ANIMAL-10N", 55000, 10, false},
    {"food101n", "Food-101N", 335259, 101, false},
};

jsn_status jsni_repro_choose_dataset(const jsni_repro_info *info, const char *asked,
                                     const char *data, const jsni_repro_dataset **out)
{
    const char *name = asked != NULL ? asked : info->dataset;
    const jsni_repro_dataset *kind = NULL;
    *out = NULL;
    for (size_t i = 0; i < JSNI_REPRO_DATASETS; i++) {
        const jsni_repro_dataset *set = &jsni_repro_datasets[i];
        if (strcmp(set->name, name) == 0)
            *out = set;
        /* Without a colon it is a folder of that name. */
        if (data != NULL && strchr(data, ':') != NULL &&
            jsni_spec_names(data, set->name))
            kind = set;
    }
    if (asked != NULL && kind != NULL && kind != *out)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--dataset %s, but the data is %s: %s would stand beside the "
                         "paper's numbers for other data; leave --dataset out, or give "
                         "the data of that set",
                         asked, kind->name, info->name);
    if (kind != NULL)
        *out = kind;
    return *out != NULL ? JSN_OK
                        : jsni_fail(JSN_ERR_ARGUMENT, "%s has no runs on '%s'",
                                    info->name, name);
}
