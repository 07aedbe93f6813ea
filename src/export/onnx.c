/* export/onnx.c - see export/onnx.h. The numbers of fields are those of onnx.proto. */
#include "export/onnx.h"

#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "jensen/version.h"

enum { /* kinds of AttributeProto */
       ATTRIBUTE_FLOAT = 1,
       ATTRIBUTE_INT = 2,
       ATTRIBUTE_INTS = 7
};

void jsni_onnx_begin(jsni_onnx *o, const char *op, const char *name,
                     const char *const *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        jsni_proto_text(&o->node, 1, inputs[i]);
    jsni_proto_text(&o->node, 2, name);
    jsni_proto_text(&o->node, 3, name);
    jsni_proto_text(&o->node, 4, op);
}

void jsni_onnx_int(jsni_onnx *o, const char *name, int64_t value)
{
    jsni_proto a = {0};
    jsni_proto_text(&a, 1, name);
    jsni_proto_int(&a, 3, value);
    jsni_proto_int(&a, 20, ATTRIBUTE_INT);
    jsni_proto_take(&o->node, 5, &a);
}

void jsni_onnx_real(jsni_onnx *o, const char *name, float value)
{
    jsni_proto a = {0};
    jsni_proto_text(&a, 1, name);
    jsni_proto_float(&a, 2, value);
    jsni_proto_int(&a, 20, ATTRIBUTE_FLOAT);
    jsni_proto_take(&o->node, 5, &a);
}

void jsni_onnx_ints(jsni_onnx *o, const char *name, const int64_t *values, size_t count)
{
    jsni_proto a = {0};
    jsni_proto_text(&a, 1, name);
    for (size_t i = 0; i < count; i++)
        jsni_proto_int(&a, 8, values[i]);
    jsni_proto_int(&a, 20, ATTRIBUTE_INTS);
    jsni_proto_take(&o->node, 5, &a);
}

void jsni_onnx_end(jsni_onnx *o)
{
    jsni_proto_take(&o->graph, 1, &o->node);
}

void jsni_onnx_op(jsni_onnx *o, const char *op, const char *name, const char *one,
                  const char *other)
{
    const char *const inputs[] = {one, other};
    jsni_onnx_begin(o, op, name, inputs, other == NULL ? 1 : 2);
    jsni_onnx_end(o);
}

/* TensorProto: 1 dims, 2 data_type, 8 name, 9 raw_data. The data go straight into the
 * graph: they may be most of the machine's memory. */
static void put_tensor(jsni_onnx *o, const char *name, jsni_onnx_type type, size_t rank,
                       const size_t *dim, const void *data, size_t bytes)
{
    jsni_proto head = {0}, length = {0};
    for (size_t i = 0; i < rank; i++)
        jsni_proto_int(&head, 1, (int64_t)dim[i]);
    jsni_proto_int(&head, 2, type);
    jsni_proto_text(&head, 8, name);
    jsni_proto_head(&length, 9, bytes);
    if (o->graph.status == JSN_OK)
        o->graph.status = head.status != JSN_OK ? head.status : length.status;
    jsni_proto_head(&o->graph, 5, head.length + length.length + bytes);
    jsni_proto_add(&o->graph, head.data, head.length);
    jsni_proto_add(&o->graph, length.data, length.length);
    jsni_proto_add(&o->graph, data, bytes);
    jsni_proto_release(&head);
    jsni_proto_release(&length);
}

void jsni_onnx_floats(jsni_onnx *o, const char *name, const float *values, size_t rank,
                      const size_t *dim)
{
    size_t count = 1;
    for (size_t i = 0; i < rank; i++)
        count *= dim[i];
    put_tensor(o, name, JSNI_ONNX_FLOAT, rank, dim, values, count * sizeof *values);
}

void jsni_onnx_scalar_int(jsni_onnx *o, const char *name, int64_t value)
{
    put_tensor(o, name, JSNI_ONNX_INT64, 0, NULL, &value, sizeof value);
}

void jsni_onnx_vector_int(jsni_onnx *o, const char *name, int64_t value)
{
    const size_t one = 1;
    put_tensor(o, name, JSNI_ONNX_INT64, 1, &one, &value, sizeof value);
}

