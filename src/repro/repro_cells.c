/* repro/repro_cells.c - see repro_impl.h: from names of recipes to rows, columns and the
 * paper's numbers. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "jensen/stats.h"
#include "repro/paper_results.h"
#include "repro/repro_impl.h"

static const jsni_repro_info infos[] = {
    {"table1", "test accuracy on CIFAR under label noise", JSNI_REPRO_BARS, "table1",
     "table1_cifar", "test_acc", "cifar10", 5, NULL},
    {"table2", "real label noise: WebVision", JSNI_REPRO_TABLE, "table2", "webvision",
     "test_acc", "webvision", 5,
     "The ILSVRC12 columns of the paper are the same networks on another test set: "
     "jensen eval RUN imagenet:DIR,classes=50."},
    {"table3", "effect of consistency", JSNI_REPRO_TABLE, "table3",
     "consistency_ablation", "val_acc", "cifar100", 1, NULL},
    {"table4", "JS or GJS on clean and on mislabelled samples", JSNI_REPRO_TABLE,
     "table4", "clean_noisy_ablation", "val_acc", "cifar100", 1, NULL},
    {"table5", "effect of augmentation", JSNI_REPRO_TABLE, "table5", "augmentation",
     "val_acc", "cifar100", 1, NULL},
    {"table6", "effect of the number of epochs", JSNI_REPRO_TABLE, "table6", "epochs",
     "val_acc", "cifar100", 1,
     "With --epochs N the column 400 has N epochs and the column 200 half of that."},
    {"table7", "hyper-parameters found by the two-stage search", JSNI_REPRO_TEXT, NULL,
     NULL, NULL, NULL, 0, NULL},
    {"table8", "instance-dependent noise", JSNI_REPRO_BARS, "table8",
     "instance_dependent", "test_acc", "cifar10", 5,
     "The paper's column without noise is Table 1's; on CIFAR-10 it prints consistency "
     "instead of accuracy by mistake."},
    {"table9", "real label noise: ANIMAL-10N", JSNI_REPRO_TABLE, "table9", "animal10n",
     "test_acc", "animal10n", 3, NULL},
    {"table10", "real label noise: Food-101N", JSNI_REPRO_TABLE, "table10", "food101n",
     "test_acc", "food101n", 3, NULL},
    {"table11", "the dissection losses", JSNI_REPRO_TEXT, NULL, NULL, NULL, NULL, 0,
     NULL},
    {"table12", "one parameter set, chosen with noisy validation labels",
     JSNI_REPRO_BARS, "table12", "noisy_val_single_hp", "test_acc", "cifar10", 5, NULL},
    {"table13", "consistency of the trained networks", JSNI_REPRO_BARS, "table1",
     "consistency", "consistency", "cifar10", 5, "The runs are those of Table 1."},
    {"fig1", "CE: over-fitting and consistency over the epochs", JSNI_REPRO_CONSIST,
     "fig1", NULL, "val_acc", "cifar100", 0, NULL},
    {"fig2", "JS between CE and MAE", JSNI_REPRO_PLOT, "js-ce-mae", NULL, NULL, NULL, 0,
     NULL},
    {"fig3", "GJS as JS and consistency on the simplex", JSNI_REPRO_PLOT, "gjs-simplex",
     NULL, NULL, NULL, 0, NULL},
    {"fig4", "effect of pi1", JSNI_REPRO_CURVES, "fig4", NULL, "val_acc", "cifar100", 0,
     NULL},
    {"fig5", "effect of M", JSNI_REPRO_VIEWS, "fig5", NULL, "val_acc", "cifar100", 0,
     NULL},
    {"fig6", "CE, JS and GJS: accuracy and consistency over the epochs",
     JSNI_REPRO_CONSIST, "fig6", NULL, "val_acc", "cifar100", 0, NULL},
    {"fig7", "the dissection losses over the epochs", JSNI_REPRO_CURVES, "fig7", NULL,
     "val_acc", "cifar100", 0, NULL},
    {"fig8", "gradient scale of JS and GCE", JSNI_REPRO_PLOT, "js-gce-gradient", NULL,
     NULL, NULL, 0, NULL},
};

size_t jsn_repro_count(void)
{
    return JSNI_COUNT_OF(infos);
}

bool jsn_repro_at(size_t index, jsn_repro_entry *out)
{
    if (index >= JSNI_COUNT_OF(infos))
        return false;
    const jsni_repro_info *i = &infos[index];
    *out = (jsn_repro_entry){i->name, i->title,
                             i->kind != JSNI_REPRO_TEXT && i->kind != JSNI_REPRO_PLOT};
    return true;
}

jsn_status jsni_repro_find(const char *name, const jsni_repro_info **out)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(infos); i++)
        if (strcmp(infos[i].name, name) == 0) {
            *out = &infos[i];
            return JSN_OK;
        }
    return jsni_fail(JSN_ERR_UNKNOWN_NAME,
                     "no result '%s'; there are table1 to table13 and fig1 to fig8",
                     name);
}

jsn_status jsn_repro_lookup(const char *name, jsn_repro_entry *out)
{
    const jsni_repro_info *info = NULL;
    JSNI_TRY(jsni_repro_find(name, &info));
    (void)jsn_repro_at((size_t)(info - infos), out);
    return JSN_OK;
}

size_t jsni_repro_classes(const char *dataset)
{
    return strcmp(dataset, "cifar100") == 0    ? 100
           : strcmp(dataset, "webvision") == 0 ? 50
           : strcmp(dataset, "food101n") == 0  ? 101
                                               : 10;
}

const char *jsni_repro_dataset_title(const char *dataset)
{
    return strcmp(dataset, "cifar10") == 0    ? "CIFAR-10"
           : strcmp(dataset, "cifar100") == 0 ? "CIFAR-100"
                                              : dataset;
}

jsn_status jsni_repro_choose_dataset(const jsni_repro_info *info, const char *asked,
                                     const char *data, const char **out)
{
    static const char *const names[] = {"cifar10", "cifar100", "webvision", "animal10n",
                                        "food101n"};
    const char *kind = NULL;
    for (size_t i = 0; data != NULL && i < JSNI_COUNT_OF(names); i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(data, names[i], n) == 0 && data[n] == ':')
            kind = names[i];
    }
    if (asked != NULL && kind != NULL && strcmp(asked, kind) != 0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--dataset %s, but the data is %s: %s would stand beside the "
                         "paper's numbers for other data; leave --dataset out, or give "
                         "the data of that set",
                         asked, kind, info->name);
    *out = asked != NULL ? asked : kind != NULL ? kind : info->dataset;
    return JSN_OK;
}

enum { MOST_PARTS = 4 };

/* The parts of a recipe's name, "cifar10/sym-40/gjs". */
typedef struct parts {
    char text[MOST_PARTS][JSN_RECIPE_TEXT];
    size_t count;
} parts;

