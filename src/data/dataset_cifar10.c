/* data/dataset_cifar10.c - CIFAR-10 (Krizhevsky 2009): 50,000 + 10,000 images of 32x32 in
 * 10 classes. */
#include "data/cifar_read.h"

static const char *const classes[] = {"airplane", "automobile", "bird", "cat",
                                      "deer",     "dog",        "frog", "horse",
                                      "ship",     "truck"};

static const char *const train_files[] = {"data_batch_1.bin", "data_batch_2.bin",
                                          "data_batch_3.bin", "data_batch_4.bin",
                                          "data_batch_5.bin", NULL};

static const jsni_cifar_layout layout = {
    .classes = classes,
    .class_count = sizeof classes / sizeof classes[0],
    .folder = "cifar-10-batches-bin",
    .train_files = train_files,
    .test_file = "test_batch.bin",
    .label_bytes = 1,
    .mean = {0.4914f, 0.4822f, 0.4465f},
    .deviation = {0.2023f, 0.1994f, 0.2010f},
};

static const jsn_param_info params[] = {
    {"PATH", "folder with data_batch_1.bin ..., or the images as folder or archive", 0,
     0, 0, JSN_PARAM_POSITIONAL},
    JSNI_DATASET_SPLIT_PARAM,
};

static jsn_status open_cifar10(jsn_dataset *data, const jsni_dataset_request *request)
{
    return jsni_cifar_open(data, request, &layout);
}

const jsni_dataset_def jsni_dataset_cifar10 = {
    {"cifar10", "CIFAR-10: binary files, or the images as folder or archive", params,
     sizeof params / sizeof params[0]},
    open_cifar10,
};
