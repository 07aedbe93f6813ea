/* .npy files: those in tests/golden/format were written by NumPy (make_npy.py there
 * says what is in each); the others are bytes made here, damaged on purpose. */
#include "support/support.h"

#include <math.h>

#include "core/alloc.h"
#include "core/file.h"
#include "format/dtype.h"
#include "format/half.h"
#include "format/npy.h"

static const char *golden(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/format/%s", JSN_TEST_GOLDEN, name);
    return path;
}

/* Element i of the fixtures, as make_npy.py defines it. */
static double expected(jsn_dtype dtype, size_t i)
{
    const double n = (double)i;
    switch (dtype) {
    case JSN_DTYPE_BOOL:
        return i % 3 == 0;
    case JSN_DTYPE_UINT8:
    case JSN_DTYPE_UINT16:
    case JSN_DTYPE_UINT32:
    case JSN_DTYPE_UINT64:
        return 7 * n;
    default:
        return 7 * n - 5;
    }
}

static int holds(const char *file, jsn_dtype dtype, size_t rank, const size_t *shape)
{
    jsn_array array, real;
    assert_ok(jsn_array_read(&array, golden(file)));
    int good = array.dtype == dtype && array.rank == rank;
    for (size_t i = 0; i < rank; i++)
        good = good && array.shape[i] == shape[i];
    assert_ok(jsn_array_convert(&real, &array, JSN_DTYPE_FLOAT64));
    for (size_t i = 0; good && i < jsn_array_count(&real); i++)
        good = ((const double *)real.data)[i] == expected(dtype, i);
    jsn_array_release(&real);
    jsn_array_release(&array);
    return good;
}

static void test_files_of_numpy_are_read(void **state)
{
    (void)state;
    const size_t flat[] = {3, 4}, deep[] = {2, 3, 4}, five[] = {5}, none[] = {0, 4};
    for (int dtype = 0; dtype < JSN_DTYPE_COUNT; dtype++) {
        char name[32];
        if (dtype == JSN_DTYPE_BFLOAT16)
            continue;
        (void)snprintf(name, sizeof name, "%s.npy", jsn_dtype_name((jsn_dtype)dtype));
        assert_true(holds(name, (jsn_dtype)dtype, 2, flat));
    }
    assert_true(holds("int16_big.npy", JSN_DTYPE_INT16, 3, deep));
    assert_true(holds("int64_big.npy", JSN_DTYPE_INT64, 3, deep));
    assert_true(holds("float32_big.npy", JSN_DTYPE_FLOAT32, 3, deep));
    assert_true(holds("float64_big.npy", JSN_DTYPE_FLOAT64, 3, deep));
    assert_true(holds("fortran.npy", JSN_DTYPE_INT32, 3, deep));
    assert_true(holds("fortran_big.npy", JSN_DTYPE_FLOAT64, 3, deep));
    assert_true(holds("scalar.npy", JSN_DTYPE_INT64, 0, NULL));
    assert_true(holds("vector.npy", JSN_DTYPE_FLOAT32, 1, five));
    assert_true(holds("empty.npy", JSN_DTYPE_FLOAT32, 2, none));
    assert_true(holds("version2.npy", JSN_DTYPE_FLOAT32, 2, flat));
    assert_true(holds("version3.npy", JSN_DTYPE_FLOAT32, 2, flat));
    /* The check notices a wrong type and a wrong shape. */
    assert_false(holds("vector.npy", JSN_DTYPE_FLOAT64, 1, five));
    assert_false(holds("int32.npy", JSN_DTYPE_INT32, 2, none));
}

static void test_other_types_are_refused(void **state)
{
    (void)state;
    jsn_array a;
    assert_fails(jsn_array_read(&a, golden("complex.npy")), JSN_ERR_DATA, "'<c8'");
    assert_fails(jsn_array_read(&a, golden("record.npy")), JSN_ERR_DATA, "records");
    assert_fails(jsn_array_read(&a, golden("text.npy")), JSN_ERR_DATA, "'<U2'");
    assert_fails(jsn_array_read(&a, golden("make_npy.py")), JSN_ERR_DATA,
                 "not a .npy file");
    assert_fails(jsn_array_read(&a, golden("absent.npy")), JSN_ERR_DATA, "absent.npy");
    assert_null(a.data);
}

