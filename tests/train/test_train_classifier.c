/* A finished run and weights alone, opened with options: the batch and the precision are
 * those that were asked for, and the answers do not depend on the batch. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "jensen/classifier.h"
#include "jensen/image_file.h"
#include "jensen/model.h"
#include "jensen/train.h"
#include "support/support.h"
#include "train/classifier_stream.h"

enum { IMAGES = 5, CLASSES = 10 };

static char run_folder[300], weights[400];

static int train_run(void **state)
{
    if (support_folder_begin(state) != 0)
        return -1;
    (void)snprintf(run_folder, sizeof run_folder, "%s/run", support_folder);
    (void)snprintf(weights, sizeof weights, "%s/model.safetensors", run_folder);
    const char *const options[][2] = {
        {"data", "builtin:size=60,test=20"},
        {"network", "mlp:width=16"},
        {"device", "ref"},
        {"loss", "ce"},
        {"augment", "none"},
        {"epochs", "1"},
        {"batch", "10"},
        {"threads", "1"},
        {"workers", "0"},
        {"out", run_folder},
    };
    jsn_train_config config;
    jsn_train_result result;
    jsn_train_config_clear(&config);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < sizeof options / sizeof options[0]; i++)
        status = jsn_train_config_set(&config, options[i][0], options[i][1]);
    if (status == JSN_OK)
        status = jsn_train(&config, NULL, NULL, NULL, &result);
    jsn_train_config_release(&config);
    if (status != JSN_OK)
        print_message("%s\n", jsn_last_error());
    return status == JSN_OK ? 0 : -1;
}

/* The run, or its weights alone. */
static jsn_classifier_options options_of(bool run)
{
    jsn_classifier_options o;
    jsn_classifier_options_init(&o);
    o.device = "ref";
    o.threads = 1;
    if (run) {
        o.run = run_folder;
    } else {
        o.network = "mlp:width=16";
        o.weights = weights;
        o.classes = CLASSES;
    }
    return o;
}

static void predict(const jsn_classifier_options *o, double *probabilities)
{
    static float tensors[IMAGES * 3 * 32 * 32];
    jsn_classifier *c = NULL;
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        tensors[i] = (float)(i % 17) / 8.0f - 1.0f;
    assert_ok(jsn_classifier_create(&c, o));
    assert_int_equal(jsn_classifier_classes(c), CLASSES);
    assert_ok(jsn_classifier_predict_tensors(c, tensors, IMAGES, probabilities, NULL));
    jsn_classifier_close(c);
}

static void test_batch_is_used(void **state)
{
    (void)state;
    double want[IMAGES * CLASSES], got[IMAGES * CLASSES];
    for (int run = 0; run < 2; run++) {
        jsn_classifier_options o = options_of(run != 0);
        assert_int_equal(o.batch, 64);
        predict(&o, want);
        for (size_t batch = 1; batch <= IMAGES + 1; batch++) {
            o.batch = batch;
            predict(&o, got);
            for (size_t i = 0; i < IMAGES * CLASSES; i++)
                assert_close(got[i], want[i], 1e-6, 0.0);
        }
    }
}

static void test_precision_is_used(void **state)
{
    (void)state;
    for (int run = 0; run < 2; run++) {
        jsn_classifier *c = NULL;
        jsn_classifier_options o = options_of(run != 0);
        o.precision = JSN_PRECISION_BF16;
        assert_fails(jsn_classifier_create(&c, &o), JSN_ERR_ARGUMENT, "only in fp32");
        assert_null(c);
    }
}

static void test_wrong_options(void **state)
{
    (void)state;
    jsn_classifier *c = NULL;
    jsn_classifier_options o;
    jsn_classifier_options_init(&o);
    assert_fails(jsn_classifier_create(&c, &o), JSN_ERR_ARGUMENT,
                 "a run, or a network");
    o.network = "mlp:width=16";
    assert_fails(jsn_classifier_create(&c, &o), JSN_ERR_ARGUMENT, "its weights");
    o = options_of(true);
    o.batch = 0;
    assert_fails(jsn_classifier_create(&c, &o), JSN_ERR_RANGE, "batch");
    o = options_of(false);
    o.classes = 1;
    assert_fails(jsn_classifier_create(&c, &o), JSN_ERR_ARGUMENT, "2 classes");
    assert_null(c);
}

enum { FILES = 11 };

/* Files 2, 3 and 10 hold no image. */
static bool is_broken(size_t index)
{
    return index == 2 || index == 3 || index == 10;
}

