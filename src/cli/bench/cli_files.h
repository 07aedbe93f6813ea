/* cli/bench/cli_files.h - how fast a classifier predicts image files, beside what limits it:
 * the network alone, and reading alone, by the same threads. All three are measured in turn
 * in every round, since machines are not as fast all the time. */
#ifndef JENSEN_CLI_FILES_H
#define JENSEN_CLI_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/classifier.h"
#include "jensen/option.h"

enum { CLI_MOST_ROUNDS = 1000 };

typedef enum cli_files_part {
    CLI_FILES_NETWORK, /* tensors that are in memory */
    CLI_FILES_READING, /* read, decoded, resized, normalised */
    CLI_FILES_WHOLE,   /* as `predict` does it */
    CLI_FILES_PARTS
} cli_files_part;

typedef struct cli_files {
    const char *path; /* an image or a folder of images */
    /* Of the classifier. The batch becomes that of `predict`: at most all images. */
    jsn_classifier_options options;
    size_t rounds; /* timed, after one that is not; 1 .. CLI_MOST_ROUNDS */
    /* filled in: */
    size_t images;                  /* files */
    size_t classes, size;           /* of the network */
    double start;                   /* seconds until the classifier was there */
    double median[CLI_FILES_PARTS]; /* seconds for all images */
    double best[CLI_FILES_PARTS];
    /* Of the rounds: seconds of the slower of network and reading in those of the whole.
     * The median, and where the middle half of them begins and ends. */
    double share, share_low, share_high;
} cli_files;

JSN_MUST_CHECK jsn_status cli_files_run(cli_files *files);

/* Seconds of the slower of network and reading, and of one after the other. */
double cli_files_slower(const cli_files *files);
double cli_files_in_turn(const cli_files *files);

#endif /* JENSEN_CLI_FILES_H */