static void test_written_files_are_numpys_bytes(void **state)
{
    (void)state;
    static const char *const files[] = {"bool.npy",    "int8.npy",   "uint16.npy",
                                        "float16.npy", "scalar.npy", "vector.npy",
                                        "empty.npy",   "float64.npy"};
    char path[300];
    const char *folder = support_temporary_folder();
    (void)snprintf(path, sizeof path, "%s/a.npy", folder);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        jsn_array array;
        char *ours = NULL, *theirs = NULL;
        size_t our_length = 0, their_length = 0;
        assert_ok(jsn_array_read(&array, golden(files[i])));
        assert_ok(jsn_array_write(&array, path));
        assert_ok(jsni_file_read(path, 10000, &ours, &our_length));
        assert_ok(jsni_file_read(golden(files[i]), 10000, &theirs, &their_length));
        assert_int_equal(our_length, their_length);
        assert_memory_equal(ours, theirs, our_length);
        jsni_free(ours);
        jsni_free(theirs);
        jsn_array_release(&array);
    }
    jsn_array brain;
    assert_ok(jsn_array_create(&brain, JSN_DTYPE_BFLOAT16, 0, NULL));
    assert_fails(jsn_array_write(&brain, path), JSN_ERR_ARGUMENT, "bfloat16");
    jsn_array_release(&brain);
    support_remove_folder(folder);
}

/* A version 1 file around `header`, with `extra` zero bytes of elements. */
static jsn_status parse(const char *header, size_t extra)
{
    uint8_t bytes[1024] = "\x93NUMPY\x01";
    const size_t length = strlen(header);
    bytes[8] = (uint8_t)length;
    bytes[9] = (uint8_t)(length >> 8);
    memcpy(bytes + 10, header, length);
    jsn_array array;
    const jsn_status status =
        jsni_npy_parse(&array, "x.npy", bytes, 10 + length + extra);
    jsn_array_release(&array);
    return status;
}

