/* The noise of the experiments on the true labels of CIFAR-10 and CIFAR-100, and the
 * human and feature-dependent label files. The labels, their order and their paths come
 * from those files beside the project; without them the tests are skipped, and say so.
 */
#include "noise/noise_support.h"

#include "core/alloc.h"
#include "format/csv.h"

enum { N = 50000 };

/* The clean labels of a label file as an input; the table owns the paths. */
typedef struct truth {
    jsni_csv *csv;
    int32_t *labels;
    const char **paths;
    jsn_noise_input in;
} truth;

static int open_truth(truth *t, const char *name, size_t classes)
{
    const char *path = support_shared(name);
    if (path == NULL)
        return 0;
    size_t clean = 0, where = 0;
    const jsn_status status = jsni_csv_read(&t->csv, path);
    if (status == JSN_ERR_UNSUPPORTED) {
        print_message("skipped: %s\n", jsn_last_error());
        return 0;
    }
    assert_ok(status);
    assert_int_equal(jsni_csv_rows(t->csv), N);
    assert_ok(jsni_csv_find(t->csv, "clean", &clean));
    assert_ok(jsni_csv_find(t->csv, "path", &where));
    t->labels = test_malloc(N * sizeof *t->labels);
    t->paths = test_malloc(N * sizeof *t->paths);
    jsn_noise_input_init(&t->in);
    for (size_t i = 0; i < N; i++) {
        int64_t label = 0;
        assert_ok(jsni_csv_int(t->csv, i, clean, &label));
        t->labels[i] = (int32_t)label;
        t->paths[i] = jsni_csv_cell(t->csv, i, where);
    }
    t->in.labels = t->labels;
    t->in.paths = t->paths;
    t->in.samples = N;
    t->in.classes = classes;
    t->in.asymmetric = classes == 10 ? "cifar10" : "cifar100";
    return 1;
}

static void close_truth(truth *t)
{
    jsni_csv_destroy(t->csv);
    test_free(t->labels);
    test_free(t->paths);
    assert_int_equal(jsni_alloc_live(), 0);
}

static double rate_of(const truth *t, const char *spec, size_t *drawn)
{
    jsn_noise_result r;
    noise_apply(spec, &t->in, &r);
    const double rate = r.real_rate;
    if (drawn != NULL)
        *drawn = r.drawn;
    jsn_noise_result_release(&r);
    return rate;
}

static void test_synthetic_noise_on_cifar10(void **state)
{
    (void)state;
    truth t = {0};
    if (!open_truth(&t, "data/cifar10n.csv.xz", 10))
        skip();
    for (t.in.seed = 0; t.in.seed < 3; t.in.seed++) {
        size_t drawn = 0;
        assert_close(rate_of(&t, "sym:rate=0.4", &drawn), 0.36, 0.005, 0);
        assert_int_equal(drawn, 20000);
        assert_close(rate_of(&t, "sym:rate=0.8", &drawn), 0.72, 0.005, 0);
        assert_int_equal(drawn, 40000);
        assert_close(rate_of(&t, "asym:rate=0.2", NULL), 0.096, 0.002, 0);
        assert_close(rate_of(&t, "asym:rate=0.4", NULL), 0.184, 0.003, 0);
        assert_true(rate_of(&t, "asym:rate=0.4,mode=simultaneous", NULL) == 0.2);
        assert_true(rate_of(&t, "sym-other:rate=0.4", NULL) == 0.4);
    }
    close_truth(&t);
}

static void test_synthetic_noise_on_cifar100(void **state)
{
    (void)state;
    truth t = {0};
    if (!open_truth(&t, "data/cifar100n.csv.xz", 100))
        skip();
    size_t drawn = 0;
    assert_close(rate_of(&t, "sym:rate=0.6", &drawn), 0.594, 0.005, 0);
    assert_int_equal(drawn, 30000);
    assert_true(rate_of(&t, "asym:rate=0.2", &drawn) == 0.2);
    assert_int_equal(drawn, 10000);
    assert_true(rate_of(&t, "asym:rate=0.4", NULL) == 0.4);
    close_truth(&t);
}

/* The rates are printed with two digits of a percent. */
static void check_file(const truth *t, const char *name, const char *rest, double rate)
{
    char spec[1200];
    const char *path = support_shared(name);
    if (path == NULL)
        skip();
    (void)snprintf(spec, sizeof spec, "file:%s%s", path, rest);
    assert_close(rate_of(t, spec, NULL), rate, 0.00005 + 1e-12, 0);
}

static void test_human_labels(void **state)
{
    (void)state;
    truth t = {0};
    if (!open_truth(&t, "data/cifar10n.csv.xz", 10))
        skip();
    check_file(&t, "data/cifar10n.csv.xz", ",column=aggregate", 0.0901);
    check_file(&t, "data/cifar10n.csv.xz", ",column=random1", 0.1723);
    check_file(&t, "data/cifar10n.csv.xz", ",column=random2", 0.1812);
    check_file(&t, "data/cifar10n.csv.xz", ",column=random3", 0.1764);
    check_file(&t, "data/cifar10n.csv.xz", ",column=worse", 0.4021);
    close_truth(&t);
    if (!open_truth(&t, "data/cifar100n.csv.xz", 100))
        skip();
    check_file(&t, "data/cifar100n.csv.xz", "", 0.4020);
    close_truth(&t);
}

static void test_feature_dependent_labels(void **state)
{
    (void)state;
    static const struct {
        const char *column;
        double cifar10, cifar100;
    } rows[] = {{"type1_35", 0.3503, 0.3526}, {"type2_35", 0.3537, 0.3468},
                {"type3_35", 0.3511, 0.3546}, {"type1_70", 0.7046, 0.6987},
                {"type2_70", 0.7003, 0.7004}, {"type3_70", 0.7027, 0.7007}};
    for (size_t set = 0; set < 2; set++) {
        truth t = {0};
        const char *human = set == 0 ? "data/cifar10n.csv.xz" : "data/cifar100n.csv.xz";
        const char *plc =
            set == 0 ? "data/plc_cifar10.csv.xz" : "data/plc_cifar100.csv.xz";
        if (!open_truth(&t, human, set == 0 ? 10 : 100))
            skip();
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            char rest[100];
            (void)snprintf(rest, sizeof rest, ",column=%s,missing=val", rows[i].column);
            check_file(&t, plc, rest, set == 0 ? rows[i].cifar10 : rows[i].cifar100);
        }
        /* The rows cover the first 45,000 of the original order, no others. */
        char spec[1200];
        jsn_noise_result r;
        (void)snprintf(spec, sizeof spec, "file:%s,column=type1_35,missing=val",
                       support_shared(plc));
        noise_apply(spec, &t.in, &r);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(r.listed[i], i < 45000);
        jsn_noise_result_release(&r);
        close_truth(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synthetic_noise_on_cifar10),
        cmocka_unit_test(test_synthetic_noise_on_cifar100),
        cmocka_unit_test(test_human_labels),
        cmocka_unit_test(test_feature_dependent_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
