/* Files of torch.save(): those that PyTorch itself wrote (make_pytorch.py), pickles that
 * want more than weights need, archives and storages made wrong on purpose. */
#include "support/support.h"

#include "core/alloc.h"
#include "core/file.h"
#include "format/dtype.h"
#include "format/half.h"
#include "format/pytorch.h"

static char *bytes;
static size_t length;

static void read_golden(const char *name)
{
    char path[400];
    (void)snprintf(path, sizeof path, JSN_TEST_GOLDEN "/format/%s", name);
    assert_ok(jsni_file_read(path, 1 << 20, &bytes, &length));
}

static double element(const jsni_safetensor *t, size_t i)
{
    switch (t->dtype) {
    case JSN_DTYPE_FLOAT64:
        return ((const double *)t->data)[i];
    case JSN_DTYPE_FLOAT32:
        return (double)((const float *)t->data)[i];
    case JSN_DTYPE_FLOAT16:
        return jsni_half_value(((const uint16_t *)t->data)[i]);
    case JSN_DTYPE_BFLOAT16:
        return jsni_bfloat_value(((const uint16_t *)t->data)[i]);
    case JSN_DTYPE_INT64:
        return (double)((const int64_t *)t->data)[i];
    case JSN_DTYPE_INT32:
        return ((const int32_t *)t->data)[i];
    case JSN_DTYPE_INT16:
        return ((const int16_t *)t->data)[i];
    default:
        return ((const uint8_t *)t->data)[i];
    }
}

static void check_state(const char *name)
{
    static const struct {
        const char *name;
        jsn_dtype dtype;
        size_t rank, elements;
    } rows[] = {
        {"t.F64", JSN_DTYPE_FLOAT64, 2, 6},
        {"t.F32", JSN_DTYPE_FLOAT32, 2, 6},
        {"t.F16", JSN_DTYPE_FLOAT16, 2, 6},
        {"t.BF16", JSN_DTYPE_BFLOAT16, 2, 6},
        {"t.I64", JSN_DTYPE_INT64, 2, 6},
        {"t.I32", JSN_DTYPE_INT32, 2, 6},
        {"t.I16", JSN_DTYPE_INT16, 2, 6},
        {"t.I8", JSN_DTYPE_INT8, 2, 6},
        {"t.U8", JSN_DTYPE_UINT8, 2, 6},
        {"t.BOOL", JSN_DTYPE_BOOL, 2, 6},
        {"transposed", JSN_DTYPE_FLOAT32, 2, 6},
        {"slice", JSN_DTYPE_FLOAT32, 1, 3},
        {"channels_last", JSN_DTYPE_FLOAT32, 4, 24},
        {"parameter", JSN_DTYPE_FLOAT32, 1, 3},
        {"scalar", JSN_DTYPE_FLOAT32, 0, 1},
        {"empty", JSN_DTYPE_FLOAT32, 2, 0},
        {"tied", JSN_DTYPE_FLOAT32, 2, 6},
    };
    jsni_safetensors *f = NULL;
    read_golden(name);
    assert_ok(jsni_pytorch_parse(&f, name, (const uint8_t *)bytes, length));
    assert_int_equal(jsni_safetensors_count(f), sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const jsni_safetensor *t = jsni_safetensors_find(f, rows[i].name);
        assert_non_null(t);
        assert_int_equal(t->dtype, rows[i].dtype);
        assert_int_equal(t->rank, rows[i].rank);
        assert_int_equal(t->bytes, rows[i].elements * jsni_dtype_size(t->dtype));
        for (size_t k = 0; k < rows[i].elements; k++)
            assert_true(element(t, k) ==
                        (t->dtype == JSN_DTYPE_BOOL ? (k + 1) % 2 : k + 1));
    }
    jsni_safetensors_close(f);
    jsni_free(bytes);
}

static void test_the_present_form_is_read(void **state)
{
    (void)state;
    check_state("pytorch_zip.pt");
}

static void test_the_older_form_is_read(void **state)
{
    (void)state;
    check_state("pytorch_old.pt");
}

static void test_weights_beside_other_things_are_found(void **state)
{
    (void)state;
    jsni_safetensors *f = NULL;
    read_golden("pytorch_nested.pt");
    assert_ok(jsni_pytorch_parse(&f, "n.pt", (const uint8_t *)bytes, length));
    assert_int_equal(jsni_safetensors_count(f), 1);
    assert_string_equal(jsni_safetensors_at(f, 0)->name, "w");
    jsni_safetensors_close(f);
    jsni_free(bytes);
}

