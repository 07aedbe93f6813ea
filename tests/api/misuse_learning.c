/* tests/api/misuse_learning.c - see misuse.h: jensen/audit.h, jensen/augment.h, jensen/loss.h, jensen/loss_gpu.h, jensen/noise.h, jensen/theory.h. */
#include <math.h>

#include "api/misuse.h"

static void misuse_augment(misuse *m)
{
    float floats[3 * 32 * 32] = {0.5f, 0.5f, 0.5f};
    jsn_augment *pipeline = NULL;
    const jsn_augment_key key = {0};
    uint8_t bytes[3 * 8 * 8] = {1};
    jsn_augment_box box = {0};
    size_t size = 0;
    char *text = NULL;
    jsn_image image = {0};
    REFUSED(jsn_augment_create(NULL, "none", 1, 1, floats, floats));
    REFUSED(jsn_augment_create(&pipeline, NULL, 1, 1, floats, floats));
    REFUSED(jsn_augment_create(&pipeline, "none", 1, 1, NULL, floats));
    REFUSED(jsn_augment_create(&pipeline, "none", 1, 1, floats, NULL));
    REFUSED(jsn_augment_create(NULL, NULL, 1, 1, NULL, NULL));
    REFUSED(jsn_augment_create(&pipeline, "none", 0, 1, floats, floats));
    REFUSED(jsn_augment_create(&pipeline, "none", SIZE_MAX, 1, floats, floats));
    REFUSED(jsn_augment_create(&pipeline, "none", 1, 0, floats, floats));
    REFUSED(jsn_augment_create(&pipeline, "none", 1, SIZE_MAX, floats, floats));
    DOES(jsn_augment_destroy(NULL));
    GIVES(jsn_augment_text(NULL));
    REFUSED(jsn_augment_scratch_create(NULL));
    DOES(jsn_augment_scratch_destroy(NULL));
    REFUSED(jsn_augment_apply(NULL, thing_scratch(), thing_image(), &key, floats));
    REFUSED(jsn_augment_apply(thing_augment(), NULL, thing_image(), &key, floats));
    REFUSED(jsn_augment_apply(thing_augment(), thing_scratch(), NULL, &key, floats));
    REFUSED(jsn_augment_apply(thing_augment(), thing_scratch(), thing_image(), NULL,
                              floats));
    REFUSED(
        jsn_augment_apply(thing_augment(), thing_scratch(), thing_image(), &key, NULL));
    REFUSED(jsn_augment_apply(NULL, NULL, NULL, NULL, NULL));
    REFUSED(jsn_augment_bytes(NULL, thing_scratch(), thing_image(), &key, bytes, &box,
                              1, &size));
    REFUSED(jsn_augment_bytes(thing_augment(), NULL, thing_image(), &key, bytes, &box,
                              1, &size));
    REFUSED(jsn_augment_bytes(thing_augment(), thing_scratch(), NULL, &key, bytes, &box,
                              1, &size));
    REFUSED(jsn_augment_bytes(thing_augment(), thing_scratch(), thing_image(), NULL,
                              bytes, &box, 1, &size));
    REFUSED(jsn_augment_bytes(thing_augment(), thing_scratch(), thing_image(), &key,
                              NULL, &box, 1, &size));
    TAKEN(jsn_augment_bytes(thing_augment(), thing_scratch(), thing_image(), &key,
                            bytes, NULL, 1, &size));
    TAKEN(jsn_augment_bytes(thing_augment(), thing_scratch(), thing_image(), &key,
                            bytes, &box, 1, NULL));
    REFUSED(jsn_augment_bytes(NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL));
    TAKEN(jsn_augment_bytes(thing_augment(), thing_scratch(), thing_image(), &key,
                            bytes, &box, 0, &size));
    REFUSED(jsn_augment_evaluation(NULL, &text));
    REFUSED(jsn_augment_evaluation("none", NULL));
    REFUSED(jsn_augment_evaluation(NULL, NULL));
    REFUSED(jsn_augment_operation(NULL, "x", 0.5, 0.5, 0.5, &image));
    REFUSED(jsn_augment_operation(thing_image(), NULL, 0.5, 0.5, 0.5, &image));
    REFUSED(jsn_augment_operation(thing_image(), "x", 0.5, 0.5, 0.5, NULL));
    REFUSED(jsn_augment_operation(NULL, NULL, 0.5, 0.5, 0.5, NULL));
    REFUSED(jsn_augment_operation(thing_image(), "x", NAN, 0.5, 0.5, &image));
    REFUSED(jsn_augment_operation(thing_image(), "x", -1.0, 0.5, 0.5, &image));
    REFUSED(jsn_augment_operation(thing_image(), "x", INFINITY, 0.5, 0.5, &image));
    REFUSED(jsn_augment_operation(thing_image(), "x", 0.5, NAN, 0.5, &image));
    REFUSED(jsn_augment_operation(thing_image(), "x", 0.5, -1.0, 0.5, &image));
    REFUSED(jsn_augment_operation(thing_image(), "x", 0.5, INFINITY, 0.5, &image));
    REFUSED(jsn_augment_operation(thing_image(), "x", 0.5, 0.5, NAN, &image));
    REFUSED(jsn_augment_operation(thing_image(), "x", 0.5, 0.5, -1.0, &image));
    REFUSED(jsn_augment_operation(thing_image(), "x", 0.5, 0.5, INFINITY, &image));
    REFUSED(jsn_image_resize(NULL, NULL, JSN_FILTER_BILINEAR, &image));
    REFUSED(jsn_image_resize(thing_image(), NULL, JSN_FILTER_BILINEAR, &image));
    REFUSED(jsn_image_resize(thing_image(), NULL, JSN_FILTER_BILINEAR, NULL));
    REFUSED(jsn_image_resize(NULL, NULL, JSN_FILTER_BILINEAR, NULL));
    REFUSED(jsn_image_resize(thing_image(), NULL, (jsn_filter)77, &image));
    GIVES(jsn_augment_describe(0));
    GIVES(jsn_augment_describe(SIZE_MAX));
    GIVES(jsn_operation_describe(0));
    GIVES(jsn_operation_describe(SIZE_MAX));
}

