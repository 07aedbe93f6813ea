/* train/recipe_beyond.c - see recipe_beyond.h.
 *
 * CIFAR-10N and CIFAR-100N after Wei et al., "Learning with Noisy Labels Revisited", 2022:
 * network, batch, epochs, learning rate and weight decay are those of its published code
 * for every method, and so is the augmentation of CE and GCE. Clothing1M after PLC's
 * published code, but for its images, which PLC squeezes to squares. The parameters of GCE,
 * JS and GJS, and the augmentation of the latter two, are nobody's: those of the paper, on
 * CIFAR at the symmetric noise that is nearest in rate, on Clothing1M of Food-101N.
 */
#include "train/recipe_beyond.h"

#include <string.h>

#include "core/hd.h"
#include "core/text.h"

typedef struct option {
    const char *name, *value;
} option;

static const option cifar_n[] = {
    {"network", "resnet34-plc"},
    {"epochs", "100"},
    {"batch", "128"},
    {"optimizer", "sgd"},
    {"momentum", "0.9"},
    {"nesterov", "0"},
    {"lr", "0.1"},
    {"weight-decay", "5e-4"},
    {"schedule", "step:at=60,factor=0.1"},
};

static const option clothing1m[] = {
    {"network", "resnet50-plc"},
    {"image-size", "224"},
    {"augment", "food101n"},
    {"sampling", "balanced"},
    {"epochs", "15"},
    {"batch", "32"},
    {"optimizer", "sgd"},
    {"momentum", "0.9"},
    {"nesterov", "1"},
    {"lr", "0.001"},
    {"weight-decay", "5e-4"},
    {"schedule", "step:at=6/11,factor=0.5"},
    {"noise", "none"},
};

/* Labels of people: a column of the label file, and its share of wrong ones in percent. */
static const struct {
    const char *dataset, *file, *column;
    int percent;
} labels[] = {
    {"cifar10", "cifar10n", "aggregate", 9}, {"cifar10", "cifar10n", "random1", 17},
    {"cifar10", "cifar10n", "random2", 18},  {"cifar10", "cifar10n", "random3", 18},
    {"cifar10", "cifar10n", "worse", 40},    {"cifar100", "cifar100n", "noisy", 40},
};

/* By the rate of the noise and the data set. */
static const struct {
    const char *name, *augment, *low, *high,
        *many; /* CIFAR-10 below and at 40%; -100 */
} methods[] = {
    {"ce", "weak", "ce", "ce", "ce"},
    {"gce", "weak", "gce:q=0.7", "gce:q=0.7", "gce:q=0.5"},
    {"js", "strong", "js:pi1=0.7", "js:pi1=0.7", "js:pi1=0.3"},
    {"gjs", "strong", "gjs:pi1=0.3", "gjs:pi1=0.9", "gjs:pi1=0.5"},
};

static const option clothing_losses[] = {{"ce", "ce"}, {"gjs", "gjs:pi1=0.3"}};

static void add(jsn_recipe *r, const char *name, const char *value)
{
    jsn_recipe_option *to = &r->options[r->option_count++];
    to->name = name;
    (void)jsni_format(to->value, sizeof to->value, "%s", value);
}

static void add_all(jsn_recipe *r, const option *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(r, list[i].name, list[i].value);
}

static void make_cifar_n(jsn_recipe *r, size_t label, size_t method)
{
    char noise[JSN_RECIPE_TEXT];
    const bool many = strcmp(labels[label].dataset, "cifar100") == 0;
    *r = (jsn_recipe){.result = "cifar-n",
                      .dataset = labels[label].dataset,
                      .method = methods[method].name,
                      .noise = JSN_RECIPE_REAL,
                      .percent = labels[label].percent,
                      .variant = labels[label].column};
    (void)jsni_format(r->name, sizeof r->name, "%s/%s/%s", labels[label].file,
                      labels[label].column, methods[method].name);
    add_all(r, cifar_n, JSNI_COUNT_OF(cifar_n));
    add(r, "augment", methods[method].augment);
    add(r, "loss",
        many                          ? methods[method].many
        : labels[label].percent >= 40 ? methods[method].high
                                      : methods[method].low);
    (void)jsni_format(noise, sizeof noise, "file:%s.csv.xz,column=%s",
                      labels[label].file, labels[label].column);
    add(r, "noise", noise);
}

bool jsni_recipe_beyond(size_t index, jsn_recipe *out)
{
    enum { METHODS = JSNI_COUNT_OF(methods), CIFAR = JSNI_COUNT_OF(labels) * METHODS };
    if (index < CIFAR) {
        make_cifar_n(out, index / METHODS, index % METHODS);
        return true;
    }
    const size_t row = index - CIFAR;
    if (row >= JSNI_COUNT_OF(clothing_losses))
        return false;
    *out = (jsn_recipe){.result = "clothing1m",
                        .dataset = "clothing1m",
                        .method = clothing_losses[row].name,
                        .noise = JSN_RECIPE_REAL,
                        .weights = "resnet50-imagenet"};
    (void)jsni_format(out->name, sizeof out->name, "clothing1m/%s",
                      clothing_losses[row].name);
    add_all(out, clothing1m, JSNI_COUNT_OF(clothing1m));
    add(out, "loss", clothing_losses[row].value);
    return true;
}
