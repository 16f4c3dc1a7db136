/*
 * What the parts of a forgetful disk (forgetful.c) share. Whatever there is on it is there twice:
 * live, as it is seen, and kept, as the disk has it for certain.
 */

#ifndef FORGETFUL_H
#define FORGETFUL_H

#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

enum { page_size = 4096 };

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

/* How much was forgotten. */
struct losses {
    unsigned names, pages, others;
};

/* disk.c */

extern struct node **nodes; /* by number; NULL where there is none */
extern size_t next_number;

void *checked(void *memory);
struct timespec now(void);
struct node *node_of(fuse_ino_t number);
void make_room(struct image *image, size_t count);
char *page_of(const struct image *image, size_t index);
char *own_page(struct node *node, size_t index);
void drop_page(struct node *node, size_t index);
void clear_range(struct node *node, off_t from, off_t to);
void touch(struct node *node);
void set_size(struct node *node, off_t size);
void put_bytes(struct node *node, const char *bytes, size_t size, off_t offset);
void get_bytes(const struct node *node, char *bytes, size_t size, off_t offset);
struct attribute **find_attribute(struct attribute **list, const char *name);
void set_attribute(struct attribute **list, const char *name, const char *value, size_t size);
void copy_attributes(struct attribute **to, const struct attribute *from);
void keep_bytes(struct node *node);
void keep_file(struct node *node);
void keep_directory(struct node *node);
void keep_everything(void);
struct node *make_node(mode_t mode, uid_t user, gid_t group);
void free_node(struct node *node);

/* names.c */

extern struct change *changes; /* the earliest first */

struct node *child(struct node *directory, const char *name);
void set_entry(struct entry **list, const char *name, struct node *node);
struct change *begin_change(void);
void change_name(struct change *change, struct node *directory, const char *name, struct node *to);
void close_marks(void);
void keep_marked(bool drops_others);

/* surviving.c */

struct losses forget(unsigned long long seed);

/* requests.c */

extern const struct fuse_lowlevel_ops operations;

#endif
