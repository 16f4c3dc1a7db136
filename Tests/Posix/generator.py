"""Random steps in the language of the cases, from a seed."""

import random

# What is made, and how often: templates over names, files, sizes and modes. A rare call beside a
# frequent one finds more than all alike: names must be made before anything can happen to them.
COMMON = {
    "put P T": 8, "open F P rw,creat M": 8, "mkdir P M": 7, "rename P P": 10, "unlink P": 6,
    "rmdir P": 4, "write F T": 8, "pwrite F O T": 8, "close F": 5, "symlink P P": 3,
    "open F P ro": 3, "open F P rw,trunc": 3, "open F P wo,append": 3,
    "open F P rw,append": 1, "open F P rw,creat,excl": 3,
    "open F P ro,directory": 1, "rename P P noreplace": 3, "rename P P exchange": 3,
    "ftruncate F O": 4, "truncate P O": 4, "chmod P M": 4, "utimens P 100.5 O.25": 3,
    "utimens P now omit": 1, "utimens P omit now": 1, "pread F O 200": 5, "read F 300": 3,
    "lseek F O set": 2, "size F": 2, "stat P": 6, "lstat P": 4, "cat P": 5, "list P": 4,
    "setxattr P user.X V": 2, "removexattr P user.X": 1, "listxattr P": 1, "getxattr P user.X": 1,
    "copy F O F O 3000": 2, "fallocate F - O 500": 1, "fallocate F keep O 500": 1,
    "fallocate F punch,keep O 500": 1, "fallocate F zero O 500": 1, "fsync F": 1, "fstat F": 2,
    "chown P user user": 2, "chown P other other": 1, "chown P - team": 1, "access P rw": 1,
    "make sock P": 2, "append P T": 3, "save P 2": 2, "readlink P": 1,
    "same P F": 1, "fsync_path P": 1, "umask U": 1, "links F": 1, "reopen F F rw": 1,
    "dup F F": 1, "flock F exclusive": 1, "flock F none": 1, "lock F write O 10": 1,
    "lock F none 0 0": 1, "ofd F read O 10": 1, "getlk F write 0 0": 1, "try_lease F read": 1,
    "try_lease F write": 1, "setxattr F user.X V create": 1, "setxattr P user.X V replace": 1,
    "utimens F 7.5 O.25": 1, "chmod F M": 1, "fallocate F zero,keep O 500": 1,
    "posix_fallocate F O 500": 1, "sendfile F F O 3000": 1, "splice F O T": 1,
    "unsplice F O 200": 1, "pwritev2 F O T append": 1, "writev F T T": 1, "script P 7": 1,
    "run ./P": 1, "mmap m F 9000 shared rw": 1, "mmap n F 9000 private rw": 1, "touch_map m O": 2,
    "touch_map n O": 1, "munmap m": 1,
}
# What a cloud scope has not, or not as a disk has (S31).
LOCAL_ONLY = {"link P P": 4, "linkfd F P": 1}
# No set-id bits: which writes take them away is a published difference, held by setid.cases.
MAPPED = {"map_write F O T": 4, "msync m": 1}
# Documents go while they are used.
CLOUD_ONLY = {"root: evict P": 2}
# A mapping of what is passed through is one of the file behind it: a published difference, held by
# locks.cases, which a program that is mapped for writing shows as well.
UNMAPPED_ONLY = {"try_lease F write", "run ./P"}
TOP = ["a", "b", "c", "d"]
# Where paths begin when both scopes are used at once.
BOTH = ["local", "cloud"]
MODES = ["0644", "0600", "0755", "0777", "0444", "0000", "1777", "0311"]
ACTORS = ["me"] * 14 + ["also"] * 3 + ["other"] * 3 + ["root"] * 2
SIZES = [0, 1, 7, 100, 4095, 4096, 4097, 10000, 140000]


class Generator:
    """An endless row of steps; the same for the same seed and scope."""

    def __init__(self, seed, scope):
        self.random = random.Random(seed)
        templates = COMMON | {
            "Local": LOCAL_ONLY | MAPPED,
            "Cloud": MAPPED | CLOUD_ONLY,
            "Both": MAPPED | CLOUD_ONLY,
        }[scope]
        self.tops = [f"{top}/" for top in BOTH] if scope == "Both" else [""]
        self.templates = list(templates)
        self.weights = list(templates.values())
        self.maps = set()

    def path(self):
        depth = self.random.choice([1, 1, 1, 2, 2, 3])
        top = self.random.choice(self.tops)
        return top + "/".join(self.random.choice(TOP) for _ in range(depth))

    def word(self, word):
        draw = self.random
        if word in ("P", "./P"):
            return word.replace("P", self.path())
        if word == "F":
            return f"f{draw.randrange(4)}"
        if word in ("O", "O.25"):
            return word.replace("O", str(draw.choice(SIZES)))
        if word == "T":
            letter = draw.choice("stuvw")
            return f"{letter}*{draw.choice([1, 5, 300, 4096, 5000])}"
        if word == "V":
            return f"{draw.choice('stuvw')}*{draw.choice([1, 20, 300])}"
        if word == "M":
            return draw.choice(MODES)
        if word == "U":
            return draw.choice(["022", "077", "0"])
        return word.replace("X", draw.choice("xyz"))

    def step(self):
        template = self.random.choices(self.templates, self.weights)[0]
        while self.maps and template in UNMAPPED_ONLY:
            template = self.random.choices(self.templates, self.weights)[0]
        words = template.split()
        if words[0] == "mmap":
            self.maps.add(words[1])
        elif words[0] == "munmap":
            self.maps.discard(words[1])
        line = " ".join(self.word(word) for word in words)
        actor = self.random.choice(ACTORS)
        return line if actor == "me" or ": " in template else f"{actor}: {line}"


def make(seed, scope, count):
    generator = Generator(seed, scope)
    return [generator.step() for _ in range(count)]
