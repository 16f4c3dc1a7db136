"""Renames, removals and lookups of the same few names by several processes at once.

What each call answers depends on the others, so nothing is compared; what must hold is: only
errors that another process can be the cause of, documents that are whole, and in the end a tree
whose listing and stat agree.
"""

import os
import random
import sys
import time
import traceback

import kernel

NAMES = [f"n{number}" for number in range(8)]
EXPECTED = {"ENOENT", "EEXIST", "ENOTDIR", "EISDIR", "ENOTEMPTY", "EINVAL", "ELOOP"}
SIZE = 6000


class Racer:
    """One process's share."""

    def __init__(self, directory, seed):
        self.random = random.Random(seed)
        self.directory = directory
        self.mark = f"tmp{os.getpid()}"

    def path(self):
        name = self.random.choice(NAMES)
        if self.random.random() < 0.3:
            name += "/" + self.random.choice(NAMES)
        return os.path.join(self.directory, name)

    def save(self):
        temporary = os.path.join(self.directory, self.mark)
        with open(temporary, "wb", buffering=0) as file:
            file.write(self.random.choice(b"abcdef").to_bytes(1, "big") * SIZE)
        os.rename(temporary, self.path())

    def read(self):
        with open(self.path(), "rb", buffering=0) as file:
            data = file.read(SIZE + 1)
        assert len(data) == SIZE and len(set(data)) == 1, f"torn: {len(data)} {set(data)}"

    def list(self):
        # A name that goes and comes back while it is listed may be told twice (readdir(3p)).
        os.listdir(self.random.choice([self.directory, self.path()]))

    def rename(self):
        kernel.rename(self.path(), self.path(), self.random.choice([0, 0, 1, 2]))

    def step(self):
        verb = self.random.choice([
            self.save, self.read, self.list, self.rename, self.rename,
            lambda: os.stat(self.path()), lambda: os.mkdir(self.path()),
            lambda: os.rmdir(self.path()), lambda: os.unlink(self.path()),
            lambda: os.utime(self.path()), lambda: os.chmod(self.path(), 0o755)])
        try:
            verb()
        except OSError as error:
            if kernel.errno_name(error) not in EXPECTED:
                raise


def race(directory, seed, until):
    """Races until that time; 0 when nothing was wrong."""
    try:
        racer = Racer(directory, seed)
        while time.monotonic() < until:
            for _ in range(50):
                racer.step()
        return 0
    except BaseException:
        print(f"FAILED  race in {directory}", file=sys.stderr)
        traceback.print_exc()
        return 1


def settle(directory):
    """What is wrong with the tree after the races."""
    for name in os.listdir(directory):
        path = os.path.join(directory, name)
        if not name.startswith("tmp"):
            os.lstat(path)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    data = file.read()
                if len(data) != SIZE or len(set(data)) != 1:
                    return f"{path} is torn"
    return None
