/*
 * A disk that forgets whatever was not synced when its power goes: a FUSE filesystem in memory that
 * knows of every page, size, attribute and name what the disk has of it for certain.
 *
 *     forgetful MOUNTPOINT
 *
 * It is told what to do by lines on its standard input, and answers each with a line:
 *
 *     sync      everything is on the disk
 *     off       the power goes: every request fails with EIO from now on
 *     on SEED   the power is back: of what was not synced the seed chooses what is there; mounted anew
 *
 * At the end of its input it unmounts and ends. What the disk has for certain:
 *
 * - fsync of a file: its bytes, size, mode, owner, times and attributes; not its name. fdatasync:
 *   bytes and size.
 * - fsync of a directory: the names made, renamed and removed in it, a rename from or to another
 *   directory in whole. ioctl FORGETFUL_SYNC on a directory: everything, as syncfs(2), of which the
 *   kernel does not tell a FUSE filesystem (see syncfs.c).
 *
 * Everything else is there, or not, each by itself: a page of 4 KiB is old, new or torn between two
 * sectors; a size is the old, the new or the smallest in between; mode, owner and times are old or
 * new, and so is each attribute. Changes of names keep what a journal keeps: each happens in whole
 * or not at all, and not without the earlier ones of the same name or file, or, for a removed
 * directory, of the names in it. Half of the seeds keep their order too: what happened before some
 * moment is there, what happened after is not.
 */

#define _GNU_SOURCE
#define FUSE_USE_VERSION 35
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define FORGETFUL_SYNC _IO('F', 0x53)

enum { page_size = 4096, sector_size = 512, patience = 3600 };

struct attribute {
    struct attribute *next;
    size_t size;
    char *value;
    char name[];
};

/* What there is of a file but for its names. A page that is NULL holds zeros. */
struct image {
    mode_t mode;
    uid_t user;
    gid_t group;
    struct timespec accessed, modified, changed;
    off_t size;
    char **pages;
    size_t room;
    struct attribute *attributes;
};

struct entry {
    struct entry *next;
    struct node *node;
    off_t cookie;
    char name[];
};

struct node {
    fuse_ino_t number;
    dev_t device;
    char *target;
    struct image live, kept;
    off_t smallest; /* size since the last sync */
    struct entry *live_entries, *kept_entries;
    struct node *parent;
    unsigned links;
    bool reached;
};

/* A change of one or two names at once that the disk may not have. */
struct change {
    struct change *next;
    struct slot {
        struct node *directory, *from, *to;
        char *name;
    } slots[2];
    int count;
    bool moves_directory, survives;
};

static struct node **nodes;
static size_t node_room, next_number = FUSE_ROOT_ID;
static struct change *changes, **last_change = &changes;
static bool is_off;
static const char *mountpoint;

static void *checked(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "forgetful: no memory\n");
        exit(1);
    }
    return memory;
}

static struct timespec now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

static struct node *node_of(fuse_ino_t number) { return nodes[number]; }

/* Bytes */

static void make_room(struct image *image, size_t count)
{
    if (count <= image->room)
        return;
    size_t room = count + count / 2;
    image->pages = checked(realloc(image->pages, room * sizeof *image->pages));
    memset(image->pages + image->room, 0, (room - image->room) * sizeof *image->pages);
    image->room = room;
}

static char *page_of(const struct image *image, size_t index)
{
    return index < image->room ? image->pages[index] : NULL;
}

/* A page of the live image that may be written: not the one that the disk has. */
static char *own_page(struct node *node, size_t index)
{
    make_room(&node->live, index + 1);
    char *page = node->live.pages[index];
    if (page != NULL && page != page_of(&node->kept, index))
        return page;
    char *own = checked(calloc(1, page_size));
    if (page != NULL)
        memcpy(own, page, page_size);
    return node->live.pages[index] = own;
}

static void drop_page(struct node *node, size_t index)
{
    char *page = page_of(&node->live, index);
    if (page == NULL)
        return;
    if (page != page_of(&node->kept, index))
        free(page);
    node->live.pages[index] = NULL;
}

static void clear_range(struct node *node, off_t from, off_t to)
{
    while (from < to) {
        off_t end = (from / page_size + 1) * page_size;
        size_t index = from / page_size;
        if (end > to)
            end = to;
        if (from % page_size == 0 && (end % page_size == 0 || end >= node->live.size))
            drop_page(node, index);
        else if (page_of(&node->live, index) != NULL)
            memset(own_page(node, index) + from % page_size, 0, end - from);
        from = end;
    }
}

static void touch(struct node *node) { node->live.modified = node->live.changed = now(); }

