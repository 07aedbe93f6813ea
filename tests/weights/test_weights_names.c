/* Names of others for the tensors of our networks: a file that has them is read under
 * ours, elements and shapes as they were; any other file keeps its own. The names of PLC's
 * ResNet are those of networks/resnet.py of its published code. And names of classes. */
#include "support/support.h"

#include "core/alloc.h"
#include "core/hd.h"
#include "nn/network_impl.h"
#include "weights/weight_file.h"
#include "weights/weight_preset.h"

static char folder[512], path[700];

static int begin(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s", support_temporary_folder());
    (void)snprintf(path, sizeof path, "%s/w.safetensors", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    support_remove_folder(folder);
    return 0;
}

/* Each tensor is the number of its place, [2][1]. */
static void write_names(const char *const *names, size_t count)
{
    float elements[8][2];
    jsni_safetensor tensors[8] = {{0}};
    assert_true(count <= 8);
    for (size_t i = 0; i < count; i++) {
        elements[i][0] = (float)i;
        elements[i][1] = -(float)i;
        tensors[i] = (jsni_safetensor){.name = names[i],
                                       .dtype = JSN_DTYPE_FLOAT32,
                                       .rank = 2,
                                       .shape = {2, 1},
                                       .data = elements[i],
                                       .bytes = sizeof elements[i]};
    }
    assert_ok(jsni_safetensors_write(NULL, path, tensors, count, NULL, 0, false));
}

static void assert_read_as(const char *const *names, size_t count)
{
    jsni_safetensors *file = NULL;
    assert_ok(jsni_weight_file_open(&file, NULL, path, NULL));
    assert_int_equal(jsni_safetensors_count(file), count);
    for (size_t i = 0; i < count; i++) {
        const jsni_safetensor *t = jsni_safetensors_find(file, names[i]);
        if (t == NULL)
            fail_msg("no tensor '%s'", names[i]);
        assert_int_equal(t->rank, 2);
        assert_int_equal(t->shape[0], 2);
        assert_true(((const float *)t->data)[0] == (float)i);
        assert_true(((const float *)t->data)[1] == -(float)i);
    }
    jsni_safetensors_close(file);
}

static void test_the_head_of_plc_is_ours(void **state)
{
    (void)state;
    static const char *const plc[] = {"conv1.weight", "layer1.0.downsample.0.weight",
                                      "myfc.weight",  "myfc.bias",
                                      "myfc2.weight", "myfc2.bias"};
    static const char *const ours[] = {"conv1.weight", "layer1.0.downsample.0.weight",
                                       "fc.0.weight",  "fc.0.bias",
                                       "fc.1.weight",  "fc.1.bias"};
    jsni_graph *graph = NULL;
    write_names(plc, JSNI_COUNT_OF(plc));
    assert_read_as(ours, JSNI_COUNT_OF(ours));
    /* and they are names of the network that Food-101N's recipe has */
    assert_ok(jsni_network_build("resnet50-plc", (jsni_shape){3, 32, 32}, 101, &graph));
    for (size_t i = 0; i < JSNI_COUNT_OF(ours); i++) {
        size_t k = 0;
        while (k < graph->param_count && strcmp(graph->params[k].name, ours[i]) != 0)
            k++;
        if (k == graph->param_count)
            fail_msg("resnet50-plc has no '%s'", ours[i]);
    }
    jsni_graph_destroy(graph);
}

static void test_other_files_keep_their_names(void **state)
{
    (void)state;
    static const char *const names[] = {"conv1.weight", "fc.weight", "myfc.weight"};
    write_names(names, JSNI_COUNT_OF(names));
    assert_read_as(names, JSNI_COUNT_OF(names));
}

static void test_two_tensors_of_one_name_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"myfc.weight", "fc.0.weight", "myfc2.weight"};
    jsni_safetensors *file = NULL;
    write_names(names, JSNI_COUNT_OF(names));
    assert_fails(jsni_weight_file_open(&file, NULL, path, NULL), JSN_ERR_DATA,
                 "fc.0.weight");
    assert_null(file);
}

static jsn_status open_and_close(void *user)
{
    jsni_safetensors *file = NULL;
    const jsn_status status = jsni_weight_file_open(&file, NULL, user, NULL);
    jsni_safetensors_close(file);
    return status;
}

static void test_lack_of_memory_is_reported(void **state)
{
    (void)state;
    static const char *const names[] = {"myfc.weight", "myfc2.weight"};
    write_names(names, JSNI_COUNT_OF(names));
    support_walk_allocations(open_and_close, path);
}

/* Places as in the list of classes that came with ILSVRC 2012's networks. */
static void test_classes_of_imagenet_are_at_their_places(void **state)
{
    (void)state;
    static const struct {
        size_t index;
        const char *name;
    } known[] = {
        {0, "tench"},
        {1, "goldfish"},
        {2, "great white shark"},
        {207, "golden retriever"},
        {281, "tabby"},
        {285, "Egyptian cat"},
        {340, "zebra"},
        {388, "giant panda"},
        {504, "coffee mug"},
        {817, "sports car"},
        {948, "Granny Smith"},
        {999, "toilet tissue"},
    };
    for (size_t i = 0; i < JSNI_COUNT_OF(known); i++) {
        char *name = jsni_imagenet_name(known[i].index);
        assert_non_null(name);
        assert_string_equal(name, known[i].name);
        jsni_free(name);
    }
    for (size_t i = 0; i < JSNI_IMAGENET_CLASSES; i++) {
        char *name = jsni_imagenet_name(i);
        assert_non_null(name);
        if (strlen(name) < 2 || name[0] == ' ' || name[strlen(name) - 1] == ' ')
            fail_msg("class %zu: '%s'", i, name);
        jsni_free(name);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(test_the_head_of_plc_is_ours),
        TEST(test_other_files_keep_their_names),
        TEST(test_two_tensors_of_one_name_are_refused),
        TEST(test_lack_of_memory_is_reported),
        TEST(test_classes_of_imagenet_are_at_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
