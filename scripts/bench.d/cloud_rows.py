"""The rows on an S3 store, grouped into scenes, with what DocFS is to reach in each.

"Cold" means that the contestant knows nothing: its state or cache and its mount are new, and with
the mount what the kernel knows of it. The store is warm: what a scene reads was read once before.
"""

import time
from dataclasses import dataclass
from statistics import median

from cloud_peers import LIMIT, Late, until
from processes import run
from rows import Row, Scene, Wrong

PAGE = 4096
# Connections of the direct client where others may send several requests at once, too.
AT_ONCE = 8
# Seconds that somebody waits for a change of another device.
PATIENCE = 30
# Where a request takes as long as to a store far away, in milliseconds.
DELAY = 20


@dataclass(frozen=True)
class Sizes:
    """How much each row does. MiB where it says so, else a number of documents."""

    listing: int = 10_000
    documents: int = 200
    large_mib: int = 256
    far_mib: int = 200
    # How many first bytes make one figure.
    firsts: int = 5
    # Seconds that somebody waits for a change of another program.
    patience: int = 20


QUICK = Sizes(listing=120, documents=8, large_mib=6, far_mib=4, firsts=2, patience=3)


@dataclass(frozen=True)
class Goal:
    """What DocFS is to reach; None is not asked for."""

    # Wall time and processor time, as multiples of the limit's.
    ratio: float | None = None
    cpu: float | None = None
    # Seconds, what it waits on purpose included.
    seconds: float | None = None
    # Requests beside the change log's, in all.
    requests: int | None = None
    # Bytes received, as a multiple of those that were asked for, and how many these are.
    bytes: float | None = None
    asked: int = 0
    # Whether the time that an edit is left alone first is no part of the ratio.
    waits: bool = False


@dataclass(frozen=True)
class CloudRow(Row):
    goal: Goal = Goal()


@dataclass(frozen=True)
class CloudScene(Scene):
    cold: bool = True
    writes: bool = True
    # "listing", "cold" or "changes": which part of the bucket it is about.
    stage: str = "cold"
    # Milliseconds that each request waits at the proxy.
    delay: int = 0
    # Whether a second device of DocFS has to be there.
    pair: bool = False


def tree(folder, count):
    """Paths as workload.c expects them: a hundred in a directory."""
    return [f"{folder}/d{i // 100:04}/f{i % 100:02}" for i in range(count)]


