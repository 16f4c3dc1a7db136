#include "include/CFuse.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

const unsigned int docfs_rename_noreplace = RENAME_NOREPLACE;
const unsigned int docfs_rename_exchange = RENAME_EXCHANGE;
const int docfs_o_path = O_PATH;
const int docfs_o_direct = O_DIRECT;
const int docfs_o_nofollow = O_NOFOLLOW;
const int docfs_o_directory = O_DIRECTORY;
const int docfs_o_noatime = O_NOATIME;
const int docfs_at_empty_path = AT_EMPTY_PATH;
const int docfs_at_symlink_nofollow = AT_SYMLINK_NOFOLLOW;
const int docfs_at_removedir = AT_REMOVEDIR;
const int docfs_falloc_keep_size = FALLOC_FL_KEEP_SIZE;
const int docfs_falloc_punch_hole = FALLOC_FL_PUNCH_HOLE;
const int docfs_falloc_zero_range = FALLOC_FL_ZERO_RANGE;
const int docfs_seek_data = SEEK_DATA;
const int docfs_seek_hole = SEEK_HOLE;
const long docfs_utime_now = UTIME_NOW;
const long docfs_utime_omit = UTIME_OMIT;

int docfs_renameat2(int old_dir, const char *old_name, int new_dir, const char *new_name,
                    unsigned int flags)
{
    return renameat2(old_dir, old_name, new_dir, new_name, flags);
}

ssize_t docfs_copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t length)
{
    return copy_file_range(in, in_offset, out, out_offset, length, 0);
}

int docfs_fallocate(int fd, int mode, off_t offset, off_t length)
{
    return fallocate(fd, mode, offset, length);
}

int docfs_clone_file(int destination, int source)
{
    return ioctl(destination, FICLONE, source);
}

int docfs_syncfs(int fd)
{
    return syncfs(fd);
}

int docfs_birth(int fd, int64_t *seconds, uint32_t *nanoseconds)
{
    struct statx result;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &result) != 0)
        return -1;
    if (!(result.stx_mask & STATX_BTIME)) {
        errno = ENOTSUP;
        return -1;
    }
    *seconds = result.stx_btime.tv_sec;
    *nanoseconds = result.stx_btime.tv_nsec;
    return 0;
}

ssize_t docfs_fgetxattr(int fd, const char *name, void *value, size_t size)
{
    return fgetxattr(fd, name, value, size);
}

int docfs_fsetxattr(int fd, const char *name, const void *value, size_t size, int flags)
{
    return fsetxattr(fd, name, value, size, flags);
}

ssize_t docfs_flistxattr(int fd, char *list, size_t size)
{
    return flistxattr(fd, list, size);
}

int docfs_fremovexattr(int fd, const char *name)
{
    return fremovexattr(fd, name);
}

ssize_t docfs_lgetxattr(const char *path, const char *name, void *value, size_t size)
{
    return lgetxattr(path, name, value, size);
}

int docfs_lsetxattr(const char *path, const char *name, const void *value, size_t size, int flags)
{
    return lsetxattr(path, name, value, size, flags);
}

ssize_t docfs_llistxattr(const char *path, char *list, size_t size)
{
    return llistxattr(path, list, size);
}

int docfs_lremovexattr(const char *path, const char *name)
{
    return lremovexattr(path, name);
}

ssize_t docfs_getxattr(const char *path, const char *name, void *value, size_t size)
{
    return getxattr(path, name, value, size);
}

int docfs_setxattr(const char *path, const char *name, const void *value, size_t size, int flags)
{
    return setxattr(path, name, value, size, flags);
}

ssize_t docfs_listxattr(const char *path, char *list, size_t size)
{
    return listxattr(path, list, size);
}

int docfs_removexattr(const char *path, const char *name)
{
    return removexattr(path, name);
}

pid_t docfs_gettid(void)
{
    return (pid_t)syscall(SYS_gettid);
}

int docfs_set_thread_name(const char *name)
{
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

int docfs_open(const char *path, int flags, mode_t mode)
{
    return open(path, flags, mode);
}

int docfs_openat(int dir, const char *path, int flags, mode_t mode)
{
    return openat(dir, path, flags, mode);
}

int docfs_openat_beneath(int dir, const char *path, int flags, mode_t mode)
{
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (uint64_t)(unsigned int)flags;
    how.mode = (flags & (O_CREAT | __O_TMPFILE)) ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
}

int docfs_ofd_lock(int fd, short type, int wait)
{
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
}

int docfs_is_directory(const char *path, uint64_t *device, uint64_t *inode)
{
    struct statx found;
    /* Never asks a network, nor our own mount: see statx(2). */
    int flags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
    if (statx(AT_FDCWD, path, flags, STATX_TYPE | STATX_INO, &found) != 0)
        return 0;
    if ((found.stx_mode & S_IFMT) != S_IFDIR)
        return 0;
    *device = makedev(found.stx_dev_major, found.stx_dev_minor);
    *inode = found.stx_ino;
    return 1;
}

int docfs_has_writers(int fd)
{
    static int ignores;
    /* An open that breaks the lease sends it, and by default it ends the process. */
    if (!ignores) {
        if (signal(SIGIO, SIG_IGN) == SIG_ERR)
            return -1;
        ignores = 1;
    }
    if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
        fcntl(fd, F_SETLEASE, F_UNLCK);
        return 0;
    }
    return errno == EAGAIN ? 1 : -1;
}

