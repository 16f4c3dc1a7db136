/* FUSE passthrough (Linux 6.9, fs/fuse/passthrough.c and iomode.c), which libfuse 3.14 does not
 * know: backing ids, and replies that carry one. */
#include "include/CFuse.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the headers of Debian 12; linux/fuse.h. */
struct backing_map {
    int32_t fd;
    uint32_t flags;
    uint64_t padding;
};
#define BACKING_OPEN _IOW(229, 1, struct backing_map)
#define BACKING_CLOSE _IOW(229, 2, uint32_t)
#define OPEN_PASSTHROUGH (1u << 7)

const uint32_t docfs_open_direct = FOPEN_DIRECT_IO;
const uint32_t docfs_open_noflush = FOPEN_NOFLUSH;

/* The kernel reads and writes the file with the credentials of the thread that registered it
 * (fuse_backing_open). Without CAP_FSETID, the file's own filesystem takes set-id bits away at each
 * write, as it does for an ordinary user; with it they would stay, whoever writes. */
static int register_as_ordinary_writer(int session, const struct backing_map *map)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct own[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, own) != 0)
        return -errno;
    struct __user_cap_data_struct less[_LINUX_CAPABILITY_U32S_3];
    memcpy(less, own, sizeof own);
    less[0].effective &= ~(1u << CAP_FSETID);
    if (syscall(SYS_capset, &header, less) != 0)
        return -errno;
    int backing = ioctl(session, BACKING_OPEN, map);
    if (backing < 0)
        backing = -errno;
    syscall(SYS_capset, &header, own);
    return backing;
}

int docfs_backing_open(struct fuse_session *session, int fd)
{
    const struct backing_map map = {.fd = fd};
    return register_as_ordinary_writer(fuse_session_fd(session), &map);
}

void docfs_backing_close(struct fuse_session *session, int backing)
{
    uint32_t id = (uint32_t)backing;
    ioctl(fuse_session_fd(session), BACKING_CLOSE, &id);
}

static struct fuse_open_out open_reply(uint64_t handle, int backing, uint32_t flags)
{
    return (struct fuse_open_out){
        .fh = handle,
        .open_flags = OPEN_PASSTHROUGH | flags,
        .padding = (uint32_t)backing, /* backing_id since FUSE 7.40 */
    };
}

int docfs_reply_open_backed(fuse_req_t request, uint64_t handle, int backing, uint32_t flags)
{
    struct fuse_open_out reply = open_reply(handle, backing, flags);
    return fuse_reply_buf(request, (const char *)&reply, sizeof reply);
}

static void set_time(double seconds, uint64_t *whole, uint32_t *nanoseconds)
{
    *whole = (uint64_t)seconds;
    *nanoseconds = (uint32_t)((seconds - (double)*whole) * 1e9);
}

static struct fuse_attr attributes(const struct stat *status)
{
    return (struct fuse_attr){
        .ino = status->st_ino,
        .size = (uint64_t)status->st_size,
        .blocks = (uint64_t)status->st_blocks,
        .atime = (uint64_t)status->st_atim.tv_sec,
        .mtime = (uint64_t)status->st_mtim.tv_sec,
        .ctime = (uint64_t)status->st_ctim.tv_sec,
        .atimensec = (uint32_t)status->st_atim.tv_nsec,
        .mtimensec = (uint32_t)status->st_mtim.tv_nsec,
        .ctimensec = (uint32_t)status->st_ctim.tv_nsec,
        .mode = status->st_mode,
        .nlink = (uint32_t)status->st_nlink,
        .uid = status->st_uid,
        .gid = status->st_gid,
        .rdev = (uint32_t)status->st_rdev,
        .blksize = (uint32_t)status->st_blksize,
    };
}

int docfs_reply_create_backed(fuse_req_t request, const struct fuse_entry_param *entry,
                              uint64_t handle, int backing, uint32_t flags)
{
    struct {
        struct fuse_entry_out entry;
        struct fuse_open_out open;
    } reply = {
        .entry = {
            .nodeid = entry->ino,
            .generation = entry->generation,
            .attr = attributes(&entry->attr),
        },
        .open = open_reply(handle, backing, flags),
    };
    set_time(entry->entry_timeout, &reply.entry.entry_valid, &reply.entry.entry_valid_nsec);
    set_time(entry->attr_timeout, &reply.entry.attr_valid, &reply.entry.attr_valid_nsec);
    return fuse_reply_buf(request, (const char *)&reply, sizeof reply);
}
