/* tests/repro/test_repro_studies.c - studies of a result on other data sets: which one is
 * taken, and the panels of the figure that come of it. */
#include <math.h>

#include "jensen/study.h"
#include "repro/repro_impl.h"
#include "store/study.h"
#include "support/support.h"
#include "sweep/sweep_impl.h"

/* A data base of its own for each test. */
static char url[320];

static void begin(const char *name)
{
    jsni_store *store = NULL;
    (void)snprintf(url, sizeof url, "sqlite:///%s/%s.db", support_folder, name);
    const jsn_status status = jsni_store_open(&store, url, JSNI_STORE_CREATE);
    if (status == JSN_ERR_UNSUPPORTED) {
        print_message("skipped: a build without SQLite\n");
        skip();
    }
    assert_ok(status);
    jsni_store_close(store);
}

static void set(jsn_train_config *config, const char *data, const char *const *options)
{
    jsn_train_config_clear(config);
    assert_ok(jsn_train_config_set(config, "data", data));
    for (; options != NULL && *options != NULL; options += 2)
        assert_ok(jsn_train_config_set(config, options[0], options[1]));
}

/* Makes the study of `result`, ends its first `finished` trials with the accuracies
 * `first`, `first` + 1%, ... and gives it opened. */
static jsn_sweep *make(const char *result, const char *dataset, const char *data,
                       const char *const *options, size_t finished, double first)
{
    const jsn_repro_settings settings = {
        .name = result, .dataset = dataset, .seeds = 2, .only = "sym-40"};
    jsn_train_config config;
    jsn_sweep *sweep = NULL;
    set(&config, data, options);
    assert_ok(jsn_repro_prepare(&sweep, url, &settings, &config));
    jsn_train_config_release(&config);
    for (size_t i = 0; i < finished; i++) {
        jsni_claim claim;
        bool mine = false;
        char key[] = "test_acc", json[32];
        (void)snprintf(json, sizeof json, "%.4f", first + 0.01 * (double)i);
        const jsni_attr attr = {key, json};
        assert_ok(jsni_trial_claim(&sweep->study, 0, "me",
                                   &(jsni_takeover){60.0, 0, NULL}, &claim));
        assert_int_not_equal(claim.trial, 0);
        assert_ok(jsni_trial_finish(&sweep->study, claim.trial, "me",
                                    JSNI_TRIAL_COMPLETE, 0.5, &attr, 1, &mine));
        assert_true(mine);
    }
    return sweep;
}

static void make_closed(const char *result, const char *dataset, const char *data,
                        const char *const *options, size_t finished, double first)
{
    jsn_sweep_close(make(result, dataset, data, options, finished, first));
}

/* Asks as `jensen repro` does. */
static void look(jsni_repro_others *out, jsn_sweep *sweep, const char *result,
                 const char *dataset, const char *const *options)
{
    const jsn_repro_settings settings = {.name = result, .dataset = dataset};
    jsni_repro own;
    jsn_train_config config;
    *out = (jsni_repro_others){0};
    set(&config, "folder:elsewhere", options);
    assert_ok(jsni_repro_open(&own, sweep, &settings, &config));
    assert_ok(jsni_repro_others_find(out, sweep, &own));
    jsni_repro_release(&own);
    jsn_train_config_release(&config);
}

/* How many data sets have a panel. */
static size_t count_of(const jsni_repro_others *others)
{
    size_t count = 0;
    for (size_t i = 0; i < JSNI_REPRO_DATASETS; i++)
        count += others->items[i].grid.count > 0;
    return count;
}

static const char *const three[] = {"epochs", "3", NULL};
static const char *const four[] = {"epochs", "4", NULL};
/* The same results, run in another way. */
static const char *const manner[] = {"epochs", "3",       "threads", "1", "device",
                                     "cpu",    "workers", "1",       NULL};

