/* loss/plugin.h - what a loss that is built outside of jensen includes, instead of
 * loss/row.h. Such a file is written as those in src/loss/ are and ends in the same
 * JSNI_LOSS_DEFINE(); compiled to a shared object, `jensen train --plugin FILE.so` and
 * jsn_loss_load() take it. 'jensen plugin new NAME' writes one to start from.
 *
 * The arithmetic is that of the definition, in double. There is one loss a file, its
 * parameters are the constants of the row in their order, and prepare is NULL.
 */
#ifndef JSNI_LOSS_PLUGIN_H
#define JSNI_LOSS_PLUGIN_H

#ifndef JSNI_LEVEL_DOUBLE
#define JSNI_LEVEL_DOUBLE
#endif
#define JSNI_PLUGIN
#define JSNI_KERNEL_HEADER "loss/plugin_define.h"
#include "loss/row.h"

#endif /* JSNI_LOSS_PLUGIN_H */
