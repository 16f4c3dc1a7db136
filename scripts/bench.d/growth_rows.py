"""What is measured at every size, and what came of it."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    name: str
    # "life": seconds of the whole; "each": of one operation; "memory": MiB.
    group: str


ROWS = [
    Row("take over a folder, until all is listed", "life"),
    Row("attach a second device, until all is listed", "life"),
    Row("start to the first ls", "life"),
    Row("start to the stat of a document", "life"),
    Row("start until nothing is left to do", "life"),
    Row("stop just after the start", "life"),
    Row("stop when nothing is left to do", "life"),
    Row("read .docfs/status", "life"),
    Row("take over, per document", "each"),
    Row("attach, per document", "each"),
    Row("stat of random documents, per lookup", "each"),
    Row("ls -lU of the flat directory, per entry", "each"),
    Row("ls -lU of directories of a thousand, per entry", "each"),
    Row("create and write, per document", "each"),
    Row("rename, per document", "each"),
    Row("after taking over", "memory"),
    Row("after attaching", "memory"),
    Row("at the first ls", "memory"),
    Row("when nothing is left to do", "memory"),
    Row("after find of everything", "memory"),
    Row("when the kernel has forgotten it", "memory"),
]


@dataclass
class Figure:
    """One row at one size: an entry a round."""

    seconds: list = field(default_factory=list)
    # Of the daemon's processor time.
    cpu: list = field(default_factory=list)
    operations: int = 1
    # Each with the keys resident, peak, proportional and anonymous, in MiB.
    memory: list = field(default_factory=list)


@dataclass
class Size:
    """What was measured in one container."""

    documents: int
    figures: dict = field(default_factory=dict)
    # Bytes of a device's catalog.
    catalog: int = 0
    verdict: str = ""

    def figure(self, name, operations=1):
        figure = self.figures.setdefault(name, Figure())
        figure.operations = operations
        return figure

    def add(self, name, seconds, cpu, operations=1):
        figure = self.figure(name, operations)
        figure.seconds.append(seconds)
        figure.cpu.append(cpu)

    def remember(self, name, daemon):
        self.figure(name).memory.append(daemon.memory())