static void test_the_study_with_the_most_runs_is_taken(void **state)
{
    (void)state;
    jsni_repro_others others;
    begin("most");
    jsn_sweep *own = make("table1", "cifar10", "cifar10:a", three, 1, 0.5);
    look(&others, own, "table1", "cifar10", three);
    assert_int_equal(count_of(&others), 0); /* not itself */
    assert_int_equal(others.note.length, 0);
    jsni_repro_others_release(&others);
    make_closed("table1", "cifar100", "cifar100:none", three, 0, 0.0);
    make_closed("table1", "cifar100", "cifar100:more-epochs", four, 9, 0.1);
    make_closed("table12", "cifar100", "cifar100:c", three, 9, 0.1);
    look(&others, own, "table1", "cifar10", three);
    assert_int_equal(count_of(&others), 0); /* no runs, other options, another result */
    jsni_repro_others_release(&others);
    make_closed("table1", "cifar100", "cifar100:few", three, 1, 0.2);
    make_closed("table1", "cifar100", "cifar100:most", manner, 3, 0.3);
    make_closed("table1", "cifar100", "cifar100:some", three, 2, 0.4);
    look(&others, own, "table1", "cifar10", three);
    assert_int_equal(count_of(&others), 1);
    assert_string_equal(others.items[1].data->name, "cifar100");
    assert_non_null(
        strstr(others.note.data, "CIFAR-100: study repro-table1-cifar100-"));
    assert_non_null(strstr(others.note.data, ", 3 finished runs."));
    /* Two seeds of the first recipe: 30% and 31%. */
    size_t filled = 0, runs = 0;
    double mean = NAN;
    for (size_t i = 0; i < others.items[1].grid.count; i++) {
        const jsni_grid_cell *c = &others.items[1].grid.items[i];
        filled += c->count > 0;
        runs += c->count;
        if (c->count == 2)
            mean = c->mean;
    }
    assert_int_equal(filled, 2);
    assert_int_equal(runs, 3);
    assert_close(mean, 30.5, 1e-9, 0.0);
    jsni_repro_others_release(&others);
    jsn_sweep_close(own);
}

static void test_data_may_differ_but_not_be_missing(void **state)
{
    (void)state;
    static const char *const tested[] = {"epochs", "3", "test", "folder:a", NULL};
    static const char *const other[] = {"epochs", "3", "test", "folder:b", NULL};
    jsni_repro_others others;
    begin("data");
    make_closed("table1", "cifar10", "cifar10:a", other, 1, 0.2);
    jsn_sweep *own = make("table1", "cifar100", "cifar100:a", tested, 1, 0.2);
    look(&others, own, "table1", "cifar100", tested);
    assert_int_equal(count_of(&others), 1);
    assert_true(others.items[0].grid.count > 0); /* CIFAR-10 comes first */
    assert_string_equal(others.items[0].data->name, "cifar10");
    jsni_repro_others_release(&others);
    look(&others, own, "table1", "cifar100", three);
    assert_int_equal(count_of(&others), 0);
    jsni_repro_others_release(&others);
    /* The runs of Table 13 are Table 1's; ablations have one data set. */
    look(&others, own, "table13", "cifar100", tested);
    assert_int_equal(count_of(&others), 1);
    assert_string_equal(others.items[0].info->name, "table13");
    jsni_repro_others_release(&others);
    look(&others, own, "fig4", "cifar100", tested);
    assert_int_equal(count_of(&others), 0);
    jsni_repro_others_release(&others);
    jsn_sweep_close(own);
}

/* A study of that name from elsewhere is no reason to have no figure. */
static void test_studies_that_cannot_be_read_are_passed_over(void **state)
{
    (void)state;
    jsni_repro_others others;
    jsni_study study;
    begin("odd");
    jsn_sweep *own = make("table1", "cifar10", "cifar10:a", three, 1, 0.5);
    assert_ok(
        jsni_study_create(&study, own->store, "repro-table1-cifar100-00000000", true));
    jsn_sweep *later = make("table1", "cifar100", "cifar100:a", three, 2, 0.5);
    assert_ok(jsni_study_set(&later->study, "base", "{\"no-such-option\":\"1\"}"));
    jsn_sweep_close(later);
    look(&others, own, "table1", "cifar10", three);
    assert_int_equal(count_of(&others), 0);
    jsni_repro_others_release(&others);
    jsn_sweep_close(own);
}

