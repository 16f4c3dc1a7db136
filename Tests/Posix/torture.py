#!/usr/bin/python3 -BIS
"""Does the same random steps on a bare directory and in a scope, and compares every outcome.

    torture.py WORK SEED MINUTES    (environment: ACROSS=yes for rounds in both scopes at once)

First one writer, then four at once on subtrees of their own, beside races for the same names; then
the daemon is killed, started again, and holds what it held. A round that differs is told by its own
seed and shrunk to the steps that matter, as a case to be kept. Told by scripts/torture.
"""

import os
import signal
import sys
import time
import traceback

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)

import generator  # noqa: E402
import kernel  # noqa: E402
import many  # noqa: E402
import races  # noqa: E402
from actors import IDENTITIES, Cast  # noqa: E402
from cases import Case, parse_step  # noqa: E402
from compare import describe, first_difference  # noqa: E402
from worlds import Mount, end_in_order, manifest, remove  # noqa: E402

STEPS = 250
WRITERS = ["w0", "w1", "w2", "w3"]
# `Both` is done where $ACROSS says so.
SCOPES = ["Cloud", "Local"] + (["Both"] if os.environ.get("ACROSS") == "yes" else [])
# Runs that shrinking a failure may take.
PATIENCE = 250


class Place:
    """Where one side of a round is done: a directory to be in, and the trees that it leads to."""

    def __init__(self, directory, trees):
        self.directory = directory
        self.trees = trees

    def make(self, role):
        for tree in dict.fromkeys([self.directory] + self.trees):
            os.mkdir(tree, 0o755)
            os.chmod(tree, 0o777)
            os.chown(tree, *IDENTITIES[role][:2])
        if self.trees != [self.directory]:
            for name, tree in zip(generator.BOTH, self.trees):
                os.symlink(tree, os.path.join(self.directory, name))

    def clear(self):
        for tree in [self.directory] + self.trees:
            if os.path.lexists(tree) and (words := remove(tree)):
                raise RuntimeError(f"{tree} {words}")

    def manifest(self):
        return [line for tree in self.trees for line in manifest(tree)]


def all_places(mount):
    return mount.places() | {"beside": f"{mount.work}/beside"}


def places_of(places, scope, name):
    """The bare directory's side of a round and the mount's; `Both` has one tree in each scope."""
    if scope != "Both":
        return [Place(top, [top]) for top in (os.path.join(places["bare"], name),
                                              os.path.join(places[scope], name))]
    bare = os.path.join(places["bare"], name)
    beside = f"{places['beside']}/{name}"
    scopes = [os.path.join(places[scope], name) for scope in ("Local", "Cloud")]
    return [Place(bare, [f"{bare}.{one}" for one in generator.BOTH]), Place(beside, scopes)]


class Round:
    """Steps that are done in two places side by side."""

    def __init__(self, places, scope, role, name):
        self.places = places_of(places, scope, name)
        self.role = role

    def clear(self):
        for place in self.places:
            place.clear()

    def play(self, steps):
        """What differs first: (index, wanted, seen), outcomes; or None, outcomes."""
        self.clear()
        casts = []
        for place in self.places:
            place.make(self.role)
            casts.append(Cast(self.role, place.directory))
        outcomes = []
        try:
            for index, step in enumerate(steps):
                one, other = (cast.play(*parse_step(step)) for cast in casts)
                outcomes.append(other)
                if one != other:
                    return (index, one, other), outcomes
        finally:
            ended = [cast.end() for cast in casts]
        if not all(ended):
            return (len(steps), "processes that end", "one that cannot be ended"), outcomes
        difference = first_difference(*(place.manifest() for place in self.places))
        return difference and (len(steps), *difference[1:]), outcomes

    def shrink(self, steps):
        """As few of the steps as still make a difference."""
        tries = PATIENCE
        size = len(steps) // 2
        while size and tries > 0:
            start = 0
            while start < len(steps) and tries > 0:
                fewer = steps[:start] + steps[start + size:]
                tries -= 1
                difference, _ = self.play(fewer)
                if difference:
                    steps = fewer[:difference[0] + 1]
                else:
                    start += size
            size //= 2
        return steps


