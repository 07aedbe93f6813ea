/* cli/bench/cli_step.h - times training steps on data that is already on the device; what
 * `bench step` prints and `bench epoch` compares with. And what `bench predict` needs, too. */
#ifndef JENSEN_CLI_STEP_H
#define JENSEN_CLI_STEP_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/model.h"
#include "jensen/status.h"

enum { CLI_MOST_STEPS = 1000 };

typedef struct cli_step {
    const char *loss; /* spec */
    size_t views;
    size_t steps; /* timed, after one that is not; 1 .. CLI_MOST_STEPS */
    jsn_model_options options;
    jsn_model
        *model;   /* made by cli_step_run(), also on failure; the caller destroys it */
    double first; /* seconds from the start to the end of a first step */
    double median, best;
    double processor; /* seconds of all threads, a timed step */
    double first_end; /* cli_seconds() at the end of the first step */
    double value;     /* loss of the last step */
    double peak_mib;  /* after the last step */
} cli_step;

jsn_status cli_step_run(cli_step *c);

/* Starts options: the network, its classes, images of `size` x `size` (0: what the
 * network is made for). JSN_ERR_UNKNOWN_NAME */
jsn_status cli_step_options(jsn_model_options *options, const char *network,
                            int64_t classes, int64_t size);

/* Normalised images that are not all alike. */
void cli_step_fill(float *images, size_t count);

/* Bytes that a model was made with. */
size_t cli_step_planned(const jsn_model_info *m);

#endif /* JENSEN_CLI_STEP_H */
