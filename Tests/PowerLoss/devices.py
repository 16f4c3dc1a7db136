"""A device: a daemon whose state and Local lie on a disk of its own."""

import json
import os
import signal
import subprocess
import time
import uuid

from disks import run

# The longest that a start may take, and that all devices may take to come to rest, in seconds.
START, REST = 50, 20

BOOT = "/proc/sys/kernel/random/boot_id"


class Trouble(Exception):
    """Something that must not be, in words."""


class Device:
    def __init__(self, work, name, disk, container, options):
        self.name = name
        self.disk = disk
        self.home = os.path.join(work, name)
        self.mount = os.path.join(self.home, "mnt")
        os.makedirs(self.mount)
        os.mkdir(os.path.join(disk.path, "local"))
        self.words = [
            os.environ["DOCFS_MOUNT"], "--device", name, "--state", f"{disk.path}/state",
            "--local", f"{disk.path}/local", "--cloud", f"Cloud=file://{container.path}",
            "--settle", "0.2", "--poll", "0.2", "--log-level", "debug", *options, self.mount]
        self.process = None
        self.slowest = 0
        # Which start of its computer this is.
        self.boot = str(uuid.uuid4())
        self.booted = os.path.join(self.home, "boot_id")

    def scope(self, name):
        return os.path.join(self.mount, name)

    def start(self):
        """Returns when the mount answers."""
        begun = time.monotonic()
        # Daemons look only while they start.
        with open(self.booted, "w") as booted:
            booted.write(self.boot + "\n")
        run("mount", "--bind", self.booted, BOOT)
        with open(os.path.join(self.home, "log"), "ab") as log:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
                env=os.environ | {"LD_PRELOAD": os.environ["SYNCFS_LIBRARY"]})
        while not self.answers():
            if self.process.poll() is not None:
                raise Trouble(f"{self.name} does not start: status {self.process.returncode}")
            if time.monotonic() - begun > START:
                raise Trouble(f"{self.name} is not ready after {START} s")
            time.sleep(0.02)
        self.slowest = max(self.slowest, time.monotonic() - begun)
        run("umount", BOOT)

    def answers(self):
        try:
            listing = subprocess.run(["ls", self.mount], capture_output=True, text=True,
                                     timeout=START)
        except subprocess.TimeoutExpired:
            raise Trouble(f"{self.name}'s mount hangs") from None
        return "Cloud" in listing.stdout.split()

    def die(self, lost_power):
        """The daemon is gone, and its mount, as after a start of the whole computer."""
        if lost_power:
            self.boot = str(uuid.uuid4())
        self.process.kill()
        self.process.wait(timeout=10)
        run("umount", "-l", self.mount)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            raise Trouble(f"{self.name} does not end after SIGTERM") from None
        if status != 0:
            raise Trouble(f"{self.name} ended with {status} after SIGTERM")

    def status(self):
        with open(os.path.join(self.mount, ".docfs/status.json"), "rb") as status:
            return next(s for s in json.loads(status.read())["scopes"] if s["name"] == "Cloud")

    def unrest(self):
        """What the device still has to do, in words; empty when it rests."""
        scope = self.status()
        busy = [f"{field} {scope[field]}" for field in
                ("pending", "journal", "uploading", "downloading") if scope[field]]
        if not scope["online"]:
            busy.append(f"offline: {scope.get('error')}")
        return ", ".join(busy)

    def errors(self):
        """What documents say of themselves, in words."""
        for directory, _, files in os.walk(self.scope("Cloud")):
            for name in files:
                path = os.path.join(directory, name)
                said = os.getxattr(path, "user.docfs.error").decode()
                if said:
                    yield f"{self.name}'s {os.path.relpath(path, self.mount)}: {said}"


def settle(devices, container):
    """Returns when no device has anything to do and the change log stands still."""
    end = time.monotonic() + REST
    log = os.path.join(container.path, ".docfs/log")
    calm, before = 0, None
    while calm < 6:
        time.sleep(0.1)
        busy = [f"{device.name}: {words}" for device in devices if (words := device.unrest())]
        newest = max(os.listdir(log), default="") if os.path.isdir(log) else ""
        calm = calm + 1 if not busy and newest == before else 0
        before = newest
        if time.monotonic() > end:
            busy += [words for device in devices for words in device.errors()]
            raise Trouble(f"not at rest after {REST} s: {'; '.join(busy)}")
