"""What the devices hold before the damage, and who wrote which bytes at which path.

Every document's text names itself, its version and its place in every line, so that no byte of one
can pass for another's. A path is told relative to the mount: `Cloud/kept 3`.
"""

import hashlib
import os
import re

SIZES = [0, 1, 5_000, 300_000, 3_000_000]
# What syncing and salvage add to the name of a version that lies beside its document.
BESIDE = re.compile(r" \(conflict from [^,()]+, [-0-9]{10} [.0-9]{8}( \d+)?\)")


def text(name, version, size):
    """`size` bytes that nobody else writes; the shortest ones cannot say much."""
    lines = (f"{name} v{version} line {number:06} ".ljust(63, ".") + "\n"
             for number in range(size // 64 + 1))
    return "".join(lines).encode()[:size]


def digest(data):
    return hashlib.sha256(data).hexdigest()


def plain(path):
    """The path of the document that a conflict version belongs to, or the path itself."""
    return BESIDE.sub("", path)


class Scene:
    """Makes the documents, and remembers what was written, by path and as a whole."""

    def __init__(self, alice, bob, chance):
        self.alice, self.bob, self.chance = alice, bob, chance
        # What anybody ever wrote: digest → (name, version).
        self.written = {}
        # By path: every digest that was ever there.
        self.ever = {}
        # What alice's mount shows, by path.
        self.shown = {}
        # Edits of alice that the container may not have: path → digest.
        self.unsent = {}
        # Those of which some bytes are still to be fetched: the catalog alone knows which.
        self.patched = set()
        # What bob did meanwhile: path → digest, `None` for deleted.
        self.meanwhile = {}

    def note(self, path, data, name, version):
        self.written[digest(data)] = (name, version)
        self.ever.setdefault(path, set()).add(digest(data))

    def write(self, device, path, name, version, size, how="truncate"):
        """One save of a document."""
        data = text(name, version, size)
        self.note(path, data, name, version)
        target = os.path.join(device.mount, path)
        if how == "rename":
            with open(target + ".temporary", "wb") as document:
                document.write(data)
            os.rename(target + ".temporary", target)
        else:
            with open(target, "wb") as document:
                document.write(data)
        return digest(data)

    # Before: both devices are online, and all of it is sent

    def prepare(self):
        alice, bob = self.alice, self.bob
        os.mkdir(os.path.join(bob.cloud, "from bob"))
        for index, size in enumerate(SIZES):
            self.shown[f"Cloud/unread {index}"] = self.write(
                bob, f"Cloud/unread {index}", f"unread {index}", 1, size)
            self.shown[f"Cloud/from bob/fetched {index}"] = self.write(
                bob, f"Cloud/from bob/fetched {index}", f"fetched {index}", 1, size)
            self.shown[f"Cloud/kept {index}"] = self.write(
                alice, f"Cloud/kept {index}", f"kept {index}", 1, size)
        for role in ("rewritten", "appended", "replaced", "renamed", "deleted", "leaving", "both",
                     "theirs", "theirs deleted", "described"):
            self.make(alice, f"Cloud/{role}", role, self.size())
        for role in ("patched", "leaving unread"):
            self.make(bob, f"Cloud/{role}", role, self.chance.choice(SIZES[3:]))
        self.make(alice, "Local/coming", "coming", self.size())
        os.mkdir(os.path.join(alice.local, "directory coming"))
        self.make(alice, "Local/directory coming/inner", "inner", self.size())
        alice.world.settled()
        for index in range(len(SIZES)):
            self.fetch(f"Cloud/from bob/fetched {index}")
        alice.world.settled()

    def make(self, device, path, name, size):
        self.shown[path] = self.write(device, path, name, 1, size)

    def size(self):
        return self.chance.choice(SIZES)

    def fetch(self, path):
        with open(os.path.join(self.alice.mount, path), "rb") as document:
            if digest(document.read()) != self.shown[path]:
                raise AssertionError(f"{path} is not what was written, without any damage")

    # Then: edits of alice that are not sent

    def edit(self):
        # A byte of its own for each, where there is only one: else two versions were the same.
        for path, how, size in (
                ("Cloud/rewritten", "truncate", self.size()),
                ("Cloud/replaced", "rename", self.size()),
                ("Cloud/both", "truncate", 5_000),
                ("Cloud/new", "truncate", self.size())):
            self.unsent[path] = self.shown[path] = self.write(
                self.alice, path, path[6:], 2, size, how)
        self.append("Cloud/appended")
        self.patch("Cloud/patched")
        self.move("Cloud/renamed", "Cloud/renamed since")
        self.move("Cloud/leaving", "Local/left")
        self.move("Cloud/leaving unread", "Local/left unread")
        self.move("Local/coming", "Cloud/come")
        self.unsent["Cloud/come"] = self.shown["Cloud/come"]
        self.move("Local/directory coming", "Cloud/directory come")
        path = "Cloud/directory come/inner"
        self.shown[path] = self.shown.pop("Local/directory coming/inner")
        self.ever[path] = {self.shown[path]}
        self.unsent[path] = self.shown[path]
        os.unlink(os.path.join(self.alice.mount, "Cloud/deleted"))
        del self.shown["Cloud/deleted"]
        os.chmod(os.path.join(self.alice.mount, "Cloud/described"), 0o600)
        os.setxattr(os.path.join(self.alice.mount, "Cloud/described"), "user.mark", b"made here")

    def append(self, path):
        target = os.path.join(self.alice.mount, path)
        addition = text("appended", 2, 640)
        with open(target, "rb") as document:
            data = document.read() + addition
        with open(target, "ab") as document:
            document.write(addition)
        self.note(path, data, "appended", 2)
        self.unsent[path] = self.shown[path] = digest(data)

    def patch(self, path):
        """Writes into the middle of a document that is not here."""
        target = os.path.join(self.alice.mount, path)
        size = os.stat(target).st_size
        data = bytearray(text("patched", 1, size))
        data[size // 2:size // 2 + 6400] = text("patched", 2, 6400)
        with open(target, "r+b") as document:
            document.seek(size // 2)
            document.write(data[size // 2:size // 2 + 6400])
        self.note(path, bytes(data), "patched", 2)
        self.unsent[path] = self.shown[path] = digest(bytes(data))
        self.patched.add(path)

    def move(self, old, new):
        os.rename(os.path.join(self.alice.mount, old), os.path.join(self.alice.mount, new))
        if old in self.shown:
            self.shown[new] = self.shown.pop(old)
            self.ever[new] = set(self.ever[old])

    def edit_elsewhere(self):
        """What bob does while alice is away."""
        for path in ("Cloud/both", "Cloud/theirs"):
            self.meanwhile[path] = self.write(self.bob, path, path[6:], 3, 5_000)
        os.unlink(os.path.join(self.bob.mount, "Cloud/theirs deleted"))
        self.meanwhile["Cloud/theirs deleted"] = None
