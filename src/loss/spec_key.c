/* loss/spec_key.c - see spec_key.h. What a spec leaves out has its initial value in the constants
 * that the loss is evaluated with, so that these are the key. */
#include "loss/loss_impl.h"
#include "loss/spec_key.h"

static void add_term(jsni_text *key, const jsni_loss_term *term)
{
    const jsni_loss_setup *setup = &term->setup;
    size_t constants = JSNI_LOSS_CONSTANTS;
    while (constants > 0 && setup->constant[constants - 1] == 0.0)
        constants--;
    jsni_text_format(key, "+%.17g*%s#%zu,%zu,%.17g", term->weight, term->def->info.name,
                     term->index, setup->views_wanted, setup->outer);
    for (size_t i = 0; i < constants; i++)
        jsni_text_format(key, ",%.17g", setup->constant[i]);
    if (setup->matrix != NULL) {
        jsni_text_add(key, ",matrix=");
        jsni_text_add_n(key, setup->matrix, setup->matrix_length);
    }
}

jsn_status jsni_loss_key(const char *spec, jsni_text *key)
{
    jsni_loss_term terms[JSNI_LOSS_MAX_TERMS];
    jsni_loss_clip clip;
    size_t count = 0;
    if (jsni_loss_read_spec(spec, 0, terms, &count, &clip) != JSN_OK) {
        jsni_text_add(key, spec);
        return key->status;
    }
    if (clip.tau > 0.0)
        jsni_text_format(key, "clip,%.17g,%.17g", clip.tau, clip.power);
    for (size_t i = 0; i < count; i++)
        add_term(key, &terms[i]);
    return key->status;
}
