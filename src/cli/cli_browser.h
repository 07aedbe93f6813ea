/* cli/cli_browser.h - shows a page of this machine in the browser of whoever sits at the
 * terminal.
 *
 *     char *page = cli_browser_open(folder, "http://127.0.0.1:38211/7f3c.../");
 *     ...
 *     cli_browser_close(page);
 */
#ifndef JSN_CLI_BROWSER_H
#define JSN_CLI_BROWSER_H

/* Opens `address` with xdg-open, by a file in `folder` that leads there: arguments of programs
 * can be read by everybody on the machine, and who knows the address may use the page. Returns
 * the path of the file; NULL: nothing was opened, since nobody sits at a terminal with a
 * desktop, or the folder cannot be written. */
char *cli_browser_open(const char *folder, const char *address);

/* Removes the file; NULL is fine. */
void cli_browser_close(char *page);

#endif /* JSN_CLI_BROWSER_H */
