#!/usr/bin/python3 -BIS
"""Damages one file, sometimes two, of a device's own state, starts the device, and looks for harm.

    corruption.py WORK SEED DAMAGES    (environment: DOCFS_MOUNT, the program)

Each damage has a world of its own and a seed of its own, SEED/NUMBER, under which it is told and
done again. Told by scripts/corruption.
"""

import os
import random
import re
import shutil
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from damage import BLOCK, KINDS, Damage, walk  # noqa: E402
from devices import Failure, World  # noqa: E402
from scene import Scene  # noqa: E402
from verdict import Verdict, read_tree  # noqa: E402

AT_ONCE = 2
# A world that takes longer hangs, in seconds.
LIMIT = 900


class Round:
    """One world, from the first document to the verdict."""

    def __init__(self, work, seed):
        self.seed = seed
        self.chance = random.Random(seed)
        self.number = int(seed.rpartition("/")[2])
        self.world = World(os.path.join(work, seed.replace("/", "-")))
        self.alice = self.world.device("alice")
        self.bob = self.world.device("bob")
        self.scene = Scene(self.alice, self.bob, self.chance)
        self.is_killed = self.chance.random() < 0.5
        self.was_offline = self.chance.random() < 0.5
        self.is_read_offline = self.chance.random() < 0.3
        self.damages = []
        self.words = []
        self.unnoticed = set()

    def run(self):
        for device in (self.bob, self.alice):
            device.start()
        self.scene.prepare()
        owners = self.leave()
        self.scene.edit_elsewhere()
        self.world.settled()
        self.damage(owners)
        verdict = Verdict(self.scene, self.damages, self.is_killed)
        mark = self.alice.log_size()
        if self.is_read_offline:
            if self.was_offline is False:
                os.unlink(self.alice.way)
            self.start(verdict)
            verdict.look_offline()
            self.alice.online()
        else:
            if self.was_offline:
                self.alice.online()
            self.start(verdict)
        self.world.devices = [self.alice, self.bob]
        verdict.await_rest(self.world)
        verdict.look(self.alice.log_since(mark))
        self.words += verdict.words
        self.unnoticed = verdict.unnoticed
        for device in self.world.devices:
            device.stop()

    def leave(self):
        """Alice edits, unsent, and goes; what her content files belong to, by number."""
        alice = self.alice
        if self.was_offline:
            alice.offline()
        else:
            # Nothing is sent before she goes.
            alice.stop()
            alice.start(settle="60")
        self.scene.edit()
        time.sleep(0.3 * self.chance.random())
        owners = {str(os.lstat(os.path.join(alice.mount, path)).st_ino): path
                  for path in read_tree(alice.mount, only_names=True)}
        alice.kill9() if self.is_killed else alice.stop()
        # Bob's rest is not hers.
        self.world.devices = [self.bob]
        return owners

    def damage(self, owners):
        """Files that are no documents' contents every second time, and each sort in turn."""
        files = walk(self.alice.state, os.path.join(self.alice.plain, ".docfs"))
        sorts = {}
        for path in files:
            owner = owners.get(os.path.basename(path))
            sort = owner.rstrip(" 0123456789") if owner else re.sub(
                "[0-9a-f]{32}|[0-9]+", "N", os.path.relpath(path, self.alice.home))
            sorts.setdefault((owner is None, sort), []).append((owner or path, path, owner))
        own = sorted(sort for sort in sorts if sort[0])
        contents = sorted(sort for sort in sorts if not sort[0])
        # Where a file is large, it matters where it is hit.
        own += [s for s in own if max(os.path.getsize(path) for _, path, _ in sorts[s]) > 4 * BLOCK]
        turn = self.number // 2 + len(self.seed)
        chosen = [own[turn % len(own)] if self.number % 2 else contents[turn % len(contents)]]
        if self.chance.random() < 0.2:
            chosen.append(self.chance.choice([s for s in own + contents if s != chosen[0]]))
        decoy = os.path.join(self.world.directory, "decoy")
        with open(decoy, "w", encoding="ascii") as file:
            file.write("nothing that DocFS may touch or show\n" * 100)
        for sort in chosen:
            _, path, owner = self.chance.choice(sorted(sorts[sort]))
            self.damages.append(
                Damage(path, self.chance.choice(sorted(KINDS)), owner, self.chance, decoy))

    def start(self, verdict):
        """She starts by herself, or says which file keeps her from it and what to do."""
        # One refusal for each damage, and one for the mount of a killed daemon.
        for _ in range(1 + len(self.damages) + self.is_killed):
            mark = self.alice.log_size()
            seconds = self.alice.start()
            if seconds is not None:
                return
            verdict.refused(self.alice.log_since(mark).strip().rpartition("\n")[2])
        raise Failure("does not start, whatever is done: " + self.alice.log_since(mark))

    def tell(self):
        """What was done, in one line."""
        left = "killed" if self.is_killed else "stopped"
        left += " offline" if self.was_offline else ""
        done = [f"{d.how} of {os.path.relpath(d.path, self.alice.home)}"
                + (f" ({d.owner}, {len(d.before)} bytes)" if d.owner else "")
                for d in self.damages]
        shown = f", shown as it is: {', '.join(sorted(self.unnoticed))}" if self.unnoticed else ""
        return f"{left}, {' and '.join(done) or 'nothing yet'}{shown}"


def play(work, seed, keep):
    """Does one damage; its line, and what is wrong."""
    begun = time.monotonic()
    turn = Round(work, seed)
    watchdog = threading.Timer(LIMIT, turn.world.end)
    watchdog.start()
    try:
        turn.run()
    except Failure as failure:
        turn.words.append(str(failure))
    except Exception:  # pylint: disable=broad-except # a fault of the runner is a failure too
        turn.words.append(traceback.format_exc())
    finally:
        watchdog.cancel()
        turn.world.end()
    line = f"{seed}: {time.monotonic() - begun:4.1f} s, {turn.tell()}"
    if turn.words:
        with open(turn.alice.log, encoding="utf-8", errors="replace") as log:
            said = [entry.rstrip()[:300] for entry in log if " debug " not in entry][-12:]
        turn.words += [f"alice's log: {entry}" for entry in said]
    if not keep:
        shutil.rmtree(turn.world.directory, ignore_errors=True)
    return line, turn.words


def main(work, seed, count):
    seeds = [seed] if "/" in seed else [f"{seed}/{number}" for number in range(int(count))]
    keep = os.environ.get("KEEP") == "yes"
    failures = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for line, words in pool.map(lambda each: play(work, each, keep), seeds):
            print(("FAIL " if words else "ok   ") + line, flush=True)
            for word in words:
                print("    | " + word.replace("\n", "\n    | "), flush=True)
            if words:
                failures += 1
                print(f"    | again: scripts/corruption --seed {line.split(':')[0]}", flush=True)
    print(f"corruption: {len(seeds)} damages, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
