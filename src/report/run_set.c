/* report/run_set.c - see run_set.h. */
#include "report/run_set.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/number.h"
#include "core/text.h"
#include "report/run_spelling.h"
#include "store/run_repeat.h"

/* Whether what `a` sets is the same in `b`. */
static bool settings_in(const jsni_run_record *a, const jsni_run_record *b)
{
    for (size_t i = 0; i < a->setting_count; i++) {
        const char *name = a->settings[i].name;
        if (jsni_run_setting_tells_apart(name) &&
            strcmp(a->settings[i].value, jsni_run_record_setting(b, name)) != 0)
            return false;
    }
    return true;
}

static bool same_settings(const jsni_run_record *a, const jsni_run_record *b)
{
    return settings_in(a, b) && settings_in(b, a);
}

int jsni_run_set_differs(const jsni_run_set *set, const char *setting)
{
    if (jsni_run_setting_is_manner(setting))
        return 0;
    for (size_t i = 1; i < set->count; i++)
        if (strcmp(jsni_run_record_setting(&set->runs[0], setting),
                   jsni_run_record_setting(&set->runs[i], setting)) != 0)
            return 1;
    return 0;
}

bool jsni_run_unfinished(const jsni_run_record *run, char *out, size_t room)
{
    size_t done = run->epochs;
    (void)snprintf(out, room, "%s", "");
    if (run->finished)
        return false;
    for (size_t m = 0; m < run->member_count; m++)
        done = m == 0 || run->members[m].epochs < done ? run->members[m].epochs : done;
    const char *epochs = jsni_run_record_setting(run, "epochs");
    (void)snprintf(out, room, "epoch %zu%s%s, unfinished", done,
                   epochs[0] != '\0' ? " of " : "", epochs);
    return true;
}

size_t jsni_run_set_unfinished(const jsni_run_set *set, size_t group)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++)
        count += !set->runs[i].finished && jsni_run_set_counts(set, i) &&
                 (group >= set->groups || set->group[i] == group);
    return count;
}

static size_t first_number(const jsni_run_set *set, size_t group)
{
    size_t i = 0;
    while (i < set->count && set->group[i] != group)
        i++;
    return i;
}

const jsni_run_record *jsni_run_set_first(const jsni_run_set *set, size_t group)
{
    const size_t i = first_number(set, group);
    return i < set->count ? &set->runs[i] : NULL;
}

static void find_groups(jsni_run_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        size_t same = 0;
        while (same < i && !same_settings(&set->runs[same], &set->runs[i]))
            same++;
        set->group[i] = same < i ? set->group[same] : set->groups++;
    }
}

/* The loss, and every other setting in which the runs differ. */
static jsn_status make_label(const jsni_run_set *set, const jsni_run_record *run,
                             char **out)
{
    jsni_text text = {0};
    const char *loss = jsni_run_record_setting(run, "loss");
    jsni_text_add(&text, loss[0] != '\0' ? loss : run->name);
    for (size_t i = 0; i < run->setting_count; i++) {
        const char *name = run->settings[i].name;
        /* The views follow from the loss. */
        if (!jsni_run_setting_tells_apart(name) || strcmp(name, "loss") == 0 ||
            strcmp(name, "views") == 0 || !jsni_run_set_differs(set, name))
            continue;
        if (strcmp(name, "noise") == 0 || strcmp(name, "data") == 0)
            jsni_text_format(&text, ", %s", run->settings[i].value);
        else
            jsni_text_format(&text, ", %s %s", name, run->settings[i].value);
    }
    return jsni_text_take(&text, out);
}

/* When the last epoch ended; that of the last member of an ensemble. */
static double time_of(const jsni_run_record *run)
{
    double time = 0.0;
    for (size_t m = 0; m < run->member_count; m++)
        time = fmax(time, time_of(&run->members[m]));
    if (run->epochs > 0)
        time = fmax(time, run->rows[run->epochs - 1].time);
    return time;
}

static jsn_status find_repeats(jsni_run_set *set)
{
    jsni_text text = {0};
    jsni_run_identity *list = jsni_alloc(set->count, sizeof *list);
    JSNI_TRY_ALLOC(list);
    for (size_t i = 0; i < set->count; i++) {
        const char *seed = jsni_run_record_setting(&set->runs[i], "seed");
        list[i] = (jsni_run_identity){set->group[i], seed[0] == '\0' ? NULL : seed,
                                      set->runs[i].finished, time_of(&set->runs[i])};
    }
    jsni_run_repeats(list, set->count, set->counted);
    jsni_free(list);
    for (size_t i = 0; i < set->count; i++)
        if (!jsni_run_set_counts(set, i))
            jsni_text_format(&text, "%s%s repeats %s", text.length > 0 ? ", " : "",
                             set->runs[i].path, set->runs[set->counted[i]].path);
    if (text.length == 0)
        return text.status;
    jsni_text_add(&text, ": the same settings and seed count once.");
    return jsni_text_take(&text, &set->repeats);
}

