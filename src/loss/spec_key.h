/* loss/spec_key.h - which specs are one loss: "gjs", "gjs:pi1=0.5" and "gjs:pi1=.50". */
#ifndef JSNI_LOSS_SPEC_KEY_H
#define JSNI_LOSS_SPEC_KEY_H

#include "core/text.h"
#include "jensen/status.h"

/* Appends a text that specs of one loss share, and no others. A spec that is none, or of a
 * plugin that is not loaded, is its own key. JSN_ERR_MEMORY. */
JSN_MUST_CHECK jsn_status jsni_loss_key(const char *spec, jsni_text *key);

#endif /* JSNI_LOSS_SPEC_KEY_H */
