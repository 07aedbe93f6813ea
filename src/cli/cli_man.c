/* cli/cli_man.c - the man page, jensen(1); see cli_generate.h. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_generate.h"
#include "jensen/version.h"

/* Text for roff: dashes and backslashes escaped, no line that starts as a request. */
static void put(const char *text)
{
    int line_start = 1;
    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            (void)fputs("\\&", stdout);
        line_start = *text == '\n';
        if (*text == '\\')
            (void)fputs("\\e", stdout);
        else if (*text == '-')
            (void)fputs("\\-", stdout);
        else
            (void)putchar(*text);
    }
}

static void put_option(const jsn_option_info *row)
{
    const char *value = row->kind == JSN_OPTION_CHOICE ? row->choices : row->value_name;
    (void)printf(".TP\n");
    if (row->letter != 0)
        (void)printf("\\fB\\-%c\\fR, ", row->letter);
    (void)printf("\\fB\\-\\-");
    put(row->name);
    (void)printf("\\fR");
    if (value != NULL && row->kind != JSN_OPTION_FLAG) {
        (void)printf(" \\fI");
        put(value);
        (void)printf("\\fR");
    }
    (void)printf("\n");
    put(row->help);
    if (row->initial != NULL && row->kind != JSN_OPTION_FLAG) {
        (void)printf(" (default: ");
        put(row->initial);
        (void)printf(")");
    }
    (void)printf("\n");
}

static void put_command(const cli_command *c)
{
    (void)printf(".SS \"jensen ");
    put(c->name);
    (void)printf(" ");
    put(c->usage);
    (void)printf("\"\n");
    put(c->summary);
    (void)printf("\n");
    if (c->details != NULL) {
        (void)printf(".PP\n.nf\n");
        put(c->details);
        (void)printf("\n.fi\n");
    }
    for (size_t i = 0; i < c->option_count; i++)
        put_option(&c->options[i]);
}

void cli_print_man(void)
{
    (void)printf(".TH JENSEN 1 \"\" \"jensen %s\" \"User Commands\"\n", jsn_version());
    (void)printf(
        ".SH NAME\njensen \\- trains image classifiers on labels that are partly "
        "wrong\n.SH SYNOPSIS\n\\fBjensen\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
        ".SH DESCRIPTION\nPoint it at images with unreliable labels, get a "
        "model that did not learn the mistakes.\nEvery command takes "
        "\\fB\\-\\-help\\fR, \\fB\\-q\\fR (quiet) and \\fB\\-v\\fR (verbose).\n"
        ".SH COMMANDS\n");
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        put_command(cli_command_at(i));
    (void)printf(
        ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 3 bad data, 4 no such "
        "device, "
        "5 network, 75 stopped with a checkpoint (the same command goes on), 130 "
        "interrupted twice.\n"
        ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nNo colour on the terminal.\n");
}
