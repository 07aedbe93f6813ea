/* cli/cli_place.c - see cli_place.h. Everything is written to OUT/.unfinished, which becomes
 * OUT/.finished in one step; from there it is moved to its place, which can be done in any
 * number of calls. */
#define _DEFAULT_SOURCE 1 /* flock */
#define _XOPEN_SOURCE   700
#include "cli/cli_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define UNFINISHED ".unfinished"
#define FINISHED   ".finished"
#define WHAT       "what.txt" /* in the second: what all this is */

static jsn_status failed(const char *path)
{
    return cli_fail(JSN_ERR_IO, "%s: %s", path, strerror(errno));
}

static void path_in(char to[CLI_PLACE_PATH], const char *folder, const char *name)
{
    (void)snprintf(to, CLI_PLACE_PATH, "%.2048s/%.2000s", folder, name);
}

static jsn_status lock(cli_place *place)
{
    if (mkdir(place->out, 0777) != 0 && errno != EEXIST)
        return failed(place->out);
    place->lock = open(place->out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (place->lock < 0 && errno == ENOTDIR)
        return cli_usage("%s: is not a folder", place->out);
    if (place->lock < 0)
        return failed(place->out);
    int error = 0;
    do
        error = flock(place->lock, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    while (error == EINTR);
    /* Where folders cannot be locked, nobody is kept out. */
    return error == EWOULDBLOCK
               ? cli_fail(JSN_ERR_BUSY, "%s: another process is writing this folder",
                          place->out)
               : JSN_OK;
}

/* Whether there are these two folders, and others' things. */
static jsn_status look(const cli_place *place, bool *unfinished, bool *finished,
                       bool *other)
{
    DIR *dir = opendir(place->out);
    if (dir == NULL)
        return failed(place->out);
    jsn_status status = JSN_OK;
    *unfinished = *finished = *other = false;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL)
            break;
        const char *name = entry->d_name;
        if (strcmp(name, UNFINISHED) == 0)
            *unfinished = true;
        else if (strcmp(name, FINISHED) == 0)
            *finished = true;
        else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            *other = true;
    }
    if (errno != 0)
        status = failed(place->out);
    (void)closedir(dir);
    return status;
}

static int remove_one(const char *path, const struct stat *info, int kind,
                      struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

/* Whether the finished folder is of the same command. */
static jsn_status is_same(const cli_place *place, bool *same)
{
    char path[CLI_PLACE_PATH], folder[CLI_PLACE_PATH], kept[CLI_PLACE_PATH] = "";
    path_in(folder, place->out, FINISHED);
    path_in(path, folder, WHAT);
    FILE *file = fopen(path, "r");
    *same = file == NULL && errno == ENOENT; /* it is the last thing to go */
    if (file == NULL)
        return *same ? JSN_OK : failed(path);
    const size_t length = fread(kept, 1, sizeof kept - 1, file);
    const bool wrong = ferror(file) != 0;
    (void)fclose(file);
    *same = length == strlen(place->what) && memcmp(kept, place->what, length) == 0;
    return wrong ? failed(path) : JSN_OK;
}

static jsn_status begin(cli_place *place, bool *written)
{
    bool unfinished = false, finished = false, other = false;
    jsn_status status = lock(place);
    if (status == JSN_OK)
        status = look(place, &unfinished, &finished, &other);
    if (status != JSN_OK)
        return status;
    if (finished) {
        status = is_same(place, written);
        return status != JSN_OK || *written
                   ? status
                   : cli_usage("%s: holds a conversion of something else that was not "
                               "finished; the same command finishes it",
                               place->out);
    }
    if (other)
        return cli_usage("%s: is not empty; --out takes a folder that is new or empty",
                         place->out);
    path_in(place->hidden, place->out, UNFINISHED);
    if (unfinished && nftw(place->hidden, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        return failed(place->hidden);
    return mkdir(place->hidden, 0777) == 0 ? JSN_OK : failed(place->hidden);
}

jsn_status cli_place_open(cli_place *place, const char *out, const char *what,
                          bool *written)
{
    *place = (cli_place){.out = out, .what = what, .lock = -1};
    *written = false;
    const jsn_status status = begin(place, written);
    if (status != JSN_OK)
        cli_place_close(place);
    return status;
}

/* Says what was written, and makes it the finished folder. */
static jsn_status seal(const cli_place *place, const char *finished)
{
    char path[CLI_PLACE_PATH];
    path_in(path, place->hidden, WHAT);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return failed(path);
    cli_print_to(file, "%s", place->what);
    const bool wrong = ferror(file) != 0;
    if ((fclose(file) != 0 && errno != EINTR) || wrong) /* interrupted, it is closed */
        return failed(path);
    return rename(place->hidden, finished) == 0 ? JSN_OK : failed(finished);
}

jsn_status cli_place_finish(const cli_place *place, const char *const *names,
                            size_t count)
{
    char finished[CLI_PLACE_PATH], from[CLI_PLACE_PATH], to[CLI_PLACE_PATH];
    path_in(finished, place->out, FINISHED);
    const jsn_status status = place->hidden[0] != '\0' ? seal(place, finished) : JSN_OK;
    if (status != JSN_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        path_in(from, finished, names[i]);
        path_in(to, place->out, names[i]);
        if (rename(from, to) != 0 && errno != ENOENT)
            return failed(to);
    }
    path_in(from, finished, WHAT);
    if (unlink(from) != 0 && errno != ENOENT)
        return failed(from);
    return rmdir(finished) == 0 ? JSN_OK : failed(finished);
}

void cli_place_close(cli_place *place)
{
    if (place->lock >= 0)
        (void)close(place->lock);
    place->lock = -1;
}