static void test_headers_are_held_to_the_grammar(void **state)
{
    (void)state;
    assert_ok(parse("{'descr':'<f4','fortran_order':False,'shape':(2,)}", 8));
    assert_ok(parse("{\"shape\": (2, 1), 'fortran_order': True, 'descr': '>f4'}\n", 8));
    assert_ok(parse("{'descr':'|u1','fortran_order':False,'shape':(),}   ", 1));
    static const struct {
        const char *header;
        size_t extra;
        const char *words;
    } bad[] = {
        {"", 0, "no dictionary"},
        {"{}", 0, "missing"},
        {"{'descr':'<f4','fortran_order':False}", 4, "missing"},
        {"{'descr':'<f4','fortran_order':False,'shape':(2)}", 8, "not a tuple"},
        {"{'descr':'<f4','fortran_order':False,'shape':[2]}", 8, "not a tuple"},
        {"{'descr':'<f4','fortran_order':False,'shape':(2 2)}", 16, "comma"},
        {"{'descr':'<f4','fortran_order':False,'shape':(-2,)}", 8, "whole numbers"},
        {"{'descr':'<f4','fortran_order':False,'shape':(2L,)}", 8, "comma"},
        {"{'descr':'<f4','fortran_order':0,'shape':(2,)}", 8, "neither True nor"},
        {"{'descr':'<f4','fortran_order':False,'shape':(2,),'x':1}", 8, "a key beside"},
        {"{'descr':'<f4','descr':'<f4','shape':(2,)}", 8, "twice"},
        {"{'descr':'<f4','fortran_order':False,'shape':(2,)} x", 8, "after"},
        {"{'descr':__import__('os'),'fortran_order':False,'shape':()}", 4,
         "not a text"},
        {"{'descr':'|f4','fortran_order':False,'shape':(2,)}", 8, "byte order"},
        {"{'descr':'=f4','fortran_order':False,'shape':(2,)}", 8, "byte order"},
        {"{'descr':'<f3','fortran_order':False,'shape':(2,)}", 6, "'<f3'"},
        {"{'descr':'|O','fortran_order':False,'shape':(2,)}", 8, "'|O'"},
        {"{'descr':'','fortran_order':False,'shape':(2,)}", 8, "type ''"},
        {"{'descr':'<f4','fortran_order':False,'shape':(2,)}", 7, "7 bytes"},
        {"{'descr':'<f4','fortran_order':False,'shape':(2,)}", 9, "9 bytes"},
        {"{'descr':'<f4','fortran_order':False,'shape':(1,1,1,1,1,1,1,1,1)}", 4,
         "dimensions"},
        {"{'descr':'<f4','fortran_order':False,'shape':(99999999999999999999,)}", 0,
         "too large"},
        {"{'descr':'<f8','fortran_order':False,'shape':(4294967296,4294967296,2)}", 0,
         "too large"},
        {"{'descr':'<f8','fortran_order':False,'shape':(0,4294967296,4294967296)}", 0,
         "too large"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_fails(parse(bad[i].header, bad[i].extra), JSN_ERR_DATA, bad[i].words);
    jsn_array a;
    assert_fails(jsni_npy_parse(&a, "x", "\x93NUMPY\x04\x00\x00\x00\x00\x00", 12),
                 JSN_ERR_DATA, "version 4.0");
    assert_fails(jsni_npy_parse(&a, "x", "\x93NUMPY\x02\x00\xff\xff\xff\xff", 12),
                 JSN_ERR_DATA, "4294967295 bytes");
}

static void test_every_truncation_and_bit_flip_is_survived(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t length = 0;
    jsn_array a;
    assert_ok(jsni_file_read(golden("fortran_big.npy"), 10000, &bytes, &length));
    for (size_t n = 0; n < length; n++) {
        /* A block of exactly n bytes, so that ASan sees a read behind it. */
        char *part = jsni_alloc(n, 1);
        memcpy(part, bytes, n);
        assert_int_equal(jsni_npy_parse(&a, "x", part, n), JSN_ERR_DATA);
        assert_null(a.data);
        jsni_free(part);
    }
    for (size_t bit = 0; bit < length * 8; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        const jsn_status status = jsni_npy_parse(&a, "x", bytes, length);
        assert_true(status == JSN_OK || status == JSN_ERR_DATA);
        jsn_array_release(&a);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
    }
    jsni_free(bytes);
    assert_ok(jsni_file_read(golden("bool.npy"), 10000, &bytes, &length));
    bytes[length - 1] = 2;
    assert_fails(jsni_npy_parse(&a, "x", bytes, length), JSN_ERR_DATA,
                 "element 11 is 2");
    jsni_free(bytes);
}

static jsn_status read_and_convert(void *path)
{
    jsn_array a, b = {0};
    jsn_status status = jsn_array_read(&a, path);
    if (status == JSN_OK)
        status = jsn_array_convert(&b, &a, JSN_DTYPE_FLOAT32);
    jsn_array_release(&b);
    jsn_array_release(&a);
    return status;
}

static void test_no_memory_is_a_failure_not_a_crash(void **state)
{
    (void)state;
    char path[512];
    (void)snprintf(path, sizeof path, "%s", golden("fortran.npy"));
    support_walk_allocations(read_and_convert, path);
}

static void test_arrays_are_created_within_bounds(void **state)
{
    (void)state;
    jsn_array a;
    const size_t shape[] = {3, 5}, huge[] = {SIZE_MAX / 4, 8}, zero[] = {SIZE_MAX, 0};
    assert_ok(jsn_array_create(&a, JSN_DTYPE_INT16, 2, shape));
    assert_int_equal(jsn_array_count(&a), 15);
    assert_int_equal(jsni_array_bytes(&a), 30);
    for (int i = 0; i < 15; i++)
        assert_int_equal(((int16_t *)a.data)[i], 0);
    jsn_array_release(&a);
    assert_fails(jsn_array_create(&a, JSN_DTYPE_INT16, 2, huge), JSN_ERR_RANGE,
                 "memory");
    assert_fails(jsn_array_create(&a, JSN_DTYPE_INT16, 2, zero), JSN_ERR_RANGE,
                 "memory");
    assert_fails(jsn_array_create(&a, JSN_DTYPE_INT16, 9, shape), JSN_ERR_RANGE,
                 "rank");
    assert_fails(jsn_array_create(&a, (jsn_dtype)99, 2, shape), JSN_ERR_ARGUMENT, "99");
    assert_string_equal(jsn_dtype_name((jsn_dtype)99), "unknown");
    assert_int_equal(jsni_dtype_size((jsn_dtype)99), 0);
}

static jsn_status convert_one(double value, jsn_dtype via, jsn_dtype to, double *out)
{
    jsn_array a, b = {0}, c = {0}, d = {0};
    assert_ok(jsn_array_create(&a, JSN_DTYPE_FLOAT64, 0, NULL));
    *(double *)a.data = value;
    jsn_status status = jsn_array_convert(&b, &a, via);
    if (status == JSN_OK)
        status = jsn_array_convert(&c, &b, to);
    if (status == JSN_OK)
        status = jsn_array_convert(&d, &c, JSN_DTYPE_FLOAT64);
    if (status == JSN_OK)
        *out = *(double *)d.data;
    jsn_array_release(&a);
    jsn_array_release(&b);
    jsn_array_release(&c);
    jsn_array_release(&d);
    return status;
}

static void test_conversion_keeps_values_or_fails(void **state)
{
    (void)state;
    static const struct {
        jsn_dtype dtype;
        double lowest, highest;
    } bounds[] = {
        {JSN_DTYPE_BOOL, 0, 1},
        {JSN_DTYPE_INT8, -128, 127},
        {JSN_DTYPE_UINT8, 0, 255},
        {JSN_DTYPE_INT16, -32768, 32767},
        {JSN_DTYPE_UINT16, 0, 65535},
        {JSN_DTYPE_INT32, -2147483648.0, 2147483647.0},
        {JSN_DTYPE_UINT32, 0, 4294967295.0},
    };
    double got = 0;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const jsn_dtype t = bounds[i].dtype;
        assert_ok(convert_one(bounds[i].lowest, t, JSN_DTYPE_INT64, &got));
        assert_true(got == bounds[i].lowest);
        assert_ok(convert_one(bounds[i].highest, t, JSN_DTYPE_UINT64, &got));
        assert_true(got == bounds[i].highest);
        assert_int_equal(convert_one(bounds[i].lowest - 1, t, t, &got), JSN_ERR_RANGE);
        assert_int_equal(convert_one(bounds[i].highest + 1, t, t, &got), JSN_ERR_RANGE);
        assert_int_equal(convert_one(0.5, t, t, &got), JSN_ERR_RANGE);
        assert_int_equal(convert_one(NAN, t, t, &got), JSN_ERR_RANGE);
    }
    assert_ok(convert_one(-0x1p63, JSN_DTYPE_INT64, JSN_DTYPE_INT64, &got));
    assert_true(got == -0x1p63);
    assert_int_equal(convert_one(0x1p63, JSN_DTYPE_INT64, JSN_DTYPE_INT64, &got),
                     JSN_ERR_RANGE);
    assert_ok(convert_one(0x1p63, JSN_DTYPE_UINT64, JSN_DTYPE_UINT64, &got));
    assert_true(got == 0x1p63);
    assert_int_equal(convert_one(0x1p64, JSN_DTYPE_UINT64, JSN_DTYPE_UINT64, &got),
                     JSN_ERR_RANGE);
    assert_fails(convert_one(0x1p63, JSN_DTYPE_UINT64, JSN_DTYPE_INT64, &got),
                 JSN_ERR_RANGE, "element 0 is 9.2233720368547758e+18");
}

static void test_sixteen_bit_floats_round_to_even(void **state)
{
    (void)state;
    /* numpy: np.array([...]).astype(np.float16).view(np.uint16) */
    static const struct {
        double value;
        unsigned bits;
    } halves[] = {
        {0.1, 0x2e66},         {1.0 / 3, 0x3555},     {65504, 0x7bff},
        {65519.99, 0x7bff},    {65520, 0x7c00},       {1e-8, 0x0000},
        {5.96e-8, 0x1},        {-6.1e-5, 0x83ff},     {0x1p-25, 0x0},
        {0x1.000001p-25, 0x1}, {1 + 0x1p-11, 0x3c00}, {1 + 3 * 0x1p-11, 0x3c02},
        {-0.0, 0x8000},        {INFINITY, 0x7c00},
    };
    for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++)
        assert_int_equal(jsni_half_round(halves[i].value), halves[i].bits);
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        const double half = jsni_half_value((uint16_t)bits);
        const double brain = jsni_bfloat_value((uint16_t)bits);
        /* bfloat16 is the upper half of a float, an oracle that the machine has. */
        const uint32_t wide = (uint32_t)bits << 16;
        float single = 0;
        memcpy(&single, &wide, sizeof single);
        assert_true(isnan(brain) ? isnan(single) : brain == (double)single);
        assert_true(isnan(half) || jsni_half_round(half) == bits);
        assert_true(isnan(brain) || jsni_bfloat_round(brain) == bits);
    }
    assert_int_equal(jsni_bfloat_round(1 + 0x1p-8), 0x3f80);
    assert_int_equal(jsni_bfloat_round(1 + 3 * 0x1p-8), 0x3f82);
    assert_true(isnan(jsni_half_value(jsni_half_round(NAN))));
    assert_true(isnan(jsni_bfloat_value(jsni_bfloat_round(NAN))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_of_numpy_are_read),
        cmocka_unit_test(test_other_types_are_refused),
        cmocka_unit_test(test_written_files_are_numpys_bytes),
        cmocka_unit_test(test_headers_are_held_to_the_grammar),
        cmocka_unit_test(test_every_truncation_and_bit_flip_is_survived),
        cmocka_unit_test(test_no_memory_is_a_failure_not_a_crash),
        cmocka_unit_test(test_arrays_are_created_within_bounds),
        cmocka_unit_test(test_conversion_keeps_values_or_fails),
        cmocka_unit_test(test_sixteen_bit_floats_round_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
