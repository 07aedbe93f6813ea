/* tests/faults/fault_probe.c - makes one call of each kind on the file "probe", in the order
 * that faults_shim.sh knows, and prints what it wrote; ends at the first that fails. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void need(int fine, const char *call)
{
    if (fine)
        return;
    (void)fprintf(stderr, "%s: %s\n", call, strerror(errno));
    exit(1);
}

static void write_all(int fd, const char *text)
{
    while (*text != '\0') {
        const ssize_t n = write(fd, text, strlen(text));
        need(n >= 0 || errno == EINTR, "write");
        text += n > 0 ? n : 0;
    }
}

int main(void)
{
    char text[64] = "";
    struct stat info;
    const int fd = open("probe", O_RDWR | O_CREAT | O_TRUNC, 0666);
    need(fd >= 0, "create");
    write_all(fd, "0123456789");
    write_all(fd, "abcdefghij");
    need(fsync(fd) == 0, "sync");
    need(lseek(fd, 0, SEEK_SET) == 0, "seek");
    for (size_t have = 0; have < 20;) {
        const ssize_t n = read(fd, text + have, 20 - have);
        need(n > 0 || errno == EINTR, "read");
        have += n > 0 ? (size_t)n : 0;
    }
    need(close(fd) == 0, "close");
    need(stat("probe", &info) == 0, "stat");
    need(rename("probe", "probe-2") == 0, "rename");
    FILE *file = fopen("probe-2", "a");
    need(file != NULL, "fopen");
    need(fputs("!", file) >= 0 && fclose(file) == 0, "fputs");
    char *block = malloc(100);
    need(block != NULL, "malloc");
    free(block);
    need(unlink("probe-2") == 0, "remove");
    (void)printf("%s\n", text);
    return 0;
}
