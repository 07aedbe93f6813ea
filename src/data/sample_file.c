/* data/sample_file.c - see sample_file.h. */
#include "data/sample_file.h"

#include "core/file.h"
#include "data/dataset_impl.h"

char *jsni_sample_file(const jsn_dataset *data, jsn_split split, size_t index)
{
    const jsni_split *s = &data->splits[split];
    if (index >= s->samples || s->root == NULL || s->pixels != NULL || s->blobs != NULL)
        return NULL;
    return jsni_path_join(s->root, data->names + s->names[index]);
}
