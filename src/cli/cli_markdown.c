/* cli/cli_markdown.c - docs/commands.md, every command with its options; see cli_generate.h. */
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_generate.h"
#include "cli/cli_help.h"

/* Text of a table's cell: a bar would end the cell, and a bracket begin HTML. */
static void put_cell(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '|')
            cli_write("\\|");
        else if (*text == '<')
            cli_write("&lt;");
        else
            cli_print("%c", *text);
}

static void put_option(const cli_command *c, const jsn_option_info *row)
{
    char help[CLI_OPTION_HELP];
    const char *value = row->kind == JSN_OPTION_CHOICE ? row->choices : row->value_name;
    cli_print("| `");
    if (row->letter != 0)
        cli_print("-%c`, `", row->letter);
    cli_print("--%s", row->name);
    if (value != NULL && row->kind != JSN_OPTION_FLAG) {
        cli_print(" ");
        put_cell(value);
    }
    cli_print("` | ");
    cli_option_help(c, row, help);
    put_cell(help);
    cli_print(" |\n");
}

static void put_command(const cli_command *c)
{
    size_t count = 0;
    const jsn_option_info *table = cli_command_options(c, &count);
    cli_print("\n## jensen %s\n\nIn short: %s.\n\n```text\njensen %s ", c->name,
              c->summary, c->name);
    cli_write(c->usage);
    cli_write("\n```\n");
    if (c->details != NULL) {
        cli_print("\n```text\n");
        cli_write(c->details);
        cli_print("\n```\n");
    }
    if (count > 0)
        cli_print("\n| option | |\n|---|---|\n");
    for (size_t i = 0; i < count; i++)
        put_option(c, &table[i]);
}

void cli_print_markdown(void)
{
    cli_print(
        "# Commands and options\n\nEvery command of the program, as `--help` prints "
        "it. "
        "`jensen --print-markdown` writes this page; edit the tables in `src/cli`.\n"
        "Every command also takes `--help`, `-q` (quiet) and `-v` (verbose).\n"
        "Exit codes, limits and refusals are in [reference.md](reference.md).\n");
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        put_command(cli_command_at(i));
    cli_print(
        "\nNext: [reference.md](reference.md) for exit codes, limits and run folders; "
        "[guide.md](guide.md) for how to work with it.\n");
}
