/* What the kernel asks of a forgetful disk that has power: the handlers of libfuse. */

#define _GNU_SOURCE
#include "forgetful.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* libfuse tells a handler more than most need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define FORGETFUL_SYNC _IO('F', 0x53)

enum { patience = 3600 };

static struct stat status_of(const struct node *node)
{
    const struct image *image = &node->live;
    size_t blocks = 0;
    for (size_t index = 0; index < image->room; index++)
        blocks += image->pages[index] != NULL;
    return (struct stat){
        .st_ino = node->number, .st_mode = image->mode, .st_uid = image->user,
        .st_gid = image->group, .st_nlink = node->links, .st_rdev = node->device,
        .st_size = node->target != NULL ? (off_t)strlen(node->target) : image->size,
        .st_blksize = page_size, .st_blocks = blocks * (page_size / 512),
        .st_atim = image->accessed, .st_mtim = image->modified, .st_ctim = image->changed};
}

static struct fuse_entry_param entry_of(const struct node *node)
{
    return (struct fuse_entry_param){.ino = node->number, .attr = status_of(node),
                                     .attr_timeout = patience, .entry_timeout = patience};
}

static void reply_entry(fuse_req_t request, const struct node *node)
{
    struct fuse_entry_param entry = entry_of(node);
    fuse_reply_entry(request, &entry);
}

static void on_init(void *data, struct fuse_conn_info *connection)
{
    connection->want &= ~(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE |
                          FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_READDIRPLUS);
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    struct node *node = child(node_of(parent), name);
    if (node == NULL)
        fuse_reply_err(request, ENOENT);
    else
        reply_entry(request, node);
}

static void on_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file)
{
    struct stat status = status_of(node_of(number));
    fuse_reply_attr(request, &status, patience);
}

static void on_setattr(fuse_req_t request, fuse_ino_t number, struct stat *wanted, int what,
                       struct fuse_file_info *file)
{
    struct node *node = node_of(number);
    struct image *live = &node->live;
    struct timespec time = now();
    if (what & FUSE_SET_ATTR_SIZE)
        set_size(node, wanted->st_size);
    if (what & FUSE_SET_ATTR_MODE)
        live->mode = (live->mode & S_IFMT) | (wanted->st_mode & 07777);
    if (what & FUSE_SET_ATTR_UID)
        live->user = wanted->st_uid;
    if (what & FUSE_SET_ATTR_GID)
        live->group = wanted->st_gid;
    if (what & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW))
        live->accessed = what & FUSE_SET_ATTR_ATIME_NOW ? time : wanted->st_atim;
    if (what & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW))
        live->modified = what & FUSE_SET_ATTR_MTIME_NOW ? time : wanted->st_mtim;
    live->changed = time;
    on_getattr(request, number, file);
}

static void on_readlink(fuse_req_t request, fuse_ino_t number)
{
    fuse_reply_readlink(request, node_of(number)->target);
}

/* A new node under a new name; NULL when it was refused. */
static struct node *make(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode)
{
    struct node *directory = node_of(parent);
    if (child(directory, name) != NULL) {
        fuse_reply_err(request, EEXIST);
        return NULL;
    }
    const struct fuse_ctx *caller = fuse_req_ctx(request);
    struct node *node = make_node(mode, caller->uid, caller->gid);
    if (S_ISDIR(mode)) {
        node->links = 1;
        directory->links++;
    }
    change_name(begin_change(), directory, name, node);
    return node;
}

static void on_mknod(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode,
                     dev_t device)
{
    struct node *node = make(request, parent, name, mode);
    if (node == NULL)
        return;
    node->device = device;
    reply_entry(request, node);
}

static void on_mkdir(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode)
{
    on_mknod(request, parent, name, S_IFDIR | (mode & 07777), 0);
}

static void on_symlink(fuse_req_t request, const char *target, fuse_ino_t parent, const char *name)
{
    struct node *node = make(request, parent, name, S_IFLNK | 0777);
    if (node == NULL)
        return;
    node->target = checked(strdup(target));
    reply_entry(request, node);
}

static void on_create(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode,
                      struct fuse_file_info *file)
{
    struct node *node = make(request, parent, name, S_IFREG | (mode & 07777));
    if (node == NULL)
        return;
    struct fuse_entry_param entry = entry_of(node);
    file->keep_cache = 1;
    fuse_reply_create(request, &entry, file);
}

static void on_link(fuse_req_t request, fuse_ino_t number, fuse_ino_t parent, const char *name)
{
    struct node *directory = node_of(parent);
    if (child(directory, name) != NULL) {
        fuse_reply_err(request, EEXIST);
        return;
    }
    change_name(begin_change(), directory, name, node_of(number));
    reply_entry(request, node_of(number));
}

