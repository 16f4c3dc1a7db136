/// What Swift needs of libfuse 3 and of Linux system calls that Glibc's module hides.
///
/// `_GNU_SOURCE` must not be defined here: it clashes with Glibc's module. The shim defines it
/// for itself through the target's cSettings.
#ifndef CFUSE_H
#define CFUSE_H

#define FUSE_USE_VERSION 314

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/stat.h>
#include <fuse3/fuse_lowlevel.h>

// MARK: renameat2(2) flags, fallocate(2) modes, lseek(2) whence, utimensat(2) special times

extern const unsigned int docfs_rename_noreplace;
extern const unsigned int docfs_rename_exchange;
extern const int docfs_o_path;
extern const int docfs_o_direct;
extern const int docfs_o_nofollow;
extern const int docfs_o_directory;
extern const int docfs_o_noatime;
extern const int docfs_at_empty_path;
extern const int docfs_at_symlink_nofollow;
extern const int docfs_at_removedir;
extern const int docfs_falloc_keep_size;
extern const int docfs_falloc_punch_hole;
extern const int docfs_falloc_zero_range;
extern const int docfs_seek_data;
extern const int docfs_seek_hole;
extern const long docfs_utime_now;
extern const long docfs_utime_omit;

// MARK: system calls; each returns -1 and sets errno on failure, as the call of the same name

int docfs_renameat2(int old_dir, const char *old_name, int new_dir, const char *new_name,
                    unsigned int flags);
ssize_t docfs_copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t length);
int docfs_fallocate(int fd, int mode, off_t offset, off_t length);
/// FICLONE: makes `destination` share all extents of `source`.
int docfs_clone_file(int destination, int source);
int docfs_syncfs(int fd);
/// When the file was made (statx(2), stx_btime); -1 with ENOTSUP where nobody knows.
int docfs_birth(int fd, int64_t *seconds, uint32_t *nanoseconds);
ssize_t docfs_fgetxattr(int fd, const char *name, void *value, size_t size);
int docfs_fsetxattr(int fd, const char *name, const void *value, size_t size, int flags);
ssize_t docfs_flistxattr(int fd, char *list, size_t size);
int docfs_fremovexattr(int fd, const char *name);
ssize_t docfs_lgetxattr(const char *path, const char *name, void *value, size_t size);
int docfs_lsetxattr(const char *path, const char *name, const void *value, size_t size, int flags);
ssize_t docfs_llistxattr(const char *path, char *list, size_t size);
int docfs_lremovexattr(const char *path, const char *name);
ssize_t docfs_getxattr(const char *path, const char *name, void *value, size_t size);
int docfs_setxattr(const char *path, const char *name, const void *value, size_t size, int flags);
ssize_t docfs_listxattr(const char *path, char *list, size_t size);
int docfs_removexattr(const char *path, const char *name);
pid_t docfs_gettid(void);
int docfs_set_thread_name(const char *name);
/// open(2) variants: `open` and `openat` are variadic in C and hidden from Swift.
int docfs_open(const char *path, int flags, mode_t mode);
/// pipe2(2) with O_CLOEXEC.
int docfs_pipe(int ends[2]);
int docfs_openat(int dir, const char *path, int flags, mode_t mode);
/// openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS.
int docfs_openat_beneath(int dir, const char *path, int flags, mode_t mode);
/// Takes (`type` F_RDLCK, F_WRLCK) or drops (F_UNLCK) an open-file-description lock on the whole
/// file; waits when `wait` is not 0.
int docfs_ofd_lock(int fd, short type, int wait);
/// Whether `path` is a directory, and which, as far as the kernel knows without asking a
/// filesystem.
int docfs_is_directory(const char *path, uint64_t *device, uint64_t *inode);
/// Whether any process has the file open for writing: 1 or 0; -1 where nobody can tell. `fd` is
/// open for reading only. Ignores SIGIO in this process from then on.
int docfs_has_writers(int fd);
int docfs_statfs_id(int fd, uint64_t *id, uint32_t *type);
int docfs_eventfd(unsigned int initial);
/// setfsuid(2) and setfsgid(2) for the calling thread only.
int docfs_set_fs_ids(uid_t uid, gid_t gid);
/// Lets the calling thread, after docfs_set_fs_ids() to an ordinary user, still make names in every
/// directory and keep set-group-id bits: for creating what a user was allowed to create by groups
/// that this thread does not have. docfs_set_fs_ids() back to root ends it.
int docfs_keep_directory_access(void);
/// Forks into the background. In the child returns a descriptor to write one byte to when the
/// service answers; the parent never returns: it exits 0 when that byte arrives, 1 when the child
/// ends before.
int docfs_daemonize(void);
dev_t docfs_makedev(unsigned int major, unsigned int minor);
unsigned int docfs_major(dev_t device);
unsigned int docfs_minor(dev_t device);