static size_t occurrences(const char *text, const char *words)
{
    size_t count = 0;
    for (text = strstr(text, words); text != NULL; text = strstr(text + 1, words))
        count++;
    return count;
}

/* The figure as jsn_repro_write() makes it, from either side. */
static void test_a_figure_has_a_panel_for_each_data_set(void **state)
{
    (void)state;
    static const char *const datasets[] = {"cifar10", "cifar100"};
    begin("panels");
    make_closed("table1", "cifar10", "cifar10:a", three, 16, 0.5);
    make_closed("table1", "cifar100", "cifar100:a", three, 16, 0.3);
    for (size_t d = 0; d < 3; d++) {
        const bool both = d < 2;
        const char *dataset = datasets[d % 2];
        const jsn_repro_settings settings = {.name = "table1", .dataset = dataset};
        const char *data = d % 2 == 0 ? "cifar10:a" : "cifar100:a";
        const char *const *options = both ? three : four;
        jsn_train_config config;
        char *page = NULL;
        jsn_sweep *sweep = make("table1", dataset, data, options, both ? 0 : 16, 0.5);
        set(&config, data, options);
        assert_ok(jsn_repro_render(sweep, &settings, &config, "html", &page));
        const char *ten = strstr(page, ">CIFAR-10</text>");
        const char *hundred = strstr(page, ">CIFAR-100</text>");
        assert_int_equal(ten != NULL && hundred != NULL && ten < hundred, both);
        assert_int_equal(
            occurrences(page, ">test accuracy on CIFAR under label noise: CIFAR-10<"),
            both ? 0 : 2); /* in words for screen readers as well */
        /* One legend: rows of tables are no <text>. */
        assert_int_equal(occurrences(page, ">NCE+RCE</text>"), 1);
        assert_int_equal(occurrences(page, "<figcaption>"), both ? 1 : 0);
        jsn_text_release(page);
        jsn_train_config_release(&config);
        jsn_sweep_close(sweep);
    }
}

/* The cards count every trial: one complete, one pruned, one failed, the rest waiting. */
static void test_the_page_of_a_study_counts_all_trials(void **state)
{
    (void)state;
    begin("page");
    jsn_sweep *sweep = make("table1", "cifar10", "cifar10:a", three, 1, 0.5);
    const jsni_trial_state ends[] = {JSNI_TRIAL_PRUNED, JSNI_TRIAL_FAILED};
    char key[] = "failure", json[] = "\"out of luck\"", *html = NULL;
    const jsni_attr attr = {key, json};
    for (size_t i = 0; i < 2; i++) {
        jsni_claim claim;
        bool mine = false;
        assert_ok(jsni_trial_claim(&sweep->study, 0, "me",
                                   &(jsni_takeover){60.0, 0, NULL}, &claim));
        assert_ok(jsni_trial_finish(&sweep->study, claim.trial, "me", ends[i], 0.5,
                                    &attr, i, &mine));
        assert_true(mine);
    }
    assert_ok(jsn_study_export(sweep, NULL, "html", NULL, &html));
    static const char *const cards[][2] = {
        {"complete", "1 of 16"}, {"failed", "1"}, {"pruned", "1"}, {"waiting", "13"}};
    for (size_t i = 0; i < 4; i++) {
        char words[96];
        (void)snprintf(words, sizeof words, "%s</span><strong>%s</strong>", cards[i][0],
                       cards[i][1]);
        if (strstr(html, words) == NULL)
            fail_msg("no card with '%s'", words);
    }
    assert_null(strstr(html, "running</span>"));
    assert_non_null(strstr(html, "out of luck"));
    jsn_text_release(html);
    jsn_sweep_close(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_study_with_the_most_runs_is_taken),
        cmocka_unit_test(test_the_page_of_a_study_counts_all_trials),
        cmocka_unit_test(test_data_may_differ_but_not_be_missing),
        cmocka_unit_test(test_studies_that_cannot_be_read_are_passed_over),
        cmocka_unit_test(test_a_figure_has_a_panel_for_each_data_set),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
