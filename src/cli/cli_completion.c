/* cli/cli_completion.c - the bash completion; see cli_generate.h. It knows commands,
 * options and the words of choices; everything else completes as a file name. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_generate.h"
#include "cli/cli_help.h"

/* The first words of all commands, each once. */
static void put_first_words(void)
{
    for (size_t i = 0; cli_command_at(i) != NULL; i++) {
        const char *name = cli_command_at(i)->name;
        const size_t length = strcspn(name, " ");
        int seen = 0;
        for (size_t k = 0; k < i; k++) {
            const char *other = cli_command_at(k)->name;
            seen = seen ||
                   (strcspn(other, " ") == length && strncmp(name, other, length) == 0);
        }
        if (!seen)
            cli_print("%.*s ", (int)length, name);
    }
}

/* Arms that add the second words: 'theory') words+=' bounds' ;; */
static void put_second_words(void)
{
    cli_print("        case \"${COMP_WORDS[1]}\" in\n");
    for (size_t i = 0; cli_command_at(i) != NULL; i++) {
        const char *name = cli_command_at(i)->name;
        const char *space = strchr(name, ' ');
        if (space != NULL)
            cli_print("        '%.*s') words+=' %s' ;;&\n", (int)(space - name), name,
                      space + 1);
    }
    cli_print("        esac\n");
}

static void put_options(const cli_command *c)
{
    cli_print("    '%s')\n        options='--help", c->name);
    for (size_t i = 0; i < c->option_count; i++)
        cli_print(" --%s", c->options[i].name);
    cli_print("'\n        case \"$previous\" in\n");
    for (size_t i = 0; i < c->option_count; i++) {
        const jsn_option_info *row = &c->options[i];
        const bool named = cli_option_named(c, row);
        if (row->kind != JSN_OPTION_CHOICE && !named)
            continue;
        cli_print("        --%s) choices='", row->name);
        for (size_t k = 0; named && jsn_catalog_at(c->names, k).name != NULL; k++)
            cli_print("%s%s", k > 0 ? " " : "", jsn_catalog_at(c->names, k).name);
        for (const char *at = named ? "" : row->choices; *at != '\0'; at++)
            cli_print("%c", *at == '|' ? ' ' : *at);
        cli_print("' ;;\n");
    }
    cli_print("        esac ;;\n");
}

void cli_print_completion(void)
{
    cli_print("# bash completion for jensen, made from its command tables\n"
              "_jensen()\n{\n"
              "    local current=${COMP_WORDS[COMP_CWORD]}\n"
              "    local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
              "    local words='' options='' choices='' command\n"
              "    COMPREPLY=()\n"
              "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
              "        words='");
    put_first_words();
    cli_print("--help --version'\n    elif [ \"$COMP_CWORD\" -eq 2 ]; then\n");
    put_second_words();
    cli_print("    fi\n"
              "    if [ -n \"$words\" ]; then\n"
              "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
              "        return\n"
              "    fi\n"
              "    command=\"${COMP_WORDS[1]} ${COMP_WORDS[2]-}\"\n");
    cli_print("    case \"$command\" in\n    ");
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        if (strchr(cli_command_at(i)->name, ' ') != NULL)
            cli_print("'%s'|", cli_command_at(i)->name);
    cli_print("'') ;;\n    *) command=${COMP_WORDS[1]} ;;\n    esac\n"
              "    case \"$command\" in\n");
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        put_options(cli_command_at(i));
    cli_print("    esac\n"
              "    if [ -n \"$choices\" ]; then\n"
              "        COMPREPLY=($(compgen -W \"$choices\" -- \"$current\"))\n"
              "    elif [[ $current == -* ]]; then\n"
              "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
              "    else\n"
              "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
              "    fi\n"
              "}\n"
              "complete -o filenames -F _jensen jensen\n");
}
