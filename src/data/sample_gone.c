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

bool jsni_sample_gone(const jsn_dataset *data, jsn_split split, size_t index)
{
    const jsni_split *s = &data->splits[split];
    struct stat info;
    if (s->root == NULL || index >= s->samples ||
        !(lists_folders(data) || atomic_load(&s->whole[index]) != 0))
        return false;
    char *path = jsni_path_join(s->root, data->names + s->names[index]);
    /* The name itself, not where a link leads: a dead link is a broken image. */
    const bool gone = path != NULL && lstat(path, &info) != 0;
    jsni_free(path);
    return gone;
}
