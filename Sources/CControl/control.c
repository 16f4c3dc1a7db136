#include "CControl.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/timex.h>
#include <sys/xattr.h>
#include <time.h>
#include <wchar.h>

ssize_t control_getxattr(const char *path, const char *name, void *value, size_t size)
{
    return lgetxattr(path, name, value, size);
}

ssize_t control_listxattr(const char *path, void *list, size_t size)
{
    return llistxattr(path, list, size);
}

int control_setxattr(const char *path, const char *name, const void *value, size_t size)
{
    return lsetxattr(path, name, value, size, 0);
}

int control_rename_new(const char *path, const char *new_path)
{
    return renameat2(AT_FDCWD, path, AT_FDCWD, new_path, RENAME_NOREPLACE);
}

long long control_parse_time(const char *text, const char *format)
{
    struct tm parts = {.tm_isdst = -1};
    const char *end = strptime(text, format, &parts);
    return end && !*end ? (long long)mktime(&parts) : -1;
}

int control_clock_is_set(void)
{
    struct timex clock = {0};
    return adjtimex(&clock) != TIME_ERROR;
}

int control_width(unsigned int character)
{
    return wcwidth((wchar_t)character);
}