static void split(parts *out, const char *name)
{
    out->count = 0;
    while (out->count < MOST_PARTS) {
        const size_t n = strcspn(name, "/");
        (void)snprintf(out->text[out->count++], JSN_RECIPE_TEXT, "%.*s", (int)n, name);
        if (name[n] == '\0')
            break;
        name += n + 1;
    }
    for (size_t i = out->count; i < MOST_PARTS; i++)
        out->text[i][0] = '\0';
}

/* "gjs" as it is printed: "GJS". */
static void put_method(char out[JSNI_REPRO_LABEL], const char *name)
{
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < JSNI_REPRO_LABEL; i++)
        out[i] = (char)toupper((unsigned char)name[i]);
    out[i] = '\0';
}

/* Group and title of a noise column, and how paper_results names it. */
static void put_noise(jsni_repro_cell *c, const char *name, const char **paper,
                      double *rate)
{
    int percent = 0;
    *paper = "none";
    *rate = 0.0;
    c->group[0] = '\0';
    (void)snprintf(c->column, sizeof c->column, "no noise");
    if (sscanf(name, "sym-%d", &percent) == 1) {
        *paper = "symmetric";
        (void)snprintf(c->group, sizeof c->group, "symmetric");
    } else if (sscanf(name, "asym-%d", &percent) == 1) {
        *paper = "asymmetric";
        (void)snprintf(c->group, sizeof c->group, "asymmetric");
    } else {
        return;
    }
    *rate = percent / 100.0;
    (void)snprintf(c->column, sizeof c->column, "%d%%", percent);
}

