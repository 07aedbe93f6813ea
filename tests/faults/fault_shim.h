/* tests/faults/fault_shim.h - a library that makes the n-th call of some kind go wrong.
 *
 *     LD_PRELOAD=libfault_shim.so FAULT_CALLS=open,read FAULT_AT=17 FAULT_DO=EIO jensen ...
 *
 * FAULT_CALLS  kinds of calls that are counted, of these:
 *     open     a file or a folder, for reading       create   a file, for writing
 *     read     also pread and through FILE           write    also pwrite and through FILE
 *     sync     fsync, fdatasync                      close    a file
 *     rename   also link                             remove   unlink, rmdir
 *     mkdir    a folder                              list     the entries of a folder
 *     stat     also lstat, access and statvfs        truncate
 *     lock     flock                                 map      a file into memory
 *     memory   malloc, calloc, realloc, aligned ones, and memory that is mapped
 *     thread   pthread_create
 * FAULT_AT     the number of the call that goes wrong, from 1 on; none: only counts
 * FAULT_DO     what happens to it: the name of an errno (EIO when nothing is said), `short`
 *     (half of what was to be read or written), `kill` (the process is killed instead) or
 *     `kill-after` (the call is done, a write half, then the process is killed)
 * FAULT_ON     1: that call and all later ones
 * FAULT_PATH   counts only files whose absolute path has this text in it
 * FAULT_TRACE  a file to which each counted call is added: number, kind, path; the ones
 *     that went wrong have " !" at their end
 *
 * Memory and threads have no path and are always counted. Only regular files and folders
 * are; pipes, terminals and sockets never go wrong. Calls that libc makes inside itself are not
 * seen, so FILEs are opened through this library's own calls (fopencookie), which means
 * that they have no fileno(). For 64-bit Linux; not for sanitized programs.
 */
#ifndef FAULT_SHIM_H
#define FAULT_SHIM_H

#include <stdbool.h>

typedef enum fault_deed {
    FAULT_NOTHING,
    FAULT_FAIL,      /* with fault_error() */
    FAULT_SHORT,     /* half of it */
    FAULT_KILL_AFTER /* half of it, then fault_die() */
} fault_deed;

bool fault_is_counted(const char *call);
int fault_error(void);
void fault_die(void);

/* One more call of a kind, of a file by its name (relative to an open folder, as for
 * openat), of an open file, or of neither: what is to happen to it. */
fault_deed fault_at_path(const char *call, int folder, const char *name);
fault_deed fault_at_fd(const char *call, int fd);
fault_deed fault_at(const char *call);

#endif /* FAULT_SHIM_H */
