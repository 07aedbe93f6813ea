/* Image files against pixels that were not made by this code (tests/golden/images), what
 * is refused, and writing. */
#include "support/support.h"

#include "core/alloc.h"
#include "core/file.h"
#include "data/image_decoder.h"
#include "jensen/image_file.h"

static const char *golden(const char *name)
{
    static char path[400];
    (void)snprintf(path, sizeof path, JSN_TEST_GOLDEN "/images/%s", name);
    return path;
}

static const char *in_folder(const char *name)
{
    static char path[400];
    (void)snprintf(path, sizeof path, "%s/%s", support_folder, name);
    return path;
}

static char *load(const char *path, size_t *length)
{
    char *bytes = NULL;
    assert_ok(jsni_file_read(path, 1 << 24, &bytes, length));
    return bytes;
}

/* Builds without the library say so; the formats of the smallest build always work. */
static int absent(jsn_status status, const char *name)
{
    const bool extra = status == JSN_ERR_DATA &&
                       strstr(jsn_last_error(), "which this build cannot") != NULL;
    if (status != JSN_ERR_UNSUPPORTED && !extra)
        return 0;
    assert_null(strstr(name, ".ppm"));
    assert_null(strstr(name, ".bmp"));
    return 1;
}

static void test_every_fixture_decodes_to_the_expected_pixels(void **state)
{
    (void)state;
    size_t length = 0, at = 0, files = 0;
    uint8_t *expected = (uint8_t *)load(golden("expected.bin"), &length);
    FILE *index = fopen(golden("index.txt"), "r");
    assert_non_null(index);
    char name[64];
    size_t width = 0, height = 0;
    jsn_image image = {0};
    for (; fscanf(index, "%63s %zu %zu", name, &width, &height) == 3; files++) {
        const size_t bytes = width * height * 3;
        const jsn_status status = jsn_image_read(&image, golden(name));
        if (!absent(status, name)) {
            assert_ok(status);
            assert_int_equal(image.width, width);
            assert_int_equal(image.height, height);
            if (memcmp(image.data, expected + at, bytes) != 0)
                fail_msg("%s: pixels differ", name);
            size_t size = 0, w = 0, h = 0;
            char *file = load(golden(name), &size);
            assert_ok(jsni_image_measure(file, size, name, &w, &h));
            jsni_free(file);
            assert_int_equal(w, width);
            assert_int_equal(h, height);
        }
        at += bytes;
    }
    assert_int_equal(at, length);
    assert_true(files > 30);
    jsn_image_release(&image);
    (void)fclose(index);
    jsni_free(expected);
}

/* Formats that lose more than a byte tells: the same picture, closely. */
static void test_modern_formats_are_close(void **state)
{
    (void)state;
    static const char *const names[] = {"close.avif", "close.heic"};
    jsn_image image = {0}, want = {0};
    if (absent(jsn_image_read(&want, golden("rgb.png")), "rgb.png"))
        return;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const jsn_status status = jsn_image_read(&image, golden(names[n]));
        if (status == JSN_ERR_DATA && strstr(jsn_last_error(), "libheif") != NULL)
            continue; /* neither it nor its decoders need be there */
        assert_ok(status);
        assert_int_equal(image.width, want.width);
        assert_int_equal(image.height, want.height);
        size_t off = 0, bytes = want.width * want.height * 3;
        for (size_t i = 0; i < bytes; i++)
            off += (size_t)abs(image.data[i] - want.data[i]);
        assert_true(off < 6 * bytes);
        size_t length = 0;
        char *file = load(golden(names[n]), &length);
        for (size_t cut = 0; cut < length; cut += 7)
            assert_true(jsni_image_decode(&image, file, cut, names[n]) != JSN_OK);
        for (size_t i = 0; i < length; i += 11) {
            file[i] = (char)(file[i] ^ 0x5a);
            (void)!jsni_image_decode(&image, file, length, names[n]);
            file[i] = (char)(file[i] ^ 0x5a);
        }
        jsni_free(file);
    }
    jsn_image_release(&want);
    jsn_image_release(&image);
}

/* Every prefix, and every file with one byte changed, is read or refused; the sanitizers
 * watch. What is cut short by more than an end mark must be refused. */
static void test_damaged_files_are_refused_or_read_never_worse(void **state)
{
    (void)state;
    static const char *const names[] = {
        "rgb420.jpg", "exif6.jpg",      "cmyk.jpg",   "progressive.jpg", "rgba.png",
        "rgb16.png",  "palette.png",    "lossy.webp", "alpha.webp",      "exif6.png",
        "rgb.bmp",    "palette.bmp",    "bits1.bmp",  "plain.ppm",       "grey16.ppm",
        "canvas.gif", "interlaced.gif", "lzw.tif",    "holes.tif"};
    jsn_image image = {0};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        size_t length = 0;
        char *bytes = load(golden(names[n]), &length);
        for (size_t cut = 0; cut < length; cut++) {
            /* Exactly as long as what is decoded, so that reading beyond is noticed. */
            char *part = malloc(cut + 1);
            assert_non_null(part);
            memcpy(part, bytes, cut);
            const jsn_status status = jsni_image_decode(&image, part, cut, names[n]);
            if (cut + 16 < length && status == JSN_OK)
                fail_msg("%s: read although cut to %zu of %zu bytes", names[n], cut,
                         length);
            assert_true(status == JSN_OK || strlen(jsn_last_error()) > 0);
            free(part);
        }
        for (size_t i = 0; i < length; i += 3) {
            const char old = bytes[i];
            bytes[i] = (char)(old ^ 0x5a);
            (void)!jsni_image_decode(&image, bytes, length, names[n]);
            bytes[i] = old;
        }
        jsni_free(bytes);
    }
    jsn_image_release(&image);
}

