"""Verbs on what Linux has beside POSIX: openat2, statx, handles, splice, advice, ioctl, mounts."""

import ctypes
import errno
import fcntl
import os
import select
import struct
import subprocess
import time

import kernel
from verbs_files import FLAGS, tell

# Numbers that all of Linux's newer architectures share.
SYS_OPENAT2 = 437
SYS_FCHMODAT2 = 452
RESOLVE = {"-": 0, "no_xdev": 1, "no_magiclinks": 2, "no_symlinks": 4, "beneath": 8, "in_root": 16}
ADVICE = {"normal": os.POSIX_FADV_NORMAL, "random": os.POSIX_FADV_RANDOM,
          "sequential": os.POSIX_FADV_SEQUENTIAL, "willneed": os.POSIX_FADV_WILLNEED,
          "dontneed": os.POSIX_FADV_DONTNEED, "noreuse": os.POSIX_FADV_NOREUSE, "none": 77}
STATX = {"type": 1, "mode": 2, "nlink": 4, "uid": 8, "gid": 16, "atime": 32, "mtime": 64,
         "ctime": 128, "ino": 256, "size": 512, "blocks": 1024, "btime": 2048}
IOCTLS = {"getflags": 0x80086601, "setflags": 0x40086602, "available": 0x541B,
          "block-size": 2, "tty": 0x5401, "clone": 0x40049409}
RWF = {"-": 0, "hipri": 1, "dsync": 2, "sync": 4, "append": 16, "unknown": 1 << 20}


