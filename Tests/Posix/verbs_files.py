"""Verbs on open files: reading, writing, sizes, holes, mappings."""

import ctypes
import hashlib
import mmap
import os
import socket
import stat
import subprocess

import kernel
from verbs_names import at_length

FLAGS = {
    "ro": os.O_RDONLY, "wo": os.O_WRONLY, "rw": os.O_RDWR, "creat": os.O_CREAT, "excl": os.O_EXCL,
    "trunc": os.O_TRUNC, "append": os.O_APPEND, "nonblock": os.O_NONBLOCK, "sync": os.O_SYNC,
    "dsync": os.O_DSYNC, "nofollow": os.O_NOFOLLOW, "directory": os.O_DIRECTORY,
    "tmpfile": kernel.O_TMPFILE, "direct": os.O_DIRECT, "path": os.O_PATH, "noatime": os.O_NOATIME,
    "accmode": os.O_ACCMODE,
}


def tell(data):
    """Bytes in a few letters."""
    if len(data) <= 40:
        return repr(data)[1:]
    return f"{len(data)} bytes {hashlib.sha256(data).hexdigest()[:12]}"


class FileVerbs:
    """open(2) to close(2)."""

    def do_open(self, name, path, flags, mode="0644"):
        bits = 0
        for flag in flags.split(","):
            bits |= FLAGS[flag]
        self.files[name] = os.open(at_length(path), bits, int(mode, 8))

    def do_openat(self, name, directory, path, flags, mode="0644"):
        bits = 0
        for flag in flags.split(","):
            bits |= FLAGS[flag]
        self.files[name] = os.open(path, bits, int(mode, 8), dir_fd=self.files[directory])

    def do_reopen(self, name, other, flags):
        """open(2) of an open file by /proc, which works without any name."""
        self.do_open(name, f"/proc/self/fd/{self.files[other]}", flags)

    def do_dup(self, name, other):
        self.files[name] = os.dup(self.files[other])

    def do_close(self, name):
        os.close(self.files.pop(name))

    def do_linkfd(self, name, path):
        kernel.link_descriptor(self.files[name], path)

    def do_put(self, path, text):
        """Makes or empties a document and writes it."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)

    def do_blocks(self, path, count):
        """A document of `count` kilobytes, no two alike."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            os.write(descriptor, b"".join(
                f"{number:015}".encode().ljust(1023, b".") + b"\n" for number in range(int(count))))
        finally:
            os.close(descriptor)

    def do_save(self, path, times):
        """Saves as most editors do: a temporary, renamed over."""
        for number in range(1, int(times) + 1):
            self.do_put(path + ".new", str(number))
            os.rename(path + ".new", path)

    def do_cat(self, path):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            data = b""
            while piece := os.read(descriptor, 1 << 20):
                data += piece
            return tell(data)
        finally:
            os.close(descriptor)

    def do_read(self, name, length):
        return tell(os.read(self.files[name], int(length)))

    def do_pread(self, name, offset, length):
        return tell(os.pread(self.files[name], int(length), int(offset)))

    def do_write(self, name, text):
        return os.write(self.files[name], text.encode())

    def do_pwrite(self, name, offset, text):
        return os.pwrite(self.files[name], text.encode(), int(offset))

    def do_writev(self, name, *texts):
        return os.writev(self.files[name], [text.encode() for text in texts])

    def do_aligned(self, name, verb, offset, length, shift="0"):
        """pread or pwrite at a page boundary of memory, moved by `shift`, as O_DIRECT wants it."""
        room = mmap.mmap(-1, int(length) + 8192)
        view = memoryview(room)[int(shift):int(shift) + int(length)]
        if verb == "read":
            count = os.preadv(self.files[name], [view], int(offset))
            return tell(bytes(view[:count]))
        view[:] = b"d" * int(length)
        return os.pwritev(self.files[name], [view], int(offset))

    def do_lines(self, name, mark, count):
        """Writes `count` lines, each in one write(2)."""
        for number in range(int(count)):
            os.write(self.files[name], f"{mark}{number:05}\n".encode())

    def do_long_lines(self, name, mark, count, length):
        """Writes lines of that length, each in one write(2)."""
        for _ in range(int(count)):
            os.write(self.files[name], mark.encode() * (int(length) - 1) + b"\n")

    def do_whole_long_lines(self, path):
        """How many lines of which length there are of each letter."""
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
        kinds = {(line[:1].decode(), len(line), len(set(line))) for line in lines if line}
        marks = [line[:1].decode() for line in lines]
        return " ".join(f"{mark}{size} of {letters}: {marks.count(mark)}"
                        for mark, size, letters in sorted(kinds))

    def do_cut_lines(self, path, start):
        """Leaves what comes after `start`."""
        with open(path, "rb+") as file:
            rest = file.read()[int(start):]
            file.seek(0)
            file.truncate()
            file.write(rest)

    def do_whole_lines(self, path, *marks):
        """Whether all lines are there, whole and each writer's in order."""
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        ordered = all(
            [line for line in lines if line[0] == mark] ==
            sorted(line for line in lines if line[0] == mark) for mark in marks)
        return f"{len(lines)} lines of {sorted({len(line) for line in lines})} in order {ordered}"

    def do_lseek(self, name, offset, whence):
        how = {"set": os.SEEK_SET, "cur": os.SEEK_CUR, "end": os.SEEK_END, "data": os.SEEK_DATA,
               "hole": os.SEEK_HOLE}[whence]
        return os.lseek(self.files[name], int(offset), how)

    def do_ftruncate(self, name, size):
        kernel.check(kernel.libc.ftruncate(self.files[name], ctypes.c_long(int(size))))

    def do_fallocate(self, name, mode, offset, length):
        bits = 0 if mode == "-" else sum(kernel.FALLOCATE[word] for word in mode.split(","))
        kernel.allocate(self.files[name], bits, int(offset), int(length))

    def do_posix_fallocate(self, name, offset, length):
        os.posix_fallocate(self.files[name], int(offset), int(length))

    def do_size(self, path):
        status = os.stat(self.item(path))
        return "that of a directory" if stat.S_ISDIR(status.st_mode) else status.st_size

    def do_allocated(self, path):
        """Whether blocks cover the whole size."""
        status = os.stat(self.item(path))
        return status.st_blocks * 512 >= status.st_size

    def do_copy(self, source, offset, destination, new_offset, length):
        """copy_file_range(2); `-` uses the file's own position."""
        places = [None if place == "-" else int(place) for place in (offset, new_offset)]
        return os.copy_file_range(self.files[source], self.files[destination], int(length), *places)

    def do_sendfile(self, destination, source, offset, length):
        return os.sendfile(self.files[destination], self.files[source], int(offset), int(length))

    def do_copy_all(self, source, destination):
        """Copies as cp(1) does: until nothing comes."""
        while os.copy_file_range(self.files[source], self.files[destination], 1 << 30):
            pass

    def do_append(self, path, text):
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.write(descriptor, text.encode())
        os.close(descriptor)

    def do_open_many(self, path, count):
        self.many = [os.open(path, os.O_RDONLY) for _ in range(int(count))]

    def do_read_many(self, text):
        return all(os.pread(one, 100, 0) == text.encode() for one in self.many)

    def do_close_many(self):
        while self.many:
            os.close(self.many.pop())

    def do_fstat(self, name):
        return self.describe(os.fstat(self.files[name]))

    def do_fchmod(self, name, mode):
        os.fchmod(self.files[name], int(mode, 8))

    def do_fsync(self, name):
        os.fsync(self.files[name])

    def do_fdatasync(self, name):
        os.fdatasync(self.files[name])

    def do_fsync_path(self, path):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def do_setfl(self, name, flags):
        """fcntl(2) F_SETFL."""
        import fcntl
        fcntl.fcntl(self.files[name], fcntl.F_SETFL, FLAGS[flags])

    def do_mode_of(self, name):
        return f"{stat.S_IMODE(os.fstat(self.files[name]).st_mode):04o}"

    def do_limit(self, size):
        """RLIMIT_FSIZE, for good: a process that has one ends with its case."""
        self.is_limited = True
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.RLIM_INFINITY))

    # Mappings

    def do_mmap(self, name, file, length, how="shared", protection="rw"):
        flags = {"shared": mmap.MAP_SHARED, "private": mmap.MAP_PRIVATE}[how]
        bits = sum({"r": mmap.PROT_READ, "w": mmap.PROT_WRITE}[letter] for letter in protection)
        mapping = kernel.Mapping(self.files[file], int(length), flags, bits)
        if name in self.maps:
            self.maps[name].close()
        self.maps[name] = mapping

    def do_peek(self, name, offset, length):
        return tell(self.maps[name].read(int(offset), int(length)))

    def do_poke(self, name, offset, text):
        self.maps[name].write(int(offset), text.encode())

    def do_msync(self, name):
        self.maps[name].sync()

    def do_munmap(self, name):
        self.maps.pop(name).close()

    def do_touch_map(self, name, offset, text=""):
        """Reads or writes one place of a mapping in another process, which may be killed for it."""
        child = os.fork()
        if child == 0:
            seen = 255
            try:
                seen = self.maps[name].read(int(offset), 1)[0]
                if text:
                    self.maps[name].write(int(offset), text.encode())
                    self.maps[name].sync()
            finally:
                os._exit(seen)
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            return f"killed by {os.WTERMSIG(status)}"
        return os.WEXITSTATUS(status)

    def do_map_write(self, name, offset, text):
        """Writes into what is there through a mapping of its own, and saves it."""
        status = os.fstat(self.files[name])
        # Filesystems have sizes of their own for directories, which nobody maps.
        size = 1 << 20 if stat.S_ISDIR(status.st_mode) else status.st_size
        data = text.encode()[:max(size - int(offset), 0)]
        if not data:
            return 0
        mapping = kernel.Mapping(self.files[name], size, mmap.MAP_SHARED,
                                 mmap.PROT_READ | mmap.PROT_WRITE)
        try:
            mapping.write(int(offset), data)
            mapping.sync()
        finally:
            mapping.close()
        return len(data)

    def do_madvise(self, name, advice, offset, length):
        numbers = {"dontneed": mmap.MADV_DONTNEED, "willneed": mmap.MADV_WILLNEED,
                   "remove": mmap.MADV_REMOVE}
        self.maps[name].advise(numbers[advice], int(offset), int(length))

    def do_remap(self, name, length):
        self.maps[name].resize(int(length))

    # Sockets

    def do_listen(self, name, path):
        self.sockets[name] = socket.socket(socket.AF_UNIX)
        self.sockets[name].bind(path)
        self.sockets[name].listen(5)

    def do_datagrams(self, name, path):
        self.sockets[name] = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.sockets[name].bind(path)
        self.sockets[name].setblocking(False)

    def do_send(self, path, text):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as caller:
            caller.sendto(text.encode(), path)

    def do_hear(self, name):
        return tell(self.sockets[name].recv(100))

    def do_connect(self, path):
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(path)

    # Programs

    def do_copy_program(self, path, mode="0755"):
        """/bin/cat under a new name."""
        with open("/bin/cat", "rb") as source, open(path, "wb") as copy:
            copy.write(source.read())
        os.chmod(path, int(mode, 8))

    def do_script(self, path, status):
        """A program of the shell that ends with this status."""
        self.do_put(path, f"#!/bin/sh\nexit {status}\n")
        os.chmod(path, 0o755)

    def do_run(self, path):
        """Runs a program by its path, with nothing to do."""
        return subprocess.run([path], stdin=subprocess.DEVNULL, check=False).returncode

    def do_start(self, path):
        """Starts a program that runs until its input ends with us."""
        self.program = subprocess.Popen([path], stdin=subprocess.PIPE)
