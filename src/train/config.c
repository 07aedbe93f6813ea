/* train/config.c - the table of run options: command line, help, configuration files,
 * config.yaml, run names and sweep axes are all read from it. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/option.h"
#include "format/yaml.h"
#include "jensen/limit.h"
#include "jensen/recipe.h"
#include "jensen/train.h"
#include "train/recipe_find.h"

#define FIELD(name)                     offsetof(jsn_train_config, name)
#define TEXT                            JSN_OPTION_TEXT, NULL, 0, 0, NULL
#define COUNT(initial, lowest, highest) JSN_OPTION_INT, initial, lowest, highest, NULL
#define REAL(initial, lowest, highest)  JSN_OPTION_REAL, initial, lowest, highest, NULL
#define CHOICE(initial, words)          JSN_OPTION_CHOICE, initial, 0, 0, words

static const jsn_option_info options[] = {
    {"data", 0, TEXT, "DATA", "training data; the same as the argument DATA",
     FIELD(data)},
    {"val", 0, TEXT, "DATA",
     "validation data (default: the validation split of DATA, else --val-fraction of "
     "it)",
     FIELD(val)},
    {"val-fraction", 0, REAL(NULL, 0, 0.9), "X",
     "share of each class kept for validation; 0: none", FIELD(val_fraction)},
    {"val-labels", 0, CHOICE("clean", "clean|noisy"), NULL,
     "labels of the validation part: as given, or with the training noise",
     FIELD(val_labels)},
    {"test", 0, TEXT, "DATA", "test data, evaluated every epoch", FIELD(test)},
    {"subset", 0, COUNT("0", 0, 1e9), "N",
     "train on N images, balanced over the classes; 0: all", FIELD(subset)},
    {"image-size", 0, COUNT(NULL, 8, 1024), "N",
     "height and width of the network's input, in pixels", FIELD(image_size)},
    {"max-bad", 0, COUNT("100", 0, 1e9), "N",
     "stop when more than N images are broken, in all parts together", FIELD(max_bad)},
    {"scaled-decode", 0, REAL(NULL, 0, 1), "X",
     "decode JPEGs at 1/2, 1/4 or 1/8 of their size if they keep X times the network's "
     "pixels per side; faster, less memory, slightly other pixels; 0: never (default: "
     "1 for photographs far larger than the network's input, else 0)",
     FIELD(scaled_decode)},

    {"labels", 0, TEXT, "FILE.csv",
     "labels to use instead of those of DATA: columns path,label[,true]; images "
     "without a row keep their label",
     FIELD(labels)},
    {"noise", 0, JSN_OPTION_TEXT, "none", 0, 0, NULL, "SPEC",
     "label noise to add: sym:rate=0.4, file:labels.csv, ...", FIELD(noise)},
    {"loss", 0, TEXT, "SPEC", "loss: gjs:pi1=0.5, ce, ... ('jensen show losses')",
     FIELD(loss)},
    {"loss-noisy", 0, TEXT, "SPEC", "another loss for the mislabelled samples",
     FIELD(loss_noisy)},
    {"method", 0, TEXT, "SPEC",
     "a method that remembers each sample, used with the loss: elr, sop ('jensen show "
     "methods')",
     FIELD(method)},
    {"plugin-sha256", 0, TEXT, "HEX",
     "SHA-256 that the plugin's file must have; a run stores its plugin's",
     FIELD(plugin_sha256)},
    {"class-weights", 0, CHOICE("none", "none|balanced"), NULL,
     "weigh the loss by the inverse class frequency", FIELD(class_weights)},

    {"network", 0, TEXT, "NAME", "network ('jensen show networks')", FIELD(network)},
    {"init", 0, TEXT, "NAME|RUN|FILE",
     "pretrained weights to start from: a name in the cache ('jensen weights list'), a "
     "run, or a file (safetensors, .pth, an archive with one); none: random weights",
     FIELD(init)},
    {"finetune", 0, CHOICE(NULL, "head|last|all|auto"), NULL,
     "what to train, with --init: the classifier (head), then also the last blocks "
     "(last), or the whole network (all)",
     FIELD(finetune)},
    {"layer-decay", 0, REAL(NULL, 0.01, 1), "X",
     "with --finetune last or all: learning rate of each block as a share of that of "
     "the next block (default: 0.8 for last, one rate for all)",
     FIELD(layer_decay)},
    {"norm-stats", 0, CHOICE(NULL, "keep|update"), NULL,
     "with --finetune last or all: keep BatchNorm's pretrained statistics, or update "
     "them from the batches (default: keep with --layer-decay)",
     FIELD(norm_stats)},
    {"augment", 0, TEXT, "SPEC", "augmentation: strong, weak, jitter, none, ...",
     FIELD(augment)},
    {"mixup", 0, REAL(NULL, 0, 100), "ALPHA",
     "mix pairs of images and their labels, with shares drawn from Beta(ALPHA, ALPHA); "
     "0: off",
     FIELD(mixup)},
    {"sampling", 0, CHOICE("shuffle", "shuffle|balanced"), NULL,
     "order of the training data: every sample once, or all classes equally often",
     FIELD(sampling)},
    {"views", 0, COUNT(NULL, 1, 16), "N",
     "augmented copies of each sample in a step (default: what the loss needs)",
     FIELD(views)},

    {"epochs", 'e', COUNT(NULL, 1, 100000), "N", "passes over the training data",
     FIELD(epochs)},
    {"batch", 'b', COUNT(NULL, 1, 65536), "N", "samples per step", FIELD(batch)},
    {"lr", 0, REAL(NULL, 0, 1e12), "X", "learning rate", FIELD(lr)},
    {"weight-decay", 0, REAL("5e-4", 0, 10), "X", "weight decay", FIELD(weight_decay)},
    {"momentum", 0, REAL("0.9", 0, 0.999999), "X", "momentum of SGD", FIELD(momentum)},
    {"nesterov", 0, COUNT("1", 0, 1), "0|1", "Nesterov's form of momentum",
     FIELD(nesterov)},
    {"l1", 0, REAL(NULL, 0, 10), "X",
     "add X times the sum of all absolute weights to what is minimised, as anl-ce and "
     "anl-fl want in place of weight decay",
     FIELD(l1)},
    {"decay-all", 0, COUNT("1", 0, 1), "0|1",
     "weight decay and --l1 on BatchNorm and bias parameters as well",
     FIELD(decay_all)},
    {"optimizer", 0, JSN_OPTION_TEXT, "sgd", 0, 0, NULL, "SPEC",
     "update rule: sgd, adamw, lion:beta1=0.9, ... ('jensen show optimizers')",
     FIELD(optimizer)},
    {"schedule", 0, JSN_OPTION_TEXT, "step:at=0.5/0.75,factor=0.1", 0, 0, NULL, "SPEC",
     "learning rate over the epochs: step, cosine:warmup=5, ... ('jensen show "
     "schedules')",
     FIELD(schedule)},
    {"seed", 's', COUNT("1", 0, 9e15), "N",
     "seed of noise, order, augmentation and weights", FIELD(seed)},
    {"members", 0, COUNT("1", 1, 64), "N",
     "train N networks with the seeds that follow, average their predictions",
     FIELD(members)},
    {"ema", 0, REAL(NULL, 0, 0.999999), "X",
     "evaluate and save a moving average of the weights, with this decay per step",
     FIELD(ema)},
    {"early-stop", 0, COUNT(NULL, 1, 100000), "N",
     "end the run when the validation accuracy has not improved for N epochs",
     FIELD(early_stop)},
    {"consistency", 0, CHOICE("end", "end|every|never"), NULL,
     "when to measure agreement between image and augmented copy", FIELD(consistency)},

    {"record-posteriors", 0, COUNT("0", 0, 1), "0|1",
     "save the class probabilities of the last epoch (posteriors.npy), for --noise "
     "instance:...,from=RUN",
     FIELD(record_posteriors)},

    {"device", 'd', JSN_OPTION_TEXT, "auto", 0, 0, NULL, "D",
     "auto, cpu, ref, cuda, cuda:1", FIELD(device)},
    {"precision", 0, CHOICE("fp32", "fp32|tf32|bf16"), NULL, "arithmetic",
     FIELD(precision)},
    {"max-steps", 0, COUNT("0", 0, 1e15), "N",
     "end every epoch after N steps, for a quick try; 0: whole epochs",
     FIELD(max_steps)},

    {"threads", 't', COUNT("0", 0, 1024), "N", "CPU threads; 0: all cores",
     FIELD(threads)},
    {"workers", 0, COUNT(NULL, 0, 1024), "N",
     "threads that load and augment images (default: one a core, at most 4, for a GPU "
     "16; "
     "1 for small images; fewer where memory is short)",
     FIELD(workers)},
    {"checkpoint-minutes", 0, REAL("5", 0, 1e6), "X",
     "write a checkpoint within an epoch when the last one is older",
     FIELD(checkpoint_minutes)},
    {"limit", 0, JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "NAME=VALUE", JSN_LIMIT_HELP,
     FIELD(limit)},
    {"out", 'o', TEXT, "RUN", "run folder (default: a name of its own below runs/)",
     FIELD(out)},
    {"config", 'c', TEXT, "FILE", "options from a YAML or JSON file", FIELD(config)},
    {"recipe", 'r', TEXT, "NAME", "options of the paper ('jensen show recipes')",
     FIELD(recipe)},
    {"set", 0, JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "KEY=VALUE",
     "any option by its name; overrides recipe and file", FIELD(set)},
    {"json", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "one JSON object as the last line of stdout", FIELD(json)},
};

/* Everything from "threads" on says how to run, not what. */
static const char first_of_invocation[] = "threads";

