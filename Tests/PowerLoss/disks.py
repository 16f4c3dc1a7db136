"""Disks whose power can be cut: one that forgets all it may, and XFS on a file."""

import os
import subprocess
import time


def run(*words, seconds=60):
    """Runs a program that must succeed."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=seconds)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()}")


class Forgetful:
    """forgetful.c: of what was not synced, the seed chooses what is left."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path)
        self.process = subprocess.Popen(
            [os.environ["FORGETFUL"], path], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.expect("mounted")

    def expect(self, word):
        answer = self.process.stdout.readline().strip()
        if not answer.startswith(word):
            raise RuntimeError(f"{self.path}: wanted '{word}', the disk said '{answer}'")
        return answer

    def tell(self, line, word):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.expect(word)

    def sync(self):
        self.tell("sync", "synced")

    def off(self):
        """The power goes: everything fails from now on."""
        self.tell("off", "off")

    def on(self, seed):
        """The power is back; says what was lost."""
        return self.tell(f"on {seed}", "on: ").removeprefix("on: ")


class XFS:
    """A filesystem with a journal on a loop device, shut down as xfs_io does it.

    Nobody may use it any more when the power comes back.
    """

    def __init__(self, path):
        self.path = path
        self.image = path + ".image"
        os.makedirs(path)
        with open(self.image, "wb") as image:
            image.truncate(512 << 20)
        run("mkfs.xfs", "-q", "-m", "reflink=1", self.image)
        run("mount", "-o", "loop", self.image, path)

    def sync(self):
        run("sync", "-f", self.path)

    def off(self, flushed=False):
        """`flushed`: the log reaches the disk still, the bytes of files do not."""
        run("xfs_io", "-x", "-c", "shutdown -f" if flushed else "shutdown", self.path)

    def on(self, seed):
        end = time.monotonic() + 10
        while True:
            try:
                run("umount", self.path)
                break
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        run("mount", "-o", "loop", self.image, self.path)
        return "whatever XFS had not written"
