/* data/jpeg_part_libjpeg.c - parts of JPEGs by libjpeg-turbo's own interface.
 *
 * The library skips the transforms above, left and right of the part, and nothing below
 * it is read at all. The bits of what is skipped above still have to be decoded, which
 * is more than half of the work. Smooth chroma upsampling reads neighbours: the library
 * would treat the edges of the part as those of the image, so a margin is decoded and
 * dropped.
 */
#include "data/jpeg_part.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/image_codec.h"

/* Scans of a progressive file are limited as TurboJPEG does: each costs a pass. */
enum { MARGIN = 2, MOST_SCANS = 500, ROWS = 16, SHIFT = 8, C = JSN_IMAGE_CHANNELS };

struct jsni_jpeg_reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr error;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;
    char sentence[JMSG_LENGTH_MAX]; /* of the failure, or the worst warning */
    bool harmful;                   /* the warning is more than a blemish */
    uint8_t *rows;                  /* [ROWS][row_bytes] */
    size_t row_bytes;
};

static jsni_jpeg_reader *reader_of(j_common_ptr jpeg)
{
    return jpeg->client_data;
}

static void on_error(j_common_ptr jpeg)
{
    jsni_jpeg_reader *r = reader_of(jpeg);
    r->error.format_message(jpeg, r->sentence);
    longjmp(r->failed, 1);
}

static void on_message(j_common_ptr jpeg, int level)
{
    jsni_jpeg_reader *r = reader_of(jpeg);
    if (level >= 0 || r->harmful)
        return;
    r->error.format_message(jpeg, r->sentence);
    r->harmful = !jsni_jpeg_is_harmless(r->sentence);
}

static void on_progress(j_common_ptr jpeg)
{
    jsni_jpeg_reader *r = reader_of(jpeg);
    if (r->jpeg.input_scan_number <= MOST_SCANS)
        return;
    (void)snprintf(r->sentence, sizeof r->sentence, "it has more than %d scans",
                   (int)MOST_SCANS);
    longjmp(r->failed, 1);
}

bool jsni_jpeg_reads_boxes(void)
{
    return true;
}

jsn_status jsni_jpeg_reader_create(jsni_jpeg_reader **out)
{
    *out = NULL;
    jsni_jpeg_reader *r = jsni_alloc_zero(1, sizeof *r);
    JSNI_TRY_ALLOC(r);
    r->jpeg.err = jpeg_std_error(&r->error);
    r->error.error_exit = on_error;
    r->error.emit_message = on_message;
    r->jpeg.client_data = r;
    r->progress.progress_monitor = on_progress;
    if (setjmp(r->failed) != 0) {
        jsni_free(r);
        return jsni_fail(JSN_ERR_MEMORY, "libjpeg-turbo could not be started");
    }
    jpeg_create_decompress(&r->jpeg);
    r->jpeg.progress = &r->progress;
    *out = r;
    return JSN_OK;
}

void jsni_jpeg_reader_destroy(jsni_jpeg_reader *reader)
{
    if (reader == NULL)
        return;
    jpeg_destroy_decompress(&reader->jpeg);
    jsni_free(reader->rows);
    jsni_free(reader);
}

/* The columns that are decoded for the box: with a margin, and from where the library
 * can begin. */
static jsn_status choose_columns(jsni_jpeg_reader *r, const jsni_jpeg_box *box,
                                 size_t *first)
{
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    JDIMENSION left = (JDIMENSION)(box->x0 > MARGIN ? box->x0 - MARGIN : 0);
    const size_t right =
        box->x1 + MARGIN < jpeg->output_width ? box->x1 + MARGIN : jpeg->output_width;
    JDIMENSION width = (JDIMENSION)right - left;
    if (width < jpeg->output_width)
        jpeg_crop_scanline(jpeg, &left, &width);
    *first = left;
    /* Rows that are aligned to 32 bytes are written past the cache: none is. */
    const size_t bytes = ((size_t)jpeg->output_width * C + SHIFT + 31) / 32 * 32;
    if (bytes > r->row_bytes) {
        jsni_free(r->rows);
        r->row_bytes = 0;
        JSNI_TRY_ALLOC(r->rows = jsni_alloc(ROWS, bytes));
        r->row_bytes = bytes;
    }
    return JSN_OK;
}

static void read_rows(jsni_jpeg_reader *r, const jsni_jpeg_box *box, size_t first,
                      uint8_t *to)
{
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    const size_t bytes = (box->x1 - box->x0) * C;
    JSAMPROW rows[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = r->rows + i * r->row_bytes + SHIFT;
    if (box->y0 > 0)
        (void)jpeg_skip_scanlines(jpeg, (JDIMENSION)box->y0);
    for (size_t y = box->y0; y < box->y1;) {
        const size_t left = box->y1 - y;
        const size_t got = jpeg_read_scanlines(
            jpeg, rows, (JDIMENSION)(left < ROWS ? left : (size_t)ROWS));
        for (size_t i = 0; i < got; i++, y++)
            memcpy(to + (y - box->y0) * bytes, rows[i] + (box->x0 - first) * C, bytes);
    }
}

/* Everything that may jump out; *status tells why it did not. */
static bool read_guarded(jsni_jpeg_reader *r, const jsni_image_input *input,
                         const jsni_jpeg_box *box, uint8_t *to, jsn_status *status)
{
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    if (setjmp(r->failed) != 0)
        return false;
    jpeg_mem_src(jpeg, input->bytes, (unsigned long)input->length);
    (void)jpeg_read_header(jpeg, TRUE);
    jpeg->scale_num = 8 / box->divisor;
    jpeg->scale_denom = 8;
    jpeg->out_color_space = JCS_RGB;
    (void)jpeg_start_decompress(jpeg);
    size_t first = 0;
    if (jpeg->output_width < box->x1 || jpeg->output_height < box->y1)
        *status = jsni_codec_fail(input, &jsni_codec_jpeg, "its size has changed");
    else
        *status = choose_columns(r, box, &first);
    if (*status == JSN_OK)
        read_rows(r, box, first, to);
    return true;
}

jsn_status jsni_jpeg_read_box(jsni_jpeg_reader *reader, const jsni_image_input *input,
                              const jsni_jpeg_box *box, uint8_t *to)
{
    jsn_status status = JSN_OK;
    reader->harmful = false;
    const bool done = read_guarded(reader, input, box, to, &status);
    jpeg_abort_decompress(&reader->jpeg);
    if (status == JSN_OK && (!done || reader->harmful))
        return jsni_jpeg_failed(input, reader->sentence);
    return status;
}
