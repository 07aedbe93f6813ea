/* store/record_card.c - see record_card.h. */
#include "store/record_card.h"

#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "store/record_evaluation.h"
#include "store/record_field.h"
#include "store/run_folder.h"

enum { MOST_SIZE = 4096, MOST_MEMBERS = 64 };

void jsni_model_card_release(jsni_model_card *card)
{
    jsni_record_names_release(card->names, card->classes);
    jsni_free(card->network);
    jsni_free(card->augment);
    jsni_free(card->evaluation);
    jsni_free(card->init);
    jsni_free(card->init_sha256);
    *card = (jsni_model_card){0};
}

static jsn_status missing(const jsni_json *doc, const char *key)
{
    const char *text = NULL; /* the sentence is that of a required key */
    const jsn_status status = jsni_json_get_text(doc, key, &text);
    return status == JSN_OK ? JSN_ERR_DATA : status;
}

static jsn_status take_spec(const jsni_json *doc, const char *key, char **out)
{
    JSNI_TRY(jsni_record_text(doc, key, out));
    return *out == NULL ? missing(doc, key) : JSN_OK;
}

static jsn_status take_whole(const jsni_json *doc, const char *key, int64_t low,
                             int64_t high, int64_t *out)
{
    JSNI_TRY(jsni_json_get_int(doc, key, out));
    return jsni_record_int(doc, key, low, high, low, out);
}

/* One number a channel of the image. */
static jsn_status take_channels(const jsni_json *doc, const char *key, jsni_range range,
                                float out[3])
{
    const jsni_json *list = NULL;
    JSNI_TRY(jsni_json_get_array(doc, key, &list));
    if (jsni_json_count(list) != 3)
        return jsni_json_refuse(list, "there is not one number for each channel");
    for (size_t i = 0; i < 3; i++) {
        double value = 0.0;
        JSNI_TRY(jsni_record_value(jsni_json_at(list, i), key, range, &value));
        if (isnan(value))
            return jsni_json_refuse(list, "a channel has no number");
        out[i] = (float)value;
    }
    return JSN_OK;
}

static jsn_status take(jsni_model_card *card, const jsni_json *doc)
{
    static const jsni_range means = {-1e6, 1e6}, deviations = {1e-6, 1e6};
    int64_t size = 0, members = 0, seed = 0;
    JSNI_TRY(take_whole(doc, "image_size", 1, MOST_SIZE, &size));
    JSNI_TRY(take_whole(doc, "members", 1, MOST_MEMBERS, &members));
    JSNI_TRY(take_whole(doc, "seed", INT64_MIN, INT64_MAX, &seed));
    JSNI_TRY(take_spec(doc, "network", &card->network));
    JSNI_TRY(take_spec(doc, "augment", &card->augment));
    JSNI_TRY(take_spec(doc, "evaluation", &card->evaluation));
    JSNI_TRY(jsni_record_text(doc, "init", &card->init));
    JSNI_TRY(jsni_record_text(doc, "init_sha256", &card->init_sha256));
    JSNI_TRY(take_channels(doc, "mean", means, card->mean));
    JSNI_TRY(take_channels(doc, "deviation", deviations, card->deviation));
    JSNI_TRY(jsni_record_names(doc, "classes", JSNI_RECORD_MOST_CLASSES, &card->names,
                               &card->classes));
    if (card->classes < 2)
        return jsni_json_refuse(doc, "key 'classes' has fewer than two names");
    card->image_size = (size_t)size;
    card->members = (size_t)members;
    card->seed = (uint64_t)seed;
    return JSN_OK;
}

jsn_status jsni_model_card_find(jsni_model_card *card, const char *folder, bool *found)
{
    jsni_json *doc = NULL;
    *card = (jsni_model_card){0};
    *found = false;
    JSNI_TRY(jsni_record_open(folder, JSNI_RUN_CARD, &doc));
    if (doc == NULL)
        return JSN_OK;
    const jsn_status status = take(card, doc);
    *found = status == JSN_OK;
    if (status != JSN_OK)
        jsni_model_card_release(card);
    jsni_json_destroy(doc);
    return status;
}

jsn_status jsni_model_card_read(jsni_model_card *card, const char *folder)
{
    bool found = false;
    JSNI_TRY(jsni_model_card_find(card, folder, &found));
    return found
               ? JSN_OK
               : jsni_fail(JSN_ERR_DATA, "%s: not a run folder (there is no %s in it)",
                           folder, JSNI_RUN_CARD);
}

static void put_reals(jsni_json_writer *w, const char *key, const float *values)
{
    jsni_json_begin_array(w, key);
    for (int i = 0; i < 3; i++)
        jsni_json_put_real(w, NULL, (double)values[i]);
    jsni_json_end(w);
}

jsn_status jsni_model_card_text(const jsni_model_card *card, char **out)
{
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 2));
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "network", card->network);
    jsni_json_put_int(w, "image_size", (int64_t)card->image_size);
    jsni_json_put_int(w, "members", (int64_t)card->members);
    jsni_json_put_int(w, "seed", (int64_t)card->seed);
    jsni_json_put_text(w, "augment", card->augment);
    jsni_json_put_text(w, "evaluation", card->evaluation);
    if (card->init != NULL && card->init_sha256 != NULL) {
        jsni_json_put_text(w, "init", card->init);
        jsni_json_put_text(w, "init_sha256", card->init_sha256);
    }
    put_reals(w, "mean", card->mean);
    put_reals(w, "deviation", card->deviation);
    jsni_json_begin_array(w, "classes");
    for (size_t k = 0; k < card->classes; k++)
        jsni_json_put_text(w, NULL, card->names[k]);
    jsni_json_end(w);
    jsni_json_end(w);
    const jsn_status status = jsni_json_writer_take(w, out);
    jsni_json_writer_destroy(w);
    return status;
}
