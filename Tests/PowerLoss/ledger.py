"""What was written, what was acknowledged, and what may be there after a cut."""

import hashlib
import os
import re
import threading

from devices import Trouble

EMPTY = hashlib.sha256(b"").hexdigest()
CONFLICT = re.compile(r" \(conflict from [^()]*\)")


def digest_of(content):
    return hashlib.sha256(content).hexdigest()


class Version:
    """One content of one document, unlike any other content."""

    def __init__(self, document, parent, writer, label):
        self.document = document
        self.parent = parent
        self.writer = writer
        self.label = label
        self.scope = document.scope
        self.children = []
        # What the writer was told: fsync returned (for Local of file and directory), close did.
        self.synced = self.closed = False
        # It was written after the document had been emptied.
        self.truncates = False
        # It was written without fsync over an edit that fsync had acknowledged and the container
        # did not have, in place: what is left then is what the disk has.
        self.may_tear = False

    def family(self):
        """This version and all that were made from it."""
        found = [self]
        for version in found:
            found += version.children
        return found

    def ancestry(self):
        version = self
        while version is not None:
            yield version
            version = version.parent

    def __str__(self):
        return f"{self.document.key} {self.label} by {self.writer}"


class Document:
    """A document of one writer, or one that all write."""

    def __init__(self, key, scope, path):
        self.key = key
        self.scope = scope
        self.path = path
        self.paths = {(scope, path)}
        # Whether the name, or that it went, was acknowledged as durable; and by whom it was called.
        self.name_synced = False
        self.named_by = None
        # The version that was there when it was removed; and whether it may have been.
        self.removed = None
        self.is_gone = False

    def move(self, scope, path, writer):
        """Before the name changes: from now on it may be there."""
        self.name_synced = False
        self.named_by = writer
        self.paths.add((scope, path))


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.versions = {}
        self.documents = []
        self.names = set()

    def name(self, path):
        """From now on this path may be seen."""
        with self.lock:
            self.names.update(path.split("/"))

    def document(self, key, scope, path):
        document = Document(key, scope, path)
        self.name(path)
        with self.lock:
            self.documents.append(document)
        return document

    def intend(self, document, content, parent, writer, label):
        """A version that will be written now."""
        version = Version(document, parent, writer, label)
        with self.lock:
            if self.versions.setdefault(digest_of(content), version) is not version:
                raise RuntimeError("two versions are equal")
            if parent is not None:
                parent.children.append(version)
        return version

    def find(self, content):
        with self.lock:
            return self.versions.get(digest_of(content))

    def is_on_disk(self, document):
        """Whether a disk may have a version of the document for certain."""
        if any(scope == "Local" for scope, _ in document.paths):
            return True
        with self.lock:
            return any(one.synced for one in self.versions.values() if one.document is document)

    def explains(self, place, content, was_cut):
        """Whether these are the bytes of one document that was written over as `may_tear` says."""
        lines = b"\n" + content
        with self.lock:
            torn = {one.document.key for one in self.versions.values()
                    if one.may_tear and not is_certain(one, was_cut)}
            keys = {one.key for one in self.documents if f"\n{one.key}/".encode() in lines}
            # Not one whole line: its place tells.
            keys = keys or {one.key for one in self.documents if place in one.paths}
        return bool(keys) and keys <= torn


