#ifndef CCONTROL_H
#define CCONTROL_H

/* What `docfs` needs of C libraries and Swift's Glibc module does not show. */

#include <git2.h>
#include <sys/types.h>

/* lgetxattr(2), llistxattr(2), lsetxattr(2). */
ssize_t control_getxattr(const char *path, const char *name, void *value, size_t size);
ssize_t control_listxattr(const char *path, void *list, size_t size);
int control_setxattr(const char *path, const char *name, const void *value, size_t size);

/* renameat2(2) with RENAME_NOREPLACE. */
int control_rename_new(const char *path, const char *new_path);

/* strptime(3), mktime(3): seconds since 1970 of a local time, -1 for a text of another form. */
long long control_parse_time(const char *text, const char *format);

/* adjtimex(2): whether the clock is set by somebody who knows. */
int control_clock_is_set(void);

/* wcwidth(3): columns of a character on a terminal, -1 when it cannot be shown. */
int control_width(unsigned int character);

#endif