int docfs_statfs_id(int fd, uint64_t *id, uint32_t *type)
{
    struct statfs result;
    if (fstatfs(fd, &result) != 0)
        return -1;
    memcpy(id, &result.f_fsid, sizeof *id);
    *type = (uint32_t)result.f_type;
    return 0;
}

int docfs_eventfd(unsigned int initial)
{
    return eventfd(initial, EFD_CLOEXEC | EFD_NONBLOCK);
}

int docfs_set_fs_ids(uid_t uid, gid_t gid)
{
    setfsgid(gid);
    setfsuid(uid);
    return (uid_t)setfsuid((uid_t)-1) == uid ? 0 : -1;
}

int docfs_keep_directory_access(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) != 0)
        return -1;
    uint32_t wanted = (1u << CAP_DAC_OVERRIDE) | (1u << CAP_FSETID);
    sets[0].effective |= wanted & sets[0].permitted;
    return (int)syscall(SYS_capset, &header, sets);
}

int docfs_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC);
}

int docfs_daemonize(void)
{
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0)
        return -1;
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child > 0) {
        char byte;
        close(ready[1]);
        ssize_t got;
        do
            got = read(ready[0], &byte, 1);
        while (got < 0 && errno == EINTR);
        if (got == 1)
            _exit(0);
        int status = 0;
        waitpid(child, &status, 0);
        _exit(WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1);
    }
    close(ready[0]);
    setsid();
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, 0);
        if (null > 2)
            close(null);
    }
    return ready[1];
}

dev_t docfs_makedev(unsigned int major_number, unsigned int minor_number)
{
    return makedev(major_number, minor_number);
}

unsigned int docfs_major(dev_t device)
{
    return major(device);
}

unsigned int docfs_minor(dev_t device)
{
    return minor(device);
}

struct fuse_bufvec docfs_bufvec(size_t size)
{
    struct fuse_bufvec vector = FUSE_BUFVEC_INIT(size);
    return vector;
}

int docfs_reply_fd(fuse_req_t request, int fd, off_t offset, size_t length)
{
    struct fuse_bufvec vector = FUSE_BUFVEC_INIT(length);
    vector.buf[0].flags = FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK;
    vector.buf[0].fd = fd;
    vector.buf[0].pos = offset;
    return fuse_reply_data(request, &vector, FUSE_BUF_SPLICE_MOVE);
}

ssize_t docfs_write_buf(struct fuse_bufvec *source, int fd, off_t offset)
{
    struct fuse_bufvec vector = FUSE_BUFVEC_INIT(fuse_buf_size(source));
    vector.buf[0].flags = FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK;
    vector.buf[0].fd = fd;
    vector.buf[0].pos = offset;
    return fuse_buf_copy(&vector, source, FUSE_BUF_SPLICE_NONBLOCK);
}

ssize_t docfs_append_buf(struct fuse_bufvec *source, int fd)
{
    struct iovec piece = {(void *)docfs_buf_memory(source), fuse_buf_size(source)};
    void *copy = NULL;
    if (piece.iov_base == NULL) {
        struct fuse_bufvec vector = FUSE_BUFVEC_INIT(piece.iov_len);
        piece.iov_base = vector.buf[0].mem = copy = malloc(piece.iov_len);
        if (copy == NULL)
            return -ENOMEM;
        ssize_t count = fuse_buf_copy(&vector, source, 0);
        if (count < 0) {
            free(copy);
            return count;
        }
        piece.iov_len = count;
    }
    ssize_t count = pwritev2(fd, &piece, 1, 0, RWF_APPEND);
    if (count < 0)
        count = -errno;
    free(copy);
    return count;
}

const void *docfs_buf_memory(struct fuse_bufvec *source)
{
    if (source->count - source->idx != 1 || (source->buf[source->idx].flags & FUSE_BUF_IS_FD))
        return NULL;
    return (const char *)source->buf[source->idx].mem + source->off;
}

struct fuse_session *docfs_session_new(struct fuse_args *args, const struct fuse_lowlevel_ops *ops,
                                       void *userdata)
{
    return fuse_session_new(args, ops, sizeof *ops, userdata);
}
