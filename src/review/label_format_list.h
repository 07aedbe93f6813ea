/* review/label_format_list.h - the formats that labels are exchanged in, in the order of the
 * help. To add one, write review/label_format_<id>.c, which defines jsni_label_format_<id>,
 * and add its row here. */
#ifndef JSNI_REVIEW_LABEL_FORMAT_LIST_H
#define JSNI_REVIEW_LABEL_FORMAT_LIST_H

#define JSNI_LABEL_FORMAT_LIST(X) \
    X(csv)                        \
    X(label_studio)               \
    X(fiftyone)                   \
    X(coco)

#endif /* JSNI_REVIEW_LABEL_FORMAT_LIST_H */
