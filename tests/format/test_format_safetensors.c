/* safetensors: a file made from the format's description by other means
 * (make_safetensors.py), headers made wrong on purpose, and files of our own. */
#include "support/support.h"

#include "core/alloc.h"
#include "core/file.h"
#include "format/dtype.h"
#include "format/safetensors.h"

static const char *const golden = JSN_TEST_GOLDEN "/format/sample.safetensors";

/* The elements of a tensor as doubles. */
static void values_of(const jsni_safetensor *t, double *out)
{
    jsn_array array = {.dtype = t->dtype, .rank = t->rank}, real;
    memcpy(array.shape, t->shape, sizeof t->shape);
    array.data = jsni_alloc(t->bytes, 1);
    memcpy(array.data, t->data, t->bytes);
    assert_ok(jsn_array_convert(&real, &array, JSN_DTYPE_FLOAT64));
    memcpy(out, real.data, jsni_array_bytes(&real));
    jsn_array_release(&real);
    jsn_array_release(&array);
}

static void test_a_file_of_every_type_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        jsn_dtype dtype;
    } rows[] = {
        {"t.F64", JSN_DTYPE_FLOAT64}, {"t.I64", JSN_DTYPE_INT64},
        {"t.U64", JSN_DTYPE_UINT64},  {"t.F32", JSN_DTYPE_FLOAT32},
        {"t.I32", JSN_DTYPE_INT32},   {"t.U32", JSN_DTYPE_UINT32},
        {"t.F16", JSN_DTYPE_FLOAT16}, {"t.BF16", JSN_DTYPE_BFLOAT16},
        {"t.I16", JSN_DTYPE_INT16},   {"t.U16", JSN_DTYPE_UINT16},
        {"t.I8", JSN_DTYPE_INT8},     {"t.U8", JSN_DTYPE_UINT8},
        {"t.BOOL", JSN_DTYPE_BOOL},
    };
    jsni_safetensors *f = NULL;
    assert_ok(jsni_safetensors_open(&f, golden));
    assert_int_equal(jsni_safetensors_count(f), 15);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const jsni_safetensor *t = jsni_safetensors_find(f, rows[i].name);
        double values[6];
        assert_non_null(t);
        assert_ptr_equal(t, jsni_safetensors_at(f, i));
        assert_int_equal(t->dtype, rows[i].dtype);
        assert_true(t->rank == 2 && t->shape[0] == 2 && t->shape[1] == 3);
        assert_int_equal((uintptr_t)t->data % jsni_dtype_size(t->dtype), 0);
        values_of(t, values);
        for (int k = 0; k < 6; k++)
            assert_true(values[k] == (t->dtype == JSN_DTYPE_BOOL ? k % 2 : k + 1));
    }
    assert_int_equal(jsni_safetensors_find(f, "scalar")->rank, 0);
    assert_int_equal(jsni_safetensors_find(f, "empty")->bytes, 0);
    assert_null(jsni_safetensors_find(f, "t.F8"));
    assert_null(jsni_safetensors_at(f, 15));
    assert_string_equal(jsni_safetensors_metadata(f, "format"), "pt");
    assert_string_equal(jsni_safetensors_metadata(f, "note"), "caf\xc3\xa9");
    assert_null(jsni_safetensors_metadata(f, "absent"));
    assert_fails(jsni_safetensors_verify(f), JSN_ERR_DATA, "no checksum");
    jsni_safetensors_close(f);
}

/* A file of `header` and `extra` bytes 1. */
static jsn_status parse(const char *header, size_t extra)
{
    jsni_safetensors *f = NULL;
    const size_t length = strlen(header);
    uint8_t *bytes = jsni_alloc_zero(8 + length + extra, 1);
    bytes[0] = (uint8_t)length;
    bytes[1] = (uint8_t)(length >> 8);
    memcpy(bytes + 8, header, length);
    memset(bytes + 8 + length, 1, extra);
    const jsn_status status =
        jsni_safetensors_parse(&f, "x.st", bytes, 8 + length + extra);
    jsni_free(bytes);
    jsni_safetensors_close(f);
    return status;
}

