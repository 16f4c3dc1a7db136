/*
 * A folder as the network has them: a FUSE filesystem over a plain directory that reports no
 * changes made elsewhere, refuses the flags of renameat2, and answers as slowly as it is told.
 *
 *     slow-folder BACKING CONTROL MOUNTPOINT
 *
 * While CONTROL/reads exists, no read of a document is answered, while CONTROL/writes does, no
 * write or fsync, and while CONTROL/all does, no request at all; where one of the first two holds a
 * number, what ends within so many bytes of the document is answered all the same. CONTROL/delay
 * holds milliseconds that each read takes, CONTROL/write-delay those of each write and fsync.
 */

#define _GNU_SOURCE
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *backing;
static const char *control;

static int exists(const char *word)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", control, word);
    return access(path, F_OK) == 0;
}

static void wait_while(const char *word)
{
    while (exists(word))
        usleep(10000);
}

/* The number that a file of CONTROL holds, 0 when it holds none, -1 when it is not there. */
static long long number(const char *word)
{
    char path[4096];
    long long value = 0;
    snprintf(path, sizeof path, "%s/%s", control, word);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    if (fscanf(file, "%lld", &value) != 1)
        value = 0;
    fclose(file);
    return value;
}

/* Waits while `word` holds less than `end` bytes back. */
static void hold(const char *word, long long end)
{
    long long held;
    while ((held = number(word)) >= 0 && held < end)
        usleep(10000);
}

static void delay(const char *word)
{
    long long milliseconds = number(word);
    if (milliseconds > 0)
        usleep(milliseconds * 1000);
}

/* The path in the backing directory, in a buffer of the calling thread, of which it has two. */
static const char *real(const char *path)
{
    static _Thread_local char buffers[2][8192];
    static _Thread_local int turn;
    turn = !turn;
    wait_while("all");
    snprintf(buffers[turn], sizeof buffers[turn], "%s%s", backing, path);
    return buffers[turn];
}

/* Files keep the inode numbers of the backing directory: it is the same folder by another way. */
static void *slow_init(struct fuse_conn_info *connection, struct fuse_config *settings)
{
    settings->use_ino = 1;
    settings->attr_timeout = settings->entry_timeout = settings->negative_timeout = 0;
    return NULL;
}

static int outcome(int result) { return result == -1 ? -errno : result; }

static int slow_getattr(const char *path, struct stat *status, struct fuse_file_info *file)
{
    if (file != NULL)
        return outcome(fstat(file->fh, status));
    return outcome(lstat(real(path), status));
}

static int slow_readlink(const char *path, char *target, size_t size)
{
    ssize_t length = readlink(real(path), target, size - 1);
    if (length == -1)
        return -errno;
    target[length] = 0;
    return 0;
}

static int slow_readdir(const char *path, void *answer, fuse_fill_dir_t fill, off_t offset,
                        struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
    DIR *directory = opendir(real(path));
    struct dirent *entry;
    if (directory == NULL)
        return -errno;
    while ((entry = readdir(directory)) != NULL) {
        struct stat status = {.st_ino = entry->d_ino, .st_mode = entry->d_type << 12};
        if (fill(answer, entry->d_name, &status, 0, 0))
            break;
    }
    closedir(directory);
    return 0;
}

static int slow_mkdir(const char *path, mode_t mode) { return outcome(mkdir(real(path), mode)); }
static int slow_unlink(const char *path) { return outcome(unlink(real(path))); }
static int slow_rmdir(const char *path) { return outcome(rmdir(real(path))); }
static int slow_symlink(const char *to, const char *path)
{
    return outcome(symlink(to, real(path)));
}
static int slow_link(const char *old, const char *new)
{
    return outcome(link(real(old), real(new)));
}

static int slow_rename(const char *old, const char *new, unsigned flags)
{
    return flags != 0 ? -EINVAL : outcome(rename(real(old), real(new)));
}

static int slow_chmod(const char *path, mode_t mode, struct fuse_file_info *file)
{
    return outcome(chmod(real(path), mode));
}

static int slow_chown(const char *path, uid_t user, gid_t group, struct fuse_file_info *file)
{
    return outcome(lchown(real(path), user, group));
}

static int slow_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
    return outcome(file != NULL ? ftruncate(file->fh, size) : truncate(real(path), size));
}

static int slow_utimens(const char *path, const struct timespec times[2],
                        struct fuse_file_info *file)
{
    return outcome(utimensat(AT_FDCWD, real(path), times, AT_SYMLINK_NOFOLLOW));
}

static int slow_create(const char *path, mode_t mode, struct fuse_file_info *file)
{
    int descriptor = open(real(path), file->flags, mode);
    file->fh = descriptor;
    return descriptor == -1 ? -errno : 0;
}

static int slow_open(const char *path, struct fuse_file_info *file)
{
    return slow_create(path, 0, file);
}

static int slow_read(const char *path, char *bytes, size_t size, off_t offset,
                     struct fuse_file_info *file)
{
    wait_while("all");
    hold("reads", offset + (long long)size);
    delay("delay");
    return outcome(pread(file->fh, bytes, size, offset));
}

static int slow_write(const char *path, const char *bytes, size_t size, off_t offset,
                      struct fuse_file_info *file)
{
    wait_while("all");
    hold("writes", offset + (long long)size);
    delay("write-delay");
    return outcome(pwrite(file->fh, bytes, size, offset));
}

static int slow_statfs(const char *path, struct statvfs *space)
{
    return outcome(statvfs(real(path), space));
}

static int slow_release(const char *path, struct fuse_file_info *file)
{
    return outcome(close(file->fh));
}

static int slow_fsync(const char *path, int data, struct fuse_file_info *file)
{
    hold("writes", LLONG_MAX);
    delay("write-delay");
    return outcome(fsync(file->fh));
}

static int slow_setxattr(const char *path, const char *name, const char *value, size_t size,
                         int flags)
{
    return outcome(lsetxattr(real(path), name, value, size, flags));
}

static int slow_getxattr(const char *path, const char *name, char *value, size_t size)
{
    return outcome(lgetxattr(real(path), name, value, size));
}

static int slow_listxattr(const char *path, char *names, size_t size)
{
    return outcome(llistxattr(real(path), names, size));
}

static int slow_removexattr(const char *path, const char *name)
{
    return outcome(lremovexattr(real(path), name));
}

static const struct fuse_operations operations = {
    .init = slow_init, .getattr = slow_getattr, .readlink = slow_readlink, .readdir = slow_readdir,
    .mkdir = slow_mkdir, .unlink = slow_unlink, .rmdir = slow_rmdir, .symlink = slow_symlink,
    .link = slow_link, .rename = slow_rename, .chmod = slow_chmod, .chown = slow_chown,
    .truncate = slow_truncate, .utimens = slow_utimens, .create = slow_create, .open = slow_open,
    .read = slow_read, .write = slow_write, .statfs = slow_statfs, .release = slow_release,
    .fsync = slow_fsync, .setxattr = slow_setxattr, .getxattr = slow_getxattr,
    .listxattr = slow_listxattr, .removexattr = slow_removexattr,
};

int main(int count, char *words[])
{
    if (count != 4) {
        fprintf(stderr, "usage: slow-folder BACKING CONTROL MOUNTPOINT\n");
        return 2;
    }
    backing = words[1];
    control = words[2];
    char *arguments[] = {words[0], "-f", words[3], NULL};
    return fuse_main(3, arguments, &operations, NULL);
}
