/* cli/command_data_convert.c - writes any data set as a folder of image files. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_place.h"
#include "core/folder.h"
#include "core/progress.h"
#include "core/words.h"
#include "jensen/augment.h"
#include "jensen/dataset.h"
#include "jensen/image_file.h"

typedef struct convert_values {
    char *out, *format;
    int64_t size;
    jsn_texts limit;
} convert_values;

static const jsn_option_info options[] = {
    CLI_OUT_ROW(convert_values, NULL, "DIR",
                "folder to write; must not exist or be empty"),
    {"format", 0, JSN_OPTION_CHOICE, "png", 0, 0, "png|ppm|bmp|jpg", "FORMAT",
     "of the image files (png, ppm, bmp keep every pixel)",
     offsetof(convert_values, format)},
    {"size", 0, JSN_OPTION_INT, "0", 0, JSN_IMAGE_MAX_SIDE, NULL, "N",
     "shrink images to N pixels of their shorter side; 0: leave them as they are",
     offsetof(convert_values, size)},
    CLI_LIMIT_ROW(convert_values),
};

enum { PATH = 4096, NAME = 256, LISTED = 10 };

typedef struct conversion {
    const jsn_dataset *data;
    cli_place place;
    const char *out, *format;
    size_t size;           /* of the shorter side at most; 0: any */
    char (*folders)[NAME]; /* [classes], all different */
    FILE *names;
    uint64_t done, total;
    size_t broken;
} conversion;

/* A class name as a folder name: what a path cannot hold becomes '_'. Whether nothing had
 * to change. */
static bool folder_name(const char *name, char to[NAME])
{
    size_t i = 0;
    /* Room is left for a number behind it; characters are not cut in two. */
    for (; i < NAME - 16 && name[i] != '\0'; i++)
        to[i] = (char)(name[i] == '/' || name[i] == '\\' || (i == 0 && name[i] == '.')
                           ? '_'
                           : name[i]);
    while (i > 0 && name[i] != '\0' && ((unsigned char)name[i] & 0xc0) == 0x80)
        i--;
    to[i] = '\0';
    return strcmp(name, to) == 0;
}

static bool is_taken(const conversion *c, const bool *named, const char *folder)
{
    for (size_t k = 0; k < jsn_dataset_about(c->data)->classes; k++)
        if (named[k] && strcmp(c->folders[k], folder) == 0)
            return true;
    return false;
}

/* A folder name for each class: its own where a path can hold that, and a number behind
 * those that would fall together. */
static jsn_status name_folders(conversion *c)
{
    const size_t classes = jsn_dataset_about(c->data)->classes;
    bool *named = calloc(classes, sizeof *named);
    c->folders = calloc(classes, sizeof *c->folders);
    if (named == NULL || c->folders == NULL) {
        free(named);
        return JSN_ERR_MEMORY;
    }
    for (size_t k = 0; k < classes; k++)
        named[k] = folder_name(jsn_dataset_class(c->data, k), c->folders[k]) &&
                   !is_taken(c, named, c->folders[k]);
    for (size_t k = 0; k < classes; k++) {
        if (named[k])
            continue;
        char folder[NAME];
        (void)snprintf(folder, sizeof folder, "%s",
                       c->folders[k][0] != '\0' ? c->folders[k] : "_");
        const int length = (int)strlen(folder);
        for (size_t n = 2; is_taken(c, named, folder); n++) {
            char numbered[NAME];
            (void)snprintf(numbered, sizeof numbered, "%.*s_%zu", length, folder, n);
            memcpy(folder, numbered, sizeof folder);
        }
        memcpy(c->folders[k], folder, sizeof folder);
        named[k] = true;
    }
    free(named);
    return JSN_OK;
}

static jsn_status make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return JSN_OK;
    return cli_fail(JSN_ERR_IO, "%s: %s", path, strerror(errno));
}

/* The folders of a split and a class are made with their first image: a class folder
 * without any would be refused when the result is read. */
