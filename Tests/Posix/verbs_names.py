"""Verbs on names and attributes."""

import ctypes
import errno
import os
import socket
import stat
import struct
import time

import kernel

KINDS = {stat.S_IFREG: "reg", stat.S_IFDIR: "dir", stat.S_IFLNK: "symlink", stat.S_IFIFO: "fifo",
         stat.S_IFSOCK: "sock", stat.S_IFCHR: "chr", stat.S_IFBLK: "blk"}
BITS = {name: bits for bits, name in KINDS.items()}
# A time within this many seconds of now is told as `now`: it was not set.
RECENT = 3600


def at_length(word):
    """`long:4095:NAME` is NAME as a path of that many bytes; other words are themselves."""
    if not word.startswith("long:"):
        return word
    _, length, name = word.split(":", 2)
    spare = int(length) - len(name)
    return "./" * (spare // 2) + "/" * (spare % 2) + name if spare % 2 == 0 else \
        "./" * (spare // 2 - 1) + ".//" + name


def parse_time(word):
    """`now`, `omit` or SECONDS[.NANOSECONDS] as utimensat(2) takes it."""
    if word == "now":
        return 0, kernel.UTIME_NOW
    if word == "omit":
        return 0, kernel.UTIME_OMIT
    seconds, _, nanoseconds = word.partition(".")
    return int(seconds), int(nanoseconds or 0)


def tell_time(nanoseconds):
    if abs(nanoseconds / 1e9 - time.time()) < RECENT:
        return "now"
    return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09}"


class NameVerbs:
    """Making, removing, renaming; mode, owner, times, attributes."""

    def do_mkdir(self, path, mode="0777"):
        os.mkdir(at_length(path), int(mode, 8))

    def do_rmdir(self, path):
        os.rmdir(at_length(path))

    def do_unlink(self, path):
        os.unlink(at_length(path))

    def do_symlink(self, target, path):
        os.symlink(at_length(target), at_length(path))

    def do_readlink(self, path):
        return os.readlink(at_length(path))

    def do_link(self, old, new, follow=""):
        kernel.link(at_length(old), at_length(new),
                    kernel.AT_SYMLINK_FOLLOW if follow == "follow" else 0)

    def do_rename(self, old, new, flags=""):
        bits = sum(kernel.RENAME[flag] for flag in flags.split(",") if flag)
        # What is on its way to Local changes places when it is there (Differences).
        is_patient = flags == "exchange" and os.environ.get("ACROSS") == "yes"
        end = time.monotonic() + 60
        while True:
            try:
                return kernel.rename(at_length(old), at_length(new), bits)
            except OSError as error:
                if error.errno != errno.EBUSY or not is_patient or time.monotonic() > end:
                    raise
            time.sleep(0.05)

    def do_mknod(self, path, kind, mode="0644", major="1", minor="3"):
        os.mknod(at_length(path), BITS[kind] | int(mode, 8), os.makedev(int(major), int(minor)))

    def do_make(self, kind, path, mode=""):
        """An item of any kind, by the call that programs make it with."""
        if kind == "dir":
            os.mkdir(path, int(mode or "0755", 8))
        elif kind == "full":
            os.mkdir(path)
            os.mkdir(path + "/in")
        elif kind == "symlink":
            os.symlink("nowhere", path)
        elif kind == "reg":
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, int(mode or "0644", 8)))
        elif kind == "sock":
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(path)
        else:
            os.mknod(path, BITS[kind] | int(mode or "0644", 8), os.makedev(1, 3))

    def do_do_rename(self, flags, old, new):
        """A rename whose flags a table gives; `plain` is none."""
        self.do_rename(old, new, "" if flags == "plain" else flags)

    def do_fill_chain(self, last):
        """Symbolic links l1 → l2 → … to the one of that number."""
        for number in range(1, int(last)):
            os.symlink(f"l{number + 1}", f"l{number}")

    def do_umask(self, mask):
        os.umask(int(mask, 8))

    def do_chdir(self, path):
        os.chdir(path)

    def do_getcwd(self):
        return os.path.basename(os.getcwd())

    def do_chmod(self, path, mode):
        os.chmod(self.item(path), int(mode, 8))

    def owner(self, user, group):
        return (-1 if user == "-" else self.user_numbers[user],
                -1 if group == "-" else self.group_numbers[group])

    def do_chown(self, path, user, group):
        os.chown(self.item(path), *self.owner(user, group))

    def do_lchown(self, path, user, group):
        os.lchown(at_length(path), *self.owner(user, group))

    def do_utimens(self, path, accessed, modified, nofollow=""):
        flags = kernel.AT_SYMLINK_NOFOLLOW if nofollow else 0
        kernel.set_times(self.item(path), parse_time(accessed), parse_time(modified), flags)

    def do_access(self, path, mode):
        bits = sum({"r": os.R_OK, "w": os.W_OK, "x": os.X_OK, "f": 0}[letter] for letter in mode)
        kernel.check(kernel.libc.access(os.fsencode(at_length(path)), bits))

    def do_truncate(self, path, size):
        """truncate(2), also with what Python would refuse to pass on."""
        kernel.check(kernel.libc.truncate(os.fsencode(at_length(path)), ctypes.c_long(int(size))))

    def do_link_many(self, path, count):
        for number in range(1, int(count)):
            os.link(path, f"{path}{number}")

    # Status

    def do_stat(self, path):
        return self.describe(os.stat(self.item(path)))

    def do_lstat(self, path):
        return self.describe(os.lstat(at_length(path)))

    def do_mode(self, path):
        return f"{stat.S_IMODE(os.lstat(path).st_mode):04o}"

    def do_links(self, path):
        return os.stat(self.item(path)).st_nlink

    def do_times(self, path):
        status = os.stat(self.item(path), follow_symlinks=path in self.files)
        return f"{tell_time(status.st_atime_ns)} {tell_time(status.st_mtime_ns)}"

    def do_mtime(self, path):
        return tell_time(os.stat(self.item(path)).st_mtime_ns)

    def do_device(self, path):
        device = os.lstat(path).st_rdev
        return f"{os.major(device)}:{os.minor(device)}"

    def do_same(self, one, two):
        """Whether two names, or a name and an open file, are one inode."""
        return os.path.samestat(os.stat(self.item(one)), os.stat(self.item(two)))

    def describe(self, status):
        kind = KINDS[stat.S_IFMT(status.st_mode)]
        owner = self.users.get(status.st_uid, status.st_uid)
        group = self.groups.get(status.st_gid, status.st_gid)
        size = "" if kind == "dir" else f" size {status.st_size}"
        return (f"{kind} {stat.S_IMODE(status.st_mode):04o} {owner}:{group} "
                f"links {status.st_nlink}{size} {tell_time(status.st_mtime_ns)}")

    def do_moves(self, paths, *step):
        """Which times of these items a step moves: a, m, c; the answer of the step first."""
        def look(path):
            try:
                status = os.stat(self.item(path), follow_symlinks=False) \
                    if path not in self.files else os.fstat(self.files[path])
                return status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns
            except OSError:
                return None
        paths = paths.split(",")
        before = [look(path) for path in paths]
        time.sleep(0.012)
        outcome = self.do(list(step))
        moved = []
        for path, old in zip(paths, before):
            new = look(path)
            letters = "gone" if new is None else "new" if old is None else "".join(
                letter for letter, was, now in zip("mc", old[1:], new[1:]) if was != now)
            moved.append(f"{path}:{letters or '-'}")
        return " ".join([outcome] + moved)

    def item(self, word):
        """The open file of that name, or the path."""
        return self.files.get(word, at_length(word))

    # The filesystem

    def do_statfs(self, path):
        found = os.statvfs(self.item(path))
        sane = (found.f_bsize > 0 and found.f_frsize > 0 and found.f_blocks > 0
                and found.f_blocks >= found.f_bfree >= found.f_bavail > 0
                and found.f_files >= found.f_ffree > 0)
        return f"sane {sane} names {found.f_namemax}"

    def do_pathconf(self, path, name):
        return os.pathconf(path, name)

    # Extended attributes

    def do_setxattr(self, path, name, value, flags=""):
        bits = {"": 0, "create": os.XATTR_CREATE, "replace": os.XATTR_REPLACE, "both": 3}[flags]
        os.setxattr(self.item(path), name, b"" if value == "-" else value.encode(), bits)

    def do_lsetxattr(self, path, name, value):
        os.setxattr(path, name, value.encode(), follow_symlinks=False)

    def do_getxattr(self, path, name):
        value = os.getxattr(self.item(path), name)
        return value.decode() if len(value) < 64 else f"{len(value)} bytes"

    def do_xattr_size(self, path, name, room):
        """getxattr(2) into a buffer of `room` bytes; 0 asks for the size."""
        buffer = ctypes.create_string_buffer(max(int(room), 1))
        return kernel.check(kernel.libc.getxattr(
            os.fsencode(path), name.encode(), buffer, ctypes.c_size_t(int(room))))

    def do_listxattr_size(self, path, room):
        buffer = ctypes.create_string_buffer(max(int(room), 1))
        return kernel.check(kernel.libc.listxattr(
            os.fsencode(path), buffer, ctypes.c_size_t(int(room))))

    def do_removexattr(self, path, name):
        os.removexattr(self.item(path), name)

    def do_listxattr(self, path):
        return " ".join(sorted(n for n in os.listxattr(self.item(path)) if n.startswith("user.")))

    def do_set_many(self, path, count):
        for number in range(int(count)):
            os.setxattr(path, f"user.n{number:02}", b"value")

    def do_get_acl(self, path):
        return os.getxattr(path, "system.posix_acl_access").hex()

    def do_set_acl(self, path):
        """u::rw-, u:other:r--, g::r--, m::r--, o::---"""
        entries = [(1, 6, 2**32 - 1), (2, 4, 61002), (4, 4, 2**32 - 1), (16, 4, 2**32 - 1),
                   (32, 0, 2**32 - 1)]
        value = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
        os.setxattr(path, "system.posix_acl_access", value)