/* Without a GPU a whole batch is refused, too: by the device. */
static void misuse_loss_gpu(misuse *m)
{
    static float numbers[4];
    static const int64_t labels[2] = {0, 1};
    double mean = 0.0;
    const jsn_loss_gpu_batch whole = {.device = 4000,
                                      .samples = 2,
                                      .logits = numbers,
                                      .labels = labels,
                                      .mean = &mean,
                                      .workspace = numbers};
    jsn_loss_gpu_batch batch = whole;
    jsn_loss_gpu_scale scale = {.device = 4000, .numbers = numbers, .count = 4};
    REFUSED(jsn_loss_gpu_rescale(NULL));
    REFUSED(jsn_loss_gpu_rescale(&scale));
    scale.factor = numbers;
    REFUSED(jsn_loss_gpu_rescale(&scale));
    scale.numbers = NULL;
    REFUSED(jsn_loss_gpu_rescale(&scale));
    GIVES(jsn_loss_gpu_workspace(0));
    GIVES(jsn_loss_gpu_workspace(SIZE_MAX));
    REFUSED(jsn_loss_gpu_run(NULL, &whole));
    REFUSED(jsn_loss_gpu_run(thing_loss(), NULL));
    REFUSED(jsn_loss_gpu_run(thing_loss(), &whole));
    batch.device = -1;
    REFUSED(jsn_loss_gpu_run(thing_loss(), &batch));
    batch = whole;
    batch.labels = NULL;
    REFUSED(jsn_loss_gpu_run(thing_loss(), &batch));
    batch = whole;
    batch.targets = numbers;
    REFUSED(jsn_loss_gpu_run(thing_loss(), &batch));
    batch = whole;
    batch.samples = 0;
    REFUSED(jsn_loss_gpu_run(thing_loss(), &batch));
    batch = whole;
    batch.samples = SIZE_MAX;
    REFUSED(jsn_loss_gpu_run(thing_loss(), &batch));
    batch = whole;
    batch.grad = numbers;
    REFUSED(jsn_loss_gpu_run(thing_loss(), &batch));
    batch = whole;
    batch.divisor = -1.0;
    REFUSED(jsn_loss_gpu_run(thing_loss(), &batch));
}