/* Why a name cannot be taken away from a node; 0 when it can. */
static int refusal(const struct node *node, bool wants_directory)
{
    bool is_directory = S_ISDIR(node->live.mode);
    if (is_directory != wants_directory)
        return is_directory ? EISDIR : ENOTDIR;
    return is_directory && node->live_entries != NULL ? ENOTEMPTY : 0;
}

/* The links of a directory that lost its last name, and of its parent. */
static void bury(struct node *directory, struct node *node)
{
    if (!S_ISDIR(node->live.mode))
        return;
    node->links = 0;
    directory->links--;
}

static void remove_name(fuse_req_t request, fuse_ino_t parent, const char *name, bool is_directory)
{
    struct node *directory = node_of(parent), *node = child(directory, name);
    int error = node == NULL ? ENOENT : refusal(node, is_directory);
    if (error == 0) {
        change_name(begin_change(), directory, name, NULL);
        bury(directory, node);
    }
    fuse_reply_err(request, error);
}

static void on_unlink(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    remove_name(request, parent, name, false);
}

static void on_rmdir(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    remove_name(request, parent, name, true);
}

static void on_rename(fuse_req_t request, fuse_ino_t old_parent, const char *old_name,
                      fuse_ino_t new_parent, const char *new_name, unsigned flags)
{
    struct node *from = node_of(old_parent), *to = node_of(new_parent);
    struct node *node = child(from, old_name), *other = child(to, new_name);
    int error = 0;
    if (flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE))
        error = EINVAL;
    else if (node == NULL || (flags & RENAME_EXCHANGE && other == NULL))
        error = ENOENT;
    else if (flags & RENAME_NOREPLACE && other != NULL)
        error = EEXIST;
    else if (!(flags & RENAME_EXCHANGE) && other != NULL && other != node)
        error = refusal(other, S_ISDIR(node->live.mode));
    if (error != 0 || other == node) {
        fuse_reply_err(request, error);
        return;
    }
    struct change *change = begin_change();
    change_name(change, from, old_name, flags & RENAME_EXCHANGE ? other : NULL);
    change_name(change, to, new_name, node);
    if (from != to && S_ISDIR(node->live.mode))
        from->links--, to->links++;
    if (flags & RENAME_EXCHANGE) {
        if (from != to && S_ISDIR(other->live.mode))
            from->links++, to->links--;
    } else if (other != NULL) {
        bury(to, other);
    }
    fuse_reply_err(request, 0);
}

static void on_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file)
{
    file->keep_cache = 1;
    fuse_reply_open(request, file);
}

static void on_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
                    struct fuse_file_info *file)
{
    const struct node *node = node_of(number);
    off_t left = offset < node->live.size ? node->live.size - offset : 0;
    if ((off_t)size > left)
        size = left;
    char *bytes = checked(malloc(size + 1));
    get_bytes(node, bytes, size, offset);
    fuse_reply_buf(request, bytes, size);
    free(bytes);
}

static void on_write(fuse_req_t request, fuse_ino_t number, const char *bytes, size_t size,
                     off_t offset, struct fuse_file_info *file)
{
    put_bytes(node_of(number), bytes, size, offset);
    fuse_reply_write(request, size);
}

static void on_fsync(fuse_req_t request, fuse_ino_t number, int data_only,
                     struct fuse_file_info *file)
{
    if (data_only)
        keep_bytes(node_of(number));
    else
        keep_file(node_of(number));
    fuse_reply_err(request, 0);
}

static void on_fsyncdir(fuse_req_t request, fuse_ino_t number, int data_only,
                        struct fuse_file_info *file)
{
    keep_directory(node_of(number));
    fuse_reply_err(request, 0);
}

static void on_ioctl(fuse_req_t request, fuse_ino_t number, unsigned command, void *argument,
                     struct fuse_file_info *file, unsigned flags, const void *in, size_t in_size,
                     size_t out_size)
{
    if (command != FORGETFUL_SYNC) {
        fuse_reply_err(request, ENOTTY);
        return;
    }
    keep_everything();
    fuse_reply_ioctl(request, 0, NULL, 0);
}

static void on_readdir(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
                       struct fuse_file_info *file)
{
    struct node *directory = node_of(number);
    struct node *up = directory->parent != NULL ? directory->parent : directory;
    struct entry *entry = directory->live_entries;
    char *answer = checked(malloc(size));
    size_t used = 0;
    while (true) {
        const char *name;
        struct stat status = {0};
        off_t cookie;
        if (offset < 2) {
            name = offset == 0 ? "." : "..";
            status = status_of(offset == 0 ? directory : up);
            cookie = offset + 1;
        } else {
            while (entry != NULL && entry->cookie <= offset)
                entry = entry->next;
            if (entry == NULL)
                break;
            name = entry->name;
            status = status_of(entry->node);
            cookie = entry->cookie;
        }
        size_t length =
            fuse_add_direntry(request, answer + used, size - used, name, &status, cookie);
        if (length > size - used)
            break;
        used += length;
        offset = cookie;
    }
    fuse_reply_buf(request, answer, used);
    free(answer);
}

