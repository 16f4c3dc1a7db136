"""The filesystems that are measured: each shows one source directory at one root."""

import json
import os
import shutil
import time

from mounts import mounted, unmount
from processes import Daemon, Failure, descriptor_limits, lay_aside


class Bare:
    """The directory itself: what all others are compared with."""

    name = "bare"
    daemon = None
    # Whether it can show the directory that others show too, as long as nobody changes it.
    shares_source = True
    # What it is measured in.
    stages = ("trees", "listing")

    def __init__(self, home):
        self.home = home
        self.root = None

    def start(self, source, documents):
        """Shows source at self.root. The number of documents in it tells when all are there."""
        self.root = source

    def remount(self):
        """Forgets everything that the kernel knows of the mount, for any user and not only root."""

    def rest(self, patience=60):
        """Until nothing is left to do in the background."""

    def fill(self, make):
        """Lays what make(directory) makes where it shows at self.root; for most, straight into the
        source that start() names next."""
        make(self.home / "source")

    def stop(self):
        pass


class Mounted(Bare):
    """A FUSE filesystem, one daemon in the foreground."""

    def __init__(self, home, program):
        super().__init__(home)
        self.program = program
        self.point = home / "mnt"
        self.environment = {**os.environ, "HOME": str(home)}
        # The soft limit and the hard one.
        self.descriptors = (descriptor_limits()[1],) * 2

    def command(self):
        raise NotImplementedError

    def start(self, source, documents):
        self.source, self.documents = source, documents
        self.point.mkdir(parents=True, exist_ok=True)
        self.mount()

    def start_daemon(self):
        self.daemon = Daemon([str(word) for word in self.command()], self.home / "log",
                             self.environment, self.descriptors)

    def mount(self):
        self.start_daemon()
        end = time.monotonic() + 20
        while not mounted(self.point):
            if not self.daemon.alive or time.monotonic() > end:
                raise Failure(f"does not mount: {self.daemon.last_words()}")
            time.sleep(0.01)
        self.root = self.point

    def remount(self):
        self.stop()
        self.mount()
        self.rest()

    def stop(self):
        # The daemon unmounts when it is told to end; the mount of one that could not is taken away.
        if self.daemon:
            self.daemon.stop()
        unmount(self.point)
        if mounted(self.point):
            raise Failure("cannot be unmounted")


class PassthroughLL(Mounted):
    """libfuse's passthrough_ll: C, caches for one second, no writeback."""

    name = "passthrough_ll"

    def command(self):
        return [self.program, "-f", "-o", f"source={self.source}", self.point]


class PassthroughHP(Mounted):
    """libfuse's passthrough_hp: C++, long timeouts, writeback, splice."""

    name = "passthrough_hp"

    def command(self):
        return [self.program, "--foreground", self.source, self.point]


class MergerFS(Mounted):
    """mergerfs over one directory: for the listings, which libfuse's examples do not finish."""

    name = "mergerfs"
    stages = ("listing",)

    def command(self):
        return [self.program, "-f", self.source, self.point]


class Rclone(Mounted):
    """rclone mount of a local remote, with all of its cache."""

    name = "rclone"

    def command(self):
        return [self.program, "mount", "--vfs-cache-mode", "full", "--cache-dir",
                self.home / "cache", "--config", self.home / "rclone.conf",
                f":local:{self.source}", self.point]

    def mount(self):
        (self.home / "rclone.conf").touch()
        super().mount()

    def remount(self):
        # What it had not yet sent would be sent in the next row's time.
        self.stop()
        lay_aside(self.home / "cache")
        self.mount()

    def rest(self, patience=60):
        self.daemon.wait_until_quiet(patience)


class DocFS(Mounted):
    """What both kinds of scope have in common."""

    # Seconds that an edit is left alone before it is sent; what users have.
    settle = 1

    def folders(self):
        """Local's directory and the container's folder."""
        raise NotImplementedError

    def command(self):
        local, container = self.folders()
        return [self.program, "--local", local, "--cloud", f"Cloud=file://{container}",
                "--settle", self.settle, "--state", self.home / "state", self.point]

    def mount(self):
        for folder in (*self.folders(), self.home):
            folder.mkdir(parents=True, exist_ok=True)
        super().mount()
        self.root = self.point / self.scope

    def status(self):
        return json.loads((self.point / ".docfs" / "status.json").read_text())["scopes"][0]

    def rest(self, patience=60):
        end = time.monotonic() + patience
        idle = ("pending", "journal", "uploading", "downloading")
        while True:
            status = self.status()
            if status["online"] and not any(status[field] for field in idle) \
                    and status["documents"] >= self.expected():
                break
            if time.monotonic() > end:
                raise Failure(f"not at rest after {patience} s: {status}")
            time.sleep(0.1)
        self.daemon.wait_until_quiet(patience)


class DocFSLocal(DocFS):
    """DocFS, the scope Local."""

    name, scope = "DocFS Local", "Local"

    def folders(self):
        return self.source, self.home / "container"

    def expected(self):
        return 0


class DocFSCloud(DocFS):
    """DocFS, a container kept by the folder store, every document of it here."""

    name, scope = "DocFS Cloud", "Cloud"
    # A container's folder gets a marker and a log.
    shares_source = False

    def folders(self):
        return self.home / "local", self.source

    def expected(self):
        return self.documents

    def start(self, source, documents):
        super().start(source, documents)
        self.rest(300)
        # Only what was there at the start has to be there after a remount.
        self.documents = 0

    def fill(self, make):
        # Through the mount: what is written here is here, and goes to the container by itself.
        self.start(self.home / "source", 0)
        make(self.root)
        self.rest(300)
        self.stop()


# The columns, in the order in which they are shown.
NAMES = [kind.name for kind in (Bare, PassthroughLL, PassthroughHP, MergerFS, Rclone, DocFSLocal,
                                DocFSCloud)]


def find(home, stage, built, docfs, quick):
    """All columns that this machine can show, and a word for each that it cannot."""
    if quick:
        DocFS.settle = 0.1
    mergerfs, rclone = (shutil.which(name) or f"needs the package {name}"
                        for name in ("mergerfs", "rclone"))
    programs = [(Bare, None), (PassthroughLL, built["passthrough_ll"]),
                (PassthroughHP, built["passthrough_hp"]), (MergerFS, mergerfs), (Rclone, rclone),
                (DocFSLocal, docfs), (DocFSCloud, docfs)]
    found, missing = [], {}
    for kind, program in programs:
        if stage not in kind.stages:
            continue
        folder = home / kind.name.replace(" ", "-")
        folder.mkdir()
        if kind is Bare:
            found.append(Bare(folder))
        elif os.path.exists(program):
            found.append(kind(folder, program))
        else:
            missing[kind.name] = str(program)
    return found, missing
