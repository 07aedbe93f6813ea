/* cli/cli.h - what a command file of the program implements.
 *
 * A command is one file, command_<name>.c, with an option table and a function, and
 * one row in command_list.h. main.c parses the options by the table, prints --help
 * from it, and turns a jsn_status into the exit code. Commands use the public headers
 * of the library, as any other program would, and of core/ the helpers that tests/tree
 * names: JSON, options, texts, words.
 */
#ifndef JENSEN_CLI_H
#define JENSEN_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli_print.h"
#include "jensen/catalog.h"
#include "jensen/log.h"
#include "jensen/option.h"
#include "jensen/status.h"

/* Exit codes beyond those that a status maps to. */
enum {
    CLI_DONE = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_BAD_DATA = 3,
    CLI_NO_DEVICE = 4,
    CLI_NETWORK = 5,
    CLI_STOPPED = 75,
    CLI_INTERRUPTED = 130
};

typedef struct cli_command {
    const char *name;    /* "loss", or two words for a subcommand: "theory bounds" */
    const char *summary; /* one line */
    const char *usage;   /* the positional part: "SPEC", "DATA [OPTIONS]" */
    const char *details; /* further help text, or NULL */
    const jsn_option_info *options;
    size_t option_count;
    /* Instead of the two above, for a table that the library owns; else NULL. */
    const jsn_option_info *(*library_options)(size_t *count);
    /* The option whose value is a name of a table, which help and completion list; or NULL. */
    const char *named;
    jsn_catalog names;
    size_t values_size; /* of the struct that the options fill */
    /* Returns JSN_OK or the failure, whose sentence main.c prints. `values` is the
     * filled struct; `args` are the positional words. */
    jsn_status (*run)(void *values, const jsn_texts *args);
    /* Leave options that the command line does not name unset, because the command
     * fills them from recipes, files or data before their initial values. */
    bool deferred;
    /* The same command continues what was begun; said to who looks for --resume. */
    bool continues;
} cli_command;

/* The option table of a command, wherever it is. */
const jsn_option_info *cli_command_options(const cli_command *command, size_t *count);

/* JSN_ERR_ARGUMENT with "COMMAND: sentence"; for wrong positional words. */
jsn_status cli_usage(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* The status of a command that writes below `folder` unless --out says otherwise (`asked`).
 * Where nothing can be written there, the sentence says how to get around it. */
jsn_status cli_offer_out(jsn_status status, const char *asked, const char *folder);

/* Any other failure that a command finds itself: `status` with a sentence of its own,
 * such as JSN_ERR_DATA with "file: what is wrong". */
jsn_status cli_fail(jsn_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Messages and a progress bar on stderr: a bar with rate and time left on a terminal,
 * plain lines otherwise; silent with -q, debug messages with -v. */
const jsn_logger *cli_logger(void);

/* Whether Ctrl-C, SIGTERM or SIGHUP (unless it was ignored) has asked the program to stop.
 * Installing the handlers is the caller's choice: cli_catch_signals(). A second signal
 * exits at once with 130. */
int cli_stop_requested(void);
void cli_catch_signals(void);

/* Catches signals, and takes the end of standard input for a wish to stop: it comes when
 * the process at the other end of a pipe dies, however it dies. Not a second signal. */
jsn_status cli_stop_at_eof(void);

/* All commands in the order of command_list.h; NULL at `index` beyond the last. */
const cli_command *cli_command_at(size_t index);

#endif /* JENSEN_CLI_H */
