/* tests/repro/test_repro_cells.c - the paper's results: every number that our runs can
 * answer has a cell, and bold, chance marks and intervals follow from the values. */
#include <math.h>

#include "core/stats.h"
#include "repro/repro_impl.h"
#include "support/support.h"

/* The result on a data set; NULL: the paper's. */
static jsn_repro_settings settings;
static jsn_train_config overrides;

static jsn_status make_tested(jsni_repro *out, const char *name, const char *dataset,
                              const char *also_test)
{
    settings =
        (jsn_repro_settings){.name = name, .dataset = dataset, .also_test = also_test};
    jsn_train_config_clear(&overrides);
    return jsni_repro_open(out, NULL, &settings, &overrides);
}

static jsn_status make_cells(jsni_repro *out, const char *name, const char *dataset)
{
    return make_tested(out, name, dataset, NULL);
}

/* Of bars on a single data set. */
static const jsni_repro_others others;

static const jsni_grid_cell *find(const jsni_repro *cells, const char *recipe)
{
    for (size_t i = 0; i < cells->grid.count; i++)
        if (strcmp(cells->grid.items[i].recipe.name, recipe) == 0)
            return &cells->grid.items[i];
    fail_msg("no cell for %s", recipe);
    return NULL;
}

/* Cells with a printed number, and those in all. */
static void test_every_cell_finds_its_printed_number(void **state)
{
    (void)state;
    static const struct {
        const char *name, *dataset;
        size_t cells;
    } rows[] = {
        {"table1", "cifar10", 56},  {"table1", "cifar100", 56},
        {"table12", "cifar10", 56}, {"table12", "cifar100", 56},
        {"table13", "cifar10", 56}, {"table13", "cifar100", 56},
        {"table8", "cifar10", 9},   {"table8", "cifar100", 9},
        {"table3", NULL, 3},        {"table4", NULL, 12},
        {"table5", NULL, 24},       {"table6", NULL, 12},
        {"table2", NULL, 16},       {"table9", NULL, 2},
        {"table10", NULL, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        jsni_repro cells;
        const bool other = strcmp(rows[i].name, "table2") == 0;
        assert_ok(make_tested(&cells, rows[i].name, rows[i].dataset,
                              other ? "imagenet:a" : NULL));
        assert_int_equal(cells.grid.count, rows[i].cells);
        for (size_t k = 0; k < cells.grid.count; k++)
            if (isnan(cells.grid.items[k].published.mean))
                fail_msg("%s: no printed number for %s", rows[i].name,
                         cells.grid.items[k].recipe.name);
        jsni_repro_release(&cells);
    }
}

static void test_unknown_data_has_no_cells(void **state)
{
    (void)state;
    static const char *const unknown[] = {"cifar7", "cifar", "mnist", ""};
    jsni_repro cells;
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_fails(make_cells(&cells, "table3", unknown[i]), JSN_ERR_ARGUMENT,
                     "table3 has no runs on");
        assert_null(cells.grid.items);
    }
    assert_fails(make_cells(&cells, "table3", "webvision"), JSN_ERR_ARGUMENT,
                 "table3 has no runs on 'webvision'");
}

/* A few numbers read off the paper's tables by hand. */
static void test_printed_numbers_are_in_the_right_cells(void **state)
{
    (void)state;
    jsni_repro cells;
    assert_ok(make_cells(&cells, "table1", "cifar10"));
    assert_close(find(&cells, "cifar10/sym-40/gjs")->published.mean, 93.57, 0.0, 0.0);
    assert_close(find(&cells, "cifar10/asym-40/nce+rce")->published.mean, 86.83, 0.0,
                 0.0);
    assert_close(find(&cells, "cifar10/clean/ce")->published.deviation, 0.11, 0.0, 0.0);
    assert_true(find(&cells, "cifar10/clean/ce")->published.bold);
    jsni_repro_release(&cells);
    assert_ok(make_cells(&cells, "table5", NULL));
    assert_close(find(&cells, "table5/no-randaugment/asym-40/gce")->published.mean,
                 46.6, 0.0, 0.0);
    jsni_repro_release(&cells);
    assert_ok(make_cells(&cells, "table4", NULL));
    assert_close(find(&cells, "table4/gjs-js/0.5")->published.mean, 72.9, 0.0, 0.0);
    jsni_repro_release(&cells);
    assert_ok(make_cells(&cells, "table13", "cifar100"));
    assert_close(find(&cells, "cifar100/sym-80/gjs")->published.mean, 59.74, 0.0, 0.0);
    jsni_repro_release(&cells);
}