class KernelVerbs:
    """What is asked of the kernel in Linux's own words."""

    def do_openat2(self, name, directory, path, flags, resolve):
        bits = 0
        for flag in flags.split(","):
            bits |= FLAGS[flag]
        how = struct.pack("QQQ", bits, 0o644 if bits & os.O_CREAT else 0,
                          sum(RESOLVE[word] for word in resolve.split(",")))
        while True:
            try:
                self.files[name] = kernel.check(kernel.libc.syscall(
                    SYS_OPENAT2, self.files[directory], os.fsencode(path), how, len(how)))
                return
            except BlockingIOError:
                # Somebody renamed something somewhere: to be tried again (openat2(2)).
                time.sleep(0.001)

    def do_statx(self, path, *wanted):
        """Which of the fields asked for are told, whatever else is."""
        buffer = ctypes.create_string_buffer(256)
        mask = sum(STATX[word] for word in wanted)
        kernel.check(kernel.libc.statx(kernel.AT_FDCWD, os.fsencode(path),
                                       kernel.AT_SYMLINK_NOFOLLOW, mask, buffer))
        told = struct.unpack_from("I", buffer)[0]
        return " ".join(word for word in wanted if told & STATX[word]) or "nothing"

    def do_same_mount(self, one, two):
        """Whether statx(2) tells one mount for both."""
        numbers = []
        for path in (one, two):
            buffer = ctypes.create_string_buffer(256)
            kernel.check(kernel.libc.statx(kernel.AT_FDCWD, os.fsencode(path), 0, 0x1000, buffer))
            numbers.append(struct.unpack_from("Q", buffer, 144)[0])
        return numbers[0] == numbers[1]

    def do_handle(self, name, path):
        """name_to_handle_at(2), to be kept under a name."""
        handle = ctypes.create_string_buffer(8 + 128)
        struct.pack_into("Ii", handle, 0, 128, 0)
        mount = ctypes.c_int()
        kernel.check(kernel.libc.name_to_handle_at(
            kernel.AT_FDCWD, os.fsencode(path), handle, ctypes.byref(mount), 0))
        self.handles[name] = handle

    def do_by_handle(self, name, handle, flags):
        """open_by_handle_at(2), below the working directory's filesystem."""
        place = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            self.files[name] = kernel.check(kernel.libc.open_by_handle_at(
                place, self.handles[handle], FLAGS[flags]))
        finally:
            os.close(place)

    def do_chmod_link(self, path, mode):
        """fchmodat2(2) that follows no link."""
        kernel.check(kernel.libc.syscall(SYS_FCHMODAT2, kernel.AT_FDCWD, os.fsencode(path),
                                         int(mode, 8), kernel.AT_SYMLINK_NOFOLLOW))

    def do_link_open(self, name, path):
        """linkat(2) of an open file with no name given at all."""
        kernel.check(kernel.libc.linkat(self.files[name], b"", kernel.AT_FDCWD,
                                        os.fsencode(path), kernel.AT_EMPTY_PATH))

    def do_in(self, directory, verb, path, *more):
        """mkdir, unlink, rmdir, symlink or stat, counted from an open directory."""
        place = self.files[directory]
        if verb == "symlink":
            os.symlink(path, more[0], dir_fd=place)
        elif verb == "rename":
            os.rename(path, more[0], src_dir_fd=place, dst_dir_fd=place)
        elif verb == "stat":
            return self.describe(os.stat(path, dir_fd=place))
        else:
            getattr(os, verb)(path, dir_fd=place)

    # Bytes without read and write

    def do_splice(self, name, offset, text, how="write"):
        """Bytes go from a pipe to the file; `map` puts them in the pipe by vmsplice(2)."""
        receive, send = os.pipe()
        try:
            data = ctypes.create_string_buffer(text.encode(), len(text))
            if how == "map":
                piece = struct.pack("PN", ctypes.addressof(data), len(text))
                kernel.check(kernel.libc.vmsplice(send, piece, ctypes.c_size_t(1), 0))
            else:
                os.write(send, data.raw)
            return os.splice(receive, self.files[name], len(text), offset_dst=int(offset))
        finally:
            os.close(receive)
            os.close(send)

    def do_unsplice(self, name, offset, length):
        """Bytes go from the file to a pipe, are doubled by tee(2), and the double is told."""
        receive, send = os.pipe()
        receive_too, send_too = os.pipe()
        try:
            count = os.splice(self.files[name], send, int(length), offset_src=int(offset))
            if count == 0:
                return "''"
            count = kernel.check(kernel.libc.tee(receive, send_too, ctypes.c_size_t(count), 0))
            return tell(os.read(receive_too, count))
        finally:
            for descriptor in (receive, send, receive_too, send_too):
                os.close(descriptor)

    def do_pwritev2(self, name, offset, text, flags):
        bits = sum(RWF[word] for word in flags.split(","))
        return os.pwritev(self.files[name], [text.encode()], int(offset), bits)

    def do_preadv2(self, name, offset, length, flags):
        room = bytearray(int(length))
        bits = sum(RWF[word] for word in flags.split(","))
        count = os.preadv(self.files[name], [room], int(offset), bits)
        return tell(bytes(room[:count]))

    # Advice

    def do_advise(self, name, offset, length, advice):
        os.posix_fadvise(self.files[name], int(offset), int(length), ADVICE[advice])

    def do_readahead(self, name, offset, length):
        kernel.check(kernel.libc.readahead(self.files[name], ctypes.c_long(int(offset)),
                                           ctypes.c_size_t(int(length))))

    def do_syncfs(self, name):
        kernel.check(kernel.libc.syncfs(self.files[name]))

    def do_sync_range(self, name, offset, length, flags):
        kernel.check(kernel.libc.sync_file_range(
            self.files[name], ctypes.c_long(int(offset)), ctypes.c_long(int(length)), int(flags)))

    # Descriptors

    def do_poll(self, name):
        """What poll(2) says of a descriptor within no time."""
        poller = select.poll()
        poller.register(self.files[name], select.POLLIN | select.POLLOUT)
        words = {select.POLLIN: "in", select.POLLOUT: "out", select.POLLERR: "error",
                 select.POLLHUP: "hup", select.POLLNVAL: "none"}
        bits = sum(bit for _, bit in poller.poll(0))
        return " ".join(word for bit, word in words.items() if bits & bit) or "nothing"

    def do_ioctl(self, name, request):
        answer = fcntl.ioctl(self.files[name], IOCTLS[request], bytes(8))
        return struct.unpack("i", answer[:4])[0] if request == "available" else None

    def do_clone(self, source, destination):
        """FICLONE, which cp(1) tries first."""
        fcntl.ioctl(self.files[destination], IOCTLS["clone"], self.files[source])

    def do_entries_of(self, name, room):
        """getdents64(2) into a buffer of that size: whether something fits."""
        sys_getdents64 = {"x86_64": 217}.get(os.uname().machine, 61)
        buffer = ctypes.create_string_buffer(int(room))
        return kernel.check(kernel.libc.syscall(
            sys_getdents64, self.files[name], buffer, int(room))) > 0

    def do_evict(self, path):
        """Makes a document of a cloud scope a placeholder as soon as it can; elsewhere nothing."""
        until = time.monotonic() + 0.8
        try:
            while os.getxattr(path, "user.docfs.upload") and time.monotonic() < until:
                try:
                    os.setxattr(path, "user.docfs.download", b"none")
                    return
                except OSError as error:
                    if error.errno != errno.EBUSY:
                        raise
                time.sleep(0.05)
        except OSError:
            pass

    # Mounts, which end with the actor

    def do_bind(self, source, path):
        """Mounts one item over another."""
        done = subprocess.run(["mount", "--bind", source, path], stderr=subprocess.DEVNULL,
                              check=False)
        if done.returncode == 0:
            self.mounts.append(os.path.abspath(path))
        return "mounted" if done.returncode == 0 else "not mounted"

    def do_unbind(self):
        subprocess.run(["umount", self.mounts.pop()], check=True)
