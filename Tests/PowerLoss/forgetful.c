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
 *     on SEED   the power is back, mounted anew: of what was not synced the seed chooses what is
 *               there
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
#include "forgetful.h"
#include <errno.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_off;
static const char *mountpoint;

static struct fuse_session *mount_anew(void)
{
    char *words[] = {"forgetful", "-o", "default_permissions,allow_other,fsname=forgetful", NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
    struct fuse_session *session =
        fuse_session_new(&arguments, &operations, sizeof operations, NULL);
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
    if (in->opcode == FUSE_FORGET || in->opcode == FUSE_BATCH_FORGET ||
        in->opcode == FUSE_INTERRUPT)
        return;
    struct fuse_out_header out = {.len = sizeof out, .error = -EIO, .unique = in->unique};
    if (write(fuse_session_fd(session), &out, sizeof out) == -1 && errno != ENOENT)
        perror("forgetful: write");
}

static struct fuse_session *obey(const char *line, struct fuse_session *session)
{
    unsigned long long seed;
    if (strcmp(line, "sync\n") == 0) {
        keep_everything();
        printf("synced\n");
    } else if (strcmp(line, "off\n") == 0) {
        is_off = true;
        printf("off\n");
    } else if (sscanf(line, "on %llu", &seed) == 1) {
        unmount(session);
        struct losses lost = forget(seed);
        session = mount_anew();
        printf("on: lost %u names, %u pages, %u others\n", lost.names, lost.pages, lost.others);
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
