/* data/dataset_cifar100.c - CIFAR-100 (Krizhevsky 2009): 50,000 + 10,000 images of 32x32
 * in 100 classes. A record has a coarse label byte before the fine one, which is the
 * label. */
#include "data/cifar_read.h"

static const char *const classes[] = {
    "apple",    "aquarium_fish", "baby",       "bear",         "beaver",
    "bed",      "bee",           "beetle",     "bicycle",      "bottle",
    "bowl",     "boy",           "bridge",     "bus",          "butterfly",
    "camel",    "can",           "castle",     "caterpillar",  "cattle",
    "chair",    "chimpanzee",    "clock",      "cloud",        "cockroach",
    "couch",    "crab",          "crocodile",  "cup",          "dinosaur",
    "dolphin",  "elephant",      "flatfish",   "forest",       "fox",
    "girl",     "hamster",       "house",      "kangaroo",     "keyboard",
    "lamp",     "lawn_mower",    "leopard",    "lion",         "lizard",
    "lobster",  "man",           "maple_tree", "motorcycle",   "mountain",
    "mouse",    "mushroom",      "oak_tree",   "orange",       "orchid",
    "otter",    "palm_tree",     "pear",       "pickup_truck", "pine_tree",
    "plain",    "plate",         "poppy",      "porcupine",    "possum",
    "rabbit",   "raccoon",       "ray",        "road",         "rocket",
    "rose",     "sea",           "seal",       "shark",        "shrew",
    "skunk",    "skyscraper",    "snail",      "snake",        "spider",
    "squirrel", "streetcar",     "sunflower",  "sweet_pepper", "table",
    "tank",     "telephone",     "television", "tiger",        "tractor",
    "train",    "trout",         "tulip",      "turtle",       "wardrobe",
    "whale",    "willow_tree",   "wolf",       "woman",        "worm",
};

static const char *const train_files[] = {"train.bin", NULL};

static const jsni_cifar_layout layout = {
    .classes = classes,
    .class_count = sizeof classes / sizeof classes[0],
    .folder = "cifar-100-binary",
    .train_files = train_files,
    .test_file = "test.bin",
    .label_bytes = 2,
    .mean = {0.507f, 0.487f, 0.441f},
    .deviation = {0.267f, 0.256f, 0.276f},
};

static const jsn_param_info params[] = {
    {"PATH", "folder with train.bin and test.bin, or the images as folder or archive",
     0, 0, 0, JSN_PARAM_POSITIONAL},
    JSNI_DATASET_SPLIT_PARAM,
};

static jsn_status open_cifar100(jsn_dataset *data, const jsni_dataset_request *request)
{
    return jsni_cifar_open(data, request, &layout);
}

const jsni_dataset_def jsni_dataset_cifar100 = {
    {"cifar100", "CIFAR-100: binary files, or the images as folder or archive", params,
     sizeof params / sizeof params[0]},
    open_cifar100,
};
