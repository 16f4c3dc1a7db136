/*
 * What is on a forgetful disk besides names: inodes, their bytes and attributes; and the syncs,
 * after which the disk has them for certain.
 */

#define _GNU_SOURCE
#include "forgetful.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node **nodes;
size_t next_number = FUSE_ROOT_ID;
static size_t node_room;

void *checked(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "forgetful: no memory\n");
        exit(1);
    }
    return memory;
}

struct timespec now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

struct node *node_of(fuse_ino_t number) { return nodes[number]; }

/* Bytes */

void make_room(struct image *image, size_t count)
{
    if (count <= image->room)
        return;
    size_t room = count + count / 2;
    image->pages = checked(realloc(image->pages, room * sizeof *image->pages));
    memset(image->pages + image->room, 0, (room - image->room) * sizeof *image->pages);
    image->room = room;
}

char *page_of(const struct image *image, size_t index)
{
    return index < image->room ? image->pages[index] : NULL;
}

/* A page of the live image that may be written: not the one that the disk has. */
char *own_page(struct node *node, size_t index)
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

void drop_page(struct node *node, size_t index)
{
    char *page = page_of(&node->live, index);
    if (page == NULL)
        return;
    if (page != page_of(&node->kept, index))
        free(page);
    node->live.pages[index] = NULL;
}

void clear_range(struct node *node, off_t from, off_t to)
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

void touch(struct node *node) { node->live.modified = node->live.changed = now(); }

void set_size(struct node *node, off_t size)
{
    if (size < node->live.size)
        clear_range(node, size, node->live.size);
    node->live.size = size;
    if (size < node->smallest)
        node->smallest = size;
    touch(node);
}

void put_bytes(struct node *node, const char *bytes, size_t size, off_t offset)
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

void get_bytes(const struct node *node, char *bytes, size_t size, off_t offset)
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

struct attribute **find_attribute(struct attribute **list, const char *name)
{
    while (*list != NULL && strcmp((*list)->name, name) != 0)
        list = &(*list)->next;
    return list;
}

void set_attribute(struct attribute **list, const char *name, const char *value, size_t size)
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

void copy_attributes(struct attribute **to, const struct attribute *from)
{
    while (*to != NULL)
        set_attribute(to, (*to)->name, NULL, 0);
    for (; from != NULL; from = from->next)
        set_attribute(to, from->name, from->value, from->size);
}

/* Syncing */

void keep_bytes(struct node *node)
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

void keep_file(struct node *node)
{
    keep_bytes(node);
    keep_description(node);
    copy_attributes(&node->kept.attributes, node->live.attributes);
}

void keep_directory(struct node *node)
{
    keep_file(node);
    for (struct change *change = changes; change != NULL; change = change->next)
        for (int i = 0; i < change->count; i++)
            change->survives |= change->slots[i].directory == node;
    close_marks();
    keep_marked(false);
}

void keep_everything(void)
{
    for (struct change *change = changes; change != NULL; change = change->next)
        change->survives = true;
    keep_marked(false);
    for (size_t number = 1; number < next_number; number++)
        if (nodes[number] != NULL)
            keep_file(nodes[number]);
}

/* Nodes */

struct node *make_node(mode_t mode, uid_t user, gid_t group)
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

void free_node(struct node *node)
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
