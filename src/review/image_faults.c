/* review/image_faults.c - see image_faults.h. The bounds are wide: what is listed here is
 * hardly ever meant to be as it is. */
#include "review/image_faults.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/pool.h"
#include "core/progress.h"
#include "review/image_look.h"

enum { CHUNK = 512, TINY = 8, NEAR_SLOPES = 2, NEAR_GREY = 4, BANDS = 4 };
#define BLANK_DEVIATION 2.0f  /* of grey values, 0 to 255 */
#define DARK_BRIGHTEST  24.0f /* 49 of 50 pixels are darker */
#define BLURRED_BELOW   0.02f /* of contrasts; photographs have 0.1 and more */
#define ODD_ASPECT      5     /* longer side over shorter */
#define FLAT_DEVIATION  8.0f  /* images with less contrast look alike anyway */

const char *jsni_fault_name(jsni_fault fault)
{
#define NAME(code, name) name,
    static const char *const names[JSNI_FAULTS] = {JSNI_FAULT_LIST(NAME)};
#undef NAME
    return names[fault];
}

typedef struct looking {
    const jsn_dataset *data;
    jsn_split split;
    size_t first;
    jsn_image *images;       /* [threads] */
    jsni_look *looks;        /* [samples] */
    jsn_status found[CHUNK]; /* of reading */
} looking;

static void look_at(void *user, size_t index, size_t worker)
{
    looking *l = user;
    const size_t sample = l->first + index;
    l->found[index] = jsn_dataset_image(l->data, l->split, sample, &l->images[worker]);
    if (l->found[index] == JSN_OK)
        l->looks[sample] = jsni_image_look(&l->images[worker]);
}

/* Looks at all images of a split, looks [samples], zeroed. */
static jsn_status look_at_split(const jsn_dataset *data, jsn_split split,
                                jsni_pool *pool, const jsn_logger *logger,
                                jsni_look *looks)
{
    const size_t samples = jsn_dataset_samples(data, split);
    const size_t threads = jsni_pool_threads(pool);
    looking l = {.data = data, .split = split, .looks = looks};
    jsn_status status = JSN_OK;
    JSNI_TRY_ALLOC(l.images = jsni_alloc_zero(threads, sizeof *l.images));
    for (; status == JSN_OK && l.first < samples; l.first += CHUNK) {
        const size_t count = samples - l.first < CHUNK ? samples - l.first : CHUNK;
        jsni_pool_run(pool, count, look_at, &l);
        for (size_t i = 0; status == JSN_OK && i < count; i++)
            if (l.found[i] != JSN_OK && l.found[i] != JSN_ERR_DATA)
                status = jsni_fail(l.found[i], "%s: cannot be read",
                                   jsn_dataset_path(data, split, l.first + i));
        jsni_progress(logger, "looking at images", l.first + count, samples);
    }
    for (size_t t = 0; t < threads; t++)
        jsn_image_release(&l.images[t]);
    jsni_free(l.images);
    return status;
}

/* What can be seen of an image alone. */
static jsni_fault judge(const jsni_look *look)
{
    const size_t longer = look->width > look->height ? look->width : look->height;
    const size_t shorter = look->width > look->height ? look->height : look->width;
    if (!look->read)
        return JSNI_FAULT_UNREADABLE;
    if (shorter < TINY)
        return JSNI_FAULT_TINY;
    if (longer > ODD_ASPECT * shorter)
        return JSNI_FAULT_ODD_SHAPE;
    if (look->deviation < BLANK_DEVIATION)
        return JSNI_FAULT_BLANK;
    if (look->brightest < DARK_BRIGHTEST)
        return JSNI_FAULT_DARK;
    return look->sharpness < BLURRED_BELOW ? JSNI_FAULT_BLURRED : JSNI_FAULT_NONE;
}

/* An image among those of all splits. */
typedef struct seen_image {
    const jsni_look *look;
    uint8_t *fault; /* NULL: of another split, which is not audited */
    size_t order;   /* in which they were read */
    uint64_t key;   /* what they are sorted by */
} seen_image;