#define T(dtype, shape, offsets) \
    "{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void test_headers_are_held_to_the_format(void **state)
{
    (void)state;
    assert_ok(parse("{}", 0));
    assert_ok(parse("{\"a\":" T("\"F32\"", "[2]", "[0,8]") "}   ", 8));
    assert_ok(
        parse("{\"b\":" T("\"U8\"", "[3]", "[8,11]") ",\"a\":" T(
                  "\"F32\"", "[2]", "[0,8]") ",\"z\":" T("\"F64\"", "[0]", "[0,0]") "}",
              11));
    static const struct {
        const char *header;
        size_t extra;
        const char *words;
    } bad[] = {
        {"", 0, "not a safetensors"},
        {"[]", 0, "not a safetensors"},
        {" {}", 0, "not a safetensors"},
        {"{", 1, "not a safetensors"},
        {"{}", 1, "1 bytes after"},
        {"{\"a\":1}", 0, "not an object of"},
        {"{\"a\":{}}", 0, "not an object of"},
        {"{\"a\":" T("\"F32\"", "[2]", "[0,8]") "}", 7, "not inside"},
        {"{\"a\":" T("\"F32\"", "[2]", "[0,8]") "}", 9, "after"},
        {"{\"a\":" T("\"F32\"", "[2]", "[8,0]") "}", 8, "not inside"},
        {"{\"a\":" T("\"F32\"", "[2]", "[-8,0]") "}", 8, "not inside"},
        {"{\"a\":" T("\"F32\"", "[2]", "[0,4]") "}", 4, "4 bytes, its shape needs 8"},
        {"{\"a\":" T("\"F32\"", "[2]", "[0]") "}", 8, "not inside"},
        {"{\"a\":" T("\"F32\"", "2", "[0,8]") "}", 8, "no list 'shape'"},
        {"{\"a\":" T("\"F32\"", "[2.5]", "[0,8]") "}", 8, "extent"},
        {"{\"a\":" T("\"F32\"", "[-2]", "[0,8]") "}", 8, "extent"},
        {"{\"a\":" T("\"F32\"", "[1e18]", "[0,8]") "}", 8, "extent"},
        {"{\"a\":" T("\"F32\"", "[4294967296,4294967296]", "[0,0]") "}", 0, "extent"},
        {"{\"a\":" T("\"F32\"", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4, "dimensions"},
        {"{\"a\":" T("\"F8_E5M2\"", "[4]", "[0,4]") "}", 4, "'F8_E5M2'"},
        {"{\"a\":" T("3", "[4]", "[0,4]") "}", 4, "type '3'"},
        {"{\"a\":" T("\"U8\"", "[4]", "[0,4]") ",\"b\":" T("\"U8\"", "[4]",
                                                           "[2,6]") "}",
         6, "overlaps"},
        {"{\"a\":" T("\"U8\"", "[4]", "[0,4]") ",\"b\":" T("\"U8\"", "[4]",
                                                           "[5,9]") "}",
         9, "hole"},
        {"{\"a\":" T("\"U8\"", "[3]", "[0,3]") ",\"b\":" T("\"F32\"", "[1]",
                                                           "[3,7]") "}",
         7, "aligned"},
        {"{\"a\":" T("\"U8\"", "[4]", "[0,4]") ",\"a\":" T("\"U8\"", "[4]",
                                                           "[0,4]") "}",
         4, "twice"},
        {"{\"__metadata__\":1}", 0, "not an object"},
        {"{\"__metadata__\":{\"k\":1}}", 0, "'k' is not a text"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"x\":1}}", 1,
         "not an object of"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_fails(parse(bad[i].header, bad[i].extra), JSN_ERR_DATA, bad[i].words);
    jsni_safetensors *f = NULL;
    assert_fails(
        jsni_safetensors_parse(&f, "x", "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10),
        JSN_ERR_DATA, "not a safetensors");
    assert_fails(jsni_safetensors_open(&f, "no/such"), JSN_ERR_DATA, "no/such");
}

static const float weights[] = {1.5f, -2.0f, 0.25f};
static const int64_t steps[] = {7};
static const uint8_t flags[] = {1, 0, 1};
static const jsni_safetensor tensors[] = {
    {"flags", JSN_DTYPE_BOOL, 1, {3}, flags, 0},
    {"layer.weight", JSN_DTYPE_FLOAT32, 2, {3, 1}, weights, 0},
    {"steps", JSN_DTYPE_INT64, 0, {0}, steps, 0},
};
static const jsni_pair pairs[] = {{"epoch", "3"}, {"note", "a \"b\"\n"}};

static void test_what_is_written_is_read_back(void **state)
{
    (void)state;
    jsni_safetensors *f = NULL;
    char *path = jsni_path_join(support_folder, "a.safetensors");
    assert_ok(jsni_safetensors_write(NULL, path, tensors, 3, pairs, 2, true));
    assert_ok(jsni_safetensors_open(&f, path));
    assert_int_equal(jsni_safetensors_count(f), 3);
    assert_string_equal(jsni_safetensors_at(f, 0)->name, "steps");
    assert_string_equal(jsni_safetensors_at(f, 2)->name, "flags");
    const jsni_safetensor *t = jsni_safetensors_find(f, "layer.weight");
    assert_true(t->rank == 2 && t->shape[0] == 3 && t->shape[1] == 1 && t->bytes == 12);
    assert_memory_equal(t->data, weights, sizeof weights);
    assert_string_equal(jsni_safetensors_metadata(f, "note"), "a \"b\"\n");
    assert_ok(jsni_safetensors_verify(f));
    jsni_safetensors_close(f);
    /* Without tensors, metadata and checksum; and what cannot be stored. */
    assert_ok(jsni_safetensors_write(NULL, path, NULL, 0, NULL, 0, false));
    assert_ok(jsni_safetensors_open(&f, path));
    assert_int_equal(jsni_safetensors_count(f), 0);
    jsni_safetensors_close(f);
    const jsni_safetensor twice[] = {tensors[0], tensors[0]};
    assert_fails(jsni_safetensors_write(NULL, path, twice, 2, NULL, 0, false),
                 JSN_ERR_ARGUMENT, "twice");
    const jsni_safetensor reserved = {"__metadata__", JSN_DTYPE_BOOL, 1, {3}, flags, 0};
    assert_fails(jsni_safetensors_write(NULL, path, &reserved, 1, NULL, 0, false),
                 JSN_ERR_ARGUMENT, "__metadata__");
    const jsni_safetensor odd = {"a\xff", JSN_DTYPE_BOOL, 1, {3}, flags, 0};
    assert_fails(jsni_safetensors_write(NULL, path, &odd, 1, NULL, 0, false),
                 JSN_ERR_ARGUMENT, "UTF-8");
    assert_fails(
        jsni_safetensors_write(NULL, "/no/such/folder/f", tensors, 3, NULL, 0, false),
        JSN_ERR_IO, "cannot be written");
    jsni_free(path);
}

static void test_every_damage_to_a_checked_file_is_noticed(void **state)
{
    (void)state;
    char *path = jsni_path_join(support_folder, "b.safetensors"), *bytes = NULL;
    size_t length = 0;
    jsni_safetensors *f = NULL;
    assert_ok(jsni_safetensors_write(NULL, path, tensors, 3, pairs, 2, true));
    assert_ok(jsni_file_read(path, 10000, &bytes, &length));
    for (size_t n = 0; n < length; n++)
        assert_int_equal(jsni_safetensors_parse(&f, "x", bytes, n), JSN_ERR_DATA);
    for (size_t bit = 0; bit < length * 8; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        jsn_status status = jsni_safetensors_parse(&f, "x", bytes, length);
        if (status == JSN_OK)
            status = jsni_safetensors_verify(f);
        if (status != JSN_ERR_DATA)
            fail_msg("bit %zu of byte %zu may flip unnoticed", bit % 8, bit / 8);
        jsni_safetensors_close(f);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
    }
    jsni_free(bytes);
    jsni_free(path);
}

static jsn_status write_and_read(void *path)
{
    jsni_safetensors *f = NULL;
    jsn_status status = jsni_safetensors_write(NULL, path, tensors, 3, pairs, 2, true);
    if (status == JSN_OK)
        status = jsni_safetensors_open(&f, path);
    if (status == JSN_OK)
        status = jsni_safetensors_verify(f);
    jsni_safetensors_close(f);
    return status;
}

static void test_no_memory_is_a_failure_not_a_crash(void **state)
{
    (void)state;
    char path[300];
    (void)snprintf(path, sizeof path, "%s/c.safetensors", support_folder);
    support_walk_allocations(write_and_read, path);
}

static void test_the_golden_vectors_are_read(void **state)
{
    (void)state;
    static const char *const files[] = {"golden/losses.safetensors",
                                        "golden/augment.safetensors",
                                        "golden/network.safetensors"};
    for (size_t i = 0; i < 3; i++) {
        jsni_safetensors *f = NULL;
        const char *path = support_shared(files[i]);
        if (path == NULL)
            skip();
        assert_ok(jsni_safetensors_open(&f, path));
        assert_true(jsni_safetensors_count(f) > 10);
        jsni_safetensors_close(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_of_every_type_is_read),
        cmocka_unit_test(test_headers_are_held_to_the_format),
        cmocka_unit_test(test_what_is_written_is_read_back),
        cmocka_unit_test(test_every_damage_to_a_checked_file_is_noticed),
        cmocka_unit_test(test_no_memory_is_a_failure_not_a_crash),
        cmocka_unit_test(test_the_golden_vectors_are_read),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
