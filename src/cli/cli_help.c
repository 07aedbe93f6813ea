/* cli/cli_help.c - see cli_help.h. */
#include "cli/cli_help.h"

#include <stdbool.h>
#include <string.h>

#include "cli/cli_print.h"
#include "core/names.h"
#include "core/text.h"
#include "jensen/version.h"

static void print_rows(FILE *to, const char *first_word)
{
    const size_t length = first_word == NULL ? 0 : strlen(first_word);
    for (size_t i = 0; cli_command_at(i) != NULL; i++) {
        const cli_command *c = cli_command_at(i);
        if (length == 0 ||
            (strncmp(c->name, first_word, length) == 0 && c->name[length] == ' '))
            cli_print_to(to, "  %-17s %s\n", c->name, c->summary);
    }
}

void cli_help_overview(FILE *to)
{
    cli_print_to(
        to,
        "jensen %s - trains image classifiers on labels that are partly wrong\n\n"
        "usage: jensen COMMAND [OPTIONS]\n\n"
        "Start with 'jensen demo', or with a folder of your own photographs that has\n"
        "one sub-folder per class: 'jensen audit FOLDER', 'jensen train FOLDER'.\n\n",
        jsn_version());
    print_rows(to, NULL);
    cli_print_to(to, "\nEvery command takes --help, -q (quiet) and -v (verbose).\n"
                     "Exit: 0 done, 1 failed, 2 wrong usage, 3 bad data, 4 no such "
                     "device, 5 network,\n75 stopped with a checkpoint, 130 "
                     "interrupted twice.\n");
}

/* Length of the first word of `text`. In a usage line a group in brackets is one word, and so
 * is a bar between two usages with what follows it. */
static size_t word_length(const char *text, bool usage)
{
    int depth = 0;
    size_t i = usage && text[0] == '|' ? 2 : 0;
    for (; text[i] != '\0' && (text[i] != ' ' || depth > 0); i++)
        if (usage)
            depth +=
                (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
    return i;
}

/* Prints `text` broken between words so that lines end before column 88; later lines start
 * at column `indent`. */
static void print_wrapped(const char *text, int indent, bool usage)
{
    int column = indent;
    while (*text != '\0') {
        const int length = (int)word_length(text, usage);
        const bool new_line = column + 1 + length > 88 || (usage && text[0] == '|');
        if (column > indent && new_line) {
            cli_print("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            cli_print(" ");
            column++;
        }
        cli_print("%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    cli_print("\n");
}

bool cli_option_named(const cli_command *command, const jsn_option_info *row)
{
    return command->named != NULL && strcmp(command->named, row->name) == 0;
}

void cli_option_help(const cli_command *command, const jsn_option_info *row,
                     char out[CLI_OPTION_HELP])
{
    enum { FAR = 1024 }; /* bounds beyond it are there to catch nonsense */
    const int number = row->kind == JSN_OPTION_INT || row->kind == JSN_OPTION_REAL;
    const int switched =
        strchr(row->value_name != NULL ? row->value_name : "", '|') != NULL;
    const int bounded = number && !switched && row->highest <= FAR;
    const int initial = row->initial != NULL && row->kind != JSN_OPTION_FLAG;
    char known[300] = "";
    jsni_text names = jsni_text_in(known, sizeof known);
    jsni_text help = jsni_text_in(out, CLI_OPTION_HELP);
    for (size_t i = 0; cli_option_named(command, row) &&
                       jsn_catalog_at(command->names, i).name != NULL;
         i++)
        jsni_text_item(&names, jsn_catalog_at(command->names, i).name);
    jsni_text_format(&help, "%s%s%s", row->help, known[0] != '\0' ? ": " : "", known);
    if (bounded)
        jsni_text_format(&help, " (%g to %g%s", row->lowest, row->highest,
                         initial ? "" : ")");
    if (initial)
        jsni_text_format(&help, "%sdefault: %s)", bounded ? ", " : " (", row->initial);
}

static void print_option(const cli_command *command, const jsn_option_info *row)
{
    enum { COLUMN = 28 };
    char letter[8] = "", head[192], help[CLI_OPTION_HELP];
    const char *value = row->kind == JSN_OPTION_CHOICE ? row->choices : row->value_name;
    const int has_value = value != NULL && row->kind != JSN_OPTION_FLAG;
    if (row->letter != 0)
        (void)snprintf(letter, sizeof letter, "-%c, ", row->letter);
    (void)snprintf(head, sizeof head, "  %s--%s%s%s", letter, row->name,
                   has_value ? " " : "", has_value ? value : "");
    cli_option_help(command, row, help);
    cli_print("%-*s", COLUMN - 1, head);
    if (strlen(head) >= COLUMN - 1)
        cli_print("\n%*s", COLUMN, "");
    else
        cli_print(" ");
    print_wrapped(help, COLUMN, false);
}

void cli_help_command(const cli_command *command)
{
    const int indent = (int)(strlen("usage: jensen  ") + strlen(command->name));
    cli_print("jensen %s - %s\n\nusage: jensen %s ", command->name, command->summary,
              command->name);
    print_wrapped(command->usage, indent, true);
    if (command->details != NULL) {
        cli_print("\n");
        cli_write(command->details);
        cli_print("\n");
    }
    size_t count = 0;
    const jsn_option_info *table = cli_command_options(command, &count);
    if (count > 0)
        cli_print("\noptions:\n");
    for (size_t i = 0; i < count; i++)
        print_option(command, &table[i]);
}

int cli_help_group(const char *word, const char *second)
{
    const size_t length = strlen(word);
    const int asked = second != NULL && strcmp(second, "--help") == 0;
    int found = 0;
    size_t best = SIZE_MAX;
    const char *nearest = NULL;
    for (size_t i = 0; cli_command_at(i) != NULL; i++) {
        const char *name = cli_command_at(i)->name;
        if (strncmp(name, word, length) != 0 || name[length] != ' ')
            continue;
        found = 1;
        if (second != NULL && jsni_name_nearer(second, name + length + 1, &best))
            nearest = name + length + 1;
    }
    if (!found)
        return 0;
    if (!asked && nearest != NULL)
        cli_say("jensen %s: no subcommand '%s'; did you mean '%s'?\n", word, second,
                nearest);
    else if (!asked && second != NULL)
        cli_say("jensen %s: no subcommand '%s'\n", word, second);
    FILE *to = asked ? stdout : stderr;
    cli_print_to(to, "usage: jensen %s SUBCOMMAND [OPTIONS]\n\n", word);
    print_rows(to, word);
    return 1;
}