static jsn_status parse_all(void *user)
{
    jsni_safetensors *f = NULL;
    (void)user;
    const jsn_status status =
        jsni_pytorch_parse(&f, "a.pt", (const uint8_t *)bytes, length);
    jsni_safetensors_close(f);
    return status;
}

static void test_every_failed_allocation_is_reported(void **state)
{
    (void)state;
    static const char *const names[] = {"pytorch_zip.pt", "pytorch_old.pt"};
    for (size_t i = 0; i < 2; i++) {
        read_golden(names[i]);
        support_walk_allocations(parse_all, NULL);
        jsni_free(bytes);
    }
}

static void test_a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"pytorch_zip.pt", "pytorch_old.pt"};
    for (size_t i = 0; i < 2; i++) {
        read_golden(names[i]);
        const size_t whole = length;
        for (length = 0; length < whole; length += 7)
            assert_int_equal(parse_all(NULL), JSN_ERR_DATA);
        length = whole;
        assert_ok(parse_all(NULL));
        jsni_free(bytes);
    }
}

/* A zip archive with members that are stored, built by the format's description. */
typedef struct archive {
    uint8_t data[4096], directory[1024];
    size_t length, listed, members;
} archive;

static void put(uint8_t *to, size_t *at, const void *from, size_t count)
{
    memcpy(to + *at, from, count);
    *at += count;
}

static void add_member(archive *a, const char *name, const void *content, size_t size)
{
    uint8_t local[30] = "PK\3\4", entry[46] = "PK\1\2";
    const size_t place = a->length, letters = strlen(name);
    local[18] = local[22] = entry[20] = entry[24] = (uint8_t)size;
    local[19] = local[23] = entry[21] = entry[25] = (uint8_t)(size >> 8);
    local[26] = entry[28] = (uint8_t)letters;
    entry[42] = (uint8_t)place;
    entry[43] = (uint8_t)(place >> 8);
    put(a->data, &a->length, local, sizeof local);
    put(a->data, &a->length, name, letters);
    put(a->data, &a->length, content, size);
    put(a->directory, &a->listed, entry, sizeof entry);
    put(a->directory, &a->listed, name, letters);
    a->members++;
}

static void end_archive(archive *a)
{
    uint8_t end[22] = "PK\5\6";
    end[8] = end[10] = (uint8_t)a->members;
    end[16] = (uint8_t)a->length;
    end[17] = (uint8_t)(a->length >> 8);
    put(a->data, &a->length, a->directory, a->listed);
    put(a->data, &a->length, end, sizeof end);
}

/* A file with this pickle and a storage "0" of `floats` floats. */
static jsn_status parse_pickle(const char *pickle, size_t size, size_t floats)
{
    static archive a;
    static const uint8_t zeros[400];
    jsni_safetensors *f = NULL;
    memset(&a, 0, sizeof a);
    add_member(&a, "archive/data.pkl", pickle, size);
    add_member(&a, "archive/data/0", zeros, 4 * floats);
    end_archive(&a);
    const jsn_status status = jsni_pytorch_parse(&f, "evil.pth", a.data, a.length);
    jsni_safetensors_close(f);
    return status;
}

#define PICKLE(text) text, sizeof(text) - 1
/* {"w": tensor of storage "0" with `elements` floats}, offset, shape and stride given */
#define TENSOR(elements, offset, shape, stride)                                       \
    "\x80\2}(X\1\0\0\0wctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\n" \
    "FloatStorage\nX\1\0\0\0"                                                         \
    "0X\3\0\0\0cpu" elements "tQ" offset shape stride "\x89"                          \
    "Ntq\1Ru."

static void test_a_plain_file_made_here_is_read(void **state)
{
    (void)state;
    assert_ok(parse_pickle(PICKLE(TENSOR("K\6", "K\0", "K\6\x85", "K\1\x85")), 6));
    assert_ok(
        parse_pickle(PICKLE(TENSOR("K\6", "K\1", "K\2K\2\x86", "K\3K\1\x86")), 6));
}

