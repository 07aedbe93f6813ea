#include "backend/cuda_fits.h"

#include "backend/backend_support.h"
#include "backend/cuda/cuda_make.h"
#include "nn/network_impl.h"

static jsni_make begin(const jsni_graph *graph, const jsni_plan_options *options,
                       bool no_own)
{
    const jsni_make make = {.graph = graph,
                            .options = *options,
                            .wide = true,
                            .clusters = true,
                            .roomy = true,
                            .no_own = no_own,
                            .views = options->views,
                            .samples = options->batch,
                            .training = options->training};
    return make;
}

/* What a plan has for all of its programs, with own kernels and without. */
static size_t arena_of(const jsni_graph *graph, const jsni_plan_options *options)
{
    size_t most = 0, tasks = 0;
    for (int no_own = 0; no_own < 2; no_own++) {
        jsni_make make = begin(graph, options, no_own);
        assert_ok(jsni_make_measure_fewer(&make, &most, &tasks));
        assert_ok(jsni_make_run(&make));
        most = make.high > most ? make.high : most;
        jsni_make_release(&make);
    }
    return most;
}

static size_t count_unfit(const char *network, const jsni_graph *graph,
                          const jsni_plan_options *options)
{
    const size_t most = arena_of(graph, options);
    size_t faults = 0;
    for (size_t samples = 1; samples <= options->batch; samples += 1 + samples / 16)
        for (size_t views = 1; views <= options->views; views++) {
            jsni_make make = begin(graph, options, false);
            make.views = views;
            make.samples = samples;
            make.room = options->batch * options->views;
            assert_ok(jsni_make_run(&make));
            if (make.high > most && faults++ == 0)
                print_message("%s, plan of %zu: %zu x %zu take %zu bytes of %zu\n",
                              network, options->batch, views, samples, make.high, most);
            jsni_make_release(&make);
        }
    return faults;
}

/* Of a plan: what is left over at the end of an epoch, with own kernels where the full batch
 * has none and without where it has, must fit there. */
void smaller_batches_fit(void **unused)
{
    (void)unused;
    static const char *const networks[] = {
        "preactresnet34", "resnet18",           "resnet50",    "vgg19bn",
        "mobilenetv2",    "efficientnet-lite0", "cnn:width=32"};
    static const size_t batches[] = {12, 24, 128};
    enum { VIEWS = 2, SIDE = 32 };
    size_t faults = 0;
    for (size_t n = 0; n < sizeof networks / sizeof networks[0]; n++) {
        jsni_graph *graph = NULL;
        assert_ok(
            jsni_network_build(networks[n], (jsni_shape){3, SIDE, SIDE}, 10, &graph));
        for (size_t i = 0; i < 2 * sizeof batches / sizeof batches[0]; i++) {
            const jsni_plan_options options = {.batch = batches[i / 2],
                                               .views = VIEWS,
                                               .precision = i % 2 ? JSN_PRECISION_BF16
                                                                  : JSN_PRECISION_FP32,
                                               .training = true};
            faults += count_unfit(networks[n], graph, &options);
        }
        jsni_graph_destroy(graph);
    }
    if (faults != 0)
        fail_msg("%zu programs do not fit", faults);
}
