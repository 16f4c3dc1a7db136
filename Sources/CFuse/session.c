/* The parts of a libfuse session that need C: what libfuse 3.14 cannot negotiate by itself,
 * its variadic log, and the end of its loop. */
#include "include/CFuse.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Newer than the headers of Debian 12; linux/fuse.h, "INIT request/reply flags". */
#define DOCFS_INIT_DIRECT_IO_ALLOW_MMAP (1ULL << 36)
#define DOCFS_INIT_PASSTHROUGH (1ULL << 37)
/* How many filesystems may lie on one another below us, ourselves included (FUSE 7.40,
 * max_stack_depth in fuse_init_out): 2 lets files on overlayfs be passed through too. */
#define DOCFS_STACK_DEPTH 2

/* What libfuse does not know and the kernel offered: found in the INIT request, added to the
 * reply. libfuse reads, handles and answers INIT on one thread. */
static _Thread_local uint64_t extra_flags;

static _Atomic uint64_t agreed_flags;

int docfs_session_allows_direct_mmap(void)
{
    return (atomic_load(&agreed_flags) & DOCFS_INIT_DIRECT_IO_ALLOW_MMAP) != 0;
}

int docfs_session_handles_killpriv(void)
{
    return (atomic_load(&agreed_flags) & FUSE_HANDLE_KILLPRIV_V2) != 0;
}

int docfs_session_passes_through(void)
{
    return (atomic_load(&agreed_flags) & DOCFS_INIT_PASSTHROUGH) != 0;
}

static int may_pass_through;

static int is_administrator(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    return syscall(SYS_capget, &header, sets) == 0 && (sets[0].effective >> CAP_SYS_ADMIN & 1);
}

void docfs_session_pass_through(void)
{
    may_pass_through = is_administrator();
}

static ssize_t read_noting_init(int fd, void *buffer, size_t size, void *userdata)
{
    (void)userdata;
    ssize_t count = read(fd, buffer, size);
    const struct fuse_in_header *header = buffer;
    if (count < (ssize_t)(sizeof *header + sizeof(struct fuse_init_in)) ||
        header->opcode != FUSE_INIT)
        return count;
    const struct fuse_init_in *init = (const void *)(header + 1);
    uint64_t offered = init->flags;
    if (init->minor >= 36 && (init->flags & FUSE_INIT_EXT))
        offered |= (uint64_t)init->flags2 << 32;
    extra_flags = offered & (DOCFS_INIT_DIRECT_IO_ALLOW_MMAP | FUSE_HANDLE_KILLPRIV_V2);
    if (may_pass_through)
        extra_flags |= offered & DOCFS_INIT_PASSTHROUGH;
    return count;
}

/* The first of the words that our linux/fuse.h has as unused. */
static void set_stack_depth(struct fuse_init_out *init, uint32_t depth)
{
    memcpy((char *)init + offsetof(struct fuse_init_out, flags2) + sizeof init->flags2, &depth,
           sizeof depth);
}

static ssize_t write_completing_init(int fd, struct iovec *parts, int count, void *userdata)
{
    (void)userdata;
    if (extra_flags != 0) {
        const struct fuse_out_header *header = parts[0].iov_base;
        if (count == 2 && header->error == 0 &&
            parts[1].iov_len >= offsetof(struct fuse_init_out, flags2) + 2 * sizeof(uint32_t)) {
            struct fuse_init_out *init = parts[1].iov_base;
            init->flags |= (uint32_t)extra_flags;
            if (extra_flags >> 32) {
                init->flags |= FUSE_INIT_EXT;
                init->flags2 |= (uint32_t)(extra_flags >> 32);
            }
            if (extra_flags & DOCFS_INIT_PASSTHROUGH)
                set_stack_depth(init, DOCFS_STACK_DEPTH);
            atomic_store(&agreed_flags, extra_flags);
        }
        extra_flags = 0;
    }
    return writev(fd, parts, count);
}

static ssize_t plain_splice(int in, off_t *in_offset, int out, off_t *out_offset, size_t length,
                            unsigned int flags, void *userdata)
{
    (void)userdata;
    return splice(in, in_offset, out, out_offset, length, flags);
}

int docfs_session_mount(struct fuse_session *session, const char *mount_point)
{
    static const struct fuse_custom_io io = {
        .writev = write_completing_init,
        .read = read_noting_init,
        .splice_receive = plain_splice,
        .splice_send = plain_splice,
    };
    if (fuse_session_mount(session, mount_point) != 0)
        return -1;
    return fuse_session_custom_io(session, &io, fuse_session_fd(session)) == 0 ? 0 : -1;
}

static void (*log_receiver)(int level, const char *message);

static void forward_log(enum fuse_log_level level, const char *format, va_list arguments)
{
    char message[512];
    int length = vsnprintf(message, sizeof message, format, arguments);
    if (length < 0)
        return;
    size_t end = strlen(message);
    while (end > 0 && message[end - 1] == '\n')
        message[--end] = '\0';
    log_receiver(level, message);
}

void docfs_set_log(void (*receiver)(int level, const char *message))
{
    log_receiver = receiver;
    fuse_set_log_func(forward_log);
}

static void wake(int signal)
{
    (void)signal;
}

static pthread_t loop_thread;
static atomic_int loop_state; /* 0 not begun, 1 running, 2 ended */

int docfs_session_loop(struct fuse_session *session, unsigned int max_threads)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = wake; /* without SA_RESTART: it ends libfuse's sem_wait */
    sigaction(SIGUSR1, &action, NULL);
    struct fuse_loop_config *config = fuse_loop_cfg_create();
    if (config == NULL)
        return -ENOMEM;
    fuse_loop_cfg_set_max_threads(config, max_threads);
    fuse_loop_cfg_set_idle_threads(config, max_threads);
    fuse_loop_cfg_set_clone_fd(config, 0);
    loop_thread = pthread_self();
    atomic_store(&loop_state, 1);
    int result = fuse_session_loop_mt(session, config);
    atomic_store(&loop_state, 2);
    fuse_loop_cfg_destroy(config);
    return result;
}

void docfs_session_stop(struct fuse_session *session)
{
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = 5000000};
    fuse_session_exit(session);
    /* The loop may look at the flag just before it sleeps, so one signal is not enough. */
    while (atomic_load(&loop_state) == 1) {
        pthread_kill(loop_thread, SIGUSR1);
        nanosleep(&pause, NULL);
    }
}