static void misuse_loss(misuse *m)
{
    size_t size = 0;
    jsn_loss *loss = NULL;
    jsn_loss_result result = {0};
    jsn_loss_finding findings[JSN_LOSS_FINDINGS];
    const double rows[16] = {0};
    GIVES(jsn_loss_describe(0));
    GIVES(jsn_loss_describe(SIZE_MAX));
    REFUSED(jsn_loss_check(NULL, &size));
    TAKEN(jsn_loss_check("ce", NULL));
    REFUSED(jsn_loss_check(NULL, NULL));
    REFUSED(jsn_loss_load(NULL, NULL));
    REFUSED(jsn_loss_load(place(), NULL));
    REFUSED(jsn_loss_verify(NULL, findings));
    REFUSED(jsn_loss_verify("ce", NULL));
    REFUSED(jsn_loss_verify("no such loss", findings));
    REFUSED(jsn_loss_create(NULL, "ce", 1, 1));
    REFUSED(jsn_loss_create(&loss, NULL, 1, 1));
    REFUSED(jsn_loss_create(NULL, NULL, 1, 1));
    REFUSED(jsn_loss_create(&loss, "ce", 0, 1));
    REFUSED(jsn_loss_create(&loss, "ce", SIZE_MAX, 1));
    REFUSED(jsn_loss_create(&loss, "ce", 1, 0));
    DOES(jsn_loss_destroy(NULL));
    GIVES(jsn_loss_describe_of(NULL));
    REFUSED(jsn_loss_set_threads(NULL, 1));
    TAKEN(jsn_loss_set_threads(thing_loss(), 0));
    REFUSED(jsn_loss_set_threads(thing_loss(), SIZE_MAX));
    GIVES(jsn_loss_matrix_path(NULL));
    GIVES(jsn_loss_matrix_path(thing_loss()));
    REFUSED(jsn_loss_set_matrix(NULL, rows));
    REFUSED(jsn_loss_set_matrix(thing_loss(), NULL));
    REFUSED(jsn_loss_set_matrix(thing_loss(), rows));
    DOES(jsn_loss_batch_init(NULL));
    REFUSED(jsn_loss_eval(NULL, thing_batch(), &result));
    REFUSED(jsn_loss_eval(thing_loss(), NULL, &result));
    REFUSED(jsn_loss_eval(thing_loss(), thing_batch(), NULL));
    REFUSED(jsn_loss_eval(NULL, NULL, NULL));
}

static void misuse_audit(misuse *m)
{
    jsn_audit_result result = {0};
    jsn_audit_input nothing = {0};
    GIVES(jsn_audit_kind_name((jsn_audit_kind)77));
    DOES(jsn_audit_input_init(NULL));
    DOES(jsn_audit_options_init(NULL));
    DOES(jsn_audit_result_release(NULL));
    REFUSED(jsn_audit(NULL, NULL, &result));
    REFUSED(jsn_audit(&nothing, NULL, NULL));
    REFUSED(jsn_audit(&nothing, NULL, &result));
    REFUSED(jsn_audit(NULL, NULL, NULL));
}

static void misuse_noise(misuse *m)
{
    jsn_noise *noise = NULL;
    jsn_noise_result noisy = {0};
    jsn_array matrix = {0};
    DOES(jsn_noise_input_init(NULL));
    DOES(jsn_noise_result_release(NULL));
    REFUSED(jsn_noise_create(NULL, "none"));
    REFUSED(jsn_noise_create(&noise, NULL));
    REFUSED(jsn_noise_create(NULL, NULL));
    DOES(jsn_noise_destroy(NULL));
    REFUSED(jsn_noise_apply(NULL, thing_noise_input(), &noisy));
    REFUSED(jsn_noise_apply(thing_noise(), NULL, &noisy));
    REFUSED(jsn_noise_apply(thing_noise(), thing_noise_input(), NULL));
    REFUSED(jsn_noise_apply(NULL, NULL, NULL));
    GIVES(jsn_noise_about(NULL));
    REFUSED(jsn_noise_write_csv(NULL, thing_noisy(), place()));
    REFUSED(jsn_noise_write_csv(thing_noise_input(), NULL, place()));
    REFUSED(jsn_noise_write_csv(thing_noise_input(), thing_noisy(), NULL));
    REFUSED(jsn_noise_write_csv(NULL, NULL, NULL));
    REFUSED(jsn_noise_write_matrix(NULL, place()));
    REFUSED(jsn_noise_write_matrix(thing_noisy(), NULL));
    REFUSED(jsn_noise_write_matrix(NULL, NULL));
    REFUSED(jsn_noise_read_matrix(NULL, place()));
    REFUSED(jsn_noise_read_matrix(&matrix, NULL));
    REFUSED(jsn_noise_read_matrix(&matrix, place()));
}

