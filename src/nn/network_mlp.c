/* nn/network_mlp.c - fully connected layers with ReLU between them. */
#include <stdio.h>

#include "nn/network_impl.h"

static const jsn_param_info params[] = {
    {"width", "units of a hidden layer", 256, 1, 1048576, JSN_PARAM_REAL},
    {"layers", "hidden layers", 2, 0, 100, JSN_PARAM_REAL},
};

static void build(jsni_builder *b, const jsni_spec_value *values)
{
    const size_t width = jsni_network_whole(b, "width", values[0].real);
    const size_t layers = jsni_network_whole(b, "layers", values[1].real);
    size_t x = jsni_build_flatten(b, "flatten", jsni_build_input(b));
    for (size_t i = 0; i < layers; i++) {
        char path[JSNI_NAME_SIZE];
        (void)snprintf(path, sizeof path, "layer%zu", i + 1);
        x = jsni_build_linear(b, jsni_name_join(path, "linear").text, x, width, true);
        x = jsni_build_relu(b, jsni_name_join(path, "relu").text, x);
    }
    b->head = true;
    (void)jsni_build_linear(b, "linear", x, b->classes, true);
}

const jsni_network_def jsni_network_mlp = {
    {"mlp", "fully connected layers", params, 2, 3, 32, 32}, build};
