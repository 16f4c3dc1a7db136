"""What may be seen after a damage, and what may not.

- A start is refused only where a file is of another kind or may not be opened, which a person did:
  what a disk does to a file never keeps the daemon from starting.
- An edit that the container does not have is in one file alone. When that file is damaged, reading
  says so; bytes of the same length, or of a file whose daemon was killed, cannot be told from an
  edit, and count as one: at this document and nowhere else.
- A content file whose seal, the modification time, is whole is not read through again. Bytes that
  rot under it are served on this device; they must not be sent.
- What else is damaged is rebuilt: everything is where it was.
- When the catalog was put aside, names and deletions that were not sent went with it, and what was
  written into a document that is not all here; other bytes did not.
"""

import errno
import os
import re
import subprocess
import time

from scene import digest, plain
from devices import PATIENCE, Failure

# The mount that a killed daemon leaves is told by a record; without that it may be another
# daemon's, and only a person can know.
COMMAND = re.compile(r"fusermount3 -u -z \S+$")
ADVICE = re.compile(r"\b(remove|move|rename|restore|try|make|chmod|give)\b", re.I)


def read_tree(mount, only_names=False):
    """Every document of both scopes, by path: its digest, or the error that reading gave."""
    found = {}

    def fail(error):
        raise error

    for scope in ("Cloud", "Local"):
        for directory, _, names in os.walk(os.path.join(mount, scope), onerror=fail):
            for name in names:
                path = os.path.join(directory, name)
                found[os.path.relpath(path, mount)] = None if only_names else read(path)
    return found


def read(path):
    try:
        with open(path, "rb") as document:
            return digest(document.read())
    except OSError as error:
        return error


