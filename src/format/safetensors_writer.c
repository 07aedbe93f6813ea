/* format/safetensors_writer.c - the writer; see safetensors.h. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "format/dtype.h"
#include "format/safetensors.h"
#include "jensen/option.h"

static size_t bytes_of(const jsni_safetensor *t)
{
    size_t bytes = jsni_dtype_size(t->dtype);
    for (size_t i = 0; i < t->rank; i++)
        bytes *= t->shape[i];
    return bytes;
}

/* Widest elements first, else the given order. */
static void arrange(const jsni_safetensor *tensors, size_t count,
                    const jsni_safetensor **order)
{
    size_t placed = 0;
    for (size_t size = 8; size > 0; size /= 2)
        for (size_t i = 0; i < count; i++)
            if (jsni_dtype_size(tensors[i].dtype) == size)
                order[placed++] = &tensors[i];
}

static void put_tensor(jsni_json_writer *w, const jsni_safetensor *t, size_t offset)
{
    jsni_json_begin_object(w, t->name);
    jsni_json_put_text(w, "dtype", jsni_safetensors_dtype(t->dtype));
    jsni_json_begin_array(w, "shape");
    for (size_t i = 0; i < t->rank; i++)
        jsni_json_put_int(w, NULL, (int64_t)t->shape[i]);
    jsni_json_end(w);
    jsni_json_begin_array(w, "data_offsets");
    jsni_json_put_int(w, NULL, (int64_t)offset);
    jsni_json_put_int(w, NULL, (int64_t)(offset + bytes_of(t)));
    jsni_json_end(w);
    jsni_json_end(w);
}

/* The header as text, without its padding. Reading it back finds what cannot be stored:
 * two tensors of one name, names that are not UTF-8 would not come back as they were. */
static jsn_status make_header(const jsni_safetensor *const *order, size_t count,
                              const jsni_pair *pairs, size_t pair_count, bool checksum,
                              char **out)
{
    jsni_json_writer *w = NULL;
    jsni_json *back = NULL;
    size_t offset = 0;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    if (pair_count > 0 || checksum) {
        jsni_json_begin_object(w, "__metadata__");
        for (size_t i = 0; i < pair_count; i++)
            jsni_json_put_text(w, pairs[i].key, pairs[i].value);
        if (checksum) {
            char hex[JSNI_SAFETENSORS_HEX];
            jsni_safetensors_hash(order, count, pairs, pair_count, hex);
            jsni_json_put_text(w, JSNI_SAFETENSORS_CHECKSUM, hex);
        }
        jsni_json_end(w);
    }
    for (size_t i = 0; i < count; i++) {
        put_tensor(w, order[i], offset);
        offset += bytes_of(order[i]);
    }
    jsni_json_end(w);
    jsn_status status = jsni_json_writer_take(w, out);
    jsni_json_writer_destroy(w);
    if (status == JSN_OK) {
        status = jsni_json_parse(&back, "safetensors header", *out, strlen(*out));
        if (status == JSN_ERR_DATA)
            status = JSN_ERR_ARGUMENT;
        for (size_t i = 0; status == JSN_OK && i < count; i++)
            if (jsni_json_get(back, order[i]->name) == NULL)
                status = jsni_fail(JSN_ERR_ARGUMENT,
                                   "the name of tensor %zu is not UTF-8", i);
        jsni_json_destroy(back);
        if (status != JSN_OK) {
            jsn_text_release(*out);
            *out = NULL;
        }
    }
    return status;
}

static jsn_status write_file(const char *folder, const char *name, const char *header,
                             const jsni_safetensor *const *order, size_t count)
{
    static const char spaces[8] = {' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '};
    const size_t text = strlen(header), padding = (8 - text % 8) % 8;
    uint8_t length[8];
    for (size_t i = 0; i < 8; i++)
        length[i] = (uint8_t)((uint64_t)(text + padding) >> (8 * i));
    jsni_file_writer writer;
    JSNI_TRY(jsni_file_begin(&writer, folder, name));
    jsn_status status = jsni_file_add(&writer, length, sizeof length);
    if (status == JSN_OK)
        status = jsni_file_add(&writer, header, text);
    if (status == JSN_OK)
        status = jsni_file_add(&writer, spaces, padding);
    for (size_t i = 0; i < count && status == JSN_OK; i++)
        status = jsni_file_add(&writer, order[i]->data, bytes_of(order[i]));
    return jsni_file_end(&writer, status);
}

jsn_status jsni_safetensors_write(const char *folder, const char *name,
                                  const jsni_safetensor *tensors, size_t tensor_count,
                                  const jsni_pair *metadata, size_t pair_count,
                                  bool checksum)
{
    char *header = NULL;
    for (size_t i = 0; i < tensor_count; i++)
        if (strcmp(tensors[i].name, "__metadata__") == 0)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "%s: a tensor may not be named "
                             "'__metadata__'",
                             name);
    const jsni_safetensor **order = jsni_alloc(tensor_count, sizeof *order);
    JSNI_TRY_ALLOC(order);
    arrange(tensors, tensor_count, order);
    jsn_status status =
        make_header(order, tensor_count, metadata, pair_count, checksum, &header);
    if (status == JSN_OK)
        status = write_file(folder, name, header, order, tensor_count);
    jsn_text_release(header);
    jsni_free(order);
    return status;
}