static void set_size(struct node *node, off_t size)
{
    if (size < node->live.size)
        clear_range(node, size, node->live.size);
    node->live.size = size;
    if (size < node->smallest)
        node->smallest = size;
    touch(node);
}

static void put_bytes(struct node *node, const char *bytes, size_t size, off_t offset)
{
    while (size > 0) {
        size_t at = offset % page_size, piece = page_size - at;
        if (piece > size)
            piece = size;
        memcpy(own_page(node, offset / page_size) + at, bytes, piece);
        bytes += piece, offset += piece, size -= piece;
    }
    if (offset > node->live.size)
        node->live.size = offset;
    touch(node);
}

static void get_bytes(const struct node *node, char *bytes, size_t size, off_t offset)
{
    while (size > 0) {
        size_t at = offset % page_size, piece = page_size - at;
        const char *page = page_of(&node->live, offset / page_size);
        if (piece > size)
            piece = size;
        if (page != NULL)
            memcpy(bytes, page + at, piece);
        else
            memset(bytes, 0, piece);
        bytes += piece, offset += piece, size -= piece;
    }
}

/* Attributes */

static struct attribute **find_attribute(struct attribute **list, const char *name)
{
    while (*list != NULL && strcmp((*list)->name, name) != 0)
        list = &(*list)->next;
    return list;
}

static void set_attribute(struct attribute **list, const char *name, const char *value, size_t size)
{
    struct attribute **place = find_attribute(list, name), *old = *place;
    if (old != NULL) {
        *place = old->next;
        free(old->value);
        free(old);
    }
    if (value == NULL)
        return;
    struct attribute *attribute = checked(malloc(sizeof *attribute + strlen(name) + 1));
    strcpy(attribute->name, name);
    attribute->size = size;
    attribute->value = checked(malloc(size + 1));
    memcpy(attribute->value, value, size);
    attribute->next = *list;
    *list = attribute;
}

static void copy_attributes(struct attribute **to, const struct attribute *from)
{
    while (*to != NULL)
        set_attribute(to, (*to)->name, NULL, 0);
    for (; from != NULL; from = from->next)
        set_attribute(to, from->name, from->value, from->size);
}

/* Names */

static struct entry **find_entry(struct entry **list, const char *name)
{
    while (*list != NULL && strcmp((*list)->name, name) != 0)
        list = &(*list)->next;
    return list;
}

static struct node *child(struct node *directory, const char *name)
{
    struct entry *entry = *find_entry(&directory->live_entries, name);
    return entry == NULL ? NULL : entry->node;
}

static void set_entry(struct entry **list, const char *name, struct node *node)
{
    static off_t last_cookie = 2;
    struct entry **place = find_entry(list, name), *entry = *place;
    if (entry != NULL) {
        *place = entry->next;
        free(entry);
    }
    if (node == NULL)
        return;
    while (*place != NULL)
        place = &(*place)->next;
    *place = entry = checked(malloc(sizeof *entry + strlen(name) + 1));
    *entry = (struct entry){.node = node, .cookie = ++last_cookie};
    strcpy(entry->name, name);
}

static struct change *begin_change(void)
{
    struct change *change = checked(calloc(1, sizeof *change));
    *last_change = change;
    last_change = &change->next;
    return change;
}

/* Has `name` lead to `to` from now on, or nowhere. */
static void change_name(struct change *change, struct node *directory, const char *name,
                        struct node *to)
{
    struct slot *slot = &change->slots[change->count++];
    *slot = (struct slot){directory, child(directory, name), to, checked(strdup(name))};
    if (slot->from != NULL) {
        slot->from->links--;
        slot->from->live.changed = now();
    }
    if (to != NULL) {
        to->links++;
        to->live.changed = now();
        if (S_ISDIR(to->live.mode)) {
            change->moves_directory |= to->parent != NULL && to->parent != directory;
            to->parent = directory;
        }
    }
    set_entry(&directory->live_entries, name, to);
    touch(directory);
}

static bool depends(const struct change *later, const struct change *earlier)
{
    if (later->moves_directory && earlier->moves_directory)
        return true;
    for (int i = 0; i < later->count; i++) {
        const struct slot *one = &later->slots[i];
        for (int k = 0; k < earlier->count; k++) {
            const struct slot *other = &earlier->slots[k];
            if (one->directory == other->directory && strcmp(one->name, other->name) == 0)
                return true;
            if (one->from != NULL && (one->from == other->from || one->from == other->to))
                return true;
            if (one->to != NULL && (one->to == other->from || one->to == other->to))
                return true;
            /* What is removed was empty. */
            if (one->from != NULL && one->from == other->directory)
                return true;
        }
    }
    return false;
}