static void test_rows_of_others_are_quoted(void **state)
{
    (void)state;
    jsni_repro cells;
    jsni_text text = {0};
    assert_ok(make_cells(&cells, "table9", NULL));
    jsni_repro_note(&cells, &text);
    assert_string_equal(text.data, " The paper has these as well: SELFIE 81.80 ± 0.09; "
                                   "PLC 83.40 ± 0.43.");
    jsni_text_release(&text);
    jsni_repro_release(&cells);
    assert_ok(make_cells(&cells, "table2", NULL));
    assert_int_equal(cells.grid.count, 8);
    jsni_repro_note(&cells, &text);
    assert_non_null(strstr(text.data, "ILSVRC12 top-5 91.27 ± 0.26")); /* GJS, two */
    assert_non_null(strstr(text.data, "WebVision top-1 77.78;"));      /* ELR+ */
    assert_null(strstr(text.data, "79.28")); /* a cell of ours has that one */
    jsni_text_release(&text);
    jsni_repro_release(&cells);
    assert_ok(make_cells(&cells, "table1", "cifar10"));
    jsni_repro_note(&cells, &text);
    assert_int_equal(text.length, 0);
    jsni_text_release(&text);
    jsni_repro_release(&cells);
}

static void test_unknown_results_are_refused(void **state)
{
    (void)state;
    jsni_repro cells;
    assert_fails(make_cells(&cells, "banana", NULL), JSN_ERR_UNKNOWN_NAME,
                 "there are: table1, table2");
    assert_fails(make_cells(&cells, "table1", "webvision"), JSN_ERR_ARGUMENT,
                 "webvision");
    assert_fails(make_cells(&cells, "table3", "webvision"), JSN_ERR_ARGUMENT,
                 "webvision");
}

static void test_the_data_says_which_data_set(void **state)
{
    (void)state;
    static const struct {
        const char *result, *asked, *data, *expected;
    } rows[] = {
        {"table1", NULL, NULL, "cifar10"},
        {"table1", NULL, "cifar100:a.tar", "cifar100"},
        {"table1", "cifar100", "cifar100:a.tar", "cifar100"},
        {"table3", NULL, "cifar10:a.tar", "cifar10"},
        {"table3", NULL, "builtin:size=100", "cifar100"},
        {"table3", "cifar10", "builtin", "cifar10"},
        {"table1", "cifar100", "folder:cifar10", "cifar100"},
        {"table1", "cifar100", "cifar10", "cifar100"}, /* a folder of that name */
        {"table2", NULL, "imagenet:a", "webvision"},
        {"table1", NULL, "webvision:a", "webvision"}, /* has no runs there */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const jsn_repro_settings asked = {.name = rows[i].result};
        const jsni_repro_info *info = NULL;
        const jsni_repro_dataset *dataset = NULL;
        assert_ok(jsni_repro_find(&asked, &info));
        assert_ok(
            jsni_repro_choose_dataset(info, rows[i].asked, rows[i].data, &dataset));
        assert_string_equal(dataset->name, rows[i].expected);
    }
    const jsni_repro_info *info = NULL;
    const jsni_repro_dataset *dataset = NULL;
    const jsn_repro_settings asked = {.name = "table1"};
    assert_ok(jsni_repro_find(&asked, &info));
    assert_fails(jsni_repro_choose_dataset(info, "cifar10", "cifar100:a.tar", &dataset),
                 JSN_ERR_ARGUMENT, "--dataset cifar10, but the data is cifar100");
}

/* A trial as the store would give it. */
typedef struct made {
    jsn_sweep_trial trial;
    jsn_sweep_pair option, fact;
    char words[4][32];
} made;

static void make(made *m, const char *recipe, const char *value)
{
    (void)snprintf(m->words[0], 32, "recipe");
    (void)snprintf(m->words[1], 32, "%.31s", recipe);
    (void)snprintf(m->words[2], 32, "test_acc");
    (void)snprintf(m->words[3], 32, "%s", value);
    m->option = (jsn_sweep_pair){m->words[0], m->words[1]};
    m->fact = (jsn_sweep_pair){m->words[2], m->words[3]};
    m->trial = (jsn_sweep_trial){.state = JSN_SWEEP_COMPLETE,
                                 .options = &m->option,
                                 .option_count = 1,
                                 .facts = &m->fact,
                                 .fact_count = 1};
}

