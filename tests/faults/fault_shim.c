/* tests/faults/fault_shim.c - see fault_shim.h: what the environment asks for, and the count. */
#define _GNU_SOURCE
#include "faults/fault_shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_PATH = 8192 };

static struct {
    bool ready, on, kill;
    char calls[256]; /* ",open,read," */
    char path[1024];
    long at;
    fault_deed deed;
    int error, trace;
    atomic_long count;
} fault = {.trace = -1};

static int errno_named(const char *name)
{
    static const struct {
        const char *name;
        int value;
    } all[] = {{"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EDQUOT", EDQUOT},
               {"EEXIST", EEXIST}, {"EINTR", EINTR},   {"EINVAL", EINVAL},
               {"EIO", EIO},       {"EMFILE", EMFILE}, {"ENFILE", ENFILE},
               {"ENODEV", ENODEV}, {"ENOENT", ENOENT}, {"ENOMEM", ENOMEM},
               {"ENOSPC", ENOSPC}, {"EPERM", EPERM},   {"EROFS", EROFS},
               {"ESTALE", ESTALE}, {"EXDEV", EXDEV}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(name, all[i].name) == 0)
            return all[i].value;
    return 0;
}

static void refuse(const char *why)
{
    (void)syscall(SYS_write, 2, why, strlen(why));
    _exit(99);
}

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value == NULL ? "" : value;
}

__attribute__((constructor)) static void start(void)
{
    const char *how = setting("FAULT_DO"), *trace = setting("FAULT_TRACE");
    (void)snprintf(fault.calls, sizeof fault.calls, ",%s,", setting("FAULT_CALLS"));
    (void)snprintf(fault.path, sizeof fault.path, "%s", setting("FAULT_PATH"));
    fault.at = strtol(setting("FAULT_AT"), NULL, 10);
    fault.on = strcmp(setting("FAULT_ON"), "1") == 0;
    fault.kill = strcmp(how, "kill") == 0;
    fault.deed = strcmp(how, "short") == 0        ? FAULT_SHORT
                 : strcmp(how, "kill-after") == 0 ? FAULT_KILL_AFTER
                                                  : FAULT_FAIL;
    fault.error = *how == '\0' ? EIO : errno_named(how);
    if (fault.deed == FAULT_FAIL && !fault.kill && fault.error == 0)
        refuse("fault_shim: FAULT_DO has no such errno\n");
    if (*trace != '\0')
        fault.trace = (int)syscall(SYS_openat, AT_FDCWD, trace,
                                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    fault.ready = true;
}

void fault_die(void)
{
    (void)syscall(SYS_kill, getpid(), SIGKILL);
    for (;;)
        (void)pause();
}

bool fault_is_counted(const char *call)
{
    const char *at = fault.calls;
    const size_t length = strlen(call);
    while (fault.ready && (at = strstr(at, call)) != NULL) {
        if (at[-1] == ',' && at[length] == ',')
            return true;
        at += length;
    }
    return false;
}

/* One more of the counted calls: whether and how it goes wrong. */
static fault_deed count(const char *call, const char *path)
{
    const long number = atomic_fetch_add(&fault.count, 1) + 1;
    const bool hit =
        fault.at > 0 && (fault.on ? number >= fault.at : number == fault.at);
    if (fault.trace >= 0) {
        char line[MOST_PATH + 64];
        const int length = snprintf(line, sizeof line, "%ld %s %s%s\n", number, call,
                                    path, hit ? " !" : "");
        (void)syscall(SYS_write, fault.trace, line, (size_t)length);
    }
    if (hit && fault.kill)
        fault_die();
    return hit ? fault.deed : FAULT_NOTHING;
}

/* The path of an open file, "" when it has none. */
static void path_of_fd(int fd, char out[MOST_PATH])
{
    char name[64];
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const long length =
        syscall(SYS_readlinkat, AT_FDCWD, name, out, (size_t)MOST_PATH - 1);
    out[length > 0 ? length : 0] = '\0';
}

fault_deed fault_at_path(const char *call, int folder, const char *name)
{
    char below[MOST_PATH] = "", path[2 * MOST_PATH];
    if (!fault_is_counted(call))
        return FAULT_NOTHING;
    if (name[0] != '/' && folder == AT_FDCWD)
        (void)syscall(SYS_getcwd, below, sizeof below);
    else if (name[0] != '/')
        path_of_fd(folder, below);
    (void)snprintf(path, sizeof path, "%s%s%s", below, name[0] == '/' ? "" : "/", name);
    return strstr(path, fault.path) == NULL ? FAULT_NOTHING : count(call, path);
}

fault_deed fault_at_fd(const char *call, int fd)
{
    char path[MOST_PATH];
    struct stat info;
    if (!fault_is_counted(call) ||
        syscall(SYS_newfstatat, fd, "", &info, AT_EMPTY_PATH) != 0 ||
        !(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
        return FAULT_NOTHING;
    path_of_fd(fd, path);
    return strstr(path, fault.path) == NULL ? FAULT_NOTHING : count(call, path);
}

fault_deed fault_at(const char *call)
{
    return fault_is_counted(call) ? count(call, "") : FAULT_NOTHING;
}

int fault_error(void)
{
    return fault.error;
}