static void on_statfs(fuse_req_t request, fuse_ino_t number)
{
    struct statvfs space = {.f_bsize = page_size, .f_frsize = page_size, .f_blocks = 1 << 24,
                            .f_bfree = 1 << 23, .f_bavail = 1 << 23, .f_files = 1 << 24,
                            .f_ffree = 1 << 23, .f_favail = 1 << 23, .f_namemax = 255};
    fuse_reply_statfs(request, &space);
}

static void on_setxattr(fuse_req_t request, fuse_ino_t number, const char *name, const char *value,
                        size_t size, int flags)
{
    struct node *node = node_of(number);
    bool exists = *find_attribute(&node->live.attributes, name) != NULL;
    int error = 0;
    if (strncmp(name, "system.", 7) == 0)
        error = EOPNOTSUPP;
    else if (flags & XATTR_CREATE && exists)
        error = EEXIST;
    else if (flags & XATTR_REPLACE && !exists)
        error = ENODATA;
    if (error == 0) {
        set_attribute(&node->live.attributes, name, value, size);
        node->live.changed = now();
    }
    fuse_reply_err(request, error);
}

static void reply_list(fuse_req_t request, const char *bytes, size_t length, size_t size)
{
    if (size == 0)
        fuse_reply_xattr(request, length);
    else if (length > size)
        fuse_reply_err(request, ERANGE);
    else
        fuse_reply_buf(request, bytes, length);
}

static void on_getxattr(fuse_req_t request, fuse_ino_t number, const char *name, size_t size)
{
    struct attribute *found = *find_attribute(&node_of(number)->live.attributes, name);
    if (found == NULL)
        fuse_reply_err(request, ENODATA);
    else
        reply_list(request, found->value, found->size, size);
}

static void on_listxattr(fuse_req_t request, fuse_ino_t number, size_t size)
{
    char *names = checked(calloc(1, 65536)), *end = names;
    for (struct attribute *each = node_of(number)->live.attributes; each; each = each->next)
        if (end - names + strlen(each->name) < 65536)
            end = stpcpy(end, each->name) + 1;
    reply_list(request, names, end - names, size);
    free(names);
}

static void on_removexattr(fuse_req_t request, fuse_ino_t number, const char *name)
{
    struct node *node = node_of(number);
    bool exists = *find_attribute(&node->live.attributes, name) != NULL;
    set_attribute(&node->live.attributes, name, NULL, 0);
    node->live.changed = now();
    fuse_reply_err(request, exists ? 0 : ENODATA);
}

static void on_fallocate(fuse_req_t request, fuse_ino_t number, int mode, off_t offset,
                         off_t length, struct fuse_file_info *file)
{
    struct node *node = node_of(number);
    if (mode & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) {
        fuse_reply_err(request, EOPNOTSUPP);
        return;
    }
    if (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
        clear_range(node, offset,
                    offset + length < node->live.size ? offset + length : node->live.size);
    if (!(mode & FALLOC_FL_KEEP_SIZE) && offset + length > node->live.size)
        set_size(node, offset + length);
    touch(node);
    fuse_reply_err(request, 0);
}

static void on_lseek(fuse_req_t request, fuse_ino_t number, off_t offset, int whence,
                     struct fuse_file_info *file)
{
    const struct node *node = node_of(number);
    off_t size = node->live.size;
    bool wants_data = whence == SEEK_DATA;
    if (offset < 0 || offset >= size) {
        fuse_reply_err(request, ENXIO);
        return;
    }
    while (offset < size && (page_of(&node->live, offset / page_size) != NULL) != wants_data)
        offset = (offset / page_size + 1) * page_size;
    if (offset >= size && wants_data)
        fuse_reply_err(request, ENXIO);
    else
        fuse_reply_lseek(request, offset < size ? offset : size);
}

const struct fuse_lowlevel_ops operations = {
    .init = on_init, .lookup = on_lookup, .getattr = on_getattr, .setattr = on_setattr,
    .readlink = on_readlink, .mknod = on_mknod, .mkdir = on_mkdir, .symlink = on_symlink,
    .create = on_create, .link = on_link, .unlink = on_unlink, .rmdir = on_rmdir,
    .rename = on_rename, .open = on_open, .read = on_read, .write = on_write, .fsync = on_fsync,
    .readdir = on_readdir, .fsyncdir = on_fsyncdir, .statfs = on_statfs, .ioctl = on_ioctl,
    .setxattr = on_setxattr, .getxattr = on_getxattr, .listxattr = on_listxattr,
    .removexattr = on_removexattr, .fallocate = on_fallocate, .lseek = on_lseek,
};
