/* cli/command_plugin_new.c - the source of a loss of one's own, and how to compile it. */
#define _POSIX_C_SOURCE 200809L /* readlink, access */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_study.h"
#include "jensen/loss.h"

enum { MOST_NAME = 31, PATH = 4096 };

/* '@' stands for the name. */
static const char source[] =
    "/* @.c - a loss of one's own.\n"
    " *\n"
    " *     L = (1 - p_y^q) / q\n"
    " *\n"
    " * A row sees the log-probabilities l of one sample, returns the loss, and says "
    "what\n"
    " * dL/dl is: grad->target for the label's class, 0 for the others. loss/row.h "
    "says\n"
    " * what else there is: all classes, several views, soft targets. */\n"
    "#include \"loss/plugin.h\"\n"
    "\n"
    "enum { @_q }; /* constants of a row: the parameters, in their order */\n"
    "\n"
    "JSNI_SETUP const jsn_param_info @_params[] = {\n"
    "    /* name, help, initial value, lowest, highest */\n"
    "    {\"q\", \"towards 0: cross-entropy; 1: half the absolute error\", 0.7, 1e-3, "
    "1.0,\n"
    "     JSN_PARAM_REAL},\n"
    "};\n"
    "\n"
    "JSNI_ROW static inline jsni_real @_row(const jsni_row *row, jsni_grad *grad)\n"
    "{\n"
    "    const jsni_scalar q = row->constant[@_q];\n"
    "    const jsni_real power = q * row->label_logp[0]; /* log of p_y^q */\n"
    "    grad->target = -jsni_exp(power);\n"
    "    return jsni_expm1(power) / -q;\n"
    "}\n"
    "\n"
    "JSNI_LOSS_DEFINE(@, \"@\", \"a loss of one's own, (1 - p_y^q) / q\",\n"
    "                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, @_params, "
    "JSNI_COUNT_OF(@_params),\n"
    "                 NULL);\n";

static bool is_name(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length > 0 && length <= MOST_NAME && name[length] == '\0' &&
           islower((unsigned char)name[0]);
}

static jsn_status write_source(const char *name, const char *path)
{
    const int number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = number < 0 ? NULL : fdopen(number, "w");
    if (file == NULL) {
        const int why = errno;
        if (number >= 0)
            (void)close(number);
        if (why == EEXIST)
            return cli_usage("'%s' is there already; choose another name", path);
        return cli_fail(JSN_ERR_IO, "%s: %s", path, strerror(why));
    }
    for (const char *c = source; *c != '\0'; c++)
        cli_print_to(file, "%.*s", *c == '@' ? MOST_NAME : 1, *c == '@' ? name : c);
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return cli_fail(JSN_ERR_IO, "%s: cannot be written", path);
    return JSN_OK;
}

/* The folders of the headers, as seen from the program: installed, or in its tree. */
static bool print_folders(void)
{
    static const char *const places[][2] = {{"../include/jensen/plugin", "../include"},
                                            {"../../src", "../../include"}};
    char program[PATH], header[PATH + 64];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        (void)snprintf(header, sizeof header, "%s/%s/loss/plugin.h", program,
                       places[i][0]);
        if (access(header, R_OK) != 0)
            continue;
        for (size_t k = 0; k < 2; k++) {
            (void)snprintf(header, sizeof header, "-I%s/%s", program, places[i][k]);
            cli_print(" ");
            cli_put_word(stdout, header);
        }
        return true;
    }
    return false;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    (void)values;
    char path[MOST_NAME + 8];
    if (args->count != 1)
        return cli_usage("which name? jensen plugin new myloss");
    const char *name = args->items[0];
    if (!is_name(name))
        return cli_usage(
            "'%s': a name has small letters, digits and '_', begins with a "
            "letter and has at most %d of them",
            name, (int)MOST_NAME);
    for (size_t i = 0; jsn_loss_describe(i) != NULL; i++)
        if (strcmp(jsn_loss_describe(i)->name, name) == 0)
            return cli_usage("jensen has a loss '%s', whose name no plugin can have; "
                             "choose another, such as my_%.20s",
                             name, name);
    (void)snprintf(path, sizeof path, "%s.c", name);
    const jsn_status status = write_source(name, path);
    if (status != JSN_OK)
        return status;
    cli_print("cc -O2 -ffp-contract=off -fPIC -shared");
    if (!print_folders())
        cli_print(" -I PREFIX/include/jensen/plugin -I PREFIX/include");
    cli_print(" %s -o %s.so -lm\n", path, name);
    cli_say("%s is written; the line above compiles it. Then\n"
            "  jensen loss %s --plugin ./%s.so --check\n"
            "  jensen train DATA --plugin ./%s.so --loss %s\n",
            path, name, name, name, name);
    return JSN_OK;
}

const cli_command cli_command_plugin_new = {
    .name = "plugin new",
    .summary = "write the source of your own loss, to compile and load",
    .usage = "NAME",
    .details =
        "Writes NAME.c and prints the line that compiles it to NAME.so. The file\n"
        "ends in the same macro as jensen's own losses. 'jensen loss NAME --plugin\n"
        "./NAME.so --check' tests its gradient. Loading a plugin runs its code, so\n"
        "--plugin works only on the command line, never in a file.",
    .run = run,
};