static jsn_status change_setting(jsni_run_record *run, const char *name,
                                 const char *value)
{
    for (size_t i = 0; i < run->setting_count; i++)
        if (strcmp(run->settings[i].name, name) == 0) {
            char *copy = jsni_text_copy(value);
            JSNI_TRY_ALLOC(copy);
            jsni_free(run->settings[i].value);
            run->settings[i].value = copy;
        }
    return JSN_OK;
}

/* A member of an ensemble has the settings of all of it. Among other runs it is a run of
 * one network, and the first one that of the ensemble's seed; the others share its labels
 * and its validation part, so that they are no runs of the seeds that follow. */
static jsn_status settle_member(jsni_run_record *run)
{
    static const char prefix[] = "member-";
    int64_t members = 0, number = 0;
    const char *all = jsni_run_record_setting(run, "members");
    const char *name = run->name + sizeof prefix - 1;
    if (run->member_count > 0 || strncmp(run->name, prefix, sizeof prefix - 1) != 0 ||
        !jsni_number_int(all, strlen(all), &members) || members < 2 ||
        !jsni_number_int(name, strlen(name), &number))
        return JSN_OK;
    JSNI_TRY(change_setting(run, "members", "1"));
    char seed[96];
    (void)snprintf(seed, sizeof seed, "%.40s, %.40s",
                   jsni_run_record_setting(run, "seed"), run->name);
    return number == 1 ? JSN_OK : change_setting(run, "seed", seed);
}

static bool same_setting(const jsni_run_record *a, const jsni_run_record *b,
                         const char *name)
{
    return strcmp(jsni_run_record_setting(a, name), jsni_run_record_setting(b, name)) ==
           0;
}

/* Whether both marks are known, and not the same. */
static bool other_mark(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) != 0;
}

/* Whether data of one name had changed between two runs. Its digest covers the labels as
 * trained on, and so can be compared where these follow from the same options. */
static bool data_changed(const jsni_run_record *a, const jsni_run_record *b)
{
    static const char *const names[] = {"data",         "val",        "test",
                                        "val-fraction", "seed",       "subset",
                                        "noise",        "val-labels", "labels"};
    enum { SOURCES = 3 };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!same_setting(a, b, names[i]))
            return i >= SOURCES && other_mark(a->result.data_text, b->result.data_text);
    return other_mark(a->result.data, b->result.data) ||
           other_mark(a->result.data_text, b->result.data_text);
}

/* Where the test images come from. */
static const char *test_source(const jsni_run_set *set, size_t i)
{
    const char *test = jsni_run_record_setting(&set->runs[i], "test");
    return test[0] != '\0' ? test : set->data[i];
}

/* Whether two runs were tested on the same images with the same true classes, as far as
 * they tell. What they trained on may differ. */
static bool same_test(const jsni_run_set *set, size_t i, size_t j)
{
    const jsni_run_record *a = &set->runs[i], *b = &set->runs[j];
    if (strcmp(test_source(set, i), test_source(set, j)) != 0 ||
        other_mark(a->result.test_images, b->result.test_images))
        return false;
    const jsni_record_part *x = &a->evaluation.test, *y = &b->evaluation.test;
    return !x->known || !y->known || x->samples < 0 || y->samples < 0 ||
           x->samples == y->samples;
}

/* Runs on data that has changed since are no repeats of those before: its name says so. */
static jsn_status name_changed_data(jsni_run_set *set)
{
    size_t *state = jsni_alloc_zero(set->count, sizeof *state);
    JSNI_TRY_ALLOC(state);
    for (size_t i = 1; i < set->count; i++)
        for (size_t k = 0; k < i; k++)
            if (state[k] == state[i] && data_changed(&set->runs[k], &set->runs[i])) {
                state[i]++;
                k = SIZE_MAX; /* from the first one again */
            }
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < set->count; i++) {
        jsni_text text = {0};
        char *name = NULL;
        if (state[i] == 0)
            continue;
        jsni_text_format(&text, "%s (changed",
                         jsni_run_record_setting(&set->runs[i], "data"));
        if (state[i] > 1)
            jsni_text_format(&text, " %zu times", state[i]);
        jsni_text_add(&text, ")");
        status = jsni_text_take(&text, &name);
        if (status == JSN_OK)
            status = change_setting(&set->runs[i], "data", name);
        jsni_free(name);
    }
    jsni_free(state);
    return status;
}

