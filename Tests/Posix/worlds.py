"""The places where the same steps are done: a bare directory, and the scopes of a mount.

Everything runs as root, with a daemon of its own mounted `--allow-other`, so that actors of any
identity can come in.
"""

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

import kernel
from actors import GROUPS, USERS
from verbs_names import KINDS, tell_time


def end_in_order():
    """Has SIGTERM end this process as an exception does: with the mount taken away."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to end"))


def filesystem_of(path):
    """The type of the filesystem that a path is on."""
    device = os.stat(path).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            words = line.split()
            if words[2] == number:
                return words[words.index("-") + 1]
    return "an unknown filesystem"


class Mount:
    """One daemon with its directories below `work`."""

    def __init__(self, work, container=None, device="posix", settle="0.5"):
        self.work = work
        self.container = container or f"{work}/container"
        self.device = device
        self.point = os.path.join(work, "mnt")
        self.settle = settle
        self.daemon = None
        for name in ("mnt", "local", "state", "bare", "beside", self.container):
            os.makedirs(os.path.join(work, name), exist_ok=True)
        os.chmod(os.path.join(work, "state"), 0o700)

    def start(self, *options):
        program = os.environ["DOCFS_MOUNT"]
        with open(os.path.join(self.work, "log"), "ab") as log:
            self.daemon = subprocess.Popen(
                [program, "--allow-other", "--device", self.device, "--settle", self.settle,
                 "--state", f"{self.work}/state", "--local", f"{self.work}/local",
                 "--cloud", f"Cloud=file://{self.container}", *options, self.point],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=kernel.die_with_parent)
        for _ in range(2400):
            if self.daemon.poll() is not None:
                break
            if os.path.ismount(self.point) and os.path.isdir(f"{self.point}/Cloud"):
                return
            time.sleep(0.05)
        raise RuntimeError(f"the daemon does not mount:\n{self.last_words()}")

    def last_words(self):
        with open(os.path.join(self.work, "log"), encoding="utf-8", errors="replace") as log:
            return "".join(log.readlines()[-20:])

    def start_read_only(self):
        """Starts over with one of everything in every world, all of them read-only."""
        for top in self.places().values():
            make_one_of_everything(os.path.join(top, "case"))
        self.stop()
        self.start("--read-only")
        bare = f"{self.work}/bare"
        subprocess.run(["mount", "--bind", bare, bare], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", bare], check=True)

    def kill(self):
        """SIGKILL; what was answered must be there after the next start."""
        self.daemon.kill()
        self.daemon.wait()
        # A dead mount still answers from what the kernel keeps, and would be taken for the next.
        self.detach()

    def stop(self):
        """Ends the daemon and takes the mount away; what it ended with."""
        if self.daemon is None:
            return 0
        self.daemon.send_signal(signal.SIGTERM)
        try:
            status = self.daemon.wait(timeout=120)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            status = self.daemon.wait()
        self.detach()
        self.daemon = None
        return status

    def detach(self):
        subprocess.run(["umount", "--lazy", self.point], stderr=subprocess.DEVNULL, check=False)

    def is_alive(self):
        return self.daemon.poll() is None

    def places(self):
        """Every world's directory, by its name; the first is what the others are held against."""
        return {"bare": f"{self.work}/bare", "Local": f"{self.point}/Local",
                "Cloud": f"{self.point}/Cloud"}


def make_one_of_everything(top):
    """file, dir/file, fifo, link: for every user to change, if it could be changed."""
    os.umask(0)
    os.makedirs(f"{top}/dir")
    for path in ("file", "dir/file"):
        with open(f"{top}/{path}", "w", encoding="utf-8") as file:
            file.write("text")
    os.setxattr(f"{top}/file", "user.a", b"b")
    os.mkfifo(f"{top}/fifo", 0o666)
    os.symlink("file", f"{top}/link")


def remove(directory):
    """Removes a tree, whatever its modes; a word when it cannot be."""
    try:
        shutil.rmtree(directory)
    except OSError as error:
        return f"cannot be removed: {error}"
    return None


def read_for_manifest(path):
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        start = piece = file.read(1 << 20)
        while piece:
            digest.update(piece)
            piece = file.read(1 << 20)
    return repr(start)[1:] if len(start) <= 24 else digest.hexdigest()[:12]


def manifest(top):
    """What a tree holds, a line an item, without what two filesystems may differ in."""
    lines = []

    def walk(directory, below):
        listed = sorted(os.scandir(directory), key=lambda entry: entry.name)
        for entry in listed:
            path, name = os.path.join(directory, entry.name), below + entry.name
            status = os.lstat(path)
            kind = KINDS[stat.S_IFMT(status.st_mode)]
            line = (f"{name if len(name) < 60 else name[:50] + f'…{len(name)}'}: {kind} "
                    f"{stat.S_IMODE(status.st_mode):04o} "
                    f"{USERS.get(status.st_uid, status.st_uid)}:"
                    f"{GROUPS.get(status.st_gid, status.st_gid)} links {status.st_nlink}")
            if entry.inode() != status.st_ino:
                # It may have arrived in Local since it was listed.
                listed = {now.name: now.inode() for now in os.scandir(directory)}.get(entry.name)
                status = os.lstat(path)
                if listed != status.st_ino:
                    line += f" listed as {listed}, is {status.st_ino}"
            if kind == "reg":
                line += f" size {status.st_size} {read_for_manifest(path)}"
            elif kind == "symlink":
                line += f" to {os.readlink(path)[:80]}"
            elif kind in ("chr", "blk"):
                line += f" {os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
            if kind != "symlink":
                line += f" {tell_time(status.st_mtime_ns)}"
            for attribute in sorted(os.listxattr(path, follow_symlinks=False)):
                if attribute.startswith("user."):
                    line += f" {attribute}={os.getxattr(path, attribute, follow_symlinks=False)!r}"
            lines.append(line)
            if kind == "dir":
                walk(path, name + "/")

    walk(top, "")
    return lines
