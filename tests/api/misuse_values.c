/* tests/api/misuse_values.c - see misuse.h: jensen/array.h, jensen/image.h, jensen/image_file.h, jensen/json.h, jensen/limit.h, jensen/log.h, jensen/machine.h, jensen/option.h, jensen/status.h, jensen/version.h. */
#include "api/misuse.h"

static void misuse_array(misuse *m)
{
    const size_t shape[] = {2};
    jsn_array array = {0};
    GIVES(jsn_dtype_name((jsn_dtype)77));
    GIVES(jsn_dtype_size((jsn_dtype)77));
    REFUSED(jsn_array_create(NULL, JSN_DTYPE_FLOAT32, 1, shape));
    REFUSED(jsn_array_create(&array, JSN_DTYPE_FLOAT32, 1, NULL));
    REFUSED(jsn_array_create(NULL, JSN_DTYPE_FLOAT32, 1, NULL));
    REFUSED(jsn_array_create(&array, (jsn_dtype)77, 1, shape));
    TAKEN(jsn_array_create(&array, JSN_DTYPE_FLOAT32, 0, shape));
    REFUSED(jsn_array_create(&array, JSN_DTYPE_FLOAT32, SIZE_MAX, shape));
    DOES(jsn_array_release(NULL));
    GIVES(jsn_array_count(NULL));
    GIVES(jsn_array_bytes(NULL));
    REFUSED(jsn_array_convert(NULL, thing_array(), JSN_DTYPE_FLOAT32));
    REFUSED(jsn_array_convert(&array, NULL, JSN_DTYPE_FLOAT32));
    REFUSED(jsn_array_convert(NULL, NULL, JSN_DTYPE_FLOAT32));
    REFUSED(jsn_array_convert(&array, thing_array(), (jsn_dtype)77));
    REFUSED(jsn_array_read(NULL, place()));
    REFUSED(jsn_array_read(&array, NULL));
    REFUSED(jsn_array_read(NULL, NULL));
    REFUSED(jsn_array_write(NULL, place()));
    REFUSED(jsn_array_write(thing_array(), NULL));
    REFUSED(jsn_array_write(NULL, NULL));
}

static void misuse_image(misuse *m)
{
    jsn_image image = {0};
    REFUSED(jsn_image_create(NULL, 1, 1));
    REFUSED(jsn_image_create(&image, 0, 1));
    REFUSED(jsn_image_create(&image, SIZE_MAX, 1));
    REFUSED(jsn_image_create(&image, 1, 0));
    REFUSED(jsn_image_create(&image, 1, SIZE_MAX));
    DOES(jsn_image_release(NULL));
}

static void misuse_image_file(misuse *m)
{
    jsn_texts texts = {0};
    jsn_image image = {0};
    uint8_t bytes[3 * 8 * 8] = {1};
    jsn_image_part part = {0};
    size_t size = 0;
    GIVES(jsn_image_has_name(NULL));
    REFUSED(jsn_image_find(NULL, place(), &texts));
    REFUSED(jsn_image_find(&texts, NULL, &texts));
    TAKEN(jsn_image_find(&texts, place(), NULL));
    REFUSED(jsn_image_find(NULL, NULL, NULL));
    REFUSED(jsn_image_read(NULL, place()));
    REFUSED(jsn_image_read(&image, NULL));
    REFUSED(jsn_image_read(NULL, NULL));
    REFUSED(jsn_image_decode(NULL, bytes, 1, "x"));
    REFUSED(jsn_image_decode(&image, NULL, 1, "x"));
    REFUSED(jsn_image_decode(&image, bytes, 1, NULL));
    REFUSED(jsn_image_decode(NULL, NULL, 1, NULL));
    REFUSED(jsn_image_decode(&image, bytes, 0, "x"));
    REFUSED(jsn_image_decoder_create(NULL));
    DOES(jsn_image_decoder_destroy(NULL));
    REFUSED(jsn_image_decoder_decode(NULL, bytes, 1, "x", &image));
    REFUSED(jsn_image_decoder_decode(thing_decoder(), NULL, 1, "x", &image));
    REFUSED(jsn_image_decoder_decode(thing_decoder(), bytes, 1, NULL, &image));
    REFUSED(jsn_image_decoder_decode(thing_decoder(), bytes, 1, "x", NULL));
    REFUSED(jsn_image_decoder_decode(NULL, NULL, 1, NULL, NULL));
    REFUSED(jsn_image_decoder_decode(thing_decoder(), bytes, 0, "x", &image));
    REFUSED(jsn_image_decoder_part(NULL, bytes, 1, "x", NULL, NULL, &part));
    REFUSED(jsn_image_decoder_part(thing_decoder(), NULL, 1, "x", NULL, NULL, &part));
    REFUSED(jsn_image_decoder_part(thing_decoder(), bytes, 1, NULL, NULL, NULL, &part));
    REFUSED(jsn_image_decoder_part(thing_decoder(), bytes, 1, "x", NULL, NULL, &part));
    REFUSED(jsn_image_decoder_part(thing_decoder(), bytes, 1, "x", NULL, NULL, NULL));
    REFUSED(jsn_image_decoder_part(NULL, NULL, 1, NULL, NULL, NULL, NULL));
    REFUSED(jsn_image_decoder_part(thing_decoder(), bytes, 0, "x", NULL, NULL, &part));
    REFUSED(jsn_image_measure(NULL, 1, "x", &size, &size));
    REFUSED(jsn_image_measure(bytes, 1, NULL, &size, &size));
    REFUSED(jsn_image_measure(bytes, 1, "x", NULL, &size));
    REFUSED(jsn_image_measure(bytes, 1, "x", &size, NULL));
    REFUSED(jsn_image_measure(NULL, 1, NULL, NULL, NULL));
    REFUSED(jsn_image_measure(bytes, 0, "x", &size, &size));
    REFUSED(jsn_image_write(NULL, thing_image()));
    REFUSED(jsn_image_write(place(), NULL));
    REFUSED(jsn_image_write(NULL, NULL));
}

