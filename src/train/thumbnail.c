/* train/thumbnail.c - see thumbnail.h. */
#include "train/thumbnail.h"

#include "core/image_part.h"
#include "data/dataset_part.h"
#include "data/image_decoder.h"
#include "jensen/augment.h"

enum { SIDE = 96 };

jsn_status jsni_thumbnail_write(const jsn_dataset *data, jsn_split split, size_t index,
                                const char *folder, const char *name)
{
    jsni_image_part seen = {0};
    jsn_image small = {0};
    size_t enough = 2 * SIDE;
    jsn_status status = jsni_dataset_image_part(data, split, index,
                                                jsni_image_want_coarse, &enough, &seen);
    jsn_image *image = &seen.image;
    const size_t longer = image->width > image->height ? image->width : image->height;
    if (status == JSN_OK && longer > SIDE) {
        const size_t width = image->width * SIDE / longer;
        const size_t height = image->height * SIDE / longer;
        status =
            jsn_image_create(&small, width > 0 ? width : 1, height > 0 ? height : 1);
        if (status == JSN_OK)
            status = jsn_image_resize(image, NULL, JSN_FILTER_BILINEAR, &small);
    }
    if (status == JSN_OK)
        status = jsni_image_write_in(folder, name, small.data != NULL ? &small : image);
    jsn_image_release(&small);
    jsn_image_release(image);
    return status;
}
