/* tests/api/misuse_data.c - see misuse.h: jensen/backend.h, jensen/classifier.h, jensen/dataset.h, jensen/fetch.h, jensen/model.h, jensen/network.h. */
#include "api/misuse.h"

static jsn_status bad_image(void *user, jsn_split split, size_t index,
                            const char *reason)
{
    (void)user;
    (void)split;
    (void)index;
    (void)reason;
    return JSN_OK;
}

static void misuse_backend(misuse *m)
{
    jsn_precision precision = JSN_PRECISION_FP32;
    jsn_device_info device;
    jsn_loss_result result = {0};
    REFUSED(jsn_precision_parse(NULL, &precision));
    REFUSED(jsn_precision_parse("x", NULL));
    REFUSED(jsn_precision_parse(NULL, NULL));
    GIVES(jsn_backend_describe(0));
    GIVES(jsn_backend_describe(SIZE_MAX));
    REFUSED(jsn_device_describe(NULL, &device));
    REFUSED(jsn_device_describe("ref", NULL));
    REFUSED(jsn_device_describe(NULL, NULL));
    REFUSED(jsn_loss_eval_on(NULL, thing_loss(), thing_batch(), &result));
    REFUSED(jsn_loss_eval_on("ref", NULL, thing_batch(), &result));
    REFUSED(jsn_loss_eval_on("ref", thing_loss(), NULL, &result));
    REFUSED(jsn_loss_eval_on("ref", thing_loss(), thing_batch(), NULL));
    REFUSED(jsn_loss_eval_on(NULL, NULL, NULL, NULL));
}

static jsn_status told_file(void *user, const jsn_classifier_file *file)
{
    (void)user;
    (void)file;
    return JSN_OK;
}

static void misuse_classifier(misuse *m)
{
    jsn_classifier_options how = {0};
    jsn_classifier *classifier = NULL;
    double reals[] = {0.5, 0.5, 0.25, 0.75};
    float floats[3 * 32 * 32] = {0.5f, 0.5f, 0.5f};
    jsn_classifier_scores scores = {0};
    DOES(jsn_classifier_options_init(NULL));
    REFUSED(jsn_classifier_create(NULL, &how));
    REFUSED(jsn_classifier_create(&classifier, NULL));
    REFUSED(jsn_classifier_create(NULL, NULL));
    REFUSED(jsn_classifier_open(NULL, place(), "ref", 1));
    REFUSED(jsn_classifier_open(&classifier, NULL, "ref", 1));
    REFUSED(jsn_classifier_open(&classifier, place(), NULL, 1));
    REFUSED(jsn_classifier_open(NULL, NULL, NULL, 1));
    REFUSED(jsn_classifier_open(&classifier, place(), "ref", 0));
    REFUSED(jsn_classifier_open(&classifier, place(), "ref", SIZE_MAX));
    DOES(jsn_export_options_init(NULL));
    REFUSED(jsn_export(NULL, "x", NULL));
    REFUSED(jsn_export(NULL, NULL, NULL));
    REFUSED(jsn_export_check(NULL, "x", "x", NULL));
    REFUSED(jsn_export_check(NULL, NULL, NULL, NULL));
    DOES(jsn_classifier_close(NULL));
    GIVES(jsn_classifier_classes(NULL));
    GIVES(jsn_classifier_class(NULL, 1));
    GIVES(jsn_classifier_class(thing_classifier(), 0));
    GIVES(jsn_classifier_class(thing_classifier(), SIZE_MAX));
    GIVES(jsn_classifier_image_size(NULL));
    REFUSED(jsn_classifier_predict(NULL, thing_image(), 1, reals, floats));
    REFUSED(jsn_classifier_predict(thing_classifier(), NULL, 1, reals, floats));
    REFUSED(jsn_classifier_predict(thing_classifier(), thing_image(), 1, NULL, floats));
    TAKEN(jsn_classifier_predict(thing_classifier(), thing_image(), 1, reals, NULL));
    REFUSED(jsn_classifier_predict(NULL, NULL, 1, NULL, NULL));
    TAKEN(jsn_classifier_predict(thing_classifier(), thing_image(), 0, reals, floats));
    REFUSED(jsn_classifier_predict_tensors(NULL, floats, 1, reals, floats));
    REFUSED(jsn_classifier_predict_tensors(thing_classifier(), NULL, 1, reals, floats));
    REFUSED(
        jsn_classifier_predict_tensors(thing_classifier(), floats, 1, NULL, floats));
    TAKEN(jsn_classifier_predict_tensors(thing_classifier(), floats, 1, reals, NULL));
    REFUSED(jsn_classifier_predict_tensors(NULL, NULL, 1, NULL, NULL));
    TAKEN(jsn_classifier_predict_tensors(thing_classifier(), floats, 0, reals, floats));
    const char *paths[] = {place(), NULL};
    REFUSED(jsn_classifier_predict_files(NULL, paths, 1, told_file, NULL));
    REFUSED(jsn_classifier_predict_files(thing_classifier(), NULL, 1, told_file, NULL));
    REFUSED(jsn_classifier_predict_files(thing_classifier(), paths, 1, NULL, NULL));
    REFUSED(
        jsn_classifier_predict_files(thing_classifier(), paths, 2, told_file, NULL));
    TAKEN(jsn_classifier_predict_files(thing_classifier(), paths, 0, told_file, NULL));
    DOES(jsn_classifier_scores_release(NULL));
    REFUSED(jsn_classifier_evaluate_images(NULL, "x", 0, NULL, NULL, NULL, &scores));
    REFUSED(jsn_classifier_evaluate_images(thing_classifier(), NULL, 0, NULL, NULL,
                                           NULL, &scores));
    REFUSED(jsn_classifier_evaluate_images(thing_classifier(), "x", 0, NULL, NULL, NULL,
                                           NULL));
}