static void misuse_json(misuse *m)
{
    jsn_json *json = NULL;
    double reals[] = {0.5, 0.5, 0.25, 0.75};
    int64_t whole = 0;
    bool flag = false;
    const char *name = NULL;
    const jsn_json *value = NULL;
    char *text = NULL;
    REFUSED(jsn_json_parse(NULL, "x", "x", 1));
    REFUSED(jsn_json_parse(&json, NULL, "x", 1));
    REFUSED(jsn_json_parse(&json, "x", NULL, 1));
    REFUSED(jsn_json_parse(NULL, NULL, NULL, 1));
    REFUSED(jsn_json_parse(&json, "x", "x", 0));
    REFUSED(jsn_json_read(NULL, place()));
    REFUSED(jsn_json_read(&json, NULL));
    REFUSED(jsn_json_read(NULL, NULL));
    DOES(jsn_json_destroy(NULL));
    GIVES(jsn_json_kind_of(NULL));
    GIVES(jsn_json_kind_name((jsn_json_kind)77));
    GIVES(jsn_json_line(NULL));
    GIVES(jsn_json_count(NULL));
    GIVES(jsn_json_at(NULL, 1));
    GIVES(jsn_json_at(thing_json(), 0));
    GIVES(jsn_json_at(thing_json(), SIZE_MAX));
    GIVES(jsn_json_key(NULL));
    GIVES(jsn_json_get(NULL, "x"));
    GIVES(jsn_json_get(thing_json(), NULL));
    GIVES(jsn_json_get(NULL, NULL));
    GIVES(jsn_json_bool(NULL));
    GIVES(jsn_json_real(NULL));
    GIVES(jsn_json_int(NULL));
    GIVES(jsn_json_is_int(NULL));
    GIVES(jsn_json_text(NULL));
    REFUSED(jsn_json_get_real(NULL, "x", reals));
    REFUSED(jsn_json_get_real(thing_json(), NULL, reals));
    REFUSED(jsn_json_get_real(thing_json(), "x", NULL));
    REFUSED(jsn_json_get_real(NULL, NULL, NULL));
    REFUSED(jsn_json_get_int(NULL, "x", &whole));
    REFUSED(jsn_json_get_int(thing_json(), NULL, &whole));
    REFUSED(jsn_json_get_int(thing_json(), "x", NULL));
    REFUSED(jsn_json_get_int(NULL, NULL, NULL));
    REFUSED(jsn_json_get_bool(NULL, "x", &flag));
    REFUSED(jsn_json_get_bool(thing_json(), NULL, &flag));
    REFUSED(jsn_json_get_bool(thing_json(), "x", NULL));
    REFUSED(jsn_json_get_bool(NULL, NULL, NULL));
    REFUSED(jsn_json_get_text(NULL, "x", &name));
    REFUSED(jsn_json_get_text(thing_json(), NULL, &name));
    REFUSED(jsn_json_get_text(thing_json(), "x", NULL));
    REFUSED(jsn_json_get_text(NULL, NULL, NULL));
    REFUSED(jsn_json_get_array(NULL, "x", &value));
    REFUSED(jsn_json_get_array(thing_json(), NULL, &value));
    REFUSED(jsn_json_get_array(thing_json(), "x", NULL));
    REFUSED(jsn_json_get_array(NULL, NULL, NULL));
    REFUSED(jsn_json_get_object(NULL, "x", &value));
    REFUSED(jsn_json_get_object(thing_json(), NULL, &value));
    REFUSED(jsn_json_get_object(thing_json(), "x", NULL));
    REFUSED(jsn_json_get_object(NULL, NULL, NULL));
    REFUSED(jsn_json_refuse(NULL, "x"));
    REFUSED(jsn_json_refuse(thing_json(), NULL));
    REFUSED(jsn_json_refuse(NULL, NULL));
    REFUSED(jsn_json_writer_create(NULL, 0));
    DOES(jsn_json_writer_destroy(NULL));
    DOES(jsn_json_begin_object(NULL, "x"));
    DOES(jsn_json_begin_object(thing_writer(), NULL));
    DOES(jsn_json_begin_object(NULL, NULL));
    DOES(jsn_json_begin_array(NULL, "x"));
    DOES(jsn_json_begin_array(thing_writer(), NULL));
    DOES(jsn_json_begin_array(NULL, NULL));
    DOES(jsn_json_end(NULL));
    DOES(jsn_json_put_null(NULL, "x"));
    DOES(jsn_json_put_null(thing_writer(), NULL));
    DOES(jsn_json_put_null(NULL, NULL));
    DOES(jsn_json_put_bool(NULL, "x", false));
    DOES(jsn_json_put_bool(thing_writer(), NULL, false));
    DOES(jsn_json_put_bool(NULL, NULL, false));
    DOES(jsn_json_put_int(NULL, "x", 1));
    DOES(jsn_json_put_int(thing_writer(), NULL, 1));
    DOES(jsn_json_put_int(NULL, NULL, 1));
    DOES(jsn_json_put_int(thing_writer(), "x", -1));
    DOES(jsn_json_put_real(NULL, "x", 0.5));
    DOES(jsn_json_put_real(thing_writer(), NULL, 0.5));
    DOES(jsn_json_put_real(NULL, NULL, 0.5));
    DOES(jsn_json_put_real(thing_writer(), "x", NAN));
    DOES(jsn_json_put_real(thing_writer(), "x", -1.0));
    DOES(jsn_json_put_real(thing_writer(), "x", INFINITY));
    DOES(jsn_json_put_text(NULL, "x", "x"));
    DOES(jsn_json_put_text(thing_writer(), NULL, "x"));
    DOES(jsn_json_put_text(thing_writer(), "x", NULL));
    DOES(jsn_json_put_text(NULL, NULL, NULL));
    DOES(jsn_json_put_value(NULL, "x", thing_json()));
    DOES(jsn_json_put_value(thing_writer(), NULL, thing_json()));
    DOES(jsn_json_put_value(thing_writer(), "x", NULL));
    DOES(jsn_json_put_value(NULL, NULL, NULL));
    REFUSED(jsn_json_writer_take(NULL, &text));
    REFUSED(jsn_json_writer_take(thing_writer(), NULL));
    REFUSED(jsn_json_writer_take(NULL, NULL));
}

