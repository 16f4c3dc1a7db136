#!/usr/bin/python3 -IS
"""The documents of the workloads: written, read, and compared with the states that may be left.

    documents.py write PATH WORD [sync]     in pieces, then close(2); with fsync(2) before it
    documents.py look PATH WORD             reads until it holds that word; never reads anything torn
    documents.py check FILE WORKLOAD STEPS HOW STORY
                                            HOW is dead, started or rest: whether what the devices and
                                            the container of STORY show may be, after so many steps

The text of a word is some 300 kB that names the word and the place in every line, so that a piece of
another text, of zeros, or one in the wrong place is told from it.
"""

import errno
import os
import re
import stat
import sys
import time

LINES = 16384
PIECE = 1 << 16
UNREADABLE = "(stale)"
# Made by editors alone, these stay on the device that they are made on (S15).
SCRATCH = re.compile(r"~$")
SIBLING = re.compile(r" \(conflict from [^)]*\)")


def fail(message):
    print(f"FAILED: {message}", file=sys.stderr)
    sys.exit(1)


def text(word):
    return b"".join(b"%s %010d\n" % (word.encode(), line) for line in range(LINES))


def word_of(held):
    """What a document's bytes are: a word, a word and `..`, nothing, or `torn` with the place."""
    if not held:
        return ""
    word = held.split(b" ", 1)[0][:40].decode(errors="replace")
    whole = text(word)
    if held == whole:
        return word
    if whole.startswith(held):
        return word + ".."
    at = next((i for i, (a, b) in enumerate(zip(held, whole)) if a != b), len(whole))
    return f"torn({word!r}, {len(held)} bytes, differs at {at}: {held[at:at + 24]!r})"


def write(path, word, sync=None):
    held = text(word)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for at in range(0, len(held), PIECE):
        os.write(descriptor, held[at:at + PIECE])
    if sync:
        os.fsync(descriptor)
    try:
        os.close(descriptor)
    except OSError:
        # What fsync has acknowledged stays acknowledged.
        if not sync:
            raise


def look(path, wanted):
    """Exits with 42 for what must never be read, so that nobody takes it for the daemon's death."""
    end = time.monotonic() + 10
    while True:
        with open(path, "rb", buffering=0) as document:
            held = b""
            while piece := document.read(PIECE):
                held += piece
        word = word_of(held)
        if word == wanted:
            return
        if word.startswith("torn") or word == "" or word.endswith("..") or time.monotonic() > end:
            print(f"FAILED: {path} reads as {word or 'nothing'}, not {wanted}", file=sys.stderr)
            sys.exit(42)
        time.sleep(0.05)


# What is there


def word_at(path):
    """S8: a body that a dying device has moved and not recorded cannot be found, and is not shown."""
    try:
        with open(path, "rb") as document:
            return word_of(document.read())
    except OSError as error:
        if error.errno != errno.ESTALE:
            raise
        return UNREADABLE


def value_at(path):
    """`/` or a word, mode and attribute behind it."""
    status = os.lstat(path)
    word = "/" if stat.S_ISDIR(status.st_mode) else word_at(path)
    try:
        mine = os.getxattr(path, "user.mine").decode()
    except OSError as error:
        if error.errno not in (errno.ENODATA, errno.EOPNOTSUPP):
            raise
        mine = "-"
    return f"{word},mode:{stat.S_IMODE(status.st_mode):o},mine:{mine}"


def tree(top, prefix):
    """Every path below TOP with its value."""
    found = {}
    for directory, directories, names in os.walk(top):
        if directory == top and ".docfs" in directories:
            directories.remove(".docfs")
        for name in directories + names:
            path = os.path.join(directory, name)
            try:
                value = value_at(path)
            except FileNotFoundError:
                # It got another name since it was listed.
                continue
            shown = prefix + "/" + SIBLING.sub("(conflict)", os.path.relpath(path, top))
            while shown in found:
                shown += "(another)"
            found[shown] = value
    return found


# What may be


