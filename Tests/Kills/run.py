#!/usr/bin/python3 -BIS
"""Kills the real daemon at one system call after another, and checks what is left. Told by scripts/kills.

    run.py WORK SEED POINTS [WORKLOAD | SPEC]…      POINTS is a number, or `all`

First each workload runs once while strace only tells every call that changes a file, wakes a thread or
asks the disk. From that follow the specs: WORKLOAD/THREAD/CALL/N[/PATH] kills the daemon as one of its
threads of that name enters its Nth such call (of those that name PATH). Those that are foreseen to hit
distinct points are done in an order that the seed chooses, from each kind of point in turn.

A point is where the daemon died: workload, thread, call, object, and the how-manyeth such call in that
run it was, over all threads of that name. strace counts for each thread, so a pool may share the calls
in another way than foreseen and live on; then the run is repeated with the count that its busiest
thread did reach. A run that still does not die is no point: another takes its place, and more than a
tenth of such is a failure.
"""

import collections
import concurrent.futures
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading

here = os.path.dirname(os.path.abspath(__file__))
AT_ONCE = 2
LIMIT = 150
REPEATS = 3
# Threads of Swift's pool have names by their priority.
POOL = "dispatch"

# What strace says


class Call:
    """One line of a trace: a call as it is entered."""

    FORM = re.compile(r"(?:(\d+)<([^>]*)> )?(\w+)\((.*)")
    DESCRIPTOR = re.compile(r"(?:\d+|AT_FDCWD)<((?:[^>\\]|\\.)*)>")
    NAMED = re.compile(r"(?:\d+|AT_FDCWD)<((?:[^>\\]|\\.)*)>, \"((?:[^\"\\]|\\.)*)\"")
    QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"")

    def __init__(self, found, story, only):
        # strace does not say which thread it is where it was told of one alone.
        task, comm, self.name, arguments = found.groups(default=only)
        self.task = task
        self.thread = POOL if "-qos" in comm else comm
        if self.name in ("rename", "unlink"):
            paths = self.QUOTED.findall(arguments)
            self.directories = []
        elif self.name.startswith(("renameat", "unlinkat")):
            named = self.NAMED.findall(arguments)
            paths = [f"{directory}/{name}" for directory, name in named]
            self.directories = [directory for directory, _ in named]
        else:
            paths = self.DESCRIPTOR.match(arguments).groups()
            self.directories = []
        self.paths = [self.below(path, story) for path in paths]
        self.directories = [self.below(path, story) for path in self.directories]

    @staticmethod
    def below(path, story):
        return path.removeprefix(story + "/").removesuffix(" (deleted)")

    @property
    def object(self):
        """Its paths without what no two runs share: identities, numbers, times."""
        shown = (re.sub(r"\d+", "N", re.sub(r"[0-9a-f]{32}", "*", path)) for path in self.paths)
        return " -> ".join(shown)

    @property
    def place(self):
        """The path that strace can be told before the run, if there is one."""
        path = (self.directories or self.paths)[-1]
        return None if re.search(r"[0-9a-f]{32}|\d{4}|:|^/", path) else path

    def names(self, place):
        """Whether strace, told this path, counts the call."""
        return place in self.paths + self.directories


def calls_of(directory, only=""):
    matched = map(Call.FORM.match, read(directory, "trace").splitlines())
    return [Call(found, directory, only) for found in matched if found]


class Spec(collections.namedtuple("Spec", "workload thread call nth place")):
    """Where to kill."""

    @staticmethod
    def parse(text):
        workload, thread, call, nth, *place = text.split("/", 4)
        return Spec(workload, thread, call, int(nth), place[0] if place else None)

    def __str__(self):
        return "/".join(str(part) for part in self if part is not None)

    def counts(self, call):
        """Whether strace counts it."""
        return call.name == self.call and self.thread in ("any", call.thread) \
            and (self.place is None or call.names(self.place))

    def hit(self, calls):
        """The point that it kills at among these calls, and how many its busiest thread made."""
        of_task, seen = collections.Counter(), collections.Counter()
        for call in calls:
            kind = (self.workload, call.thread, call.name, call.object)
            seen[kind] += 1
            if self.counts(call):
                of_task[call.task] += 1
                if of_task[call.task] == self.nth:
                    return kind + (seen[kind],), self.nth
        return None, max(of_task.values(), default=0)


