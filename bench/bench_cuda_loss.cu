/* bench/bench_cuda_loss.cu - GJS of two views and a label on the device, value and
 * gradient, in several shapes of the kernel that keeps a sample in registers:
 *
 *     bench_cuda_loss [SAMPLES CLASSES]
 *
 * Every variant is held to the kernel that works in shared memory. "floor" is what the
 * traffic takes at 4.8 TB/s, "copy" what a copy of the same bytes takes here.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

extern "C" {
#include "backend/cuda/cuda_loss.h"
#include "backend/cuda/cuda_loss_args.h"
}

typedef cudaError_t launch_fn(const jsni_cuda_loss_args *args, unsigned blocks,
                              unsigned threads, size_t shared, cudaStream_t stream);

/* Classes a thread, threads a sample, blocks that should fit a multiprocessor. */
#define VARIANTS(X) \
    X(8, 32, 4)     \
    X(8, 32, 6)     \
    X(8, 32, 8)     \
    X(8, 128, 4)    \
    X(8, 128, 6)    \
    X(8, 128, 8)    \
    X(16, 64, 6)    \
    X(16, 64, 8)    \
    X(16, 64, 10)   \
    X(32, 32, 2)    \
    X(32, 32, 3)    \
    X(32, 32, 4)
#define DECLARE(held, lanes, blocks) \
    extern "C" launch_fn jsni_cuda_loss_gjs_h##held##_##lanes##_##blocks;
VARIANTS(DECLARE)
extern "C" launch_fn jsni_cuda_loss_gjs_f32;

struct variant {
    unsigned held, lanes, blocks;
    launch_fn *launch;
};
#define ENTRY(held, lanes, blocks) \
    {held, lanes, blocks, jsni_cuda_loss_gjs_h##held##_##lanes##_##blocks},
static const variant variants[] = {VARIANTS(ENTRY)};

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "bench_cuda_loss: %s\n", cudaGetErrorString(error));
    exit(1);
}

template <class Call> static double best_us(Call call)
{
    enum { ROUNDS = 7, CALLS = 20 };
    cudaEvent_t from, to;
    check(cudaEventCreate(&from));
    check(cudaEventCreate(&to));
    double best = 1e30;
    call();
    for (int round = 0; round < ROUNDS; round++) {
        check(cudaEventRecord(from));
        for (int i = 0; i < CALLS; i++)
            call();
        check(cudaEventRecord(to));
        check(cudaEventSynchronize(to));
        float ms = 0.0f;
        check(cudaEventElapsedTime(&ms, from, to));
        best = fmin(best, 1e3 * (double)ms / CALLS);
    }
    check(cudaEventDestroy(from));
    check(cudaEventDestroy(to));
    return best;
}

/* The largest difference, in units of the batch mean's gradient times the batch. */
static double apart(const float *device, const std::vector<float> &want, size_t samples)
{
    std::vector<float> got(want.size());
    check(cudaMemcpy(got.data(), device, got.size() * 4, cudaMemcpyDeviceToHost));
    double worst = 0.0;
    for (size_t i = 0; i < got.size(); i++) {
        const double error = (double)samples * fabs((double)got[i] - (double)want[i]);
        worst = error <= worst ? worst : error; /* keeps a NaN */
    }
    return worst;
}

