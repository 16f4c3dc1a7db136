// The calls that need room on a disk, in the place of the C library's own: a program's definitions
// come before those of its libraries, so that SQLite's writes are these as well.

#include "simulated_disk.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int is_full;

void simulated_disk_set_full(int value) { is_full = value; }

static int has_room(void) {
    if (is_full) errno = ENOSPC;
    return !is_full;
}

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
