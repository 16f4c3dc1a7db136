#!/usr/bin/python3 -BIS
"""Runs the cases of Tests/Posix on a bare directory and on both scopes of a mount, and compares.

    compare.py WORK [WORD…]     WORK: an empty directory; WORD: only cases whose names hold it

Told by scripts/posix, which also says how to read a failure.
"""

import json
import os
import signal
import sys
import time
import traceback

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)

import kernel  # noqa: E402
from actors import IDENTITIES, Cast  # noqa: E402
from cases import load, parse_step  # noqa: E402
from worlds import Mount, end_in_order, filesystem_of, manifest, remove  # noqa: E402

# Seconds for all cases of one world.
LIMIT = 1500


def run_case(case, role, top):
    """The outcomes of one case's steps and the tree that is left, in one world."""
    directory = os.path.join(top, "case")
    if not case.is_read_only:
        os.mkdir(directory, 0o755)
        os.chmod(directory, 0o755)
        os.chown(directory, *IDENTITIES[role][:2])
    cast = Cast(role, directory)
    outcomes = []
    try:
        for step in case.steps:
            outcomes.append(cast.play(*parse_step(step)))
            if cast.hangs:
                break
        outcomes += manifest(directory)
    except OSError as error:
        outcomes.append(f"the tree cannot be read: {error}")
    finally:
        ended = cast.end()
    if not ended:
        outcomes.append("a process cannot be ended")
    elif not case.is_read_only and (words := remove(directory)):
        outcomes.append(words)
        os.rename(directory, f"{directory}.{time.monotonic_ns()}")
    return outcomes


def run_world(cases, name, top, results):
    """Runs all cases of one world; writes a line of JSON for each."""
    with open(results, "w", encoding="utf-8", buffering=1) as file:
        for case in cases:
            for role in case.roles if name in ("bare", *case.scopes) else ():
                begun = time.monotonic()
                outcomes = run_case(case, role, top)
                took = round(time.monotonic() - begun, 3)
                file.write(json.dumps([f"{case.name} [{role}]", outcomes, took]) + "\n")


def run_worlds(cases, mount):
    """Every world's outcomes by case, all worlds side by side."""
    children = {}
    places = mount.places()
    for name, top in places.items():
        results = f"{mount.work}/{name}.results"
        process = os.fork()
        if process == 0:
            kernel.die_with_parent()
            status = 1
            try:
                run_world(cases, name, top, results)
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
    for name in places:
        with open(f"{mount.work}/{name}.results", encoding="utf-8") as file:
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
    """The list of differences: {(case, scope): what is seen first, against what on ext4}."""
    listed = {}
    with open(os.path.join(here, "differences"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                case, scope, seen, _ = line.rstrip("\n").split("\t")
                assert (case, scope) not in listed, line
                listed[case, scope] = seen
    return listed


def describe(case, role, scope, difference, outcomes):
    """A failure as the steps with their outcomes, and what was seen instead."""
    index, wanted, seen = difference
    lines = [f"FAILED  {case.name} [{role}] in {scope}"]
    for number, step in enumerate(case.steps[:index + 1]):
        told = outcomes[number] if number < len(outcomes) else "not done"
        lines.append(f"          {step}    -> {told}")
    lines += [f"        wanted: {wanted}", f"        seen:   {seen}"]
    return "\n".join(lines)


def judge(cases, found, filesystem):
    """Prints every failure; (cases, failures, published differences).

    A difference that is listed must be one, where the bare directory is on ext4.
    """
    listed = published()
    used, failures, count = set(), 0, 0
    for case in cases:
        for role in case.roles:
            count += 1
            name = f"{case.name} [{role}]"
            wanted = found["bare"].get(name, ["not run"])
            for scope in case.scopes:
                seen = found[scope].get(name, ["not run"])
                difference = first_difference(wanted, seen)
                if difference is None:
                    continue
                if listed.get((case.name, scope)) == f"{difference[2]} for {difference[1]}":
                    used.add((case.name, scope))
                    continue
                failures += 1
                print(describe(case, role, scope, difference, seen))
    ran = {case.name for case in cases}
    for case, scope in listed:
        if case in ran and (case, scope) not in used and filesystem == "ext4":
            failures += 1
            print(f"FAILED  {case} in {scope} is published as different, and is not")
    return count, failures, len(used)


def main(work, *words):
    cases = load(os.path.join(here, "cases"), words)
    if not cases:
        sys.exit(f"no case is called {' '.join(words)}")
    end_in_order()
    mount = Mount(work)
    mount.start()
    try:
        found, trouble = run_worlds([c for c in cases if not c.is_read_only], mount)
        if frozen := [c for c in cases if c.is_read_only]:
            mount.start_read_only()
            more, more_trouble = run_worlds(frozen, mount)
            found = {name: found[name] | more[name] for name in found}
            trouble += more_trouble
        if not mount.is_alive():
            trouble.append(f"the daemon has ended:\n{mount.last_words()}")
    finally:
        status = mount.stop()
    if status:
        trouble.append(f"the daemon ended with {status}")
    filesystem = filesystem_of(work)
    if filesystem != "ext4":
        print(f"the bare directory is on {filesystem}, not on ext4: $TMPDIR names another")
    count, failures, differences = judge(cases, found, filesystem)
    for words in trouble:
        print(f"FAILED  {words}")
    failures += len(trouble)
    print(f"posix: {count} cases, {failures} failures, {differences} published differences")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