def specs_of(workload, calls, traced_from_start):
    """Every spec that these calls, of a run without a death, let foresee, and the point of each."""
    groups = collections.defaultdict(collections.Counter)
    for call in calls:
        thread = "any" if traced_from_start else call.thread
        for place in {None, call.place}:
            groups[thread, call.name, place][call.task] += 1
    foreseen = {}
    for (thread, name, place), of_task in sorted(groups.items(), key=str):
        for nth in range(1, max(of_task.values()) + 1):
            spec = Spec(workload, thread, name, nth, place)
            point, _ = spec.hit(calls)
            foreseen.setdefault(point, spec)
    return foreseen


# Runs


class Runner:
    def __init__(self, work):
        self.work = work
        self.number = 0
        self.lock = threading.Lock()
        self.running = set()
        self.ending = False
        self.namespace = ["unshare", "--mount", "--propagation", "private"]
        if os.geteuid() != 0:
            self.namespace[1:1] = ["--user", "--map-root-user"]

    def run(self, workload, spec=None):
        """Its directory, and what went wrong or None."""
        with self.lock:
            self.number += 1
            directory = os.path.join(self.work, str(self.number))
        os.mkdir(directory)
        at = "" if spec is None else \
            f"{spec.thread} {spec.call} {spec.nth} {spec.place or ''}"
        environment = dict(os.environ, STORY=directory, WORKLOAD=workload, KILL_AT=at)
        command = self.namespace + ["bash", f"{here}/../Stories/lib.sh", f"{here}/kill.sh", "one_run"]
        with open(os.path.join(directory, "words"), "wb") as words:
            with self.lock:
                if self.ending:
                    raise KeyboardInterrupt
                process = subprocess.Popen(["timeout", "--kill-after=20", str(LIMIT)] + command,
                                           stdin=subprocess.DEVNULL, stdout=words, stderr=words,
                                           env=environment)
                self.running.add(process)
            status = process.wait()
            with self.lock:
                self.running.discard(process)
        end_left_over(directory)
        return directory, None if status == 0 else f"exit status {status}"

    def end(self):
        with self.lock:
            self.ending = True
            left = list(self.running)
        for process in left:
            process.terminate()
        for process in left:
            process.wait()


