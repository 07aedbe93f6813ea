/* cli/command_data_info.c - what a data set holds: classes, counts, sizes; optionally the
 * sum of its pixels and a sheet of samples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "jensen/dataset.h"
#include "jensen/image_file.h"

typedef struct info_values {
    bool json, sum;
    char *sheet;
    int64_t columns;
    jsn_texts limit;
} info_values;

static const jsn_option_info options[] = {
    {"sum", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "also SHA-256 of all decoded pixels of each split, in order",
     offsetof(info_values, sum)},
    {"sheet", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "write a sheet of samples, one row per class (.png, .jpg, .ppm)",
     offsetof(info_values, sheet)},
    {"columns", 0, JSN_OPTION_INT, "16", 1, 100, NULL, "N",
     "samples per row of the sheet", offsetof(info_values, columns)},
    CLI_LIMIT_ROW(info_values),
    CLI_JSON_ROW(info_values, "one JSON object on stdout"),
};

enum { GAP = 2, MOST_ROWS = 100, THUMB = 64, SUM_HEX = 65, LOOKS = 64 };

/* Of images whose sizes the data set does not tell: what those looked at have. */
typedef struct sizes {
    size_t looked, read;
    size_t width[2], height[2]; /* least and most */
} sizes;

static void widen(size_t range[2], size_t value)
{
    range[0] = range[0] == 0 || value < range[0] ? value : range[0];
    range[1] = value > range[1] ? value : range[1];
}

/* Looks at images from all over the first split. */
static jsn_status look(const jsn_dataset *data, sizes *out)
{
    const jsn_split split = jsn_dataset_about(data)->main_split;
    const size_t samples = jsn_dataset_samples(data, split);
    jsn_image image = {0};
    jsn_status status = JSN_OK;
    *out = (sizes){.looked = samples < LOOKS ? samples : LOOKS};
    for (size_t i = 0; status == JSN_OK && i < out->looked; i++) {
        status = jsn_dataset_image(data, split, i * samples / out->looked, &image);
        if (status == JSN_OK) {
            out->read++;
            widen(out->width, image.width);
            widen(out->height, image.height);
        } else if (status == JSN_ERR_DATA) {
            status = JSN_OK;
        }
    }
    jsn_image_release(&image);
    return status;
}

/* Copies an image into the sheet, every n-th pixel of one that is larger than a cell. */
static void paste(jsn_image *sheet, const jsn_image *image, size_t x, size_t y,
                  size_t cell)
{
    const size_t longer = image->width > image->height ? image->width : image->height;
    const size_t step = (longer + cell - 1) / cell;
    for (size_t v = 0; v < image->height / step; v++)
        for (size_t u = 0; u < image->width / step; u++)
            memcpy(sheet->data + ((y + v) * sheet->width + x + u) * 3,
                   image->data + (v * step * image->width + u * step) * 3, 3);
}

static jsn_status write_sheet(const jsn_dataset *data, const info_values *v)
{
    const jsn_dataset_traits *about = jsn_dataset_about(data);
    const jsn_split split = jsn_dataset_about(data)->main_split;
    const size_t rows = about->classes < MOST_ROWS ? about->classes : MOST_ROWS;
    const size_t columns = (size_t)v->columns;
    const size_t cell =
        about->width > 0 && about->width <= THUMB ? about->width : THUMB;
    jsn_image sheet = {0}, image = {0};
    size_t broken = 0;
    size_t *used = calloc(rows, sizeof *used);
    if (used == NULL)
        return JSN_ERR_MEMORY;
    jsn_status status = jsn_image_create(&sheet, columns * (cell + GAP) + GAP,
                                         rows * (cell + GAP) + GAP);
    if (status == JSN_OK)
        memset(sheet.data, 255, sheet.width * sheet.height * 3);
    for (size_t i = 0; status == JSN_OK && i < jsn_dataset_samples(data, split); i++) {
        const size_t row = (size_t)jsn_dataset_label(data, split, i);
        if (row >= rows || used[row] == columns)
            continue;
        status = jsn_dataset_image(data, split, i, &image);
        if (status == JSN_ERR_DATA) {
            status = JSN_OK;
            broken++;
            continue;
        }
        if (status == JSN_OK)
            paste(&sheet, &image, GAP + used[row]++ * (cell + GAP),
                  GAP + row * (cell + GAP), cell);
    }
    if (status == JSN_OK)
        status = jsn_image_write(v->sheet, &sheet);
    if (status == JSN_OK && broken > 0)
        cli_say("warning: images that cannot be read are not on the sheet (%zu); "
                "'jensen data check' lists all\n",
                broken);
    jsn_image_release(&image);
    jsn_image_release(&sheet);
    free(used);
    return status;
}

