"""What the kernel has mounted; asks its list, never the mount, which might be silent."""

import os
import re
import subprocess


def mounted(point):
    with open("/proc/self/mountinfo") as table:
        points = [line.split()[4] for line in table]
    return str(point) in (re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), p) for p in points)


def unmount(point):
    """Takes a mount away: in order, and if that is refused, lazily."""
    for command in (["fusermount3", "-u", point], ["fusermount3", "-uz", point],
                    ["umount", "-l", point]):
        if not mounted(point):
            return
        try:
            subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            pass


def filesystem_of(path):
    """The type of the filesystem that a directory lies on, as the kernel's list names it."""
    device = os.stat(path).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    with open("/proc/self/mountinfo") as table:
        for line in table:
            if line.split()[2] == number:
                return line.split(" - ")[1].split()[0]
    return "unknown"
