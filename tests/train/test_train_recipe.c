/* Recipes against the paper's hyper-parameter table (tests/golden/table7.csv, taken from
 * the paper's Table 7: learning rate and weight decay by noise kind, then the method's
 * parameter by noise). */
#include "support/support.h"

#include "jensen/augment.h"
#include "jensen/loss.h"
#include "jensen/recipe.h"
#include "jensen/train.h"
#include "train/recipe_find.h"

static const char *const noises[] = {"clean",  "sym-20",  "sym-40", "sym-60",
                                     "sym-80", "asym-20", "asym-40"};

/* Field `index` of a CSV line without quotes, in a static buffer. */
static const char *field(const char *line, int index)
{
    static char text[64];
    for (; index > 0; index--)
        line += strcspn(line, ",") + 1;
    (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(line, ",\r\n"), line);
    return text;
}

/* "CIFAR-10" -> "cifar10", "NCE+RCE" -> "nce+rce". */
static void lower(char *out, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text != '-')
            *out++ = (char)(*text >= 'A' && *text <= 'Z' ? *text + 32 : *text);
    *out = '\0';
}

/* The numbers behind the '=' signs of a loss spec, against "a/b". */
static void assert_params(const char *spec, const char *want)
{
    for (const char *at = spec; (at = strchr(at, '=')) != NULL;) {
        char *end = NULL;
        const double got = strtod(++at, &end);
        assert_close(got, strtod(want, (char **)&want), 0.0, 0.0);
        want += *want == '/';
        at = end;
    }
    assert_int_equal(*want, '\0');
}

static void check_cell(const char *line, int noise)
{
    char dataset[32], method[32], name[96];
    lower(dataset, field(line, 0));
    lower(method, field(line, 1));
    (void)snprintf(name, sizeof name, "%s/%s/%s", dataset, noises[noise], method);
    jsn_recipe r;
    assert_ok(jsni_recipe_find(name, &r));
    const int asym = noise >= 5;
    assert_close(atof(jsn_recipe_value(&r, "lr")), atof(field(line, asym ? 4 : 2)), 0,
                 0);
    assert_close(atof(jsn_recipe_value(&r, "weight-decay")),
                 atof(field(line, asym ? 5 : 3)), 0, 0);
    char want[64];
    (void)snprintf(want, sizeof want, "%s", field(line, 6 + noise));
    assert_params(jsn_recipe_value(&r, "loss"), want);
    assert_string_equal(jsn_recipe_value(&r, "network"), "preactresnet34");
    assert_string_equal(jsn_recipe_value(&r, "augment"), "strong");
    assert_string_equal(jsn_recipe_value(&r, "epochs"), "400");
    assert_string_equal(jsn_recipe_value(&r, "batch"), "128");
    assert_string_equal(jsn_recipe_value(&r, "schedule"),
                        "step:at=0.5/0.75,factor=0.1");
    assert_null(jsn_recipe_value(&r, "views"));
    if (noise == 0) {
        assert_string_equal(jsn_recipe_value(&r, "noise"), "none");
    } else {
        const int percent = atoi(strchr(noises[noise], '-') + 1);
        char spec[32];
        (void)snprintf(spec, sizeof spec, "%s:rate=0.%d", asym ? "asym" : "sym",
                       percent / 10);
        assert_string_equal(jsn_recipe_value(&r, "noise"), spec);
    }
}

static void test_every_cell_of_table_7_is_a_recipe(void **state)
{
    (void)state;
    FILE *file = fopen(JSN_TEST_GOLDEN "/table7.csv", "r");
    assert_non_null(file);
    char line[256];
    assert_non_null(fgets(line, sizeof line, file));
    int rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        rows++;
        for (int noise = 0; noise < 7; noise++)
            check_cell(line, noise);
    }
    (void)fclose(file);
    assert_int_equal(rows, 16);
}

static void test_every_recipe_is_valid_and_has_its_own_name(void **state)
{
    (void)state;
    const size_t count = jsni_recipe_count();
    assert_true(count > 250);
    jsn_recipe a, b;
    for (size_t i = 0; i < count; i++) {
        jsn_train_config config;
        jsn_train_config_clear(&config);
        assert_ok(jsn_recipe_at(i, &a));
        assert_ok(jsni_recipe_find(a.name, &b));
        assert_memory_equal(&a.options, &b.options, sizeof a.options);
        assert_true(a.option_count < JSN_RECIPE_MAX_OPTIONS);
        for (size_t k = 0; k < a.option_count; k++)
            assert_ok(
                jsn_train_config_set(&config, a.options[k].name, a.options[k].value));
        assert_true(config.loss != NULL && config.lr > 0 && config.epochs > 0);
        assert_ok(jsn_loss_check(config.loss, NULL));
        char *evaluation = NULL;
        assert_ok(jsn_augment_evaluation(config.augment, &evaluation));
        jsn_text_release(evaluation);
        jsn_train_config_release(&config);
    }
    assert_fails(jsn_recipe_at(count, &a), JSN_ERR_RANGE, "recipe");
    assert_fails(jsni_recipe_find("cifar10/sym-40/gsj", &a), JSN_ERR_UNKNOWN_NAME,
                 "did you mean 'cifar10/sym-40/gjs'?");
    assert_fails(jsni_recipe_find("nothing", &a), JSN_ERR_UNKNOWN_NAME, "show recipes");
}