static void look_up(jsni_repro_cell *c, const jsni_repro_info *info,
                    const char *dataset, const char *method, const char *noise,
                    double rate, const char *metric)
{
    for (size_t i = 0; info->key != NULL && i < jsni_paper_result_count; i++) {
        const jsni_paper_result *p = &jsni_paper_results[i];
        if (strcmp(p->table, info->key) != 0 || strcmp(p->dataset, dataset) != 0 ||
            strcmp(p->method, method) != 0 || strcmp(p->noise, noise) != 0 ||
            (!isnan(rate) && fabs(p->rate - rate) > 1e-9) ||
            (metric != NULL && strcmp(p->metric, metric) != 0))
            continue;
        c->printed = p;
        c->paper = p->mean;
        c->paper_deviation = p->deviation;
        c->paper_runs = isnan(p->deviation) ? 1 : info->paper_runs;
        c->paper_bold = p->bold != 0;
        return;
    }
}

/* Tables 1, 12, 13 and 8: methods times noises. */
static void label_cifar(jsni_repro_cell *c, const jsni_repro_info *info, const parts *p)
{
    const char *noise = NULL;
    double rate = 0.0;
    int type = 0;
    const char *dataset = jsni_repro_dataset_title(p->text[0]);
    put_method(c->row, p->text[p->count - 1]);
    if (sscanf(p->text[1], "instance%d-", &type) == 1 && type >= 1 && type <= 3) {
        static const char *const names[] = {"instance_type1", "instance_type2",
                                            "instance_type3"};
        static const char *const titles[] = {"Type I", "Type II", "Type III"};
        (void)snprintf(c->group, sizeof c->group, "instance-dependent, 35%%");
        (void)snprintf(c->column, sizeof c->column, "%s", titles[type - 1]);
        look_up(c, info, dataset, c->row, names[type - 1], 0.35, NULL);
        return;
    }
    put_noise(c, p->text[p->count - 2], &noise, &rate);
    look_up(c, info, dataset, c->row, noise, rate, NULL);
}

