/* data/sample_gone.c - see sample_gone.h. */
#define _POSIX_C_SOURCE 200809L
#include "data/sample_gone.h"

#include <string.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/file.h"
#include "data/dataset_impl.h"

/* Kinds that list what is in folders, so that each of their names was there. */
static bool lists_folders(const jsn_dataset *data)
{
    static const char *const kinds[] = {"folder", "imagenet", "animal10n"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(data->traits.kind, kinds[i]) == 0)
            return true;
    return false;
}

/* Whether the folder of the file, or what is left of the way to it, has changed since the
 * data was opened, or is another one: something was removed, moved, or unmounted. */
static bool place_changed(const jsn_dataset *data, const jsni_split *s, char *path)
{
    struct stat info;
    if (s->root_inode != 0 &&
        (stat(s->root, &info) != 0 || (uint64_t)info.st_dev != s->root_device ||
         (uint64_t)info.st_ino != s->root_inode))
        return true;
    for (char *slash = strrchr(path, '/'); slash != NULL; slash = strrchr(path, '/')) {
        *slash = '\0';
        if (stat(slash == path ? "/" : path, &info) == 0)
            return (int64_t)info.st_ctim.tv_sec > data->opened ||
                   ((int64_t)info.st_ctim.tv_sec == data->opened &&
                    (int64_t)info.st_ctim.tv_nsec > data->opened_part);
    }
    return false;
}

bool jsni_sample_gone(const jsn_dataset *data, jsn_split split, size_t index)
{
    const jsni_split *s = &data->splits[split];
    struct stat info;
    if (s->root == NULL || index >= s->samples)
        return false;
    char *path = jsni_path_join(s->root, data->names + s->names[index]);
    const bool was = lists_folders(data) || atomic_load(&s->whole[index]) != 0;
    /* The name itself, not where a link leads: a dead link is a broken image. */
    const bool gone = path != NULL && lstat(path, &info) != 0 &&
                      (was || place_changed(data, s, path));
    jsni_free(path);
    return gone;
}
