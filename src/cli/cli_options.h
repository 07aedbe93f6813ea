/* cli/cli_options.h - the rows of options that many commands have, each written once. A
 * command's struct of values has the field that a row names; `help`, and where commands
 * differ the initial value, are the command's. */
#ifndef JENSEN_CLI_OPTIONS_H
#define JENSEN_CLI_OPTIONS_H

#include <stddef.h>

#include "jensen/limit.h"
#include "jensen/option.h"

/* bool json */
#define CLI_JSON_ROW(values, help)                                \
    {                                                             \
        "json", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL, help, \
            offsetof(values, json)                                \
    }

/* char *out */
#define CLI_OUT_ROW(values, initial, value_name, help)                      \
    {                                                                       \
        "out", 'o', JSN_OPTION_TEXT, initial, 0, 0, NULL, value_name, help, \
            offsetof(values, out)                                           \
    }

/* int64_t threads, of arithmetic */
#define CLI_THREADS_ROW(values)                                    \
    {                                                              \
        "threads", 't', JSN_OPTION_INT, "0", 0, 1024, NULL, "N",   \
            "CPU threads; 0: all cores", offsetof(values, threads) \
    }

/* int64_t threads, that read images */
#define CLI_READERS_ROW(values)                                          \
    {                                                                    \
        "threads", 0, JSN_OPTION_INT, "0", 0, 256, NULL, "N",            \
            "threads; 0: one per usable core", offsetof(values, threads) \
    }

/* char *device */
#define CLI_DEVICE_ROW(values, help)                                   \
    {                                                                  \
        "device", 'd', JSN_OPTION_TEXT, "auto", 0, 0, NULL, "D", help, \
            offsetof(values, device)                                   \
    }

/* char *precision */
#define CLI_PRECISION_ROW(values, help)                                               \
    {                                                                                 \
        "precision", 0, JSN_OPTION_CHOICE, "fp32", 0, 0, "fp32|tf32|bf16", "P", help, \
            offsetof(values, precision)                                               \
    }

/* char *network */
#define CLI_NETWORK_ROW(values, initial, help)                              \
    {                                                                       \
        "network", 'n', JSN_OPTION_TEXT, initial, 0, 0, NULL, "NAME", help, \
            offsetof(values, network)                                       \
    }

/* char *loss */
#define CLI_LOSS_ROW(values, initial, help)                              \
    {                                                                    \
        "loss", 'l', JSN_OPTION_TEXT, initial, 0, 0, NULL, "SPEC", help, \
            offsetof(values, loss)                                       \
    }

/* int64_t classes */
#define CLI_CLASSES_ROW(values, initial, help)                            \
    {                                                                     \
        "classes", 'k', JSN_OPTION_INT, initial, 2, 1e6, NULL, "K", help, \
            offsetof(values, classes)                                     \
    }

/* int64_t batch */
#define CLI_BATCH_ROW(values, initial, highest, help)                       \
    {                                                                       \
        "batch", 'b', JSN_OPTION_INT, initial, 1, highest, NULL, "N", help, \
            offsetof(values, batch)                                         \
    }

/* int64_t size, of the images that a network takes */
#define CLI_IMAGE_SIZE_ROW(values)                                             \
    {                                                                          \
        "size", 's', JSN_OPTION_INT, "0", 0, 65535, NULL, "N",                 \
            "height and width of the images; 0: what the network is made for", \
            offsetof(values, size)                                             \
    }

/* int64_t seed; every whole number that a double holds */
#define CLI_SEED_ROW(values)                                              \
    {                                                                     \
        "seed", 0, JSN_OPTION_INT, "0", 0, 9007199254740992.0, NULL, "N", \
            "seed of the random choices", offsetof(values, seed)          \
    }

/* jsn_texts limit; main.c sets what it says before the command runs */
#define CLI_LIMIT_ROW(values)                                                         \
    {                                                                                 \
        "limit", 0, JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "NAME=VALUE", JSN_LIMIT_HELP, \
            offsetof(values, limit)                                                   \
    }

/* jsn_texts plugin; main.c loads what it names before the command runs. Of the command line
 * alone: what is read from files must not load code. */
#define CLI_PLUGIN_ROW(values)                                                     \
    {                                                                              \
        "plugin", 0, JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "FILE.so",                \
            "load your own loss, and run its code ('jensen plugin new'); only on " \
            "the command line",                                                    \
            offsetof(values, plugin)                                               \
    }

#endif /* JENSEN_CLI_OPTIONS_H */
