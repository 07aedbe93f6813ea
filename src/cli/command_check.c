/* cli/command_check.c - whether a run folder is whole, and what of it can be used. */
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "core/words.h"
#include "jensen/run_check.h"

typedef struct check_values {
    bool json;
} check_values;

static const jsn_option_info options[] = {
    CLI_JSON_ROW(check_values, "one JSON object on stdout"),
};

static jsn_status print_json(const char *run, const jsn_run_checked *c)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "run", run);
    jsni_json_put_bool(w, "sound", c->sound);
    jsni_json_put_bool(w, "finished", c->finished);
    jsni_json_put_bool(w, "predict", c->predict);
    jsni_json_put_bool(w, "report", c->report);
    jsni_json_put_bool(w, "resume", c->resume);
    jsni_json_begin_array(w, "files");
    for (size_t i = 0; i < c->file_count; i++) {
        const jsn_run_checked_file *f = &c->files[i];
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "name", f->name);
        jsni_json_put_text(w, "state", jsn_run_file_state_name(f->state));
        if (f->problem[0] != '\0')
            jsni_json_put_text(w, "problem", f->problem);
        jsni_json_end(w);
    }
    jsni_json_end(w);
    jsni_json_end(w);
    return cli_print_json(w);
}

static void print_text(const jsn_run_checked *c)
{
    for (size_t i = 0; i < c->file_count; i++) {
        const jsn_run_checked_file *f = &c->files[i];
        const char *state = jsn_run_file_state_name(f->state);
        const bool named = strncmp(f->problem, f->name, strlen(f->name)) == 0;
        cli_print("%-9s %s%s%s\n", state, named ? "" : f->name,
                  named || f->problem[0] == '\0' ? "" : ": ", f->problem);
    }
    const bool none = !c->predict && !c->report && !c->resume;
    cli_print("the run is %s and %s; usable:%s%s%s%s\n",
              c->finished ? "finished" : "not finished", c->sound ? "sound" : "damaged",
              c->predict ? " predict eval" : "", c->report ? " report" : "",
              c->resume ? " train (continues)" : "",
              none ? " by no command as it is" : "");
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const check_values *v = values;
    jsn_run_checked c;
    if (args->count != 1)
        return cli_usage("wants one run folder");
    jsn_status status = jsn_run_check(&c, args->items[0]);
    if (status != JSN_OK)
        return status;
    if (v->json)
        status = print_json(args->items[0], &c);
    else
        print_text(&c);
    size_t bad = 0;
    for (size_t i = 0; i < c.file_count; i++)
        bad += c.files[i].state > JSN_RUN_FILE_READABLE;
    if (status == JSN_OK && !c.sound)
        status = cli_fail(JSN_ERR_DATA, "%s: %zu %s damaged or missing", args->items[0],
                          bad, jsni_noun(bad, "file is", "files are"));
    jsn_run_checked_release(&c);
    return status;
}

const cli_command cli_command_check = {
    .name = "check",
    .summary = "whether a run folder is whole, and what of it can be used",
    .usage = "RUN [OPTIONS]",
    .details =
        "Reads every file of the run, and of the members of an ensemble, and compares\n"
        "it with the checksums in result.json, with its own, and with the other "
        "files.\n"
        "Prints a line a file: 'sound', 'readable' (no checksum vouches for it, as in\n"
        "unfinished runs and those of earlier versions), 'missing' or 'damaged', with\n"
        "the reason; then which commands can use the run. Exit code 3 when anything "
        "is\n"
        "missing or damaged. Writes nothing.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(check_values),
    .run = run,
};