def run_round(places, seed, scope, name):
    """One round; whether it went as on the bare directory. Its trees are left."""
    role = "user" if sum(seed.encode()) % 2 else "root"
    steps = generator.make(seed, scope, STEPS)
    this = Round(places, scope, role, name)
    difference, _ = this.play(steps)
    if difference is None:
        return True
    first = difference[1:]
    steps = this.shrink(steps[:difference[0] + 1])
    difference, outcomes = this.play(steps)
    print(f"FAILED  seed {seed}; to be kept in Tests/Posix/cases/found.cases:")
    print(f"found by seed {seed} [{role}]")
    print("\n".join(f"    {step}" for step in steps))
    if difference:
        print(describe(Case("found", steps), role, scope, difference, outcomes), flush=True)
    else:
        print(f"        wanted: {first[0]}\n        seen:   {first[1]}, and did not happen again",
              flush=True)
    this.clear()
    return False


def write(places, seed, writer, until):
    """Rounds of one writer, in each scope by turns and in both at once; how many, or minus one
    after a failure."""
    number = 0
    while time.monotonic() < until:
        scope = SCOPES[number % len(SCOPES)]
        if not run_round(places, f"{seed}/{scope}/{writer}/{number}", scope,
                         f"{writer}-{scope}"):
            return -1
        number += 1
    return number


def apart(work, *arguments):
    """Does the work in a process of its own; answers the process and a pipe for the answer."""
    receive, send = os.pipe()
    process = os.fork()
    if process == 0:
        kernel.die_with_parent()
        answer = -1
        try:
            answer = work(*arguments)
        except BaseException:
            traceback.print_exc()
        finally:
            os.write(send, str(answer).encode())
            os._exit(0)
    os.close(send)
    return process, receive


def collect(children, until):
    """The answers of all; who is not done by then is ended and answers minus one."""
    answers = []
    for process, receive in children:
        while not (ended := os.waitpid(process, os.WNOHANG)[0]) and time.monotonic() < until:
            time.sleep(0.05)
        if not ended:
            print(f"FAILED  a writer or racer hangs: process {process}")
            os.kill(process, signal.SIGKILL)
        answers.append(int(os.read(receive, 20) or -1) if ended else -1)
        os.close(receive)
    return answers


def compare_kept(places):
    """What the last rounds left, again."""
    failures = 0
    for name in [f"{writer}-{scope}" for writer in WRITERS + ["single"] for scope in SCOPES]:
        one, other = places_of(places, name.rsplit("-", 1)[1], name)
        if not os.path.lexists(one.directory):
            continue
        difference = first_difference(one.manifest(), other.manifest())
        if difference:
            failures += 1
            print(f"FAILED  {name} after the daemon was killed and started again\n"
                  f"        wanted: {difference[1]}\n        seen:   {difference[2]}")
    return failures


def torture(mount, seed, minutes):
    places = all_places(mount)
    begun = time.monotonic()
    rounds = write(places, seed, "single", begun + minutes * 20)
    answers = [rounds]
    if rounds >= 0:
        until = begun + minutes * 60
        shared = []
        for scope in ("Local", "Cloud"):
            shared.append(os.path.join(places[scope], "races"))
            os.mkdir(shared[-1])
        children = [apart(write, places, seed, writer, until) for writer in WRITERS]
        racers = [apart(races.race, directory, f"{seed}/{number}", until)
                  for directory in shared for number in range(2)]
        answers += collect(children, until + 600)
        races_failed = sum(map(abs, collect(racers, until + 60)))
        for directory in shared if mount.is_alive() else ():
            if words := races.settle(directory):
                print(f"FAILED  {words}")
                races_failed += 1
    else:
        races_failed = 0
    failures = sum(answer < 0 for answer in answers) + races_failed
    if not mount.is_alive():
        print(f"FAILED  the daemon has ended:\n{mount.last_words()}")
        return sum(answers), failures + 1
    mount.kill()
    mount.start()
    return sum(max(answer, 0) for answer in answers), failures + compare_kept(places)


def main(work, seed, minutes):
    end_in_order()
    mount = Mount(work, settle="0.3")
    mount.start()
    try:
        if seed == "many":
            rounds, failures = 1, many.run(f"{mount.point}/Cloud/many")
        elif "/" in seed:
            scope = seed.split("/")[1]
            rounds, failures = 1, 0 if run_round(all_places(mount), seed, scope, "again") else 1
        else:
            rounds, failures = torture(mount, seed, float(minutes))
    finally:
        status = mount.stop()
    if status:
        failures += 1
        print(f"FAILED  the daemon ended with {status}")
    print(f"torture: seed {seed}, {rounds} rounds of {STEPS} steps, {failures} failures")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
