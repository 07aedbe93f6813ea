/* data/codec_tiff.c - TIFF by libtiff: the first picture, as 8 bits a channel. Transparent
 * pixels are laid over white. */
#include <string.h>
#include <tiffio.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/image_codec.h"
#include "data/orient.h"

enum { ROOM = 64 << 20 }; /* bytes beside the pixels that libtiff may ask for at once */

static bool detect(const uint8_t *bytes, size_t length)
{
    return length >= 8 &&
           (memcmp(bytes, "II*\0", 4) == 0 || memcmp(bytes, "MM\0*", 4) == 0);
}

/* A file in memory. */
typedef struct tiff_reader {
    const jsni_image_input *input;
    uint64_t at;
    TIFF *tiff;
    uint32_t width, height;
    int orientation;
} tiff_reader;

static tmsize_t read_bytes(thandle_t user, void *to, tmsize_t wanted)
{
    tiff_reader *r = user;
    if (wanted < 0 || r->at > r->input->length)
        return 0;
    const size_t left = r->input->length - (size_t)r->at;
    const size_t count = left < (size_t)wanted ? left : (size_t)wanted;
    memcpy(to, r->input->bytes + r->at, count);
    r->at += count;
    return (tmsize_t)count;
}

static tmsize_t write_nothing(thandle_t user, void *from, tmsize_t count)
{
    (void)user;
    (void)from;
    (void)count;
    return 0;
}

static toff_t seek(thandle_t user, toff_t to, int from)
{
    tiff_reader *r = user;
    const uint64_t origin = from == SEEK_CUR   ? r->at
                            : from == SEEK_END ? r->input->length
                                               : 0;
    r->at = origin + to;
    return r->at;
}

static int close_nothing(thandle_t user)
{
    (void)user;
    return 0;
}

static toff_t size_of(thandle_t user)
{
    return ((tiff_reader *)user)->input->length;
}

/* The library prints what it has to say unless somebody takes it. */
static int hush(TIFF *tiff, void *user, const char *module, const char *format,
                va_list args)
{
    (void)tiff;
    (void)user;
    (void)module;
    (void)format;
    (void)args;
    return 1;
}

static jsn_status damaged(const tiff_reader *r, const char *what)
{
    return jsni_codec_fail(r->input, &jsni_codec_tiff, what);
}

static jsn_status open_tiff(tiff_reader *r, const jsni_image_input *input)
{
    *r = (tiff_reader){.input = input, .orientation = 1};
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL)
        return jsni_codec_no_memory(input);
    TIFFOpenOptionsSetErrorHandlerExtR(options, hush, NULL);
    TIFFOpenOptionsSetWarningHandlerExtR(options, hush, NULL);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, ROOM);
    r->tiff = TIFFClientOpenExt("image", "rm", r, read_bytes, write_nothing, seek,
                                close_nothing, size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    if (r->tiff == NULL)
        return damaged(r, "its header is damaged");
    uint16_t orientation = 1;
    if (!TIFFGetField(r->tiff, TIFFTAG_IMAGEWIDTH, &r->width) ||
        !TIFFGetField(r->tiff, TIFFTAG_IMAGELENGTH, &r->height))
        return damaged(r, "it has no pixels");
    if (TIFFGetField(r->tiff, TIFFTAG_ORIENTATION, &orientation) && orientation >= 1 &&
        orientation <= 8)
        r->orientation = orientation;
    return jsni_codec_check_size(input, &jsni_codec_tiff, r->width, r->height);
}

static void close_tiff(tiff_reader *r)
{
    if (r->tiff != NULL)
        TIFFClose(r->tiff);
}

/* Colours come multiplied by alpha. */
static void lay_over_white(const uint32_t *raster, uint8_t *rgb, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++, rgb += 3) {
        const uint32_t white = 255 - TIFFGetA(raster[i]);
        const uint32_t c[3] = {TIFFGetR(raster[i]) + white, TIFFGetG(raster[i]) + white,
                               TIFFGetB(raster[i]) + white};
        for (int k = 0; k < 3; k++)
            rgb[k] = (uint8_t)(c[k] > 255 ? 255 : c[k]);
    }
}

static jsn_status read_pixels(tiff_reader *r, jsn_image *out)
{
    char why[1024] = "";
    const size_t pixels = (size_t)r->width * r->height;
    if (!TIFFRGBAImageOK(r->tiff, why))
        return damaged(r, "its type of pixels is not supported");
    /* As they are stored: we turn images ourselves. */
    (void)TIFFSetField(r->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    uint32_t *raster = jsni_alloc_zero(pixels, sizeof *raster);
    JSNI_TRY_ALLOC(raster);
    jsn_status status = JSN_OK;
    if (!TIFFReadRGBAImageOriented(r->tiff, r->width, r->height, raster,
                                   ORIENTATION_TOPLEFT, 1))
        status = damaged(r, "its data is damaged");
    if (status == JSN_OK)
        status = jsni_image_reserve(out, r->width, r->height, r->input->name);
    if (status == JSN_OK)
        lay_over_white(raster, out->data, pixels);
    jsni_free(raster);
    return status == JSN_OK ? jsni_image_orient(out, r->orientation) : status;
}

static jsn_status measure(void **state, const jsni_image_input *input, size_t *width,
                          size_t *height)
{
    (void)state;
    tiff_reader r;
    const jsn_status status = open_tiff(&r, input);
    if (status == JSN_OK) {
        const bool turns = jsni_orientation_turns(r.orientation);
        *width = turns ? r.height : r.width;
        *height = turns ? r.width : r.height;
    }
    close_tiff(&r);
    return status;
}

static jsn_status decode(void **state, const jsni_image_input *input, jsn_image *out)
{
    (void)state;
    tiff_reader r;
    jsn_status status = open_tiff(&r, input);
    if (status == JSN_OK)
        status = read_pixels(&r, out);
    close_tiff(&r);
    return status;
}

const jsni_codec jsni_codec_tiff = {"TIFF", "tiff tif ", detect, measure,
                                    decode, NULL,        NULL,   NULL};
