/* data/codec_gif.c - GIF by giflib: the first picture, on its canvas. What the picture leaves
 * open, and its transparent pixels, are white. */
#include <gif_lib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/image_codec.h"

static bool detect(const uint8_t *bytes, size_t length)
{
    return length >= 6 &&
           (memcmp(bytes, "GIF87a", 6) == 0 || memcmp(bytes, "GIF89a", 6) == 0);
}

typedef struct gif_reader {
    const jsni_image_input *input;
    size_t at;
    GifFileType *gif;
    int transparent; /* colour, or -1 */
} gif_reader;

/* An InputFunc: less than was asked for is the end. */
static int read_bytes(GifFileType *gif, GifByteType *to, int wanted)
{
    gif_reader *r = gif->UserData;
    const size_t left = r->input->length - r->at;
    const size_t count = left < (size_t)wanted ? left : (size_t)wanted;
    memcpy(to, r->input->bytes + r->at, count);
    r->at += count;
    return (int)count;
}

static jsn_status damaged(const gif_reader *r, const char *what)
{
    return jsni_codec_fail(r->input, &jsni_codec_gif, what);
}

static jsn_status open_gif(gif_reader *r, const jsni_image_input *input)
{
    int error = 0;
    *r = (gif_reader){.input = input, .transparent = NO_TRANSPARENT_COLOR};
    r->gif = DGifOpen(r, read_bytes, &error);
    if (r->gif == NULL)
        return error == D_GIF_ERR_NOT_ENOUGH_MEM ? jsni_codec_no_memory(input)
                                                 : damaged(r, "its header is damaged");
    return JSN_OK;
}

static void close_gif(gif_reader *r)
{
    int error = 0;
    if (r->gif != NULL)
        (void)DGifCloseFile(r->gif, &error);
}

/* Blocks ahead of the picture; that of its transparency counts. */
static jsn_status read_extension(gif_reader *r)
{
    int code = 0;
    GifByteType *block = NULL;
    if (DGifGetExtension(r->gif, &code, &block) != GIF_OK)
        return damaged(r, "it is cut short");
    while (block != NULL) {
        GraphicsControlBlock control;
        if (code == GRAPHICS_EXT_FUNC_CODE &&
            DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
            r->transparent = control.TransparentColor;
        if (DGifGetExtensionNext(r->gif, &block) != GIF_OK)
            return damaged(r, "it is cut short");
    }
    return JSN_OK;
}

/* Up to the first picture, whose place must lie on the canvas. */
static jsn_status find_picture(gif_reader *r)
{
    const GifFileType *gif = r->gif;
    GifRecordType kind = UNDEFINED_RECORD_TYPE;
    JSNI_TRY(jsni_codec_check_size(r->input, &jsni_codec_gif, (uint64_t)gif->SWidth,
                                   (uint64_t)gif->SHeight));
    do {
        if (DGifGetRecordType(r->gif, &kind) != GIF_OK || kind == TERMINATE_RECORD_TYPE)
            return damaged(r, "it has no picture");
        if (kind == EXTENSION_RECORD_TYPE)
            JSNI_TRY(read_extension(r));
    } while (kind != IMAGE_DESC_RECORD_TYPE);
    if (DGifGetImageDesc(r->gif) != GIF_OK)
        return damaged(r, "its picture is damaged");
    const GifImageDesc *at = &gif->Image;
    if (at->Left < 0 || at->Top < 0 || at->Width < 1 || at->Height < 1 ||
        at->Left + at->Width > gif->SWidth || at->Top + at->Height > gif->SHeight)
        return damaged(r, "its picture does not lie on its canvas");
    return JSN_OK;
}

static jsn_status read_row(gif_reader *r, const ColorMapObject *colours, int y,
                           GifPixelType *line, jsn_image *out)
{
    const GifImageDesc *at = &r->gif->Image;
    if (DGifGetLine(r->gif, line, at->Width) != GIF_OK)
        return damaged(r, "it is cut short");
    uint8_t *to =
        out->data + ((size_t)(at->Top + y) * out->width + (size_t)at->Left) * 3;
    for (int x = 0; x < at->Width; x++, to += 3) {
        if (line[x] == r->transparent || line[x] >= colours->ColorCount)
            continue;
        const GifColorType *c = &colours->Colors[line[x]];
        to[0] = c->Red;
        to[1] = c->Green;
        to[2] = c->Blue;
    }
    return JSN_OK;
}

static jsn_status read_picture(gif_reader *r, jsn_image *out)
{
    static const struct {
        int first, step;
    } passes[] = {{0, 1}, {0, 8}, {4, 8}, {2, 4}, {1, 2}}; /* [0]: not interlaced */
    const GifImageDesc *at = &r->gif->Image;
    const ColorMapObject *colours =
        at->ColorMap != NULL ? at->ColorMap : r->gif->SColorMap;
    if (colours == NULL)
        return damaged(r, "it has no colours");
    JSNI_TRY(jsni_image_reserve(out, (size_t)r->gif->SWidth, (size_t)r->gif->SHeight,
                                r->input->name));
    memset(out->data, 255, out->width * out->height * 3);
    GifPixelType *line = jsni_alloc((size_t)at->Width, sizeof *line);
    JSNI_TRY_ALLOC(line);
    jsn_status status = JSN_OK;
    const size_t begin = at->Interlace ? 1 : 0, end = at->Interlace ? 5 : 1;
    for (size_t p = begin; p < end; p++)
        for (int y = passes[p].first; status == JSN_OK && y < at->Height;
             y += passes[p].step)
            status = read_row(r, colours, y, line, out);
    jsni_free(line);
    return status;
}

static jsn_status measure(void **state, const jsni_image_input *input, size_t *width,
                          size_t *height)
{
    (void)state;
    gif_reader r;
    jsn_status status = open_gif(&r, input);
    if (status == JSN_OK)
        status = find_picture(&r);
    if (status == JSN_OK) {
        *width = (size_t)r.gif->SWidth;
        *height = (size_t)r.gif->SHeight;
    }
    close_gif(&r);
    return status;
}

static jsn_status decode(void **state, const jsni_image_input *input, jsn_image *out)
{
    (void)state;
    gif_reader r;
    jsn_status status = open_gif(&r, input);
    if (status == JSN_OK)
        status = find_picture(&r);
    if (status == JSN_OK)
        status = read_picture(&r, out);
    close_gif(&r);
    return status;
}

const jsni_codec jsni_codec_gif = {"GIF",  "gif ", detect, measure,
                                   decode, NULL,   NULL,   NULL};