/* Tables 3 to 6. */
static void label_ablation(jsni_repro_cell *c, const jsni_repro_info *info,
                           const parts *p)
{
    char method[2 * JSNI_REPRO_LABEL], clean[16] = "", noisy[16] = "";
    const char *noise = "symmetric";
    double rate = 0.4;
    if (strcmp(info->name, "table3") == 0) {
        const bool mean = strcmp(p->text[1], "js-mean") == 0;
        put_method(c->row, p->text[1]);
        if (mean)
            (void)snprintf(c->row, sizeof c->row, "GJS without consistency");
        (void)snprintf(c->group, sizeof c->group, "symmetric");
        (void)snprintf(c->column, sizeof c->column, "40%%");
        look_up(c, info, "CIFAR-100", mean ? "GJS_no_consistency" : c->row, noise, rate,
                NULL);
        return;
    }
    if (strcmp(info->name, "table4") == 0) {
        (void)sscanf(p->text[1], "%15[a-z]-%15[a-z]", clean, noisy);
        const bool a = strcmp(clean, "gjs") == 0, b = strcmp(noisy, "gjs") == 0;
        (void)snprintf(c->row, sizeof c->row, "%s on clean, %s on noisy",
                       a ? "GJS" : "JS", b ? "GJS" : "JS");
        (void)snprintf(c->column, sizeof c->column, "pi1 = %.8s", p->text[2]);
        (void)snprintf(method, sizeof method, "clean=%s;noisy=%s;pi1=%.8s",
                       a ? "GJS" : "JS", b ? "GJS" : "JS", p->text[2]);
        look_up(c, info, "CIFAR-100", method, noise, rate, NULL);
        return;
    }
    static const char *const names[][3] = {
        {"full", "full", "Full"},
        {"no-cutout", "noCutout", "-CO"},
        {"no-randaugment", "noRandAug", "-RA"},
        {"weak", "weak", "Weak"},
        {"200", "200ep", "200"},
        {"400", "400ep", "400"},
    };
    put_method(c->row, p->text[3]);
    put_noise(c, p->text[2], &noise, &rate);
    for (size_t i = 0; i < JSNI_COUNT_OF(names); i++)
        if (strcmp(p->text[1], names[i][0]) == 0) {
            (void)snprintf(method, sizeof method, "%s[%s]", c->row, names[i][1]);
            (void)snprintf(c->column, sizeof c->column, "%s", names[i][2]);
        }
    (void)strncat(c->group, " 40%", sizeof c->group - strlen(c->group) - 1);
    look_up(c, info, "CIFAR-100", method, noise, rate, NULL);
}

/* Figures: what varies along the curves is the row. */
static void label_figure(jsni_repro_cell *c, const jsni_repro_info *info,
                         const parts *p)
{
    const char *unused = NULL;
    double rate = 0.0;
    if (strcmp(info->name, "fig1") == 0) {
        put_noise(c, p->text[1], &unused, &rate);
        (void)snprintf(c->row, sizeof c->row, "%.0f%%", 100.0 * rate);
        (void)snprintf(c->column, sizeof c->column, "CE");
        c->group[0] = '\0';
    } else if (strcmp(info->name, "fig4") == 0) {
        put_noise(c, p->text[2], &unused, &rate);
        (void)snprintf(c->row, sizeof c->row, "pi1 = %.8s", p->text[3]);
        put_method(c->group, p->text[1]);
    } else if (strcmp(info->name, "fig5") == 0) {
        put_noise(c, p->text[1], &unused, &rate);
        (void)snprintf(c->row, sizeof c->row, "M = %.4s", p->text[2] + 1);
    } else {
        (void)snprintf(c->row, sizeof c->row, "%.40s", p->text[1]);
        if (strcmp(info->name, "fig6") == 0)
            put_method(c->row, p->text[1]);
        (void)snprintf(c->group, sizeof c->group, "symmetric");
        (void)snprintf(c->column, sizeof c->column, "40%%");
    }
}

/* Tables 2, 9 and 10. */
static void label_real(jsni_repro_cell *c, const jsni_repro_info *info, const parts *p,
                       bool top5)
{
    char method[2 * JSNI_REPRO_LABEL];
    put_method(c->row, p->text[1]);
    (void)snprintf(c->column, sizeof c->column, "accuracy");
    if (strcmp(info->name, "table2") != 0) {
        look_up(c, info, strcmp(info->name, "table9") == 0 ? "ANIMAL-10N" : "Food-101N",
                c->row, "real", NAN, NULL);
        return;
    }
    const bool two = strcmp(p->text[1], "gjs-2net") == 0;
    if (two)
        (void)snprintf(c->row, sizeof c->row, "GJS, two networks");
    (void)snprintf(method, sizeof method, "%s[ResNet-50;ColorJitter;%dnet]",
                   two ? "GJS" : c->row, two ? 2 : 1);
    (void)snprintf(c->group, sizeof c->group, "WebVision");
    (void)snprintf(c->column, sizeof c->column, top5 ? "top-5" : "top-1");
    c->metric = top5 ? "test_top5" : "test_acc";
    look_up(c, info, "WebVision", method, "real", NAN,
            top5 ? "val_acc_top5" : "val_acc_top1");
}

