/* data/jpeg_part_none.c - for builds without libjpeg-turbo's own interface: JPEGs are
 * decoded whole. */
#include "core/fail.h"
#include "data/jpeg_part.h"

bool jsni_jpeg_reads_boxes(void)
{
    return false;
}

jsn_status jsni_jpeg_reader_create(jsni_jpeg_reader **out)
{
    *out = NULL;
    return jsni_fail(JSN_ERR_UNSUPPORTED, "this build reads JPEGs whole");
}

void jsni_jpeg_reader_destroy(jsni_jpeg_reader *reader)
{
    (void)reader;
}

jsn_status jsni_jpeg_read_box(jsni_jpeg_reader *reader, const jsni_image_input *input,
                              const jsni_jpeg_box *box, uint8_t *to)
{
    (void)reader;
    (void)box;
    (void)to;
    return jsni_fail(JSN_ERR_UNSUPPORTED, "%s: this build reads JPEGs whole",
                     input->name);
}
