/* format/npy.c - .npy files: "\x93NUMPY", version, header length, a Python dictionary
 * literal with descr, fortran_order and shape, then the elements.
 *
 * The dictionary is read by a parser for exactly the literals that NumPy writes (quoted
 * texts, True, False, a tuple of whole numbers), so that nothing can be evaluated.
 * Sizes are checked against the length of the file before anything is allocated.
 */
#include "format/npy.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/limit.h"
#include "core/text.h"
#include "format/dtype.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the array files are written as they lie in memory: little-endian machines only"
#endif

enum { MAX_HEADER = 65536, ALIGNMENT = 64 };

/* descr of each dtype without the byte order; NULL: .npy has no such type. */
static const char *const codes[JSN_DTYPE_COUNT] = {
    [JSN_DTYPE_BOOL] = "b1",    [JSN_DTYPE_INT8] = "i1",    [JSN_DTYPE_UINT8] = "u1",
    [JSN_DTYPE_INT16] = "i2",   [JSN_DTYPE_UINT16] = "u2",  [JSN_DTYPE_INT32] = "i4",
    [JSN_DTYPE_UINT32] = "u4",  [JSN_DTYPE_INT64] = "i8",   [JSN_DTYPE_UINT64] = "u8",
    [JSN_DTYPE_FLOAT16] = "f2", [JSN_DTYPE_FLOAT32] = "f4", [JSN_DTYPE_FLOAT64] = "f8"};

typedef struct header {
    jsn_array array; /* dtype, rank, shape; no data */
    bool swapped;    /* big-endian */
    bool fortran;
    size_t offset; /* of the elements */
    size_t bytes;  /* of the elements */
} header;

typedef struct cursor {
    const char *name; /* of the file */
    const char *at;
    const char *end;
} cursor;

static jsn_status malformed(const cursor *c, const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s: the .npy header is malformed: %s", c->name,
                     what);
}

static void skip_spaces(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n'))
        c->at++;
}

static bool take(cursor *c, const char *word)
{
    skip_spaces(c);
    const size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A quoted text without escapes, as a slice. */
static bool take_quoted(cursor *c, const char **text, size_t *length)
{
    skip_spaces(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    const char quote = *c->at++;
    *text = c->at;
    while (c->at < c->end && *c->at != quote && *c->at != '\\' && *c->at != '\n')
        c->at++;
    *length = (size_t)(c->at - *text);
    if (c->at == c->end || *c->at != quote)
        return false;
    c->at++;
    return true;
}

static jsn_status parse_descr(cursor *c, header *h)
{
    const char *text = NULL;
    size_t length = 0;
    if (!take_quoted(c, &text, &length))
        return take(c, "[")
                   ? jsni_fail(JSN_ERR_DATA,
                               "%s: records of several fields are not read", c->name)
                   : malformed(c, "'descr' is not a text");
    if (length >= 2 && text[0] != '\0' && strchr("<>|=", text[0]) != NULL)
        for (int i = 0; i < JSN_DTYPE_COUNT; i++)
            if (codes[i] != NULL && strlen(codes[i]) == length - 1 &&
                memcmp(codes[i], text + 1, length - 1) == 0) {
                const bool single = jsni_dtype_size((jsn_dtype)i) == 1;
                if (text[0] == '=' || (text[0] == '|' && !single))
                    return malformed(c, "'descr' gives no byte order");
                h->array.dtype = (jsn_dtype)i;
                h->swapped = text[0] == '>' && !single;
                return JSN_OK;
            }
    return jsni_fail(
        JSN_ERR_DATA,
        "%s: elements of type '%.*s' are not read (only bool, integers and "
        "floats of 2, 4 and 8 bytes)",
        c->name, (int)(length > 40 ? 40 : length), text);
}

static jsn_status parse_order(cursor *c, header *h)
{
    h->fortran = take(c, "True");
    if (!h->fortran && !take(c, "False"))
        return malformed(c, "'fortran_order' is neither True nor False");
    return JSN_OK;
}

static jsn_status parse_extent(cursor *c, size_t *out)
{
    size_t value = 0;
    const char *start = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        const size_t digit = (size_t)(*c->at - '0');
        if (value > (JSN_ARRAY_MAX_BYTES - digit) / 10)
            return jsni_fail(JSN_ERR_DATA, "%s: the shape is too large", c->name);
        value = value * 10 + digit;
    }
    if (c->at == start)
        return malformed(c, "'shape' is not a tuple of whole numbers");
    *out = value;
    return JSN_OK;
}

static jsn_status parse_shape(cursor *c, header *h)
{
    if (!take(c, "("))
        return malformed(c, "'shape' is not a tuple");
    bool comma = true;
    while (!take(c, ")")) {
        if (!comma)
            return malformed(c, "'shape' lacks a comma");
        if (h->array.rank == JSN_ARRAY_MAX_RANK)
            return jsni_fail(JSN_ERR_DATA, "%s: more than %d dimensions", c->name,
                             JSN_ARRAY_MAX_RANK);
        skip_spaces(c);
        JSNI_TRY(parse_extent(c, &h->array.shape[h->array.rank++]));
        comma = take(c, ",");
    }
    if (h->array.rank == 1 && !comma)
        return malformed(c, "'shape' is a number in brackets, not a tuple");
    return JSN_OK;
}

static jsn_status parse_dictionary(cursor *c, header *h)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    static jsn_status (*const parsers[])(cursor *, header *) = {
        parse_descr, parse_order, parse_shape};
    bool seen[3] = {false, false, false};
    if (!take(c, "{"))
        return malformed(c, "no dictionary");
    bool comma = true;
    while (!take(c, "}")) {
        const char *key = NULL;
        size_t length = 0;
        if (!comma || !take_quoted(c, &key, &length) || !take(c, ":"))
            return malformed(c, "not 'key': value pairs");
        size_t i = 0;
        while (i < 3 &&
               !(strlen(keys[i]) == length && memcmp(keys[i], key, length) == 0))
            i++;
        if (i == 3)
            return malformed(c, "a key beside descr, fortran_order and shape");
        if (seen[i])
            return malformed(c, "a key occurs twice");
        seen[i] = true;
        JSNI_TRY(parsers[i](c, h));
        comma = take(c, ",");
    }
    if (!seen[0] || !seen[1] || !seen[2])
        return malformed(c, "descr, fortran_order or shape is missing");
    skip_spaces(c);
    return c->at == c->end ? JSN_OK : malformed(c, "text after the dictionary");
}