const jsn_option_info *jsn_train_options(size_t *count)
{
    if (count == NULL)
        return NULL;
    *count = JSNI_COUNT_OF(options);
    return options;
}

bool jsn_train_option_matters(const jsn_option_info *row)
{
    return row <
           jsni_options_find(options, JSNI_COUNT_OF(options), first_of_invocation);
}

void jsn_train_config_clear(jsn_train_config *config)
{
    if (config == NULL)
        return;
    jsni_options_clear(options, JSNI_COUNT_OF(options), config);
}

void jsn_train_config_release(jsn_train_config *config)
{
    if (config == NULL)
        return;
    jsni_options_release(options, JSNI_COUNT_OF(options), config);
}

jsn_status jsn_train_config_set(jsn_train_config *config, const char *name,
                                const char *text)
{
    JSNI_NEED(name);
    if (strcmp(name, "plugin") == 0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "plugin: loads code, so it works only on the command line");
    return jsni_options_set(options, JSNI_COUNT_OF(options), config, name, text);
}

static jsn_status fill(jsn_train_config *config, const char *name, const char *text)
{
    const jsn_option_info *row =
        jsni_options_find(options, JSNI_COUNT_OF(options), name);
    if (row != NULL && jsni_options_is_set(row, config))
        return JSN_OK;
    return jsn_train_config_set(config, name, text);
}

