/* cli/command_predict.c - classes of new images: a finished run, or weights
 * from a file, on image files and on arrays. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "cli/cli_predict.h"
#include "core/json.h"
#include "core/words.h"
#include "jensen/array.h"
#include "jensen/model.h"

typedef struct predict_values {
    char *network, *init, *array, *logits, *device, *precision, *csv;
    int64_t classes, batch, threads, top, tta;
    bool json;
    jsn_texts limit;
} predict_values;

static const jsn_option_info options[] = {
    {"csv", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "[FILE]",
     "write a table: path, classes, probabilities, and why an image failed; without "
     "FILE to stdout",
     offsetof(predict_values, csv)},
    {"top", 0, JSN_OPTION_INT, "1", 1, 1e6, NULL, "N", "classes to print per image",
     offsetof(predict_values, top)},
    CLI_NETWORK_ROW(predict_values, NULL,
                    "network of the weights; 'jensen show networks' lists them"),
    {"init", 'i', JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "weights: safetensors with PyTorch's names", offsetof(predict_values, init)},
    CLI_CLASSES_ROW(predict_values, NULL, "number of classes"),
    {"array", 'a', JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "images: .npy, float32 [N][C][H][W], normalised", offsetof(predict_values, array)},
    {"logits", 'l', JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "write the logits: .npy, float32 [N][K]", offsetof(predict_values, logits)},
    CLI_DEVICE_ROW(predict_values, "auto, cpu, ref, cuda"),
    CLI_PRECISION_ROW(predict_values, "arithmetic of the device; a CPU has only fp32"),
    CLI_BATCH_ROW(predict_values, "64", 1e6, "images per batch"),
    {"tta", 0, JSN_OPTION_INT, "1", 1, 10, NULL, "N",
     "average over N views: the image, its mirror image, both shifted to the corners",
     offsetof(predict_values, tta)},
    CLI_THREADS_ROW(predict_values),
    CLI_LIMIT_ROW(predict_values),
    CLI_JSON_ROW(predict_values, "one JSON object per line on stdout"),
};

static const char not_finite[] = "the network's output is not finite";

static jsn_status make_model(const predict_values *v, const jsn_array *images,
                             jsn_model **out)
{
    jsn_model_options o;
    jsn_model_options_init(&o);
    o.network = v->network;
    o.classes = (size_t)v->classes;
    o.channels = images->shape[1];
    o.height = images->shape[2];
    o.width = images->shape[3];
    o.device = v->device;
    o.threads = (size_t)v->threads;
    o.batch = images->shape[0] < (size_t)v->batch ? images->shape[0] : (size_t)v->batch;
    jsn_status status = jsn_precision_parse(v->precision, &o.precision);
    if (status == JSN_OK)
        status = jsn_model_create(out, &o);
    if (status == JSN_OK)
        status = jsn_model_load(*out, v->init, NULL);
    return status;
}

/* The largest logit and its softmax probability, which is NaN when one is not finite. */
static size_t best_class(const float *logits, size_t classes, double *probability)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (logits[k] > logits[best])
            best = k;
    double sum = 0.0;
    for (size_t k = 0; k < classes; k++)
        sum += exp((double)logits[k] - (double)logits[best]);
    *probability = 1.0 / sum;
    return best;
}

