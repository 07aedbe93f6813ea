/* cli/cli_study.h - what the commands about studies share: where the store is, workers
 * in this process or in several, option tables put together. */
#ifndef JENSEN_CLI_STUDY_H
#define JENSEN_CLI_STUDY_H

#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"
#include "jensen/sweep.h"

/* --store, else $JENSEN_STORE, else jensen.db in the working folder. */
const char *cli_store_url(const char *given);

/* The row of --store in a table of options, for a struct `values` with that field. `what`
 * is the beginning of its help. */
#define CLI_STORE_ROW(values, what)                                   \
    {                                                                 \
        "store", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "URL",         \
            what "; default $JENSEN_STORE, else sqlite:///jensen.db", \
            offsetof(values, store)                                   \
    }

/* Options of a worker. */
typedef struct cli_worker_values {
    char *runs, *device;
    int64_t threads, jobs, retries, most, group;
    double grace, minutes;
} cli_worker_values;

const jsn_option_info *cli_worker_options(size_t *count);

/* Rows that a command's table takes over: `rows`, or what `from` returns. */
typedef struct cli_option_part {
    const jsn_option_info *rows; /* [count] */
    size_t count;
    const jsn_option_info *(*from)(size_t *count);
    size_t offset;       /* of the struct they fill in among the command's values */
    const char *without; /* names to leave out, "a|b", or NULL */
} cli_option_part;

/* A table made of parts; starts as zero. */
typedef struct cli_option_table {
    jsn_option_info rows[128];
    size_t count;
} cli_option_table;

/* The rows of the parts in their order, put together on the first call. A row of a name
 * that is there already is left out, a letter that is taken is dropped. */
const jsn_option_info *cli_join_options(cli_option_table *table,
                                        const cli_option_part *parts, size_t part_count,
                                        size_t *count);

/* Gives options that nobody set their initial values, but for those of the
 * jsn_train_config at offset `base` of `values`, which stay open for recipes and data. */
jsn_status cli_fill_options(const jsn_option_info *rows, size_t count, void *values,
                            size_t base);

/* Whether the data of a configuration can be opened, before anything is stored of it: a slip
 * in a path would take up the name of a study. The statuses of jsn_dataset_open(). */
jsn_status cli_check_data(const jsn_train_config *base);

/* What a preset takes from the paper unless it is given. */
jsn_status cli_fill_preset(jsn_sweep_plan *plan, jsn_train_config *base);

/* Works a study off with v->jobs processes that share the cores, and shows progress.
 * JSN_ERR_STOPPED when the user asked to stop; everything can be continued then. */
jsn_status cli_work(const char *url, const char *study, const cli_worker_values *v,
                    bool wait);

/* A word of a command line for the shell, between single quotes where it needs them. */
void cli_put_word(FILE *file, const char *text);

/* Writes the page of a run that has ended; see jsn_sweep_worker.ended. */
void cli_write_page(const char *run, void *user);

#endif /* JENSEN_CLI_STUDY_H */
