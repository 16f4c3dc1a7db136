"""What an actor can do: one method a verb, whose words are the step's.

A verb answers a short text that is the same wherever it is done on a correct filesystem, or throws
OSError, of which the errno's name is the outcome.
"""

import os
import signal

from kernel import errno_name
from verbs_files import FileVerbs
from verbs_kernel import KernelVerbs
from verbs_locks import LockVerbs
from verbs_names import NameVerbs
from verbs_streams import StreamVerbs


class Verbs(NameVerbs, FileVerbs, KernelVerbs, LockVerbs, StreamVerbs):
    """All verbs, over the state of one actor: open files, mappings, streams, by name."""

    def __init__(self, users, groups):
        self.users = users
        self.groups = groups
        self.user_numbers = {name: number for number, name in users.items()}
        self.group_numbers = {name: number for number, name in groups.items()}
        self.signals = 0
        self.forget()
        signal.signal(signal.SIGIO, self.count_signal)

    def do_begin(self, directory):
        """Every case finds its actors like new, in its directory."""
        self.signals = 0
        os.umask(0o022)
        os.chdir(directory)

    def do_end(self):
        """Lets go of all that is open; refuses where that is not all."""
        if hasattr(self, "is_limited"):
            return "not like new"
        os.chdir("/")
        for one in list(self.maps.values()) + list(self.sockets.values()):
            one.close()
        for stream in self.streams.values():
            stream.close()
        for watches in self.watches.values():
            os.close(watches.descriptor)
        for descriptor in list(self.files.values()) + self.many:
            os.close(descriptor)
        if self.program:
            self.program.communicate()
        while self.mounts:
            self.do_unbind()
        self.forget()

    def forget(self):
        self.files = {}
        self.maps = {}
        self.sockets = {}
        self.streams = {}
        self.watches = {}
        self.handles = {}
        self.mounts = []
        self.many = []
        self.program = None

    def count_signal(self, number, frame):
        self.signals += 1

    def do(self, words):
        """The outcome of one step."""
        try:
            answer = getattr(self, "do_" + words[0])(*words[1:])
            return "ok" if answer is None else f"ok {answer}"
        except OSError as error:
            return errno_name(error)
        except (KeyError, AttributeError, TypeError, ValueError) as error:
            # A case that opened nothing goes on to tell what else is different.
            return f"no: {type(error).__name__} {error}"