bool jsni_run_set_left_out(const jsni_run_set *set, size_t run)
{
    if (set->runs[run].finished)
        return false;
    for (size_t i = 0; i < set->count; i++)
        if (set->group[i] == set->group[run] && jsni_run_set_counts(set, i) &&
            set->runs[i].finished)
            return true;
    return false;
}

void jsni_run_set_contend(const jsni_run_set *set, const char *key, double scale,
                          jsni_contender *groups, double *values)
{
    for (size_t g = 0; g < set->groups; g++) {
        size_t count = 0;
        for (size_t i = 0; i < set->count; i++) {
            if (set->group[i] != g || !jsni_run_set_counts(set, i) ||
                jsni_run_set_left_out(set, i))
                continue;
            const double value = scale * jsni_run_record_result(&set->runs[i], key);
            if (!isnan(value))
                values[count++] = value;
        }
        groups[g] =
            (jsni_contender){values, count, jsni_run_set_unfinished(set, g) > 0};
        values += count;
    }
}

/* The noise that was made for the run; labels that somebody has, the data's or those of a
 * file, are none of that. */
static const char *made_noise(const jsni_run_record *run)
{
    const char *noise = jsni_run_record_setting(run, "noise");
    return strncmp(noise, "file:", 5) == 0 ? "none" : noise;
}

bool jsni_run_set_same_problem(const void *set, size_t g, size_t h)
{
    return strcmp(made_noise(jsni_run_set_first(set, g)),
                  made_noise(jsni_run_set_first(set, h))) == 0 &&
           same_test(set, first_number(set, g), first_number(set, h));
}

bool jsni_run_set_same_labels(const void *set, size_t g, size_t h)
{
    static const char *const names[] = {"data", "noise", "labels"};
    for (size_t i = 0; i < JSNI_COUNT_OF(names); i++)
        if (!same_setting(jsni_run_set_first(set, g), jsni_run_set_first(set, h),
                          names[i]))
            return false;
    return jsni_run_set_same_problem(set, g, h);
}

static jsn_status arrange(jsni_run_set *set)
{
    const size_t count = set->count;
    JSNI_TRY_ALLOC(set->labels = jsni_alloc_zero(count, sizeof *set->labels));
    JSNI_TRY_ALLOC(set->data = jsni_alloc_zero(count, sizeof *set->data));
    JSNI_TRY_ALLOC(set->group = jsni_alloc_zero(count, sizeof *set->group));
    JSNI_TRY_ALLOC(set->counted = jsni_alloc_zero(count, sizeof *set->counted));
    for (size_t i = 0; i < count; i++)
        JSNI_TRY_ALLOC(set->data[i] = jsni_text_copy(
                           jsni_run_record_setting(&set->runs[i], "data")));
    JSNI_TRY(name_changed_data(set));
    JSNI_TRY(jsni_run_spell_losses(set->runs, count));
    find_groups(set);
    JSNI_TRY(find_repeats(set));
    for (size_t i = 0; i < count; i++)
        JSNI_TRY(make_label(set, &set->runs[i], &set->labels[i]));
    return JSN_OK;
}

jsn_status jsni_run_set_make(jsni_run_set *set, jsni_run_record *runs, size_t count)
{
    *set = (jsni_run_set){.runs = runs, .count = count};
    const jsn_status status = arrange(set);
    if (status != JSN_OK)
        jsni_run_set_release(set);
    return status;
}

jsn_status jsni_run_set_read(jsni_run_set *set, const char *const *runs, size_t count)
{
    *set = (jsni_run_set){0};
    if (count == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "no run folder is named");
    jsni_run_record *read = jsni_alloc_zero(count, sizeof *read);
    JSNI_TRY_ALLOC(read);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        status = jsni_run_record_read(&read[i], runs[i]);
        if (status == JSN_OK && count > 1)
            status = settle_member(&read[i]);
    }
    if (status == JSN_OK)
        return jsni_run_set_make(set, read, count);
    for (size_t i = 0; i < count; i++)
        jsni_run_record_release(&read[i]);
    jsni_free(read);
    return status;
}

void jsni_run_set_release(jsni_run_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        jsni_run_record_release(&set->runs[i]);
        if (set->labels != NULL)
            jsni_free(set->labels[i]);
        if (set->data != NULL)
            jsni_free(set->data[i]);
    }
    jsni_free(set->runs);
    jsni_free(set->labels);
    jsni_free(set->data);
    jsni_free(set->group);
    jsni_free(set->counted);
    jsni_free(set->repeats);
    *set = (jsni_run_set){0};
}
