/* train/init_kept.c - see init_kept.h. */
#include "train/init_kept.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/progress.h"
#include "store/record_card.h"
#include "store/run_folder.h"
#include "train/head.h"
#include "train/init_weights.h"
#include "train/run_begun.h"
#include "train/stages.h"
#include "weights/weight_cache.h"
#include "weights/weight_record.h"

/* Whether a folder has one of the files that a run goes on from. */
static jsn_status has_any(const char *folder, bool *out)
{
    static const char *const files[] = {JSNI_RUN_CHECKPOINT, JSNI_RUN_PREVIOUS,
                                        JSNI_RUN_MODEL, JSNI_HEAD_BODY};
    *out = false;
    for (size_t i = 0; i < JSNI_COUNT_OF(files) && !*out; i++) {
        const jsn_status status = jsni_file_find(folder, files[i], out);
        if (status != JSN_ERR_DATA) /* whoever opens a link says what is wrong */
            JSNI_TRY(status);
    }
    return JSN_OK;
}

static jsn_status kept_here(const char *folder, const jsn_train_config *config,
                            bool *kept)
{
    JSNI_TRY(jsni_run_begun_in(folder, config, kept));
    return *kept ? has_any(folder, kept) : JSN_OK;
}

static jsn_status kept_in_first(const char *folder, const jsn_train_config *config,
                                bool *kept)
{
    jsn_train_config first;
    JSNI_TRY(jsni_run_begun_in(folder, config, kept));
    if (!*kept)
        return JSN_OK;
    JSNI_TRY(jsni_stages_first_config(&first, config));
    char *inner = jsni_path_join(folder, JSNI_STAGES_FIRST);
    const jsn_status status =
        inner == NULL ? JSN_ERR_MEMORY : kept_here(inner, &first, kept);
    jsni_free(inner);
    jsn_train_config_release(&first);
    return status;
}

static jsn_status kept_by_one(const char *folder, const jsn_train_config *config,
                              bool *kept)
{
    JSNI_TRY(kept_here(folder, config, kept));
    if (*kept || !jsni_stages_two(config))
        return JSN_OK;
    return kept_in_first(folder, config, kept);
}

/* How many members of an ensemble have what they go on from. */
static jsn_status count_kept(const char *folder, const jsn_train_config *config,
                             int64_t *count)
{
    *count = 0;
    for (int64_t m = 1; m <= config->members; m++) {
        char name[32];
        bool kept = false;
        (void)snprintf(name, sizeof name, "member-%lld", (long long)m);
        char *member = jsni_path_join(folder, name);
        const jsn_status status =
            member == NULL ? JSN_ERR_MEMORY : kept_by_one(member, config, &kept);
        jsni_free(member);
        JSNI_TRY(status);
        *count += kept;
    }
    return JSN_OK;
}

jsn_status jsni_init_kept(const char *folder, const jsn_train_config *config,
                          bool *kept)
{
    int64_t count = 0;
    JSNI_TRY(kept_by_one(folder, config, kept));
    if (*kept || config->members <= 1)
        return JSN_OK;
    JSNI_TRY(jsni_run_begun_in(folder, config, kept));
    if (*kept)
        JSNI_TRY(count_kept(folder, config, &count));
    *kept = count > 0;
    return JSN_OK;
}

jsn_status jsni_init_sum(const char *init, char hex[JSNI_SHA256_HEX])
{
    jsn_weights_info info = {0};
    char *path = NULL;
    hex[0] = '\0';
    JSNI_TRY(jsni_weights_folder(init, &path));
    if (path != NULL) {
        const jsn_status status = jsni_weights_read(path, init, &info);
        if (status == JSN_OK)
            (void)snprintf(hex, JSNI_SHA256_HEX, "%s", info.sha256);
        jsn_weights_release(&info);
        jsni_free(path);
        return status;
    }
    JSNI_TRY(jsni_init_path(init, &path));
    const jsn_status status = jsni_weights_sum(path, hex);
    jsni_free(path);
    return status;
}

jsn_status jsni_init_compare(const char *folder, const char *init,
                             jsni_init_change *change, char then[JSNI_SHA256_HEX],
                             char now[JSNI_SHA256_HEX])
{
    char sum[JSNI_SHA256_HEX];
    jsni_model_card card = {0};
    bool there = false;
    /* The run needs neither --init nor the cache, so a fault of these is none of the run's. */
    jsn_status status = jsni_init_sum(init, sum);
    *change = status == JSN_OK ? JSNI_INIT_SAME : JSNI_INIT_GONE;
    if (status != JSN_OK)
        return status == JSN_ERR_MEMORY ? status : JSN_OK;
    status = jsni_model_card_find(&card, folder, &there);
    if (status == JSN_OK && there && card.init_sha256 != NULL &&
        strcmp(card.init_sha256, sum) != 0)
        *change = JSNI_INIT_OTHERS;
    if (*change == JSNI_INIT_OTHERS && then != NULL)
        (void)snprintf(then, JSNI_SHA256_HEX, "%s", card.init_sha256);
    if (*change == JSNI_INIT_OTHERS && now != NULL)
        (void)snprintf(now, JSNI_SHA256_HEX, "%s", sum);
    jsni_model_card_release(&card);
    return status == JSN_ERR_MEMORY ? status : JSN_OK;
}

/* Members that have yet to begin need the weights of the others. */
static jsn_status check_members(const jsn_train_config *config, const char *folder,
                                const char *then, const char *now)
{
    int64_t count = 0;
    bool finished = false;
    if (config->members <= 1)
        return JSN_OK;
    JSNI_TRY(jsni_file_find(folder, JSNI_RUN_RESULT, &finished));
    JSNI_TRY(count_kept(folder, config, &count));
    if (finished || count == config->members)
        return JSN_OK;
    return jsni_fail(
        JSN_ERR_DATA,
        "--init %s: has other weights now (SHA-256 %.8s) than when %s began "
        "(%.8s), and %lld of its %lld members have yet to begin; bring those "
        "back, or choose another --out",
        config->init, now, folder, then, (long long)(config->members - count),
        (long long)config->members);
}

jsn_status jsni_init_tell(const jsn_train_config *config, const char *folder,
                          const jsn_logger *logger)
{
    char then[JSNI_SHA256_HEX] = "", now[JSNI_SHA256_HEX] = "";
    jsni_init_change change = JSNI_INIT_SAME;
    bool kept = false;
    if (config->init == NULL)
        return JSN_OK;
    JSNI_TRY(jsni_init_kept(folder, config, &kept));
    if (!kept)
        return JSN_OK;
    JSNI_TRY(jsni_init_compare(folder, config->init, &change, then, now));
    if (change == JSNI_INIT_GONE)
        jsni_say(logger, JSN_LOG_INFO,
                 "--init %s: is gone, and this run has what it needs of it",
                 config->init);
    if (change != JSNI_INIT_OTHERS)
        return JSN_OK;
    JSNI_TRY(check_members(config, folder, then, now));
    jsni_say(
        logger, JSN_LOG_WARNING,
        "--init %s: has other weights now (SHA-256 %.8s); this run keeps those that "
        "it began with (%.8s)",
        config->init, now, then);
    return JSN_OK;
}
