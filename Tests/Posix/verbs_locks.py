"""Verbs on locks and leases."""

import fcntl
import time

import kernel

KINDS = {"read": fcntl.F_RDLCK, "write": fcntl.F_WRLCK, "none": fcntl.F_UNLCK}
NAMES = {number: name for name, number in KINDS.items()}


class LockVerbs:
    """flock(2), fcntl(2) locks of processes and of open files, leases."""

    def do_flock(self, name, how):
        """shared, exclusive or none; with `wait` behind it until it is had."""
        kind, _, wait = how.partition("-")
        operation = {"shared": fcntl.LOCK_SH, "exclusive": fcntl.LOCK_EX,
                     "none": fcntl.LOCK_UN}[kind]
        fcntl.flock(self.files[name], operation | (0 if wait else fcntl.LOCK_NB))

    def do_lock(self, name, kind, start="0", length="0", wait=""):
        command = fcntl.F_SETLKW if wait else fcntl.F_SETLK
        self.set_lock(name, command, kind, start, length)

    def do_ofd(self, name, kind, start="0", length="0", wait=""):
        command = kernel.F_OFD_SETLKW if wait else kernel.F_OFD_SETLK
        self.set_lock(name, command, kind, start, length)

    def set_lock(self, name, command, kind, start, length):
        record = kernel.lock_record(KINDS[kind], int(start), int(length))
        fcntl.fcntl(self.files[name], command, record)

    def do_getlk(self, name, kind, start="0", length="0", how="process"):
        """Which lock would be in the way."""
        record = kernel.lock_record(KINDS[kind], int(start), int(length))
        command = fcntl.F_GETLK if how == "process" else kernel.F_OFD_GETLK
        found, start, length = kernel.unpack_lock(fcntl.fcntl(self.files[name], command, record))
        return "none" if found == fcntl.F_UNLCK else f"{NAMES[found]} {start} {length}"

    def do_lease(self, name, kind):
        fcntl.fcntl(self.files[name], fcntl.F_SETLEASE, KINDS[kind])

    def do_try_lease(self, name, kind):
        """Takes a lease and gives it back, lest the next who opens waits for it."""
        self.do_lease(name, kind)
        self.do_lease(name, "none")

    def do_leased(self, name):
        return NAMES[fcntl.fcntl(self.files[name], fcntl.F_GETLEASE)]

    def do_told(self):
        """Whether SIGIO arrived, within a minute."""
        for _ in range(6000):
            if self.signals:
                break
            time.sleep(0.01)
        return self.signals > 0
