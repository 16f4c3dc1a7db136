"""Who is measured on an S3 store: a direct client, DocFS, and rclone. Each has a way of its own to
the store: straight, or through a proxy."""

import os
import shutil
import sqlite3
import time

import peers
from bucket import ACCOUNT, REGION, SECRET
from processes import Failure, lay_aside, run
from rows import Wrong
from servers import Proxy

LIMIT = "limit"
NAMES = (LIMIT, "DocFS", "rclone")


class Late(Wrong):
    """It was not seen as long as anybody waited."""

    def __init__(self, what, patience):
        super().__init__(what)
        self.verdict = f"> {patience} s"


def until(what, check, patience=120, pause=0.05, failure=Failure):
    """Waits until check() is true."""
    end = time.monotonic() + patience
    while not check():
        if time.monotonic() > end:
            raise failure(f"after {patience} s: {what}") if failure is Failure \
                else failure(what, patience)
        time.sleep(pause)


class Reach:
    """What all have in common: the part of the bucket that they see, and their way there."""

    # Seconds that an edit is left alone before it is sent.
    wait = 0

    def reach(self, store, prefix):
        self.bucket, self.prefix = store.bucket, prefix
        self.proxy = Proxy(self.home / "proxy", store.address)
        self.take(straight=True)

    def take(self, straight, delay=0):
        """Which way it goes from its next mount on."""
        self.proxy.delay(delay)
        self.endpoint = self.bucket.endpoint if straight else self.proxy.address

    def key(self, path):
        return f"{self.prefix}/{path}"

    def end(self):
        """Stops for good."""
        self.stop()
        self.proxy.stop()


class Use:
    """Processor time and memory of the direct client, as of a daemon."""

    def __init__(self):
        self.used = self.highest = 0

    def cpu(self):
        return self.used

    def forget_peak(self):
        self.highest = 0

    def peak(self):
        return self.highest


class Direct(Reach, peers.Bare):
    """The limit: curl, or for one request after another http.client, over connections that are
    kept, sending nothing but what has to be sent."""

    name = LIMIT

    def __init__(self, home, _):
        super().__init__(home)
        self.daemon = Use()

    def take(self, straight, delay=0):
        super().take(straight, delay)
        self.link = self.bucket.through(self.endpoint)
        # The connection is there, as a daemon's is.
        self.link.ask("HEAD")

    def bulk(self, transfers, at_once):
        """Seconds of requests that curl sends, so many at once."""
        seconds, cpu, peak = self.link.curl(transfers, at_once)
        self.daemon.used += cpu
        self.daemon.highest = max(self.daemon.highest, peak)
        return seconds

    def timed(self, work):
        """Seconds of a function that sends requests by itself, and what it answers."""
        cpu, begun = time.process_time(), time.perf_counter()
        answer = work()
        seconds = time.perf_counter() - begun
        self.daemon.used += time.process_time() - cpu
        return seconds, answer


class Attaching(Reach):
    """What both filesystems have in common."""

    def remount(self):
        self.stop()
        self.forget()
        self.point.mkdir(parents=True, exist_ok=True)
        self.mount()
        self.rest()

    def attach(self, folder, count, anew):
        """Seconds from the start of the program to the end of the first listing that is whole."""
        self.stop()
        self.forget()
        if anew:
            self.disown()
        self.point.mkdir(parents=True, exist_ok=True)
        begun = time.perf_counter()
        self.mount()
        until(f"{folder} does not have {count} entries",
              lambda: len(self.listed(self.root / folder)) >= count,
              patience=600, pause=0.02)
        return time.perf_counter() - begun

    def disown(self):
        """Takes from the bucket what tells that it is a container."""

    def listed(self, folder):
        return run(["ls", "-U", str(folder)], check=False).splitlines()


class DocFSBucket(Attaching, peers.DocFS):
    """DocFS, with a container in the bucket."""

    name, scope = "DocFS", "Cloud"
    documents = 0

    def __init__(self, home, program):
        super().__init__(home, program)
        self.environment |= {"AWS_ACCESS_KEY_ID": ACCOUNT, "AWS_SECRET_ACCESS_KEY": SECRET}

    @property
    def wait(self):
        return self.settle

    def folders(self):
        return [self.home / "local"]

    def expected(self):
        return self.documents

    def command(self):
        return [self.program, "--local", self.home / "local", "--state", self.home / "state",
                "--device", self.home.name, "--settle", self.settle, "--cloud",
                f"Cloud=s3://{self.bucket.name}/{self.prefix}?endpoint={self.endpoint}"
                f"&region={REGION}", self.point]

    def forget(self):
        lay_aside(self.home / "state")

    def disown(self):
        self.bucket.clear(self.key(".docfs/"))

    def rest(self, patience=120):
        """Nothing is left to do, either, before the change log was read to its end."""
        until("the change log is not read to its end", self.has_read_log, patience)
        super().rest(patience)

    def has_read_log(self):
        log = self.key(".docfs/log/")
        records = self.bucket.listing(log)
        last = int(max(records)[len(log):].removesuffix(".json")) if records else 0
        catalog = sqlite3.connect(f"file:{self.home}/state/catalog.sqlite?mode=ro", uri=True)
        try:
            anchor = catalog.execute(
                "SELECT anchor FROM scope WHERE name = ?", [self.scope]).fetchone()
        finally:
            catalog.close()
        return bool(anchor) and anchor[0] >= last

    def another(self, store):
        """A second device with the same container."""
        home = self.home / "another"
        home.mkdir(exist_ok=True)
        other = DocFSBucket(home, self.program)
        other.reach(store, self.prefix)
        return other


class RcloneBucket(Attaching, peers.Rclone):
    """rclone mount of the bucket, with all of its cache and what else it does by itself."""

    # Its --vfs-write-back.
    wait = 5

    def __init__(self, home, program):
        super().__init__(home, program)
        # Among them is one, of certificates, with which its library refuses to start.
        self.environment = {name: value for name, value in self.environment.items()
                            if not name.startswith("AWS_")}

    def command(self):
        return [self.program, "mount", "--vfs-cache-mode", "full", "--cache-dir",
                self.home / "cache", "--config", self.home / "rclone.conf",
                f"bench:{self.bucket.name}/{self.prefix}", self.point]

    def mount(self):
        (self.home / "rclone.conf").write_text(
            f"[bench]\ntype = s3\nprovider = Ceph\nendpoint = {self.endpoint}\n"
            f"region = {REGION}\naccess_key_id = {ACCOUNT}\nsecret_access_key = {SECRET}\n")
        super().mount()

    def forget(self):
        lay_aside(self.home / "cache")


def find(home, store, prefixes, docfs, only):
    """All contestants, or the limit and some, and a word for each that this machine cannot show."""
    rclone = shutil.which("rclone") or "needs the package rclone"
    found, missing = [], {}
    for kind, program in ((Direct, ""), (DocFSBucket, docfs), (RcloneBucket, rclone)):
        if only and kind.name not in (LIMIT, *only):
            continue
        if program and not os.path.exists(program):
            missing[kind.name] = program
            continue
        folder = home / kind.name
        folder.mkdir(parents=True)
        contestant = kind(folder, program)
        contestant.reach(store, prefixes(kind.name))
        found.append(contestant)
    return found, missing
