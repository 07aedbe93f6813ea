/* What backends say that they can: the row of the table, the table of an open device and
 * what a plan takes agree. A backend is tested without a new line here. */
#include "backend/backend_support.h"
#include "backend/resident.h"
#include "train/run.h"

static jsni_graph *small_graph(void)
{
    jsni_builder b;
    jsni_graph *graph = NULL;
    jsni_build_begin(&b, "small", (jsni_shape){3, 4, 4}, 5);
    const size_t x = jsni_build_flatten(&b, "flat", jsni_build_input(&b));
    (void)jsni_build_linear(&b, "linear", x, 5, true);
    assert_ok(jsni_build_end(&b, &graph));
    return graph;
}

/* The status of making a plan; nothing stays. */
static jsn_status plan(jsni_backend *backend, const jsni_graph *graph,
                       jsn_precision precision, size_t members)
{
    jsni_plan *made = NULL;
    const jsni_plan_options options = {.batch = 2,
                                       .views = 1,
                                       .threads = 1,
                                       .training = true,
                                       .precision = precision,
                                       .members = members};
    const jsn_status status = jsni_plan_create(backend, graph, &options, &made);
    jsni_plan_destroy(made);
    return status;
}

static void test_plans_take_what_the_backend_says(void **state)
{
    (void)state;
    jsni_graph *graph = small_graph();
    for (size_t i = 0; jsni_backend_at(i) != NULL; i++) {
        const jsni_backend_ops *row = jsni_backend_at(i);
        assert_true(row->can.members >= 1);
        assert_true(row->can.precisions & JSNI_CAN(JSN_PRECISION_FP32));
        if (row->device_count() == 0)
            continue;
        jsni_backend *backend = NULL;
        assert_ok(jsni_backend_open(&backend, row->name));
        const jsni_backend_can *can = &backend->ops->can;
        assert_int_equal(can->gpu, row->can.gpu);
        assert_int_equal(can->members, row->can.members);
        assert_int_equal(can->precisions, row->can.precisions);
        assert_int_equal(can->resident, row->can.resident);
        assert_int_equal(can->resident, backend->ops->resident != NULL);
        for (int p = JSN_PRECISION_FP32; p <= JSN_PRECISION_BF16 + 1; p++)
            assert_int_equal(plan(backend, graph, (jsn_precision)p, 1),
                             can->precisions & JSNI_CAN(p) ? JSN_OK : JSN_ERR_ARGUMENT);
        assert_int_equal(plan(backend, graph, JSN_PRECISION_FP32, 2),
                         can->members > 1 ? JSN_OK : JSN_ERR_UNSUPPORTED);
        jsni_backend_close(backend);
    }
    jsni_graph_destroy(graph);
}

static void test_a_device_is_found_by_the_name_it_begins_with(void **state)
{
    (void)state;
    for (size_t i = 0; jsni_backend_at(i) != NULL; i++) {
        char spec[64];
        const jsni_backend_ops *row = jsni_backend_at(i);
        assert_ptr_equal(jsni_backend_named(row->name), row);
        (void)snprintf(spec, sizeof spec, "%s:1", row->name);
        assert_ptr_equal(jsni_backend_named(spec), row);
        assert_int_equal(jsni_train_together(spec), row->can.members);
        (void)snprintf(spec, sizeof spec, "%sx", row->name);
        assert_null(jsni_backend_named(spec));
        assert_int_equal(jsn_backend_describe(i).gpu, row->can.gpu);
    }
    assert_null(jsni_backend_named("auto"));
    assert_null(jsni_backend_named("cpu"));
    assert_null(jsni_backend_named(NULL));
    assert_int_equal(jsni_train_together(NULL), 1);
    assert_int_equal(jsni_train_together("auto"), 1);
}

static void test_the_cpu_is_no_gpu(void **state)
{
    (void)state;
    jsn_device_info device;
    assert_ok(jsn_device_describe("cpu", &device));
    assert_int_equal(device.gpu, 0);
    assert_ok(jsn_device_describe("auto", &device));
    assert_int_equal(device.gpu, jsni_backend_named(device.backend)->can.gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans_take_what_the_backend_says),
        cmocka_unit_test(test_a_device_is_found_by_the_name_it_begins_with),
        cmocka_unit_test(test_the_cpu_is_no_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
