/* sweep/worker_process.c - see worker_process.h. What is asked is in /proc, and in its absence
 * nobody is taken for gone. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/worker_process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/file_start.h"
#include "core/sha256.h"

enum { HOST = 64, PLACE = 16 }; /* letters; digits of the hash */

static void read_host(char host[HOST])
{
    (void)snprintf(host, HOST, "host");
    (void)gethostname(host, HOST - 1);
    host[HOST - 1] = '\0';
    for (char *c = host; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < 32)
            *c = '-';
}

/* Adds what a link says; false: there is none. */
static bool add_link(jsni_sha256 *sha, const char *path)
{
    char text[64];
    const ssize_t length = readlink(path, text, sizeof text);
    if (length <= 0)
        return false;
    jsni_sha256_add(sha, text, (size_t)length);
    return true;
}

/* Whether /proc counts processes as this one does; a container may have that of its host. */
static bool is_own_proc(void)
{
    char text[24], want[24];
    const ssize_t length = readlink("/proc/self", text, sizeof text - 1);
    (void)snprintf(want, sizeof want, "%ld", (long)getpid());
    return length > 0 && (size_t)length == strlen(want) &&
           memcmp(text, want, strlen(want)) == 0;
}

/* One number for all processes that see the same processes under the same numbers and times;
 * false: unknown. A copied virtual machine keeps all of it but its name. */
static bool find_place(char place[PLACE + 1])
{
    char boot[64], host[HOST], hex[JSNI_SHA256_HEX];
    jsni_sha256 sha;
    const size_t length =
        jsni_file_start("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    jsni_sha256_init(&sha);
    if (length < 32 || !is_own_proc() || !add_link(&sha, "/proc/self/ns/pid"))
        return false;
    read_host(host);
    (void)add_link(&sha, "/proc/self/ns/time"); /* not every system has these */
    jsni_sha256_add(&sha, boot, length);
    jsni_sha256_add(&sha, host, strlen(host));
    jsni_sha256_hex(&sha, hex);
    (void)snprintf(place, PLACE + 1, "%.16s", hex);
    return true;
}

/* What /proc/PID/stat says behind the name, which may hold anything: the state is the third
 * number of the line, the threads the 20th, the start the 22nd. */
typedef struct process {
    char state;
    uint64_t threads, start;
} process;

static bool read_process(long pid, process *out)
{
    char path[48], text[1024];
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const size_t length = jsni_file_start(path, text, sizeof text - 1);
    text[length] = '\0';
    const char *at = strrchr(text, ')');
    if (at == NULL || at[1] != ' ' || at[2] == '\0')
        return false;
    out->state = at[2];
    at += 3;
    for (int field = 4; field <= 22; field++) {
        char *end = NULL;
        const uint64_t number = strtoull(at, &end, 10);
        if (end == at)
            return false;
        if (field == 20)
            out->threads = number;
        out->start = number;
        at = end;
    }
    return true;
}

void jsni_worker_name(char name[JSNI_WORKER_NAME])
{
    char host[HOST], place[PLACE + 1];
    process self;
    struct timespec now;
    read_host(host);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    if (find_place(place) && read_process((long)getpid(), &self))
        (void)snprintf(name, JSNI_WORKER_NAME, "%.40s-%ld-%" PRIx64 "-%s-%" PRIx64,
                       host, (long)getpid(), time, place, self.start);
    else
        (void)snprintf(name, JSNI_WORKER_NAME, "%.40s-%ld-%" PRIx64, host,
                       (long)getpid(), time);
}

/* The last part of `text`, which ends before it; NULL: there is none. */
static char *cut_part(char *text)
{
    char *dash = strrchr(text, '-');
    if (dash == NULL)
        return NULL;
    *dash = '\0';
    return dash + 1;
}

static bool read_number(const char *text, int base, uint64_t *out)
{
    char *end = NULL;
    *out = strtoull(text, &end, base);
    return *text != '\0' && *text != '-' && *end == '\0';
}

bool jsni_worker_is_gone(const char *name)
{
    char text[JSNI_WORKER_NAME], here[PLACE + 1];
    uint64_t start = 0, pid = 0;
    process there;
    if (strlen(name) >= sizeof text)
        return false;
    (void)snprintf(text, sizeof text, "%s", name);
    const char *began = cut_part(text), *place = cut_part(text), *time = cut_part(text),
               *number = cut_part(text);
    if (number == NULL || time == NULL || !read_number(began, 16, &start) ||
        !read_number(number, 10, &pid) || pid == 0 || pid > INT32_MAX ||
        !find_place(here) || strcmp(place, here) != 0)
        return false;
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
        return true;
    if (!read_process((long)pid, &there)) /* that of another user may be hidden */
        return false;
    /* One that has ended and waits for its parent has no thread left but this one. */
    return there.start != start || (there.state == 'Z' && there.threads <= 1);
}
