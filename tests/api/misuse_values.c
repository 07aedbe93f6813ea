/* tests/api/misuse_values.c - see misuse.h: jensen/array.h, jensen/image.h, jensen/image_file.h, jensen/limit.h, jensen/option.h, jensen/status.h, jensen/version.h. */
#include "api/misuse.h"

static void misuse_array(misuse *m)
{
    const size_t shape[] = {2};
    jsn_array array = {0};
    GIVES(jsn_dtype_name((jsn_dtype)77));
    REFUSED(jsn_array_create(NULL, JSN_DTYPE_FLOAT32, 1, shape));
    REFUSED(jsn_array_create(&array, JSN_DTYPE_FLOAT32, 1, NULL));
    REFUSED(jsn_array_create(NULL, JSN_DTYPE_FLOAT32, 1, NULL));
    REFUSED(jsn_array_create(&array, (jsn_dtype)77, 1, shape));
    TAKEN(jsn_array_create(&array, JSN_DTYPE_FLOAT32, 0, shape));
    REFUSED(jsn_array_create(&array, JSN_DTYPE_FLOAT32, SIZE_MAX, shape));
    DOES(jsn_array_release(NULL));
    GIVES(jsn_array_count(NULL));
    REFUSED(jsn_array_convert(NULL, thing_array(), JSN_DTYPE_FLOAT32));
    REFUSED(jsn_array_convert(&array, NULL, JSN_DTYPE_FLOAT32));
    REFUSED(jsn_array_convert(NULL, NULL, JSN_DTYPE_FLOAT32));
    REFUSED(jsn_array_convert(&array, thing_array(), (jsn_dtype)77));
    REFUSED(jsn_array_read(NULL, place()));
    REFUSED(jsn_array_read(&array, NULL));
    REFUSED(jsn_array_read(NULL, NULL));
    REFUSED(jsn_array_write(NULL, place()));
    REFUSED(jsn_array_write(thing_array(), NULL));
    REFUSED(jsn_array_write(NULL, NULL));
}

static void misuse_image(misuse *m)
{
    jsn_image image = {0};
    REFUSED(jsn_image_create(NULL, 1, 1));
    REFUSED(jsn_image_create(&image, 0, 1));
    REFUSED(jsn_image_create(&image, SIZE_MAX, 1));
    REFUSED(jsn_image_create(&image, 1, 0));
    REFUSED(jsn_image_create(&image, 1, SIZE_MAX));
    DOES(jsn_image_release(NULL));
}

static void misuse_image_file(misuse *m)
{
    jsn_texts texts = {0};
    jsn_image image = {0};
    REFUSED(jsn_image_find(NULL, place(), &texts));
    REFUSED(jsn_image_find(&texts, NULL, &texts));
    TAKEN(jsn_image_find(&texts, place(), NULL));
    REFUSED(jsn_image_find(NULL, NULL, NULL));
    REFUSED(jsn_image_read(NULL, place()));
    REFUSED(jsn_image_read(&image, NULL));
    REFUSED(jsn_image_read(NULL, NULL));
    REFUSED(jsn_image_write(NULL, thing_image()));
    REFUSED(jsn_image_write(place(), NULL));
    REFUSED(jsn_image_write(NULL, NULL));
}

static void misuse_option(misuse *m)
{
    jsn_texts texts = {0};
    REFUSED(jsn_texts_add(NULL, "x"));
    REFUSED(jsn_texts_add(&texts, NULL));
    REFUSED(jsn_texts_add(NULL, NULL));
    DOES(jsn_texts_release(NULL));
    DOES(jsn_text_release(NULL));
}

static void misuse_limit(misuse *m)
{
    GIVES(jsn_limit_describe(SIZE_MAX));
    REFUSED(jsn_limit_set(NULL));
    REFUSED(jsn_limit_set("rows"));
    REFUSED(jsn_limit_set("=5"));
    TAKEN(jsn_limit_set(""));
}

static void misuse_status(misuse *m)
{
    GIVES(jsn_status_text((jsn_status)777));
    GIVES(jsn_last_error());
}

static void misuse_version(misuse *m)
{
    GIVES(jsn_version());
    GIVES(jsn_catalog_at(JSN_CATALOG_LOSSES, SIZE_MAX));
    GIVES(jsn_catalog_at((jsn_catalog)77, 0));
    GIVES(jsn_catalog_at((jsn_catalog)-1, 0));
    GIVES(jsn_feature_describe(0));
    GIVES(jsn_feature_describe(SIZE_MAX));
}

void misuse_values(misuse *m)
{
    misuse_array(m);
    misuse_image(m);
    misuse_image_file(m);
    misuse_option(m);
    misuse_limit(m);
    misuse_status(m);
    misuse_version(m);
}
