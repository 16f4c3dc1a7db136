"""The same cases where documents are placeholders: two further worlds.

`Evicted` is the cloud scope after what a case makes was sent and evicted; `Elsewhere` is that of a
second device, on which it never was. Waiting for each case alone would take hours, so all cases
make their documents first, then all of these go, and then every case does the rest of its steps,
held against all of its steps in the bare directory.
"""

import errno
import json
import os
import stat
import time

from stage import make_place, play, prepare, strike

# Cases that say nothing of `away`, but are run with documents that are: those of these groups.
GROUPS = {"access", "chmod", "chown", "copy", "fallocate", "locks", "mmap", "open", "rename",
          "sticky", "times", "truncate", "unlink", "watches", "write", "xattr"}
DOWNLOAD = "user.docfs.download"
# Seconds until one document more is in the container, or at the other device.
PATIENCE = 120


def fits(case, role, world):
    """Whether a case can be run in this world."""
    if not case.made or "Cloud" not in case.scopes:
        return False
    if not case.says_away and case.name.split(":")[0] not in GROUPS:
        return False
    if world == "Evicted":
        # Elsewhere has root's; one role in each does for cases that are not about placeholders.
        return case.says_away or role == case.roles[-1]
    # Owners do not travel: at the other device everything is that of root, who mounted it.
    made = case.steps[:case.made]
    return role == "root" and not any(": " in step or "chown" in step for step in made)


def place(top, number):
    # Some cases name their directory by `..`, so that it needs one of its own above.
    return os.path.join(top, str(number), "case")


def make_all(chosen, top):
    """Has every case make its documents; the outcomes of each."""
    os.mkdir(top, 0o755)
    made = []
    for number, (case, role) in enumerate(chosen):
        os.mkdir(os.path.join(top, str(number)), 0o755)
        make_place(place(top, number), role)
        made.append(prepare(case.steps[:case.made], role, place(top, number)))
    return made


def documents(top):
    """Every document with bytes below a directory, by its size and time; no document is read."""
    found = {}
    for directory, _, names in os.walk(top):
        for name in names:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode) and status.st_size:
                found[path[len(top):]] = status.st_size, status.st_mtime_ns
    return found


def is_away(path):
    return os.getxattr(path, DOWNLOAD) == b"none"


def evict(path):
    """Evicts a document as soon as that can be done."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            os.setxattr(path, DOWNLOAD, b"none")
            break
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > until:
                raise
        time.sleep(0.05)
    if not is_away(path):
        raise RuntimeError(f"{path} was evicted and is still here")


def wait_for_arrival(here, there):
    """Waits until a second device knows all documents of the first."""
    wanted = documents(here)
    most, until = -1, 0
    while True:
        seen = documents(there) if os.path.isdir(there) else {}
        if seen == wanted:
            return
        if len(seen) > most:
            most, until = len(seen), time.monotonic() + PATIENCE
        elif time.monotonic() > until:
            missing = [name for name in wanted if seen.get(name) != wanted[name]]
            raise RuntimeError(f"{len(missing)} documents do not arrive, such as {missing[0]}")
        time.sleep(0.2)


def send_away(world, here, top):
    """Makes sure that nothing of what was made is on the device of this world."""
    if world == "Elsewhere":
        wait_for_arrival(here, top)
    for name in documents(top):
        if world == "Evicted":
            evict(top + name)
        elif not is_away(top + name):
            raise RuntimeError(f"{top + name} is here, though nobody has read it")


def run(cases, world, here, there, results):
    """Runs all cases that fit one world; `here` is where things are made, `there` where tried."""
    here, there = (os.path.join(top, world) for top in (here, there))
    chosen = [(case, role) for case in cases for role in case.roles if fits(case, role, world)]
    made = make_all(chosen, here)
    send_away(world, here, there)
    with open(results, "w", encoding="utf-8", buffering=1) as file:
        for number, (case, role) in enumerate(chosen):
            begun = time.monotonic()
            directory = place(there, number)
            outcomes = made[number] + play(case.steps[case.made:], role, directory,
                                           lambda: strike(directory))
            took = round(time.monotonic() - begun, 3)
            file.write(json.dumps([f"{case.name} [{role}]", outcomes, took]) + "\n")