/* The rows that do not come from Table 7, against the paper's text. */
static void test_other_families_follow_the_paper(void **state)
{
    (void)state;
    static const struct {
        const char *recipe, *option, *value;
    } facts[] = {
        /* the published code of CIFAR-N (main.py) and of PLC (train_clothing1m.py) */
        {"cifar10n/worse/ce", "network", "resnet34-plc"},
        {"cifar10n/worse/ce", "lr", "0.1"},
        {"cifar10n/worse/ce", "weight-decay", "5e-4"},
        {"cifar10n/aggregate/gjs", "schedule", "step:at=60,factor=0.1"},
        {"cifar10n/random2/gce", "epochs", "100"},
        {"cifar10n/worse/ce", "augment", "weak"},
        {"cifar10n/worse/gjs", "loss", "gjs:pi1=0.9"},
        {"cifar10n/random1/gjs", "loss", "gjs:pi1=0.3"},
        {"cifar10n/worse/js", "noise", "file:cifar10n.csv.xz,column=worse"},
        {"cifar100n/noisy/gjs", "loss", "gjs:pi1=0.5"},
        {"cifar100n/noisy/gjs", "noise", "file:cifar100n.csv.xz,column=noisy"},
        {"clothing1m/ce", "network", "resnet50-plc"},
        {"clothing1m/ce", "lr", "0.001"},
        {"clothing1m/gjs", "schedule", "step:at=6/11,factor=0.5"},
        {"clothing1m/gjs", "sampling", "balanced"},
        {"webvision/gjs", "batch", "32"},
        {"webvision/ce", "batch", "64"},
        {"webvision/gjs", "loss", "gjs:pi1=0.1,scale=0"},
        {"webvision/js", "lr", "0.2"},
        {"webvision/gjs-2net", "members", "2"},
        {"webvision/gjs", "schedule", "exp:factor=0.97"},
        {"animal10n/gjs", "lr", "0.05"},
        {"animal10n/gjs", "momentum", "0"},
        {"animal10n/ce", "weight-decay", "1e-3"},
        {"food101n/gjs", "loss", "gjs:pi1=0.3"},
        {"food101n/gjs", "lr", "0.001"},
        {"cifar100/instance2-35/gce", "lr", "0.4"},
        {"cifar10/instance1-35/gjs", "lr", "0.001"},
        {"cifar10/noisy-val/sym-80/gjs", "loss", "gjs:pi1=0.3"},
        {"cifar100/noisy-val/asym-40/sce", "loss", "sce:alpha=0.1,beta=0.1"},
        {"cifar10/noisy-val/clean/js", "lr", "0.05"},
        {"cifar100/noisy-val/clean/js", "weight-decay", "1e-4"},
        {"table3/js-mean", "loss", "gjs-nocons:pi1=0.5"},
        {"table4/js-gjs/0.9", "loss-noisy", "gjs:pi1=0.9"},
        {"table4/js-gjs/0.9", "loss", "js:pi1=0.9"},
        {"table5/weak/asym-40/gce", "augment", "weak"},
        {"table6/200/sym-40/gjs", "epochs", "200"},
        {"table6/200/sym-40/gjs", "val-fraction", "0.1"},
        {"fig4/js/sym-60/0.3", "loss", "js:pi1=0.3"},
        {"fig5/sym-20/m4", "views", "3"},
        {"fig1/sym-60", "consistency", "every"},
        {"fig7/kl-rev", "loss", "kl-rev"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        jsn_recipe r;
        assert_ok(jsni_recipe_find(facts[i].recipe, &r));
        assert_non_null(jsn_recipe_value(&r, facts[i].option));
        assert_string_equal(jsn_recipe_value(&r, facts[i].option), facts[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cell_of_table_7_is_a_recipe),
        cmocka_unit_test(test_every_recipe_is_valid_and_has_its_own_name),
        cmocka_unit_test(test_other_families_follow_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