static jsn_status copies(void *user, const jsn_dataset_copy *all, size_t count)
{
    (void)user;
    (void)all;
    (void)count;
    return JSN_OK;
}

static void misuse_dataset(misuse *m)
{
    const uint64_t *const prints[JSN_SPLITS] = {NULL};
    jsn_dataset *dataset = NULL;
    jsn_image image = {0};
    char buffer[80] = "";
    GIVES(jsn_split_name((jsn_split)77));
    DOES(jsn_dataset_options_init(NULL));
    REFUSED(jsn_dataset_open(NULL, "builtin:size=20", NULL));
    REFUSED(jsn_dataset_open(&dataset, NULL, NULL));
    TAKEN(jsn_dataset_open(&dataset, "builtin:size=20", NULL));
    REFUSED(jsn_dataset_open(NULL, NULL, NULL));
    DOES(jsn_dataset_close(NULL));
    GIVES(jsn_dataset_about(NULL));
    GIVES(jsn_dataset_class(NULL, 1));
    GIVES(jsn_dataset_class(thing_dataset(), 0));
    GIVES(jsn_dataset_class(thing_dataset(), SIZE_MAX));
    GIVES(jsn_dataset_samples(NULL, JSN_SPLIT_TRAIN));
    GIVES(jsn_dataset_samples(thing_dataset(), (jsn_split)77));
    GIVES(jsn_dataset_labels(NULL, JSN_SPLIT_TRAIN));
    GIVES(jsn_dataset_labels(thing_dataset(), (jsn_split)77));
    GIVES(jsn_dataset_label(NULL, JSN_SPLIT_TRAIN, 1));
    GIVES(jsn_dataset_label(thing_dataset(), (jsn_split)77, 1));
    GIVES(jsn_dataset_label(thing_dataset(), JSN_SPLIT_TRAIN, 0));
    GIVES(jsn_dataset_label(thing_dataset(), JSN_SPLIT_TRAIN, SIZE_MAX));
    GIVES(jsn_dataset_soft_labels(NULL, JSN_SPLIT_TRAIN));
    GIVES(jsn_dataset_soft_labels(thing_dataset(), (jsn_split)77));
    GIVES(jsn_dataset_path(NULL, JSN_SPLIT_TRAIN, 1));
    GIVES(jsn_dataset_path(thing_dataset(), (jsn_split)77, 1));
    GIVES(jsn_dataset_path(thing_dataset(), JSN_SPLIT_TRAIN, 0));
    GIVES(jsn_dataset_path(thing_dataset(), JSN_SPLIT_TRAIN, SIZE_MAX));
    REFUSED(jsn_dataset_image(NULL, JSN_SPLIT_TRAIN, 1, &image));
    REFUSED(jsn_dataset_image(thing_dataset(), JSN_SPLIT_TRAIN, 1, NULL));
    REFUSED(jsn_dataset_image(NULL, JSN_SPLIT_TRAIN, 1, NULL));
    REFUSED(jsn_dataset_image(thing_dataset(), (jsn_split)77, 1, &image));
    TAKEN(jsn_dataset_image(thing_dataset(), JSN_SPLIT_TRAIN, 0, &image));
    REFUSED(jsn_dataset_image(thing_dataset(), JSN_SPLIT_TRAIN, SIZE_MAX, &image));
    REFUSED(jsn_dataset_find_copies(NULL, prints, copies, NULL));
    REFUSED(jsn_dataset_find_copies(thing_dataset(), NULL, copies, NULL));
    REFUSED(jsn_dataset_find_copies(thing_dataset(), prints, NULL, NULL));
    REFUSED(jsn_dataset_pixels_sha256(NULL, JSN_SPLIT_TRAIN, buffer));
    REFUSED(jsn_dataset_pixels_sha256(thing_dataset(), JSN_SPLIT_TRAIN, NULL));
    REFUSED(jsn_dataset_pixels_sha256(NULL, JSN_SPLIT_TRAIN, NULL));
    TAKEN(jsn_dataset_pixels_sha256(thing_dataset(), (jsn_split)77, buffer));
    REFUSED(jsn_dataset_check(NULL, JSN_SPLIT_TRAIN, 1, NULL, bad_image, NULL, NULL));
    TAKEN(jsn_dataset_check(thing_dataset(), JSN_SPLIT_TRAIN, 1, NULL, bad_image, NULL,
                            NULL));
    REFUSED(
        jsn_dataset_check(thing_dataset(), JSN_SPLIT_TRAIN, 1, NULL, NULL, NULL, NULL));
    REFUSED(jsn_dataset_check(NULL, JSN_SPLIT_TRAIN, 1, NULL, NULL, NULL, NULL));
    TAKEN(jsn_dataset_check(thing_dataset(), (jsn_split)77, 1, NULL, bad_image, NULL,
                            NULL));
    TAKEN(jsn_dataset_check(thing_dataset(), JSN_SPLIT_TRAIN, 0, NULL, bad_image, NULL,
                            NULL));
    REFUSED(jsn_dataset_check(thing_dataset(), JSN_SPLIT_TRAIN, SIZE_MAX, NULL,
                              bad_image, NULL, NULL));
}

