"""Devices of one world: daemons over one container, each with state, Local and a mount of its own.

The words are those of Tests/Stories/lib.sh: stop, kill9, offline, online, settled.
"""

import json
import os
import signal
import sqlite3
import subprocess
import time

# Without these a daemon of root meets modes as an ordinary user's does.
WITHOUT_OVERRIDE = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
# Seconds after which nothing more is waited for.
PATIENCE = 120
# Everything is at rest when so many looks in a row, a tenth of a second apart, say so.
CALM = 10


class Failure(Exception):
    """What is wrong, in words."""


class World:
    """A directory with a container and devices."""

    def __init__(self, directory):
        self.directory = directory
        self.container = os.path.join(directory, "container")
        os.makedirs(self.container)
        self.devices = []

    def device(self, name):
        device = Device(self, name)
        self.devices.append(device)
        return device

    def last_record(self):
        """The number of the newest record of the change log; 0 for none."""
        try:
            names = os.listdir(os.path.join(self.container, ".docfs/log"))
        except FileNotFoundError:
            return 0
        return max((int(name[:-5]) for name in names if name.endswith(".json")), default=0)

    def settled(self, but=0):
        """Nothing is pending on any device, but for so many items, and all have read the log."""
        calm, before, end = 0, None, time.monotonic() + PATIENCE
        while calm < CALM:
            now = self.last_record()
            words = [w for d in self.devices if (w := d.unrest(but, now))]
            if time.monotonic() > end:
                raise Failure(f"not at rest after {PATIENCE} s: {'; '.join(words)}")
            calm = calm + 1 if now == before and not words else 0
            before = now
            time.sleep(0.1)

    def end(self):
        """Ends whatever runs and takes away the mounts, whatever their state."""
        for device in self.devices:
            device.end()


class Device:
    def __init__(self, world, name):
        self.world, self.name = world, name
        self.home = os.path.join(world.directory, name)
        self.mount = os.path.join(self.home, "mnt")
        self.cloud = os.path.join(self.mount, "Cloud")
        self.local = os.path.join(self.mount, "Local")
        self.state = os.path.join(self.home, "state")
        self.plain = os.path.join(self.home, "local")
        self.log = os.path.join(self.home, "log")
        self.way = os.path.join(self.home, "container")
        self.process = None
        for directory in (self.mount, self.plain):
            os.makedirs(directory)
        self.online()

    # The daemon

    def start(self, settle="0.2"):
        """Starts the daemon; the seconds until its mount answers, or `None` when it refused."""
        begun = time.monotonic()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                WITHOUT_OVERRIDE + [
                    os.environ["DOCFS_MOUNT"], "--device", self.name, "--state", self.state,
                    "--local", self.plain, "--cloud", f"Cloud=file://{self.way}",
                    "--settle", settle, "--farewell", "0",
                    "--deadline", "10", "--log-level", "debug", self.mount],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        while time.monotonic() - begun < PATIENCE:
            if self.process.poll() is not None:
                self.process = None
                return None
            if os.path.ismount(self.mount) and "Cloud" in os.listdir(self.mount):
                return time.monotonic() - begun
            time.sleep(0.02)
        raise Failure(f"{self.name}'s mount does not answer after {PATIENCE} s")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name}'s daemon does not end after SIGTERM") from None
        self.process = None
        if status != 0:
            raise Failure(f"{self.name}'s daemon ended with {status} after SIGTERM")

    def kill9(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process = None

    def end(self):
        """As tidy in lib.sh: also for a daemon that does not answer any more."""
        if self.process is not None:
            self.process.kill()
        subprocess.run(["umount", "-l", self.mount], stderr=subprocess.DEVNULL, check=False)
        if self.process is not None:
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                pass

    # The way to the container

    def online(self):
        try:
            os.symlink("../container", self.way)
        except FileExistsError:
            raise Failure(f"{self.name} made a container where hers was away") from None

    def offline(self):
        os.unlink(self.way)
        end = time.monotonic() + PATIENCE
        while self.process is not None and self.scope()["online"]:
            if time.monotonic() > end:
                raise Failure(f"{self.name} does not notice that it is offline")
            time.sleep(0.05)

    # What it says

    def scope(self):
        with open(os.path.join(self.mount, ".docfs/status.json"), "rb") as status:
            return next(s for s in json.load(status)["scopes"] if s["name"] == "Cloud")

    def unrest(self, but, record):
        """Says in words why this device is not at rest; empty when it is.

        The log must have been read up to this record first: applying a record makes items pending.
        """
        try:
            # A daemon that has ended answers nothing.
            self.scope()
            if words := self.unread(record):
                return f"{self.name}: {words}"
            scope, moves = self.scope(), self.under_way()
        except OSError as error:
            return f"{self.name}: no status: {error.strerror}"
        except sqlite3.Error as error:
            return f"{self.name}: catalog: {error}"
        busy = [f"{field} {scope[field]}" for field in ("pending", "journal", "downloading")
                if scope[field] > (but if field == "pending" else 0)]
        busy += moves
        if not scope["online"]:
            busy.append(f"offline: {scope.get('error')}")
        return f"{self.name}: {', '.join(busy)}" if busy else ""

    def ask(self, question):
        """The first row of an answer by the catalog."""
        catalog = sqlite3.connect(f"file:{self.state}/catalog.sqlite?mode=ro", uri=True)
        try:
            return catalog.execute(question).fetchone()
        finally:
            catalog.close()

    def unread(self, record):
        anchor = self.ask("SELECT anchor FROM scope WHERE name = 'Cloud'")
        if anchor is None or anchor[0] < record:
            return f"the log is read to {anchor and anchor[0]} of {record}"
        return ""

    def under_way(self):
        """Moves between the scopes that have not ended: no status tells of them."""
        counts = [(table, self.ask(f"SELECT count(*) FROM {table}")[0])
                  for table in ("import", "incoming", "handover")]
        return [f"{table} {count}" for table, count in counts if count]

    def log_size(self):
        return os.path.getsize(self.log)

    def log_since(self, offset):
        with open(self.log, "rb") as log:
            log.seek(offset)
            return log.read().decode(errors="replace")
