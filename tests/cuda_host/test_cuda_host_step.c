/* What ends a step, by step_kernels.h: every optimiser has the bits of the host's, weights are
 * packed plainly, and samples are counted. */
#include <math.h>

#include "backend/cuda/step_kernels.h"
#include "cuda_host/host_support.h"
#include "support/support.h"

enum { FLOATS = 2600, STEPS = 3, CHUNKS = 3 };

static host_tensor copy_of(host_tensor t)
{
    const host_tensor copy = host_tensor_zeros(t.count, false);
    memcpy(copy.at, t.at, t.count * sizeof(float));
    return copy;
}

/* Constants of the steps: [0] without decay, [1] with it. */
static void fill_rule(jsni_step_rule *rule, jsni_update update, size_t step)
{
    update.rate = 0.05 / (double)(step + 1);
    update.step = step + 1;
    update.decay = 0.01;
    update.l1 = 0.001;
    update.decay_all = false;
    jsni_optim_prepare(&update, JSNI_ROLE_BIAS, rule->constant[0]);
    jsni_optim_prepare(&update, JSNI_ROLE_WEIGHT, rule->constant[1]);
}

static void check_optimiser(size_t optimiser)
{
    static const jsni_update_chunk stretches[CHUNKS] = {
        {0, 1024, 1}, {1024, 1000, 0}, {2100, 500, 1}};
    const char *name = jsni_optim_entry(optimiser).name;
    jsni_update update;
    size_t slots = 0;
    assert_ok(jsni_optim_parse(name, &update, &slots));
    const host_tensor params = host_tensor_quarters(FLOATS, false, 1);
    const host_tensor grads = host_tensor_quarters(FLOATS, false, 2);
    const host_tensor state = host_tensor_zeros(slots * FLOATS, false);
    const host_tensor own = copy_of(params), own_state = copy_of(state);
    jsni_update_chunk *chunks = host_array(sizeof stretches);
    memcpy(chunks, stretches, sizeof stretches);
    jsni_step_rule *rules = host_array(STEPS * sizeof *rules);
    uint32_t *step = host_array(sizeof *step);
    const jsni_update_args args = {chunks,   rules,    step,   params.at,
                                   grads.at, state.at, FLOATS, CHUNKS};
    for (*step = 0; *step < STEPS; ++*step) {
        fill_rule(&rules[*step], update, *step);
        assert_int_equal(jsni_update_all(optimiser, &args, NULL), cudaSuccess);
        const jsni_optim_def *def = jsni_optim_find(name);
        for (size_t c = 0; c < CHUNKS; c++)
            def->apply(rules[*step].constant[chunks[c].decay], chunks[c].count,
                       (float *)own.at + chunks[c].offset,
                       (float *)grads.at + chunks[c].offset,
                       (float *)own_state.at + chunks[c].offset, FLOATS);
    }
    assert_memory_equal(params.at, own.at, FLOATS * sizeof(float));
    assert_memory_equal(state.at, own_state.at, slots * FLOATS * sizeof(float));
    host_reset();
}

static void test_optimisers(void **state)
{
    (void)state;
    for (size_t i = 0; jsni_optim_entry(i).name != NULL; i++)
        check_optimiser(i);
}

/* [co][ci][kh][kw] to [co][kh][kw][ci], of two layers in one launch. */
static void test_packs(void **state)
{
    (void)state;
    enum { CO = 6, TAPS = 9 };
    jsni_pack *packs = host_array(4 * sizeof *packs);
    int blocks = 0;
    for (int i = 0; i < 4; i++) { /* even and odd channels, float and bf16 */
        const int ci = i % 2 ? 64 : 3;
        packs[i] = (jsni_pack){
            .from = host_tensor_quarters((size_t)(CO * ci * TAPS), false, 7).at,
            .kind = i < 2 ? JSNI_PACK_FLOAT : JSNI_PACK_HALF,
            .out_channels = CO,
            .in_channels = ci,
            .taps = TAPS,
            .first_block = blocks};
        packs[i].to = host_array(jsni_pack_bytes(&packs[i]));
        blocks += jsni_pack_blocks(&packs[i]);
    }
    assert_int_equal(jsni_end_step(packs, 4, blocks, NULL, NULL), cudaSuccess);
    for (int i = 0; i < 4; i++) {
        const size_t ci = (size_t)packs[i].in_channels, count = CO * ci * TAPS;
        const host_tensor to = {packs[i].to, count, i >= 2};
        for (size_t k = 0; k < count; k++) {
            const size_t c = k % ci, tap = k / ci % TAPS, co = k / ci / TAPS;
            assert_true(host_tensor_value(to, k) ==
                        (double)packs[i].from[(co * ci + c) * TAPS + tap]);
        }
    }
    host_reset();
}