void jsni_onnx_scalar_real(jsni_onnx *o, const char *name, double value)
{
    put_tensor(o, name, JSNI_ONNX_DOUBLE, 0, NULL, &value, sizeof value);
}

/* ValueInfoProto: 1 name, 2 type; TypeProto: 1 tensor_type; Tensor: 1 elem_type, 2 shape;
 * TensorShapeProto: 1 dim; Dimension: 1 dim_value, 2 dim_param. */
static void put_value(jsni_onnx *o, unsigned field, const char *name,
                      jsni_onnx_type type, const jsni_onnx_dim *dim, size_t rank)
{
    jsni_proto value = {0}, kind = {0}, tensor = {0}, shape = {0};
    for (size_t i = 0; i < rank; i++) {
        jsni_proto one = {0};
        if (dim[i].value > 0)
            jsni_proto_int(&one, 1, (int64_t)dim[i].value);
        else
            jsni_proto_text(&one, 2, dim[i].free);
        jsni_proto_take(&shape, 1, &one);
    }
    jsni_proto_int(&tensor, 1, type);
    jsni_proto_take(&tensor, 2, &shape);
    jsni_proto_take(&kind, 1, &tensor);
    jsni_proto_text(&value, 1, name);
    jsni_proto_take(&value, 2, &kind);
    jsni_proto_take(&o->graph, field, &value);
}

void jsni_onnx_input(jsni_onnx *o, const char *name, jsni_onnx_type type,
                     const jsni_onnx_dim *dim, size_t rank)
{
    put_value(o, 11, name, type, dim, rank);
}

void jsni_onnx_output(jsni_onnx *o, const char *name, jsni_onnx_type type,
                      const jsni_onnx_dim *dim, size_t rank)
{
    put_value(o, 12, name, type, dim, rank);
}

void jsni_onnx_note(jsni_onnx *o, const char *key, const char *value)
{
    jsni_proto pair = {0};
    jsni_proto_text(&pair, 1, key);
    jsni_proto_text(&pair, 2, value);
    jsni_proto_take(&o->metadata, 14, &pair);
}

void jsni_onnx_release(jsni_onnx *o)
{
    jsni_proto_release(&o->graph);
    jsni_proto_release(&o->metadata);
    jsni_proto_release(&o->node);
}

/* ModelProto: 1 ir_version, 2 producer_name, 3 producer_version, 7 graph, 8 opset_import
 * (2 version), 14 metadata_props; the graph comes last, straight from its place. */
static void put_model(jsni_onnx *o, const char *name, jsni_proto *head)
{
    jsni_proto opset = {0};
    jsni_proto_text(&o->graph, 2, name);
    jsni_proto_int(head, 1, JSNI_ONNX_IR);
    jsni_proto_text(head, 2, "jensen");
    jsni_proto_text(head, 3, jsn_version());
    jsni_proto_int(&opset, 2, JSNI_ONNX_OPSET);
    jsni_proto_take(head, 8, &opset);
    jsni_proto_add(head, o->metadata.data, o->metadata.length);
    jsni_proto_head(head, 7, o->graph.length);
    if (head->status == JSN_OK)
        head->status = o->graph.status != JSN_OK ? o->graph.status : o->metadata.status;
}

jsn_status jsni_onnx_write(jsni_onnx *o, const char *name, const char *path)
{
    const size_t most = ((size_t)1 << 31) - 1; /* what a message may have */
    jsni_proto head = {0};
    put_model(o, name, &head);
    jsn_status status = head.status;
    if (status == JSN_OK && head.length + o->graph.length > most)
        status = jsni_fail(JSN_ERR_RANGE,
                           "%s: the model has %zu bytes, a file of ONNX at most %zu",
                           path, head.length + o->graph.length, most);
    if (status == JSN_OK) {
        jsni_file_writer writer;
        status = jsni_file_begin(&writer, NULL, path);
        if (status == JSN_OK) {
            status = jsni_file_add(&writer, head.data, head.length);
            if (status == JSN_OK)
                status = jsni_file_add(&writer, o->graph.data, o->graph.length);
            status = jsni_file_end(&writer, status);
        }
    }
    jsni_proto_release(&head);
    jsni_onnx_release(o);
    return status == JSN_ERR_MEMORY
               ? jsni_fail(JSN_ERR_MEMORY, "%s: not enough memory to write it", path)
               : status;
}
