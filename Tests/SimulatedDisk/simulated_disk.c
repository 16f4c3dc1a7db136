// The calls that change a disk, in the place of the C library's own: a program's definitions come
// before those of its libraries, so that SQLite's calls are these as well.

#define _GNU_SOURCE

#include "simulated_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int is_full;
static int is_away;

void simulated_disk_set_full(int value) { is_full = value; }
void simulated_disk_set_away(int value) { is_away = value; }

static int is_there(void) {
    if (is_away) errno = EIO;
    return !is_away;
}

static int has_room(void) {
    if (is_full) errno = ENOSPC;
    return !is_full && is_there();
}

// What takes room.

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return has_room() ? syscall(SYS_pwrite64, file, bytes, count, offset) : -1;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) {
    return has_room() ? syscall(SYS_pwrite64, file, bytes, count, offset) : -1;
}

ssize_t write(int file, const void *bytes, size_t count) {
    // What the simulation says itself has room.
    return file <= 2 || has_room() ? syscall(SYS_write, file, bytes, count) : -1;
}

int fallocate(int file, int mode, off_t offset, off_t length) {
    return has_room() ? (int)syscall(SYS_fallocate, file, mode, offset, length) : -1;
}

int fsetxattr(int file, const char *name, const void *value, size_t size, int flags) {
    return has_room() ? (int)syscall(SYS_fsetxattr, file, name, value, size, flags) : -1;
}

ssize_t copy_file_range(int in, off_t *from, int out, off_t *to, size_t count, unsigned flags) {
    return has_room() ? syscall(SYS_copy_file_range, in, from, out, to, count, flags) : -1;
}

// What other processes would be told.

static int locked_fcntl(int file, int command, void *argument) {
    // Each file is one process's alone, inside which SQLite keeps order by itself (sqlite.org,
    // os_unix.c, "Posix Advisory Locking"): nobody else is there to ask the kernel about.
    if (command == F_SETLK) return 0;
    if (command == F_GETLK) {
        ((struct flock *)argument)->l_type = F_UNLCK;
        return 0;
    }
    return (int)syscall(SYS_fcntl, file, command, argument);
}

int fcntl(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return locked_fcntl(file, command, argument);
}

int fcntl64(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return locked_fcntl(file, command, argument);
}

// What takes none.

int openat(int directory, const char *name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (flags & (O_CREAT | O_TRUNC) && !is_there()) return -1;
    return (int)syscall(SYS_openat, directory, name, flags, mode);
}

int renameat(int directory, const char *name, int new_directory, const char *new_name) {
    return is_there() ? (int)syscall(SYS_renameat2, directory, name, new_directory, new_name, 0)
                      : -1;
}

int renameat2(int directory, const char *name, int new_directory, const char *new_name,
              unsigned flags) {
    return is_there() ? (int)syscall(SYS_renameat2, directory, name, new_directory, new_name, flags)
                      : -1;
}

int unlinkat(int directory, const char *name, int flags) {
    return is_there() ? (int)syscall(SYS_unlinkat, directory, name, flags) : -1;
}

int linkat(int directory, const char *name, int new_directory, const char *new_name, int flags) {
    return is_there() ? (int)syscall(SYS_linkat, directory, name, new_directory, new_name, flags)
                      : -1;
}

int symlinkat(const char *target, int directory, const char *name) {
    return is_there() ? (int)syscall(SYS_symlinkat, target, directory, name) : -1;
}

int mkdirat(int directory, const char *name, mode_t mode) {
    return is_there() ? (int)syscall(SYS_mkdirat, directory, name, mode) : -1;
}

int ftruncate(int file, off_t size) {
    return is_there() ? (int)syscall(SYS_ftruncate, file, size) : -1;
}

int fremovexattr(int file, const char *name) {
    return is_there() ? (int)syscall(SYS_fremovexattr, file, name) : -1;
}

int fchmod(int file, mode_t mode) {
    return is_there() ? (int)syscall(SYS_fchmod, file, mode) : -1;
}

int utimensat(int directory, const char *name, const struct timespec times[2], int flags) {
    return is_there() ? (int)syscall(SYS_utimensat, directory, name, times, flags) : -1;
}

int futimens(int file, const struct timespec times[2]) {
    return is_there() ? (int)syscall(SYS_utimensat, file, NULL, times, 0) : -1;
}
