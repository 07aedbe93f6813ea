/* augment/pipeline.c - from a spec to stages: names of pipelines are expanded, stages
 * found in their table, the parameters checked; and the recipe of the pipelines that
 * have one. */
#include "augment/pipeline.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/names.h"
#include "core/text.h"

#define ROW(id) &jsni_augment_##id,
static const jsni_stage_def *const table[] = {JSNI_AUGMENT_LIST(ROW)};
#undef ROW

static const jsn_augment_info *find_preset(const char *name)
{
    for (size_t i = 0; i < jsni_preset_count(); i++)
        if (strcmp(jsni_preset_at(i)->name, name) == 0)
            return jsni_preset_at(i);
    return NULL;
}

static const jsni_stage_def *find_stage(const char *spec)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (jsni_spec_names(spec, table[i]->info.name))
            return table[i];
    return NULL;
}

static jsn_status unknown_stage(const char *spec)
{
    jsni_names names;
    jsni_names_begin(&names, spec, NULL);
    for (size_t i = 0; i < jsni_preset_count(); i++)
        jsni_names_add(&names, jsni_preset_at(i)->name);
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        jsni_names_add(&names, table[i]->info.name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME,
                           "augment: no pipeline or stage '%s'", names.word);
}

/* The number of the word text[0..length) in "a|b|c". */
static jsn_status find_choice(const char *spec, const char *choices, const char *text,
                              size_t length, double *out)
{
    const char *at = choices;
    for (int i = 0;; i++) {
        const size_t n = strcspn(at, "|");
        if (n == length && memcmp(at, text, n) == 0) {
            *out = i;
            return JSN_OK;
        }
        if (at[n] == '\0')
            return jsni_fail(JSN_ERR_ARGUMENT, "'%s': '%.*s' is none of %s", spec,
                             (int)length, text, choices);
        at += n + 1;
    }
}

static jsn_status read_params(jsni_stage *stage, const char *spec)
{
    const jsn_augment_info *info = &stage->def->info;
    jsni_spec_value value[JSNI_STAGE_MAX_PARAMS];
    JSNI_TRY(jsni_spec_values(spec, info->params, info->param_count, value));
    for (size_t i = 0; i < info->param_count; i++) {
        stage->param[i] = value[i].real;
        if (info->params[i].kind == JSN_PARAM_TEXT && value[i].given)
            JSNI_TRY(find_choice(spec, stage->def->choices, value[i].text,
                                 value[i].length, &stage->param[i]));
    }
    return JSN_OK;
}

/* One stage at the end of the pipeline; `spec` has no '+'. */
static jsn_status add_stage(jsn_augment *pipeline, const char *spec, jsni_text *text)
{
    const jsni_stage_def *def = find_stage(spec);
    if (def == NULL)
        return unknown_stage(spec);
    if (pipeline->count == JSNI_AUGMENT_MAX_STAGES)
        return jsni_fail(JSN_ERR_RANGE, "augment: more than %d stages",
                         JSNI_AUGMENT_MAX_STAGES);
    if (pipeline->count > 0 && def != &jsni_augment_cutout &&
        pipeline->stage[pipeline->count - 1].def == &jsni_augment_cutout)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "augment: '%s' after cutout, which must come last", spec);
    jsni_stage *stage = &pipeline->stage[pipeline->count++];
    stage->def = def;
    JSNI_TRY(read_params(stage, spec));
    if (def->prepare != NULL)
        JSNI_TRY(def->prepare(stage, pipeline->width, pipeline->height));
    jsni_text_format(text, "%s%s", text->length == 0 ? "" : "+", spec);
    return JSN_OK;
}

/* Calls add_stage() for every stage of `spec`, which may name pipelines. */
static jsn_status add_list(jsn_augment *pipeline, const char *spec, jsni_text *text,
                           bool presets)
{
    for (const char *at = spec;;) {
        const size_t length = strcspn(at, "+");
        char *one = jsni_text_copy_n(at, length);
        JSNI_TRY_ALLOC(one);
        const jsn_augment_info *preset = presets ? find_preset(one) : NULL;
        jsn_status status = JSN_OK;
        if (preset == NULL)
            status = add_stage(pipeline, one, text);
        else if (preset->stages[0] != '\0')
            status = add_list(pipeline, preset->stages, text, false);
        jsni_free(one);
        if (status != JSN_OK || at[length] == '\0')
            return status;
        at += length + 1;
    }
}

