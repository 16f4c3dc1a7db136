"""System calls that Python's standard library does not make, or not with all their flags."""

import ctypes
import errno
import os
import signal
import struct

libc = ctypes.CDLL(None, use_errno=True)
for _name in ("lseek64", "telldir"):
    getattr(libc, _name).restype = ctypes.c_long
for _name in ("opendir", "fdopendir", "readdir", "mmap", "mremap"):
    getattr(libc, _name).restype = ctypes.c_void_p

AT_FDCWD = -100
AT_SYMLINK_NOFOLLOW = 0x100
AT_SYMLINK_FOLLOW = 0x400
AT_EMPTY_PATH = 0x1000
UTIME_NOW = (1 << 30) - 1
UTIME_OMIT = (1 << 30) - 2
O_TMPFILE = 0o20200000
F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW = 36, 37, 38
RENAME = {"noreplace": 1, "exchange": 2, "whiteout": 4}
FALLOCATE = {"keep": 1, "punch": 2, "collapse": 8, "zero": 16, "insert": 32, "unshare": 64}


class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def check(result):
    """Throws what the call left in errno."""
    if result is None or result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def die_with_parent():
    """The kernel kills this process when the one that started it ends."""
    pr_set_pdeathsig = 1
    libc.prctl(pr_set_pdeathsig, signal.SIGKILL)


def rename(old, new, flags):
    check(libc.renameat2(AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags))


def link(old, new, flags):
    check(libc.linkat(AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags))


def link_descriptor(descriptor, new):
    """linkat(2) of an open file; by /proc, as its manual page shows, which needs no privilege."""
    source = os.fsencode(f"/proc/self/fd/{descriptor}")
    check(libc.linkat(AT_FDCWD, source, AT_FDCWD, os.fsencode(new), AT_SYMLINK_FOLLOW))


def set_times(path, accessed, modified, flags):
    """utimensat(2); `path` may be a descriptor. Times are pairs of seconds and nanoseconds."""
    times = (Timespec * 2)(Timespec(*accessed), Timespec(*modified))
    if isinstance(path, int):
        check(libc.futimens(path, times))
    else:
        check(libc.utimensat(AT_FDCWD, os.fsencode(path), times, flags))


def allocate(descriptor, mode, offset, length):
    check(libc.fallocate(descriptor, mode, ctypes.c_long(offset), ctypes.c_long(length)))


def lock_record(kind, start, length):
    """struct flock of a 64-bit Linux, counted from the beginning of the file."""
    return struct.pack("hhlli4x", kind, 0, start, length, 0)


def unpack_lock(record):
    kind, _, start, length, _ = struct.unpack("hhlli4x", record)
    return kind, start, length


class DirectoryStream:
    """opendir(3) to closedir(3)."""

    def __init__(self, path):
        self.raw = ctypes.c_void_p(check(libc.opendir(os.fsencode(path))))

    def next(self):
        """The next entry's name, number and type, or None at the end."""
        ctypes.set_errno(0)
        entry = libc.readdir(self.raw)
        if not entry:
            if ctypes.get_errno():
                check(-1)
            return None
        number, _, _, kind = struct.unpack("QqHB", ctypes.string_at(entry, 19))
        return os.fsdecode(ctypes.string_at(entry + 19)), number, kind

    def places(self):
        """The rest of the names, each with the position that leads to it."""
        while True:
            position = self.tell()
            if (entry := self.next()) is None:
                return
            yield position, entry[0]

    def tell(self):
        return libc.telldir(self.raw)

    def seek(self, position):
        libc.seekdir(self.raw, ctypes.c_long(position))

    def rewind(self):
        libc.rewinddir(self.raw)

    def close(self):
        check(libc.closedir(self.raw))


class Mapping:
    """mmap(2) to munmap(2): holds no descriptor, and is as long as was asked."""

    def __init__(self, descriptor, length, flags, protection):
        self.length = length
        self.address = self.checked(libc.mmap(
            None, ctypes.c_size_t(length), protection, flags, descriptor, ctypes.c_long(0)))

    @staticmethod
    def checked(address):
        return check(-1 if address == ctypes.c_void_p(-1).value else address)

    def read(self, offset, length):
        self.must_hold(offset, length)
        return ctypes.string_at(self.address + offset, length)

    def write(self, offset, data):
        self.must_hold(offset, len(data))
        ctypes.memmove(self.address + offset, data, len(data))

    def must_hold(self, offset, length):
        if offset + length > self.length:
            raise ValueError("outside of the mapping")

    def sync(self):
        ms_sync = 4
        check(libc.msync(ctypes.c_void_p(self.address), ctypes.c_size_t(self.length), ms_sync))

    def advise(self, advice, offset, length):
        check(libc.madvise(ctypes.c_void_p(self.address + offset), ctypes.c_size_t(length), advice))

    def resize(self, length):
        may_move = 1
        self.address = self.checked(libc.mremap(
            ctypes.c_void_p(self.address), ctypes.c_size_t(self.length), ctypes.c_size_t(length),
            may_move))
        self.length = length

    def close(self):
        check(libc.munmap(ctypes.c_void_p(self.address), ctypes.c_size_t(self.length)))


class Watches:
    """inotify(7)."""

    names = {1: "ACCESS", 2: "MODIFY", 4: "ATTRIB", 8: "CLOSE_WRITE", 0x10: "CLOSE_NOWRITE",
             0x20: "OPEN", 0x40: "MOVED_FROM", 0x80: "MOVED_TO", 0x100: "CREATE", 0x200: "DELETE",
             0x400: "DELETE_SELF", 0x800: "MOVE_SELF", 0x8000: "IGNORED", 0x40000000: "ISDIR"}

    def __init__(self, path, mask):
        self.descriptor = check(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        check(libc.inotify_add_watch(self.descriptor, os.fsencode(path), mask))

    def events(self):
        """What happened since the last call, in order."""
        try:
            piece = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return
        offset = 0
        while offset < len(piece):
            _, mask, _, length = struct.unpack_from("iIII", piece, offset)
            name = piece[offset + 16:offset + 16 + length].rstrip(b"\0").decode()
            yield "+".join(word for bit, word in self.names.items() if mask & bit) + " " + name
            offset += 16 + length


def errno_name(error):
    return "EOPNOTSUPP" if error.errno == errno.EOPNOTSUPP else errno.errorcode[error.errno]
