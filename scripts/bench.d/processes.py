"""Processes that this program starts, and nothing else: bounded waits, time and memory used."""

import os
import resource
import signal
import subprocess
import time

# Which of a process's clocks (linux/posix-timers.h): what the scheduler measured.
CPUCLOCK_SCHED = 2
# What a login gives, in the listings; elsewhere the daemons get all that this user may have, for
# those that keep a descriptor for each file would show nothing else.
DESCRIPTORS = 1024


class Failure(Exception):
    """Something that ends one column or one cell, in words."""


def descriptor_limits():
    """The soft and hard limit that daemons run with."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return min(DESCRIPTORS, hard), hard


def run(command, timeout=120, check=True, **options):
    """Runs a command to its end and answers its standard output; never waits longer than asked,
    not even for a process that a silent mount keeps from dying."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, **options)
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        end_group(process)
        raise Failure(f"{os.path.basename(command[0])}: no end after {timeout} s") from None
    except BaseException:
        end_group(process)
        raise
    if check and process.returncode != 0:
        words = errors.decode(errors="replace").strip().splitlines() or ["no word"]
        raise Failure(words[0] if len(words) < 3 else f"{words[0]} (and {len(words) - 1} more)")
    return output.decode(errors="replace")


def lay_aside(folder):
    """Empties a folder that is to be made anew, and keeps its files, which the end removes.

    ext4 uses no inode again for one to five minutes after it was freed, and looks through all of
    those for each file that is made: who makes files would pay for what was removed here.
    """
    if not folder.exists():
        return
    aside = folder.with_name(f"{folder.name}.{time.monotonic_ns()}")
    folder.rename(aside)
    for path, _, names in os.walk(aside):
        for name in names:
            os.truncate(os.path.join(path, name), 0)


def end_group(process):
    """Ends a child and what it started; its session is its own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        pass


class Daemon:
    """One mounting program in the foreground, with its log."""

    def __init__(self, command, log, environment, descriptors):
        with open(log, "ab") as out:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment,
                start_new_session=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, descriptors))
        self.log = log

    @property
    def alive(self):
        return self.process.poll() is None

    def last_words(self):
        with open(self.log, errors="replace") as log:
            return (log.read().strip().splitlines() or ["no word"])[-1]

    def cpu(self):
        """Seconds of processor time used so far, user and system, of all threads, by the clock
        that clock_getcpuclockid(3) gives: /proc counts no finer than hundredths."""
        return time.clock_gettime(~self.process.pid << 3 | CPUCLOCK_SCHED)

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def peak(self):
        """Highest resident memory since forget_peak, in MiB."""
        return self.fields("status")["VmHWM"]

    def memory(self):
        """What is resident now, how much of it is nobody else's and no file's, and the peak."""
        now, parts = self.fields("status"), self.fields("smaps_rollup")
        return {"resident": now["VmRSS"], "peak": now["VmHWM"], "proportional": parts["Pss"],
                "anonymous": now["RssAnon"]}

    def fields(self, file):
        """The sizes that a file of /proc names, in MiB."""
        with open(f"/proc/{self.process.pid}/{file}") as lines:
            words = [line.split() for line in lines]
        return {line[0].rstrip(":"): int(line[1]) / 1024 for line in words
                if len(line) == 3 and line[2] == "kB"}

    def wait_until_quiet(self, patience):
        """Until the daemon has used (next to) no processor for a moment."""
        before = self.cpu()
        end = time.monotonic() + patience
        while time.monotonic() < end:
            time.sleep(0.3)
            after = self.cpu()
            if after - before <= 0.02:
                return
            before = after
        raise Failure(f"still at work after {patience} s")

    def stop(self, patience=10):
        """Ends the daemon, in order if it can be done within so many seconds."""
        if self.alive:
            self.process.terminate()
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                end_group(self.process)