static void misuse_theory(misuse *m)
{
    jsn_theory_bounds bounds;
    double reals[] = {0.5, 0.5, 0.25, 0.75};
    jsn_theory_parts parts;
    jsn_theory_risk risk;
    REFUSED(jsn_theory_bounds_equal(NULL, 1, 1, 0.5));
    REFUSED(jsn_theory_bounds_equal(&bounds, 0, 1, 0.5));
    TAKEN(jsn_theory_bounds_equal(&bounds, SIZE_MAX, 1, 0.5));
    REFUSED(jsn_theory_bounds_equal(&bounds, 1, 0, 0.5));
    REFUSED(jsn_theory_bounds_equal(&bounds, 1, 1, NAN));
    REFUSED(jsn_theory_bounds_equal(&bounds, 1, 1, -1.0));
    REFUSED(jsn_theory_bounds_equal(&bounds, 1, 1, INFINITY));
    REFUSED(jsn_theory_bounds_weighted(NULL, 1, 1, reals));
    REFUSED(jsn_theory_bounds_weighted(&bounds, 1, 1, NULL));
    REFUSED(jsn_theory_bounds_weighted(NULL, 1, 1, NULL));
    REFUSED(jsn_theory_bounds_weighted(&bounds, 0, 1, reals));
    TAKEN(jsn_theory_bounds_weighted(&bounds, SIZE_MAX, 1, reals));
    REFUSED(jsn_theory_bounds_weighted(&bounds, 1, 0, reals));
    REFUSED(jsn_theory_label_sum(JSN_THEORY_CE, 0.5, 1, NULL, reals));
    REFUSED(jsn_theory_label_sum(JSN_THEORY_CE, 0.5, 1, reals, NULL));
    REFUSED(jsn_theory_label_sum(JSN_THEORY_CE, 0.5, 1, NULL, NULL));
    REFUSED(jsn_theory_label_sum((jsn_theory_loss)77, 0.5, 1, reals, reals));
    REFUSED(jsn_theory_label_sum(JSN_THEORY_CE, NAN, 1, reals, reals));
    REFUSED(jsn_theory_label_sum(JSN_THEORY_CE, -1.0, 1, reals, reals));
    REFUSED(jsn_theory_label_sum(JSN_THEORY_CE, INFINITY, 1, reals, reals));
    REFUSED(jsn_theory_label_sum(JSN_THEORY_CE, 0.5, 0, reals, reals));
    TAKEN(jsn_theory_label_sum(JSN_THEORY_CE, 0.5, SIZE_MAX, reals, reals));
    GIVES(jsn_theory_js(NAN, 0.5));
    GIVES(jsn_theory_js(-1.0, 0.5));
    GIVES(jsn_theory_js(INFINITY, 0.5));
    GIVES(jsn_theory_js(0.5, NAN));
    GIVES(jsn_theory_js(0.5, -1.0));
    GIVES(jsn_theory_js(0.5, INFINITY));
    GIVES(jsn_theory_gradient_scale((jsn_theory_loss)77, 0.5, 0.5));
    GIVES(jsn_theory_gradient_scale(JSN_THEORY_CE, NAN, 0.5));
    GIVES(jsn_theory_gradient_scale(JSN_THEORY_CE, -1.0, 0.5));
    GIVES(jsn_theory_gradient_scale(JSN_THEORY_CE, INFINITY, 0.5));
    GIVES(jsn_theory_gradient_scale(JSN_THEORY_CE, 0.5, NAN));
    GIVES(jsn_theory_gradient_scale(JSN_THEORY_CE, 0.5, -1.0));
    GIVES(jsn_theory_gradient_scale(JSN_THEORY_CE, 0.5, INFINITY));
    REFUSED(jsn_theory_match_gce(0.5, 0.5, NULL, reals));
    REFUSED(jsn_theory_match_gce(0.5, 0.5, reals, NULL));
    REFUSED(jsn_theory_match_gce(0.5, 0.5, NULL, NULL));
    REFUSED(jsn_theory_match_gce(NAN, 0.5, reals, reals));
    REFUSED(jsn_theory_match_gce(-1.0, 0.5, reals, reals));
    REFUSED(jsn_theory_match_gce(INFINITY, 0.5, reals, reals));
    REFUSED(jsn_theory_match_gce(0.5, NAN, reals, reals));
    REFUSED(jsn_theory_match_gce(0.5, -1.0, reals, reals));
    REFUSED(jsn_theory_match_gce(0.5, INFINITY, reals, reals));
    REFUSED(jsn_theory_divergence(1, 1, NULL, reals, reals));
    REFUSED(jsn_theory_divergence(1, 1, reals, NULL, reals));
    REFUSED(jsn_theory_divergence(1, 1, reals, reals, NULL));
    REFUSED(jsn_theory_divergence(1, 1, NULL, NULL, NULL));
    REFUSED(jsn_theory_divergence(0, 1, reals, reals, reals));
    REFUSED(jsn_theory_divergence(1, 0, reals, reals, reals));
    REFUSED(jsn_theory_divergence(1, SIZE_MAX, reals, reals, reals));
    GIVES(jsn_theory_f(NAN, 0.5));
    GIVES(jsn_theory_f(-1.0, 0.5));
    GIVES(jsn_theory_f(INFINITY, 0.5));
    GIVES(jsn_theory_f(0.5, NAN));
    GIVES(jsn_theory_f(0.5, -1.0));
    GIVES(jsn_theory_f(0.5, INFINITY));
    GIVES(jsn_theory_f_second(NAN, 0.5));
    GIVES(jsn_theory_f_second(-1.0, 0.5));
    GIVES(jsn_theory_f_second(INFINITY, 0.5));
    GIVES(jsn_theory_f_second(0.5, NAN));
    GIVES(jsn_theory_f_second(0.5, -1.0));
    GIVES(jsn_theory_f_second(0.5, INFINITY));
    REFUSED(jsn_theory_decompose(NULL, 1, 1, 0.5, reals, 1, reals));
    REFUSED(jsn_theory_decompose(&parts, 1, 1, 0.5, NULL, 1, reals));
    REFUSED(jsn_theory_decompose(&parts, 1, 1, 0.5, reals, 1, NULL));
    REFUSED(jsn_theory_decompose(NULL, 1, 1, 0.5, NULL, 1, NULL));
    REFUSED(jsn_theory_decompose(&parts, 0, 1, 0.5, reals, 1, reals));
    REFUSED(jsn_theory_decompose(&parts, 1, 0, 0.5, reals, 1, reals));
    REFUSED(jsn_theory_decompose(&parts, 1, 1, NAN, reals, 1, reals));
    REFUSED(jsn_theory_decompose(&parts, 1, 1, -1.0, reals, 1, reals));
    REFUSED(jsn_theory_decompose(&parts, 1, 1, INFINITY, reals, 1, reals));
    REFUSED(jsn_theory_decompose(&parts, 1, 1, 0.5, reals, 0, reals));
    REFUSED(jsn_theory_decompose(&parts, 1, 1, 0.5, reals, SIZE_MAX, reals));
    REFUSED(jsn_theory_risk_symmetric(NULL, thing_bounds(), 0.5, false));
    REFUSED(jsn_theory_risk_symmetric(&risk, NULL, 0.5, false));
    REFUSED(jsn_theory_risk_symmetric(NULL, NULL, 0.5, false));
    REFUSED(jsn_theory_risk_symmetric(&risk, thing_bounds(), NAN, false));
    REFUSED(jsn_theory_risk_symmetric(&risk, thing_bounds(), -1.0, false));
    REFUSED(jsn_theory_risk_symmetric(&risk, thing_bounds(), INFINITY, false));
    REFUSED(jsn_theory_risk_asymmetric(NULL, thing_bounds(), reals, reals, false));
    REFUSED(jsn_theory_risk_asymmetric(&risk, NULL, reals, reals, false));
    REFUSED(jsn_theory_risk_asymmetric(&risk, thing_bounds(), NULL, reals, false));
    REFUSED(jsn_theory_risk_asymmetric(&risk, thing_bounds(), reals, NULL, false));
    REFUSED(jsn_theory_risk_asymmetric(NULL, NULL, NULL, NULL, false));
}

void misuse_learning(misuse *m)
{
    misuse_audit(m);
    misuse_augment(m);
    misuse_loss(m);
    misuse_loss_gpu(m);
    misuse_noise(m);
    misuse_theory(m);
}
