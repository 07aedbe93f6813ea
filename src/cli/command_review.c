/* cli/command_review.c - the page on which a person goes through the suspects. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_browser.h"
#include "cli/cli_options.h"
#include "cli/cli_print.h"
#include "jensen/review.h"

typedef struct review_values {
    char *data;
    int64_t port;
    bool no_browser;
    jsn_texts limit;
} review_values;

static const jsn_option_info options[] = {
    {"port", 'p', JSN_OPTION_INT, "0", 0, 65535, NULL, "N",
     "port of 127.0.0.1; 0: any that is free", offsetof(review_values, port)},
    {"no-browser", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "only print the address, do not open it", offsetof(review_values, no_browser)},
    {"data", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "DATA",
     "the audited data, if it was moved or renamed", offsetof(review_values, data)},
    CLI_LIMIT_ROW(review_values),
};

static int stop(void *user)
{
    (void)user;
    return cli_stop_requested();
}

/* What the address is shown with. */
typedef struct view {
    const char *folder; /* NULL: it is not opened */
    char *page;         /* owned, see cli_browser.h; NULL: it was not opened */
} view;

static void ready(void *user, const char *address)
{
    view *v = user;
    const jsn_logger *logger = cli_logger();
    cli_print("%s\n", address);
    (void)fflush(stdout);
    if (v->folder != NULL)
        v->page = cli_browser_open(v->folder, address);
    logger->message(logger->user, JSN_LOG_INFO,
                    v->page != NULL
                        ? "the browser opens this address; Ctrl-C ends the review"
                        : "open this address in a browser; Ctrl-C ends the review");
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const review_values *v = values;
    if (args->count != 1)
        return cli_usage("needs the folder of an audit, or a finished run, got %zu",
                         args->count);
    char *folder = NULL;
    view shown = {.folder = v->no_browser ? NULL : args->items[0]};
    jsn_review_job job;
    jsn_review_result result;
    jsn_review_job_init(&job);
    job.folder = args->items[0];
    job.data = v->data;
    job.port = (uint16_t)v->port;
    job.logger = cli_logger();
    job.ready = ready;
    job.stop = stop;
    job.user = &shown;
    cli_catch_signals();
    const jsn_status status = jsn_review(&job, &folder, &result);
    cli_browser_close(shown.page);
    if (status == JSN_ERR_UNSUPPORTED)
        return cli_usage("%s", jsn_last_error());
    if (status != JSN_OK)
        return status;
    cli_print("%zu of %zu suspects decided; jensen labels apply ", result.decided,
              result.suspects);
    cli_print_word(folder);
    cli_print("\n");
    jsn_text_release(folder);
    return JSN_OK;
}

const cli_command cli_command_review = {
    .name = "review",
    .summary = "go through the suspects of an audit in a browser",
    .usage = "DIR|RUN [--port N] [--no-browser]",
    .details =
        "Prints the address of a page on this machine, and opens it where there is a\n"
        "desktop. The page shows the suspects one by one: the picture, the label,\n"
        "what fits better, images of both classes beside it. Keys: a accept, k keep,\n"
        "o other class, u unsure, r remove, z undo, ? all of them. Every decision is\n"
        "saved in DIR/decisions.csv before the next picture appears. Ctrl-C ends the\n"
        "review, and the same command continues it.\n\n"
        "Only this machine can open the page, and only by the printed address. If\n"
        "jensen runs on another machine, choose a port and forward it with SSH:\n\n"
        "  jensen review audits/photos-... --port 8000 --no-browser\n"
        "  ssh -L 8000:127.0.0.1:8000 machine",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(review_values),
    .run = run,
};