/* The first bytes name a format that the build reads, and the rest of its mark is missing or
 * wrong: a broken image, not one that needs a library. */
static void test_a_damaged_start_is_a_broken_image(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb420.jpg", "rgba.png",   "lossy.webp",
                                        "plain.gif",  "lzw.tif",    "close.heic",
                                        "close.avif", "palette.bmp"};
    enum { START = 24 };
    jsn_image image = {0};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        size_t length = 0;
        char *bytes = load(golden(names[n]), &length);
        const jsn_status whole = jsni_image_decode(&image, bytes, length, names[n]);
        for (size_t i = 0; !absent(whole, names[n]) && i < START; i++) {
            assert_fails(jsni_image_decode(&image, bytes, i, names[n]), JSN_ERR_DATA,
                         names[n]);
            assert_null(strstr(jsn_last_error(), "this build"));
            bytes[i] = (char)(bytes[i] ^ 0x20);
            const jsn_status status =
                jsni_image_decode(&image, bytes, length, names[n]);
            bytes[i] = (char)(bytes[i] ^ 0x20);
            if (status != JSN_OK)
                assert_int_equal(status, JSN_ERR_DATA);
            if (status != JSN_OK)
                assert_null(strstr(jsn_last_error(), "this build"));
        }
        jsni_free(bytes);
    }
    jsn_image_release(&image);
}

static void test_what_is_no_image_gets_a_sentence(void **state)
{
    (void)state;
    jsn_image image = {0};
    assert_fails(jsn_image_read(&image, in_folder("none.png")), JSN_ERR_DATA,
                 "none.png");
    assert_ok(jsni_file_write(in_folder("empty.jpg"), "", 0));
    assert_fails(jsn_image_read(&image, in_folder("empty.jpg")), JSN_ERR_DATA, "empty");
    assert_fails(jsni_image_decode(&image, "hello world!", 12, "t.jpg"), JSN_ERR_DATA,
                 "not an image");
    /* Broken images among others, also where the build lacks the library. */
    assert_fails(jsni_image_decode(&image, "GIF89a......", 12, "t.gif"), JSN_ERR_DATA,
                 "GIF image");
    assert_fails(jsni_image_decode(&image, "II*\0........", 12, "t.tif"), JSN_ERR_DATA,
                 "TIFF");
    static const struct {
        const char *bytes, *words; /* 12 bytes */
    } boxes[] = {
        {"\0\0\0\x18"
         "ftypheic",
         "x: "},
        {"\0\0\0\x18"
         "ftypavif",
         "x: "},
        {"\0\0\0\x20"
         "ftypisom",
         "x: a video (MP4 or MOV), which is not an image"},
        {"\0\0\0\x14"
         "ftypqt  ",
         "x: a video (MP4 or MOV), which is not an image"},
        {"\0\0\0\x08"
         "wide\0\0\0\0",
         "x: a video (MOV), which is not an image"},
        {"RIFF\x10\0\0\0"
         "AVI ",
         "x: a video (AVI), which is not an image"},
        {"\x1a\x45\xdf\xa3\x9f"
         "webm...",
         "x: a video (Matroska or WebM), which"},
    };
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++)
        assert_fails(jsni_image_decode(&image, boxes[i].bytes, 12, "x"), JSN_ERR_DATA,
                     boxes[i].words);
    assert_fails(jsn_image_read(&image, support_folder), JSN_ERR_DATA, "regular");
    /* Dimensions are refused before memory is taken for them. */
    static const char wide[] = "P6 65535 65535 255 x";
    assert_fails(jsni_image_decode(&image, wide, sizeof wide, "wide.ppm"), JSN_ERR_DATA,
                 "65535 x 65535");
    static const char larger[] = "P6 65536 1 255 x";
    assert_fails(jsni_image_decode(&image, larger, sizeof larger, "l.ppm"),
                 JSN_ERR_DATA, "header");
    static const char none[] = "P6 0 5 255 x";
    assert_fails(jsni_image_decode(&image, none, sizeof none, "n.ppm"), JSN_ERR_DATA,
                 "no pixels");
    static const uint8_t huge[33] =
        "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\x7f\xff\xff\xff\x7f";
    const jsn_status status = jsni_image_decode(&image, huge, sizeof huge, "h.png");
    assert_true(status == JSN_ERR_DATA || status == JSN_ERR_UNSUPPORTED);
    jsn_image_release(&image);
}

