/* train/run_plugin.h - runs whose loss comes from a plugin (jsn_loss_load()). */
#ifndef JSNI_TRAIN_RUN_PLUGIN_H
#define JSNI_TRAIN_RUN_PLUGIN_H

#include "jensen/train.h"

/* Whether the losses of a run are here: the options that are stored with it have the
 * SHA-256 of the plugins that they come from, so that it is continued with the same. Fills
 * the option where it is open.
 *   JSN_ERR_ARGUMENT     another plugin than the options say, or none
 *   JSN_ERR_UNSUPPORTED  a plugin, and a GPU without what compiles it */
JSN_MUST_CHECK jsn_status jsni_run_plugins(jsn_train_config *config);

#endif /* JSNI_TRAIN_RUN_PLUGIN_H */
