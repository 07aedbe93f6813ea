/* data/dataset_list.h - the table of data sets. To add one, write data/dataset_<id>.c,
 * which defines jsni_dataset_<id>, and add its row here. */
#ifndef JSNI_DATA_DATASET_LIST_H
#define JSNI_DATA_DATASET_LIST_H

#define JSNI_DATASET_LIST(X) \
    X(builtin)               \
    X(cifar10)               \
    X(cifar100)              \
    X(folder)                \
    X(csv)                   \
    X(idx)                   \
    X(wds)                   \
    X(webvision)             \
    X(imagenet)              \
    X(animal10n)             \
    X(food101n)              \
    X(clothing1m)

#endif /* JSNI_DATA_DATASET_LIST_H */
