/* cli/cli_loss.c - see cli_loss.h. */
#include "cli/cli_loss.h"

#include "cli/cli.h"
#include "jensen/noise.h"

static jsn_status give_matrix(jsn_loss *loss, const char *path, size_t classes)
{
    jsn_array matrix;
    jsn_status status = jsn_noise_read_matrix(&matrix, path);
    if (status != JSN_OK)
        return status;
    status =
        matrix.shape[0] == classes
            ? jsn_loss_set_matrix(loss, matrix.data)
            : cli_fail(JSN_ERR_DATA, "%s: a matrix of %zu classes, the logits have %zu",
                       path, matrix.shape[0], classes);
    jsn_array_release(&matrix);
    return status;
}

jsn_status cli_loss_create(jsn_loss **out, const char *spec, size_t classes,
                           size_t views)
{
    jsn_status status = jsn_loss_create(out, spec, classes, views);
    const char *path = status == JSN_OK ? jsn_loss_matrix_path(*out) : NULL;
    if (path != NULL)
        status = give_matrix(*out, path, classes);
    if (status != JSN_OK) {
        jsn_loss_destroy(*out);
        *out = NULL;
    }
    return status;
}