/* "key=value" words of --set. A key that the command line names as well is refused:
 * which one should win would be a guess. */
static jsn_status fill_from_set(jsn_train_config *config)
{
    for (size_t i = 0; i < config->set.count; i++) {
        const char *word = config->set.items[i];
        const char *equals = strchr(word, '=');
        if (equals == NULL)
            return jsni_fail(JSN_ERR_ARGUMENT, "--set '%s': must be KEY=VALUE", word);
        char *name = jsni_text_copy_n(word, (size_t)(equals - word));
        JSNI_TRY_ALLOC(name);
        const jsn_option_info *row =
            jsni_options_find(options, JSNI_COUNT_OF(options), name);
        jsn_status status = JSN_OK;
        if (row != NULL && row->kind != JSN_OPTION_TEXTS &&
            jsni_options_is_set(row, config))
            status = jsni_fail(JSN_ERR_ARGUMENT, "--set '%s': --%s is given as well",
                               word, name);
        else
            status = jsn_train_config_set(config, name, equals + 1);
        jsni_free(name);
        JSNI_TRY(status);
    }
    return JSN_OK;
}

/* A flat mapping of option names to values. */
static jsn_status fill_from_file(jsn_train_config *config)
{
    jsni_json *doc = NULL;
    JSNI_TRY(jsni_yaml_read(&doc, config->config));
    jsn_status status = JSN_OK;
    if (jsni_json_kind_of(doc) != JSNI_JSON_OBJECT)
        status = jsni_json_refuse(doc, "must be a mapping of options to values");
    for (size_t i = 0; status == JSN_OK && i < jsni_json_count(doc); i++) {
        const jsni_json *entry = jsni_json_at(doc, i);
        const jsni_json_kind kind = jsni_json_kind_of(entry);
        if (kind == JSNI_JSON_ARRAY || kind == JSNI_JSON_OBJECT) {
            status = jsni_json_refuse(entry, "must be a single value");
        } else if (kind == JSNI_JSON_NULL) {
            continue;
        } else if (strcmp(jsni_json_key(entry), "config") == 0 ||
                   strcmp(jsni_json_key(entry), "set") == 0) {
            status = jsni_fail(
                JSN_ERR_ARGUMENT, "%s:%zu: %s: works only on the command line",
                config->config, jsni_json_line(entry), jsni_json_key(entry));
        } else {
            const char *text = kind == JSNI_JSON_BOOL
                                   ? (jsni_json_bool(entry) ? "1" : "0")
                                   : jsni_json_text(entry);
            status = fill(config, jsni_json_key(entry), text);
            if (status != JSN_OK && status != JSN_ERR_MEMORY)
                status = jsni_fail(status, "%s:%zu: %s", config->config,
                                   jsni_json_line(entry), jsn_last_error());
        }
    }
    jsni_json_destroy(doc);
    return status;
}