def parse_state(line):
    wanted = {}
    for item in line.split():
        value, *asked = item.split(",")
        path, equals, word = value.partition("=")
        if not equals:
            path, word = path.removesuffix("/"), "/"
        wanted[path] = ",".join([word] + asked)
    return wanted


def parse_workload(file, name):
    """The given state, and for no step and each step the states that it leads through."""
    given, steps, found = {}, [[]], False
    for line in open(file, encoding="utf-8"):
        verb, _, rest = line.strip().partition(" ")
        if verb == "workload":
            found = rest == name
        elif found and verb == "given":
            given = parse_state(rest)
        elif found and verb == "step":
            steps.append([])
        elif found and verb == "state":
            steps[-1].append(parse_state(rest))
    if not given or any(not states for states in steps[1:]):
        fail(f"{file}: {name} is given nothing, or one of its steps leads nowhere")
    steps[0] = steps[0] or [given]
    return given, steps


def matches(shown, wanted):
    """Whether a value that is shown is the one that a state asks for; it may say more."""
    return set(wanted.split(",")[1:]) <= set(shown.split(",")[1:]) \
        and shown.split(",")[0] == wanted.split(",")[0]


def is_state(found, state):
    return found.keys() == state.keys() and all(matches(found[path], state[path]) for path in state)


def shared(state):
    """What of a state other devices and the container have, too."""
    return {path: value for path, value in state.items()
            if path.startswith("Cloud/") and not SCRATCH.search(path)}


def told(found):
    return " ".join(f"{path}={value}" for path, value in sorted(found.items())) or "nothing"


def check_tree(who, found, states):
    if not any(is_state(found, state) for state in states):
        fail(f"{who} shows\n    {told(found)}\nwhich is none of\n" +
             "\n".join("    " + told(state) for state in states))


def check_paths(who, found, states):
    """R4: each path shows what some state has there."""
    for path, value in found.items():
        allowed = [state[path] for state in states if path in state]
        if not value.startswith(UNREADABLE) \
                and not any(matches(value, wanted) for wanted in allowed):
            fail(f"{who} shows {path}={value}, never one of {allowed}")


def without_marks(found):
    """What other programs see of a container: attributes and modes travel beside the documents."""
    return {path: value.split(",")[0] for path, value in found.items()}


def check(file, name, done, how, story):
    given, steps = parse_workload(file, name)
    done = int(done)
    all_states = [given] + [state for states in steps for state in states]
    left = steps[done][-1:] + (steps[done + 1] if done + 1 < len(steps) else [])
    places = {"bob": f"{story}/bob/mnt/Cloud", "the container": f"{story}/container"}
    if how != "dead":
        found = tree(f"{story}/alice/mnt/Cloud", "Cloud")
        found |= tree(f"{story}/alice/mnt/Local", "Local")
        if how == "rest":
            check_tree("alice", found, left)
        else:
            check_paths("alice", found, all_states)
    for who, top in places.items():
        found = shared(tree(top, "Cloud"))
        states = [shared(state) for state in (left if how == "rest" else all_states)]
        if who == "the container":
            found, states = without_marks(found), [without_marks(state) for state in states]
        (check_tree if how == "rest" else check_paths)(who, found, states)
    if how == "rest":
        check_kept(given, story)


def check_kept(given, story):
    """R1, S19: what was overwritten or deleted is still among versions, in the trash, or has moved."""
    held = set()
    for top in (f"{story}/container", f"{story}/alice/local"):
        for directory, _, names in os.walk(top):
            for name in names:
                with open(os.path.join(directory, name), "rb") as document:
                    held.add(word_of(document.read()))
    for path, value in given.items():
        word = value.split(",")[0]
        if word != "/" and word not in held:
            fail(f"the text {word!r} of {path} is nowhere any more")


VERBS = {verb.__name__: verb for verb in (write, look, check)}

if __name__ == "__main__":
    try:
        VERBS[sys.argv[1]](*sys.argv[2:])
    except OSError as problem:
        print(f"{' '.join(sys.argv[1:4])}: {problem}", file=sys.stderr)
        sys.exit(1)
