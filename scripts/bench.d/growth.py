"""Growth: the same work in containers of more and more documents. What is flat costs as much in the
largest as in the smallest.

Documents are a few bytes long, half of them (ten thousand at most) in the directory flat, the
others in directories of a thousand. What the kernel knows of a mount is cold after each start.
"""

import ctypes
import json
import os
import random
import shutil
import time

import growth_chart
import growth_report
from fixtures import write
from growth_rows import Size
from measure import progress, say
from mounts import mounted
from peers import DocFSCloud
from processes import Failure, lay_aside, run
from report import circumstances

ROUNDS = 3
SIZES = (1_000, 20_000, 100_000)
QUICK_SIZES = (100, 400)
# From here on everything takes so long that once is enough.
LONG = 500_000
# Room on the disk for each document, all that grows with it included.
ROOM = 7_000


class Tree:
    """The documents of one container."""

    def __init__(self, documents):
        self.documents = documents
        self.flat = min(10_000, documents // 2)
        per_directory = min(1_000, documents // 10)
        rest = documents - self.flat
        self.directories = {f"d{first // per_directory:04}": min(per_directory, rest - first)
                            for first in range(0, rest, per_directory)}

    def make(self, folder):
        (folder / "flat").mkdir(parents=True)
        fill(folder / "flat", self.flat)
        made = self.flat
        for name, count in self.directories.items():
            (folder / name).mkdir()
            fill(folder / name, count)
            made += count
            progress(f"{made:,} of {self.documents:,} documents made")

    def listed(self):
        """Directories to be listed: at most ten of every other one."""
        return list(self.directories)[0::2][:10]

    def sample(self, count):
        """Random documents in the directories that are not listed."""
        dice = random.Random(self.documents)
        names = [(name, number) for name in list(self.directories)[1::2]
                 for number in range(self.directories[name])]
        chosen = dice.sample(names, min(count, len(names)))
        return [f"{name}/document-{number:06}" for name, number in chosen]


def fill(directory, count):
    before = os.getcwd()
    # A name alone is quicker than a path.
    os.chdir(directory)
    try:
        for number in range(count):
            write(f"document-{number:06}", b"%d\n" % number)
    finally:
        os.chdir(before)


class Device(DocFSCloud):
    """One device with the container; everything it does is waited for with a limit."""

    def __init__(self, home, program, source, workload):
        super().__init__(home, program)
        self.source, self.workload = source, workload
        self.root = self.point / self.scope

    def launch(self):
        """Starts the daemon and answers the seconds until the first listing came."""
        self.point.mkdir(parents=True, exist_ok=True)
        begun = time.perf_counter()
        self.start_daemon()
        self.call("first-ls", self.root, 60)
        seconds = time.perf_counter() - begun
        if not mounted(self.point):
            raise Failure(f"does not mount: {self.daemon.last_words()}")
        return seconds

    def call(self, verb, path, count):
        """Seconds that a loop of workload.c took."""
        words = [self.workload, verb, path, count, 1]
        return int(run([str(word) for word in words], timeout=600)) / 1e9

    def status(self):
        words = run(["cat", str(self.point / ".docfs" / "status.json")], timeout=120)
        return json.loads(words)["scopes"][0]

    def until_listed(self, documents, words):
        """Until every document of the container is shown; asking costs, and is done seldom."""
        patience = 120 + documents / 100
        begun = time.monotonic()
        while True:
            asked = time.monotonic()
            status = self.status()
            seconds = time.monotonic() - begun
            shown = status["documents"]
            if status["online"] and shown >= documents and not status["pending"]:
                return
            progress(f"{seconds:4.0f} s  {words}: {shown:,} of {documents:,} known, "
                     f"{status['pending']:,} to be looked at")
            if seconds > patience:
                raise Failure(f"{words}: not at rest after {patience:.0f} s: {status}")
            time.sleep(max(0.1, 20 * (time.monotonic() - asked)))

    def until_sent(self):
        """Until what was changed is in the container."""
        end = time.monotonic() + 300
        while True:
            time.sleep(self.settle + 0.3)
            self.daemon.wait_until_quiet(300)
            cpu = self.daemon.cpu()
            status = self.status()
            if not status["pending"] and not status["journal"]:
                return cpu
            if time.monotonic() > end:
                raise Failure(f"not sent: {status}")

    def quit(self):
        """Seconds until the daemon had ended."""
        begun = time.perf_counter()
        self.daemon.stop(patience=90)
        seconds = time.perf_counter() - begun
        self.stop()
        return seconds


class Growth:
    """One run over all sizes."""

    def __init__(self, options, docfs, work, workload):
        self.docfs, self.work, self.workload = docfs, work, workload
        self.quick = options.quick
        self.wanted = options.documents or (QUICK_SIZES if self.quick else SIZES)
        self.sizes = []
        self.devices = []
        if self.quick:
            Device.settle = 0.1

    def measure(self):
        for documents in self.wanted:
            say(f"{documents:,} documents")
            size = Size(documents)
            self.sizes.append(size)
            home = self.work / f"{documents}"
            try:
                self.check_room(documents)
                self.measure_size(size, home)
            except (Failure, OSError) as failure:
                size.verdict = str(failure)
                say(f"  {failure}")
            self.stop()
            progress("giving back the disk")
            lay_aside(home)

    def check_room(self, documents):
        room = os.statvfs(self.work)
        if room.f_bavail * room.f_frsize < documents * ROOM or 0 < room.f_favail < documents * 1.1:
            raise Failure(f"{self.work} has no room for {documents:,} documents")

    def device(self, home, name):
        device = Device(home / name, self.docfs, home / "container", self.workload)
        device.home.mkdir()
        self.devices.append(device)
        return device

    def stop(self):
        for device in self.devices:
            device.stop()
        self.devices = []

    def show(self, load):
        """Prints the tables; answers what is saved as JSON, and the chart."""
        facts = circumstances(self.work, [load, os.getloadavg()[0]], 1 if self.quick else ROUNDS)
        print(growth_report.markdown(self.sizes, facts))
        return growth_report.as_json(self.sizes, facts), growth_chart.svg(self.sizes)

    def has_failed(self):
        return any(size.verdict for size in self.sizes)

    def words(self):
        """How much was measured."""
        return f"{sum(not size.verdict for size in self.sizes)} sizes"

    def tidy(self):
        try:
            self.stop()
        except Failure as failure:
            say(f"bench: {failure}; left in place: {self.work}")
            return
        shutil.rmtree(self.work, ignore_errors=True)

    def measure_size(self, size, home):
        tree = Tree(size.documents)
        tree.make(home / "container")
        os.sync()
        first = self.device(home, "first")
        self.attach(size, first, "take over a folder", "take over", "after taking over")
        second = self.device(home, "second")
        self.attach(size, second, "attach a second device", "attach", "after attaching")
        size.catalog = sum(path.stat().st_size for path in second.home.glob("state/catalog.*"))
        rounds = 1 if self.quick or size.documents >= LONG else ROUNDS
        for _ in range(1 if self.quick else ROUNDS):
            self.start(size, first, tree)
            size.add("stop just after the start", first.quit(), 0)
        for turn in range(rounds):
            progress(f"cold lookups and listings, round {turn + 1}")
            self.cold_round(size, first, tree)
        self.changes(size, first)

    def attach(self, size, device, words, short, state):
        begun = time.perf_counter()
        device.launch()
        device.until_listed(size.documents, words)
        seconds, cpu = time.perf_counter() - begun, device.daemon.cpu()
        size.add(f"{words}, until all is listed", seconds, cpu)
        size.add(f"{short}, per document", seconds, cpu, size.documents)
        say(f"  {words}: {seconds:.1f} s")
        device.daemon.wait_until_quiet(600)
        size.remember(state, device.daemon)
        device.quit()

    def start(self, size, device, tree):
        begun = time.perf_counter()
        seconds = device.launch()
        cpu = device.daemon.cpu()
        size.remember("at the first ls", device.daemon)
        device.call("stat-list", self.list_of(device, tree.sample(1)), 1)
        size.add("start to the first ls", seconds, cpu)
        size.add("start to the stat of a document", time.perf_counter() - begun,
                 device.daemon.cpu())
        return begun

    def list_of(self, device, names):
        """A file with paths for the verb stat-list."""
        path = device.home / "names"
        path.write_text("".join(f"{device.root / name}\n" for name in names))
        return path

    def cold_round(self, size, device, tree):
        begun = self.start(size, device, tree)
        device.daemon.wait_until_quiet(900)
        size.add("start until nothing is left to do", time.perf_counter() - begun,
                 device.daemon.cpu())
        size.remember("when nothing is left to do", device.daemon)
        self.lookups(size, device, tree)
        self.listings(size, device, tree)
        self.forget(size, device)
        asked, cpu = time.perf_counter(), device.daemon.cpu()
        device.status()
        size.add("read .docfs/status", time.perf_counter() - asked, device.daemon.cpu() - cpu)
        size.add("stop when nothing is left to do", device.quit(), 0)

    def lookups(self, size, device, tree):
        # The first of the sample was looked up when the daemon started.
        names = tree.sample(5_000)[1:]
        cpu = device.daemon.cpu()
        seconds = device.call("stat-list", self.list_of(device, names), len(names))
        looked_up = len(names) + len({name.partition("/")[0] for name in names})
        size.add("stat of random documents, per lookup", seconds, device.daemon.cpu() - cpu,
                 looked_up)

    def listings(self, size, device, tree):
        flat, some = device.root / "flat", tree.listed()
        self.listing(size, device, "ls -lU of the flat directory, per entry", [flat], tree.flat)
        self.listing(size, device, "ls -lU of directories of a thousand, per entry",
                     [device.root / name for name in some],
                     sum(tree.directories[name] for name in some))
        # Asking for the size looks at every document.
        find = ["find", device.root, "-type", "f", "-size", "-2G", "-printf", "."]
        complete("find", find, ".", tree.documents)
        size.remember("after find of everything", device.daemon)

    def listing(self, size, device, name, folders, expected):
        cpu = device.daemon.cpu()
        seconds = complete(name, ["ls", "-lU", *folders], "document-", expected)
        size.add(name, seconds, device.daemon.cpu() - cpu, expected)

    def forget(self, size, device):
        if not kernel_forgets(device.point):
            return
        device.daemon.wait_until_quiet(300)
        size.remember("when the kernel has forgotten it", device.daemon)

    def changes(self, size, device):
        """Processor time until all is in the container, wall time of the calls alone."""
        count = 20 if self.quick else 1_000
        device.launch()
        device.daemon.wait_until_quiet(900)
        for verb, name in (("save", "create and write, per document"),
                           ("rename", "rename, per document")):
            progress(name)
            cpu = device.daemon.cpu()
            seconds = device.call(verb, device.root / "flat", count)
            size.add(name, seconds, device.until_sent() - cpu, count)
        device.quit()


def complete(name, words, mark, expected):
    """Seconds of a command that has to show so many marks."""
    begun = time.perf_counter()
    shown = run([str(word) for word in words], timeout=1800).count(mark)
    seconds = time.perf_counter() - begun
    if shown != expected:
        raise Failure(f"{name}: {shown} of {expected} listed")
    return seconds


def kernel_forgets(point):
    """Makes the kernel forget every name of one mount that nobody uses: remounting it as it is
    does. Only root may; False for others."""
    if os.geteuid() != 0:
        return False
    remount, nosuid, nodev = 32, 2, 4
    libc = ctypes.CDLL(None, use_errno=True)
    flags = ctypes.c_ulong(remount | nosuid | nodev)
    if libc.mount(b"none", os.fsencode(point), None, flags, None) != 0:
        raise Failure(f"remount: {os.strerror(ctypes.get_errno())}")
    return True
