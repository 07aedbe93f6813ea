/* tests/peers/peer_formats.c - our side of peer_formats.py:
 *     peer_formats write FOLDER      one file of each format for other programs to read
 *     peer_formats read FOLDER       prints, as JSON, what we read from their files */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/file.h"
#include "core/json.h"
#include "format/csv.h"
#include "format/safetensors.h"
#include "format/tfevents.h"
#include "format/yaml.h"
#include "jensen/option.h"

static void need(jsn_status status)
{
    if (status == JSN_OK)
        return;
    fprintf(stderr, "peer_formats: %s\n", jsn_last_error());
    exit(1);
}

static char path[1024];

static const char *in(const char *folder, const char *name)
{
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *const texts[] = {"plain", "",     "yes",         "0x10",
                                    "a: b",  "#c",   "1:30",        "~",
                                    "\"q\"", "l\nm", "caf\xc3\xa9", "x,y"};
enum { TEXTS = sizeof texts / sizeof texts[0] };

static void write_tensors(const char *folder)
{
    static const float weights[] = {1.5f, -2.0f, 0.25f, 3.0f, 4.0f, 5.0f};
    static const int64_t steps[] = {7};
    static const uint16_t brain[] = {0x3f80, 0x4000};
    const jsni_safetensor tensors[] = {
        {"flags", JSN_DTYPE_BFLOAT16, 1, {2}, brain, 0},
        {"layer.weight", JSN_DTYPE_FLOAT32, 2, {2, 3}, weights, 0},
        {"steps", JSN_DTYPE_INT64, 0, {0}, steps, 0},
    };
    const jsni_pair pairs[] = {{"epoch", "3"}};
    need(jsni_safetensors_write(NULL, in(folder, "ours.safetensors"), tensors, 3, pairs,
                                1, true));
    jsn_array array;
    const size_t shape[] = {2, 3};
    need(jsn_array_create(&array, JSN_DTYPE_FLOAT32, 2, shape));
    memcpy(array.data, weights, sizeof weights);
    need(jsn_array_write(&array, in(folder, "ours.npy")));
    jsn_array_release(&array);
}

static void write_texts(const char *folder)
{
    jsni_text yaml = {0};
    jsni_csv_writer csv = {{0}, 0};
    jsni_json_writer *json = NULL;
    char *text = NULL;
    jsni_yaml_add_list(&yaml, "texts", texts, TEXTS);
    jsni_yaml_add_word(&yaml, "lr", "0.1");
    need(jsni_text_take(&yaml, &text));
    need(jsni_file_write(in(folder, "ours.yaml"), text, strlen(text)));
    jsni_free(text);
    for (int row = 0; row < 2; row++) {
        for (int i = 0; i < TEXTS; i++)
            jsni_csv_add(&csv, texts[(i + row) % TEXTS]);
        jsni_csv_end_row(&csv);
    }
    need(jsni_text_take(&csv.text, &text));
    need(jsni_file_write(in(folder, "ours.csv"), text, strlen(text)));
    jsni_free(text);
    need(jsni_json_writer_create(&json, 2));
    jsni_json_begin_object(json, NULL);
    jsni_json_begin_array(json, "texts");
    for (int i = 0; i < TEXTS; i++)
        jsni_json_put_text(json, NULL, texts[i]);
    jsni_json_end(json);
    jsni_json_put_real(json, "third", 1.0 / 3.0);
    jsni_json_end(json);
    need(jsni_json_writer_take(json, &text));
    need(jsni_file_write(in(folder, "ours.json"), text, strlen(text)));
    jsn_text_release(text);
    jsni_json_writer_destroy(json);
}

/* Ten steps, then again from step 6 on, as a run does that goes on. */
static void write_events(const char *folder)
{
    const char *file = in(folder, "events.out.tfevents.1.ours");
    for (int start = 0; start <= 6; start += 6) {
        jsni_tfevents *events = NULL;
        need(jsni_tfevents_open(&events, NULL, file, start - 1, 1000.0));
        for (int step = start; step < 10; step++)
            need(jsni_tfevents_add(events, "train/loss", step, 1000.5 + step,
                                   (float)step * 0.5f + (float)start));
        need(jsni_tfevents_close(events, JSN_OK));
    }
}

static void put_sum(jsni_json_writer *w, const char *name, const jsn_array *array)
{
    jsn_array real;
    double sum = 0.0;
    need(jsn_array_convert(&real, array, JSN_DTYPE_FLOAT64));
    for (size_t i = 0; i < jsn_array_count(&real); i++)
        sum += ((const double *)real.data)[i] * (double)(i + 1);
    jsn_array_release(&real);
    jsni_json_begin_object(w, name);
    jsni_json_put_text(w, "dtype", jsn_dtype_name(array->dtype));
    jsni_json_begin_array(w, "shape");
    for (size_t i = 0; i < array->rank; i++)
        jsni_json_put_int(w, NULL, (int64_t)array->shape[i]);
    jsni_json_end(w);
    jsni_json_put_real(w, "weighted", sum);
    jsni_json_end(w);
}

static void read_all(const char *folder)
{
    jsni_json_writer *w = NULL;
    jsn_array array;
    jsni_safetensors *file = NULL;
    jsni_csv *csv = NULL;
    jsni_json *doc = NULL;
    char *text = NULL;
    need(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    need(jsn_array_read(&array, in(folder, "theirs.npy")));
    put_sum(w, "npy", &array);
    jsn_array_release(&array);
    jsni_json_begin_object(w, "safetensors");
    need(jsni_safetensors_open(&file, in(folder, "theirs.safetensors")));
    for (size_t i = 0; i < jsni_safetensors_count(file); i++) {
        const jsni_safetensor *t = jsni_safetensors_at(file, i);
        need(jsn_array_create(&array, t->dtype, t->rank, t->shape));
        memcpy(array.data, t->data, t->bytes);
        put_sum(w, t->name, &array);
        jsn_array_release(&array);
    }
    jsni_safetensors_close(file);
    jsni_json_end(w);
    jsni_json_begin_array(w, "csv");
    need(jsni_csv_read(&csv, in(folder, "theirs.csv")));
    for (size_t r = 0; r < jsni_csv_rows(csv); r++)
        for (size_t c = 0; c < jsni_csv_columns(csv); c++)
            jsni_json_put_text(w, NULL, jsni_csv_cell(csv, r, c));
    jsni_csv_destroy(csv);
    jsni_json_end(w);
    need(jsni_json_read(&doc, in(folder, "theirs.json")));
    jsni_json_put_value(w, "json", doc);
    jsni_json_destroy(doc);
    const jsn_status yaml = jsni_yaml_read(&doc, in(folder, "theirs.yaml"));
    if (yaml != JSN_ERR_UNSUPPORTED) {
        need(yaml);
        jsni_json_put_value(w, "yaml", doc);
        jsni_json_destroy(doc);
    }
    jsni_json_end(w);
    need(jsni_json_writer_take(w, &text));
    puts(text);
    jsn_text_release(text);
    jsni_json_writer_destroy(w);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        write_tensors(argv[2]);
        write_texts(argv[2]);
        write_events(argv[2]);
    } else if (argc == 3 && strcmp(argv[1], "read") == 0) {
        read_all(argv[2]);
    } else {
        return 2;
    }
    return 0;
}
