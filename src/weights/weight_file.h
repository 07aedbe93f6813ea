/* weights/weight_file.h - opens whatever holds weights: safetensors, a file of PyTorch
 * (.pth, .pt), or an archive with one of these in it, such as a wheel. What it is, is told
 * by how it begins, not by its name. */
#ifndef JSNI_WEIGHTS_WEIGHT_FILE_H
#define JSNI_WEIGHTS_WEIGHT_FILE_H

#include "format/safetensors.h"

/* Opens a file that is named as in core/file.h; with a folder, one of our own, which is
 * always safetensors. *note, where it is not NULL, says what the file does not tell and was
 * assumed: a static sentence, or NULL.
 *   JSN_ERR_DATA         damaged, no weights or several files of weights in it, more than
 *                        weights in it; beyond a limit; by its name timm's
 *                        EfficientNet-Lite with another padding
 *   JSN_ERR_UNSUPPORTED  an archive, and this build has no libarchive
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_weight_file_open(jsni_safetensors **out,
                                                const char *folder, const char *name,
                                                const char **note);

#endif /* JSNI_WEIGHTS_WEIGHT_FILE_H */
