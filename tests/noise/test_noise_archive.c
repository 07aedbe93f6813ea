/* Noise through data sets: the archives of CIFAR-10 and CIFAR-100 beside the project, in
 * their own order, with the label files matched by path. Skipped, visibly, without them.
 */
#include "noise/noise_support.h"

#include "jensen/dataset.h"

enum { N = 50000 };

typedef struct opened {
    jsn_dataset *data;
    const char **paths;
    jsn_noise_input in;
} opened;

static int open_archive(opened *o, const char *kind, const char *name)
{
    char spec[1200];
    const char *path = support_shared(name);
    if (path == NULL)
        return 0;
    jsn_dataset_options options;
    jsn_dataset_options_init(&options);
    options.cache = "off";
    (void)snprintf(spec, sizeof spec, "%s:%s", kind, path);
    const jsn_status status = jsn_dataset_open(&o->data, spec, &options);
    if (status == JSN_ERR_UNSUPPORTED) {
        print_message("skipped: %s\n", jsn_last_error());
        return 0;
    }
    assert_ok(status);
    const jsn_dataset_traits *traits = jsn_dataset_about(o->data);
    jsn_noise_input_init(&o->in);
    o->in.samples = jsn_dataset_samples(o->data, JSN_SPLIT_TRAIN);
    assert_int_equal(o->in.samples, N);
    o->in.labels = jsn_dataset_labels(o->data, JSN_SPLIT_TRAIN);
    o->in.classes = traits->classes;
    o->in.asymmetric = traits->asymmetric;
    o->in.seed = 1;
    o->paths = test_malloc(N * sizeof *o->paths);
    for (size_t i = 0; i < N; i++)
        o->paths[i] = jsn_dataset_path(o->data, JSN_SPLIT_TRAIN, i);
    o->in.paths = o->paths;
    return 1;
}

static void close_archive(opened *o)
{
    test_free(o->paths);
    jsn_dataset_close(o->data);
}

static jsn_noise_result apply(const opened *o, const char *spec)
{
    jsn_noise_result r;
    noise_apply(spec, &o->in, &r);
    return r;
}

static void check_file(const opened *o, const char *name, const char *rest, double rate)
{
    char spec[1200];
    (void)snprintf(spec, sizeof spec, "file:%s%s", support_shared(name), rest);
    jsn_noise_result r = apply(o, spec);
    assert_close(r.real_rate, rate, 0.00005 + 1e-12, 0);
    jsn_noise_result_release(&r);
}

static void test_cifar10(void **state)
{
    (void)state;
    opened o = {0};
    if (!open_archive(&o, "cifar10", "data/cifar10-jpeg.tar.xz"))
        skip();
    jsn_noise_result r = apply(&o, "sym:rate=0.4");
    assert_int_equal(r.drawn, 20000);
    assert_close(r.real_rate, 0.36, 0.005, 0);
    jsn_noise_result_release(&r);
    r = apply(&o, "asym:rate=0.2");
    assert_close(r.real_rate, 0.096, 0.002, 0);
    jsn_noise_result_release(&r);
    r = apply(&o, "asym:rate=0.4");
    assert_close(r.real_rate, 0.184, 0.003, 0);
    /* Birds, deer and trucks flip exactly 40% of their 5,000. */
    assert_int_equal(r.transitions[2 * 10 + 0], 2000);
    assert_int_equal(r.transitions[4 * 10 + 7], 2000);
    assert_int_equal(r.transitions[9 * 10 + 1], 2000);
    jsn_noise_result_release(&r);
    check_file(&o, "data/cifar10n.csv.xz", ",column=worse", 0.4021);
    check_file(&o, "data/cifar10n.csv.xz", ",column=aggregate", 0.0901);
    check_file(&o, "data/plc_cifar10.csv.xz", ",column=type2_35,missing=val", 0.3537);
    close_archive(&o);
}

static void test_cifar100(void **state)
{
    (void)state;
    opened o = {0};
    if (!open_archive(&o, "cifar100", "data/cifar100-jpeg.tar.xz"))
        skip();
    jsn_noise_result r = apply(&o, "asym:rate=0.4");
    assert_int_equal(r.changed, 20000);
    jsn_noise_result_release(&r);
    check_file(&o, "data/cifar100n.csv.xz", "", 0.4020);
    check_file(&o, "data/plc_cifar100.csv.xz", ",column=type3_70,missing=val", 0.7007);
    close_archive(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cifar10),
        cmocka_unit_test(test_cifar100),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
