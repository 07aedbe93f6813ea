/* data/codec_png.c - PNG by libpng: every depth and colour type becomes 8-bit RGB or
 * RGBA on the way in, and alpha is laid over white. */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/image_codec.h"
#include "data/orient.h"

enum { CHUNK_LIMIT = 8 << 20, CHUNKS = 1000, HEADER = 33 };

typedef struct reader {
    const jsni_image_input *input;
    size_t at;
    char reason[128];
    bool no_memory; /* libpng goes on without some chunks when memory is short */
} reader;

static bool detect(const uint8_t *bytes, size_t length)
{
    return length >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0;
}

static void on_error(png_structp png, png_const_charp text)
{
    reader *r = png_get_error_ptr(png);
    (void)strncpy(r->reason, text, sizeof r->reason - 1);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static png_voidp give_memory(png_structp png, png_alloc_size_t bytes)
{
    reader *r = png_get_mem_ptr(png);
    void *block = malloc(bytes);
    r->no_memory = r->no_memory || block == NULL;
    return block;
}

static void take_memory(png_structp png, png_voidp block)
{
    (void)png;
    free(block);
}

static void take_bytes(png_structp png, png_bytep to, size_t count)
{
    reader *r = png_get_io_ptr(png);
    if (count > r->input->length - r->at)
        png_error(png, "it ends too early");
    memcpy(to, r->input->bytes + r->at, count);
    r->at += count;
}

/* What the header says, before the library looks at it. */
typedef struct frame {
    size_t width, height;
    bool interlaced;
} frame;

static jsn_status read_frame(const jsni_image_input *input, frame *out)
{
    const uint8_t *b = input->bytes;
    if (input->length < HEADER || memcmp(b + 12, "IHDR", 4) != 0)
        return jsni_codec_fail(input, &jsni_codec_png, "its header is damaged");
    *out = (frame){png_get_uint_32(b + 16), png_get_uint_32(b + 20), b[28] != 0};
    return jsni_codec_check_size(input, &jsni_codec_png, out->width, out->height);
}

/* The orientation in an eXIf chunk, before or behind the pixels. */
static int find_orientation(const jsni_image_input *input)
{
    for (size_t at = 8; at + 12 <= input->length;) {
        const size_t size = png_get_uint_32(input->bytes + at);
        if (size > input->length - at - 12)
            break;
        if (memcmp(input->bytes + at + 4, "eXIf", 4) == 0)
            return jsni_exif_orientation(input->bytes + at + 8, size);
        at += 12 + size;
    }
    return 1;
}

static jsn_status measure(void **state, const jsni_image_input *input, size_t *width,
                          size_t *height)
{
    (void)state;
    frame f = {0};
    JSNI_TRY(read_frame(input, &f));
    const bool turns = jsni_orientation_turns(find_orientation(input));
    *width = turns ? f.height : f.width;
    *height = turns ? f.width : f.height;
    return JSN_OK;
}

/* Chunks that say nothing of the pixels are passed by: the library would take memory for
 * whatever length they claim. */
static void skip_chunks(png_structp png)
{
    static const png_byte names[] =
        "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0"
        "pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0tIME\0zTXt";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, names, sizeof names / 5);
}

/* Everything that can jump out of libpng. `block` is the caller's, who frees it: room for
 * all of an interlaced image, else for a row. Rows are laid over white as they come. */
static jsn_status read_pixels(png_structp png, png_infop info, reader *r,
                              uint8_t *block, const frame *f, uint8_t *out)
{
    if (setjmp(png_jmpbuf(png)) != 0)
        return jsni_codec_fail(r->input, &jsni_codec_png, r->reason);
    png_set_user_limits(png, JSN_IMAGE_MAX_SIDE, JSN_IMAGE_MAX_SIDE);
    png_set_chunk_malloc_max(png, CHUNK_LIMIT);
    png_set_chunk_cache_max(png, CHUNKS);
    skip_chunks(png);
    png_set_read_fn(png, r, take_bytes);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != f->width * 4 ||
        png_get_image_height(png, info) != f->height || (passes > 1) != f->interlaced)
        png_error(png, "its header changed");
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < f->height; y++) {
            uint8_t *row = block + (f->interlaced ? y * f->width * 4 : 0);
            png_read_row(png, row, NULL);
            if (pass + 1 == passes)
                jsni_image_flatten(row, out + y * f->width * 3, f->width);
        }
    png_read_end(png, info);
    return JSN_OK;
}

static jsn_status decode(void **state, const jsni_image_input *input, jsn_image *out)
{
    frame f = {0};
    (void)state;
    JSNI_TRY(read_frame(input, &f));
    JSNI_TRY(jsni_image_reserve(out, f.width, f.height, input->name));
    reader r = {input, 0, "unknown", false};
    jsn_status status = JSN_ERR_MEMORY;
    png_structp png = png_create_read_struct_2(
        PNG_LIBPNG_VER_STRING, &r, on_error, on_warning, &r, give_memory, take_memory);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    uint8_t *block = jsni_alloc(f.interlaced ? f.width * f.height : f.width, 4);
    if (block == NULL)
        goto done;
    if (info == NULL) {
        status = jsni_fail(JSN_ERR_MEMORY, "libpng could not be started");
        goto done;
    }
    status = read_pixels(png, info, &r, block, &f, out->data);
    if (r.no_memory)
        status = jsni_codec_no_memory(input);
    if (status == JSN_OK)
        status = jsni_image_orient(out, find_orientation(input));
done:
    png_destroy_read_struct(&png, &info, NULL);
    jsni_free(block);
    return status;
}

static void give_bytes(png_structp png, png_bytep from, size_t count)
{
    jsni_text_add_n(png_get_io_ptr(png), (const char *)from, count);
}

static void flush(png_structp png)
{
    (void)png;
}

static jsn_status write_pixels(png_structp png, png_infop info, const jsn_image *image,
                               jsni_text *out, const reader *r)
{
    if (setjmp(png_jmpbuf(png)) != 0)
        return jsni_fail(JSN_ERR_IO, "PNG could not be written: %s", r->reason);
    png_set_write_fn(png, out, give_bytes, flush);
    png_set_user_limits(png, JSN_IMAGE_MAX_SIDE, JSN_IMAGE_MAX_SIDE);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (size_t y = 0; y < image->height; y++)
        png_write_row(png, image->data + y * image->width * 3);
    png_write_end(png, info);
    return JSN_OK;
}

static jsn_status encode(const jsn_image *image, jsni_text *out)
{
    reader r = {NULL, 0, "unknown", false};
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    const jsn_status status =
        info == NULL ? jsni_fail(JSN_ERR_MEMORY, "libpng could not be started")
                     : write_pixels(png, info, image, out, &r);
    png_destroy_write_struct(&png, &info);
    return status;
}

const jsni_codec jsni_codec_png = {"PNG",  "png ", detect, measure,
                                   decode, NULL,   NULL,   encode};
