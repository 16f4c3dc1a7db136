"""Measuring: rounds over all columns, as many as there is time for."""

import sys
import time
from dataclasses import dataclass, field

from processes import Failure
from rows import Wrong

ROUNDS = 3
# A column whose turn in a scene takes longer than this is not asked a second time.
LONG_TURN = 12


@dataclass
class Cell:
    """What one column did in one row: one entry a round."""

    seconds: list = field(default_factory=list)
    # The bare directory's, in the same rounds.
    bare: list = field(default_factory=list)
    cpu: list = field(default_factory=list)
    peak: float = 0
    # When there is nothing to say in numbers: WRONG or fails, and why.
    verdict: str = ""
    reason: str = ""


def say(words):
    print(f"{line_start()}{words}", file=sys.stderr, flush=True)


def progress(words):
    """What is going on, in one line that the next words replace; only for a terminal."""
    if sys.stderr.isatty():
        print(f"{line_start()}  {words}", end="", file=sys.stderr, flush=True)


def line_start():
    return "\r\033[K" if sys.stderr.isatty() else ""


def measure_scene(scene, targets, cells, until, rounds, long_turn=LONG_TURN):
    """Lets all columns take turns. Until is the moment after which no round is begun that would
    probably not end in time; the first always is."""
    left = list(targets)
    for turn in range(rounds):
        begun = time.monotonic()
        bare = {}
        for target in list(left):
            turn_begun = time.monotonic()
            try:
                take_turn(scene, target, turn, bare, cells)
            except (Failure, OSError) as failure:
                say(f"  {target.name}: {failure}")
                left.remove(target)
                revive(target)
            else:
                if time.monotonic() - turn_begun > long_turn:
                    left.remove(target)
        now = time.monotonic()
        if now + (now - begun) > until or len(left) < 2:
            return


def take_turn(scene, target, turn, bare, cells):
    if scene.cold:
        target.remount()
    for row in scene.rows:
        if row.only and target.name not in row.only:
            continue
        cell = cells.setdefault((row.name, target.name), Cell())
        before = target.daemon
        if before:
            before.forget_peak()
            cpu = before.cpu()
        try:
            seconds = row.measure(target, turn)
        except Wrong as wrong:
            cell.verdict, cell.reason = wrong.verdict, str(wrong)
            continue
        except (Failure, OSError) as failure:
            cell.verdict, cell.reason = "fails", str(failure)
            raise
        if daemon := target.daemon:
            # A row may start a daemon of its own.
            cell.cpu.append(daemon.cpu() - (cpu if daemon is before else 0))
            cell.peak = max(cell.peak, daemon.peak())
        bare.setdefault(row.name, seconds)
        cell.seconds.append(seconds)
        cell.bare.append(bare[row.name])
        if scene.writes:
            target.rest(120)


def revive(target):
    """After a failure: a new mount for the scenes that follow, if it can be had."""
    try:
        target.remount()
    except (Failure, OSError) as failure:
        say(f"  {target.name}: {failure}")