static void test_bold_and_chance_follow_from_the_values(void **state)
{
    (void)state;
    /* GJS best; SCE within its spread (by hand t = 0.632, p = 0.56 with 4 degrees of
     * freedom); CE far below; BS at 12% near chance. */
    static const char *const values[][4] = {
        {"cifar10/sym-40/gjs", "0.90", "0.91", "0.92"},
        {"cifar10/sym-40/sce", "0.89", "0.90", "0.92"},
        {"cifar10/sym-40/ce", "0.70", "0.71", "0.72"},
        {"cifar10/sym-40/bs", "0.12", "0.12", "0.12"},
    };
    made list[12];
    jsn_sweep_trial trials[12];
    for (size_t i = 0; i < 12; i++) {
        make(&list[i], values[i / 3][0], values[i / 3][1 + i % 3]);
        trials[i] = list[i].trial;
    }
    jsni_repro cells;
    assert_ok(make_cells(&cells, "table1", "cifar10"));
    assert_ok(jsni_grid_fill(&cells.grid, trials, 12));
    assert_true(find(&cells, "cifar10/sym-40/gjs")->bold);
    assert_true(find(&cells, "cifar10/sym-40/sce")->bold);
    assert_false(find(&cells, "cifar10/sym-40/ce")->bold);
    assert_true(find(&cells, "cifar10/sym-40/bs")->near_chance);
    assert_false(find(&cells, "cifar10/sym-40/bs")->bold);
    assert_close(find(&cells, "cifar10/sym-40/gjs")->mean, 91.0, 1e-9, 0.0);
    assert_close(find(&cells, "cifar10/sym-40/gjs")->deviation, 1.0, 1e-9, 0.0);
    assert_int_equal(find(&cells, "cifar10/sym-20/gjs")->count, 0);
    jsni_text text = {0};
    jsni_table table = {0};
    jsni_grid_comparison(&cells.grid, "caption", false, &table);
    assert_ok(jsni_table_write(&table, "markdown", &text));
    assert_non_null(strstr(text.data, "-2.57")); /* 91 - 93.57 */
    jsni_text_release(&text);
    jsni_table_release(&table);
    table = (jsni_table){0};
    jsni_grid_comparison(&cells.grid, "caption", true, &table);
    assert_ok(jsni_table_write(&table, "csv", &text));
    assert_non_null(strstr(text.data, "BS,symmetric 40%,12,0,3,89.23,0.16,-77.23,"));
    assert_non_null(strstr(text.data, ",0,1,0\n")); /* BS: near chance, not bold */
    jsni_text_release(&text);
    jsni_grid_correlation(&cells.grid, &text);
    /* GJS 93.57 > SCE 92.72 > CE 87.74 in the paper, the same order here. */
    assert_non_null(strstr(text.data, "symmetric 40%: Spearman +1.00"));
    assert_non_null(strstr(text.data, "1 near chance left out"));
    jsni_text_release(&text);
    jsni_table_release(&table);
    assert_ok(jsni_repro_figure(&cells, &others, "caption", &text));
    assert_non_null(strstr(text.data, "<svg"));
    jsni_text_release(&text);
    jsni_repro_release(&cells);
}

static void test_failed_runs_are_counted(void **state)
{
    (void)state;
    /* CE: one of two failed; SCE: both; GJS: none; the state is that of the store. */
    static const char *const recipes[] = {"cifar10/sym-40/ce", "cifar10/sym-40/ce",
                                          "cifar10/sym-40/sce", "cifar10/sym-40/sce",
                                          "cifar10/sym-40/gjs"};
    made list[5];
    jsn_sweep_trial trials[5];
    for (size_t i = 0; i < 5; i++) {
        make(&list[i], recipes[i], "0.5");
        trials[i] = list[i].trial;
        if (i >= 1 && i <= 3) {
            trials[i].state = JSN_SWEEP_FAILED;
            trials[i].fact_count = 0;
        }
    }
    jsni_repro cells;
    jsni_text text = {0};
    jsni_table table = {0};
    assert_ok(make_cells(&cells, "table1", "cifar10"));
    assert_ok(jsni_grid_fill(&cells.grid, trials, 5));
    assert_int_equal(find(&cells, "cifar10/sym-40/ce")->failed, 1);
    assert_int_equal(find(&cells, "cifar10/sym-40/sce")->failed, 2);
    assert_int_equal(find(&cells, "cifar10/sym-40/gjs")->failed, 0);
    jsni_grid_table(&cells.grid, "caption", NULL, &table);
    assert_ok(jsni_table_write(&table, "markdown", &text));
    assert_non_null(strstr(text.data, " **50.00**! |"));
    assert_non_null(strstr(text.data, " 2 failed |"));
    jsni_text_release(&text);
    jsni_table_release(&table);
    /* A second try of the same seed that went well makes up for the first. */
    char seed[] = "seed", one[] = "1";
    jsn_sweep_pair options[2][2] = {{list[0].option, {seed, one}},
                                    {list[1].option, {seed, one}}};
    for (size_t i = 0; i < 2; i++) {
        trials[1 - i].options = options[i];
        trials[1 - i].option_count = 2;
    }
    const jsn_sweep_trial first = trials[1];
    trials[1] = trials[0];
    trials[0] = first;
    assert_ok(jsni_grid_fill(&cells.grid, trials, 5));
    assert_int_equal(find(&cells, "cifar10/sym-40/ce")->failed, 0);
    jsni_repro_release(&cells);
}

