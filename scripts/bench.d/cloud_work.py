"""What is measured on an S3 store, for the direct client and for what is mounted: each answers a
function (contestant, turn) → seconds."""

import time
from statistics import median

from cloud_peers import Late, until
from processes import run
from rows import Wrong

PAGE = 4096
# Connections of the direct client where others may send several requests at once, too.
AT_ONCE = 8
# Seconds that somebody waits for a change of another device.
PATIENCE = 30


def tree(folder, count):
    """Paths as workload.c expects them: a hundred in a directory."""
    return [f"{folder}/d{i // 100:04}/f{i % 100:02}" for i in range(count)]


def documents(target, folder):
    """The names of those in the store, told by their size, which nothing else there has."""
    prefix = target.key(folder + "/")
    return {key[len(prefix):] for key, size in target.bucket.listing(prefix).items()
            if size == PAGE}


def changed(act, seen):
    """A change through the mount, until the store has all of it."""
    def measure(target, turn):
        begun = time.perf_counter()
        act(target, turn)
        until("it is not in the store", lambda: seen(target, turn))
        return time.perf_counter() - begun
    return measure


def move(source, goal):
    return lambda target, turn: run(
        ["mv", *(str(target.root / path.format(turn=turn)) for path in (source, goal))])


def content(target, path):
    return run(["cat", str(target.root / path)], check=False)


def appears(target, path, words, patience):
    until(f"{path} is still the old one", lambda: content(target, path) == words, patience,
          failure=Late)


class Work:
    """All of it, in the sizes of one run."""

    def __init__(self, sizes, workload, work):
        self.sizes, self.workload = sizes, workload
        self.page, self.large = work / "page", work / "large"

    def loop(self, verb, path, count, clients=1):
        def measure(target, turn):
            words = [self.workload, verb, target.root / path.format(turn=turn), count, clients]
            return int(run([str(word) for word in words], timeout=300)) / 1e9
        return measure

    def gets(self, paths, at_once=1, length=None):
        def measure(target, turn):
            return target.bulk(target.link.gets(map(target.key, paths), length), at_once)
        return measure

    # Listings

    def complete(self, shown):
        if shown != self.sizes.listing:
            raise Wrong(f"{shown} of {self.sizes.listing} listed")

    def list_directly(self, target, turn):
        seconds, found = target.timed(lambda: target.link.listing(target.key("flat/")))
        self.complete(len(found))
        return seconds

    def attach(self, anew):
        return lambda target, turn: target.attach("flat", self.sizes.listing, anew)

    def list_again(self, option):
        def measure(target, turn):
            begun = time.perf_counter()
            words = run(["ls", option, str(target.root / "flat")], timeout=120)
            seconds = time.perf_counter() - begun
            self.complete(words.count("document-"))
            return seconds
        return measure

    # First bytes: of several documents, one after another, each when nothing is left of the last

    def first_bytes_directly(self, name, at_mib):
        ranged = {"Range": f"bytes={at_mib << 20}-{(at_mib << 20) + PAGE - 1}"}

        def measure(target, turn):
            addresses = [target.link.address("GET", target.key(f"{name}-{i}"))
                         for i in range(self.sizes.firsts)]
            return median(target.timed(lambda: target.link.send("GET", address, headers=ranged))[0]
                          for address in addresses)
        return measure

    def first_bytes(self, name, at_mib):
        def measure(target, turn):
            found = []
            for i in range(self.sizes.firsts):
                found.append(self.loop("first-byte", f"{name}-{i}", at_mib)(target, turn))
                target.rest()
            return median(found)
        return measure

    # Changes: of new-TURN, which becomes moved-TURN

    def write_directly(self, target, turn):
        keys = [target.key(f"new-{turn}/f{i}") for i in range(self.sizes.documents)]
        return target.bulk(target.link.puts(keys, self.page), AT_ONCE)

    def write(self):
        def act(target, turn):
            (target.root / f"new-{turn}").mkdir()
            self.loop("save", "new-{turn}", self.sizes.documents)(target, turn)
        return changed(act, lambda target, turn:
                       len(documents(target, f"new-{turn}")) == self.sizes.documents)

    def write_large_directly(self, target, turn):
        return target.bulk(target.link.puts([target.key(f"large-{turn}")], self.large), 1)

    def write_large(self):
        mib = self.sizes.large_mib

        def is_there(target, turn):
            key = target.key(f"large-{turn}")
            return target.bucket.listing(key).get(key) == mib << 20
        return changed(self.loop("write-file", "large-{turn}", mib), is_there)

    def rename_directly(self, target, turn):
        return self.move_directly(target, [
            (target.key(f"new-{turn}/f0"), target.key(f"new-{turn}/renamed"))])

    def rename(self):
        return changed(move("new-{turn}/f0", "new-{turn}/renamed"), lambda target, turn:
                       {"f0", "renamed"} & documents(target, f"new-{turn}") == {"renamed"})

    def names(self):
        return ["renamed", *(f"f{i}" for i in range(1, self.sizes.documents))]

    def rename_tree_directly(self, target, turn):
        return self.move_directly(target, [
            (target.key(f"new-{turn}/{name}"), target.key(f"moved-{turn}/{name}"))
            for name in self.names()])

    def move_directly(self, target, pairs):
        return target.bulk(target.link.copies(pairs), AT_ONCE) + target.bulk(
            target.link.deletes([source for source, _ in pairs]), AT_ONCE)

    def rename_tree(self):
        return changed(move("new-{turn}", "moved-{turn}"), lambda target, turn:
                       len(documents(target, f"moved-{turn}")) == self.sizes.documents
                       and not documents(target, f"new-{turn}"))

    def delete_directly(self, target, turn):
        keys = [target.key(f"moved-{turn}/{name}") for name in self.names()]
        return target.bulk(target.link.deletes(keys), AT_ONCE)

    def delete(self):
        return changed(lambda target, turn: run(["rm", "-r", str(target.root / f"moved-{turn}")]),
                       lambda target, turn: not documents(target, f"moved-{turn}"))

    # News

    def rename_seen(self, target, turn):
        goal = f"pair-{turn + 1}"
        begun = time.perf_counter()
        move("pair-{turn}", goal)(target, turn)
        until("the directory has its old name", lambda: len(
            target.other.listed(target.other.root / goal)) == self.sizes.documents, PATIENCE,
            failure=Late)
        return time.perf_counter() - begun

    def change_seen(self, target, turn):
        content(target, "shared")
        words = f"changed on another device, {turn}\n"
        begun = time.perf_counter()
        (target.other.root / "shared").write_text(words)
        appears(target, "shared", words, PATIENCE)
        return time.perf_counter() - begun

    def foreign_read(self, target, turn):
        def work():
            target.link.put(target.key("foreign"), b"changed by another program\n")
            target.link.ask("GET", target.key("foreign"))
        return target.timed(work)[0]

    def foreign_seen(self, target, turn):
        content(target, "foreign")
        words = f"changed by another program, {turn}\n"
        begun = time.perf_counter()
        target.bucket.put(target.key("foreign"), words.encode())
        appears(target, "foreign", words, self.sizes.patience)
        return time.perf_counter() - begun
