/* train/choose_begun.c - see choose_begun.h. */
#include "train/choose_begun.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/progress.h"
#include "train/choose_weights.h"
#include "train/init_kept.h"
#include "train/run_begun.h"
#include "train/run_differs.h"
#include "train/run_name.h"

/* Whether this command began a run with these weights; NULL: without any. */
static jsn_status begun_from(const jsn_train_config *c, const jsni_problem *p,
                             jsni_look seen, const jsni_suitable *weights, bool *begun)
{
    jsn_train_config was;
    JSNI_TRY(jsni_config_copy(&was, c));
    jsn_status status = JSN_OK;
    if (weights != NULL)
        status = jsni_choose_these(&was, &seen, weights);
    if (status == JSN_OK)
        status = jsni_choose_rest(&was, p, &seen, NULL);
    if (status == JSN_OK && isnan(was.scaled_decode))
        was.scaled_decode = 0.0;
    if (status == JSN_OK)
        status = jsni_run_begun_with(&was, begun);
    jsn_train_config_release(&was);
    return status;
}

/* The run in a folder, where it is one of these options that began with other weights than
 * --init leads to now, and keeps them: what they told of network, size and --finetune. */
static jsn_status look_into(const jsn_train_config *c, const jsni_problem *p,
                            const char *folder, const jsn_train_config *kept,
                            jsni_look *seen, jsn_train_config *was, bool *found)
{
    jsni_init_change change = JSNI_INIT_SAME;
    if (kept->init == NULL || strcmp(kept->init, c->init) != 0)
        return JSN_OK;
    JSNI_TRY(jsni_init_compare(folder, c->init, &change, NULL, NULL));
    if (change == JSNI_INIT_SAME)
        return JSN_OK;
    (void)snprintf(seen->init_network, sizeof seen->init_network, "%s", kept->network);
    seen->init_size = (size_t)kept->image_size;
    for (int earlier = 0; earlier < 2 && !*found; earlier++) {
        jsni_look look = *seen;
        look.earlier = earlier;
        jsn_train_config_release(was);
        JSNI_TRY(jsni_config_copy(was, c));
        if (jsni_finetune_open(was) && kept->finetune != NULL)
            JSNI_TRY(jsn_train_config_set(was, "finetune", kept->finetune));
        JSNI_TRY(jsni_choose_rest(was, p, &look, NULL));
        if (isnan(was->scaled_decode))
            was->scaled_decode = 0.0;
        JSNI_TRY(jsni_run_begun_with(was, found));
        if (*found)
            JSNI_TRY(jsni_init_kept(folder, was, found));
    }
    return JSN_OK;
}

static jsn_status adopt_from(jsn_train_config *c, const jsni_problem *p,
                             const char *folder, jsni_look *seen,
                             const jsn_logger *logger, bool *found)
{
    jsn_train_config kept, was;
    jsni_look look = *seen;
    jsn_train_config_clear(&kept);
    jsn_train_config_clear(&was);
    jsn_status status = jsni_run_config_read(folder, &kept);
    if (status == JSN_OK && kept.network != NULL &&
        kept.image_size != JSN_OPTION_INT_UNSET)
        status = look_into(c, p, folder, &kept, &look, &was, found);
    if (status == JSN_OK && *found) {
        *seen = look;
        if (jsni_finetune_open(c) && was.finetune != NULL)
            status = jsn_train_config_set(c, "finetune", was.finetune);
        jsni_say(logger, JSN_LOG_INFO, "init: %s%s%s (as this run began)", c->init,
                 was.finetune == NULL ? "" : ", finetune: ",
                 was.finetune == NULL ? "" : was.finetune);
    }
    jsn_train_config_release(&was);
    jsn_train_config_release(&kept);
    /* What cannot be read is not the run that is looked for. */
    return *found || status == JSN_ERR_MEMORY ? status : JSN_OK;
}

/* A run that this command began with weights that --init no longer leads to goes on as it
 * began. Without --out its folder is one of those in runs/. */
static jsn_status adopt(jsn_train_config *c, const jsni_problem *p, jsni_look *seen,
                        const jsn_logger *logger, bool *found)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    bool there = false;
    *found = false;
    if (c->init == NULL || strcmp(c->init, "none") == 0)
        return JSN_OK;
    if (c->out != NULL)
        return adopt_from(c, p, c->out, seen, logger, found);
    JSNI_TRY(jsni_folder_find(NULL, JSNI_RUNS, &there));
    if (there)
        JSNI_TRY(jsni_folder_list(JSNI_RUNS, &entries, &count));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && !*found && i < count; i++) {
        if (!entries[i].folder || entries[i].lost)
            continue;
        char *folder = jsni_path_join(JSNI_RUNS, entries[i].name);
        status = folder == NULL ? JSN_ERR_MEMORY
                                : adopt_from(c, p, folder, seen, logger, found);
        jsni_free(folder);
    }
    jsni_folder_free(entries, count);
    return status;
}

/* The weights of a run that this command began stay, whatever has come into the cache since,
 * or gone from it. */
jsn_status jsni_choose_begun(jsn_train_config *c, const jsni_problem *p,
                             jsni_look *seen, const jsn_logger *logger)
{
    const jsni_suitable *with = NULL;
    jsni_begun begun = JSNI_BEGUN_NOT;
    bool there = false;
    JSNI_TRY(adopt(c, p, seen, logger, &there));
    if (there)
        return JSN_OK;
    if (jsni_weights_wanted(c, seen)) {
        jsni_look earlier = *seen;
        earlier.earlier = true;
        for (size_t i = 0;
             !there && (with = jsni_weights_suitable(seen->gpu, i)) != NULL; i++)
            JSNI_TRY(begun_from(c, p, *seen, with, &there));
        begun = there ? JSNI_BEGUN_WITH : JSNI_BEGUN_NOT;
        if (!there)
            JSNI_TRY(begun_from(c, p, *seen, NULL, &there));
        if (!there)
            JSNI_TRY(begun_from(c, p, earlier, NULL, &there));
        if (there && begun == JSNI_BEGUN_NOT)
            begun = JSNI_BEGUN_WITHOUT;
    }
    return jsni_choose_weights(c, seen, begun, with, logger);
}
