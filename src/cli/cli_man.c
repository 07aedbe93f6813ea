/* cli/cli_man.c - the man page, jensen(1); see cli_generate.h. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_generate.h"
#include "cli/cli_help.h"
#include "jensen/version.h"

/* Text for roff: dashes and backslashes escaped, no line that starts as a request. */
static void put(const char *text)
{
    for (int line_start = 1; *text != '\0'; line_start = text[-1] == '\n') {
        if (line_start && (*text == '.' || *text == '\''))
            cli_write("\\&");
        if (*text == '\\' || *text == '-') {
            cli_write(*text == '-' ? "\\-" : "\\e");
            text++;
            continue;
        }
        const size_t plain = strcspn(text, "\\-\n");
        cli_print("%.*s", (int)plain, text);
        text += plain;
        if (*text == '\n') {
            cli_write("\n");
            text++;
        }
    }
}

static void put_option(const cli_command *c, const jsn_option_info *row)
{
    char help[CLI_OPTION_HELP];
    const char *value = row->kind == JSN_OPTION_CHOICE ? row->choices : row->value_name;
    cli_print(".TP\n");
    if (row->letter != 0)
        cli_print("\\fB\\-%c\\fR, ", row->letter);
    cli_print("\\fB\\-\\-");
    put(row->name);
    cli_print("\\fR");
    if (value != NULL && row->kind != JSN_OPTION_FLAG) {
        cli_print(" \\fI");
        put(value);
        cli_print("\\fR");
    }
    cli_print("\n");
    cli_option_help(c, row, help);
    put(help);
    cli_print("\n");
}

static void put_command(const cli_command *c)
{
    cli_print(".SS \"jensen ");
    put(c->name);
    cli_print("\"\n.nf\nusage: jensen ");
    put(c->name);
    cli_print(" ");
    put(c->usage);
    cli_print("\n.fi\n.PP\n");
    put(c->summary);
    cli_print("\n");
    if (c->details != NULL) {
        cli_print(".PP\n.nf\n");
        put(c->details);
        cli_print("\n.fi\n");
    }
    size_t count = 0;
    const jsn_option_info *table = cli_command_options(c, &count);
    for (size_t i = 0; i < count; i++)
        put_option(c, &table[i]);
}

void cli_print_man(void)
{
    cli_print(".TH JENSEN 1 \"\" \"jensen %s\" \"User Commands\"\n", jsn_version());
    cli_print(".SH NAME\njensen \\- trains image classifiers on labels that are partly "
              "wrong\n.SH SYNOPSIS\n\\fBjensen\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
              ".SH DESCRIPTION\nPoint it at images with unreliable labels, get a "
              "model that did not learn the mistakes.\nEvery command takes "
              "\\fB\\-\\-help\\fR, \\fB\\-q\\fR (quiet) and \\fB\\-v\\fR (verbose).\n"
              ".SH COMMANDS\n");
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        put_command(cli_command_at(i));
    cli_print(".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 3 bad data, 4 no such "
              "device, "
              "5 network, 75 stopped with a checkpoint (the same command goes on), 130 "
              "interrupted twice.\n"
              ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nNo colour on the terminal.\n");
}
