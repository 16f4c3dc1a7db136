"""How the steps of a case are done in one directory."""

import os
import time

from actors import IDENTITIES, Cast
from cases import parse_step
from worlds import manifest, remove


def make_place(directory, role):
    """The directory of a case: its role's own."""
    os.mkdir(directory, 0o755)
    os.chmod(directory, 0o755)
    os.chown(directory, *IDENTITIES[role][:2])


def play(steps, role, directory, end=lambda: []):
    """The outcomes of the steps and the tree that is left, then what `end` has to say."""
    cast = Cast(role, directory)
    outcomes = []
    try:
        for step in steps:
            outcomes.append(cast.play(*parse_step(step)))
            if cast.hangs:
                break
        outcomes += manifest(directory)
    except OSError as error:
        outcomes.append(f"the tree cannot be read: {error}")
    finally:
        ended = cast.end()
    return outcomes + (end() if ended else ["a process cannot be ended"])


def prepare(steps, role, directory):
    """The outcomes of steps that only make things; nothing is read."""
    cast = Cast(role, directory)
    try:
        return [cast.play(*parse_step(step)) for step in steps]
    finally:
        if not cast.end():
            raise RuntimeError(f"a process in {directory} cannot be ended")


def strike(directory):
    """Removes a case's directory; words when that cannot be done."""
    words = remove(directory)
    if words is None:
        return []
    os.rename(directory, f"{directory}.{time.monotonic_ns()}")
    return [words]