static void test_tensors_that_leave_their_storage_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *pickle;
        size_t size, floats;
        const char *words;
    } rows[] = {
        {PICKLE(TENSOR("K\6", "K\1", "K\6\x85", "K\1\x85")), 6, "beyond its storage"},
        {PICKLE(TENSOR("K\6", "K\7", "K\0\x85", "K\1\x85")), 6, "beyond its storage"},
        {PICKLE(TENSOR("K\6", "K\0", "K\6\x85", "K\2\x85")), 6, "beyond its storage"},
        {PICKLE(TENSOR("K\6", "K\0", "K\6\x85", "K\0\x85")), 6, "repeats its elements"},
        {PICKLE(TENSOR("K\6", "K\0", "K\6K\6\x86", "K\1K\1\x86")), 6, "beyond"},
        {PICKLE(TENSOR("K\6", "K\0", "J\0\0\0\x80\x85", "K\1\x85")), 6, "not made of"},
        {PICKLE(TENSOR("K\6", "K\0", "\x8a\x8\xff\xff\xff\xff\xff\xff\xff\x7f\x85",
                       "\x8a\x8\xff\xff\xff\xff\xff\xff\xff\x7f\x85")),
         6, "beyond"},
        {PICKLE(TENSOR("K\6", "\x8a\x9\xff\xff\xff\xff\xff\xff\xff\xff\0", "K\1\x85",
                       "K\1\x85")),
         6, "not made of"},
        {PICKLE(TENSOR("K\6", "K\0", "K\6\x85", "K\1\x85")), 5, "another size"},
        {PICKLE(TENSOR("\x8a\x8\xff\xff\xff\xff\xff\xff\xff\x7f", "K\0", "K\6\x85",
                       "K\1\x85")),
         6, "too many elements"},
        {PICKLE(TENSOR("N", "K\0", "K\6\x85", "K\1\x85")), 6, "else than a storage"},
        {PICKLE(TENSOR("K\6X\1\0\0\0x", "K\0", "K\6\x85", "K\1\x85")), 6,
         "part of another"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_fails(parse_pickle(rows[i].pickle, rows[i].size, rows[i].floats),
                     JSN_ERR_DATA, rows[i].words);
}

static void test_pickles_that_want_more_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *pickle;
        size_t size;
        const char *words;
    } rows[] = {
        {PICKLE("cos\nsystem\n(X\2\0\0\0lstR."), "'os.system'"},
        {PICKLE("cposix\nsystem\n(U\2lstR."), "'posix.system'"},
        {PICKLE("\x80\4\x8c\2os\x8c\6system\x93\x8c\2ls\x85R."), "'os.system'"},
        {PICKLE("cbuiltins\neval\n(X\1\0\0\0"
                "1tR."),
         "'builtins.eval'"},
        {PICKLE("ctorch\nload\n."), "'torch.load'"},
        {PICKLE("c__builtin__\nOrderedDict\n."), "'__builtin__.OrderedDict'"},
        {PICKLE("(S'ls'\nios\nsystem\n."), "STRING"},
        {PICKLE("(ios\nsystem\n."), "INST"},
        {PICKLE("(X\1\0\0\0xo."), "instruction OBJ"},
        {PICKLE("ccollections\nOrderedDict\n)\x81."), "NEWOBJ"},
        {PICKLE("\x82\1."), "EXT1"},
        {PICKLE("Px\n."), "PERSID"},
        {PICKLE("\xff."), "no instruction"},
        {PICKLE("\x80\6N."), "version of pickles above 5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_fails(parse_pickle(rows[i].pickle, rows[i].size, 1), JSN_ERR_DATA,
                     rows[i].words);
}

/* The length of a safetensors header, 1152, begins as a pickle does. */
static void test_a_safetensors_file_is_not_taken_for_a_pickle(void **state)
{
    (void)state;
    const uint8_t start[16] = {0x80, 4, 0, 0, 0, 0, 0, 0, '{', '"'};
    assert_false(jsni_pytorch_is(start, sizeof start));
    read_golden("pytorch_old.pt");
    assert_true(jsni_pytorch_is((const uint8_t *)bytes, length));
    jsni_free(bytes);
    read_golden("pytorch_zip.pt");
    assert_true(jsni_pytorch_is((const uint8_t *)bytes, length));
    jsni_free(bytes);
}