static void count_classes(const jsn_dataset *data, jsn_split split, size_t *counts)
{
    memset(counts, 0, jsn_dataset_about(data)->classes * sizeof *counts);
    for (size_t i = 0; i < jsn_dataset_samples(data, split); i++)
        counts[jsn_dataset_label(data, split, i)]++;
}

/* Width or height, or null beside the least and the most. */
static void put_size(cli_record *r, const char *name, const char *range_name,
                     size_t value, const size_t range[2])
{
    if (value > 0)
        cli_field_int(r, name, NULL, (int64_t)value);
    else
        cli_field_null(r, name);
    if (range[0] == 0)
        return;
    cli_begin_array(r, range_name);
    cli_field_int(r, NULL, NULL, (int64_t)range[0]);
    cli_field_int(r, NULL, NULL, (int64_t)range[1]);
    cli_end(r);
}

static void show_size(cli_record *r, const jsn_dataset_traits *about, const sizes *seen)
{
    put_size(r, "width", "width_range", about->width, seen->width);
    put_size(r, "height", "height_range", about->height, seen->height);
    if (about->width > 0)
        cli_words(r, "images     %zu x %zu\n", about->width, about->height);
    else if (seen->read == 0)
        cli_words(r, "images     none of the %zu looked at can be read\n",
                  seen->looked);
    else if (seen->width[0] == seen->width[1] && seen->height[0] == seen->height[1])
        cli_words(r, "images     %zu x %zu (of %zu looked at)\n", seen->width[0],
                  seen->height[0], seen->read);
    else
        cli_words(r, "images     %zu to %zu wide, %zu to %zu high (of %zu looked at)\n",
                  seen->width[0], seen->width[1], seen->height[0], seen->height[1],
                  seen->read);
}

static void show_split(cli_record *r, const jsn_dataset *data, jsn_split split,
                       const char *sum, size_t *counts)
{
    enum { MOST_ROWS_SHOWN = 20 };
    const size_t classes = jsn_dataset_about(data)->classes;
    const size_t samples = jsn_dataset_samples(data, split);
    const bool soft = jsn_dataset_soft_labels(data, split) != NULL;
    size_t least = samples, most = 0;
    count_classes(data, split, counts);
    for (size_t k = 0; k < classes; k++) {
        least = counts[k] < least ? counts[k] : least;
        most = counts[k] > most ? counts[k] : most;
    }
    cli_begin_object(r, jsn_split_name(split));
    cli_words(r, "%-10s", jsn_split_name(split));
    cli_field_int(r, "samples", samples == 1 ? " %lld sample" : " %lld samples",
                  (int64_t)samples);
    cli_words(r, ", %zu to %zu per class", least, most);
    cli_field_bool(r, "soft_labels", ", soft labels\n", "\n", soft);
    if (sum[0] != '\0')
        cli_field_text(r, "pixels_sha256", "           pixels SHA-256 %s\n", sum);
    cli_begin_array(r, "per_class");
    for (size_t k = 0; k < classes; k++) {
        const bool shown = classes <= MOST_ROWS_SHOWN;
        cli_field_int(r, NULL, shown ? "%10lld" : NULL, (int64_t)counts[k]);
        if (shown)
            cli_words(r, " %s\n", jsn_dataset_class(data, k));
    }
    cli_end(r);
    cli_end(r);
}

