#!/usr/bin/python3 -BIS
"""One cut: two devices and a container, users at work, the power goes, and what is left.

    power_loss.py WORK SEED forgetful|xfs

Prints what was done and `passed` with the time of the slowest start, or what must not be, and exits
with 1. The environment names the programs: DOCFS_MOUNT, FORGETFUL, SYNCFS_LIBRARY. Told by
scripts/power-loss, which gives it a namespace of mounts and processes of its own.
"""

import os
import random
import subprocess
import sys
import time
import traceback

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)

from devices import REST, Device, Trouble, settle  # noqa: E402
from disks import XFS, Forgetful  # noqa: E402
from ledger import Ledger, Sight, judge  # noqa: E402
from users import User  # noqa: E402

# Whose disks lose their power.
CUTS = [("alice",), ("alice",), ("alice", "container"), ("container",),
        ("alice", "bob", "container"), ("alice", "bob", "container")]
SHARED = 3


class Cut:
    def __init__(self, work, seed, kind):
        self.seed = seed
        self.kind = kind
        self.chance = random.Random(f"power {seed}")
        self.victims = self.chance.choice(CUTS)
        # What was on the disk for long already when the users began.
        self.age = self.chance.choice(("documents", "documents", "devices", "devices", "nothing"))
        self.is_careful = self.chance.random() < 0.5
        self.duration = self.chance.uniform(0.1, 3)
        disk = XFS if kind == "xfs" else Forgetful
        self.disks = {name: disk(os.path.join(work, name)) for name in
                      ("disk-alice", "disk-bob", "container")}
        self.container = self.disks["container"]
        options = [] if self.chance.random() < 0.5 else ["--passthrough=off"]
        self.devices = [Device(work, name, self.disks[f"disk-{name}"], self.container, options)
                        for name in ("alice", "bob")]
        self.ledger = Ledger()
        self.users = []
        print(f"{seed}: {kind}, cut {' and '.join(self.victims)} after {self.duration:.2f} s,",
              f"{self.age} synced before,",
              "every file synced" if self.is_careful else "not every file synced", *options)

    def disk(self, victim):
        return self.disks[victim if victim == "container" else f"disk-{victim}"]

    def begin(self):
        """Both devices, and the documents that both write."""
        for device in self.devices:
            device.start()
        if self.age == "devices":
            settle(self.devices, self.container)
            self.sync()
        shared = []
        for number in range(SHARED):
            document = self.ledger.document(f"shared-{number}", "Cloud", f"shared-{number}.txt")
            shared.append(document)
        self.users = [User(device, self.ledger, shared, self.seed, self.is_careful)
                      for device in self.devices]
        writer = self.users[0]
        for document in shared:
            label = writer.label(document)
            content = writer.content(label)
            version = writer.intend(document, content, None, label)
            version.truncates = True
            how = "file" if self.is_careful else "close"
            writer.write(document, content, how, os.O_CREAT | os.O_EXCL)
            writer.acknowledge(document, version, how)
        settle(self.devices, self.container)
        if self.age == "documents":
            self.sync()
            for version in self.ledger.versions.values():
                version.synced = True

    def sync(self):
        for disk in self.disks.values():
            disk.sync()

    def work_and_cut(self):
        for user in self.users:
            user.start()
        time.sleep(self.duration)
        if self.chance.random() < 0.4:
            # Nobody syncs anything after these.
            for user in self.users:
                user.finish()
            time.sleep(self.chance.choice((0, 0.1, 0.5)))
        for victim in self.victims:
            if self.kind == "xfs":
                self.disk(victim).off(self.chance.random() < 0.5)
            else:
                self.disk(victim).off()
        killed = [device for device in self.devices if device.name in self.victims]
        if "container" in self.victims and self.kind == "xfs":
            # Nobody may use a journal that is to be read again.
            killed = self.devices
        for device in killed:
            device.die(device.name in self.victims)
        for user in self.users:
            user.is_over.set()
        if killed != self.devices:
            time.sleep(self.chance.uniform(0, 0.5))
        for victim in self.victims:
            print(f"    {victim}: lost {self.disk(victim).on(self.seed).removeprefix('lost ')}")
        for device in killed:
            device.start()
        for user in self.users:
            user.join(30)
            if user.is_alive():
                raise Trouble(f"{user.name} hangs in: {user.done[-1]}")
            if user.trouble:
                raise Trouble(f"before the cut: {user.trouble}")
            if user.end and user.device not in killed:
                raise Trouble(f"on {user.name}, which kept its power: {user.end}")


    def conclude(self):
        """All that must not be, in words."""
        wrong = []
        if self.chance.random() < 0.5:
            # Nothing torn is shown before the devices have talked, either.
            for device in self.devices:
                wrong += Sight(device, "Cloud", is_moving=True).strangers(
                    self.ledger, self.victims)
        settle(self.devices, self.container)
        for user in self.users:
            document = self.ledger.document(f"after-{user.name}", "Cloud", f"after {user.name}.txt")
            label = user.label(document)
            content = user.content(label)
            version = user.intend(document, content, None, label)
            user.write(document, content, "file", os.O_CREAT | os.O_EXCL)
            user.acknowledge(document, version, "file")
        settle(self.devices, self.container)
        wrong += self.agree()
        sights = [Sight(device, scope) for device in self.devices for scope in ("Cloud", "Local")]
        wrong += judge(self.ledger, sights, self.victims)
        for device in self.devices:
            device.stop()
            device.start()
        settle(self.devices, self.container)
        for device in self.devices:
            device.stop()
        return wrong + self.left_over()

    def agree(self):
        """Where the two devices do not agree, whatever time they get: one may be waiting still
        before it asks the container again."""
        end = time.monotonic() + REST
        while (found := self.differences()) and time.monotonic() < end:
            time.sleep(0.5)
        settle(self.devices, self.container)
        return found

    def differences(self):
        trees = []
        for device in self.devices:
            told = subprocess.run(
                ["/usr/bin/python3", "-IS", f"{here}/../Stories/probe.py", "manifest",
                 device.scope("Cloud")], capture_output=True, text=True, timeout=60)
            trees.append(told.stdout.splitlines() + told.stderr.splitlines())
        one, other = trees
        return [f"only {name} has: {line}" for name, mine, theirs in
                (("alice", one, other), ("bob", other, one)) for line in mine if line not in theirs]

    def left_over(self):
        """Bodies that nobody waits for any more, after one more start and its end in order."""
        top = os.path.join(self.container.path, ".docfs/tmp")
        return [f"left over in the container: {name}" for name in os.listdir(top)]

    def tell(self):
        """What the users did, and the ends of the logs."""
        for user in self.users:
            print(f"    {user.name} did:")
            for words in [words for words in user.done if " " in words][-40:]:
                print(f"        {words}")
            if user.end:
                print(f"        and ended: {user.end}")


def main():
    work, seed, kind = sys.argv[1:]
    sys.stdout.reconfigure(line_buffering=True)
    cut = Cut(work, seed, kind)
    try:
        cut.begin()
        cut.work_and_cut()
        wrong = cut.conclude()
    except (Trouble, OSError, RuntimeError, subprocess.TimeoutExpired) as error:
        if not isinstance(error, Trouble):
            traceback.print_exc(file=sys.stdout)
        wrong = [str(error)]
    if wrong:
        cut.tell()
    for words in wrong:
        print(f"    FAILED: {words}")
    slowest = max(device.slowest for device in cut.devices)
    print(f"    {'failed' if wrong else 'passed'}, slowest start {slowest:.2f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