/* conv3x3_image.cu: [half][tap][8 ci][64 co][8]; backward with channels swapped and taps
 * mirrored. Of 32 output channels, place n holds channel n/2%4*8 + n/8*2 + n%2. */
static void check_wide(size_t channels, bool back)
{
    enum { TAPS = 9 };
    const size_t C = channels, slabs = C / 8, count = C * C * TAPS;
    jsni_pack *pack = host_array(sizeof *pack);
    *pack = (jsni_pack){.from = host_tensor_quarters(count, false, 11).at,
                        .kind = back ? JSNI_PACK_WIDE_BACK : JSNI_PACK_WIDE,
                        .out_channels = (int)C,
                        .in_channels = (int)C,
                        .taps = TAPS};
    pack->to = host_array(jsni_pack_bytes(pack));
    assert_int_equal(jsni_end_step(pack, 1, jsni_pack_blocks(pack), NULL, NULL),
                     cudaSuccess);
    const host_tensor to = {pack->to, count, true};
    for (size_t k = 0; k < count; k++) {
        const size_t n = k / 8 % 32, slab = k / 512 % slabs;
        const size_t tap = k / 512 / slabs % TAPS, half = k / 512 / slabs / TAPS;
        const size_t ci = slab * 8 + k % 8;
        const size_t co =
            half * 64 + k / 256 % 2 * 32 + n / 2 % 4 * 8 + n / 8 * 2 + n % 2;
        const size_t from =
            back ? (ci * C + co) * TAPS + TAPS - 1 - tap : (co * C + ci) * TAPS + tap;
        assert_true(host_tensor_value(to, k) == (double)pack->from[from]);
    }
    host_reset();
}

static void test_wide_packs(void **state)
{
    (void)state;
    for (size_t channels = 64; channels <= 128; channels += 64) {
        check_wide(channels, false);
        check_wide(channels, true);
    }
}

static void test_counts(void **state)
{
    (void)state;
    enum { VIEWS = 2, SAMPLES = 300, CLASSES = 7 };
    const host_tensor logits =
        host_tensor_quarters((size_t)VIEWS * SAMPLES * CLASSES, false, 3);
    double *loss = host_array(sizeof *loss);
    int32_t *labels = host_array(SAMPLES * sizeof *labels);
    int32_t *truth = host_array(SAMPLES * sizeof *truth);
    jsni_step_counts *counts = host_array(sizeof *counts), expected = {0};
    uint32_t *steps = host_array(2 * sizeof *steps);
    *loss = 1.25;
    for (size_t i = 0; i < SAMPLES; i++) {
        labels[i] = (int32_t)(i % CLASSES);
        truth[i] = i % 5 == 0 ? -1 : (int32_t)(i % 3 ? i % CLASSES : (i + 1) % CLASSES);
        expected.true_samples += truth[i] == labels[i];
        for (size_t v = 0; v < VIEWS; v++) {
            const float *z = (const float *)logits.at + (v * SAMPLES + i) * CLASSES;
            int32_t best = 0;
            for (int32_t k = 1; k < CLASSES; k++)
                best = z[k] > z[best] ? k : best;
            expected.fits[v] += best == labels[i];
            expected.fits_true[v] += best == labels[i] && truth[i] == labels[i];
            expected.correct[v] += best == truth[i];
        }
    }
    expected.samples = SAMPLES;
    expected.loss_sum = 1.25 * SAMPLES;
    const jsni_count_args args = {logits.at, loss,      labels, truth,   counts,
                                  steps,     steps + 1, VIEWS,  SAMPLES, CLASSES};
    assert_int_equal(jsni_end_step(NULL, 0, 0, &args, NULL), cudaSuccess);
    assert_memory_equal(counts, &expected, sizeof expected);
    assert_int_equal(steps[0], 1);
    assert_int_equal(steps[1], 1);
    host_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_optimisers, host_reset_after),
        cmocka_unit_test_teardown(test_packs, host_reset_after),
        cmocka_unit_test_teardown(test_wide_packs, host_reset_after),
        cmocka_unit_test_teardown(test_counts, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
