/* export/export_list.h - the formats, in the order of `jensen export --help`. To add one,
 * write export/export_<id>.c, which defines jsni_export_<id>, and add its row here. */
#ifndef JSNI_EXPORT_LIST_H
#define JSNI_EXPORT_LIST_H

#define JSNI_EXPORT_LIST(X) \
    X(onnx)                 \
    X(pytorch)              \
    X(safetensors)

#endif /* JSNI_EXPORT_LIST_H */