static const char *const *image_files(void)
{
    static char paths[FILES][400];
    static const char *list[FILES];
    for (size_t i = 0; i < FILES; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s/%zu.ppm", support_folder, i);
        list[i] = paths[i];
        FILE *file = fopen(paths[i], "wb");
        assert_non_null(file);
        assert_true(fputs(is_broken(i) ? "no image" : "P6\n7 5\n255\n", file) >= 0);
        for (size_t byte = 0; !is_broken(i) && byte < 105; byte++)
            assert_true(fputc((int)((byte * (i + 3)) % 251), file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    return list;
}

typedef struct told {
    size_t count, end; /* files told of; the callback fails at `end` */
    double probabilities[FILES][CLASSES];
    float logits[FILES][CLASSES];
} told;

static jsn_status take_file(void *user, const jsn_classifier_file *file)
{
    told *t = user;
    const size_t at = t->count++;
    char name[24];
    (void)snprintf(name, sizeof name, "/%zu.ppm", at);
    assert_non_null(strstr(file->path, name));
    if (at == t->end)
        return JSN_ERR_RANGE;
    assert_true((file->reason != NULL) == is_broken(at));
    assert_true((file->probabilities == NULL) == is_broken(at));
    assert_true((file->logits == NULL) == is_broken(at));
    if (is_broken(at)) {
        assert_null(strstr(file->reason, support_folder));
        return JSN_OK;
    }
    memcpy(t->probabilities[at], file->probabilities, sizeof t->probabilities[at]);
    memcpy(t->logits[at], file->logits, sizeof t->logits[at]);
    return JSN_OK;
}

/* Files in a stream have the answers that images have alone, whatever the threads and the
 * batch. */
static void test_files(void **state)
{
    (void)state;
    const char *const *paths = image_files();
    jsn_classifier_options o = options_of(true);
    for (o.threads = 1; o.threads <= 3; o.threads++)
        for (o.batch = 1; o.batch <= FILES + 1; o.batch++) {
            jsn_classifier *c = NULL;
            jsn_image image = {0};
            told t = {.end = FILES};
            assert_ok(jsn_classifier_create(&c, &o));
            assert_ok(jsn_classifier_predict_files(c, paths, FILES, take_file, &t));
            assert_int_equal(t.count, FILES);
            for (size_t i = 0; i < FILES; i++) {
                double want[CLASSES];
                float logits[CLASSES];
                if (is_broken(i))
                    continue;
                assert_ok(jsn_image_read(&image, paths[i]));
                assert_ok(jsn_classifier_predict(c, &image, 1, want, logits));
                for (size_t k = 0; k < CLASSES; k++) {
                    assert_close(t.probabilities[i][k], want[k], 1e-6, 0.0);
                    assert_close(t.logits[i][k], logits[k], 1e-5, 1e-6);
                }
            }
            jsn_image_release(&image);
            jsn_classifier_close(c);
        }
}

typedef struct paired {
    const char *const *paths;
    const told *want;
    size_t count, end;
} paired;

static jsn_status read_paired(void *user, size_t index, jsn_image *image)
{
    return jsn_image_read(image, ((const paired *)user)->paths[index]);
}

static jsn_status take_paired(void *user, const jsni_streamed *image)
{
    paired *p = user;
    assert_int_equal(image->index, p->count);
    if (p->count++ == p->end)
        return JSN_ERR_RANGE;
    assert_true((image->probabilities == NULL) == is_broken(image->index));
    for (size_t k = 0; image->probabilities != NULL && k < CLASSES; k++)
        assert_close(image->probabilities[k], p->want->probabilities[image->index][k],
                     1e-6, 0.0);
    return JSN_OK;
}

/* So has a stream that reads ahead, as it does on a GPU, and it ends wherever it is told to. */
static void test_reading_ahead(void **state)
{
    (void)state;
    told want = {.end = FILES};
    paired p = {.paths = image_files(), .want = &want};
    jsn_classifier_options o = options_of(true);
    for (o.batch = 1; o.batch <= FILES + 1; o.batch++) {
        jsni_stream stream = {.count = FILES,
                              .read = read_paired,
                              .tell = take_paired,
                              .user = &p,
                              .way = JSNI_STREAM_PAIRS};
        assert_ok(jsn_classifier_create(&stream.classifier, &o));
        want.count = 0;
        assert_ok(jsn_classifier_predict_files(stream.classifier, p.paths, FILES,
                                               take_file, &want));
        for (p.end = 0; p.end <= FILES; p.end++) {
            p.count = 0;
            assert_int_equal(jsni_stream_run(&stream),
                             p.end < FILES ? JSN_ERR_RANGE : JSN_OK);
            assert_int_equal(p.count, p.end < FILES ? p.end + 1 : FILES);
        }
        jsn_classifier_close(stream.classifier);
    }
}

/* What is no fault of a file's content ends it, as the callback does. */
static void test_files_end(void **state)
{
    (void)state;
    const char *const *paths = image_files();
    const char *gone[FILES];
    jsn_classifier_options o = options_of(true);
    jsn_classifier *c = NULL;
    o.threads = 2;
    o.batch = 4;
    assert_ok(jsn_classifier_create(&c, &o));
    for (size_t end = 0; end < FILES; end++) {
        told t = {.end = end};
        assert_int_equal(jsn_classifier_predict_files(c, paths, FILES, take_file, &t),
                         JSN_ERR_RANGE);
        assert_int_equal(t.count, end + 1);
    }
    told t = {.end = FILES};
    assert_ok(jsn_classifier_predict_files(c, paths, 0, take_file, &t));
    struct rlimit files;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    const struct rlimit none = {0, files.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(jsn_classifier_predict_files(c, paths, FILES, take_file, &t),
                     JSN_ERR_IO);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_int_equal(t.count, 0);
    memcpy(gone, paths, sizeof gone);
    gone[5] = NULL;
    assert_fails(jsn_classifier_predict_files(c, gone, FILES, take_file, &t),
                 JSN_ERR_ARGUMENT, "path 5 is NULL");
    jsn_classifier_close(c);
}

/* Weights of a network with convolutions, which asks for its images where its backend can. */
static jsn_classifier_options asking_options(size_t classes)
{
    static char file[400];
    jsn_model_options m;
    jsn_model *model = NULL;
    jsn_model_options_init(&m);
    m.network = "cnn:width=16";
    m.classes = classes;
    m.device = "cpu";
    (void)snprintf(file, sizeof file, "%s/cnn.safetensors", support_folder);
    assert_ok(jsn_model_create(&model, &m));
    assert_ok(jsn_model_init(model, 5));
    assert_ok(jsn_model_save(model, file));
    jsn_model_destroy(model);
    jsn_classifier_options o = options_of(false);
    o.network = m.network;
    o.weights = file;
    o.classes = classes;
    o.device = m.device;
    return o;
}

/* What is told of an image in the order of the images. */
typedef struct heard {
    const char *const *paths;
    told told;
    char reasons[FILES][400];
} heard;

static jsn_status read_heard(void *user, size_t index, jsn_image *image)
{
    return jsn_image_read(image, ((const heard *)user)->paths[index]);
}

static jsn_status take_heard(void *user, const jsni_streamed *image)
{
    heard *h = user;
    const size_t at = h->told.count++;
    assert_int_equal(image->index, at);
    if (image->reason != NULL) {
        (void)snprintf(h->reasons[at], sizeof h->reasons[at], "%s", image->reason);
        return JSN_OK;
    }
    memcpy(h->told.probabilities[at], image->probabilities,
           sizeof h->told.probabilities[at]);
    memcpy(h->told.logits[at], image->logits, sizeof h->told.logits[at]);
    return JSN_OK;
}

static void hear(jsn_classifier *c, jsni_stream_way way, heard *h)
{
    memset(h, 0, sizeof *h);
    h->paths = image_files();
    const jsni_stream stream = {.classifier = c,
                                .count = FILES,
                                .read = read_heard,
                                .tell = take_heard,
                                .user = h,
                                .way = way};
    assert_ok(jsni_stream_run(&stream));
}

/* Threads that read what they then compute on tell the same as a batch that is read first:
 * to the bit, and with the same sentences. */
static void test_asking_for_images(void **state)
{
    (void)state;
    static heard turns, asked, pairs;
    jsn_classifier_options o = asking_options(CLASSES);
    for (o.threads = 1; o.threads <= 3; o.threads++)
        for (o.batch = 1; o.batch <= FILES + 1; o.batch++) {
            jsn_classifier *c = NULL;
            assert_ok(jsn_classifier_create(&c, &o));
            hear(c, JSNI_STREAM_TURNS, &turns);
            hear(c, JSNI_STREAM_AUTO, &asked);
            hear(c, JSNI_STREAM_PAIRS, &pairs);
            assert_int_equal(turns.told.count, FILES);
            assert_memory_equal(&asked, &turns, sizeof asked);
            assert_memory_equal(&pairs, &turns, sizeof pairs);
            for (size_t i = 0; i < FILES; i++)
                assert_int_equal(turns.reasons[i][0] != '\0', is_broken(i));
            jsn_classifier_close(c);
        }
}

/* Reading alone tells nothing, and fails where reading does. */
static void test_reading_alone(void **state)
{
    (void)state;
    static heard h;
    jsn_classifier_options o = asking_options(CLASSES);
    jsn_classifier *c = NULL;
    const char *const *paths = image_files();
    o.batch = 4;
    assert_ok(jsn_classifier_create(&c, &o));
    hear(c, JSNI_STREAM_READS, &h);
    assert_int_equal(h.told.count, 0);
    assert_ok(jsni_classifier_read_files(c, paths, FILES));
    const char *gone[] = {paths[0], NULL};
    assert_fails(jsni_classifier_read_files(c, gone, 2), JSN_ERR_ARGUMENT,
                 "path 1 is NULL");
    told t = {.end = FILES};
    struct rlimit files;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    const struct rlimit none = {0, files.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(jsni_classifier_read_files(c, paths, FILES), JSN_ERR_IO);
    assert_int_equal(jsn_classifier_predict_files(c, paths, FILES, take_file, &t),
                     JSN_ERR_IO);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_int_equal(t.count, 0);
    jsn_classifier_close(c);
}

/* A stream with an image that fails for another reason than its content. */
typedef struct failing {
    const char *const *paths;
    size_t at, told;
    size_t memory; /* most bytes held while something was told */
} failing;

static jsn_status read_failing(void *user, size_t index, jsn_image *image)
{
    const failing *f = user;
    return index == f->at ? jsni_fail(JSN_ERR_IO, "image %zu is away", index)
                          : jsn_image_read(image, f->paths[index]);
}

static jsn_status take_failing(void *user, const jsni_streamed *image)
{
    failing *f = user;
    assert_int_equal(image->index, f->told++);
    f->memory = jsni_alloc_live() > f->memory ? jsni_alloc_live() : f->memory;
    return JSN_OK;
}

/* All images before it are told, whoever reads, and however many at a time. */
static void test_what_comes_before_a_failure_is_told(void **state)
{
    (void)state;
    failing f = {.paths = image_files()};
    jsn_classifier_options o = asking_options(CLASSES);
    o.threads = 2;
    for (o.batch = 1; o.batch <= FILES + 1; o.batch += 3) {
        jsni_stream stream = {
            .count = FILES, .read = read_failing, .tell = take_failing, .user = &f};
        assert_ok(jsn_classifier_create(&stream.classifier, &o));
        for (stream.way = JSNI_STREAM_AUTO; stream.way <= JSNI_STREAM_READS;
             stream.way++)
            for (f.at = 0; f.at < FILES; f.at++) {
                f.told = 0;
                assert_fails(jsni_stream_run(&stream), JSN_ERR_IO, "is away");
                assert_int_equal(f.told, stream.way == JSNI_STREAM_READS ? 0 : f.at);
            }
        jsn_classifier_close(stream.classifier);
    }
}

/* The answers of the images that are asked for at once have a limit of their own. */
static void test_answers_of_many_classes_have_a_limit(void **state)
{
    (void)state;
    enum { MANY = 20000, MOST = 100 << 20 };
    failing f = {.paths = image_files(), .at = FILES};
    jsn_classifier_options o = asking_options(MANY);
    o.batch = 64;
    jsni_stream stream = {
        .count = FILES, .read = read_failing, .tell = take_failing, .user = &f};
    assert_ok(jsn_classifier_create(&stream.classifier, &o));
    const size_t before = jsni_alloc_live();
    assert_ok(jsni_stream_run(&stream));
    assert_int_equal(f.told, FILES);
    assert_true(f.memory - before < MOST);
    jsn_classifier_close(stream.classifier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch_is_used),
        cmocka_unit_test(test_precision_is_used),
        cmocka_unit_test(test_wrong_options),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_reading_ahead),
        cmocka_unit_test(test_files_end),
        cmocka_unit_test(test_asking_for_images),
        cmocka_unit_test(test_reading_alone),
        cmocka_unit_test(test_what_comes_before_a_failure_is_told),
        cmocka_unit_test(test_answers_of_many_classes_have_a_limit),
    };
    return cmocka_run_group_tests(tests, train_run, support_folder_end);
}