jsn_status jsn_train_config_read_file(jsn_train_config *config)
{
    JSNI_NEED(config);
    if (config->config == NULL)
        return JSN_OK;
    JSNI_TRY(fill_from_file(config));
    jsni_free(config->config);
    config->config = NULL;
    return JSN_OK;
}

static jsn_status fill_from_recipe(jsn_train_config *config)
{
    jsn_recipe recipe;
    JSNI_TRY(jsni_recipe_find(config->recipe, &recipe));
    for (size_t i = 0; i < recipe.option_count; i++)
        JSNI_TRY(fill(config, recipe.options[i].name, recipe.options[i].value));
    return JSN_OK;
}

/* "photos/" and "./photos" are "photos": the same data has one name, whatever the shell
 * completed, so that a run is found again. */
static void trim_path(char *spec)
{
    size_t length = spec == NULL ? 0 : strlen(spec);
    while (length > 2 && strncmp(spec, "./", 2) == 0 && spec[2] != '/' &&
           strchr(spec, ':') == NULL) {
        memmove(spec, spec + 2, length - 1);
        length -= 2;
    }
    while (length > 1 && spec[length - 1] == '/' && spec[length - 2] != ':' &&
           spec[length - 2] != '=')
        spec[--length] = '\0';
}

/* The same of --init, where a '/' tells a path from a name: "mine/" becomes "./mine". */
static jsn_status trim_init(char **spec)
{
    const bool path = *spec != NULL && strchr(*spec, '/') != NULL;
    trim_path(*spec);
    if (!path || strchr(*spec, '/') != NULL)
        return JSN_OK;
    char *kept = jsni_path_join(".", *spec);
    JSNI_TRY_ALLOC(kept);
    jsni_free(*spec);
    *spec = kept;
    return JSN_OK;
}

jsn_status jsn_train_config_resolve(jsn_train_config *config)
{
    JSNI_NEED(config);
    JSNI_TRY(fill_from_set(config));
    if (config->config != NULL)
        JSNI_TRY(fill_from_file(config));
    if (config->recipe != NULL)
        JSNI_TRY(fill_from_recipe(config));
    for (size_t i = 0; i < JSNI_COUNT_OF(options); i++)
        if (options[i].initial != NULL)
            JSNI_TRY(fill(config, options[i].name, options[i].initial));
    trim_path(config->data);
    trim_path(config->val);
    trim_path(config->test);
    trim_path(config->labels);
    return trim_init(&config->init);
}
