"""What lies in the sources before anything is mounted, laid out as workload.c expects it."""

import io
import os
import tarfile
from dataclasses import dataclass

from processes import run

PER_DIRECTORY = 100


@dataclass(frozen=True)
class Sizes:
    """How much each row does. MiB where it says so, else a number of items."""

    tree: int = 5_000
    changes: int = 2_000
    listing: int = 100_000
    stream_mib: int = 256
    paged_mib: int = 32
    pages: int = 6_000
    archive: int = 10_000
    repository: int = 1_000

    @property
    def documents(self):
        """In one source: two trees and five large files."""
        return 2 * self.tree + 5


QUICK = Sizes(tree=200, changes=50, listing=400, stream_mib=4, paged_mib=1, pages=200, archive=100,
              repository=50)


def bytes_of(length, seed=0):
    """No zeros, no pages alike: nothing below may save itself the work."""
    start = seed.to_bytes(8, "little")
    block = bytes((i * 131 + i // 253 + seed) % 255 + 1 for i in range(4096 - 8))
    return ((start + block) * (length // 4096 + 1))[:length]


def source(folder, sizes):
    """Two trees of 4 KiB files, and files to stream through, to map and to page in."""
    body = bytes_of(4096)
    for tree in ("one", "four"):
        for number in range(sizes.tree):
            directory = folder / tree / f"d{number // PER_DIRECTORY:04}"
            if number % PER_DIRECTORY == 0:
                directory.mkdir(parents=True)
            write(directory / f"f{number % PER_DIRECTORY:02}", body)
    for name, length in (("stream", sizes.stream_mib), ("mapped", sizes.paged_mib),
                         ("paged-1", sizes.paged_mib), ("paged-4", sizes.paged_mib),
                         ("changed", sizes.paged_mib)):
        with open(folder / name, "wb") as file:
            for number in range(length):
                file.write(bytes_of(1 << 20, number))


def listing(folder, sizes):
    """As many empty files in one directory as in a hundred."""
    (folder / "flat").mkdir(parents=True)
    for number in range(sizes.listing):
        write(folder / "flat" / f"document-{number:06}", b"")
    for number in range(sizes.listing):
        directory = folder / "hundred" / f"directory-{number % 100:02}"
        if number < 100:
            directory.mkdir(parents=True)
        write(directory / f"document-{number:06}", b"")


def archive(path, sizes):
    """A tar file of small files of many lengths."""
    with tarfile.open(path, "w") as tar:
        for number in range(sizes.archive):
            entry = tarfile.TarInfo(f"tree/d{number // PER_DIRECTORY:03}/f{number:05}")
            entry.size, entry.mtime = 200 + number * 37 % 6000, 1_700_000_000 + number
            tar.addfile(entry, io.BytesIO(bytes_of(entry.size, number)))


def git_environment(home):
    """No settings of the user's: a hook or a monitor would be measured too."""
    return {**os.environ, "HOME": str(home), "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}


def repository(folder, sizes):
    """A repository of one commit."""
    folder.mkdir()
    for number in range(sizes.repository):
        directory = folder / f"d{number // 20:03}"
        directory.mkdir(exist_ok=True)
        write(directory / f"f{number:05}.txt", b"%d\n" % number * (number % 500 + 1))
    git = ["git", "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    environment = git_environment(folder.parent)
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "All"], ["gc", "-q"]):
        run([*git, *command], env=environment)


def write(path, body):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    if body:
        os.write(descriptor, body)
    os.close(descriptor)
