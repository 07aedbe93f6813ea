/* cli/main.c - finds the command, parses its options, maps its status to the exit
 * code. Names no command: they are in command_list.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_generate.h"
#include "cli/cli_help.h"
#include "cli/cli_progress.h"
#include "cli/command_list.h"
#include "core/names.h"
#include "core/option.h"
#include "jensen/limit.h"
#include "jensen/loss.h"
#include "jensen/version.h"

#define DECLARE(id) extern const cli_command cli_command_##id;
CLI_COMMAND_LIST(DECLARE)
#undef DECLARE

#define ROW(id) &cli_command_##id,
static const cli_command *const commands[] = {CLI_COMMAND_LIST(ROW)};
#undef ROW

const cli_command *cli_command_at(size_t index)
{
    return index < sizeof commands / sizeof commands[0] ? commands[index] : NULL;
}

const jsn_option_info *cli_command_options(const cli_command *command, size_t *count)
{
    if (command->library_options != NULL)
        return command->library_options(count);
    *count = command->option_count;
    return command->options;
}

static int exit_code(jsn_status status)
{
    switch (status) {
    case JSN_OK:
        return CLI_DONE;
    case JSN_ERR_ARGUMENT:
    case JSN_ERR_UNKNOWN_NAME:
    case JSN_ERR_RANGE:
        return CLI_USAGE;
    case JSN_ERR_DATA:
        return CLI_BAD_DATA;
    case JSN_ERR_DEVICE:
        return CLI_NO_DEVICE;
    case JSN_ERR_NETWORK:
        return CLI_NETWORK;
    case JSN_ERR_STOPPED:
        return CLI_STOPPED;
    case JSN_ERR_MEMORY:
    case JSN_ERR_NUMERIC:
    case JSN_ERR_IO:
    case JSN_ERR_BUSY:
    case JSN_ERR_UNSUPPORTED:
        return CLI_FAILED;
    }
    return CLI_FAILED;
}

static char usage_sentence[512];

jsn_status cli_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(usage_sentence, sizeof usage_sentence, format, args);
    va_end(args);
    return JSN_ERR_ARGUMENT;
}

jsn_status cli_fail(jsn_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(usage_sentence, sizeof usage_sentence, format, args);
    va_end(args);
    return status;
}

jsn_status cli_offer_out(jsn_status status, const char *asked, const char *folder)
{
    char words[400];
    const bool there = access(folder, F_OK) == 0;
    if (status != JSN_ERR_IO || asked != NULL ||
        access(there ? folder : ".", W_OK) == 0)
        return status;
    (void)snprintf(words, sizeof words, "%s", jsn_last_error());
    return cli_fail(status, "%s; --out DIR puts it elsewhere", words);
}

/* The command that argv names, by two words or by one; *words says how many. */
static const cli_command *find_command(int argc, char **argv, int *words)
{
    char two[128] = "";
    if (argc > 2)
        (void)snprintf(two, sizeof two, "%s %s", argv[1], argv[2]);
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        if (strcmp(cli_command_at(i)->name, two) == 0) {
            *words = 2;
            return cli_command_at(i);
        }
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        if (strcmp(cli_command_at(i)->name, argv[1]) == 0) {
            *words = 1;
            return cli_command_at(i);
        }
    return NULL;
}

/* Says that there is no such command, and names the one that was probably meant. */
static int no_command(const char *word)
{
    size_t best = SIZE_MAX;
    char nearest[64] = "";
    for (size_t i = 0; cli_command_at(i) != NULL; i++) {
        char first[64];
        const char *name = cli_command_at(i)->name;
        (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(name, " "), name);
        if (jsni_name_nearer(word, first, &best))
            (void)snprintf(nearest, sizeof nearest, "%s", first);
    }
    if (word[0] == '-')
        cli_say("jensen: options come behind the command: jensen COMMAND %s\n", word);
    else if (nearest[0] != '\0')
        cli_say("jensen: no command '%s'; did you mean '%s'?\n", word, nearest);
    else
        cli_say("jensen: no command '%s'; 'jensen --help' lists them\n", word);
    return CLI_USAGE;
}

/* 'jensen help COMMAND' is 'jensen COMMAND --help'. */
static int help_on(int argc, char **argv)
{
    int words = 0;
    const cli_command *command = find_command(argc, argv, &words);
    if (command != NULL)
        cli_help_command(command);
    else if (!cli_help_group(argv[1], "--help"))
        return no_command(argv[1]);
    return CLI_DONE;
}

