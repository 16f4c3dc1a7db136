"""Who acts in a case: processes with an identity and open files of their own.

`me` is the case's role, `also` another process of the same identity; `root`, `user`, `mate` (of
the user's group) and `other` are who they are called. All start in the case's directory.
"""

import json
import os
import select
import signal
import time

import kernel
from verbs import Verbs

TEAM = 61010
IDENTITIES = {
    "root": (0, 0, []),
    "user": (61001, 61001, [TEAM]),
    "other": (61002, 61002, []),
    "mate": (61003, 61001, []),
}
USERS = {uid: name for name, (uid, _, _) in IDENTITIES.items()}
GROUPS = {0: "root", 61001: "user", 61002: "other", TEAM: "team"}
# Seconds that an actor may stand still in a step before it counts as hung.
PATIENCE = 60
# Seconds for a step of many calls.
LONGEST = 600


class Actor:
    """One process; `ask` sends it a step and `answer` fetches the outcome."""

    def __init__(self, identity):
        commands, self.commands = os.pipe()
        self.outcomes, outcomes = os.pipe()
        self.rest = b""
        self.early = None
        # Steps whose outcome nobody has fetched.
        self.unanswered = 0
        self.process = os.fork()
        if self.process == 0:
            try:
                os.close(self.commands)
                os.close(self.outcomes)
                become(identity)
                kernel.die_with_parent()
                obey(commands, outcomes)
            finally:
                os._exit(1)
        os.close(commands)
        os.close(outcomes)

    def ask(self, words):
        self.unanswered += 1
        try:
            os.write(self.commands, json.dumps(words).encode() + b"\n")
        except BrokenPipeError:
            pass

    def outcome(self):
        """The outcome of the step under way; None when the actor stands still in it.

        A step of many calls takes as long as a busy machine needs for them.
        """
        for _ in range(LONGEST // PATIENCE):
            before = self.switches()
            outcome = self.answer(PATIENCE)
            if outcome is not None or self.switches() == before:
                return outcome
        return None

    def switches(self):
        """How often it has given up the processor: this stands still while a call does not return."""
        with open(f"/proc/{self.process}/status", encoding="utf-8") as status:
            return [line for line in status if "ctxt_switches" in line]

    def answer(self, seconds):
        """The outcome of the step under way; None while there is none."""
        if self.early is not None:
            early, self.early = self.early, None
            return early
        until = time.monotonic() + seconds
        while b"\n" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.outcomes], [], [], left)[0]:
                return None
            piece = os.read(self.outcomes, 65536)
            if not piece:
                return "died"
            self.rest += piece
        self.unanswered -= 1
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def settle(self):
        """Returns when the step under way has an outcome, or waits for a lease to be given back."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            self.early = self.answer(0.01)
            if self.early is not None:
                break
            with open(f"/proc/{self.process}/wchan") as sleeping:
                if "break_lease" in sleeping.read():
                    break
        return "ok"

    def kill(self):
        """Ends the process at once; false when it cannot be ended."""
        os.close(self.commands)
        os.close(self.outcomes)
        os.kill(self.process, signal.SIGKILL)
        for _ in range(PATIENCE * 200):
            if os.waitpid(self.process, os.WNOHANG)[0]:
                return True
            time.sleep(0.005)
        return False


def become(name):
    user, group, others = IDENTITIES[name]
    os.setgroups([group] + others)
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)


def obey(commands, outcomes):
    """The life of an actor's process."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    os.umask(0o022)
    verbs = Verbs(USERS, GROUPS)
    with os.fdopen(commands, "rb") as lines:
        for line in lines:
            os.write(outcomes, json.dumps(verbs.do(json.loads(line))).encode() + b"\n")


class Cast:
    """The actors of one case, made when they are first called.

    Those that end a case in order wait for the next one of this process: making them costs more
    than all they do.
    """

    idle_by_process = {}

    def __init__(self, role, directory):
        self.idle = self.idle_by_process.setdefault(os.getpid(), {})
        self.role = role
        self.directory = directory
        self.actors = {}
        self.hangs = False

    def actor(self, name):
        if name not in self.actors:
            identity = name.rstrip("23456789")
            identity = self.role if identity in ("me", "also") else identity
            waiting = self.idle.setdefault(identity, [])
            actor = waiting.pop() if waiting else Actor(identity)
            self.actors[name] = actor
            actor.identity = identity
            actor.ask(["begin", self.directory])
            if (outcome := actor.outcome()) != "ok":
                raise RuntimeError(f"{identity} cannot begin: {outcome}")
        return self.actors[name]

    def play(self, name, goes_on, words):
        """One step's outcome in words."""
        actor = self.actor(name)
        if words == ["killed"]:
            return "killed" if self.actors.pop(name).kill() else "cannot be killed"
        if words == ["waits"]:
            actor.early = actor.answer(0.2)
            return "waits" if actor.early is None else "does not wait"
        if words == ["settled"]:
            return actor.settle()
        if words != ["done"]:
            actor.ask(words)
        if goes_on:
            return "under way"
        if (outcome := actor.outcome()) is None:
            self.hangs = True
            return "HUNG"
        return outcome

    def end(self):
        """Has all let go of everything; whether that could be done."""
        return all([self.dismiss(actor) for actor in self.actors.values()])

    def dismiss(self, actor):
        if not actor.unanswered and actor.early is None:
            actor.ask(["end"])
            if actor.outcome() == "ok":
                self.idle[actor.identity].append(actor)
                return True
        return actor.kill()
