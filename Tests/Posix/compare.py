#!/usr/bin/python3 -BIS
"""Runs the cases of Tests/Posix on a bare directory and on both scopes of a mount, and compares.

    compare.py WORK [WORD…]     WORK: an empty directory; WORD: only cases whose names hold it

Told by scripts/posix, which also says how to read a failure.
"""

import functools
import json
import os
import signal
import sys
import time
import traceback

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)

import kernel  # noqa: E402
import placeholders  # noqa: E402
from cases import load  # noqa: E402
from stage import make_place, play, strike  # noqa: E402
from worlds import Mount, end_in_order, filesystem_of  # noqa: E402

# Seconds for all cases of one world.
LIMIT = 1500


def run_case(case, role, top):
    """The outcomes of one case's steps and the tree that is left, in one world."""
    directory = os.path.join(top, "case")
    if not case.is_read_only:
        make_place(directory, role)
    return play(case.steps, role, directory, lambda: [] if case.is_read_only else strike(directory))


def run_world(cases, name, top, results):
    """Runs all cases of one world; writes a line of JSON for each."""
    with open(results, "w", encoding="utf-8", buffering=1) as file:
        for case in cases:
            for role in case.roles if name in ("bare", *case.scopes) else ():
                begun = time.monotonic()
                outcomes = run_case(case, role, top)
                took = round(time.monotonic() - begun, 3)
                file.write(json.dumps([f"{case.name} [{role}]", outcomes, took]) + "\n")


def worlds_of(mount, other, cases):
    """What runs the cases of each world, given the file for its outcomes."""
    places = mount.places()
    worlds = {name: functools.partial(run_world, cases, name, top)
              for name, top in places.items()}
    for name, device in (("Evicted", mount), ("Elsewhere", other)):
        if any(placeholders.fits(case, role, name) for case in cases for role in case.roles):
            worlds[name] = functools.partial(placeholders.run, cases, name, places["Cloud"],
                                             device.places()["Cloud"])
    return worlds


def run_worlds(worlds, work):
    """Every world's outcomes by case, all worlds side by side."""
    children = {}
    for name, run in worlds.items():
        process = os.fork()
        if process == 0:
            kernel.die_with_parent()
            status = 1
            try:
                run(f"{work}/{name}.results")
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        children[process] = name
    until = time.monotonic() + LIMIT
    trouble = []
    while children and time.monotonic() < until:
        process, status = os.waitpid(-1, os.WNOHANG)
        if process in children:
            name = children.pop(process)
            if status:
                trouble.append(f"the run in {name} ended with {status}")
        else:
            time.sleep(0.05)
    for process, name in children.items():
        os.kill(process, signal.SIGKILL)
        trouble.append(f"the run in {name} was not done after {LIMIT} s")
    found = {}
    for name in worlds:
        found[name] = {}
        if os.path.exists(f"{work}/{name}.results"):
            with open(f"{work}/{name}.results", encoding="utf-8") as file:
                found[name] = {case: outcomes for case, outcomes, _ in map(json.loads, file)}
    return found, trouble


def first_difference(wanted, seen):
    """Where two lists of outcomes part: (index, one, other), or None."""
    for index in range(max(len(wanted), len(seen))):
        one = wanted[index] if index < len(wanted) else "nothing"
        other = seen[index] if index < len(seen) else "nothing"
        if one != other:
            return index, one, other
    return None


def published():
    """The list of differences: {(case, scope): what is seen first, against what on ext4}, and
    those of them that must be seen."""
    listed, certain = {}, set()
    with open(os.path.join(here, "differences"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                case, scope, seen, _ = line.rstrip("\n").split("\t")
                key = case, scope.removesuffix("?")
                assert key not in listed, line
                listed[key] = seen
                if not scope.endswith("?"):
                    certain.add(key)
    return listed, certain


def describe(case, role, scope, difference, outcomes):
    """A failure as the steps with their outcomes, and what was seen instead."""
    index, wanted, seen = difference
    lines = [f"FAILED  {case.name} [{role}] in {scope}"]
    for number, step in enumerate(case.steps[:index + 1]):
        told = outcomes[number] if number < len(outcomes) else "not done"
        lines.append(f"          {step}    -> {told}")
    lines += [f"        wanted: {wanted}", f"        seen:   {seen}"]
    return "\n".join(lines)


def worlds_to_judge(case, role):
    """The worlds of a case, each with the scope whose published differences hold in it."""
    further = ("Evicted", "Elsewhere")
    return [(scope, scope) for scope in case.scopes] + [
        (world, "Cloud") for world in further if placeholders.fits(case, role, world)]


def judge(cases, found, filesystem):
    """Prints every failure; (cases, comparisons, failures, published differences).

    A difference that is listed must be one, where the bare directory is on ext4.
    """
    listed, certain = published()
    used, failures, count, comparisons = set(), 0, 0, 0
    for case in cases:
        for role in case.roles:
            count += 1
            name = f"{case.name} [{role}]"
            wanted = found["bare"].get(name, ["not run"])
            for world, scope in worlds_to_judge(case, role):
                comparisons += 1
                seen = found[world].get(name, ["not run"])
                difference = first_difference(wanted, seen)
                if difference is None:
                    continue
                if listed.get((case.name, scope)) == f"{difference[2]} for {difference[1]}":
                    used.add((case.name, scope))
                    continue
                failures += 1
                print(describe(case, role, world, difference, seen))
    ran = {case.name for case in cases}
    for case, scope in certain:
        if case in ran and (case, scope) not in used and filesystem == "ext4":
            failures += 1
            print(f"FAILED  {case} in {scope} is published as different, and is not")
    return count, comparisons, failures, len(used)


def main(work, *words):
    cases = load(os.path.join(here, "cases"), words)
    if not cases:
        sys.exit(f"no case is called {' '.join(words)}")
    end_in_order()
    mount, other = Mount(work), Mount(f"{work}/other", f"{work}/container", "other")
    try:
        mount.start()
        other.start()
        found, trouble = run_worlds(
            worlds_of(mount, other, [c for c in cases if not c.is_read_only]), work)
        if frozen := [c for c in cases if c.is_read_only]:
            mount.start_read_only()
            more, more_trouble = run_worlds(worlds_of(mount, other, frozen), work)
            found = {name: seen | more.get(name, {}) for name, seen in found.items()}
            trouble += more_trouble
        trouble += [f"a daemon has ended:\n{one.last_words()}"
                    for one in (mount, other) if not one.is_alive()]
    finally:
        statuses = [one.stop() for one in (mount, other)]
    trouble += [f"a daemon ended with {status}" for status in statuses if status]
    filesystem = filesystem_of(work)
    if filesystem != "ext4":
        print(f"the bare directory is on {filesystem}, not on ext4: $TMPDIR names another")
    count, comparisons, failures, differences = judge(cases, found, filesystem)
    for words in trouble:
        print(f"FAILED  {words}")
    failures += len(trouble)
    print(f"posix: {count} cases, {failures} failures, {differences} published differences, "
          f"{comparisons} comparisons")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
