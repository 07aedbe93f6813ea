/* cli/command_check.c - whether a run folder is whole, and what of it can be used. */
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "core/words.h"
#include "jensen/run_check.h"

typedef struct check_values {
    bool json;
} check_values;

static const jsn_option_info options[] = {
    CLI_JSON_ROW(check_values, "one JSON object on stdout"),
};

static void list_file(cli_record *r, const jsn_run_checked_file *f)
{
    const bool named = strncmp(f->problem, f->name, strlen(f->name)) == 0;
    cli_begin_object(r, NULL);
    cli_field_text(r, "state", "%-9s ", jsn_run_file_state_name(f->state));
    cli_field_text(r, "name", named ? NULL : "%s", f->name);
    if (f->problem[0] != '\0')
        cli_field_text(r, "problem", named ? "%s" : ": %s", f->problem);
    cli_words(r, "\n");
    cli_end(r);
}

static jsn_status describe(const char *run, const jsn_run_checked *c, bool json)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "run", NULL, run);
    cli_begin_array(&r, "files");
    for (size_t i = 0; i < c->file_count; i++)
        list_file(&r, &c->files[i]);
    cli_end(&r);
    cli_field_bool(&r, "finished", "the run is finished", "the run is not finished,",
                   c->finished);
    cli_field_bool(&r, "sound",
                   " and sound; usable:", " and damaged; usable:", c->sound);
    cli_field_bool(&r, "predict", " predict eval", NULL, c->predict);
    cli_field_bool(&r, "report", " report", NULL, c->report);
    cli_field_bool(&r, "resume", " train (continues)", NULL, c->resume);
    if (!c->predict && !c->report && !c->resume)
        cli_words(&r, " by no command as it is");
    cli_words(&r, "\n");
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const check_values *v = values;
    jsn_run_checked c;
    if (args->count != 1)
        return cli_usage("needs one run folder");
    jsn_status status = jsn_run_check(&c, args->items[0]);
    if (status != JSN_OK)
        return status;
    status = describe(args->items[0], &c, v->json);
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
        "Reads every file of the run and of an ensemble's members. Compares it with\n"
        "the checksums in result.json, with its own checksum, and with the other\n"
        "files. Prints one line per file: 'sound', 'readable', 'missing' or\n"
        "'damaged', with the reason. 'readable' means that no checksum covers the\n"
        "file, as in unfinished runs and in runs of earlier versions. A finished run\n"
        "has weights, checkpoint, metrics, events, labels, evaluation, log and page.\n"
        "Then it prints which commands can use the run. Exit code 3 when anything is\n"
        "missing or damaged. Writes nothing.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(check_values),
    .run = run,
};