static void test_figures_of_noise_rates_and_of_views(void **state)
{
    (void)state;
    jsni_repro cells;
    jsni_text text = {0};
    made list[2];
    jsn_sweep_trial trials[2];
    /* The rows of Figure 1 are noise rates, of which none is the best. */
    assert_ok(make_cells(&cells, "fig1", "cifar100"));
    make(&list[0], cells.grid.items[0].recipe.name, "0.6");
    (void)snprintf(list[0].words[2], 32, "val_acc");
    assert_ok(jsni_grid_fill(&cells.grid, &list[0].trial, 1));
    assert_close(cells.grid.items[0].mean, 60.0, 1e-9, 0.0);
    assert_false(cells.grid.items[0].bold);
    jsni_repro_release(&cells);
    /* 0 and 60%: a deviation below the mean would be -12%. */
    assert_ok(make_cells(&cells, "fig5", "cifar100"));
    for (size_t i = 0; i < 2; i++) {
        make(&list[i], cells.grid.items[0].recipe.name, i == 0 ? "0" : "0.6");
        (void)snprintf(list[i].words[2], 32, "val_acc");
        trials[i] = list[i].trial;
    }
    assert_ok(jsni_grid_fill(&cells.grid, trials, 2));
    assert_true(cells.grid.items[0].mean - cells.grid.items[0].deviation < -12.0);
    assert_ok(jsni_repro_figure(&cells, &others, "caption", &text));
    assert_null(strstr(text.data, ">-"));            /* no label below 0 */
    assert_null(strstr(text.data, ">\xE2\x88\x92")); /* nor with a minus sign */
    jsni_text_release(&text);
    jsni_repro_release(&cells);
}

static void test_equal_values_have_no_ranks_and_top5_another_chance(void **state)
{
    (void)state;
    static const char *const recipes[] = {"cifar10/sym-40/gjs", "cifar10/sym-40/sce",
                                          "cifar10/sym-40/ce"};
    made list[3];
    jsn_sweep_trial trials[3];
    for (size_t i = 0; i < 3; i++) {
        make(&list[i], recipes[i], "0.5");
        trials[i] = list[i].trial;
    }
    jsni_repro cells;
    jsni_text text = {0};
    assert_ok(make_cells(&cells, "table1", "cifar10"));
    assert_ok(jsni_grid_fill(&cells.grid, trials, 3));
    jsni_grid_correlation(&cells.grid, &text);
    assert_string_equal(text.data,
                        "symmetric 40%: no ranks, equal values over 3 rows\n");
    jsni_text_release(&text);
    jsni_repro_release(&cells);
    /* Of 50 classes: chance is 2% for one guess, 10% for five. */
    assert_ok(make_cells(&cells, "table2", NULL));
    make(&list[0], cells.grid.items[0].recipe.name, "0.14");
    for (size_t v = 0; v < 2; v++) {
        (void)snprintf(list[0].words[2], 32, v == 0 ? "test_acc" : "test_top5");
        assert_ok(jsni_grid_fill(&cells.grid, &list[0].trial, 1));
        assert_int_equal(cells.grid.items[v].count, 1);
        assert_int_equal(cells.grid.items[v].near_chance, v == 1);
    }
    /* Data of 10 classes: 14% is near chance for one guess as well. */
    char word[] = "classes", ten[] = "10";
    const jsn_sweep_pair fact = list[0].fact;
    jsn_sweep_pair facts[] = {fact, {word, ten}};
    (void)snprintf(list[0].words[2], 32, "test_acc");
    list[0].trial.facts = facts;
    list[0].trial.fact_count = 2;
    assert_ok(jsni_grid_fill(&cells.grid, &list[0].trial, 1));
    assert_true(cells.grid.items[0].near_chance);
    jsni_repro_release(&cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_values_have_no_ranks_and_top5_another_chance),
        cmocka_unit_test(test_every_cell_finds_its_printed_number),
        cmocka_unit_test(test_unknown_data_has_no_cells),
        cmocka_unit_test(test_printed_numbers_are_in_the_right_cells),
        cmocka_unit_test(test_rows_of_others_are_quoted),
        cmocka_unit_test(test_unknown_results_are_refused),
        cmocka_unit_test(test_figures_of_noise_rates_and_of_views),
        cmocka_unit_test(test_failed_runs_are_counted),
        cmocka_unit_test(test_the_data_says_which_data_set),
        cmocka_unit_test(test_bold_and_chance_follow_from_the_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