static jsn_status write_image(conversion *c, jsn_split split, size_t index,
                              size_t *seen, const jsn_image *image)
{
    const size_t label = (size_t)jsn_dataset_label(c->data, split, index);
    const char *part = jsn_split_name(split), *folder = c->folders[label];
    const char *hidden = c->place.hidden;
    char path[PATH + 2 * NAME], name[NAME + 64];
    (void)snprintf(path, sizeof path, "%s/%s", hidden, part);
    jsn_status status = make_folder(path);
    (void)snprintf(path, sizeof path, "%s/%s/%s", hidden, part, folder);
    if (status == JSN_OK)
        status = make_folder(path);
    (void)snprintf(name, sizeof name, "%s/%s/%04zu.%s", part, folder, seen[label]++,
                   c->format);
    (void)snprintf(path, sizeof path, "%s/%s", hidden, name);
    if (status == JSN_OK)
        status = jsn_image_write(path, image);
    cli_print_quoted(c->names, name);
    cli_print_to(c->names, ",");
    cli_print_quoted(c->names, jsn_dataset_path(c->data, split, index));
    cli_print_to(c->names, "\n");
    return status;
}

/* The next image, `small` in its place when it is larger than wanted: antialiased, so
 * that what is trained on later is what resizing there would have made. */
static jsn_status read_image(const conversion *c, jsn_split split, size_t index,
                             jsn_image *image, jsn_image *small, bool *shrunk)
{
    jsn_status status = jsn_dataset_image(c->data, split, index, image);
    const size_t side = image->width < image->height ? image->width : image->height;
    *shrunk = status == JSN_OK && c->size > 0 && side > c->size;
    if (!*shrunk)
        return status;
    jsn_image_release(small);
    status = jsn_image_create(small, (image->width * c->size + side / 2) / side,
                              (image->height * c->size + side / 2) / side);
    return status == JSN_OK ? jsn_image_resize(image, NULL, JSN_FILTER_BILINEAR, small)
                            : status;
}

static jsn_status write_split(conversion *c, jsn_split split)
{
    size_t *seen = calloc(jsn_dataset_about(c->data)->classes, sizeof *seen);
    if (seen == NULL)
        return JSN_ERR_MEMORY;
    jsn_image image = {0}, small = {0};
    bool shrunk = false;
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < jsn_dataset_samples(c->data, split);
         i++) {
        status = read_image(c, split, i, &image, &small, &shrunk);
        if (status == JSN_OK) {
            status = write_image(c, split, i, seen, shrunk ? &small : &image);
        } else if (status == JSN_ERR_DATA) {
            if (c->broken++ < LISTED)
                cli_logger()->message(cli_logger()->user, JSN_LOG_WARNING,
                                      jsn_last_error());
            status = JSN_OK;
        }
        jsni_progress(cli_logger(), "writing images", ++c->done, c->total);
    }
    jsn_image_release(&small);
    jsn_image_release(&image);
    free(seen);
    return status;
}

static jsn_status write_all(conversion *c)
{
    char path[PATH + NAME];
    jsn_status status = JSN_OK;
    for (int s = 0; s < JSN_SPLITS; s++)
        c->total += jsn_dataset_samples(c->data, (jsn_split)s);
    (void)snprintf(path, sizeof path, "%s/names.csv", c->place.hidden);
    if ((c->names = fopen(path, "w")) == NULL)
        return cli_fail(JSN_ERR_IO, "%s: %s", path, strerror(errno));
    cli_print_to(c->names, "path,original\n");
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++)
        status = write_split(c, (jsn_split)s);
    const bool failed = ferror(c->names) != 0;
    const bool closed = fclose(c->names) == 0 || errno == EINTR;
    if ((!closed || failed) && status == JSN_OK)
        status = cli_fail(JSN_ERR_IO, "%s: cannot be written", path);
    if (status == JSN_OK && c->broken == c->total) {
        (void)remove(path);
        *strrchr(path, '/') = '\0';
        (void)rmdir(path);
        return cli_fail(JSN_ERR_DATA, "%s: none of the %llu images can be read",
                        jsn_dataset_about(c->data)->spec, (unsigned long long)c->total);
    }
    if (status == JSN_OK && c->broken > 0)
        cli_say("warning: %zu %s broken and not in %s; 'jensen data check' lists "
                "all\n",
                c->broken, jsni_noun(c->broken, "image is", "images are"), c->out);
    return status;
}