/* Marks as surviving what the marked ones depend on. */
static void close_marks(void)
{
    size_t count = 0, at = 0;
    for (struct change *change = changes; change != NULL; change = change->next)
        count++;
    struct change *all[count + 1];
    for (struct change *change = changes; change != NULL; change = change->next)
        all[at++] = change;
    for (size_t later = count; later-- > 0;)
        for (size_t earlier = 0; all[later]->survives && earlier < later; earlier++)
            if (!all[earlier]->survives && depends(all[later], all[earlier]))
                all[earlier]->survives = true;
}

/* Brings the marked changes to the disk; the others are forgotten when `drops_others`. */
static void keep_marked(bool drops_others)
{
    struct change **place = &changes, *change;
    while ((change = *place) != NULL) {
        if (!change->survives && !drops_others) {
            place = &change->next;
            continue;
        }
        for (int i = 0; i < change->count; i++) {
            struct slot *slot = &change->slots[i];
            if (change->survives)
                set_entry(&slot->directory->kept_entries, slot->name, slot->to);
            free(slot->name);
        }
        *place = change->next;
        free(change);
    }
    last_change = place;
}

/* Syncing */

static void keep_bytes(struct node *node)
{
    make_room(&node->live, node->kept.room);
    for (size_t index = 0; index < node->live.room; index++) {
        char *old = page_of(&node->kept, index), *new = node->live.pages[index];
        if (old == new)
            continue;
        make_room(&node->kept, index + 1);
        node->kept.pages[index] = new;
        free(old);
    }
    node->kept.size = node->smallest = node->live.size;
}

static void keep_description(struct node *node)
{
    node->kept.mode = node->live.mode;
    node->kept.user = node->live.user;
    node->kept.group = node->live.group;
    node->kept.accessed = node->live.accessed;
    node->kept.modified = node->live.modified;
    node->kept.changed = node->live.changed;
}

static void keep_file(struct node *node)
{
    keep_bytes(node);
    keep_description(node);
    copy_attributes(&node->kept.attributes, node->live.attributes);
}

static void keep_directory(struct node *node)
{
    keep_file(node);
    for (struct change *change = changes; change != NULL; change = change->next)
        for (int i = 0; i < change->count; i++)
            change->survives |= change->slots[i].directory == node;
    close_marks();
    keep_marked(false);
}

static void keep_everything(void)
{
    for (struct change *change = changes; change != NULL; change = change->next)
        change->survives = true;
    keep_marked(false);
    for (size_t number = 1; number < next_number; number++)
        if (nodes[number] != NULL)
            keep_file(nodes[number]);
}

/* Nodes */

static struct node *make_node(mode_t mode, uid_t user, gid_t group)
{
    if (next_number >= node_room) {
        size_t room = node_room * 2 + 1024;
        nodes = checked(realloc(nodes, room * sizeof *nodes));
        memset(nodes + node_room, 0, (room - node_room) * sizeof *nodes);
        node_room = room;
    }
    struct node *node = checked(calloc(1, sizeof *node));
    node->number = next_number;
    nodes[next_number++] = node;
    struct timespec time = now();
    node->live = (struct image){.mode = mode, .user = user, .group = group,
                                .accessed = time, .modified = time, .changed = time};
    /* A journal has the file with its name: empty. */
    node->kept = node->live;
    return node;
}

static void free_node(struct node *node)
{
    nodes[node->number] = NULL;
    for (size_t index = 0; index < node->kept.room; index++)
        free(node->kept.pages[index]);
    free(node->kept.pages);
    free(node->live.pages);
    copy_attributes(&node->live.attributes, NULL);
    copy_attributes(&node->kept.attributes, NULL);
    while (node->live_entries != NULL)
        set_entry(&node->live_entries, node->live_entries->name, NULL);
    while (node->kept_entries != NULL)
        set_entry(&node->kept_entries, node->kept_entries->name, NULL);
    free(node->target);
    free(node);
}

/* Forgetting */

static unsigned long long seed;
static unsigned lost_names, lost_pages, lost_others;

/* The same answer for the same seed and thing, whatever else is asked. */
static unsigned draw(const char *what, unsigned long long one, unsigned long long two)
{
    unsigned long long hash = seed * 0x9e3779b97f4a7c15ull ^ 0xcbf29ce484222325ull;
    for (; *what != 0; what++)
        hash = (hash ^ (unsigned char)*what) * 0x100000001b3ull;
    hash = (hash ^ one) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ hash >> 29 ^ two) * 0x94d049bb133111ebull;
    return (hash ^ hash >> 32) & 0x7fffffff;
}

