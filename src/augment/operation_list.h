/* augment/operation_list.h - the image operations. To add one, write
 * augment/operation_<id>.c and add its row here. RandAugment draws from the first list, in
 * this order: a row there changes what `strong` does to every image. The others are
 * for ColorJitter, stages and jsn_augment_operation(). The host and the CUDA backend
 * build their tables from these lists. */
#ifndef JSNI_OPERATION_LIST_H
#define JSNI_OPERATION_LIST_H

#define JSNI_OPERATION_DRAWN(X) \
    X(autocontrast)             \
    X(equalize)                 \
    X(invert)                   \
    X(rotate)                   \
    X(posterize)                \
    X(solarize)                 \
    X(solarize_add)             \
    X(color)                    \
    X(contrast)                 \
    X(brightness)               \
    X(sharpness)                \
    X(shear_x)                  \
    X(shear_y)                  \
    X(cutout_abs)               \
    X(translate_x)              \
    X(translate_y)

#define JSNI_OPERATION_OTHER(X) \
    X(hue) X(flip) X(gray) X(hsv) X(hsv_and_back) X(smooth) X(saturation)

#define JSNI_OPERATION_LIST(X) JSNI_OPERATION_DRAWN(X) JSNI_OPERATION_OTHER(X)

#endif /* JSNI_OPERATION_LIST_H */
