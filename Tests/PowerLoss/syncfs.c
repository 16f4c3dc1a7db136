/*
 * Tells a forgetful disk of syncfs(2), of which the kernel says nothing to FUSE filesystems: loaded
 * into a program by LD_PRELOAD. On any other filesystem the request is refused and changes nothing.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FORGETFUL_SYNC _IO('F', 0x53)

int syncfs(int descriptor)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "syncfs");
    int result = real(descriptor);
    return ioctl(descriptor, FORGETFUL_SYNC) == 0 ? 0 : result;
}