def end_left_over(directory):
    """A process that outlived its run is ended by its number, if the number is still its own."""
    try:
        with open(os.path.join(directory, "pids"), encoding="ascii") as pids:
            numbers = [int(line) for line in pids]
    except FileNotFoundError:
        return
    for number in numbers:
        try:
            with open(f"/proc/{number}/cmdline", "rb") as command:
                ours = os.fsencode(directory + "/") in command.read()
            if ours:
                os.kill(number, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass


def read(directory, name):
    try:
        with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Tally:
    """What was seen, told as it comes."""

    def __init__(self, runner, keep, wanted):
        self.runner, self.keep, self.wanted = runner, keep, wanted
        self.points, self.runs, self.slowest = set(), 0, 0
        self.failures, self.missed = [], []
        self.bar = sys.stdout.isatty()

    def say(self, line):
        print(("\r\x1b[K" if self.bar else "") + line, flush=True)

    def progress(self):
        if self.bar:
            print(f"\r\x1b[K{len(self.points)} of {self.wanted} points, {self.runs} runs, "
                  f"{len(self.failures)} failures", end="", flush=True)

    def done(self, directory):
        self.runs += 1
        self.progress()
        if not self.keep:
            shutil.rmtree(directory, ignore_errors=True)

    def fail(self, what, why, directory):
        self.failures.append(what)
        self.say(f"FAIL {what}: {why}; repeat: scripts/kills {what}")
        for line in read(directory, "words").splitlines()[-40:]:
            self.say(f"    | {line}")
        for device in ("alice", "bob"):
            lines = read(directory, f"{device}/log").splitlines()[-25:]
            self.say(f"    | --- {device}'s log")
            for line in lines:
                self.say(f"    | {line[:300]}")

    def survey(self, workload):
        """One run in which nobody dies; the specs that follow from it."""
        directory, wrong = self.runner.run(workload)
        foreseen = {}
        if wrong:
            self.fail(workload, wrong, directory)
        else:
            attached = re.findall(r"\d+", read(directory, "threads"))
            foreseen = specs_of(workload, calls_of(directory), not attached)
        self.done(directory)
        return foreseen

    def kill(self, spec):
        """One run in which alice's daemon dies."""
        asked = spec
        for _ in range(REPEATS):
            directory, wrong = self.runner.run(spec.workload, spec)
            point, busiest = spec.hit(calls_of(directory, spec.thread)) if not wrong else (None, 0)
            outcome = read(directory, "outcome").split()
            if wrong or outcome[0] == "died" or busiest >= spec.nth:
                break
            self.done(directory)
            spec = spec._replace(nth=busiest or spec.nth)
        if wrong:
            self.fail(spec, wrong, directory)
        elif outcome[0] != "died":
            # What the kernel or a pool did otherwise this time is no point, and another is drawn.
            self.missed.append(str(asked))
            self.say(f"not met again, asked {REPEATS} times: {asked}")
        elif point is None:
            self.fail(spec, "it died, and not where it was to", directory)
        else:
            self.points.add(point)
            self.slowest = max(self.slowest, int(outcome[1]))
            _, thread, call, what, count = point
            self.say(f"died {spec}: in {thread}, {call} {what} #{count}, "
                     f"ready after {outcome[1]} ms")
        self.done(directory)


def in_turn(foreseen, chance):
    """The specs in the order to do them: shuffled, one of each kind of point, then the next of each."""
    kinds = collections.defaultdict(list)
    for point, spec in sorted(foreseen.items(), key=str):
        kinds[point[:-1]].append(spec)
    rows = []
    for kind in sorted(kinds):
        chance.shuffle(kinds[kind])
        rows += enumerate(kinds[kind])
    chance.shuffle(rows)
    return [spec for _, spec in sorted(rows, key=lambda row: row[0])]


def workloads():
    with open(f"{here}/workloads", encoding="utf-8") as file:
        return [line.split()[1] for line in file if line.startswith("workload ")]


def main(work, seed, wanted, *asked):
    known = workloads()
    specs = [Spec.parse(word) for word in asked if "/" in word]
    surveyed = [word for word in asked if "/" not in word] or ([] if specs else known)
    if unknown := ({spec.workload for spec in specs} | set(surveyed)) - set(known):
        sys.exit(f"kills: no such workload: {' '.join(sorted(unknown))}")
    runner = Runner(work)
    tally = Tally(runner, os.environ.get("KEEP") == "yes", wanted)
    try:
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            foreseen = {}
            for found in pool.map(tally.survey, surveyed):
                foreseen |= found
            tally.say(f"{len(foreseen)} points foreseen in {len(surveyed)} workloads")
            specs += in_turn(foreseen, random.Random(int(seed)))
            limit = len(specs) if wanted == "all" else int(wanted)
            waiting = set()
            while specs and len(tally.points) + len(waiting) < limit or waiting:
                while specs and len(waiting) < AT_ONCE \
                        and len(tally.points) + len(waiting) < limit:
                    waiting.add(pool.submit(tally.kill, specs.pop(0)))
                done, waiting = concurrent.futures.wait(
                    waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    future.result()
    finally:
        runner.end()
    if asked or len(tally.missed) > limit // 10:
        tally.failures += [f"did not die: {spec}" for spec in tally.missed]
    if wanted != "all" and not asked and len(tally.points) < limit:
        tally.failures.append(f"only {len(tally.points)} distinct points of {limit}")
    for failure in tally.failures:
        tally.say(f"failed: {failure}")
    tally.say(f"kills: {len(tally.points)} distinct points, {tally.runs} runs, "
              f"{len(tally.missed)} not met again, {len(tally.failures)} failures, slowest start {tally.slowest} ms")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(*sys.argv[1:]))
