/* cli/cli_study.h - what the commands about studies share: where the store is, workers
 * in this process or in several, option tables put together. */
#ifndef JENSEN_CLI_STUDY_H
#define JENSEN_CLI_STUDY_H

#include <stdint.h>

#include "cli/cli.h"
#include "jensen/sweep.h"

/* --store, else $JENSEN_STORE, else jensen.db in the working folder. */
const char *cli_store_url(const char *given);

/* Options of a worker, for tables: {CLI_WORKER_ROWS(values, field)}. */
typedef struct cli_worker_values {
    char *runs, *device;
    int64_t threads, jobs, retries, most, group;
    double grace, minutes;
} cli_worker_values;

const jsn_option_info *cli_worker_options(size_t *count);

/* Copies rows behind the `used` ones of `out`, their offsets moved by `offset`; rows of a
 * name that is there already, and those named in `without` ("a|b"), are left out. Returns
 * the new number. */
size_t cli_join_options(jsn_option_info *out, size_t used, const jsn_option_info *rows,
                        size_t count, size_t offset, const char *without);

/* Works a study off with v->jobs processes that share the cores, and shows progress.
 * JSN_ERR_STOPPED when the user asked to stop; everything can be continued then. */
jsn_status cli_work(const char *url, const char *study, const cli_worker_values *v,
                    bool wait);

/* The settings of one worker. */
void cli_worker_settings(const cli_worker_values *v, jsn_sweep_worker *out);

#endif /* JENSEN_CLI_STUDY_H */