/* Whether this thing survives; how many of its kind do is the seed's choice as well. */
static bool survives(const char *kind, unsigned long long one, unsigned long long two)
{
    static const unsigned odds[] = {0, 10, 50, 90, 100};
    return draw(kind, one, two) % 100 < odds[draw(kind, 0, 0) % 5];
}

static void forget_names(void)
{
    unsigned count = 0, index = 0;
    for (struct change *change = changes; change != NULL; change = change->next)
        count++;
    bool in_order = draw("order", 0, 0) % 2 == 0;
    unsigned moment = draw("moment", 0, 0) % (count + 1);
    for (struct change *change = changes; change != NULL; change = change->next, index++)
        change->survives = in_order ? index < moment
                                    : survives("name", draw(change->slots[0].name, 0, 0), index);
    close_marks();
    for (struct change *change = changes; change != NULL; change = change->next)
        lost_names += !change->survives;
    keep_marked(true);
}

static void forget_page(struct node *node, size_t index)
{
    char *old = page_of(&node->kept, index), *new = page_of(&node->live, index);
    if (old == new)
        return;
    if (draw("tear", node->number, index) % 8 == 0) {
        size_t at = (1 + draw("sector", node->number, index) % 7) * sector_size;
        char *page = own_page(node, index);
        if (old != NULL)
            memcpy(page + at, old + at, page_size - at);
        else
            memset(page + at, 0, page_size - at);
        lost_pages++;
    } else if (!survives("page", node->number, index)) {
        drop_page(node, index);
        make_room(&node->live, index + 1);
        node->live.pages[index] = old;
        lost_pages++;
    }
}

static void forget_bytes(struct node *node)
{
    off_t size = node->live.size;
    if (!survives("size", node->number, 0))
        size = draw("smallest", node->number, 0) % 2 ? node->smallest : node->kept.size;
    lost_others += size != node->live.size;
    size_t room = node->kept.room > node->live.room ? node->kept.room : node->live.room;
    for (size_t index = 0; index < room; index++)
        forget_page(node, index);
    node->live.size = size;
    clear_range(node, size, room * page_size);
}

static void forget_description(struct node *node)
{
    if (!survives("description", node->number, 0)) {
        struct image *live = &node->live, *kept = &node->kept;
        lost_others++;
        live->mode = kept->mode;
        live->user = kept->user;
        live->group = kept->group;
        live->accessed = kept->accessed;
        live->modified = kept->modified;
        live->changed = kept->changed;
    }
    struct attribute *all = NULL;
    copy_attributes(&all, node->live.attributes);
    for (struct attribute *old = node->kept.attributes; old != NULL; old = old->next)
        if (*find_attribute(&all, old->name) == NULL)
            set_attribute(&all, old->name, "", 0);
    for (struct attribute *each = all; each != NULL; each = each->next) {
        if (survives("attribute", node->number, draw(each->name, 0, 0)))
            continue;
        struct attribute *old = *find_attribute(&node->kept.attributes, each->name);
        set_attribute(&node->live.attributes, each->name, old ? old->value : NULL,
                      old ? old->size : 0);
    }
    copy_attributes(&all, NULL);
}

/* The names below a directory are those that the disk has. */
static void reach(struct node *directory)
{
    directory->reached = true;
    directory->links = 2;
    while (directory->live_entries != NULL)
        set_entry(&directory->live_entries, directory->live_entries->name, NULL);
    for (struct entry *entry = directory->kept_entries; entry != NULL; entry = entry->next) {
        struct node *node = entry->node;
        set_entry(&directory->live_entries, entry->name, node);
        if (S_ISDIR(node->live.mode)) {
            node->parent = directory;
            reach(node);
        } else {
            node->links = node->reached ? node->links + 1 : 1;
            node->reached = true;
        }
    }
}

static void forget(void)
{
    lost_names = lost_pages = lost_others = 0;
    forget_names();
    for (size_t number = 1; number < next_number; number++)
        if (nodes[number] != NULL)
            nodes[number]->reached = false;
    reach(node_of(FUSE_ROOT_ID));
    size_t last = FUSE_ROOT_ID;
    for (size_t number = 1; number < next_number; number++) {
        struct node *node = nodes[number];
        if (node == NULL)
            continue;
        if (node->reached) {
            forget_bytes(node);
            forget_description(node);
            last = number;
        }
        keep_file(node);
        if (!node->reached)
            free_node(node);
    }
    /* The numbers of what is lost are given to others, as disks do. */
    next_number = last + 1;
}

