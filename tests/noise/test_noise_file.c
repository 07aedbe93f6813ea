/* Labels from files: matched by path, columns, missing rows, our own file read back. */
#include "noise/noise_support.h"

#include "core/alloc.h"
#include "jensen/array.h"

enum { N = 4, K = 3 };

static int32_t labels[N];
static const char *const paths[N] = {"a/0.jpg", "a/1.jpg", "b/0, x.jpg", "c/0.jpg"};
static const char *const names[K] = {"a", "b", "c"};
static jsn_noise_input input(void)
{
    jsn_noise_input in = noise_input(labels, N, K, 0);
    in.paths = paths;
    in.class_names = names;
    return in;
}

static const char *spec_of(const char *text, const char *rest)
{
    static char spec[700];
    (void)snprintf(spec, sizeof spec, "file:%s%s",
                   noise_file(support_folder, "l.csv", text), rest);
    return spec;
}

/* Our own file, written and read back: its numbers need no hint. */
static void check_own_file(const jsn_noise_input *in, const jsn_noise_result *r,
                           const int32_t *want)
{
    char path[600], spec[700];
    jsn_noise_result again;
    (void)snprintf(path, sizeof path, "%s/own.csv", support_folder);
    assert_ok(jsn_noise_write_csv(in, r, path));
    (void)snprintf(spec, sizeof spec, "file:%s", path);
    noise_apply(spec, in, &again);
    assert_memory_equal(again.labels, want, N * sizeof *want);
    jsn_noise_result_release(&again);
}

