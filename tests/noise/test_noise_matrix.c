/* Transition matrices from files, and the matrix that is written. */
#include "noise/noise_support.h"

#include "core/alloc.h"
#include "jensen/array.h"

enum { N = 30000, K = 3 };

static int32_t labels[N];
static void spec_of(char *spec, size_t room, const char *name, const char *text)
{
    (void)snprintf(spec, room, "matrix:%s", noise_file(support_folder, name, text));
}

static void test_labels_follow_the_rows(void **state)
{
    (void)state;
    char spec[600];
    spec_of(spec, sizeof spec, "m.csv", "0.5,0.5,0\n0,1,0\n0.1, 0.2, 0.7\n");
    const jsn_noise_input in = noise_input(labels, N, K, 1);
    jsn_noise_result r;
    noise_apply(spec, &in, &r);
    static const double want[K][K] = {{0.5, 0.5, 0}, {0, 1, 0}, {0.1, 0.2, 0.7}};
    for (size_t c = 0; c < K; c++)
        for (size_t d = 0; d < K; d++) {
            const double share = (double)r.transitions[c * K + d] / (N / K);
            /* Deviation of a share at most 0.005; zeros and ones are exact. */
            const int exact = want[c][d] == 0.0 || want[c][d] == 1.0;
            assert_close(share, want[c][d], exact ? 0 : 0.025, 0);
        }
    assert_close(r.nominal_rate, 0.8 / 3, 1e-12, 0);
    /* What was measured is written, read back and gives the same rates. */
    char path[600], again[700];
    jsn_noise_result second;
    (void)snprintf(path, sizeof path, "%s/measured.csv", support_folder);
    assert_ok(jsn_noise_write_matrix(&r, path));
    (void)snprintf(again, sizeof again, "matrix:%s", path);
    noise_apply(again, &in, &second);
    assert_close(second.nominal_rate, r.real_rate, 1e-9, 0);
    jsn_noise_result_release(&second);
    jsn_noise_result_release(&r);
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_npy_is_read(void **state)
{
    (void)state;
    const size_t shape[2] = {K, K};
    jsn_array a;
    char path[600], spec[700];
    assert_ok(jsn_array_create(&a, JSN_DTYPE_FLOAT64, 2, shape));
    for (size_t c = 0; c < K; c++)
        ((double *)a.data)[c * K + (c + 1) % K] = 1.0;
    (void)snprintf(path, sizeof path, "%s/m.npy", support_folder);
    assert_ok(jsn_array_write(&a, path));
    jsn_array_release(&a);
    (void)snprintf(spec, sizeof spec, "matrix:%s", path);
    const jsn_noise_input in = noise_input(labels, N, K, 1);
    jsn_noise_result r;
    noise_apply(spec, &in, &r);
    for (int i = 0; i < N; i++)
        assert_int_equal(r.labels[i], (labels[i] + 1) % K);
    assert_true(r.real_rate == 1.0 && r.nominal_rate == 1.0);
    jsn_noise_result_release(&r);
}

static void test_bad_matrices_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } rows[] = {{"0.5,0.5\n0.5", "3 numbers"},
                {"", "0 numbers"},
                {"0.5,x\n0,1", "'x' is not a number"},
                {"0.5,0.6\n0,1", "row 0 sums to 1.1"},
                {"1,0\n-0.5,1.5", "row 1"},
                {"nan,0\n0,1", "'nan'"},
                {"1,0,0,1\n", ":1: not 2 numbers per line"},
                {"0.5\n0.5\n0.5\n0.5\n", ":1: not 2 numbers per line"}};
    jsn_noise *noise = NULL;
    char spec[600];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        spec_of(spec, sizeof spec, "bad.csv", rows[i].text);
        assert_fails(jsn_noise_create(&noise, spec), JSN_ERR_DATA, rows[i].words);
        assert_null(noise);
    }
    assert_fails(jsn_noise_create(&noise, "matrix"), JSN_ERR_ARGUMENT, "matrix:PATH");
    assert_fails(jsn_noise_create(&noise, "matrix:no/such.csv"), JSN_ERR_DATA,
                 "no/such");
    spec_of(spec, sizeof spec, "two.csv", "1,0\n0,1\n");
    const jsn_noise_input in = noise_input(labels, N, K, 1);
    noise_refused(spec, &in, JSN_ERR_DATA, "2 classes");
    assert_int_equal(jsni_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_follow_the_rows),
        cmocka_unit_test(test_npy_is_read),
        cmocka_unit_test(test_bad_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
