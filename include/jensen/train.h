/* jensen/train.h - training a classifier: a configuration in, a run folder out.
 *
 *     jsn_train_config config;
 *     jsn_train_config_clear(&config);
 *     if (jsn_train_config_set(&config, "data", "builtin") != JSN_OK ||
 *         jsn_train_config_set(&config, "noise", "sym:rate=0.4") != JSN_OK ||
 *         jsn_train_config_set(&config, "loss", "gjs:pi1=0.5") != JSN_OK)
 *         ...
 *     jsn_train_result result;
 *     if (jsn_train(&config, NULL, NULL, NULL, &result) != JSN_OK)
 *         fprintf(stderr, "%s\n", jsn_last_error());
 *     jsn_train_config_release(&config);
 *
 * What the configuration leaves open is filled, in this order, from its "set" list, its
 * configuration file, its recipe, the initial values of the option table and the data;
 * every choice is logged and stored in the run folder. The same configuration finds its
 * folder again: an unfinished run is continued, a finished one is reported.
 */
#ifndef JENSEN_TRAIN_H
#define JENSEN_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/array.h"
#include "jensen/event.h"
#include "jensen/log.h"
#include "jensen/option.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One field an option; jsn_train_options() describes them. Texts are owned. */
typedef struct jsn_train_config {
    /* data */
    char *data, *val, *test;
    double val_fraction, scaled_decode;
    char *val_labels;
    int64_t subset, image_size, max_bad;
    /* labels and loss */
    char *labels, *noise, *loss, *loss_noisy, *method, *class_weights;
    char *plugin_sha256;
    /* network and augmentation */
    char *network, *init, *finetune, *norm_stats, *augment, *sampling;
    double layer_decay;
    int64_t views;
    /* optimisation */
    int64_t epochs, batch, nesterov, decay_all;
    double lr, weight_decay, l1, momentum, ema, mixup;
    char *optimizer, *schedule;
    int64_t seed, members, early_stop;
    /* measuring */
    char *consistency;
    int64_t record_posteriors;
    /* arithmetic */
    char *device, *precision;
    int64_t max_steps;
    /* of the invocation, not of the result */
    int64_t threads, workers;
    double checkpoint_minutes;
    char *out, *config, *recipe;
    jsn_texts set, limit;
    bool json;
    void *later
        [8]; /* room for options of later versions: sizes stay within a major one */
} jsn_train_config;

/* The option table behind the struct; static. */
JSN_API const jsn_option_info *jsn_train_options(size_t *count);

/* Whether an option is part of what is trained (and of the run's name); the others,
 * such as the number of threads, do not change the result. */
JSN_API bool jsn_train_option_matters(const jsn_option_info *row);

/* All fields unset. */
JSN_API void jsn_train_config_clear(jsn_train_config *config);

/* Sets one option by name; failures as jsni_options_set(). */
JSN_API JSN_MUST_CHECK jsn_status jsn_train_config_set(jsn_train_config *config,
                                                       const char *name,
                                                       const char *text);

/* Fills what is unset from the configuration file, if one is named, and forgets its name:
 * what the file says later does not matter. Failures as jsn_train_config_resolve(). */
JSN_API JSN_MUST_CHECK jsn_status jsn_train_config_read_file(jsn_train_config *config);

/* Fills what is unset from the "--set" list, the configuration file, the recipe and the
 * initial values. What depends on the data stays unset until jsn_train() opens it.
 * Slashes at the end of the names of data are dropped.
 *   JSN_ERR_UNKNOWN_NAME, JSN_ERR_ARGUMENT, JSN_ERR_RANGE  with file and line
 *   JSN_ERR_DATA  the file cannot be read */
JSN_API JSN_MUST_CHECK jsn_status jsn_train_config_resolve(jsn_train_config *config);

/* Frees all texts of the configuration and clears it. Accepts NULL. */
JSN_API void jsn_train_config_release(jsn_train_config *config);

enum { JSN_TRAIN_PATH = 1024 };

