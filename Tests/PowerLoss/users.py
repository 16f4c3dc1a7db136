"""Somebody who works on documents until the power goes."""

import os
import random
import threading

from devices import Trouble

# Documents are several pages long, of lines that name their version.
LONGEST = 600


def sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class User(threading.Thread):
    """Does one thing after the other on a device, chosen by the seed, and notes what it was told.

    Documents of its own it also renames, moves and removes; shared ones it only edits, through one
    open each time, so that it has seen what it overwrites.
    """

    def __init__(self, device, ledger, shared, seed, is_careful):
        super().__init__(daemon=True)
        self.device = device
        self.name = device.name
        self.ledger = ledger
        self.shared = shared
        # Whether all that is written is synced; names are not always.
        self.is_careful = is_careful
        self.chance = random.Random(f"{seed} {device.name}")
        self.own = []
        self.directories = [""]
        self.count = 0
        self.done = []
        # What must not be, in words; and the error of the call that ended it all.
        self.trouble = None
        self.end = None
        self.is_over = threading.Event()

    # What is done

    def run(self):
        try:
            while not self.is_over.is_set():
                self.step()
                self.is_over.wait(self.chance.choice((0, 0, 0.01, 0.05, 0.2)))
        except OSError as error:
            self.end = f"{self.done[-1]}: {error}"
        except Trouble as error:
            self.trouble = str(error)

    def finish(self):
        """Stops, saves a document for certain and has it moved last of all, or removed."""
        self.is_over.set()
        self.join(30)
        if self.end or self.trouble or self.is_alive():
            return
        document = self.make("all")
        if self.chance.random() < 0.8:
            self.carry(document, is_synced=False)
        else:
            self.remove(document, is_synced=False)

    def step(self):
        works = [self.make] * 3
        if self.own:
            works += [self.truncate, self.truncate, self.save, self.save, self.save, self.append,
                      self.append, self.overwrite, self.overwrite, self.rename, self.remove,
                      self.carry, self.carry, self.make_directory]
        if self.shared:
            works += [self.edit_shared] * 4
        work = self.chance.choice(works)
        self.done.append(work.__name__)
        work()

    def note(self, words):
        self.done.append(words)

    # Paths

    def fresh(self, kind):
        self.count += 1
        return f"{self.name}-{kind}-{self.count}"

    def path(self, document):
        return os.path.join(self.device.scope(document.scope), document.path)

    def directory(self, document):
        return os.path.dirname(self.path(document))

    def pick(self):
        return self.chance.choice(self.own)

    def place(self, scope):
        """A directory for a new name: Local has none but its own."""
        return self.chance.choice(self.directories) if scope == "Cloud" else ""

    # Versions

    def content(self, label, lines=None):
        lines = lines or self.chance.choice((1, 20, 150, LONGEST))
        mark = self.chance.getrandbits(64)
        return b"".join(f"{label} {mark:016x} {line:06}\n".encode() for line in range(lines))

    def label(self, document):
        self.count += 1
        return f"{document.key}/{self.name}-{self.count}"

    def intend(self, document, content, parent, label):
        return self.ledger.intend(document, content, parent, self.name, label)

    def seen(self, document, content):
        """The version that was read; bytes that nobody wrote are told at once."""
        version = self.ledger.find(content)
        if version is None and content:
            raise Trouble(f"{self.name} reads from {document.path} what nobody wrote")
        return version

    def read(self, document):
        with open(self.path(document), "rb") as file:
            content = file.read()
        return content, self.seen(document, content)

    def acknowledge(self, document, version, how):
        """What a save tells: `how` is a word of `ways`."""
        if how in ("file", "all"):
            version.synced = document.scope == "Cloud" or how == "all"
        version.closed = True

    def may_tear(self, document, file, how):
        """Whether the disk may have an edit for certain that nothing else has, and that is written
        over without fsync now: one that fsync acknowledged, or that came from Local."""
        if how != "close" or document.scope != "Cloud" or not self.ledger.is_on_disk(document):
            return False
        try:
            return os.getxattr(file, "user.docfs.upload") != b"uploaded"
        except OSError:
            # Another device's body has taken its place: the container has that.
            return False

    def ways(self):
        """How a save ends: with close alone, fsync of the file, or of the directory as well."""
        return self.chance.choice(
            ("file", "all") if self.is_careful else ("close", "close", "file", "all"))

    # Works

    def make(self, how=None):
        scope = self.chance.choice(("Cloud", "Cloud", "Local"))
        key = self.fresh("doc")
        path = os.path.join(self.place(scope), key + ".txt")
        document = self.ledger.document(key, scope, path)
        how = how or self.ways()
        self.note(f"make {scope}/{path} {how}")
        label = self.label(document)
        content = self.content(label)
        version = self.intend(document, content, None, label)
        version.truncates = True
        self.write(document, content, how, os.O_CREAT | os.O_EXCL)
        self.acknowledge(document, version, how)
        self.own.append(document)
        return document

    def write(self, document, content, how, flags):
        descriptor = os.open(self.path(document), os.O_WRONLY | flags, 0o644)
        try:
            if os.write(descriptor, content) != len(content):
                raise Trouble(f"{document.path}: a short write")
            if how != "close":
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if how == "all":
            sync(self.directory(document))
            document.name_synced = True

    def truncate(self):
        """As `>` and nano save."""
        document, how = self.pick(), self.ways()
        self.note(f"truncate {document.scope}/{document.path} {how}")
        _, parent = self.read(document)
        may_tear = self.may_tear(document, self.path(document), how)
        label = self.label(document)
        content = self.content(label)
        version = self.intend(document, content, parent, label)
        version.truncates = True
        version.may_tear = may_tear
        self.write(document, content, how, os.O_TRUNC)
        self.acknowledge(document, version, how)

    def save(self):
        """As most editors save: a temporary file is renamed over the document."""
        document, how = self.pick(), self.ways()
        self.note(f"save {document.scope}/{document.path} {how}")
        _, parent = self.read(document)
        label = self.label(document)
        content = self.content(label)
        temporary = self.ledger.document(
            document.key, document.scope,
            os.path.join(os.path.dirname(document.path), self.fresh("temporary")))
        version = self.intend(document, content, parent, label)
        document.paths.add((document.scope, temporary.path))
        document.move(document.scope, document.path, self.name)
        self.write(temporary, content, "close" if how == "close" else "file",
                   os.O_CREAT | os.O_EXCL)
        if document.scope == "Cloud" and how != "close":
            # There, under one of its names.
            version.synced = True
        os.rename(self.path(temporary), self.path(document))
        if how == "all":
            sync(self.directory(document))
            document.name_synced = version.synced = True
        version.closed = True

    def append(self):
        document, how = self.pick(), self.ways()
        self.note(f"append {document.scope}/{document.path} {how}")
        self.change(document, how, lambda old, new: (len(old), new))

    def overwrite(self):
        """Writes over a part of the document, in place."""
        document, how = self.pick(), self.ways()
        self.note(f"overwrite {document.scope}/{document.path} {how}")
        self.change(document, how, lambda old, new: (self.chance.randrange(len(old) + 1), new))

    def edit_shared(self):
        document = self.chance.choice(self.shared)
        how = "file" if self.is_careful else self.chance.choice(("close", "file"))
        self.note(f"edit shared {document.path} {how}")
        self.change(document, how, lambda old, new: (self.chance.randrange(len(old) + 1), new))

    def change(self, document, how, where):
        """One write into what is there, through the handle that it was read by."""
        try:
            descriptor = os.open(self.path(document), os.O_RDWR)
        except FileNotFoundError:
            if document in self.shared:
                return
            raise
        try:
            # Only what was read has been seen, and that may not be to be had now.
            try:
                old = b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
            except OSError:
                if document in self.shared:
                    return
                raise
            parent = self.seen(document, old)
            may_tear = self.may_tear(document, descriptor, how)
            label = self.label(document)
            at, new = where(old, self.content(label))
            version = self.intend(document, old[:at] + new + old[at + len(new):], parent, label)
            version.may_tear = may_tear
            os.pwrite(descriptor, new, at)
            if how != "close":
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if how == "all":
            sync(self.directory(document))
        self.acknowledge(document, version, how)

    def rename(self):
        """Gives a document of its own another name in the same scope."""
        document = self.pick()
        path = os.path.join(self.place(document.scope), self.fresh("renamed") + ".txt")
        self.carry_to(document, document.scope, path)

    def carry(self, document=None, is_synced=None):
        """Moves a document to the other scope."""
        document = document or self.pick()
        scope = "Local" if document.scope == "Cloud" else "Cloud"
        path = os.path.join(self.place(scope), os.path.basename(document.path))
        self.carry_to(document, scope, path, is_synced)

    def carry_to(self, document, scope, path, is_synced=None):
        is_synced = self.chance.random() < 0.4 if is_synced is None else is_synced
        self.note(f"rename {document.scope}/{document.path} to {scope}/{path} {is_synced}")
        self.ledger.name(path)
        old, old_directory = self.path(document), self.directory(document)
        document.move(scope, path, self.name)
        os.rename(old, os.path.join(self.device.scope(scope), path))
        document.scope, document.path = scope, path
        if is_synced:
            sync(self.directory(document))
            sync(old_directory)
            document.name_synced = True

    def remove(self, document=None, is_synced=None):
        document = document or self.pick()
        is_synced = self.chance.random() < 0.5 if is_synced is None else is_synced
        self.note(f"remove {document.scope}/{document.path} {is_synced}")
        _, seen = self.read(document)
        self.own.remove(document)
        document.name_synced = False
        document.named_by = self.name
        document.removed = seen
        os.unlink(self.path(document))
        document.is_gone = seen is not None
        if is_synced:
            sync(self.directory(document))
            document.name_synced = True

    def make_directory(self):
        name = self.fresh("directory")
        self.ledger.name(name)
        self.note(f"mkdir {name}")
        os.mkdir(os.path.join(self.device.scope("Cloud"), name))
        self.directories.append(name)
