/* cli/cli_browser.c - see cli_browser.h. */
#define _XOPEN_SOURCE 700
#include "cli/cli_browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const char page_name[] = "open-review.html";

static bool has_desktop(void)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return isatty(STDOUT_FILENO) &&
           ((x != NULL && x[0] != '\0') || (wayland != NULL && wayland[0] != '\0'));
}

/* The page, for its owner alone; one that a killed process has left is replaced. */
static bool write_page(const char *path, const char *address)
{
    char text[300];
    const int length = snprintf(text, sizeof text,
                                "<!doctype html><title>jensen review</title>"
                                "<meta http-equiv=\"refresh\" content=\"0;url=%s\">\n",
                                address);
    (void)unlink(path);
    const int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    const bool written = length > 0 && (size_t)length < sizeof text &&
                         write(fd, text, (size_t)length) == length;
    return close(fd) == 0 && written;
}

/* In a process group of its own: Ctrl-C ends the review, not the browser. */
static bool start(const char *path)
{
    char program[] = "xdg-open", *word = strdup(path);
    char *const args[] = {program, word, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    pid_t child = 0;
    bool started = false;
    if (word != NULL && posix_spawn_file_actions_init(&files) == 0) {
        for (int fd = 0; fd < 3; fd++)
            (void)posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
        if (posix_spawnattr_init(&how) == 0) {
            (void)posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
            started = posix_spawnp(&child, program, &files, &how, args, environ) == 0;
            (void)posix_spawnattr_destroy(&how);
        }
        (void)posix_spawn_file_actions_destroy(&files);
    }
    free(word);
    return started;
}

char *cli_browser_open(const char *folder, const char *address)
{
    if (!has_desktop())
        return NULL;
    char *whole = realpath(folder, NULL), *path = NULL;
    const size_t room = (whole == NULL ? 0 : strlen(whole)) + sizeof page_name + 1;
    if (whole != NULL && (path = malloc(room)) != NULL)
        (void)snprintf(path, room, "%s/%s", whole, page_name);
    free(whole);
    if (path != NULL && write_page(path, address) && start(path))
        return path;
    cli_browser_close(path);
    return NULL;
}

void cli_browser_close(char *page)
{
    if (page != NULL)
        (void)unlink(page);
    free(page);
}
