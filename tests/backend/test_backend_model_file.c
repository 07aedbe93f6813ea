/* tests/backend/test_backend_model_file.c - weights to and from files: heads of other sizes and
 * kinds, and files that do not fit. */
#include "backend/model_support.h"
#include "core/alloc.h"
#include "core/file.h"

static void test_weights_survive_a_file(void **state)
{
    (void)state;
    const char *folder = support_temporary_folder();
    char *path = jsni_path_join(folder, "w.safetensors");
    const jsn_model_options o = model_small("ref");
    jsn_model *model = model_make(&o);
    (void)model_train(model, "ce", 1, 6, MODEL_IMAGE, 3, 0.1);
    assert_ok(jsn_model_save(model, path));
    char before[65], after[65];
    assert_ok(jsni_model_sha256(model, before));
    assert_ok(jsn_model_init(model, 99));
    assert_ok(jsni_model_sha256(model, after));
    assert_string_not_equal(before, after);
    int head = 7;
    assert_ok(jsn_model_load(model, path, &head));
    assert_int_equal(head, 0);
    assert_ok(jsni_model_sha256(model, after));
    assert_string_equal(before, after);
    assert_fails(jsn_model_save(model, "/nonexistent/w.safetensors"), JSN_ERR_IO, "/");
    assert_fails(jsn_model_load(model, "/nonexistent", NULL), JSN_ERR_DATA, "/");
    jsn_model_destroy(model);
    jsni_free(path);
    support_remove_folder(folder);
}

static void test_another_number_of_classes_leaves_the_head_alone(void **state)
{
    (void)state;
    const char *folder = support_temporary_folder();
    char *path = jsni_path_join(folder, "w.safetensors");
    jsn_model_options o = model_small("ref");
    jsn_model *five = model_make(&o);
    (void)model_train(five, "ce", 1, 6, MODEL_IMAGE, 3, 0.1);
    assert_ok(jsn_model_save(five, path));
    o.classes = 7;
    jsn_model *seven = model_make(&o);
    assert_fails(jsn_model_load(seven, path, NULL), JSN_ERR_DATA,
                 "'linear.weight' is 5x32, the network's is 7x32");
    int head = 0;
    assert_ok(jsn_model_load(seven, path, &head));
    assert_int_equal(head, 1);
    const jsni_graph *graph = seven->graph;
    float *a = calloc(graph->param_floats, sizeof *a),
          *b = calloc(graph->param_floats, 4);
    float *initial = calloc(graph->param_floats, sizeof *initial);
    float *stats = calloc(graph->stat_floats, sizeof *stats);
    assert_true(a != NULL && b != NULL && initial != NULL && stats != NULL);
    assert_ok(jsni_model_read(five, 0, JSNI_BLOCK_PARAMETERS, a));
    assert_ok(jsni_model_read(seven, 0, JSNI_BLOCK_PARAMETERS, b));
    jsni_graph_init(graph, 7, initial, stats);
    const size_t body = graph->params[graph->param_count - 2].offset;
    assert_memory_equal(a, b, body * sizeof *a);
    assert_memory_equal(b + body, initial + body,
                        (graph->param_floats - body) * sizeof *b);
    free(a);
    free(b);
    free(initial);
    free(stats);
    jsn_model_destroy(five);
    jsn_model_destroy(seven);
    jsni_free(path);
    support_remove_folder(folder);
}

/* A plain ResNet-50 file initialises the body of the one with a two-layer head. */
static void test_a_head_of_another_kind_is_replaced(void **state)
{
    (void)state;
    const char *folder = support_temporary_folder();
    char *path = jsni_path_join(folder, "w.safetensors");
    jsn_model_options o = model_small("ref");
    o.network = "resnet50";
    o.height = o.width = 32;
    o.batch = 1;
    o.optimiser = NULL;
    jsn_model *model = NULL;
    assert_ok(jsn_model_create(&model, &o)); /* zero weights do */
    assert_ok(jsn_model_save(model, path));
    jsn_model_destroy(model);
    o.network = "resnet50-plc";
    assert_ok(jsn_model_create(&model, &o));
    int head = 0;
    assert_ok(jsn_model_load(model, path, &head));
    assert_int_equal(head, 1);
    assert_fails(jsn_model_load(model, path, NULL), JSN_ERR_DATA,
                 "has the weights of resnet50,");
    jsn_model_destroy(model);
    o.network = "resnet18";
    assert_ok(jsn_model_create(&model, &o));
    assert_fails(jsn_model_load(model, path, &head), JSN_ERR_DATA,
                 "--network resnet50 takes them");
    jsn_model_destroy(model);
    jsni_free(path);
    support_remove_folder(folder);
}

