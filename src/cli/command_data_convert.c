/* cli/command_data_convert.c - writes any data set as a folder of image files. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "jensen/dataset.h"
#include "jensen/image_file.h"

typedef struct convert_values {
    char *out, *format;
} convert_values;

static const jsn_option_info options[] = {
    {"out", 'o', JSN_OPTION_TEXT, NULL, 0, 0, NULL, "DIR",
     "folder to write; must not exist or be empty", offsetof(convert_values, out)},
    {"format", 0, JSN_OPTION_CHOICE, "png", 0, 0, "png|ppm|bmp|jpg", "FORMAT",
     "of the image files (png, ppm, bmp keep every pixel)",
     offsetof(convert_values, format)},
};

enum { PATH = 4096 };

/* A class name as a folder name: what a path cannot hold becomes '_'. */
static void folder_name(const char *name, char to[256])
{
    size_t i = 0;
    for (; i < 255 && name[i] != '\0'; i++)
        to[i] = (char)(name[i] == '/' || name[i] == '\\' || (i == 0 && name[i] == '.')
                           ? '_'
                           : name[i]);
    to[i] = '\0';
}

static jsn_status make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return JSN_OK;
    (void)cli_usage("%s: %s", path, strerror(errno));
    return JSN_ERR_IO;
}

static jsn_status write_split(const jsn_dataset *data, jsn_split split,
                              const convert_values *v, FILE *names, uint64_t *done,
                              uint64_t total)
{
    const size_t classes = jsn_dataset_about(data)->classes;
    size_t *seen = calloc(classes, sizeof *seen);
    if (seen == NULL)
        return JSN_ERR_MEMORY;
    jsn_image image = {0};
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < jsn_dataset_samples(data, split); i++) {
        const size_t label = (size_t)jsn_dataset_label(data, split, i);
        char class_folder[256], path[PATH];
        folder_name(jsn_dataset_class(data, label), class_folder);
        (void)snprintf(path, sizeof path, "%s/%s", v->out, jsn_split_name(split));
        status = make_folder(path);
        (void)snprintf(path, sizeof path, "%s/%s/%s", v->out, jsn_split_name(split),
                       class_folder);
        if (status == JSN_OK)
            status = make_folder(path);
        (void)snprintf(path, sizeof path, "%s/%s/%s/%04zu.%s", v->out,
                       jsn_split_name(split), class_folder, seen[label]++, v->format);
        if (status == JSN_OK)
            status = jsn_dataset_image(data, split, i, &image);
        if (status == JSN_OK)
            status = jsn_image_write(path, &image);
        (void)fprintf(names, "\"%s\",\"%s\"\n", path + strlen(v->out) + 1,
                      jsn_dataset_path(data, split, i));
        cli_logger()->progress(cli_logger()->user, "writing images", ++*done, total,
                               "");
    }
    jsn_image_release(&image);
    free(seen);
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const convert_values *v = values;
    if (args->count != 1 || v->out == NULL)
        return cli_usage("takes one data set, and --out DIR");
    if (strlen(v->out) > PATH / 2)
        return cli_usage("the path is too long");
    jsn_dataset *data = NULL;
    jsn_dataset_options how;
    jsn_dataset_options_init(&how);
    how.logger = cli_logger();
    jsn_status status = jsn_dataset_open(&data, args->items[0], &how);
    if (status != JSN_OK)
        return status;
    char path[PATH];
    (void)snprintf(path, sizeof path, "%s/names.csv", v->out);
    FILE *names = NULL;
    uint64_t done = 0, total = 0;
    status = make_folder(v->out);
    if (status == JSN_OK && (names = fopen(path, "wx")) == NULL) {
        (void)cli_usage("%s: %s", path, strerror(errno));
        status = JSN_ERR_IO;
    }
    if (names != NULL)
        (void)fprintf(names, "path,original\n");
    for (int s = 0; s < JSN_SPLITS; s++)
        total += jsn_dataset_samples(data, (jsn_split)s);
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++)
        status = write_split(data, (jsn_split)s, v, names, &done, total);
    if (names != NULL && fclose(names) != 0 && status == JSN_OK) {
        (void)cli_usage("%s: %s", path, strerror(errno));
        status = JSN_ERR_IO;
    }
    jsn_dataset_close(data);
    if (status == JSN_OK)
        (void)printf("%s\n", v->out);
    return status;
}

const cli_command cli_command_data_convert = {
    .name = "data convert",
    .summary = "write any data set as a folder of image files",
    .usage = "DATA --out DIR [--format png]",
    .details =
        "Images go to DIR/<split>/<class>/NNNN.<format>, counted within their class;\n"
        "DIR/names.csv says which sample each one was.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(convert_values),
    .run = run,
};
