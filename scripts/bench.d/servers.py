"""The store that cloud rows are measured on, and the proxies that count what goes to it."""

import os
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bucket import Bucket
from processes import Daemon, Failure, descriptor_limits, run

SERVERS = Path(__file__).resolve().parents[2] / "Tests" / "Servers"


class Store:
    """Ceph's gateway, started here below the work directory, or the one that somebody names."""

    def __init__(self, work, address):
        self.home = work / "store"
        self.own = not address
        if self.own and not all(map(installed, ("radosgw", "ceph-mon", "ceph-osd", "curl"))):
            raise Failure("needs the packages ceph-mon ceph-osd ceph-base radosgw curl, or --store")
        try:
            self.address = (address or run([str(SERVERS / "start-rgw"), str(self.home)],
                                           timeout=300).strip()).rstrip("/")
            self.bucket = Bucket(self.address, re.sub(r"[^a-z0-9]", "-", work.name.lower()))
            self.bucket.make()
        except BaseException:
            self.stop()
            raise

    def stop(self):
        """Leaves nothing: neither our own servers, nor our bucket in somebody's."""
        if self.own:
            run([str(SERVERS / "stop"), str(self.home)], timeout=120, check=False)
        else:
            self.bucket.remove()


def installed(program):
    return any(os.access(Path(folder) / program, os.X_OK)
               for folder in [*os.get_exec_path(), "/usr/sbin"])


@dataclass
class Traffic:
    """What one contestant asked of the store in one row."""

    requests: int = 0
    # Bytes of the bodies, there and back.
    sent: int = 0
    received: int = 0
    # How many of each kind, in words.
    kinds: Counter = field(default_factory=Counter)

    @property
    def beside_log(self):
        """Requests but those about the change log, which are few and depend on the time too."""
        return self.requests - sum(number for kind, number in self.kinds.items()
                                   if kind.endswith((" .docfs/log", " .docfs/floor.json")))


class Proxy:
    """One contestant's way to the store in a round that is counted, or delayed."""

    def __init__(self, home, target):
        home.mkdir()
        self.home = home
        self.daemon = Daemon([str(SERVERS / "proxy"), target, str(home)], home / "words",
                             dict(os.environ), (descriptor_limits()[1],) * 2)
        self.end = time.monotonic() + 20
        while not (home / "address").exists():
            if not self.daemon.alive or time.monotonic() > self.end:
                raise Failure(f"the proxy does not start: {self.daemon.last_words()}")
            time.sleep(0.01)
        self.address = (home / "address").read_text().strip()

    def delay(self, milliseconds):
        """Lets each request wait from now on."""
        rules = self.home / "rules.new"
        rules.write_text(f"slow {milliseconds}\n" if milliseconds else "")
        rules.rename(self.home / "rules")
        # It looks every 20 ms.
        time.sleep(0.1)

    def mark(self):
        return (self.home / "log").stat().st_size

    def since(self, mark):
        """What went through it since the mark."""
        # An answer is there a moment before the line about it.
        time.sleep(0.1)
        traffic = Traffic()
        with open(self.home / "log") as log:
            log.seek(mark)
            for line in log:
                method, path, status, sent, received = line.split()
                traffic.requests += 1
                traffic.sent += int(sent)
                traffic.received += int(received)
                traffic.kinds[kind(method, path, status)] += 1
        return traffic

    def stop(self):
        self.daemon.stop()


def kind(method, path, status):
    """A request in words that are alike for all of its kind."""
    path, _, query = path.partition("?")
    if re.search(r"(^|&)(list-type|delimiter|prefix|marker)=", query):
        method = "LIST"
    elif re.search(r"(^|&)upload", query):
        method += " part of"
    inside = re.search(r"/\.docfs/([^/]+)", path)
    what = f".docfs/{inside[1]}" if inside else "document"
    # A refused condition and what is not there say most about why.
    return f"{method}{f' ({status})' if status >= '300' else ''} {what}"