def scenes(sizes, workload, work):
    """All of them, in the order in which they are measured and shown."""
    n, mib = sizes.documents, sizes.large_mib
    page = work / "page"

    def row(name, operations, direct, mounted, goal=Goal(), only=(), unit="document"):
        def measure(target, turn):
            return (direct if target.name == LIMIT else mounted)(target, turn)
        return CloudRow(name, unit, operations, measure, only, goal)

    def loop(verb, path, count, clients=1):
        def measure(target, turn):
            words = [workload, verb, target.root / path.format(turn=turn), count, clients]
            return int(run([str(word) for word in words], timeout=300)) / 1e9
        return measure

    def gets(paths, at_once=1, length=None):
        def measure(target, turn):
            return target.bulk(target.link.gets(map(target.key, paths), length), at_once)
        return measure

    # Listings

    def list_directly(target, turn):
        seconds, found = target.timed(lambda: target.link.listing(target.key("flat/")))
        complete(len(found))
        return seconds

    def complete(shown):
        if shown != sizes.listing:
            raise Wrong(f"{shown} of {sizes.listing} listed")

    def attach(anew):
        return lambda target, turn: target.attach("flat", sizes.listing, anew)

    def list_again(option):
        def measure(target, turn):
            begun = time.perf_counter()
            words = run(["ls", option, str(target.root / "flat")], timeout=120)
            seconds = time.perf_counter() - begun
            complete(words.count("document-"))
            return seconds
        return measure

    # Reading

    def first_bytes(name, at_mib):
        def direct(target, turn):
            ranged = {"Range": f"bytes={at_mib << 20}-{(at_mib << 20) + PAGE - 1}"}
            addresses = [target.link.address("GET", target.key(f"{name}-{i}"))
                         for i in range(sizes.firsts)]
            return median(target.timed(lambda: target.link.send("GET", address, headers=ranged))[0]
                          for address in addresses)

        def mounted(target, turn):
            found = []
            for i in range(sizes.firsts):
                found.append(loop("first-byte", f"{name}-{i}", at_mib)(target, turn))
                target.rest()
            return median(found)
        return direct, mounted

    # Changes: where documents lie is told by their size, which nothing else in the bucket has.

    def documents(target, folder):
        prefix = target.key(folder + "/")
        return {key[len(prefix):] for key, size in target.bucket.listing(prefix).items()
                if size == PAGE}

    def keys(target, folder, count=n):
        return [target.key(f"{folder}/f{i}") for i in range(count)]

    def changed(act, seen):
        """Seconds from a change through the mount until the store has all of it."""
        def measure(target, turn):
            begun = time.perf_counter()
            act(target, turn)
            until("it is not in the store", lambda: seen(target, turn))
            return time.perf_counter() - begun
        return measure

    def move(source, goal):
        return lambda target, turn: run(
            ["mv", *(str(target.root / path.format(turn=turn)) for path in (source, goal))])

    def save(target, turn):
        folder = target.root / f"new-{turn}"
        folder.mkdir()
        loop("save", "new-{turn}", n)(target, turn)

    def move_directly(pairs):
        def measure(target, turn):
            found = pairs(target, turn)
            return target.bulk(target.link.copies(found), AT_ONCE) + target.bulk(
                target.link.deletes([source for source, _ in found]), AT_ONCE)
        return measure

    def one_pair(target, turn):
        return [(target.key(f"new-{turn}/f0"), target.key(f"new-{turn}/renamed"))]

    def tree_pairs(target, turn):
        names = ["renamed", *(f"f{i}" for i in range(1, n))]
        return [(target.key(f"new-{turn}/{name}"), target.key(f"moved-{turn}/{name}"))
                for name in names]

    # News

    def content(target, path):
        return run(["cat", str(target.root / path)], check=False)

    def appears(target, path, words, patience):
        until(f"{path} is still the old one", lambda: content(target, path) == words,
              patience, failure=Late)

    def rename_seen(target, turn):
        goal = f"pair-{turn + 1}"
        begun = time.perf_counter()
        move("pair-{turn}", goal)(target, turn)
        until("the directory has its old name",
              lambda: len(target.other.listed(target.other.root / goal)) == n,
              PATIENCE, failure=Late)
        return time.perf_counter() - begun

    def change_seen(target, turn):
        content(target, "shared")
        words = f"changed on another device, {turn}\n"
        begun = time.perf_counter()
        (target.other.root / "shared").write_text(words)
        appears(target, "shared", words, PATIENCE)
        return time.perf_counter() - begun

    def foreign_seen(target, turn):
        content(target, "foreign")
        words = f"changed by another program, {turn}\n"
        begun = time.perf_counter()
        target.bucket.put(target.key("foreign"), words.encode())
        appears(target, "foreign", words, sizes.patience)
        return time.perf_counter() - begun

    def foreign_read(target, turn):
        body = b"changed by another program\n"

        def work():
            target.link.put(target.key("foreign"), body)
            target.link.ask("GET", target.key("foreign"))
        return target.timed(work)[0]

    def small(folder, readers, words):
        paths = tree(folder, n)
        return row(f"{n} small documents, {words}", n, gets(paths, readers),
                   loop("open", folder, n, readers), Goal(ratio=1.3, requests=n))

    far = f"{DELAY} ms away"
    seen_in = 1 + 5 + 0.2
    return [
        CloudScene(stage="listing", cold=False, rows=[
            row(f"first ls of {sizes.listing:,}, others put them there", sizes.listing,
                list_directly, attach(anew=True), Goal(ratio=1.3, requests=12)),
            row("ls again", sizes.listing, list_directly, list_again("-U"), Goal(requests=0)),
            row("ls -l", sizes.listing, list_directly, list_again("-lU"), Goal(requests=0))]),
        CloudScene(stage="listing", cold=False, rows=[
            row(f"first ls of {sizes.listing:,}, another device's", sizes.listing, list_directly,
                attach(anew=False), Goal(ratio=1.3, requests=12))]),
        CloudScene(rows=[
            row(f"first byte at 0, of {sizes.firsts}", sizes.firsts, *first_bytes("first", 0), Goal(ratio=1.5)),
            row(f"first byte at {sizes.far_mib} MiB, of {sizes.firsts}", sizes.firsts,
                *first_bytes("far", sizes.far_mib), Goal(ratio=1.5)),
            row(f"4 KiB of each of {n} of 1 MiB", n, gets(tree("headers", n), 1, PAGE),
                loop("open", "headers", n), Goal(bytes=2.5, asked=n * PAGE))]),
        CloudScene(rows=[
            row(f"whole document of {mib} MiB", mib, gets(["large"]),
                loop("read-file", "large", mib), Goal(ratio=1.1, cpu=1.5), unit="MiB")]),
        CloudScene(rows=[small("one", 1, "one reader"), small("eight", 8, "eight readers")]),
        CloudScene(delay=DELAY, rows=[
            small("one", 1, f"one reader, {far}"), small("eight", 8, f"eight readers, {far}")]),
        CloudScene(stage="changes", rows=[
            row(f"{n} written, all in the store", n,
                lambda target, turn: target.bulk(
                    target.link.puts(keys(target, f"new-{turn}"), page), AT_ONCE),
                changed(save, lambda target, turn: len(documents(target, f"new-{turn}")) == n),
                Goal(ratio=1.5, waits=True, requests=n + n // 10)),
            row("rename of one document", 1, move_directly(one_pair),
                changed(move("new-{turn}/f0", "new-{turn}/renamed"), lambda target, turn:
                        {"f0", "renamed"} & documents(target, f"new-{turn}") == {"renamed"})),
            row(f"rename of a directory of {n}", n, move_directly(tree_pairs),
                changed(move("new-{turn}", "moved-{turn}"), lambda target, turn:
                        len(documents(target, f"moved-{turn}")) == n
                        and not documents(target, f"new-{turn}")), Goal(ratio=1.3)),
            row(f"delete of {n}", n, lambda target, turn: target.bulk(target.link.deletes(
                    [key for _, key in tree_pairs(target, turn)]), AT_ONCE),
                changed(lambda target, turn: run(["rm", "-r", str(target.root / f"moved-{turn}")]),
                        lambda target, turn: not documents(target, f"moved-{turn}")))]),
        CloudScene(stage="changes", rows=[
            row(f"{mib} MiB written, in the store", mib, lambda target, turn: target.bulk(
                    target.link.puts([target.key(f"large-{turn}")], work / "large"), 1),
                changed(loop("write-file", "large-{turn}", mib), lambda target, turn:
                        target.bucket.listing(target.key(f"large-{turn}")).get(
                            target.key(f"large-{turn}")) == mib << 20),
                Goal(ratio=1.2, waits=True), unit="MiB")]),
        CloudScene(stage="changes", pair=True, rows=[
            row(f"rename of a directory of {n}, seen by another device", n, None, rename_seen,
                Goal(seconds=seen_in), only=("DocFS",)),
            row("change on another device, seen here", 1, None, change_seen,
                Goal(seconds=seen_in), only=("DocFS",)),
            row("change by another program, seen here", 1, foreign_read, foreign_seen)]),
    ]