static jsn_status describe(const jsn_dataset *data, const sizes *seen,
                           char sums[][SUM_HEX], size_t *counts, bool json)
{
    const jsn_dataset_traits *about = jsn_dataset_about(data);
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "data", "%s", about->spec);
    cli_field_text(&r, "kind", " (%s)\n", about->kind);
    show_size(&r, about, seen);
    cli_field_text(&r, "asymmetric", NULL, about->asymmetric);
    cli_words(&r, "normalised mean");
    cli_field_reals(&r, "mean", " %.4f", about->mean, 3);
    cli_words(&r, ", deviation");
    cli_field_reals(&r, "deviation", " %.4f", about->deviation, 3);
    cli_words(&r, "\nclasses    %zu\n", about->classes);
    cli_begin_array(&r, "classes");
    for (size_t k = 0; k < about->classes; k++)
        cli_field_text(&r, NULL, NULL, jsn_dataset_class(data, k));
    cli_end(&r);
    cli_begin_object(&r, "splits");
    for (int s = 0; s < JSN_SPLITS; s++)
        if (jsn_dataset_samples(data, (jsn_split)s) > 0)
            show_split(&r, data, (jsn_split)s, sums[s], counts);
    cli_end(&r);
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const info_values *v = values;
    if (args->count != 1)
        return cli_usage("takes one data set, such as cifar10:PATH or builtin");
    jsn_dataset *data = NULL;
    jsn_dataset_options how;
    jsn_dataset_options_init(&how);
    how.logger = cli_logger();
    how.once = true;
    char sums[JSN_SPLITS][SUM_HEX] = {""};
    jsn_status status = jsn_dataset_open(&data, args->items[0], &how);
    if (status != JSN_OK)
        return status;
    size_t *counts = calloc(jsn_dataset_about(data)->classes, sizeof *counts);
    if (counts == NULL)
        status = JSN_ERR_MEMORY;
    sizes seen = {0};
    char no_sum[600] = "";
    if (status == JSN_OK && jsn_dataset_about(data)->width == 0)
        status = look(data, &seen);
    /* A broken image leaves its split without a sum; the rest is told all the same. */
    for (int s = 0; status == JSN_OK && v->sum && s < JSN_SPLITS; s++) {
        if (jsn_dataset_samples(data, (jsn_split)s) > 0)
            status = jsn_dataset_pixels_sha256(data, (jsn_split)s, sums[s]);
        if (status != JSN_ERR_DATA)
            continue;
        status = JSN_OK;
        if (no_sum[0] == '\0')
            (void)snprintf(no_sum, sizeof no_sum, "no sum of the %s split: %.500s",
                           jsn_split_name((jsn_split)s), jsn_last_error());
    }
    if (status == JSN_OK && v->sheet != NULL)
        status = write_sheet(data, v);
    if (status == JSN_OK)
        status = describe(data, &seen, sums, counts, v->json);
    if (status == JSN_OK && no_sum[0] != '\0')
        status = cli_fail(JSN_ERR_DATA, "%s", no_sum);
    free(counts);
    jsn_dataset_close(data);
    return status;
}

const cli_command cli_command_data_info = {
    .name = "data info",
    .summary = "what a data set holds: classes, counts, sizes",
    .usage = "DATA [--sum] [--sheet FILE] [--json]",
    .details =
        "DATA is builtin, cifar10:PATH, cifar100:PATH, folder:PATH (a plain path\n"
        "means this), csv:FILE, idx:DIR, wds:GLOB, webvision:DIR, imagenet:DIR,\n"
        "animal10n:DIR, food101n:DIR,test=DIR or clothing1m:DIR; ',split=test' keeps\n"
        "one split. 'jensen show datasets' lists all of them with their parameters.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(info_values),
    .run = run,
};
