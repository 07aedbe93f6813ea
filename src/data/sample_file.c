/* data/sample_file.c - see sample_file.h. */
#include "data/sample_file.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "data/dataset_impl.h"

const char *jsni_sample_root(const jsn_dataset *data, jsn_split split)
{
    const jsni_split *s = &data->splits[split];
    return s->pixels == NULL && s->blobs == NULL ? s->root : NULL;
}

char *jsni_sample_file(const jsn_dataset *data, jsn_split split, size_t index)
{
    const jsni_split *s = &data->splits[split];
    const char *root = jsni_sample_root(data, split);
    if (index >= s->samples || root == NULL)
        return NULL;
    return jsni_path_join(root, data->names + s->names[index]);
}

static jsn_status identify_file(const char *path, jsni_sha256 *sha)
{
    jsni_file_identity is;
    JSNI_TRY(jsni_file_identify(path, &is));
    const uint64_t numbers[] = {is.device,
                                is.inode,
                                is.size,
                                (uint64_t)is.seconds,
                                (uint64_t)is.nanoseconds,
                                (uint64_t)is.state_seconds,
                                (uint64_t)is.state_nanoseconds};
    jsni_sha256_add(sha, numbers, sizeof numbers);
    return JSN_OK;
}

jsn_status jsni_sample_identify(const jsn_dataset *data, jsn_split split, size_t index,
                                jsni_sha256 *sha)
{
    const jsni_split *s = &data->splits[split];
    const size_t bytes = data->traits.width * data->traits.height * JSN_IMAGE_CHANNELS;
    if (s->pixels != NULL) {
        jsni_sha256_add(sha, s->pixels + index * bytes, bytes);
        return JSN_OK;
    }
    if (s->blobs != NULL) {
        jsni_sha256_add(sha, s->blobs[index].bytes, s->blobs[index].length);
        return JSN_OK;
    }
    char *path = jsni_sample_file(data, split, index);
    JSNI_TRY_ALLOC(path);
    const jsn_status status = identify_file(path, sha);
    jsni_free(path);
    return status;
}
