/* The power goes: the seed chooses what a forgetful disk has left of what was not synced. */

#include "forgetful.h"
#include <string.h>

enum { sector_size = 512 };

static unsigned long long seed;
static struct losses lost;

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
        lost.names += !change->survives;
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
        lost.pages++;
    } else if (!survives("page", node->number, index)) {
        drop_page(node, index);
        make_room(&node->live, index + 1);
        node->live.pages[index] = old;
        lost.pages++;
    }
}

static void forget_bytes(struct node *node)
{
    off_t size = node->live.size;
    if (!survives("size", node->number, 0))
        size = draw("smallest", node->number, 0) % 2 ? node->smallest : node->kept.size;
    lost.others += size != node->live.size;
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
        lost.others++;
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

struct losses forget(unsigned long long chosen)
{
    seed = chosen;
    lost = (struct losses){0};
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
    return lost;
}
