/* exported_networks.c FORMAT FOLDER NETWORK... - writes networks with random weights to
 * FOLDER, as NAME.onnx and NAME.raw.onnx, or as NAME.py, and what jensen makes of
 * FOLDER/images.npy, uint8 [N][H][W][3], as NAME.npy (probabilities) and NAME.raw.npy
 * (logits). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jensen/jensen.h"

enum { CLASSES = 7, MOST = 8 };

static void check(jsn_status status)
{
    if (status == JSN_OK)
        return;
    fprintf(stderr, "exported_networks: %s\n", jsn_last_error());
    exit(1);
}

static const char *path(const char *folder, const char *name, const char *end)
{
    static char out[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    (void)snprintf(out[turn], sizeof out[0], "%s/%s%s", folder, name, end);
    return out[turn];
}

static void make_weights(const char *network, const char *file)
{
    const jsn_network_info *info = jsn_network_find(network);
    jsn_model_options o;
    jsn_model *model = NULL;
    jsn_model_options_init(&o);
    o.network = network;
    o.classes = CLASSES;
    o.height = info->height;
    o.width = info->width;
    o.device = "cpu";
    o.batch = o.threads = 1;
    check(jsn_model_create(&model, &o));
    check(jsn_model_init(model, 3));
    check(jsn_model_save(model, file));
    jsn_model_destroy(model);
}

static void export_to(jsn_classifier *c, const char *format, const char *folder,
                      const char *network)
{
    jsn_export_options o;
    jsn_export_options_init(&o);
    o.format = format;
    if (strcmp(format, "pytorch") == 0) {
        check(jsn_export(c, path(folder, network, ".py"), &o));
        return;
    }
    check(jsn_export(c, path(folder, network, ".onnx"), &o));
    o.raw = 1;
    check(jsn_export(c, path(folder, network, ".raw.onnx"), &o));
}

static void run(const char *format, const char *folder, const char *network,
                const jsn_image *images, size_t count)
{
    jsn_classifier *c = NULL;
    jsn_classifier_options from;
    double probabilities[MOST * CLASSES];
    float logits[MOST * CLASSES];
    jsn_array out = {.dtype = JSN_DTYPE_FLOAT64, .rank = 2, .shape = {count, CLASSES}};
    const char *weights = path(folder, network, ".weights");
    make_weights(network, weights);
    jsn_classifier_options_init(&from);
    from.network = network;
    from.weights = weights;
    from.classes = CLASSES;
    from.batch = from.threads = 1;
    check(jsn_classifier_create(&c, &from));
    export_to(c, format, folder, network);
    check(jsn_classifier_predict(c, images, count, probabilities, logits));
    out.data = probabilities;
    check(jsn_array_write(&out, path(folder, network, ".npy")));
    out.dtype = JSN_DTYPE_FLOAT32;
    out.data = logits;
    check(jsn_array_write(&out, path(folder, network, ".raw.npy")));
    jsn_classifier_close(c);
    (void)remove(path(folder, network, ".weights"));
}

int main(int argc, char **argv)
{
    jsn_array pixels = {0};
    jsn_image images[MOST];
    check(jsn_array_read(&pixels, path(argv[2], "images", ".npy")));
    const size_t count = pixels.shape[0], height = pixels.shape[1],
                 width = pixels.shape[2];
    for (size_t i = 0; i < count && i < MOST; i++)
        images[i] = (jsn_image){.data = (uint8_t *)pixels.data + i * height * width * 3,
                                .width = width,
                                .height = height};
    for (int i = 3; i < argc; i++)
        run(argv[1], argv[2], argv[i], images, count);
    jsn_array_release(&pixels);
    return 0;
}
