/* train/config.c - the table of run options: command line, help, configuration files,
 * config.yaml, run names and sweep axes are all read from it. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "jensen/recipe.h"
#include "jensen/train.h"

#define FIELD(name)                     offsetof(jsn_train_config, name)
#define TEXT                            JSN_OPTION_TEXT, NULL, 0, 0, NULL
#define COUNT(initial, lowest, highest) JSN_OPTION_INT, initial, lowest, highest, NULL
#define REAL(initial, lowest, highest)  JSN_OPTION_REAL, initial, lowest, highest, NULL
#define CHOICE(initial, words)          JSN_OPTION_CHOICE, initial, 0, 0, words

static const jsn_option_info options[] = {
    {"data", 0, TEXT, "DATA", "training data, as the positional argument", FIELD(data)},
    {"val", 0, TEXT, "DATA", "validation data (otherwise a part of the training data)",
     FIELD(val)},
    {"val-fraction", 0, REAL(NULL, 0, 0.9), "X",
     "part of each class kept for validation; 0: none", FIELD(val_fraction)},
    {"val-labels", 0, CHOICE("clean", "clean|noisy"), NULL,
     "labels of the validation part: as given, or with the training noise",
     FIELD(val_labels)},
    {"test", 0, TEXT, "DATA", "test data, evaluated every epoch", FIELD(test)},
    {"subset", 0, COUNT("0", 0, 1e9), "N",
     "train on N images, balanced over the classes; 0: all", FIELD(subset)},
    {"image-size", 0, COUNT(NULL, 8, 1024), "N", "side of the network's input",
     FIELD(image_size)},
    {"max-bad", 0, COUNT("100", 0, 1e9), "N",
     "give up when more images than this are broken", FIELD(max_bad)},
    {"scaled-decode", 0, COUNT("0", 0, 1), "0|1",
     "decode large JPEGs at reduced size: faster, other pixels", FIELD(scaled_decode)},

    {"noise", 0, JSN_OPTION_TEXT, "none", 0, 0, NULL, "SPEC",
     "label noise to add: sym:rate=0.4, file:labels.csv, ...", FIELD(noise)},
    {"loss", 0, TEXT, "SPEC", "loss: gjs:pi1=0.5, ce, ... ('jensen show losses')",
     FIELD(loss)},
    {"loss-noisy", 0, TEXT, "SPEC", "another loss for the mislabelled samples",
     FIELD(loss_noisy)},
    {"class-weights", 0, CHOICE("none", "none|balanced"), NULL,
     "weigh the loss by the inverse class frequency", FIELD(class_weights)},

    {"network", 0, TEXT, "NAME", "network ('jensen show networks')", FIELD(network)},
    {"init", 0, TEXT, "FILE", "start from these weights (safetensors)", FIELD(init)},
    {"augment", 0, TEXT, "SPEC", "augmentation: strong, weak, jitter, none, ...",
     FIELD(augment)},
    {"sampling", 0, CHOICE("shuffle", "shuffle|balanced"), NULL,
     "order of the training data: every sample once, or classes equally often",
     FIELD(sampling)},
    {"views", 0, COUNT(NULL, 1, 16), "N",
     "augmented copies of a sample in a step (default: what the loss wants)",
     FIELD(views)},

    {"epochs", 'e', COUNT(NULL, 1, 100000), "N", "passes over the training data",
     FIELD(epochs)},
    {"batch", 'b', COUNT(NULL, 1, 65536), "N", "samples a step", FIELD(batch)},
    {"lr", 0, REAL(NULL, 0, 1e12), "X", "learning rate", FIELD(lr)},
    {"weight-decay", 0, REAL("5e-4", 0, 10), "X", "weight decay", FIELD(weight_decay)},
    {"momentum", 0, REAL("0.9", 0, 0.999999), "X", "momentum of SGD", FIELD(momentum)},
    {"nesterov", 0, COUNT("1", 0, 1), "0|1", "Nesterov's form of momentum",
     FIELD(nesterov)},
    {"decay-all", 0, COUNT("1", 0, 1), "0|1",
     "weight decay on BatchNorm and bias parameters as well", FIELD(decay_all)},
    {"optimizer", 0, CHOICE("sgd", "sgd|adamw"), NULL, "update rule", FIELD(optimizer)},
    {"schedule", 0, JSN_OPTION_TEXT, "step:at=0.5/0.75,factor=0.1", 0, 0, NULL, "SPEC",
     "learning rate over the epochs: step, exp, cosine, constant", FIELD(schedule)},
    {"seed", 's', COUNT("1", 0, 9e15), "N",
     "seed of noise, order, augmentation and weights", FIELD(seed)},
    {"members", 0, COUNT("1", 1, 64), "N",
     "train N networks with the seeds that follow, average their predictions",
     FIELD(members)},
    {"consistency", 0, CHOICE("end", "end|every|never"), NULL,
     "when to measure agreement between image and augmented copy", FIELD(consistency)},

    {"device", 'd', JSN_OPTION_TEXT, "auto", 0, 0, NULL, "D",
     "auto, cpu, ref, cuda, cuda:1", FIELD(device)},
    {"precision", 0, CHOICE("fp32", "fp32|tf32|bf16"), NULL, "arithmetic",
     FIELD(precision)},
    {"max-steps", 0, COUNT("0", 0, 1e15), "N",
     "end every epoch after N steps, for trying things; 0: whole epochs",
     FIELD(max_steps)},

    {"threads", 't', COUNT("0", 0, 1024), "N", "CPU threads; 0: all cores",
     FIELD(threads)},
    {"workers", 0, COUNT(NULL, 0, 1024), "N", "threads that load and augment images",
     FIELD(workers)},
    {"checkpoint-minutes", 0, REAL("5", 0, 1e6), "X",
     "checkpoint inside an epoch when the last one is older",
     FIELD(checkpoint_minutes)},
    {"out", 'o', TEXT, "RUN", "run folder (default: runs/ and a name)", FIELD(out)},
    {"config", 'c', TEXT, "FILE", "options from a YAML or JSON file", FIELD(config)},
    {"recipe", 'r', TEXT, "NAME", "options of the paper ('jensen show recipes')",
     FIELD(recipe)},
    {"set", 0, JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "KEY=VALUE",
     "any option by its name; stronger than recipe and file", FIELD(set)},
    {"json", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "one JSON object as the last line of stdout", FIELD(json)},
};

/* Everything from "threads" on says how to run, not what. */
static const char first_of_invocation[] = "threads";

const jsn_option_info *jsn_train_options(size_t *count)
{
    *count = JSNI_COUNT_OF(options);
    return options;
}

bool jsn_train_option_matters(const jsn_option_info *row)
{
    return row < jsn_options_find(options, JSNI_COUNT_OF(options), first_of_invocation);
}

void jsn_train_config_clear(jsn_train_config *config)
{
    jsn_options_clear(options, JSNI_COUNT_OF(options), config);
}

void jsn_train_config_release(jsn_train_config *config)
{
    jsn_options_release(options, JSNI_COUNT_OF(options), config);
}

jsn_status jsn_train_config_set(jsn_train_config *config, const char *name,
                                const char *text)
{
    return jsn_options_set(options, JSNI_COUNT_OF(options), config, name, text);
}