/* Requests */

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
        size_t length = fuse_add_direntry(request, answer + used, size - used, name, &status, cookie);
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
    if (offset < 0 || offset >= size) {
        fuse_reply_err(request, ENXIO);
        return;
    }
    while (offset < size && (page_of(&node->live, offset / page_size) != NULL) != (whence == SEEK_DATA))
        offset = (offset / page_size + 1) * page_size;
    if (offset >= size && whence == SEEK_DATA)
        fuse_reply_err(request, ENXIO);
    else
        fuse_reply_lseek(request, offset < size ? offset : size);
}

static const struct fuse_lowlevel_ops operations = {
    .init = on_init, .lookup = on_lookup, .getattr = on_getattr, .setattr = on_setattr,
    .readlink = on_readlink, .mknod = on_mknod, .mkdir = on_mkdir, .symlink = on_symlink,
    .create = on_create, .link = on_link, .unlink = on_unlink, .rmdir = on_rmdir,
    .rename = on_rename, .open = on_open, .read = on_read, .write = on_write, .fsync = on_fsync,
    .readdir = on_readdir, .fsyncdir = on_fsyncdir, .statfs = on_statfs, .ioctl = on_ioctl,
    .setxattr = on_setxattr, .getxattr = on_getxattr, .listxattr = on_listxattr,
    .removexattr = on_removexattr, .fallocate = on_fallocate, .lseek = on_lseek,
};

/* The power */

static struct fuse_session *mount_anew(void)
{
    char *words[] = {"forgetful", "-o", "default_permissions,allow_other,fsname=forgetful", NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
    struct fuse_session *session = fuse_session_new(&arguments, &operations, sizeof operations, NULL);
    if (session == NULL || fuse_session_mount(session, mountpoint) != 0)
        exit(1);
    fuse_opt_free_args(&arguments);
    is_off = false;
    return session;
}

static void unmount(struct fuse_session *session)
{
    fuse_session_unmount(session);
    fuse_session_destroy(session);
}

/* Refuses a request, as a disk does that is not there. */
static void refuse(struct fuse_session *session, const struct fuse_buf *buffer)
{
    const struct fuse_in_header *in = buffer->mem;
    if (in->opcode == FUSE_FORGET || in->opcode == FUSE_BATCH_FORGET || in->opcode == FUSE_INTERRUPT)
        return;
    struct fuse_out_header out = {.len = sizeof out, .error = -EIO, .unique = in->unique};
    if (write(fuse_session_fd(session), &out, sizeof out) == -1 && errno != ENOENT)
        perror("forgetful: write");
}

static struct fuse_session *obey(const char *line, struct fuse_session *session)
{
    if (strcmp(line, "sync\n") == 0) {
        keep_everything();
        printf("synced\n");
    } else if (strcmp(line, "off\n") == 0) {
        is_off = true;
        printf("off\n");
    } else if (sscanf(line, "on %llu", &seed) == 1) {
        unmount(session);
        forget();
        session = mount_anew();
        printf("on: lost %u names, %u pages, %u others\n", lost_names, lost_pages, lost_others);
    } else {
        printf("what? %s", line);
    }
    fflush(stdout);
    return session;
}

int main(int count, char *words[])
{
    if (count != 2) {
        fprintf(stderr, "usage: forgetful MOUNTPOINT\n");
        return 2;
    }
    mountpoint = words[1];
    umask(0);
    setvbuf(stdin, NULL, _IONBF, 0);
    struct node *root = make_node(S_IFDIR | 0755, getuid(), getgid());
    root->links = 2;
    struct fuse_session *session = mount_anew();
    struct fuse_buf buffer = {0};
    char line[128];
    printf("mounted\n");
    fflush(stdout);
    while (true) {
        struct pollfd waiting[] = {{.fd = 0, .events = POLLIN},
                                   {.fd = fuse_session_fd(session), .events = POLLIN}};
        if (poll(waiting, 2, -1) == -1 && errno != EINTR)
            break;
        if (waiting[0].revents != 0) {
            if (fgets(line, sizeof line, stdin) == NULL)
                break;
            session = obey(line, session);
            continue;
        }
        if (waiting[1].revents == 0)
            continue;
        int length = fuse_session_receive_buf(session, &buffer);
        if (length == -EINTR || length == -EAGAIN)
            continue;
        if (length <= 0)
            break;
        if (is_off)
            refuse(session, &buffer);
        else
            fuse_session_process_buf(session, &buffer);
    }
    unmount(session);
    return 0;
}