/* What a run ended with. Accuracies are shares in [0, 1]; NaN: not measured. */
typedef struct jsn_train_result {
    char run[JSN_TRAIN_PATH]; /* the run folder */
    int64_t epochs;           /* done */
    size_t classes;           /* of the data */
    bool already_finished;    /* nothing was left to do */
    double test_acc;          /* after the last epoch */
    double test_acc_best;     /* of the best epoch, by the same measure */
    double test_top5;
    double test_ece;      /* expected calibration error */
    double val_acc;       /* against the true labels where they are known */
    double val_acc_noisy; /* against the labels a noisy validation set has */
    double val_acc_best;  /* of model-best.safetensors */
    double consistency;   /* over all training samples */
    double consistency_true, consistency_noisy;
    double train_acc_true, train_acc_noisy; /* true class found, by kind of label */
    double noise_nominal, noise_real;
    char weights_sha256[65];
    double images_per_second; /* view-images of the last epoch's steps */
    double seconds;           /* of training in this and earlier calls */
    char stopped[128]; /* why --early-stop ended it before its last epoch; else empty */
    double epoch_rate; /* as images_per_second, over steps and evaluation; 0: no epoch
                        * was run in this call */
} jsn_train_result;

/* Trains, or continues, and writes the run folder. `stop`, when not NULL, is asked after
 * every step; once it returns non-zero the run is checkpointed and JSN_ERR_STOPPED
 * comes back. `logger` may be NULL. The configuration's unset fields are filled in.
 *   JSN_ERR_STOPPED  as above; the same call continues
 *   JSN_ERR_BUSY     another process works in the run folder
 *   JSN_ERR_NUMERIC  the loss is not finite
 *   JSN_ERR_ARGUMENT also when the folder's run has other options, and when the folder is
 *                    no run's and holds images or files that a run would replace
 *   JSN_ERR_DATA     also when the data has changed since the folder's run began, when it
 *                    disappears, and when none of the images can be used
 *   JSN_ERR_IO, JSN_ERR_DEVICE, JSN_ERR_MEMORY and the statuses of bad options
 * The last checkpoint is intact. */
JSN_API JSN_MUST_CHECK jsn_status jsn_train(jsn_train_config *config,
                                            const jsn_logger *logger,
                                            int (*stop)(void *user), void *user,
                                            jsn_train_result *result);

/* Who follows the runs of a call; what is NULL is not asked. */
typedef struct jsn_watcher {
    void *user; /* borrowed; handed back in every call */
    /* Hears of everything that happens (jensen/event.h), and may end the run. */
    jsn_event_fn *event;
    /* As the `stop` of jsn_train(). On a GPU it is asked more often than `step` comes. */
    int (*stop)(void *user);
} jsn_watcher;

/* As jsn_train() with a watcher (may be NULL), and for several configurations that are
 * alike in the sense of jsni_train_alike(): they train side by side on a GPU that can, else
 * one after another. results [count]. Runs that were finished when one fails stay so, and
 * the same call continues the others. Of an ensemble the members are heard one by one, and at last `finished` of
 * the whole. Failures as jsn_train(), and what watcher->event returns. */
JSN_API JSN_MUST_CHECK jsn_status jsn_train_watched(jsn_train_config *configs,
                                                    size_t count,
                                                    const jsn_logger *logger,
                                                    const jsn_watcher *watcher,
                                                    jsn_train_result *results);

/* The result as one JSON object; the caller's (jsn_text_release). */
JSN_API JSN_MUST_CHECK jsn_status jsn_train_result_json(const jsn_train_result *result,
                                                        char **out);

/* What a run with record-posteriors kept of the samples with these paths, in their order:
 * class probabilities, float32 [samples][classes], for jsn_noise_input.posteriors. The
 * caller's (jsn_array_release); zeroed on failure.
 *   JSN_ERR_DATA  not recorded, another number of classes, a sample missing
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_run_posteriors(const char *run,
                                                     const char *const *paths,
                                                     size_t samples, size_t classes,
                                                     jsn_array *out);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_TRAIN_H */