static void test_rows_are_matched_by_path(void **state)
{
    (void)state;
    const jsn_noise_input in = input();
    jsn_noise_result r;
    noise_apply(spec_of("path,given,noisy\nc/0.jpg,0,1\nz/9.jpg,0,0\n"
                        "\"b/0, x.jpg\",2,2\na/1.jpg,1,b\na/0.jpg,0,2\n",
                        ""),
                &in, &r);
    const int32_t want[N] = {2, 1, 2, 1};
    assert_memory_equal(r.labels, want, sizeof want);
    assert_true(r.changed == 2 && r.drawn == 4 && r.real_rate == 0.5);
    check_own_file(&in, &r, want);
    jsn_noise_result_release(&r);
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_columns_are_found_or_named(void **state)
{
    (void)state;
    const jsn_noise_input in = input();
    jsn_noise_result r;
    jsn_noise *noise = NULL;
    const char *two = "path,x,label\na/0.jpg,1,2\na/1.jpg,1,2\n\"b/0, x.jpg\",1,2\n"
                      "c/0.jpg,1,2\n";
    noise_apply(spec_of(two, ""), &in, &r);
    assert_int_equal(r.labels[0], 2);
    jsn_noise_result_release(&r);
    noise_apply(spec_of(two, ",column=x"), &in, &r);
    assert_int_equal(r.labels[0], 1);
    jsn_noise_result_release(&r);
    assert_fails(jsn_noise_create(&noise, spec_of(two, ",column=y")), JSN_ERR_DATA,
                 "y");
    assert_fails(jsn_noise_create(&noise, spec_of("path,x,y\na,1,2\n", "")),
                 JSN_ERR_DATA, "column=NAME");
    assert_fails(jsn_noise_create(&noise, spec_of("path,x\na,1\na,2\n", "")),
                 JSN_ERR_DATA, "listed twice");
    assert_fails(jsn_noise_create(&noise, "file"), JSN_ERR_ARGUMENT, "file:PATH");
    assert_fails(jsn_noise_create(&noise, "file:x.csv,missing=drop"), JSN_ERR_ARGUMENT,
                 "drop");
    /* The only column, and rows in the data's order without paths. */
    noise_apply(spec_of("x\n2\n1\n0\n1\n", ""), &in, &r);
    assert_int_equal(r.labels[3], 1);
    jsn_noise_result_release(&r);
    assert_int_equal(jsni_alloc_live(), 0);
}

/* Folders 1, 10, 2 in the order of their letters: a label 2 could be class number 2,
 * which is that folder, and 1 could be folder 10 or folder 1. */
static void test_classes_that_are_named_by_numbers(void **state)
{
    (void)state;
    static const char *const numbers[K] = {"1", "10", "2"};
    const char *rows = "path,label\na/0.jpg,2\na/1.jpg,1\n\"b/0, x.jpg\",2\n"
                       "c/0.jpg,1\n";
    const int32_t by_name[N] = {2, 0, 2, 0}, by_number[N] = {2, 1, 2, 1};
    jsn_noise_input in = input();
    jsn_noise_result r;
    jsn_noise *noise = NULL;
    in.class_names = numbers;
    assert_ok(jsn_noise_create(&noise, spec_of(rows, "")));
    assert_fails(jsn_noise_apply(noise, &in, &r), JSN_ERR_DATA,
                 "l.csv:3: label '1' may be the class of that name or class number 1");
    jsn_noise_destroy(noise);
    noise_apply(spec_of(rows, ",by=name"), &in, &r);
    assert_memory_equal(r.labels, by_name, sizeof by_name);
    jsn_noise_result_release(&r);
    noise_apply(spec_of(rows, ",by=number"), &in, &r);
    assert_memory_equal(r.labels, by_number, sizeof by_number);
    check_own_file(&in, &r, by_number);
    jsn_noise_result_release(&r);
    /* Names that no class has, and a word that is neither. */
    assert_ok(jsn_noise_create(&noise, spec_of("x\n0\n1\n1\n1\n", ",by=name")));
    assert_fails(jsn_noise_apply(noise, &in, &r), JSN_ERR_DATA, "'0' is no class");
    jsn_noise_destroy(noise);
    assert_fails(jsn_noise_create(&noise, spec_of(rows, ",by=order")), JSN_ERR_ARGUMENT,
                 "by=order");
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_missing_rows(void **state)
{
    (void)state;
    jsn_noise_input in = input();
    jsn_noise_result r;
    const char *text = "path,noisy\na/0.jpg,2\nc/0.jpg,0\n";
    noise_refused(spec_of(text, ""), &in, JSN_ERR_DATA, "2 of 4 samples");
    noise_refused(spec_of(text, ""), &in, JSN_ERR_DATA, "a/1.jpg");
    noise_apply(spec_of(text, ",missing=val"), &in, &r);
    const uint8_t listed[N] = {1, 0, 0, 1};
    assert_memory_equal(r.listed, listed, N);
    assert_true(r.listed_samples == 2 && r.changed == 1 && r.real_rate == 0.5);
    assert_int_equal(r.labels[1], labels[1]);
    jsn_noise_result_release(&r);
    noise_refused(spec_of("path,noisy\nz,2\n", ",missing=val"), &in, JSN_ERR_DATA,
                  "4 of 4");
    in.paths = NULL;
    noise_refused(spec_of(text, ""), &in, JSN_ERR_ARGUMENT, "path");
}

static void test_split_folder_may_stand_in_the_file_alone(void **state)
{
    (void)state;
    const jsn_noise_input in = input();
    jsn_noise_result r;
    noise_apply(
        spec_of("path,noisy\ntrain/a/0.jpg,2\ntrain/c/0.jpg,0\n", ",missing=val"), &in,
        &r);
    assert_int_equal(r.listed_samples, 2);
    jsn_noise_result_release(&r);
}

static void test_bad_labels_are_refused(void **state)
{
    (void)state;
    const jsn_noise_input in = input();
    noise_refused(spec_of("path,noisy\na/0.jpg,3\n", ",missing=val"), &in, JSN_ERR_DATA,
                  "label 3");
    noise_refused(spec_of("path,noisy\na/0.jpg,-1\n", ",missing=val"), &in,
                  JSN_ERR_DATA, "label -1");
    noise_refused(spec_of("path,noisy\na/0.jpg,dog\n", ",missing=val"), &in,
                  JSN_ERR_DATA, "'dog'");
    noise_refused(spec_of("x\n0\n0\n0\n0\n0\n", ""), &in, JSN_ERR_DATA, "5 rows");
}

static void test_npy_labels(void **state)
{
    (void)state;
    const size_t shape[1] = {3};
    jsn_array a;
    char path[600], spec[700];
    assert_ok(jsn_array_create(&a, JSN_DTYPE_INT64, 1, shape));
    ((int64_t *)a.data)[0] = 2;
    (void)snprintf(path, sizeof path, "%s/l.npy", support_folder);
    assert_ok(jsn_array_write(&a, path));
    jsn_array_release(&a);
    const jsn_noise_input in = input();
    jsn_noise_result r;
    (void)snprintf(spec, sizeof spec, "file:%s", path);
    noise_refused(spec, &in, JSN_ERR_DATA, "1 of 4");
    (void)snprintf(spec, sizeof spec, "file:%s,missing=val", path);
    noise_apply(spec, &in, &r);
    assert_int_equal(r.labels[0], 2);
    assert_int_equal(r.listed[3], 0);
    jsn_noise_result_release(&r);
    assert_int_equal(jsni_alloc_live(), 0);
}

/* The third and the first sample of a data set of four: rows in its order are those two. */
static void test_rows_in_the_order_of_the_data_go_by_numbers(void **state)
{
    (void)state;
    const uint32_t numbers[2] = {2, 0}, past[2] = {4, 0};
    jsn_noise_input in = noise_input(labels, 2, K, 0);
    in.numbers = numbers;
    in.total = N;
    jsn_noise_result r;
    noise_apply(spec_of("x\n2\n0\n1\n0\n", ""), &in, &r);
    assert_int_equal(r.labels[0], 1);
    assert_int_equal(r.labels[1], 2);
    jsn_noise_result_release(&r);
    noise_apply(spec_of("x\n2\n0\n", ",missing=val"), &in, &r);
    assert_int_equal(r.listed[0], 0);
    assert_int_equal(r.labels[1], 2);
    jsn_noise_result_release(&r);
    noise_refused(spec_of("x\n2\n0\n", ""), &in, JSN_ERR_DATA, "1 of 2");
    noise_refused(spec_of("x\n0\n0\n0\n0\n0\n", ""), &in, JSN_ERR_DATA,
                  "5 rows, the data has 4");
    in.numbers = past;
    noise_refused(spec_of("x\n0\n0\n0\n0\n", ""), &in, JSN_ERR_ARGUMENT, "4 of 4");
    assert_int_equal(jsni_alloc_live(), 0);
}

static jsn_status whole(void *user)
{
    const jsn_noise_input in = input();
    return noise_try(user, &in);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    char spec[700], path[600];
    (void)snprintf(spec, sizeof spec, "%s",
                   spec_of("path,noisy\na/0.jpg,2\nc/0.jpg,0\n", ",missing=val"));
    support_walk_allocations(whole, spec);
    (void)snprintf(path, sizeof path, "%s",
                   noise_file(support_folder, "m.csv", "1,0,0\n0,1,0\n0,0.5,0.5\n"));
    (void)snprintf(spec, sizeof spec, "matrix:%s", path);
    support_walk_allocations(whole, spec);
    (void)snprintf(spec, sizeof spec, "asym:rate=0.5,mode=next");
    support_walk_allocations(whole, spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_matched_by_path),
        cmocka_unit_test(test_columns_are_found_or_named),
        cmocka_unit_test(test_classes_that_are_named_by_numbers),
        cmocka_unit_test(test_missing_rows),
        cmocka_unit_test(test_split_folder_may_stand_in_the_file_alone),
        cmocka_unit_test(test_bad_labels_are_refused),
        cmocka_unit_test(test_npy_labels),
        cmocka_unit_test(test_rows_in_the_order_of_the_data_go_by_numbers),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