class Verdict:
    def __init__(self, scene, damages, is_killed):
        self.scene, self.damages, self.is_killed = scene, damages, is_killed
        self.alice, self.bob = scene.alice, scene.bob
        self.words = []
        # Documents whose damaged bytes count as theirs, and were shown.
        self.unnoticed = set()
        # Documents whose edit was in a file that is damaged.
        self.spoilt = {d.owner: d for d in damages if d.owner in scene.unsent and not d.is_harmless}
        # Digests that only alice may show, and that anybody may, by path.
        self.rotten, self.taken = {}, {}
        for damage in damages:
            if damage.owner in self.spoilt:
                if damage.is_of_same_size or self.is_killed and damage.after is not None:
                    self.taken[damage.owner] = damage.digest
            elif damage.owner and damage.how.startswith("silent") and damage.is_of_same_size:
                self.rotten[damage.owner] = damage.digest

    def object(self, words):
        self.words.append(words)

    # Starting

    def refused(self, line):
        """The daemon did not start: which file, and what to do, must be in its last line."""
        if self.is_killed and (command := COMMAND.search(line)):
            subprocess.run(command.group(0).split(), check=True)
            return
        culprits = [d for d in self.damages if re.search(rf"(?<![-\w]){d.name}(?![-\w])", line)]
        if not culprits:
            self.object(f"does not start and does not name the file: {line}")
            culprits = self.damages
        elif not ADVICE.search(line):
            self.object(f"does not start and does not say what to do: {line}")
        for damage in culprits:
            if damage.how not in ("directory", "symlink", "mode"):
                self.object(f"does not start: {line}")
            if os.path.lexists(damage.path):
                damage.mend()

    # Looking

    @property
    def lost(self):
        """The folders that a catalog and contents were put aside in: files that came from Local lie
        beside those of the hidden folder."""
        hidden = os.path.join(self.alice.plain, ".docfs")
        tops = [self.alice.state] + [os.path.join(hidden, name) for name in os.listdir(hidden)]
        return sorted({name for top in tops for name in os.listdir(top)
                       if name.startswith("lost-")})

    def tolerated(self, path, device):
        """Digests of damaged bytes that cannot be told from the document's own."""
        name = plain(path)
        return {self.taken.get(name), self.rotten.get(name) if device is self.alice else None}

    def check(self, device, tree, may_be_away=False):
        """Nothing is shown that nobody wrote there."""
        for path, seen in tree.items():
            if isinstance(seen, OSError):
                self.check_error(device, path, seen, may_be_away)
            elif seen in self.tolerated(path, device):
                self.unnoticed.add(plain(path))
            elif seen not in self.scene.ever.get(plain(path), ()):
                whose = self.scene.written.get(seen)
                what = f"the bytes of {whose}" if whose else "bytes that nobody wrote"
                self.object(f"{device.name} shows {what} at {path}")

    def check_error(self, device, path, error, may_be_away):
        if may_be_away and error.errno == errno.ENETUNREACH:
            return
        try:
            target = os.path.join(device.mount, path)
            sentence = os.getxattr(target, "user.docfs.error").decode()
        except OSError as failure:
            sentence = f"no sentence: {failure.strerror}"
        if device is not self.alice or plain(path) not in self.spoilt:
            self.object(f"{device.name} cannot read {path}: {error.strerror} ({sentence})")
        elif error.errno != errno.EIO or not sentence or sentence.startswith("no sentence"):
            self.object(f"{path} fails with {error.strerror}, and says: {sentence}")

    def look_offline(self):
        self.check(self.alice, read_tree(self.alice.mount), may_be_away=True)

    def await_rest(self, world):
        try:
            world.settled(but=len(self.spoilt))
            if self.lost:
                self.await_salvage()
                world.settled(but=len(self.spoilt))
        except Failure as failure:
            self.object(str(failure))

    def await_salvage(self):
        """Edits come back one by one, once the container is known."""
        end = time.monotonic() + PATIENCE
        while self.missing_edits(read_tree(self.alice.mount)) and time.monotonic() < end:
            time.sleep(0.5)

    def look(self, log):
        alice, bob = read_tree(self.alice.mount), read_tree(self.bob.mount)
        self.check(self.alice, alice)
        self.check(self.bob, bob)
        self.check_container()
        self.compare(alice, bob)
        if self.lost:
            self.check_salvage(alice, log)
        else:
            self.check_names(alice)
        self.check_edits(alice)
        for damage in self.damages:
            if damage.how == "symlink":
                self.check_decoy()

    def check_container(self):
        """Every body that the container has, now or earlier, is one that somebody wrote."""
        known = set(self.scene.written) | set(self.taken.values())
        top = self.alice.world.container
        for directory, _, names in os.walk(top):
            for name in names:
                path = os.path.relpath(os.path.join(directory, name), top)
                if path.startswith(".docfs/log/") or path == ".docfs/container.json":
                    continue
                if read(os.path.join(top, path)) not in known:
                    self.object(f"the container has bytes that nobody wrote at {path}")

    def compare(self, alice, bob):
        """Both show the same cloud, but for what only alice has and cannot send."""
        for path in sorted(alice.keys() | bob.keys()):
            if not path.startswith("Cloud/") or plain(path) in self.spoilt:
                continue
            mine, theirs = alice.get(path), bob.get(path)
            if mine != theirs and not self.rotten.get(path) == mine is not None:
                self.object(
                    f"{path} is {self.name(mine)} for alice and {self.name(theirs)} for bob")

    def name(self, seen):
        if isinstance(seen, OSError):
            return seen.strerror
        return "absent" if seen is None else str(self.scene.written.get(seen, "unknown bytes"))

    # What must be there

    def expected(self):
        """Alice's names and what they hold, with what bob did meanwhile."""
        expected = dict(self.scene.shown)
        for path, content in self.scene.meanwhile.items():
            if path in self.scene.unsent:
                continue
            if content is None:
                expected.pop(path, None)
            else:
                expected[path] = content
        return expected

    def check_names(self, alice):
        expected = self.expected()
        for path, wanted in expected.items():
            if path in self.spoilt or path == "Cloud/both":
                continue
            seen = alice.get(path)
            if seen != wanted and not (seen is not None and seen == self.rotten.get(path)):
                self.object(f"{path} was {self.name(wanted)} and is {self.name(seen)}")
        for path in alice:
            if plain(path) not in expected:
                self.object(f"{path} came from nowhere")

    def check_salvage(self, alice, log):
        """Whatever was shown is there somewhere."""
        if not all(any(name in line for line in log.splitlines() if " error " in line)
                   for name in self.lost):
            self.object("the log does not say that the catalog was put aside")
        there = set(alice.values())
        for path, wanted in self.expected().items():
            if path in self.spoilt or path in self.scene.unsent or path in self.rotten:
                continue
            if wanted not in there:
                self.object(f"{path} is nowhere any more")

    def missing_edits(self, alice):
        """Edits that were not sent and are neither at their documents nor beside them."""
        there = {(plain(path), seen) for path, seen in alice.items()
                 if not isinstance(seen, OSError)}
        return [path for path, wanted in self.scene.unsent.items()
                if path not in self.spoilt and not (self.lost and path in self.scene.patched)
                and (path, wanted) not in there]

    def check_edits(self, alice):
        for path in self.missing_edits(alice):
            self.object(f"the edit of {path} is lost{self.remains(self.scene.unsent[path])}")

    def remains(self, wanted):
        for directory, _, names in os.walk(self.alice.home):
            if directory.startswith(self.alice.mount):
                continue
            for name in names:
                if read(os.path.join(directory, name)) == wanted:
                    return f" (its bytes are in {os.path.relpath(directory, self.alice.home)})"
        return ""

    def check_decoy(self):
        path = os.path.join(self.alice.world.directory, "decoy")
        with open(path, encoding="ascii", errors="replace") as file:
            if file.read() != "nothing that DocFS may touch or show\n" * 100:
                self.object("a file outside the state directory was written to through a link")
