"""What happens to one file of a device's own state."""

import os

from scene import digest

BLOCK = 4096


def walk(*tops):
    """Every file below, whatever it is."""
    found = []
    for top in tops:
        for directory, _, names in os.walk(top):
            found += [os.path.join(directory, name) for name in names]
    return sorted(found)


class Damage:
    """One file, what was done to it, and what its bytes were and are."""

    def __init__(self, path, how, owner, chance, decoy):
        self.path, self.how, self.owner = path, how, owner
        self.before = self.bytes()
        status = os.lstat(path)
        KINDS[how](self, chance, decoy)
        if how.startswith("silent"):
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        self.after = self.bytes() if how not in ("directory", "symlink", "mode") else None

    def bytes(self):
        with open(self.path, "rb") as file:
            return file.read()

    @property
    def name(self):
        return os.path.basename(self.path)

    @property
    def is_of_same_size(self):
        return self.after is not None and len(self.after) == len(self.before)

    @property
    def is_harmless(self):
        """An empty file that was emptied."""
        return self.after == self.before

    @property
    def digest(self):
        return None if self.after is None else digest(self.after)

    # The kinds

    def flip(self, chance, _):
        if not self.before:
            return self.grow(chance, _)
        bit = chance.randrange(len(self.before) * 8)
        self.put(bit // 8, bytes([self.before[bit // 8] ^ 1 << bit % 8]))

    def block(self, chance, _):
        if not self.before:
            return self.grow(chance, _)
        start = chance.randrange(len(self.before)) // BLOCK * BLOCK
        self.put(start, bytes(b ^ 0xFF for b in self.before[start:start + BLOCK]))

    def put(self, offset, data):
        with open(self.path, "r+b") as file:
            file.seek(offset)
            file.write(data)

    def grow(self, chance, _):
        with open(self.path, "ab") as file:
            file.write(chance.randbytes(BLOCK))

    def empty(self, *_):
        os.truncate(self.path, 0)

    def half(self, *_):
        os.truncate(self.path, len(self.before) // 2)

    def remove(self, *_):
        os.unlink(self.path)
        self.bytes = lambda: b""

    def directory(self, *_):
        os.unlink(self.path)
        os.mkdir(self.path)

    def symlink(self, _, decoy):
        os.unlink(self.path)
        os.symlink(decoy, self.path)

    def mode(self, *_):
        os.chmod(self.path, 0)

    def mend(self):
        """What a person does whom the daemon has told that the file is not one it can use."""
        if self.how == "mode":
            os.chmod(self.path, 0o600)
        elif os.path.islink(self.path) or not os.path.isdir(self.path):
            os.unlink(self.path)
        else:
            os.rmdir(self.path)


KINDS = {
    "flip": Damage.flip, "silent flip": Damage.flip, "block": Damage.block,
    "silent block": Damage.block, "grow": Damage.grow, "empty": Damage.empty,
    "half": Damage.half, "remove": Damage.remove, "directory": Damage.directory,
    "symlink": Damage.symlink, "mode": Damage.mode,
}
