/* augment/augment_list.h - the stages that a pipeline is made of. To add one, write
 * augment/augment_<id>.c, which defines jsni_augment_<id>, and add its row here. */
#ifndef JSNI_AUGMENT_LIST_H
#define JSNI_AUGMENT_LIST_H

#define JSNI_AUGMENT_LIST(X) \
    X(randaugment)           \
    X(crop)                  \
    X(flip)                  \
    X(cutout)                \
    X(colorjitter)           \
    X(resizedcrop)           \
    X(resize)                \
    X(centercrop)            \
    X(fit)

#endif /* JSNI_AUGMENT_LIST_H */
