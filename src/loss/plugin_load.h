/* loss/plugin_load.h - losses that jsn_loss_load() has added to those of the table. */
#ifndef JSNI_LOSS_PLUGIN_LOAD_H
#define JSNI_LOSS_PLUGIN_LOAD_H

#include "loss/loss_impl.h"

enum { JSNI_LOSS_MAX_PLUGINS = 8 };

/* The loss at `index`, NULL behind the last. Its row is JSNI_LOSS_TOTAL + index. */
const jsni_loss_def *jsni_loss_plugin_at(size_t index);

/* Of the file that evaluates row `row`; NULL: jensen itself. */
const char *jsni_loss_plugin_sha256(size_t row);

/* Its path; NULL as well. */
const char *jsni_loss_plugin_file(size_t row);

#endif /* JSNI_LOSS_PLUGIN_LOAD_H */
