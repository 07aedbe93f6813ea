/* tests/hostile/hostile_open.c - opens every file of a folder, as a data set or as an
 * image, in one process:
 *   hostile_open archives|images FOLDER CACHE
 * Files whose names begin with "good" must be read, those with "limit" must stop at a
 * limit; any other may be refused, with a sentence. A file that takes more than SECONDS of
 * processor time or MOST_KIB of memory (an image of the largest size that is read, all of
 * its coefficients held: twice that), or leaves memory behind, is a failure. The file
 * "current" tells at which one a crash came. */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/image_part.h"
#include "data/image_decoder.h"
#include "jensen/dataset.h"
#include "jensen/image_file.h"

enum { SECONDS = 5, MOST_KIB = 512 << 10 };

/* Sanitizers take memory and time of their own. */
static int sanitized;

static char current[4096];

static void too_slow(int signal)
{
    (void)signal;
    static const char text[] = "TOO SLOW: ";
    (void)!write(1, text, sizeof text - 1);
    (void)!write(1, current, strlen(current));
    (void)!write(1, "\n", 1);
    _exit(1);
}

static jsn_status open_archive(const char *path, const char *cache)
{
    const jsn_dataset_options options = {
        .cache = cache, .threads = 2, .memory = (size_t)64 << 20};
    jsn_dataset *data = NULL;
    jsn_image image = {0};
    const jsn_status status = jsn_dataset_open(&data, path, &options);
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++)
        for (size_t i = 0; i < jsn_dataset_samples(data, (jsn_split)s) && i < 100; i++)
            (void)!jsn_dataset_image(data, (jsn_split)s, i, &image);
    jsn_image_release(&image);
    jsn_dataset_close(data);
    return status;
}

static jsn_status middle(void *user, size_t width, size_t height, jsni_image_want *want)
{
    (void)user;
    *want =
        (jsni_image_want){width / 3, height / 3, (width + 2) / 3, (height + 2) / 3, 2};
    return JSN_OK;
}

static jsn_status open_image(const char *path, const char *cache)
{
    jsn_image image = {0};
    jsni_image_part part = {0};
    jsni_image_decoder *decoder = NULL;
    (void)cache;
    const jsn_status status = jsn_image_read(&image, path);
    char sentence[600];
    (void)snprintf(sentence, sizeof sentence, "%s", jsn_last_error());
    jsn_image_release(&image);
    char *bytes = NULL;
    size_t length = 0;
    if (jsni_file_read(path, (size_t)1 << 28, &bytes, &length) == JSN_OK &&
        jsni_image_decoder_create(&decoder) == JSN_OK)
        (void)!jsni_image_decoder_part(decoder, bytes, length, path, middle, NULL,
                                       &part);
    jsn_image_release(&part.image);
    jsni_image_decoder_destroy(decoder);
    jsni_free(bytes);
    return status != JSN_OK ? jsni_fail(status, "%s", sentence) : JSN_OK;
}

/* What is wrong with how a file was taken, or NULL. */
static const char *judge(const char *name, jsn_status status, long most)
{
    static long highest;
    struct rusage use;
    (void)getrusage(RUSAGE_SELF, &use);
    const bool higher = use.ru_maxrss > highest;
    highest = use.ru_maxrss;
    if (!sanitized && higher && highest > most)
        return "too much memory";
    if (jsni_alloc_live() != 0)
        return "memory left allocated";
    if (strncmp(name, "good", 4) == 0)
        return status == JSN_OK ? NULL : "must be read";
    if (status != JSN_OK && status != JSN_ERR_DATA && status != JSN_ERR_UNSUPPORTED)
        return "another status than that of bad data";
    if (strncmp(name, "limit", 5) == 0)
        return status == JSN_ERR_DATA && strstr(jsn_last_error(), "--limit ") != NULL
                   ? NULL
                   : "must stop at a limit";
    if (status != JSN_OK && strstr(jsn_last_error(), ":") == NULL)
        return "a sentence without the file's name";
    return NULL;
}

int main(int argc, char **argv)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0, read = 0, limited = 0, wrong = 0;
    if (argc != 4 || jsni_folder_list(argv[2], &entries, &count) != JSN_OK)
        return 2;
    sanitized = getenv("HOSTILE_SANITIZED") != NULL;
    const int images = strcmp(argv[1], "images") == 0;
    char(*names)[256] = malloc(count * sizeof *names);
    for (size_t i = 0; names != NULL && i < count; i++)
        (void)snprintf(names[i], sizeof names[i], "%s", entries[i].name);
    jsni_folder_free(entries, count);
    (void)signal(SIGPROF, too_slow);
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    for (size_t i = 0; names != NULL && i < count; i++) {
        (void)snprintf(current, sizeof current, "%s/%s", argv[2], names[i]);
        FILE *log = fopen("current", "w");
        if (log != NULL) {
            (void)fputs(current, log);
            (void)fclose(log);
        }
        const struct itimerval limit = {.it_value.tv_sec =
                                            SECONDS * (sanitized ? 8 : 1)};
        (void)setitimer(ITIMER_PROF, &limit, NULL);
        const jsn_status status =
            images ? open_image(current, argv[3]) : open_archive(current, argv[3]);
        const char *fault = judge(names[i], status, MOST_KIB * (images ? 2 : 1));
        read += status == JSN_OK;
        limited += status != JSN_OK && strstr(jsn_last_error(), "--limit ") != NULL;
        if (fault != NULL) {
            printf("%s: %s (%s)\n", names[i], fault,
                   status == JSN_OK ? "read" : jsn_last_error());
            wrong++;
        }
    }
    struct rusage use;
    (void)getrusage(RUSAGE_SELF, &use);
    printf(
        "%zu files: %zu read, %zu refused, %zu of them at a limit; %zu faults; at most "
        "%ld MiB\n",
        count, read, count - read, limited, wrong, use.ru_maxrss >> 10);
    free(names);
    return wrong > 0;
}
