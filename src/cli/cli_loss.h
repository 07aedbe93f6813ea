/* cli/cli_loss.h - a loss with what its spec names. */
#ifndef JENSEN_CLI_LOSS_H
#define JENSEN_CLI_LOSS_H

#include <stddef.h>

#include "jensen/loss.h"

/* jsn_loss_create(), and the matrix of a spec with matrix=FILE, which is read here. */
jsn_status cli_loss_create(jsn_loss **out, const char *spec, size_t classes,
                           size_t views);

#endif /* JENSEN_CLI_LOSS_H */