// MARK: logind

/// What the computer is about to do, or has done.
enum docfs_power {
    docfs_power_wakes,
    docfs_power_sleeps,
    docfs_power_shuts_down,
};

/// Puts off sleep and shutdown until `receiver` has returned from being told of them, and tells it
/// when the computer is awake again. Returns -errno when there is no system bus, or it ended;
/// blocks until then.
int docfs_watch_power(void (*receiver)(void *context, enum docfs_power power), void *context);

// MARK: libfuse

struct fuse_bufvec docfs_bufvec(size_t size);
/// Replies `length` bytes of `fd` from `offset`, spliced where the kernel can.
int docfs_reply_fd(fuse_req_t request, int fd, off_t offset, size_t length);
/// Copies a write request's buffer to `fd` at `offset`. Returns bytes written or -errno.
ssize_t docfs_write_buf(struct fuse_bufvec *source, int fd, off_t offset);
/// Copies a write request's buffer to the end of `fd`. Returns bytes written or -errno.
ssize_t docfs_append_buf(struct fuse_bufvec *source, int fd);
/// A write request's buffer as memory, NULL when it is not contiguous memory.
const void *docfs_buf_memory(struct fuse_bufvec *source);
struct fuse_session *docfs_session_new(struct fuse_args *args, const struct fuse_lowlevel_ops *ops,
                                       void *userdata);
/// fuse_session_mount, with an INIT reply that also takes what the kernel offers and libfuse 3.14
/// does not know: FUSE_DIRECT_IO_ALLOW_MMAP and FUSE_HANDLE_KILLPRIV_V2.
int docfs_session_mount(struct fuse_session *session, const char *mount_point);
/// Whether MAP_SHARED works on direct-I/O handles. Known once INIT was answered.
int docfs_session_allows_direct_mmap(void);
/// Whether set-id bits are ours to drop on writes. Known once INIT was answered.
int docfs_session_handles_killpriv(void);
/// Asks for FUSE_PASSTHROUGH in the INIT reply where this process has CAP_SYS_ADMIN. Before
/// docfs_session_mount.
void docfs_session_pass_through(void);
/// Whether the kernel agreed to FUSE_PASSTHROUGH. Known once INIT was answered.
int docfs_session_passes_through(void);
/// Sends libfuse's messages, formatted and without newline, to `receiver`.
void docfs_set_log(void (*receiver)(int level, const char *message));
/// Serves requests until the mount goes or docfs_session_stop is called. One loop per process.
int docfs_session_loop(struct fuse_session *session, unsigned int max_threads);
/// Ends the loop from another thread; returns when requests in progress were answered.
void docfs_session_stop(struct fuse_session *session);

// MARK: Passthrough; see passthrough.c

/// FOPEN_DIRECT_IO beside FOPEN_PASSTHROUGH: reads and writes still come to us, mappings do not.
extern const uint32_t docfs_open_direct;
/// FOPEN_NOFLUSH: close(2) sends no FLUSH.
extern const uint32_t docfs_open_noflush;
/// Registers the file behind `fd` with the kernel: its backing id, or -errno.
int docfs_backing_open(struct fuse_session *session, int fd);
void docfs_backing_close(struct fuse_session *session, int backing);
/// As fuse_reply_open, with FOPEN_PASSTHROUGH into the file `backing` and `flags`.
int docfs_reply_open_backed(fuse_req_t request, uint64_t handle, int backing, uint32_t flags);
/// As fuse_reply_create, with the same.
int docfs_reply_create_backed(fuse_req_t request, const struct fuse_entry_param *entry,
                              uint64_t handle, int backing, uint32_t flags);

#endif
