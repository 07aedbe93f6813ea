/* data/codec_ppm.c - PPM and PGM (P6, P5, and the plain P3, P2), 8 and 16 bits. */
#include <string.h>

#include "core/fail.h"
#include "data/image_codec.h"

typedef struct header {
    char kind; /* '2', '3', '5', '6' */
    unsigned width, height, most;
    size_t at; /* where the samples start */
} header;

static bool detect(const uint8_t *bytes, size_t length)
{
    return length >= 3 && bytes[0] == 'P' && strchr("2356", bytes[1]) != NULL &&
           bytes[1] != 0 && strchr(" \t\r\n#", bytes[2]) != NULL && bytes[2] != 0;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next number, behind blanks and comments; false at the end, on another character,
 * and beyond 65535. */
static bool take_number(const jsni_image_input *input, size_t *at, unsigned *out)
{
    size_t i = *at;
    while (i < input->length && (is_space(input->bytes[i]) || input->bytes[i] == '#')) {
        if (input->bytes[i] == '#')
            while (i < input->length && input->bytes[i] != '\n')
                i++;
        else
            i++;
    }
    unsigned value = 0;
    const size_t start = i;
    for (; i < input->length && input->bytes[i] >= '0' && input->bytes[i] <= '9'; i++) {
        value = 10 * value + (unsigned)(input->bytes[i] - '0');
        if (value > 65535)
            return false;
    }
    *at = i;
    *out = value;
    return i > start;
}

static jsn_status read_header(const jsni_image_input *input, header *out)
{
    size_t at = 2;
    out->kind = (char)input->bytes[1];
    if (!take_number(input, &at, &out->width) ||
        !take_number(input, &at, &out->height) ||
        !take_number(input, &at, &out->most) || out->most == 0 || at >= input->length ||
        !is_space(input->bytes[at]))
        return jsni_codec_fail(input, &jsni_codec_ppm, "its header is damaged");
    out->at = at + 1;
    return jsni_codec_check_size(input, &jsni_codec_ppm, out->width, out->height);
}

static jsn_status measure(void **state, const jsni_image_input *input, size_t *width,
                          size_t *height)
{
    (void)state;
    header h;
    JSNI_TRY(read_header(input, &h));
    *width = h.width;
    *height = h.height;
    return JSN_OK;
}

/* A sample of 0..most as 0..255, rounded; more than `most` is white. */
static uint8_t scale(unsigned value, unsigned most)
{
    return (uint8_t)(value >= most ? 255u : (value * 255u + most / 2) / most);
}

static jsn_status decode(void **state, const jsni_image_input *input, jsn_image *out)
{
    (void)state;
    header h;
    JSNI_TRY(read_header(input, &h));
    const bool plain = h.kind == '2' || h.kind == '3';
    const size_t channels = h.kind == '3' || h.kind == '6' ? 3 : 1;
    const size_t width = h.most > 255 ? 2 : 1; /* bytes a sample */
    const size_t samples = (size_t)h.width * h.height * channels;
    /* A plain sample takes a digit and a blank, but for the last one. */
    if (input->length - h.at < (plain ? 2 * samples - 1 : samples * width))
        return jsni_codec_fail(input, &jsni_codec_ppm, "it ends too early");
    JSNI_TRY(jsni_image_reserve(out, h.width, h.height, input->name));
    const uint8_t *from = input->bytes + h.at;
    size_t at = h.at;
    for (size_t i = 0; i < samples; i++) {
        unsigned value = 0;
        if (plain) {
            if (!take_number(input, &at, &value))
                return jsni_codec_fail(input, &jsni_codec_ppm, "a number is missing");
        } else {
            value = width == 1 ? from[i] : (unsigned)from[2 * i] << 8 | from[2 * i + 1];
        }
        const uint8_t byte =
            h.most == 255 ? (uint8_t)(value > 255 ? 255 : value) : scale(value, h.most);
        if (channels == 3)
            out->data[i] = byte;
        else
            memset(out->data + 3 * i, byte, 3);
    }
    return JSN_OK;
}

static jsn_status encode(const jsn_image *image, jsni_text *out)
{
    jsni_text_format(out, "P6\n%zu %zu\n255\n", image->width, image->height);
    jsni_text_add_n(out, (const char *)image->data, image->width * image->height * 3);
    return JSN_OK;
}

const jsni_codec jsni_codec_ppm = {"PPM",  "ppm ", detect, measure,
                                   decode, NULL,   NULL,   encode};
