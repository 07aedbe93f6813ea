/* train/run_matrix.c - see run_matrix.h. */
#include "train/run_matrix.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "format/npy.h"
#include "jensen/noise.h"
#include "store/run_folder.h"

/* Whether `own`, with which the run began, is also what the file has; a file that is gone
 * is fine. */
static jsn_status compare(const char *path, const jsn_array *own)
{
    jsn_array file;
    if (!jsni_file_exists(path))
        return JSN_OK;
    JSNI_TRY(jsn_noise_read_matrix(&file, path));
    const bool same =
        file.shape[0] == own->shape[0] &&
        memcmp(file.data, own->data, jsn_array_count(own) * sizeof(double)) == 0;
    jsn_array_release(&file);
    if (!same)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: not the matrix that the run began with (its %s); another "
                         "matrix needs another run folder",
                         path, JSNI_RUN_MATRIX);
    return JSN_OK;
}

static jsn_status read_own(const char *folder, const char *path, jsn_array *out)
{
    char *own = jsni_file_path(folder, JSNI_RUN_MATRIX);
    JSNI_TRY_ALLOC(own);
    jsn_status status = jsn_noise_read_matrix(out, own);
    jsni_free(own);
    if (status == JSN_OK)
        status = compare(path, out);
    return status;
}

jsn_status jsni_run_matrix_open(jsni_run_losses *losses, const char *folder,
                                size_t classes)
{
    const char *path = jsn_loss_matrix_path(losses->main);
    jsn_array *matrix = &losses->matrix;
    bool there = false;
    if (jsn_loss_matrix_path(losses->noisy) != NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "--loss-noisy: takes no matrix");
    if (path == NULL)
        return JSN_OK;
    JSNI_TRY(jsni_file_find(folder, JSNI_RUN_MATRIX, &there));
    JSNI_TRY(there ? read_own(folder, path, matrix)
                   : jsn_noise_read_matrix(matrix, path));
    if (matrix->shape[0] != classes)
        return jsni_fail(JSN_ERR_DATA, "%s: a matrix of %zu classes, the data has %zu",
                         path, matrix->shape[0], classes);
    return jsn_loss_set_matrix(losses->main, matrix->data);
}

jsn_status jsni_run_matrix_keep(const jsni_run_losses *losses, const char *folder)
{
    bool there = false;
    if (losses->matrix.data == NULL)
        return JSN_OK;
    JSNI_TRY(jsni_file_find(folder, JSNI_RUN_MATRIX, &there));
    return there ? JSN_OK
                 : jsni_array_write_in(&losses->matrix, folder, JSNI_RUN_MATRIX);
}
