/* tests/data/part_fixture.c - see part_fixture.h. */
#include "data/part_fixture.h"

#include <turbojpeg.h>

jpeg_file part_encode(const uint8_t *pixels, size_t width, size_t height, int sampling,
                      int flags, int orientation)
{
    static const uint8_t exif[] = {0xff, 0xd8, 0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f',
                                   0,    0,    'M',  'M',  0, 42, 0,   0,   0,   8,
                                   0,    1,    1,    0x12, 0, 3,  0,   0,   0,   1,
                                   0,    0,    0,    0,    0, 0,  0,   0};
    tjhandle handle = tjInitCompress();
    assert_non_null(handle);
    unsigned char *made = NULL;
    unsigned long length = 0;
    assert_int_equal(tjCompress2(handle, pixels, (int)width, 0, (int)height, TJPF_RGB,
                                 &made, &length, sampling, 100, flags),
                     0);
    /* A SHORT in a big-endian field of four stands in its first two bytes. */
    const size_t head = sizeof exif;
    jpeg_file file = {malloc(head + length), head + length - 2};
    assert_non_null(file.bytes);
    memcpy(file.bytes, exif, head);
    file.bytes[head - 7] = (uint8_t)orientation;
    memcpy(file.bytes + head, made + 2, length - 2);
    tjFree(made);
    (void)tjDestroy(handle);
    return file;
}

void part_fill(uint8_t *pixels, size_t count, uint64_t seed)
{
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_AUGMENT, 0, 0, 0);
    uint32_t level = 128;
    for (size_t i = 0; i < count; i++) {
        level = (level * 3 + jsni_rng_below(&rng, 256)) / 4;
        pixels[i] = (uint8_t)level;
    }
}

jsn_status part_give(void *user, size_t width, size_t height, jsni_image_want *want)
{
    (void)width;
    (void)height;
    *want = *(const jsni_image_want *)user;
    return JSN_OK;
}

jsn_status part_all_at(void *user, size_t width, size_t height, jsni_image_want *want)
{
    (void)width;
    (void)height;
    want->divisor = *(const unsigned *)user;
    return JSN_OK;
}

size_t part_below(jsni_rng *rng, size_t n)
{
    return jsni_rng_below(rng, (uint32_t)n);
}

int part_agrees(const jsni_image_part *part, const jsni_image_part *whole)
{
    const ptrdiff_t d = (ptrdiff_t)whole->divisor;
    if (part->divisor != whole->divisor || (part->left - whole->left) % d != 0 ||
        (part->top - whole->top) % d != 0 || part->left < whole->left ||
        part->top < whole->top)
        return 0;
    const size_t x = (size_t)((part->left - whole->left) / d);
    const size_t y = (size_t)((part->top - whole->top) / d);
    const jsn_image *p = &part->image, *w = &whole->image;
    if (x + p->width > w->width || y + p->height > w->height)
        return 0;
    for (size_t i = 0; i < p->height; i++)
        if (memcmp(p->data + i * p->width * 3, w->data + ((y + i) * w->width + x) * 3,
                   p->width * 3) != 0)
            return 0;
    return 1;
}

int part_holds(const jsni_image_part *part, const jsni_image_want *want)
{
    const ptrdiff_t d = (ptrdiff_t)part->divisor;
    return part->left <= (ptrdiff_t)want->left && part->top <= (ptrdiff_t)want->top &&
           part->left + d * (ptrdiff_t)part->image.width >=
               (ptrdiff_t)(want->left + want->width) &&
           part->top + d * (ptrdiff_t)part->image.height >=
               (ptrdiff_t)(want->top + want->height);
}