/* Writes the weights of `model` without tensor `skip`, with `extra` added and tensor
 * `wrong` as float64. */
static void write_variant(jsn_model *model, const char *path, const char *skip,
                          const char *extra, const char *wrong)
{
    const jsni_graph *graph = model->graph;
    float *params = model->staging, *stats = params + graph->param_floats;
    assert_ok(jsni_model_read(model, 0, JSNI_BLOCK_PARAMETERS, params));
    assert_ok(jsni_model_read(model, 0, JSNI_BLOCK_STATISTICS, stats));
    jsni_safetensor list[64] = {{0}};
    static double doubles[4096];
    size_t count = 0;
    for (size_t i = 0; i < graph->param_count + graph->stat_count; i++) {
        const bool stat = i >= graph->param_count;
        const jsni_tensor *t =
            stat ? &graph->stats[i - graph->param_count] : &graph->params[i];
        if (skip != NULL && strcmp(t->name, skip) == 0)
            continue;
        jsni_safetensor *to = &list[count++];
        *to = (jsni_safetensor){.name = t->name,
                                .dtype = JSN_DTYPE_FLOAT32,
                                .rank = t->rank,
                                .data = (stat ? stats : params) + t->offset};
        memcpy(to->shape, t->dim, sizeof t->dim);
        if (wrong != NULL && strcmp(t->name, wrong) == 0) {
            to->dtype = JSN_DTYPE_FLOAT64;
            to->data = doubles;
        }
    }
    if (extra != NULL)
        list[count++] = (jsni_safetensor){.name = extra,
                                          .dtype = JSN_DTYPE_FLOAT32,
                                          .rank = 1,
                                          .shape = {3},
                                          .data = doubles};
    assert_ok(jsni_safetensors_write(NULL, path, list, count, NULL, 0, false));
}

static void test_files_that_do_not_fit_change_nothing(void **state)
{
    (void)state;
    const char *folder = support_temporary_folder();
    char *path = jsni_path_join(folder, "w.safetensors");
    const jsn_model_options o = model_small("ref");
    jsn_model *source = model_make(&o), *model = model_make(&o);
    assert_ok(jsn_model_init(model, 5));
    char before[65], after[65];
    assert_ok(jsni_model_sha256(model, before));
    int head = 0;
    write_variant(source, path, "layer2.bn.running_var", NULL, NULL);
    assert_fails(jsn_model_load(model, path, &head), JSN_ERR_DATA,
                 "lacks 1 tensor of cnn:width=4: layer2.bn.running_var");
    write_variant(source, path, NULL, "layer9.weight", NULL);
    assert_fails(jsn_model_load(model, path, &head), JSN_ERR_DATA,
                 "has 1 tensor that cnn:width=4 lacks: layer9.weight");
    write_variant(source, path, "layer1.conv.weight", "layer0.conv.weight", NULL);
    assert_fails(jsn_model_load(model, path, &head), JSN_ERR_DATA, "does not fit");
    write_variant(source, path, NULL, NULL, "layer1.conv.weight");
    assert_fails(jsn_model_load(model, path, &head), JSN_ERR_DATA,
                 "'layer1.conv.weight' is float64");
    assert_ok(jsni_model_sha256(model, after));
    assert_string_equal(before, after);
    write_variant(source, path, NULL, "layer1.bn.num_batches_tracked", NULL);
    assert_ok(jsn_model_load(model, path, NULL));
    jsn_model_destroy(source);
    jsn_model_destroy(model);
    jsni_free(path);
    support_remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_survive_a_file),
        cmocka_unit_test(test_another_number_of_classes_leaves_the_head_alone),
        cmocka_unit_test(test_a_head_of_another_kind_is_replaced),
        cmocka_unit_test(test_files_that_do_not_fit_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