int main(int argc, char **argv)
{
    const size_t samples = argc > 2 ? (size_t)atol(argv[1]) : 65536;
    const size_t classes = argc > 2 ? (size_t)atol(argv[2]) : 1000;
    const size_t count = 2 * samples * classes;
    jsn_loss *loss = NULL;
    if (jsn_loss_create(&loss, "gjs:pi1=0.5", classes, 2) != JSN_OK)
        return 1;
    jsni_loss_device description;
    jsni_loss_for_device(loss, &description);
    std::vector<float> logits(count), want(count);
    std::vector<int32_t> labels(samples);
    unsigned long long state = 1;
    for (float &z : logits) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        z = (float)(state >> 40) * 0x1p-22f - 2.0f;
    }
    for (size_t i = 0; i < samples; i++)
        labels[i] = (int32_t)(i * 7919 % classes);

    jsni_cuda_loss_args a = {};
    float *in = NULL, *out = NULL;
    int32_t *given = NULL;
    double *mean = NULL;
    unsigned *finished = NULL;
    check(cudaMalloc(&in, count * 4));
    check(cudaMalloc(&out, count * 4));
    check(cudaMalloc(&given, samples * 4));
    check(cudaMalloc(&mean, (samples + 1) * sizeof *mean));
    check(cudaMalloc(&finished, sizeof *finished));
    check(cudaMemset(finished, 0, sizeof *finished));
    check(cudaMemcpy(in, logits.data(), count * 4, cudaMemcpyHostToDevice));
    check(cudaMemcpy(given, labels.data(), samples * 4, cudaMemcpyHostToDevice));
    a.samples = samples;
    a.classes = classes;
    a.views = a.views_read = 2;
    a.joint = a.finish = true;
    a.logits = in;
    a.labels = given;
    a.inverse_samples = 1.0 / (double)samples;
    a.grad = out;
    a.mean = mean;
    a.values = mean + 1;
    a.finished = finished;
    for (int c = 0; c < JSNI_LOSS_CONSTANTS; c++)
        a.constant[c] = description.terms[0].constant[c];

    const double floor_us = 1e6 * 2.0 * (double)count * 4.0 / 4.8e12;
    const double copy = best_us(
        [&] { check(cudaMemcpyAsync(out, in, count * 4, cudaMemcpyDeviceToDevice)); });
    printf("%zu samples, %zu classes: floor %.1f us, copy %.1f us\n", samples, classes,
           floor_us, copy);
    a.lanes = 128;
    a.repeat = 1;
    a.slots = samples;
    const size_t shared = 4 * ((classes + 127) / 128) * 128 * sizeof(float);
    const double before = best_us(
        [&] { check(jsni_cuda_loss_gjs_f32(&a, (unsigned)samples, 128, shared, 0)); });
    check(cudaMemcpy(want.data(), out, count * 4, cudaMemcpyDeviceToHost));
    double expected = 0.0;
    check(cudaMemcpy(&expected, mean, sizeof expected, cudaMemcpyDeviceToHost));
    printf("shared memory, 128 lanes: %.1f us, mean %.9f\n", before, expected);
    printf("classes/thread  lanes  blocks/SM  threads  repeat        us  x floor  "
           "apart\n");
    double best = 1e30;
    bool wrong = false;
    for (const variant &v : variants)
        for (unsigned repeat = 1; repeat <= 8; repeat *= 2) {
            const size_t room = (size_t)v.held * v.lanes;
            if (room < classes || room >= 3 * classes || classes % 4 != 0)
                continue;
            const unsigned groups = v.lanes == 32 ? 4 : 1;
            a.lanes = v.lanes;
            a.repeat = repeat;
            a.slots = (samples + groups * repeat - 1) / (groups * repeat);
            check(cudaMemset(out, 0xff, count * 4));
            const double us = best_us([&] {
                check(v.launch(&a, (unsigned)a.slots, groups * v.lanes, 0, 0));
            });
            double value = 0.0;
            check(cudaMemcpy(&value, mean, sizeof value, cudaMemcpyDeviceToHost));
            /* Float sums of a thousand classes in another order. */
            const double off = repeat == 1 ? apart(out, want, samples) : 0.0;
            const bool same = off <= 2e-6 && fabs(value - expected) <= 1e-6;
            wrong = wrong || !same;
            best = fmin(best, us);
            printf("%14u %6u %10u %8u %7u %9.1f %8.2f  %.1e%s\n", v.held, v.lanes,
                   v.blocks, groups * v.lanes, repeat, us, us / floor_us, off,
                   same ? "" : " WRONG");
        }
    /* The choice that the library makes. */
    jsni_cuda_loss_batch batch = {};
    void *workspace = NULL;
    check(cudaMalloc(&workspace, jsni_cuda_loss_workspace(samples)));
    check(cudaMemset(workspace, 0, jsni_cuda_loss_workspace(samples)));
    batch.samples = samples;
    batch.logits = in;
    batch.labels = given;
    const jsni_cuda_loss_out result = {mean, NULL, out, workspace};
    const double chosen = best_us([&] {
        check(
            (cudaError_t)jsni_cuda_loss_run(&description, NULL, &batch, &result, NULL));
    });
    const bool same = apart(out, want, samples) <= 2e-6;
    printf("{\"loss\":\"gjs\",\"samples\":%zu,\"classes\":%zu,\"chosen_us\":%.1f,"
           "\"best_us\":%.1f,\"before_us\":%.1f,\"copy_us\":%.1f,\"floor_us\":%.1f,"
           "\"chosen_over_floor\":%.2f,\"agree\":%s}\n",
           samples, classes, chosen, fmin(best, chosen), before, copy, floor_us,
           chosen / floor_us, same && !wrong ? "true" : "false");
    jsn_loss_destroy(loss);
    return same && !wrong ? 0 : 1;
}