class Sight:
    """What one device shows of one scope."""

    def __init__(self, device, scope, is_moving=False):
        self.device = device
        self.scope = scope
        # Names come and go still, and not all bytes are to be had.
        self.is_moving = is_moving
        self.files = {}
        # What conflict versions held before something else was saved into them (S14a).
        self.former = []
        self.directories = set()
        top = device.scope(scope)
        for directory, names, files in os.walk(top, onerror=self.refuse):
            inner = os.path.relpath(directory, top)
            if inner == ".":
                names[:] = [name for name in names if name != ".docfs"]
            for name in names:
                self.directories.add(os.path.normpath(os.path.join(inner, name)))
            for name in files:
                path = os.path.normpath(os.path.join(inner, name))
                if (content := self.content(path)) is not None:
                    self.files[path] = content
                if scope == "Cloud" and not is_moving and CONFLICT.search(name):
                    self.former += [(path, content) for content in self.versions(path) if content]

    def versions(self, path):
        """The earlier versions of a document of a cloud scope."""
        top = self.device.scope(self.scope)
        kept = os.path.join(os.path.dirname(top), ".docfs/versions", self.scope, path)
        for name in os.listdir(kept) if os.path.isdir(kept) else []:
            with open(os.path.join(kept, name), "rb") as version:
                yield version.read()

    @staticmethod
    def refuse(error):
        raise error

    def content(self, path):
        whole = os.path.join(self.device.scope(self.scope), path)
        try:
            with open(whole, "rb") as document:
                return document.read()
        except OSError as error:
            if self.is_moving:
                return None
            said = os.getxattr(whole, "user.docfs.error").decode()
            raise Trouble(f"{self.where()}/{path}: {error.strerror}: {said}") from error

    def where(self):
        return f"{self.device.name}'s {self.scope}"

    def strangers(self, ledger, was_cut):
        """Bytes that nobody wrote, and names that nobody gave, in words."""
        for path, content in self.files.items():
            plain = CONFLICT.sub("", os.path.basename(path))
            if plain not in ledger.names:
                yield f"{self.where()}/{path}: nobody gave this name"
            if (content and ledger.find(content) is None
                    and not ledger.explains(
                        (self.scope, CONFLICT.sub("", path)), content, was_cut)):
                yield f"{self.where()}/{path}: {torn(content)}"
        for path in self.directories:
            if os.path.basename(path) not in ledger.names:
                yield f"{self.where()}/{path}: nobody made this directory"


def torn(content):
    """What is wrong with bytes that nobody wrote."""
    lines = content.split(b"\n")
    zeros = content.count(0)
    origins = sorted({b" ".join(line.split(b" ")[:2]).decode(errors="replace")[:40]
                      for line in lines if line.strip(b"\0")})
    return f"torn: {len(content)} bytes, {zeros} of them zero, of {', '.join(origins[:4])}"


def judge(ledger, sights, was_cut):
    """All that must not be, in words, when all devices are at rest."""
    clouds = [sight for sight in sights if sight.scope == "Cloud"]
    for sight in clouds:
        yield from sight.strangers(ledger, was_cut)
    places = {}
    empties = set()
    for sight in sights:
        for path, content in [*sight.files.items(), *sight.former]:
            version = ledger.find(content)
            if version is not None:
                places.setdefault(version, []).append((sight, path))
            elif not content:
                empties.add((sight.scope, CONFLICT.sub("", path)))
    for version in ledger.versions.values():
        if is_certain(version, was_cut) and not is_kept(version, places, empties, was_cut):
            told = "fsync" if version.synced else "close on a device that kept its power"
            left = [f"{one.label} as {sight.where()}/{path}" for one, seen in places.items()
                    if one.document is version.document for sight, path in seen]
            left += [f"an empty {scope}/{path}" for scope, path in version.document.paths & empties]
            yield (f"{version}, made from {version.parent and version.parent.label}: lost, though "
                   f"acknowledged by {told}; left are: {', '.join(left) or 'none'}")
    for document in ledger.documents:
        yield from misplaced(document, places, was_cut)


def is_certain(version, was_cut):
    return version.synced or version.closed and version.writer not in was_cut


def is_kept(version, places, empties, was_cut):
    """Whether an acknowledged version is there, or went by somebody who had seen it."""
    family = version.family()
    if any(one in places for one in family):
        return True
    if version.document.removed in family:
        return True
    # Local is a plain directory: what is written there without fsync may be torn, as on any disk.
    if any((one.scope == "Local" or one.may_tear) and not is_certain(one, was_cut)
           for one in family[1:]):
        return True
    emptied = any(one.truncates for one in family[1:])
    return emptied and bool(version.document.paths & empties)


def misplaced(document, places, was_cut):
    """Names of one document that were acknowledged and are not so; copies in two scopes."""
    found = [(sight, path, version) for version, seen in places.items()
             if version.document is document for sight, path in seen
             if "(conflict from" not in path]
    for sight, path, version in found:
        for other, beside, same in found:
            if (sight.device is other.device and same is version
                    and (sight.scope, other.scope) == ("Local", "Cloud")):
                yield f"{version}: in both scopes, {sight.where()}/{path} and {beside}"
    if document.named_by is None:
        return
    if not document.name_synced and document.named_by in was_cut:
        return
    for sight, path, version in found:
        if document.is_gone:
            if version in document.removed.ancestry():
                yield f"{version}: removed for certain, but is {sight.where()}/{path}"
        elif (sight.scope, path) != (document.scope, document.path):
            yield (f"{version}: for certain {document.scope}/{document.path}, "
                   f"but is {sight.where()}/{path}")