static void test_damaged_pickles_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *pickle;
        size_t size;
        const char *words;
    } rows[] = {
        {PICKLE(""), "ends in the middle"},
        {PICKLE("."), "not there"},
        {PICKLE("(."), "not there"},
        {PICKLE("h\0."), "was not remembered"},
        {PICKLE("q\0."), "remembers a value"},
        {PICKLE("Nr\xff\xff\xff\xff."), "too large a number"},
        {PICKLE("X\xff\xff\xff\x7f"
                "a."),
         "ends in the middle"},
        {PICKLE("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
                "a."),
         "ends in the middle"},
        {PICKLE("NR."), "not there"},
        {PICKLE("N)R."), "calls what is no function"},
        {PICKLE("NNa."), "no such items"},
        {PICKLE("}(Nu."), "no such items"},
        {PICKLE("}Nb."), "gives attributes"},
        {PICKLE("\x87."), "not there"},
        {PICKLE("NNNu."), "a mark that is not there"},
        {PICKLE("K\1."), "no dictionary of weights"},
        {PICKLE("}q\0(X\5\0\0\0modelh\0u."), "no dictionary of weights"},
        {PICKLE("]q\0h\0a."), "no dictionary of weights"},
        {PICKLE("ccos"), "ends in the middle"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_fails(parse_pickle(rows[i].pickle, rows[i].size, 1), JSN_ERR_DATA,
                     rows[i].words);
}

/* A name that is remembered once and used for a million entries. */
static void test_bombs_out_of_few_bytes_stay_small(void **state)
{
    (void)state;
    enum { BYTES = 12 << 20 };
    jsni_safetensors *f = NULL;
    uint8_t *file = jsni_alloc(BYTES + 200, 1);
    size_t at = 0;
    put(file, &at, PICKLE("\x80\2\x8a\1\1.\x80\2M\xe9\3.\x80\2}.\x80\2"));
    memset(file + at, 'N', BYTES);
    at += BYTES;
    assert_fails(jsni_pytorch_parse(&f, "bomb.pt", file, at), JSN_ERR_DATA,
                 "more values than weights need");
    at = 0;
    put(file, &at, PICKLE("\x80\2\x8a\1\1.\x80\2M\xe9\3.\x80\2}.\x80\2"));
    put(file, &at, PICKLE("X\1\0\0\0wq\0ctorch._utils\n_rebuild_tensor_v2\n)Rq\1}("));
    while (at < BYTES)
        put(file, &at, PICKLE("h\0h\1"));
    put(file, &at, PICKLE("u.\x80\2]."));
    assert_fails(jsni_pytorch_parse(&f, "bomb.pt", file, at), JSN_ERR_DATA,
                 "more than 65536 tensors");
    jsni_free(file);
}

static void test_archives_that_lie_are_refused(void **state)
{
    (void)state;
    static archive a;
    jsni_safetensors *f = NULL;
    const char plain[] = TENSOR("K\1", "K\0", "K\1\x85", "K\1\x85");
    memset(&a, 0, sizeof a);
    add_member(&a, "archive/data.pkl", plain, sizeof plain - 1);
    end_archive(&a);
    assert_fails(jsni_pytorch_parse(&f, "x", a.data, a.length), JSN_ERR_DATA,
                 "storage '0': is missing");
    memset(&a, 0, sizeof a);
    add_member(&a, "archive/data.pkl", plain, sizeof plain - 1);
    add_member(&a, "archive/data/0", "\0\0\0\0", 4);
    add_member(&a, "archive/data/0", "\0\0\0\0", 4);
    end_archive(&a);
    assert_fails(jsni_pytorch_parse(&f, "x", a.data, a.length), JSN_ERR_DATA,
                 "same name");
    memset(&a, 0, sizeof a);
    add_member(&a, "archive/data.pkl", plain, sizeof plain - 1);
    add_member(&a, "archive/data/0", "\0\0\0\0", 4);
    add_member(&a, "archive/byteorder", "big", 3);
    end_archive(&a);
    assert_fails(jsni_pytorch_parse(&f, "x", a.data, a.length), JSN_ERR_DATA,
                 "big-endian");
    a.data[a.length - 22 + 10] = 200;
    assert_fails(jsni_pytorch_parse(&f, "x", a.data, a.length), JSN_ERR_DATA,
                 "damaged zip archive");
    memset(&a, 0, sizeof a);
    add_member(&a, "notes.txt", "hello", 5);
    end_archive(&a);
    assert_fails(jsni_pytorch_parse(&f, "x", a.data, a.length), JSN_ERR_DATA,
                 "PyTorch did not write");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_present_form_is_read),
        cmocka_unit_test(test_the_older_form_is_read),
        cmocka_unit_test(test_weights_beside_other_things_are_found),
        cmocka_unit_test(test_every_failed_allocation_is_reported),
        cmocka_unit_test(test_a_file_cut_anywhere_is_refused),
        cmocka_unit_test(test_a_plain_file_made_here_is_read),
        cmocka_unit_test(test_tensors_that_leave_their_storage_are_refused),
        cmocka_unit_test(test_pickles_that_want_more_are_refused_by_name),
        cmocka_unit_test(test_a_safetensors_file_is_not_taken_for_a_pickle),
        cmocka_unit_test(test_damaged_pickles_are_refused),
        cmocka_unit_test(test_bombs_out_of_few_bytes_stay_small),
        cmocka_unit_test(test_archives_that_lie_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
