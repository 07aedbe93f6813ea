/* train/init_weights.c - see init_weights.h. */
#include "train/init_weights.h"

#include "weights/weight_match.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "store/run_folder.h"
#include "store/run_files.h"
#include "train/model_card.h"
#include "weights/weight_cache.h"
#include "weights/weight_file.h"

/* The last epoch's weights are a run's result; the best ones were chosen by images that
 * the next run may train on. */
static jsn_status path_of(const char *init, char **out)
{
    bool folder = false, there = false;
    *out = NULL;
    JSNI_TRY(jsni_folder_find(NULL, init, &folder));
    if (!folder) {
        *out = jsni_text_copy(init);
        return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
    }
    jsni_model_card card = {0};
    JSNI_TRY(jsni_model_card_read(&card, init));
    const size_t members = card.members;
    jsni_model_card_release(&card);
    if (members > 1)
        return jsni_fail(JSN_ERR_DATA,
                         "--init %s: an ensemble; name one of its members, such as "
                         "%s/member-1",
                         init, init);
    JSNI_TRY(jsni_file_find(init, JSNI_RUN_MODEL, &there));
    if (!there)
        return jsni_fail(JSN_ERR_DATA,
                         "--init %s: the run is not finished (there is no %s); the "
                         "command that started it continues it",
                         init, JSNI_RUN_MODEL);
    JSNI_TRY(jsni_run_files_verify_in(init, JSNI_RUN_MODEL));
    *out = jsni_path_join(init, JSNI_RUN_MODEL);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

jsn_status jsni_init_path(const char *init, char **out)
{
    char *place = NULL;
    *out = NULL;
    JSNI_TRY(jsni_weights_check_name(init));
    JSNI_TRY(jsni_weights_or_path(init, &place));
    const jsn_status status = path_of(place, out);
    jsni_free(place);
    return status;
}

jsn_status jsni_init_card(const char *init, jsni_model_card *card, bool *there)
{
    char *place = NULL;
    *there = false;
    *card = (jsni_model_card){0};
    JSNI_TRY(jsni_weights_or_path(init, &place));
    jsn_status status = jsni_folder_find(NULL, place, there);
    if (status == JSN_OK && *there)
        status = jsni_model_card_read(card, place);
    jsni_free(place);
    return status;
}

jsn_status jsni_init_look(const char *init, char *network, size_t room,
                          size_t *image_size, const char **note)
{
    char *path = NULL;
    jsni_safetensors *file = NULL;
    network[0] = '\0';
    *image_size = 0;
    *note = NULL;
    JSNI_TRY(jsni_init_path(init, &path));
    jsn_status status = jsni_weight_file_open(&file, NULL, path, note);
    if (status == JSN_OK)
        status = jsni_weight_file_network(file, network, room);
    jsni_safetensors_close(file);
    jsni_free(path);
    jsni_model_card card = {0};
    bool there = false;
    if (status == JSN_OK)
        status = jsni_init_card(init, &card, &there);
    *image_size = card.image_size;
    jsni_model_card_release(&card);
    return status;
}
