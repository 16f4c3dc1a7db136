#!/usr/bin/python3 -IS
"""Waits until devices have read the change log to its end and have nothing pending.

    settle.py SECONDS LOG PID MOUNT… -- STATE…

LOG is the directory of the change log, or the s3:// URL of the container; - is none. It must stand
still, the devices of the STATE directories have applied all of it, and no online scope of the MOUNTs
has anything left to do, ten times in a row, a tenth of a second apart: longer than the lease of what
another program seems to have removed, and a busy machine, where devices are slow to notice something, is
slow to answer too. Also ends, well, when the process PID has; 0 is none.
Fails, and says why, when nothing more has been done for SECONDS. One process asks all the time: to
start one for each question took more than half of all the time of the stories.
"""

import json
import os
import sqlite3
import sys
import time

PAUSE = 0.1
CALM = 10
BUSY = ("pending", "journal", "uploading", "downloading")


class Unrest(Exception):
    """What is still to be done."""


def names_of(log):
    """What lists the names of the records: in a directory, or in a bucket; nothing without a log."""
    if not log.startswith("s3://"):
        return lambda: os.listdir(log) if os.path.isdir(log) else []
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.dont_write_bytecode = True
    import bucket
    container = bucket.Bucket(log)
    log = container.prefix + ".docfs/log/"
    return lambda: [key.rpartition("/")[2] for key, _ in container.listing(log)]


def last_record(names):
    """The number of the newest record; 0 for none."""
    return max((int(name[:-5]) for name in names if name.endswith(".json")), default=0)


def check_read(state, record):
    catalog = sqlite3.connect(f"file:{state}/catalog.sqlite?mode=ro", uri=True)
    try:
        anchor = catalog.execute("SELECT anchor FROM scope WHERE name = 'Cloud'").fetchone()
    finally:
        catalog.close()
    if anchor is None or anchor[0] < record:
        raise Unrest(f"{state}: the log is read to {anchor and anchor[0]} of {record}")


def scopes_of(mount):
    with open(os.path.join(mount, ".docfs/status.json"), "rb") as status:
        return json.loads(status.read())["scopes"]


def check_rest(mount):
    for scope in scopes_of(mount):
        for field in BUSY:
            if scope[field]:
                raise Unrest(f"{mount}: {scope['name']}: {field} {scope[field]}")
        if not scope["online"]:
            raise Unrest(f"{mount}: {scope['name']} is offline: {scope.get('error')}")


def left(mounts, states, record):
    """How much there is to be done, once all devices know what the log tells."""
    try:
        for state in states:
            check_read(state, record)
        return sum(scope[field] for mount in mounts for scope in scopes_of(mount) for field in BUSY)
    except (Unrest, OSError, ValueError, sqlite3.Error):
        return float("inf")


def is_dead(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def main(seconds, log, process, *places):
    split = places.index("--")
    mounts, states = places[:split], places[split + 1:]
    names = names_of(log)
    end = time.monotonic() + float(seconds)
    calm, before, now, why, least = 0, None, None, "the log goes on", float("inf")
    while calm < CALM:
        if process != "0" and is_dead(process):
            return
        if time.monotonic() > end:
            sys.exit(f"not at rest after {seconds} s: {why}")
        time.sleep(PAUSE)
        try:
            now = last_record(names())
            if now != before:
                raise Unrest("the log goes on")
            # The log first: a record makes its items pending when it is applied.
            for state in states:
                check_read(state, now)
            for mount in mounts:
                check_rest(mount)
            calm += 1
        except (Unrest, OSError, ValueError, sqlite3.Error) as error:
            calm, before, why = 0, now, error
            if (count := left(mounts, states, now)) < least:
                least, end = count, time.monotonic() + float(seconds)


main(*sys.argv[1:])