/* The shape against what the file holds. */
static jsn_status check_size(const char *name, header *h, size_t length)
{
    const size_t size = jsni_dtype_size(h->array.dtype);
    size_t room = JSN_ARRAY_MAX_BYTES / size;
    for (size_t i = 0; i < h->array.rank; i++) {
        if (h->array.shape[i] > room)
            return jsni_fail(JSN_ERR_DATA, "%s: the shape is too large", name);
        if (h->array.shape[i] != 0)
            room /= h->array.shape[i];
    }
    h->bytes = jsni_array_bytes(&h->array);
    if (length - h->offset != h->bytes)
        return jsni_fail(JSN_ERR_DATA, "%s: %zu bytes of elements, the shape needs %zu",
                         name, length - h->offset, h->bytes);
    return JSN_OK;
}

static jsn_status parse_header(header *h, const char *name, const uint8_t *data,
                               size_t length)
{
    *h = (header){0};
    if (length < 10 || memcmp(data, "\x93NUMPY", 6) != 0)
        return jsni_fail(JSN_ERR_DATA, "%s: not a .npy file", name);
    const unsigned major = data[6], minor = data[7];
    if (major < 1 || major > 3 || minor != 0)
        return jsni_fail(JSN_ERR_DATA, "%s: .npy version %u.%u is not known", name,
                         major, minor);
    size_t text = (size_t)data[8] | (size_t)data[9] << 8;
    size_t start = 10;
    if (major > 1) {
        if (length < 12)
            return jsni_fail(JSN_ERR_DATA, "%s: ends inside the header", name);
        text |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
        start = 12;
    }
    if (text > MAX_HEADER)
        return jsni_fail(JSN_ERR_DATA, "%s: a header of %zu bytes, more than %d", name,
                         text, MAX_HEADER);
    if (length - start < text)
        return jsni_fail(JSN_ERR_DATA, "%s: ends inside the header", name);
    cursor c = {name, (const char *)data + start, (const char *)data + start + text};
    JSNI_TRY(parse_dictionary(&c, h));
    h->offset = start + text;
    return check_size(name, h, length);
}

static void swap_bytes(uint8_t *data, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        for (size_t a = i * size, b = a + size - 1; a < b; a++, b--) {
            const uint8_t held = data[a];
            data[a] = data[b];
            data[b] = held;
        }
}

/* From first index fastest to last index fastest. */
static void transpose(const jsn_array *to, const uint8_t *from)
{
    const size_t size = jsni_dtype_size(to->dtype), count = jsn_array_count(to);
    size_t index[JSN_ARRAY_MAX_RANK] = {0};
    for (size_t i = 0; i < count; i++) {
        size_t target = 0;
        for (size_t d = 0; d < to->rank; d++)
            target = target * to->shape[d] + index[d];
        memcpy((uint8_t *)to->data + target * size, from + i * size, size);
        for (size_t d = 0; d < to->rank && ++index[d] == to->shape[d]; d++)
            index[d] = 0;
    }
}

