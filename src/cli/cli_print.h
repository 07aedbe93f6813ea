/* cli/cli_print.h - the one place where the program writes to the terminal. Names of files,
 * classes, studies and options may come from anywhere, and a terminal obeys what is in them:
 * nothing else in src/cli uses printf(), stdout or stderr (the test tree/layers sees to it;
 * the progress line, which moves the cursor itself, is the exception).
 *
 * On both streams control characters, characters that turn the direction of reading, and
 * bytes that are not UTF-8 are shown as \u001b or \xff: see jsni_text_visible(). In
 * the text of a %s this holds for line feeds, too, so that a name is never more than a
 * part of its line. What goes into files is never changed. */
#ifndef JENSEN_CLI_PRINT_H
#define JENSEN_CLI_PRINT_H

#include <stdarg.h>
#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

void cli_print(const char *format, ...) CLI_PRINTF(1, 2); /* data: stdout */
void cli_print_list(const char *format, va_list *args);
void cli_say(const char *format, ...) CLI_PRINTF(1, 2); /* messages: stderr */

/* The same to any file; one that is neither of the two streams gets texts as they are. */
void cli_print_to(FILE *to, const char *format, ...) CLI_PRINTF(2, 3);

/* On stdout, as one word of a command that a person may copy into a shell. */
void cli_print_word(const char *text);

/* A text in double quotes, its own ones doubled: a cell of a CSV. */
void cli_print_quoted(FILE *to, const char *text);

/* A text of several lines, such as a table, JSON or help, to stdout. */
void cli_write(const char *text);

#endif /* JENSEN_CLI_PRINT_H */
