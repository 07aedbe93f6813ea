/* train/thumbnail.c - see thumbnail.h. */
#include "train/thumbnail.h"

#include "core/fail.h"
#include "core/image_part.h"
#include "data/dataset_part.h"
#include "data/image_decoder.h"
#include "jensen/augment.h"

enum { SIDE = 96 };

jsn_status jsni_thumbnail_fit(jsn_image *image, size_t side)
{
    const size_t longer = image->width > image->height ? image->width : image->height;
    if (longer <= side)
        return JSN_OK;
    const size_t width = image->width * side / longer;
    const size_t height = image->height * side / longer;
    jsn_image small;
    JSNI_TRY(jsn_image_create(&small, width > 0 ? width : 1, height > 0 ? height : 1));
    const jsn_status status =
        jsn_image_resize(image, NULL, JSN_FILTER_BILINEAR, &small);
    jsn_image_release(status == JSN_OK ? image : &small);
    if (status == JSN_OK)
        *image = small;
    return status;
}

jsn_status jsni_thumbnail_write(const jsn_dataset *data, jsn_split split, size_t index,
                                const char *folder, const char *name)
{
    jsni_image_part seen = {0};
    size_t enough = 2 * SIDE;
    jsn_status status = jsni_dataset_image_part(data, split, index,
                                                jsni_image_want_coarse, &enough, &seen);
    if (status == JSN_OK)
        status = jsni_thumbnail_fit(&seen.image, SIDE);
    if (status == JSN_OK)
        status = jsni_image_write_in(folder, name, &seen.image);
    jsn_image_release(&seen.image);
    return status;
}
