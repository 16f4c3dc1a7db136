"""The rows, grouped into scenes: what of a mount's life is measured in one go.

"Cold" means that the kernel knows nothing of the mount: every scene whose rows say so begins with a
new mount, which needs no root. The ext4 directory below stays warm, in the column "bare" too, so
that a row shows what a filesystem adds and not how fast the disk is.
"""

import time
from dataclasses import dataclass
from typing import Callable

from fixtures import git_environment
from processes import run


@dataclass(frozen=True)
class Row:
    name: str
    unit: str
    operations: int
    # (target, turn) → seconds
    measure: Callable
    # The columns that it is for, where it is not for all.
    only: tuple = ()


@dataclass(frozen=True)
class Scene:
    """Rows that follow one another on one mount; the later ones may need what the earlier made."""

    rows: list
    cold: bool = False
    # Whether what a row leaves in the background has to end before the next one.
    writes: bool = False
    # "trees" or "listing": which sources it looks at.
    stage: str = "trees"


class Wrong(Exception):
    """It ended, and what it gave is not what is there."""

    verdict = "WRONG"


def scenes(sizes, workload, work):
    """All of them, in the order in which they are measured and shown."""
    def loop(verb, path, count, clients=1):
        def measure(target, turn):
            where = target.root / path.format(turn=turn)
            # Verbs on one large file make it; the others work in a directory.
            if verb in ("create", "mkdir"):
                where.mkdir(parents=True, exist_ok=True)
            return int(run([workload, verb, where, str(count), str(clients)])) / 1e9
        return measure

    def tool(arguments, check=None):
        def measure(target, turn):
            words = [str(word).format(root=target.root, turn=turn) for word in arguments]
            environment = git_environment(work)
            begun = time.perf_counter()
            # A grep that finds nothing answers 1, an ls that meets an error 2.
            output = run(words, check=check is None, env=environment)
            seconds = time.perf_counter() - begun
            if check:
                check(output)
            return seconds
        return measure

    def complete(entries):
        def check(output):
            shown = output.count("document-")
            if shown != entries:
                raise Wrong(f"{shown} of {entries} listed")
        return check

    def untar(target, turn):
        where = target.root / f"untar-{turn}"
        where.mkdir()
        return tool(["tar", "-xf", work / "archive.tar", "-C", where])(target, turn)

    n, few, mib, pages = sizes.tree, sizes.changes, sizes.stream_mib, sizes.pages
    listed = sizes.listing
    return [
        Scene(cold=True, rows=[
            Row("stat, cold", "stat", n, loop("stat", "one", n)),
            Row("stat, warm", "stat", n, loop("stat", "one", n)),
            Row("stat, cold, 4 clients", "stat", n, loop("stat", "four", n, 4))]),
        Scene(cold=True, rows=[
            Row("open, read 4 KiB, close, first pass", "file", n, loop("open", "one", n)),
            Row("open, read 4 KiB, close, second pass", "file", n, loop("open", "one", n)),
            Row("open, read, close, first pass, 4 clients", "file", n,
                loop("open", "four", n, 4))]),
        Scene(cold=True, rows=[
            Row("grep -r, cold", "file", 2 * n, tool(
                ["grep", "-r", "a line that no file has", "{root}/one", "{root}/four"],
                lambda output: None))]),
        Scene(writes=True, rows=[
            Row("mkdir", "directory", few, loop("mkdir", "new-{turn}", few)),
            Row("create", "file", few, loop("create", "new-{turn}", few)),
            Row("write 4 KiB", "file", few, loop("write", "new-{turn}", few)),
            Row("rename", "file", few, loop("rename", "new-{turn}", few)),
            Row("unlink", "file", few, loop("unlink", "new-{turn}", few)),
            Row("create, 4 clients", "file", few, loop("create", "new-four-{turn}", few, 4))]),
        Scene(cold=True, rows=[
            Row("sequential read, cold", "MiB", mib, loop("read-file", "stream", mib)),
            Row("sequential read, warm", "MiB", mib, loop("read-file", "stream", mib)),
            Row("mmap, every page, cold", "page", sizes.paged_mib * 256,
                loop("mmap", "mapped", 1)),
            Row("random read 4 KiB, cold", "page", pages, loop("random-read", "paged-1", pages)),
            Row("random read 4 KiB, cold, 4 clients", "page", pages,
                loop("random-read", "paged-4", pages, 4))]),
        Scene(writes=True, rows=[
            Row("random write 4 KiB", "page", pages, loop("random-write", "changed", pages)),
            Row("sequential write + fsync", "MiB", mib, loop("write-file", "written", mib))]),
        Scene(cold=True, writes=True, rows=[Row("untar", "file", sizes.archive, untar)]),
        Scene(cold=True, writes=True, rows=[
            Row("git clone", "file", sizes.repository, tool(
                ["git", "clone", "-q", "--no-local", work / "repository", "{root}/clone-{turn}"])),
            Row("git status", "file", sizes.repository, tool(
                ["git", "-C", "{root}/clone-{turn}", "status", "--short"]))]),
        Scene(stage="listing", cold=True, rows=[
            Row("ls -lR, one directory, cold", "entry", listed,
                tool(["ls", "-lR", "{root}/flat"], complete(listed))),
            Row("ls -lR, a hundred directories, cold", "entry", listed,
                tool(["ls", "-lR", "{root}/hundred"], complete(listed)))]),
    ]
