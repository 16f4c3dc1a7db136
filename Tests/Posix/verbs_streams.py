"""Verbs on directory streams, listings and change notification."""

import os
import stat
import time

import kernel


class StreamVerbs:
    """opendir(3) to closedir(3), inotify(7)."""

    def do_list(self, path):
        return " ".join(sorted(os.listdir(self.item(path)))) or "nothing"

    def do_opendir(self, name, path):
        self.streams[name] = kernel.DirectoryStream(path)

    def do_closedir(self, name):
        self.streams.pop(name).close()

    def entries(self, name):
        while entry := self.streams[name].next():
            yield entry

    def do_rest(self, name):
        """All names that are still to come, in no order."""
        return " ".join(sorted(entry[0] for entry in self.entries(name))) or "nothing"

    def do_rest_counts(self, name):
        """Whether names are left, each once."""
        names = [entry[0] for entry in self.entries(name)]
        return len(names) == len(set(names))

    def do_take(self, name, count):
        """Reads some entries; which ones is the filesystem's to choose."""
        for _ in range(int(count)):
            self.streams[name].next()

    def do_rewind(self, name):
        self.streams[name].rewind()

    def do_returns(self, name):
        """Whether every position that telldir(3) gave leads back to the entry that followed it."""
        stream = self.streams[name]
        seen = list(stream.places())
        for position, wanted in reversed(seen):
            stream.seek(position)
            if (entry := stream.next()) is None or entry[0] != wanted:
                return f"no: {wanted} was {entry}"
        return f"yes {len(seen)}"

    def do_agrees(self, name, path):
        """Whether numbers and types of a listing are those of stat(2)."""
        for entry, number, kind in self.entries(name):
            if entry in (".", ".."):
                continue
            status = os.lstat(os.path.join(path, entry))
            if status.st_ino != number or stat.S_IFMT(status.st_mode) >> 12 != kind:
                return f"no: {entry} {number} {kind}"
        return "yes"

    def do_fill(self, path, count, prefix="f"):
        """Makes many empty documents."""
        for number in range(int(count)):
            name = os.path.join(path, f"{prefix}{number:06}")
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))

    def do_clear(self, path, prefix, step="1"):
        """Removes the documents of `fill`, or every `step`-th of them."""
        for name in sorted(n for n in os.listdir(path) if n.startswith(prefix))[::int(step)]:
            os.unlink(os.path.join(path, name))

    def do_count(self, path):
        """How many names a listing has, and whether none comes twice."""
        names = os.listdir(path)
        return f"{len(names)} once {len(names) == len(set(names))}"

    def do_churn(self, path, kept):
        """Lists while other names come and go: what stays is seen once, always."""
        for turn in range(10):
            stream = kernel.DirectoryStream(path)
            names = []
            while entry := stream.next():
                names.append(entry[0])
                if len(names) % 7 == 0:
                    other = os.path.join(path, f"x{turn}-{len(names)}")
                    os.close(os.open(other, os.O_CREAT | os.O_WRONLY, 0o644))
                    if turn % 2:
                        os.unlink(other)
                if len(names) > 100000:
                    return "no end"
            stream.close()
            stayed = [name for name in names if name.startswith("f")]
            if len(stayed) != int(kept) or len(set(stayed)) != int(kept):
                return f"no: {len(stayed)} of {kept}, {len(set(stayed))} different"
        self.do_clear(path, "x")
        return "yes"

    def do_empty_while_listing(self, path):
        """Removes each name as it is listed, as `rm -r` does."""
        stream = kernel.DirectoryStream(path)
        while entry := stream.next():
            if entry[0] not in (".", ".."):
                os.unlink(os.path.join(path, entry[0]))
        stream.close()
        return len(os.listdir(path))

    # Change notification

    def do_watch(self, name, path):
        # All but opening, closing unwritten and reading, which caches hide or multiply.
        self.watches[name] = kernel.Watches(path, 0xFFF & ~0x31)

    def do_events(self, name):
        time.sleep(0.05)
        return ", ".join(self.watches[name].events()) or "none"
