/* report/run_spelling.c - see run_spelling.h. */
#include "report/run_spelling.h"

#include <string.h>

#include "core/alloc.h"
#include "core/hd.h"
#include "core/text.h"
#include "loss/spec_key.h"

/* A text that stands for a loss somewhere among the runs. */
typedef struct spelling {
    const char *text; /* borrowed from the first run that has it */
    char *key;        /* owned */
    const char *best; /* the spelling that all of this key get */
} spelling;

typedef struct spellings {
    spelling *items; /* [room] */
    size_t count;
} spellings;

static char **loss_of(jsni_run_record *run, const char *name)
{
    for (size_t i = 0; i < run->setting_count; i++)
        if (strcmp(run->settings[i].name, name) == 0)
            return &run->settings[i].value;
    return NULL;
}

static spelling *find(const spellings *s, const char *text)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->items[i].text, text) == 0)
            return &s->items[i];
    return NULL;
}

static jsn_status add(spellings *s, const char *text)
{
    jsni_text key = {0};
    if (find(s, text) != NULL)
        return JSN_OK;
    spelling *item = &s->items[s->count++];
    *item = (spelling){.text = text, .best = text};
    const jsn_status status = jsni_loss_key(text, &key);
    if (status == JSN_OK)
        return jsni_text_take(&key, &item->key);
    jsni_text_release(&key);
    return status;
}

/* Whether a spelling says more; of two of one length the first in the alphabet does. */
static bool says_more(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    return n != m ? n > m : strcmp(a, b) < 0;
}

static void choose(spellings *s)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->count; k++)
            if (strcmp(s->items[i].key, s->items[k].key) == 0 &&
                says_more(s->items[k].text, s->items[i].best))
                s->items[i].best = s->items[k].text;
}

/* Every new text is made before the first old one goes: they are borrowed. */
static jsn_status respell(const spellings *s, jsni_run_record *runs, size_t count,
                          const char *name)
{
    char **made = jsni_alloc_zero(count, sizeof *made);
    jsn_status status = made == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        char **loss = loss_of(&runs[i], name);
        const spelling *own = loss == NULL ? NULL : find(s, *loss);
        if (own == NULL || own->best == own->text)
            continue;
        made[i] = jsni_text_copy(own->best);
        status = made[i] == NULL ? JSN_ERR_MEMORY : JSN_OK;
    }
    for (size_t i = 0; made != NULL && i < count; i++) {
        char **loss = loss_of(&runs[i], name);
        if (status == JSN_OK && made[i] != NULL) {
            jsni_free(*loss);
            *loss = made[i];
            made[i] = NULL;
        }
        jsni_free(made[i]);
    }
    jsni_free(made);
    return status;
}

jsn_status jsni_run_spell_losses(jsni_run_record *runs, size_t count)
{
    static const char *const names[] = {"loss", "loss-noisy"};
    jsn_status status = JSN_OK;
    for (size_t n = 0; status == JSN_OK && n < JSNI_COUNT_OF(names); n++) {
        spellings s = {.items = jsni_alloc_zero(count, sizeof *s.items)};
        status = s.items == NULL ? JSN_ERR_MEMORY : JSN_OK;
        for (size_t i = 0; status == JSN_OK && i < count; i++) {
            char **loss = loss_of(&runs[i], names[n]);
            if (loss != NULL)
                status = add(&s, *loss);
        }
        if (status == JSN_OK) {
            choose(&s);
            status = respell(&s, runs, count, names[n]);
        }
        for (size_t i = 0; i < s.count; i++)
            jsni_free(s.items[i].key);
        jsni_free(s.items);
    }
    return status;
}