/* A probability that is none belongs to no class; it is counted and named. */
static jsn_status print_row(const predict_values *v, size_t sample, size_t best,
                            double probability, size_t *senseless)
{
    const bool sense = isfinite(probability);
    if (!sense) {
        ++*senseless;
        cli_say("%zu: %s\n", sample, not_finite);
    }
    if (!v->json) {
        if (sense)
            cli_print("%zu %zu %.4f\n", sample, best, probability);
        return JSN_OK;
    }
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_int(w, "sample", (int64_t)sample);
    if (sense) {
        jsni_json_put_int(w, "class", (int64_t)best);
        jsni_json_put_real(w, "probability", probability);
    } else {
        jsni_json_put_text(w, "error", not_finite);
    }
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsn_status predict_array(const predict_values *v)
{
    jsn_array images = {0}, logits = {0};
    jsn_model *model = NULL;
    size_t senseless = 0;
    jsn_status status = jsn_array_read(&images, v->array);
    if (status != JSN_OK)
        goto done;
    status = cli_predict_check(&images, v->array);
    if (status != JSN_OK)
        goto done;
    const size_t shape[2] = {images.shape[0], (size_t)v->classes};
    status = jsn_array_create(&logits, JSN_DTYPE_FLOAT32, 2, shape);
    if (status == JSN_OK)
        status = make_model(v, &images, &model);
    if (status == JSN_OK)
        status = jsn_model_evaluate(model, images.data, shape[0], logits.data);
    for (size_t i = 0; status == JSN_OK && i < shape[0]; i++) {
        double probability = 0.0;
        const float *row = (const float *)logits.data + i * shape[1];
        const size_t best = best_class(row, shape[1], &probability);
        status = print_row(v, i, best, probability, &senseless);
    }
    if (status == JSN_OK && v->logits != NULL)
        status = jsn_array_write(&logits, v->logits);
    if (status == JSN_OK && senseless == shape[0])
        status = cli_fail(JSN_ERR_DATA, "%s for any of %zu %s", not_finite, senseless,
                          jsni_noun(senseless, "image", "images"));
done:
    jsn_model_destroy(model);
    jsn_array_release(&images);
    jsn_array_release(&logits);
    return status;
}

static jsn_status predict_with_run(const predict_values *v, const jsn_texts *args)
{
    if (v->network != NULL || v->init != NULL || v->classes != JSN_OPTION_INT_UNSET)
        return cli_usage("a run folder brings its own network: --network, --init and "
                         "--classes do not fit");
    if ((args->count < 2) == (v->array == NULL))
        return cli_usage("needs images or folders after the run folder, or --array");
    const cli_predict_request request = {.run = args->items[0],
                                         .args = args,
                                         .first = 1,
                                         .device = v->device,
                                         .precision = v->precision,
                                         .threads = (size_t)v->threads,
                                         .batch = (size_t)v->batch,
                                         .views = (size_t)v->tta,
                                         .top = (size_t)v->top,
                                         .csv = v->csv,
                                         .array = v->array,
                                         .logits = v->logits,
                                         .json = v->json};
    return v->array != NULL ? cli_predict_array(&request)
                            : cli_predict_images(&request);
}

/* Without a run: arrays of any size, and images by the network's own. */
static jsn_status predict_with_weights(const predict_values *v, const jsn_texts *args)
{
    if ((args->count == 0) == (v->array == NULL))
        return cli_usage("needs images: files and folders, or --array");
    if (v->array != NULL && (v->csv != NULL || v->top != 1 || v->tta != 1))
        return cli_usage("--csv, --top and --tta belong to a run folder or to image "
                         "files");
    if (v->array != NULL)
        return predict_array(v);
    const cli_predict_request request = {.network = v->network,
                                         .init = v->init,
                                         .classes = (size_t)v->classes,
                                         .args = args,
                                         .device = v->device,
                                         .precision = v->precision,
                                         .threads = (size_t)v->threads,
                                         .batch = (size_t)v->batch,
                                         .views = (size_t)v->tta,
                                         .top = (size_t)v->top,
                                         .csv = v->csv,
                                         .logits = v->logits,
                                         .json = v->json};
    return cli_predict_images(&request);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const predict_values *v = values;
    const bool classes = v->classes != JSN_OPTION_INT_UNSET;
    const int given = (v->network != NULL) + (v->init != NULL) + classes;
    if (v->json && v->csv != NULL && strcmp(v->csv, "-") == 0)
        return cli_usage("stdout is for --json or for --csv; --csv FILE takes a file");
    if (given == 3)
        return predict_with_weights(v, args);
    if (given == 2)
        return cli_usage("%s is missing: weights need --network, --init and --classes; "
                         "a run folder needs none of them",
                         v->network == NULL ? "--network"
                         : v->init == NULL  ? "--init"
                                            : "--classes");
    if (args->count == 0)
        return cli_usage("needs a run folder and images, or --network, --init and "
                         "--classes");
    return predict_with_run(v, args);
}

const cli_command cli_command_predict = {
    .name = "predict",
    .summary = "classes of new images",
    .usage = "(RUN | WEIGHTS | --network NAME --init FILE --classes K) (IMAGE... | "
             "--array FILE) "
             "[OPTIONS]",
    .details =
        "Prints 'path class probability' for each image. IMAGE is an image file of\n"
        "any size, or a folder to search; run folders in it are skipped. Images are\n"
        "resized and normalised as in the run's evaluation. Images that cannot be\n"
        "read are named on stderr and in the table. Class names with spaces or\n"
        "quotes are printed in quotes, inner quotes doubled. Paths are printed as\n"
        "they are: read a line from its end, or use --json or --csv.\n\n"
        "WEIGHTS is a name of 'jensen weights list'. Without a run, images get the\n"
        "network's size and ImageNet's normalisation, and classes are numbers. The\n"
        "weights must fit the whole network; 'jensen show networks NAME' prints its\n"
        "layers. An array is evaluated as it is, so normalise it first. It prints\n"
        "'sample class probability'; samples whose output is not finite are named on\n"
        "stderr.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(predict_values),
    .run = run,
};