static void misuse_fetch(misuse *m)
{
    GIVES(jsn_fetch_describe(0));
    GIVES(jsn_fetch_describe(SIZE_MAX));
    REFUSED(jsn_fetch(NULL, NULL));
    REFUSED(jsn_fetch("x", NULL));
    REFUSED(jsn_fetch(NULL, NULL));
}

static void misuse_model(misuse *m)
{
    jsn_model *model = NULL;
    int number = 0;
    float floats[3 * 32 * 32] = {0.5f, 0.5f, 0.5f};
    double reals[] = {0.5, 0.5, 0.25, 0.75};
    jsn_model_info about;
    DOES(jsn_model_options_init(NULL));
    REFUSED(jsn_model_create(NULL, thing_building()));
    REFUSED(jsn_model_create(&model, NULL));
    REFUSED(jsn_model_create(NULL, NULL));
    DOES(jsn_model_destroy(NULL));
    REFUSED(jsn_model_init(NULL, 1));
    REFUSED(jsn_model_load(NULL, place(), &number));
    REFUSED(jsn_model_load(thing_model(), NULL, &number));
    REFUSED(jsn_model_load(thing_model(), place(), NULL));
    REFUSED(jsn_model_load(NULL, NULL, NULL));
    REFUSED(jsn_model_save(NULL, place()));
    REFUSED(jsn_model_save(thing_model(), NULL));
    REFUSED(jsn_model_save(NULL, NULL));
    REFUSED(jsn_model_evaluate(NULL, floats, 1, floats));
    REFUSED(jsn_model_evaluate(thing_model(), NULL, 1, floats));
    REFUSED(jsn_model_evaluate(thing_model(), floats, 1, NULL));
    REFUSED(jsn_model_evaluate(NULL, NULL, 1, NULL));
    TAKEN(jsn_model_evaluate(thing_model(), floats, 0, floats));
    REFUSED(
        jsn_model_train_step(NULL, thing_model_batch(), thing_step(), reals, reals));
    REFUSED(jsn_model_train_step(thing_model(), NULL, thing_step(), reals, reals));
    REFUSED(
        jsn_model_train_step(thing_model(), thing_model_batch(), NULL, reals, reals));
    REFUSED(jsn_model_train_step(thing_model(), thing_model_batch(), thing_step(), NULL,
                                 reals));
    REFUSED(jsn_model_train_step(thing_model(), thing_model_batch(), thing_step(),
                                 reals, NULL));
    REFUSED(jsn_model_train_step(NULL, NULL, NULL, NULL, NULL));
    GIVES(jsn_model_describe(NULL));
    REFUSED(jsn_model_estimate(NULL, &about));
    REFUSED(jsn_model_estimate(thing_building(), NULL));
    REFUSED(jsn_model_estimate(NULL, NULL));
}

