"""The rows on an S3 store, grouped into scenes, with what DocFS is to reach in each.

"Cold" means that the contestant knows nothing: its state or cache and its mount are new, and with
the mount what the kernel knows of it. The store is warm: what a scene reads was read once before.
"""

from dataclasses import dataclass

from cloud_peers import LIMIT
from cloud_work import PAGE, Work, tree
from rows import Row, Scene

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
    # Seconds that what other programs have put rests before it is listed.
    rest: int = 125
    # Seconds that somebody waits for a change of another program.
    patience: int = 20


QUICK = Sizes(listing=120, documents=8, large_mib=6, far_mib=4, firsts=2, rest=0, patience=3)


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
    # Bytes received, as a multiple of those that were asked for.
    bytes: float | None = None
    # Whether the time that an edit is left alone first is no part of the ratio.
    waits: bool = False


@dataclass(frozen=True)
class CloudRow(Row):
    goal: Goal = Goal()
    # Bytes of documents that it reads, which have to come from the store.
    asked: int = 0


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


def row(name, operations, direct, mounted, goal=Goal(), asked=0, unit="document"):
    def measure(target, turn):
        return (direct if target.name == LIMIT else mounted)(target, turn)
    return CloudRow(name, unit, operations, measure, () if direct else ("DocFS",), goal,
                    asked)


def scenes(sizes, workload, work):
    """All of them, in the order in which they are measured and shown."""
    todo = Work(sizes, workload, work)
    return [*listings(sizes, todo), *readings(sizes, todo), *changes(sizes, todo),
            news(sizes, todo)]


def listings(sizes, todo):
    count = sizes.listing
    return [
        CloudScene(stage="listing", cold=False, rows=[
            row(f"first ls of {count:,} of other programs", count, todo.list_directly,
                todo.attach(anew=True), Goal(ratio=1.3, requests=12)),
            row("ls again", count, todo.list_directly, todo.list_again("-U"), Goal(requests=0)),
            row("ls -l", count, todo.list_directly, todo.list_again("-lU"), Goal(requests=0))]),
        CloudScene(stage="listing", cold=False, rows=[
            row(f"first ls of {count:,} of another device", count, todo.list_directly,
                todo.attach(anew=False), Goal(ratio=1.3, requests=12))]),
    ]


def readings(sizes, todo):
    n, mib, firsts = sizes.documents, sizes.large_mib, sizes.firsts

    def first(name, at_mib):
        return row(f"first byte at {at_mib} MiB, of {firsts}", firsts,
                   todo.first_bytes_directly(name, at_mib), todo.first_bytes(name, at_mib),
                   Goal(ratio=1.5), firsts * PAGE)

    def small(folder, readers, words):
        return row(f"{n} small, {words}", n, todo.gets(tree(folder, n), readers),
                   todo.loop("open", folder, n, readers), Goal(ratio=1.3, requests=n),
                   n * PAGE)

    far = f"{DELAY} ms away"
    return [
        CloudScene(rows=[
            first("first", 0), first("far", sizes.far_mib),
            row(f"4 KiB of each of {n} of 1 MiB", n, todo.gets(tree("headers", n), 1, PAGE),
                todo.loop("open", "headers", n), Goal(bytes=2.5), n * PAGE)]),
        CloudScene(rows=[
            row(f"whole document of {mib} MiB", mib, todo.gets(["large"]),
                todo.loop("read-file", "large", mib), Goal(ratio=1.1, cpu=1.5), mib << 20, "MiB")]),
        CloudScene(rows=[small("one", 1, "one reader"), small("eight", 8, "eight readers")]),
        CloudScene(delay=DELAY, rows=[
            small("one", 1, f"one reader, {far}"), small("eight", 8, f"eight readers, {far}")]),
    ]


def changes(sizes, todo):
    n, mib = sizes.documents, sizes.large_mib
    return [
        CloudScene(stage="changes", rows=[
            row(f"{n} written, all in the store", n, todo.write_directly, todo.write(),
                Goal(ratio=1.5, waits=True, requests=n + n // 10)),
            row("rename of one document", 1, todo.rename_directly, todo.rename()),
            row(f"rename of a directory of {n}", n, todo.rename_tree_directly, todo.rename_tree(),
                Goal(ratio=1.3)),
            row(f"delete of {n}", n, todo.delete_directly, todo.delete())]),
        CloudScene(stage="changes", rows=[
            row(f"{mib} MiB written, in the store", mib, todo.write_large_directly,
                todo.write_large(), Goal(ratio=1.2, waits=True), unit="MiB")]),
    ]


def news(sizes, todo):
    # One settle time, one poll, and a little.
    goal = Goal(seconds=1 + 5 + 0.2)
    return CloudScene(stage="changes", pair=True, rows=[
        row(f"rename of a directory of {sizes.documents}, seen by another device", sizes.documents,
            None, todo.rename_seen, goal),
        row("change on another device, seen here", 1, None, todo.change_seen, goal),
        row("change by another program, seen here", 1, todo.foreign_read, todo.foreign_seen)])