static void test_what_is_written_reads_back(void **state)
{
    (void)state;
    static const char *const names[] = {"a.png", "a.ppm", "a.bmp", "a.PNG", "a.jpg"};
    jsn_image image = {0}, back = {0};
    assert_ok(jsn_image_create(&image, 21, 10));
    for (size_t i = 0; i < 21 * 10 * 3; i++)
        image.data[i] = (uint8_t)(i * 7 % 256 / 4 + 90);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const jsn_status status = jsn_image_write(in_folder(names[n]), &image);
        if (absent(status, names[n]))
            continue;
        assert_ok(status);
        assert_ok(jsn_image_read(&back, in_folder(names[n])));
        assert_int_equal(back.width, 21);
        assert_int_equal(back.height, 10);
        if (strstr(names[n], "jpg") == NULL)
            assert_memory_equal(back.data, image.data, 21 * 10 * 3);
    }
    assert_fails(jsn_image_write(in_folder("a.gif"), &image), JSN_ERR_ARGUMENT, ".png");
    assert_fails(jsn_image_write(in_folder("plain"), &image), JSN_ERR_ARGUMENT, ".png");
    assert_fails(jsn_image_write("no/such/folder.png/x", &image), JSN_ERR_ARGUMENT,
                 "x");
    assert_fails(jsn_image_write("no/such/a.ppm", &image), JSN_ERR_IO, "no/such");
    jsn_image_release(&back);
    jsn_image_release(&image);
}

static jsn_status read_one(void *user)
{
    jsn_image image = {0};
    const jsn_status status = jsn_image_read(&image, user);
    jsn_image_release(&image);
    return status;
}

static void test_reading_survives_lack_of_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb.bmp", "cmyk.jpg", "exif6.jpg", "rgba.png",
                                        "alpha.webp"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        char path[400];
        (void)snprintf(path, sizeof path, "%s", golden(names[n]));
        if (!absent(read_one(path), names[n]))
            support_walk_allocations(read_one, path);
    }
}

enum { CODES = 0xc4, QUANTISERS = 0xdb };

/* Takes the tables of a kind out of a JPEG; its new length. */
static size_t remove_tables(uint8_t *bytes, size_t length, int marker)
{
    size_t at = 2, to = 2;
    while (bytes[at + 1] != 0xda) {
        const size_t size = 2 + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
        if (bytes[at + 1] != marker) {
            memmove(bytes + to, bytes + at, size);
            to += size;
        }
        at += size;
    }
    memmove(bytes + to, bytes + at, length - at);
    return to + length - at;
}

/* Decodes `first` twice, when it is given, then `second`, whole or a part: its pixels, summed
 * so that their order counts; 0: refused. */
static uint64_t decode_after(const jsni_image_input *first,
                             const jsni_image_input *second, bool whole)
{
    jsni_image_decoder *decoder = NULL;
    jsni_image_part part = {0};
    jsn_status status = JSN_OK;
    uint64_t sum = 1;
    assert_ok(jsni_image_decoder_create(&decoder));
    for (size_t i = first == NULL ? 2 : 0; i < 3; i++) {
        const jsni_image_input *input = i < 2 ? first : second;
        const jsni_image_want want = {1, 1, 5, 5, 1};
        status = whole ? jsni_image_decoder_run(decoder, input, &part.image)
                       : jsni_image_decoder_run_part(decoder, input, &want, &part);
    }
    for (size_t i = 0; i < part.image.width * part.image.height * 3; i++)
        sum = sum * 31 + part.image.data[i];
    jsn_image_release(&part.image);
    jsni_image_decoder_destroy(decoder);
    return status == JSN_OK ? sum : 0;
}

static void test_an_image_without_tables_does_not_take_those_of_another(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        int missing;
    } pairs[] = {{"progressive.jpg", "rgb420.jpg", CODES},
                 {"rgb420.jpg", "rgb444.jpg", QUANTISERS}};
    for (size_t i = 0; i < 4; i++) {
        size_t length = 0, before = 0;
        const bool whole = i % 2 == 0;
        uint8_t *bytes = (uint8_t *)load(golden(pairs[i / 2].second), &length);
        char *other = load(golden(pairs[i / 2].first), &before);
        length = remove_tables(bytes, length, pairs[i / 2].missing);
        const jsni_image_input first = {(uint8_t *)other, before, "first"};
        const jsni_image_input second = {bytes, length, "second"};
        assert_int_equal(decode_after(NULL, &second, whole),
                         decode_after(&first, &second, whole));
        jsni_free(other);
        jsni_free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_fixture_decodes_to_the_expected_pixels),
        cmocka_unit_test(test_modern_formats_are_close),
        cmocka_unit_test(test_damaged_files_are_refused_or_read_never_worse),
        cmocka_unit_test(test_an_image_without_tables_does_not_take_those_of_another),
        cmocka_unit_test(test_a_damaged_start_is_a_broken_image),
        cmocka_unit_test(test_what_is_no_image_gets_a_sentence),
        cmocka_unit_test(test_what_is_written_reads_back),
        cmocka_unit_test(test_reading_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