/* The path in a spec when that is a folder, else "": what is behind the name of the kind,
 * up to one of the commas or the end. */
static void source_folder(const jsn_dataset *data, char to[PATH])
{
    const jsn_dataset_traits *about = jsn_dataset_about(data);
    const size_t kind = strlen(about->kind);
    const bool named =
        strncmp(about->spec, about->kind, kind) == 0 && about->spec[kind] == ':';
    struct stat info;
    (void)snprintf(to, PATH, "%s", about->spec + (named ? kind + 1 : 0));
    while (to[0] != '\0' && (stat(to, &info) != 0 || !S_ISDIR(info.st_mode))) {
        char *comma = strrchr(to, ',');
        *(comma != NULL ? comma : to) = '\0';
    }
}

/* Into a folder that is not of the data; what was stopped begins anew. */
static jsn_status convert(conversion *c)
{
    const char *names[JSN_SPLITS + 1] = {[JSN_SPLITS] = "names.csv"};
    for (int s = 0; s < JSN_SPLITS; s++)
        names[s] = jsn_split_name((jsn_split)s);
    const char *spec = jsn_dataset_about(c->data)->spec;
    char source[PATH], what[PATH];
    bool written = false;
    source_folder(c->data, source);
    if (source[0] != '\0' && jsni_path_inside(c->out, source))
        return cli_usage("--out %s is the folder of the data, or inside it; name "
                         "one outside %s",
                         c->out, source);
    (void)snprintf(what, sizeof what, "%.3000s, format %s, size %zu\n", spec, c->format,
                   c->size);
    jsn_status status = cli_place_open(&c->place, c->out, what, &written);
    if (status != JSN_OK)
        return status;
    if (!written) {
        status = name_folders(c);
        if (status == JSN_OK)
            status = write_all(c);
    }
    if (status == JSN_OK)
        status = cli_place_finish(&c->place, names, JSN_SPLITS + 1);
    cli_place_close(&c->place);
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const convert_values *v = values;
    if (args->count != 1 || v->out == NULL)
        return cli_usage("takes one data set, and --out DIR");
    if (strlen(v->out) >= PATH / 2 - 64)
        return cli_usage("the path is too long");
    jsn_dataset *data = NULL;
    jsn_dataset_options how;
    jsn_dataset_options_init(&how);
    how.logger = cli_logger();
    how.once = true;
    jsn_status status = jsn_dataset_open(&data, args->items[0], &how);
    if (status != JSN_OK)
        return status;
    conversion c = {
        .data = data, .out = v->out, .format = v->format, .size = (size_t)v->size};
    status = convert(&c);
    free(c.folders);
    jsn_dataset_close(data);
    if (status == JSN_OK)
        cli_print("%s\n", v->out);
    return status;
}

const cli_command cli_command_data_convert = {
    .name = "data convert",
    .summary = "write any data set as a folder of image files",
    .usage = "DATA --out DIR [--format png] [--size N]",
    .details =
        "Images go to DIR/<split>/<class>/NNNN.<format>, numbered within their\n"
        "class. --size 256 --format jpg makes small copies of photographs that train\n"
        "fast. DIR/names.csv says which sample each file was. Broken images are left\n"
        "out, with a warning. Characters that a folder's name cannot have become\n"
        "'_'. A number is added where two classes would have one name.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(convert_values),
    .run = run,
};