static void misuse_log(misuse *m)
{
    char buffer[80] = "";
    DOES(jsn_text_visible(NULL, 1, false, NULL, NULL));
    DOES(jsn_text_visible("x", 1, false, NULL, NULL));
    GIVES(jsn_noun(1, NULL, "x"));
    GIVES(jsn_noun(1, "x", NULL));
    GIVES(jsn_noun(1, NULL, NULL));
    DOES(jsn_time_left(0.5, NULL, 1));
    DOES(jsn_time_left(NAN, buffer, 1));
    DOES(jsn_time_left(-1.0, buffer, 1));
    DOES(jsn_time_left(INFINITY, buffer, 1));
    DOES(jsn_time_left(0.5, buffer, 0));
}

static void misuse_machine(misuse *m)
{
    DOES(jsn_machine_probe(NULL));
    GIVES(jsn_instruction_set_count());
    GIVES(jsn_instruction_set_at(0));
    GIVES(jsn_instruction_set_at(SIZE_MAX));
    DOES(jsn_gpu_probe(NULL));
    GIVES(jsn_disk_free(NULL));
}

static void misuse_option(misuse *m)
{
    size_t size = 0;
    jsn_texts texts = {0};
    const jsn_option_info rows[] = {
        {.name = "x", .kind = JSN_OPTION_INT, .initial = "1"}};
    uint8_t bytes[3 * 8 * 8] = {1};
    char *text = NULL;
    char word[] = "x", *const words[] = {word};
    REFUSED(jsn_texts_add(NULL, "x"));
    REFUSED(jsn_texts_add(&texts, NULL));
    REFUSED(jsn_texts_add(NULL, NULL));
    DOES(jsn_texts_release(NULL));
    REFUSED(jsn_options_init(NULL, 1, NULL));
    REFUSED(jsn_options_init(rows, 1, NULL));
    REFUSED(jsn_options_init(NULL, 1, NULL));
    TAKEN(jsn_options_init(rows, 0, NULL));
    DOES(jsn_options_clear(NULL, 1, NULL));
    DOES(jsn_options_clear(rows, 1, NULL));
    DOES(jsn_options_clear(NULL, 1, NULL));
    DOES(jsn_options_clear(rows, 0, NULL));
    GIVES(jsn_options_is_set(NULL, bytes));
    GIVES(jsn_options_is_set(rows, NULL));
    GIVES(jsn_options_is_set(NULL, NULL));
    GIVES(jsn_options_find(NULL, 1, "x"));
    GIVES(jsn_options_find(rows, 1, NULL));
    GIVES(jsn_options_find(NULL, 1, NULL));
    GIVES(jsn_options_find(rows, 0, "x"));
    REFUSED(jsn_options_set(NULL, 1, NULL, "x", "x"));
    REFUSED(jsn_options_set(rows, 1, NULL, "x", "x"));
    REFUSED(jsn_options_set(rows, 1, NULL, NULL, "x"));
    REFUSED(jsn_options_set(rows, 1, NULL, "x", NULL));
    REFUSED(jsn_options_set(NULL, 1, NULL, NULL, NULL));
    REFUSED(jsn_options_set(rows, 0, NULL, "x", "x"));
    REFUSED(jsn_options_text(NULL, bytes, &text));
    REFUSED(jsn_options_text(rows, NULL, &text));
    REFUSED(jsn_options_text(rows, bytes, NULL));
    REFUSED(jsn_options_text(NULL, NULL, NULL));
    REFUSED(jsn_options_parse(NULL, 1, NULL, 0, words, &texts));
    REFUSED(jsn_options_parse(rows, 1, NULL, 0, words, &texts));
    REFUSED(jsn_options_parse(rows, 1, NULL, 0, NULL, &texts));
    REFUSED(jsn_options_parse(rows, 1, NULL, 0, words, NULL));
    REFUSED(jsn_options_parse(NULL, 1, NULL, 0, NULL, NULL));
    REFUSED(jsn_options_parse(rows, 0, NULL, 0, words, &texts));
    DOES(jsn_options_release(NULL, 1, NULL));
    DOES(jsn_options_release(rows, 1, NULL));
    DOES(jsn_options_release(NULL, 1, NULL));
    DOES(jsn_options_release(rows, 0, NULL));
    DOES(jsn_text_release(NULL));
    GIVES(jsn_name_nearer(NULL, "x", &size));
    GIVES(jsn_name_nearer("x", NULL, &size));
    GIVES(jsn_name_nearer("x", "x", NULL));
    GIVES(jsn_name_distance(NULL, "x"));
    GIVES(jsn_name_distance("x", NULL));
    GIVES(jsn_name_distance(NULL, NULL));
}

static void misuse_limit(misuse *m)
{
    GIVES(jsn_limit_count());
    GIVES(jsn_limit_describe(SIZE_MAX));
    GIVES(jsn_limit_value(SIZE_MAX));
    REFUSED(jsn_limit_set(NULL));
    REFUSED(jsn_limit_set("rows"));
    REFUSED(jsn_limit_set("=5"));
    TAKEN(jsn_limit_set(""));
}

static void misuse_status(misuse *m)
{
    GIVES(jsn_status_text((jsn_status)777));
    GIVES(jsn_last_error());
}

static void misuse_version(misuse *m)
{
    GIVES(jsn_version());
    GIVES(jsn_feature_count());
    GIVES(jsn_feature_describe(0));
    GIVES(jsn_feature_describe(SIZE_MAX));
}

void misuse_values(misuse *m)
{
    misuse_array(m);
    misuse_image(m);
    misuse_image_file(m);
    misuse_json(m);
    misuse_log(m);
    misuse_machine(m);
    misuse_option(m);
    misuse_limit(m);
    misuse_status(m);
    misuse_version(m);
}
