/* review/review_picture.c - see review_picture.h. */
#include "review/review_picture.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/limit.h"
#include "data/dataset_part.h"
#include "data/image_decoder.h"
#include "data/sample_file.h"
#include "train/thumbnail.h"

/* Pictures up to this side are small files without loss. */
enum { LOSSLESS_SIDE = 128 };
#define KEPT_BYTES ((size_t)64 << 20)

static jsn_status decode(const char *bytes, size_t length, const char *name,
                         size_t side, jsni_image_part *part)
{
    jsni_image_decoder *decoder = NULL;
    JSNI_TRY(jsni_image_decoder_create(&decoder));
    const jsn_status status = jsni_image_decoder_part(
        decoder, bytes, length, name, jsni_image_want_coarse, &side, part);
    jsni_image_decoder_destroy(decoder);
    return status;
}

/* A file of the data is read here, not by the data set, which follows links as its owner
 * wants it to: what a page shows must be inside. */
static jsn_status read_image(const jsni_session *s, uint32_t sample, size_t side,
                             jsni_image_part *part)
{
    const jsni_audited *a = &s->audited;
    const char *root = jsni_sample_root(a->data, a->split), *path = a->paths[sample];
    char *bytes = NULL;
    size_t length = 0;
    if (root == NULL)
        return jsni_dataset_image_part(a->data, a->split, sample,
                                       jsni_image_want_coarse, &side, part);
    path += *path == '/'; /* of a table with root=/ */
    JSNI_TRY(jsni_limit_read(JSNI_LIMIT_MEMBER, root, path, &bytes, &length));
    const jsn_status status = decode(bytes, length, path, side, part);
    jsni_free(bytes);
    return status;
}

static jsn_status encode(const jsn_image *image, jsni_text *out, const char **type)
{
    const bool small = image->width <= LOSSLESS_SIDE && image->height <= LOSSLESS_SIDE;
    const char *const names[] = {small ? "p.png" : "p.jpg", small ? "p.jpg" : "p.png"};
    jsn_status status = JSN_ERR_UNSUPPORTED;
    for (int i = 0; i < 2 && status == JSN_ERR_UNSUPPORTED; i++) {
        status = jsni_image_encode(names[i], image, out);
        *type = strcmp(names[i], "p.png") == 0 ? "image/png" : "image/jpeg";
    }
    return status;
}

jsn_status jsni_picture_make(const jsni_session *session, uint32_t sample, size_t side,
                             jsni_text *out, const char **type)
{
    jsni_image_part part = {0};
    jsn_status status = read_image(session, sample, side, &part);
    if (status == JSN_OK)
        status = jsni_thumbnail_fit(&part.image, side);
    if (status == JSN_OK)
        status = encode(&part.image, out, type);
    jsn_image_release(&part.image);
    return status;
}

typedef struct kept_picture {
    char *bytes; /* owned; NULL: not made, or given up */
    size_t length;
    const char *type;
} kept_picture;

struct jsni_thumbs {
    pthread_mutex_t mutex;
    size_t samples, bytes;
    kept_picture kept[]; /* [samples] */
};

jsn_status jsni_thumbs_create(jsni_thumbs **out, size_t samples)
{
    *out = jsni_alloc_zero(1, sizeof **out + samples * sizeof(*out)->kept[0]);
    JSNI_TRY_ALLOC(*out);
    (*out)->samples = samples;
    (void)pthread_mutex_init(&(*out)->mutex, NULL);
    return JSN_OK;
}

static void forget_all(jsni_thumbs *t)
{
    for (size_t i = 0; i < t->samples; i++) {
        jsni_free(t->kept[i].bytes);
        t->kept[i] = (kept_picture){0};
    }
    t->bytes = 0;
}

void jsni_thumbs_destroy(jsni_thumbs *thumbs)
{
    if (thumbs == NULL)
        return;
    forget_all(thumbs);
    (void)pthread_mutex_destroy(&thumbs->mutex);
    jsni_free(thumbs);
}

/* Two threads may have made it at once; the first one's is kept. When there is no room,
 * all are given up: the browser has those that it shows. */
static void keep(jsni_thumbs *t, uint32_t sample, const jsni_text *made,
                 const char *type)
{
    kept_picture *kept = &t->kept[sample];
    if (kept->bytes != NULL)
        return;
    if (t->bytes + made->length > KEPT_BYTES)
        forget_all(t);
    kept->bytes = jsni_alloc(made->length, 1);
    if (kept->bytes == NULL)
        return;
    memcpy(kept->bytes, made->data, made->length);
    kept->length = made->length;
    kept->type = type;
    t->bytes += made->length;
}

jsn_status jsni_thumbs_get(jsni_thumbs *thumbs, const jsni_session *session,
                           uint32_t sample, jsni_text *out, const char **type)
{
    (void)pthread_mutex_lock(&thumbs->mutex);
    const kept_picture kept = thumbs->kept[sample];
    if (kept.bytes != NULL) {
        jsni_text_add_n(out, kept.bytes, kept.length);
        *type = kept.type;
    }
    (void)pthread_mutex_unlock(&thumbs->mutex);
    if (kept.bytes != NULL)
        return out->status;
    JSNI_TRY(jsni_picture_make(session, sample, JSNI_PICTURE_THUMB, out, type));
    (void)pthread_mutex_lock(&thumbs->mutex);
    keep(thumbs, sample, out, *type);
    (void)pthread_mutex_unlock(&thumbs->mutex);
    return JSN_OK;
}