static void misuse_network(misuse *m)
{
    jsn_network *network = NULL;
    GIVES(jsn_network_find(NULL));
    REFUSED(jsn_network_create(NULL, "mlp", 1, 1, 1, 1));
    REFUSED(jsn_network_create(&network, NULL, 1, 1, 1, 1));
    REFUSED(jsn_network_create(NULL, NULL, 1, 1, 1, 1));
    REFUSED(jsn_network_create(&network, "mlp", 0, 1, 1, 1));
    REFUSED(jsn_network_create(&network, "mlp", SIZE_MAX, 1, 1, 1));
    REFUSED(jsn_network_create(&network, "mlp", 1, 0, 1, 1));
    REFUSED(jsn_network_create(&network, "mlp", 1, SIZE_MAX, 1, 1));
    REFUSED(jsn_network_create(&network, "mlp", 1, 1, 0, 1));
    REFUSED(jsn_network_create(&network, "mlp", 1, 1, SIZE_MAX, 1));
    REFUSED(jsn_network_create(&network, "mlp", 1, 1, 1, 0));
    REFUSED(jsn_network_create(&network, "mlp", 1, 1, 1, SIZE_MAX));
    DOES(jsn_network_destroy(NULL));
    GIVES(jsn_network_totals(NULL));
    GIVES(jsn_network_layer(NULL, 1));
    GIVES(jsn_network_layer(thing_network(), 0));
    GIVES(jsn_network_layer(thing_network(), SIZE_MAX));
}

static void misuse_weights(misuse *m)
{
    jsn_weights_info info = {0}, *list = NULL;
    size_t count = 0;
    jsn_weights_fetch_options how = {0};
    DOES(jsn_weights_release(NULL));
    REFUSED(jsn_weights_import(NULL, "a", &info));
    REFUSED(jsn_weights_import(place(), "no/name", &info));
    REFUSED(jsn_weights_import(place(), NULL, NULL));
    REFUSED(jsn_weights_list(NULL, &count));
    REFUSED(jsn_weights_list(&list, NULL));
    DOES(jsn_weights_list_free(NULL, SIZE_MAX));
    REFUSED(jsn_weights_find(NULL, &info));
    REFUSED(jsn_weights_find("no/name", &info));
    REFUSED(jsn_weights_find("a", NULL));
    REFUSED(jsn_weights_remove(NULL));
    REFUSED(jsn_weights_remove(".."));
    GIVES(jsn_weights_publication(0));
    GIVES(jsn_weights_publication(SIZE_MAX));
    REFUSED(jsn_weights_fetch(NULL, &how, &info));
    REFUSED(jsn_weights_fetch("no-such", NULL, NULL));
    REFUSED(jsn_weights_fetch("https://a", &how, &info));
    how.sha256 = "";
    REFUSED(jsn_weights_fetch("https://a", &how, &info));
}

void misuse_data(misuse *m)
{
    misuse_backend(m);
    misuse_classifier(m);
    misuse_dataset(m);
    misuse_fetch(m);
    misuse_model(m);
    misuse_network(m);
    misuse_weights(m);
}