/* The recipe: each kind at most once, in the order of the draws in draw.h. */
static void make_recipe(jsn_augment *pipeline)
{
    static const jsni_stage_def *const order[] = {
        &jsni_augment_randaugment, &jsni_augment_crop, &jsni_augment_flip,
        &jsni_augment_cutout};
    jsni_recipe *r = &pipeline->recipe;
    r->height = (uint32_t)pipeline->height;
    r->width = (uint32_t)pipeline->width;
    size_t next = 0;
    for (size_t i = 0; i < pipeline->count; i++) {
        const jsni_stage *stage = &pipeline->stage[i];
        while (next < JSNI_COUNT_OF(order) && order[next] != stage->def)
            next++;
        if (next == JSNI_COUNT_OF(order))
            return;
        const uint32_t first = (uint32_t)stage->param[0];
        if (next == 0) {
            r->ops = first;
            memcpy(r->op, stage->op, sizeof r->op);
        } else if (next == 1) {
            r->crop = 1;
            r->pad = first;
        } else if (next == 2) {
            r->flip = 1;
        } else {
            r->cutout = first;
        }
        next++;
    }
    for (int kind = 0; r->ops > 0 && kind < JSNI_PIXEL_DRAWN; kind++)
        for (int sign = 0; sign < 2; sign++)
            if (!jsni_pixel_op_is_plain(&r->op[kind][sign], r->width, r->height))
                return;
    pipeline->has_recipe = true;
}

jsn_status jsni_pipeline_parse(jsn_augment *pipeline, const char *spec)
{
    jsni_text text = {0};
    const jsn_status status = add_list(pipeline, spec, &text, true);
    if (status != JSN_OK) {
        jsni_text_release(&text);
        return status;
    }
    JSNI_TRY(jsni_text_take(&text, &pipeline->text));
    make_recipe(pipeline);
    return JSN_OK;
}

/* What evaluation keeps of stage `one`, appended to `text`. */
static void evaluate_stage(const jsni_stage_def *def, const char *one, size_t length,
                           jsni_text *text)
{
    if (def->evaluation == NULL)
        return;
    if (text->length > 0)
        jsni_text_add(text, "+");
    if (strcmp(def->evaluation, "=") == 0)
        jsni_text_add_n(text, one, length);
    else
        jsni_text_add(text, def->evaluation);
}

jsn_status jsn_augment_evaluation(const char *spec, char **out)
{
    if (spec == NULL || out == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "augment: NULL argument");
    *out = NULL;
    const float mean[3] = {0, 0, 0}, std[3] = {1, 1, 1};
    jsn_augment *pipeline = NULL;
    /* A size that every stage accepts; the stages are what is wanted. */
    JSNI_TRY(jsn_augment_create(&pipeline, spec, 32, 32, mean, std));
    jsni_text text = {0};
    bool resized = false, cropped = false;
    const char *at = pipeline->text;
    for (size_t i = 0; i < pipeline->count; i++) {
        const size_t length = strcspn(at, "+");
        const jsni_stage_def *def = pipeline->stage[i].def;
        evaluate_stage(def, at, length, &text);
        resized = resized || def == &jsni_augment_resize;
        cropped = cropped || (def->evaluation != NULL && def != &jsni_augment_resize);
        at += length + (at[length] == '+');
    }
    if (resized && !cropped)
        jsni_text_add(&text, "+centercrop");
    if (text.length == 0)
        jsni_text_add(&text, "none");
    jsn_augment_destroy(pipeline);
    return jsni_text_take(&text, out);
}

const jsn_augment_info *jsn_augment_describe(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? &table[index]->info
                                        : jsni_preset_at(index - JSNI_COUNT_OF(table));
}