static int complain(const cli_command *command, jsn_status status)
{
    const char *sentence =
        usage_sentence[0] != '\0' ? usage_sentence : jsn_last_error();
    if (sentence[0] == '\0')
        sentence = jsn_status_text(status);
    cli_progress_clear();
    cli_say("jensen %s: %s\n", command->name, sentence);
    if (exit_code(status) == CLI_USAGE)
        cli_say("usage: jensen %s %s; 'jensen %s --help' explains\n", command->name,
                command->usage, command->name);
    return exit_code(status);
}

/* -q, -v, -h and --help are every command's; takes them out of argv. */
static int take_common(int argc, char **argv, int *help)
{
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            while (i < argc)
                argv[kept++] = argv[i++];
            break;
        }
        if (strcmp(argv[i], "-q") == 0)
            cli_progress_quiet();
        else if (strcmp(argv[i], "-v") == 0)
            cli_progress_verbose();
        else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            *help = 1;
        else
            argv[kept++] = argv[i];
    }
    return kept;
}

/* Options, and an answer to --resume, which other programs have. */
static jsn_status parse(const cli_command *command, void *values, int argc,
                        char *const *argv, jsn_texts *args)
{
    size_t count = 0;
    const jsn_option_info *table = cli_command_options(command, &count);
    const jsn_status status =
        jsni_options_parse(table, count, values, argc, argv, args);
    for (int i = 0; i < argc && status == JSN_ERR_UNKNOWN_NAME; i++)
        if (command->continues && strncmp(argv[i], "--resume", 8) == 0)
            return cli_fail(status, "no option 'resume'; the same command as before "
                                    "continues what is not finished");
    return status;
}

/* What the command line says before a command runs: `set` with each text of the option. */
static jsn_status set_each(const jsn_option_info *table, size_t count,
                           const void *values, const char *option,
                           jsn_status (*set)(const char *text))
{
    const jsn_option_info *row = jsni_options_find(table, count, option);
    if (row == NULL || row->kind != JSN_OPTION_TEXTS)
        return JSN_OK;
    const jsn_texts *texts = (const void *)((const char *)values + row->offset);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < texts->count; i++)
        status = set(texts->items[i]);
    return status;
}

static jsn_status load_plugin(const char *path)
{
    return jsn_loss_load(path, NULL);
}

static int run_command(const cli_command *command, int argc, char **argv)
{
    int help = 0;
    argc = take_common(argc, argv, &help);
    if (help) {
        cli_help_command(command);
        return CLI_DONE;
    }
    size_t count = 0;
    const jsn_option_info *table = cli_command_options(command, &count);
    void *values = calloc(1, command->values_size == 0 ? 1 : command->values_size);
    jsn_texts args = {0};
    if (values == NULL)
        return complain(command, JSN_ERR_MEMORY);
    jsn_status status = JSN_OK;
    if (command->deferred)
        jsni_options_clear(table, count, values);
    else
        status = jsni_options_init(table, count, values);
    if (status == JSN_OK)
        status = parse(command, values, argc, argv, &args);
    if (status == JSN_OK)
        status = set_each(table, count, values, "limit", jsn_limit_set);
    if (status == JSN_OK)
        status = set_each(table, count, values, "plugin", load_plugin);
    if (status == JSN_OK)
        status = command->run(values, &args);
    /* Data that never reached its reader (a full disk, a closed pipe) is a failure. */
    const int lost = fflush(stdout) != 0 || ferror(stdout);
    int code = status == JSN_OK ? CLI_DONE : complain(command, status);
    if (lost && code == CLI_DONE) {
        cli_say("jensen %s: standard output: cannot be written\n", command->name);
        code = CLI_FAILED;
    }
    jsni_options_release(table, count, values);
    jsn_texts_release(&args);
    free(values);
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        cli_help_overview(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (strcmp(argv[1], "help") == 0 && argc == 2)) {
        cli_help_overview(stdout);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "help") == 0)
        return help_on(argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0) {
        cli_print("jensen %s\n", jsn_version());
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--print-man") == 0) {
        cli_print_man();
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--print-completion") == 0) {
        cli_print_completion();
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--print-markdown") == 0) {
        cli_print_markdown();
        return CLI_DONE;
    }
    int words = 0;
    const cli_command *command = find_command(argc, argv, &words);
    if (command != NULL)
        return run_command(command, argc - 1 - words, argv + 1 + words);
    if (cli_help_group(argv[1], argc > 2 ? argv[2] : NULL))
        return argc > 2 && strcmp(argv[2], "--help") == 0 ? CLI_DONE : CLI_USAGE;
    return no_command(argv[1]);
}
