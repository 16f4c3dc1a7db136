/*
 * The names on a forgetful disk, and the changes of them that it may not have: which of them need
 * which earlier ones.
 */

#define _GNU_SOURCE
#include "forgetful.h"
#include <stdlib.h>
#include <string.h>

struct change *changes;
static struct change **last_change = &changes;

static struct entry **find_entry(struct entry **list, const char *name)
{
    while (*list != NULL && strcmp((*list)->name, name) != 0)
        list = &(*list)->next;
    return list;
}

struct node *child(struct node *directory, const char *name)
{
    struct entry *entry = *find_entry(&directory->live_entries, name);
    return entry == NULL ? NULL : entry->node;
}

void set_entry(struct entry **list, const char *name, struct node *node)
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

struct change *begin_change(void)
{
    struct change *change = checked(calloc(1, sizeof *change));
    *last_change = change;
    last_change = &change->next;
    return change;
}

/* Has `name` lead to `to` from now on, or nowhere. */
void change_name(struct change *change, struct node *directory, const char *name, struct node *to)
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
void close_marks(void)
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
void keep_marked(bool drops_others)
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
