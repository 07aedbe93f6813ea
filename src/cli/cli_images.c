/* cli/cli_images.c - see cli_images.h. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli_images.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "jensen/image_file.h"

enum { DEEPEST = 32, LONGEST = 4096 }; /* links may lead in circles */

static jsn_status add(jsn_texts *paths, const char *path, int depth);

static jsn_status walk(jsn_texts *paths, const char *folder, int depth)
{
    struct dirent **entries = NULL;
    const int count = depth > DEEPEST ? 0 : scandir(folder, &entries, NULL, alphasort);
    if (count < 0) {
        (void)cli_usage("%s: cannot be read: %s", folder, strerror(errno));
        return JSN_ERR_DATA;
    }
    jsn_status status = JSN_OK;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char path[LONGEST];
        struct stat about;
        const int length = snprintf(path, sizeof path, "%s%s%s", folder,
                                    folder[strlen(folder) - 1] == '/' ? "" : "/", name);
        const int fits = length > 0 && length < LONGEST;
        if (status == JSN_OK && name[0] != '.' && fits && stat(path, &about) == 0 &&
            (S_ISDIR(about.st_mode) || jsn_image_has_name(name)))
            status = add(paths, path, depth + 1);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static jsn_status add(jsn_texts *paths, const char *path, int depth)
{
    struct stat about;
    if (path[0] != '\0' && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return walk(paths, path, depth);
    return jsn_texts_add(paths, path);
}

jsn_status cli_images_add(jsn_texts *paths, const char *path)
{
    return add(paths, path, 0);
}