static void label(jsni_repro_cell *c, const jsni_repro_info *info, bool second)
{
    parts p;
    split(&p, c->recipe.name);
    c->metric = info->metric;
    c->paper = c->paper_deviation = c->mean = c->deviation = NAN;
    if (info->key == NULL)
        label_figure(c, info, &p);
    else if (info->kind == JSNI_REPRO_BARS)
        label_cifar(c, info, &p);
    else if (strcmp(info->metric, "val_acc") == 0)
        label_ablation(c, info, &p);
    else
        label_real(c, info, &p, second);
}

jsn_status jsni_repro_cells_make(jsni_repro_cells *out, const char *name,
                                 const char *dataset)
{
    *out = (jsni_repro_cells){0};
    JSNI_TRY(jsni_repro_find(name, &out->info));
    const jsni_repro_info *info = out->info;
    out->dataset = dataset != NULL ? dataset : info->dataset;
    /* Ablations are defined on CIFAR-100 and can be run on CIFAR-10 as well. */
    const bool ablation = info->metric != NULL && strcmp(info->metric, "val_acc") == 0;
    const size_t variants = strcmp(name, "table2") == 0 ? 2 : 1;
    const size_t recipes = jsn_recipe_count(); /* makes them all to count them */
    JSNI_TRY_ALLOC(out->items = jsni_alloc_zero(2 * recipes, sizeof *out->items));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < recipes; i++) {
        jsn_recipe recipe;
        status = jsn_recipe_at(i, &recipe);
        if (status != JSN_OK || strcmp(recipe.result, info->recipes) != 0 ||
            (!ablation && strcmp(recipe.dataset, out->dataset) != 0))
            continue;
        for (size_t v = 0; v < variants; v++) {
            jsni_repro_cell *c = &out->items[out->count++];
            c->recipe = recipe;
            label(c, info, v == 1);
        }
    }
    if (status == JSN_OK &&
        (out->count == 0 || (ablation && strncmp(out->dataset, "cifar", 5) != 0)))
        status =
            jsni_fail(JSN_ERR_ARGUMENT, "%s has no runs on '%s'", name, out->dataset);
    if (status != JSN_OK)
        jsni_repro_cells_release(out);
    return status;
}

void jsni_repro_quoted(const jsni_repro_cells *cells, jsni_text *out)
{
    const jsni_repro_info *info = cells->info;
    bool first = true;
    /* Tables of real noise alone have rows of others. */
    if (info->key == NULL || info->kind != JSNI_REPRO_TABLE ||
        strcmp(info->metric, "test_acc") != 0)
        return;
    for (size_t i = 0; i < jsni_paper_result_count; i++) {
        const jsni_paper_result *p = &jsni_paper_results[i];
        const bool top5 = strstr(p->metric, "top5") != NULL;
        bool shown = false;
        for (size_t k = 0; k < cells->count; k++)
            shown = shown || cells->items[k].printed == p;
        if (strcmp(p->table, info->key) != 0 || shown)
            continue;
        if (first && out->length > 0)
            jsni_text_add(out, " ");
        jsni_text_format(out, "%s%s", first ? "The paper has these as well: " : "; ",
                         p->method);
        if (strcmp(info->name, "table2") == 0)
            jsni_text_format(out, " %s %s", p->dataset, top5 ? "top-5" : "top-1");
        jsni_text_format(out, " %.2f", p->mean);
        if (!isnan(p->deviation))
            jsni_text_format(out, " ± %.2f", p->deviation);
        first = false;
    }
    if (!first)
        jsni_text_add(out, ".");
}

void jsni_repro_cells_release(jsni_repro_cells *cells)
{
    jsni_free(cells->items);
    *cells = (jsni_repro_cells){0};
}