static jsn_status check_bools(const char *name, const jsn_array *array)
{
    const uint8_t *at = array->data;
    for (size_t i = 0; array->dtype == JSN_DTYPE_BOOL && i < jsn_array_count(array);
         i++)
        if (at[i] > 1)
            return jsni_fail(JSN_ERR_DATA, "%s: element %zu is %u, which is not a bool",
                             name, i, at[i]);
    return JSN_OK;
}

/* Takes `block`, which holds the whole file, over: the elements move to its start. */
static jsn_status adopt(jsn_array *out, const char *name, const header *h,
                        uint8_t *block)
{
    jsn_array array = h->array;
    jsn_status status = JSN_OK;
    memmove(block, block + h->offset, h->bytes);
    array.data = block;
    if (h->swapped)
        swap_bytes(block, jsn_array_count(&array), jsni_dtype_size(array.dtype));
    if (h->fortran && array.rank > 1) {
        status = jsn_array_create(&array, array.dtype, array.rank, h->array.shape);
        if (status == JSN_OK)
            transpose(&array, block);
        jsni_free(block);
    }
    if (status == JSN_OK)
        status = check_bools(name, &array);
    if (status == JSN_OK)
        *out = array;
    else
        jsn_array_release(&array);
    return status;
}

jsn_status jsni_npy_parse(jsn_array *out, const char *name, const void *data,
                          size_t length)
{
    header h;
    *out = (jsn_array){0};
    JSNI_TRY(parse_header(&h, name, data, length));
    uint8_t *block = jsni_alloc(length, 1);
    JSNI_TRY_ALLOC(block);
    memcpy(block, data, length);
    return adopt(out, name, &h, block);
}

jsn_status jsni_array_read_in(jsn_array *out, const char *folder, const char *name)
{
    header h;
    char *block = NULL;
    size_t length = 0;
    *out = (jsn_array){0};
    JSNI_TRY(jsni_limit_holes(folder, name));
    JSNI_TRY(jsni_file_read_in(folder, name, JSN_ARRAY_MAX_BYTES + MAX_HEADER, &block,
                               &length));
    char *path = jsni_file_path(folder, name);
    jsn_status status = path == NULL
                            ? JSN_ERR_MEMORY
                            : parse_header(&h, path, (const uint8_t *)block, length);
    if (status == JSN_OK)
        status = adopt(out, path, &h, (uint8_t *)block);
    else
        jsni_free(block);
    jsni_free(path);
    return status;
}

jsn_status jsn_array_read(jsn_array *out, const char *path)
{
    if (out == NULL || path == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "array: out or the path is NULL");
    return jsni_array_read_in(out, NULL, path);
}

/* The header as NumPy writes it: padded with spaces so that the elements start at a
 * multiple of 64 bytes. */
static size_t format_header(const jsn_array *array, char text[512])
{
    static const char preamble[10] = "\x93NUMPY\x01\x00";
    const bool single = jsni_dtype_size(array->dtype) == 1;
    jsni_text line = jsni_text_in(text, 512);
    jsni_text_add_n(&line, preamble, sizeof preamble);
    jsni_text_format(&line, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                     single ? '|' : '<', codes[array->dtype]);
    for (size_t i = 0; i < array->rank; i++)
        jsni_text_format(&line, "%s%zu%s", i == 0 ? "" : " ", array->shape[i],
                         i + 1 < array->rank || array->rank == 1 ? "," : "");
    jsni_text_add(&line, "), }");
    while ((line.length + 1) % ALIGNMENT != 0)
        jsni_text_add(&line, " ");
    jsni_text_add(&line, "\n");
    const size_t length = line.length - sizeof preamble;
    text[8] = (char)(length & 0xff);
    text[9] = (char)(length >> 8);
    return line.length;
}

jsn_status jsni_array_write_in(const jsn_array *array, const char *folder,
                               const char *name)
{
    char text[512];
    if ((unsigned)array->dtype >= JSN_DTYPE_COUNT || codes[array->dtype] == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s: .npy has no type %s", name,
                         jsn_dtype_name(array->dtype));
    if (array->rank > JSN_ARRAY_MAX_RANK)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s: rank %zu is above %d", name,
                         array->rank, JSN_ARRAY_MAX_RANK);
    const size_t used = format_header(array, text);
    jsni_file_writer writer;
    JSNI_TRY(jsni_file_begin(&writer, folder, name));
    jsn_status status = jsni_file_add(&writer, text, used);
    if (status == JSN_OK)
        status = jsni_file_add(&writer, array->data, jsni_array_bytes(array));
    return jsni_file_end(&writer, status);
}

jsn_status jsn_array_write(const jsn_array *array, const char *path)
{
    if (array == NULL || path == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "array: the array or the path is NULL");
    return jsni_array_write_in(array, NULL, path);
}
