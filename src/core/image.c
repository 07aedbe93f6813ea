/* core/image.c - see jensen/image.h. */
#include "jensen/image.h"

#include "core/alloc.h"
#include "core/fail.h"

jsn_status jsn_image_create(jsn_image *out, size_t width, size_t height)
{
    if (out == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "image: out is NULL");
    *out = (jsn_image){0};
    if (width == 0 || height == 0 || width > JSN_IMAGE_MAX_SIDE ||
        height > JSN_IMAGE_MAX_SIDE || width * height > JSN_IMAGE_MAX_PIXELS)
        return jsni_fail(JSN_ERR_RANGE, "an image of %zu x %zu pixels", width, height);
    uint8_t *data = jsni_alloc(width * height, JSN_IMAGE_CHANNELS);
    JSNI_TRY_ALLOC(data);
    *out = (jsn_image){data, width, height};
    return JSN_OK;
}

void jsn_image_release(jsn_image *image)
{
    if (image == NULL)
        return;
    jsni_free(image->data);
    *image = (jsn_image){0};
}
