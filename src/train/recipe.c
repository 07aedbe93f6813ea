/* train/recipe.c - see jensen/recipe.h. Count, lookup by number and lookup by name are
 * three visitors of one walk. */
#include "jensen/recipe.h"

#include <stdbool.h>
#include <string.h>

#include "core/fail.h"
#include "core/names.h"
#include "train/recipe_families.h"
#include "train/recipe_find.h"

static bool count_one(const jsn_recipe *recipe, void *user)
{
    (void)recipe;
    ++*(size_t *)user;
    return false;
}

size_t jsni_recipe_count(void)
{
    size_t count = 0;
    jsni_recipe_walk(count_one, &count);
    return count;
}

typedef struct search {
    size_t left;      /* recipes to skip */
    const char *name; /* or NULL: by number */
    jsn_recipe *out;
    bool found;
} search;

static bool match(const jsn_recipe *recipe, void *user)
{
    search *s = user;
    s->found = s->name == NULL ? s->left-- == 0 : strcmp(recipe->name, s->name) == 0;
    if (s->found)
        *s->out = *recipe;
    return s->found;
}

static bool offer(const jsn_recipe *recipe, void *user)
{
    jsni_names_add(user, recipe->name);
    return false;
}

jsn_status jsn_recipe_at(size_t index, jsn_recipe *out)
{
    JSNI_NEED(out);
    search s = {index, NULL, out, false};
    jsni_recipe_walk(match, &s);
    return s.found ? JSN_OK
                   : jsni_fail(JSN_ERR_RANGE, "recipe %zu of %zu", index,
                               jsni_recipe_count());
}

jsn_status jsni_recipe_find(const char *name, jsn_recipe *out)
{
    JSNI_NEED(name);
    JSNI_NEED(out);
    search s = {0, name, out, false};
    jsni_recipe_walk(match, &s);
    if (s.found)
        return JSN_OK;
    jsni_names names;
    jsni_names_begin(&names, name, "'jensen show recipes'");
    jsni_recipe_walk(offer, &names);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no recipe '%s'", name);
}

const char *jsn_recipe_value(const jsn_recipe *recipe, const char *option)
{
    if (recipe == NULL || option == NULL)
        return NULL;
    for (size_t i = 0; i < recipe->option_count; i++)
        if (strcmp(recipe->options[i].name, option) == 0)
            return recipe->options[i].value;
    return NULL;
}