static int by_key(const void *left, const void *right)
{
    const seen_image *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Of two images that are the same, the later one is at fault; one of another split is not
 * audited, and so it is the other that is in both. */
static void mark(const seen_image *first, const seen_image *later, jsni_fault fault)
{
    uint8_t *at = later->fault != NULL ? later->fault : first->fault;
    if (at != NULL && (*at == JSNI_FAULT_NONE || *at > (uint8_t)fault))
        *at = (uint8_t)fault;
}

static void find_duplicates(seen_image *images, size_t count)
{
    for (size_t i = 0; i < count; i++)
        images[i].key = images[i].look->print;
    qsort(images, count, sizeof *images, by_key);
    for (size_t i = 1; i < count; i++)
        if (images[i].key == images[i - 1].key)
            mark(&images[i - 1], &images[i], JSNI_FAULT_DUPLICATE);
}

static unsigned bits_of(uint64_t x)
{
    unsigned count = 0;
    for (; x != 0; x &= x - 1)
        count++;
    return count;
}

static bool is_near(const jsni_look *a, const jsni_look *b)
{
    if (a->print == b->print || bits_of(a->slopes ^ b->slopes) > NEAR_SLOPES)
        return false;
    int difference = 0;
    for (size_t i = 0; i < sizeof a->small; i++)
        difference += abs((int)a->small[i] - (int)b->small[i]);
    return difference <= NEAR_GREY * (int)sizeof a->small;
}

/* Slopes that differ in fewer places than there are bands agree in a band: only images that
 * share one are compared. */
static void find_near(seen_image *images, size_t count)
{
    for (unsigned band = 0; band < BANDS; band++) {
        for (size_t i = 0; i < count; i++)
            images[i].key = images[i].look->slopes >> (64 / BANDS * band) & 0xffff;
        qsort(images, count, sizeof *images, by_key);
        for (size_t i = 0; i < count; i++)
            for (size_t j = i + 1; j < count && images[j].key == images[i].key; j++)
                if (is_near(images[i].look, images[j].look))
                    mark(&images[i], &images[j], JSNI_FAULT_NEAR_DUPLICATE);
    }
}

/* Those with contrast enough to be told apart. */
static size_t list_images(const jsni_audited *a, jsni_look *const looks[JSN_SPLITS],
                          uint8_t *faults, seen_image *images)
{
    size_t count = 0;
    for (int s = 0; s < JSN_SPLITS; s++)
        for (size_t i = 0; i < jsn_dataset_samples(a->data, (jsn_split)s); i++)
            if (looks[s][i].read && looks[s][i].deviation >= FLAT_DEVIATION) {
                images[count] =
                    (seen_image){.look = &looks[s][i],
                                 .fault = (jsn_split)s == a->split ? &faults[i] : NULL,
                                 .order = count};
                count++;
            }
    return count;
}

static jsn_status find(const jsni_audited *a, jsni_pool *pool, const jsn_logger *logger,
                       jsni_look *looks[JSN_SPLITS], uint8_t *faults)
{
    size_t all = 0;
    for (int s = 0; s < JSN_SPLITS; s++) {
        const size_t count = jsn_dataset_samples(a->data, (jsn_split)s);
        all += count;
        JSNI_TRY_ALLOC(looks[s] = jsni_alloc_zero(count, sizeof *looks[s]));
        JSNI_TRY(look_at_split(a->data, (jsn_split)s, pool, logger, looks[s]));
    }
    for (size_t i = 0; i < a->samples; i++)
        faults[i] = (uint8_t)judge(&looks[a->split][i]);
    seen_image *images = jsni_alloc(all, sizeof *images);
    JSNI_TRY_ALLOC(images);
    const size_t count = list_images(a, looks, faults, images);
    find_duplicates(images, count);
    find_near(images, count);
    jsni_free(images);
    return JSN_OK;
}

jsn_status jsni_find_faults(const jsni_audited *audited, size_t threads,
                            const jsn_logger *logger, uint8_t *faults)
{
    jsni_pool *pool = NULL;
    jsni_look *looks[JSN_SPLITS] = {NULL};
    JSNI_TRY(jsni_pool_create(&pool, threads));
    const jsn_status status = find(audited, pool, logger, looks, faults);
    for (int s = 0; s < JSN_SPLITS; s++)
        jsni_free(looks[s]);
    jsni_pool_destroy(pool);
    return status;
}
