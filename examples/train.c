/* examples/train.c - trains a classifier on partly wrong labels through the installed
 * library, then names the class of a new picture.
 *
 *     cc train.c $(pkg-config --cflags --libs jensen) -o train
 *     ./train DATA RUN [OPTION VALUE]...
 *     ./train photos/ runs/photos epochs 20
 *
 * DATA is a folder with one sub-folder of images a class (or "builtin"), RUN the folder
 * that is written. What no option says is chosen from the data. The same call continues
 * a run that was interrupted.
 */
#include <stdio.h>
#include <stdlib.h>

#include <jensen/classifier.h>
#include <jensen/report.h>
#include <jensen/train.h>

static void show_message(void *user, jsn_log_level level, const char *text)
{
    (void)user;
    if (level != JSN_LOG_DEBUG)
        fprintf(stderr, "%s\n", text);
}

static int failed(void)
{
    fprintf(stderr, "train: %s\n", jsn_last_error());
    return 1;
}

static jsn_status train(int argc, char **argv, jsn_train_result *result)
{
    const jsn_logger logger = {.message = show_message};
    jsn_train_config config;
    jsn_train_config_clear(&config);
    jsn_status status = jsn_train_config_set(&config, "data", argv[1]);
    if (status == JSN_OK)
        status = jsn_train_config_set(&config, "out", argv[2]);
    for (int i = 3; status == JSN_OK && i + 1 < argc; i += 2)
        status = jsn_train_config_set(&config, argv[i], argv[i + 1]);
    if (status == JSN_OK)
        status = jsn_train(&config, &logger, NULL, NULL, result);
    jsn_train_config_release(&config);
    return status;
}

/* What the finished run says of a grey square. */
static jsn_status predict(const char *run)
{
    jsn_classifier *classifier = NULL;
    jsn_image image = {0};
    double *probabilities = NULL;
    jsn_status status = jsn_classifier_open(&classifier, run, "auto", 0);
    if (status == JSN_OK)
        status = jsn_image_create(&image, 48, 48);
    if (status == JSN_OK) {
        const size_t classes = jsn_classifier_classes(classifier);
        for (size_t i = 0; i < 48 * 48 * 3; i++)
            image.data[i] = 128;
        probabilities = calloc(classes, sizeof *probabilities);
        if (probabilities == NULL)
            status = JSN_ERR_MEMORY;
        else
            status = jsn_classifier_predict(classifier, &image, 1, probabilities, NULL);
        size_t best = 0;
        for (size_t k = 1; status == JSN_OK && k < classes; k++)
            best = probabilities[k] > probabilities[best] ? k : best;
        if (status == JSN_OK)
            printf("a grey square: %s, %.3f\n", jsn_classifier_class(classifier, best),
                   probabilities[best]);
    }
    free(probabilities);
    jsn_image_release(&image);
    jsn_classifier_close(classifier);
    return status;
}

int main(int argc, char **argv)
{
    jsn_train_result result;
    if (argc < 3 || argc % 2 == 0) {
        fprintf(stderr, "usage: train DATA RUN [OPTION VALUE]...\n");
        return 2;
    }
    if (train(argc, argv, &result) != JSN_OK)
        return failed();
    printf("epochs %lld\ntest accuracy %.4f\nweights %s\n", (long long)result.epochs,
           result.test_acc, result.weights_sha256);
    if (predict(result.run) != JSN_OK || jsn_report_run(result.run, false) != JSN_OK)
        return failed();
    printf("report %s/report.html\n", result.run);
    return 0;
}
