#!/usr/bin/python3 -IS
"""What the stories need beyond the shell: one verb per question.

Every verb prints its answer and exits 0, or says on standard error what was wrong and exits 1.
Failures of system calls are told in the words of strerror(3), as the shell's tools tell them.
"""

import ctypes
import fcntl
import hashlib
import json
import mmap
import os
import pty
import random
import select
import signal
import sqlite3
import stat
import struct
import sys
import termios
import time

# Seconds after which nothing more is waited for, as in lib.sh.
PATIENCE = 120


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(1)


# What a tree holds


def digest(path):
    """SHA-256 of a document's bytes."""
    sha = hashlib.sha256()
    with open(path, "rb", buffering=0) as document:
        while piece := document.read(1 << 20):
            sha.update(piece)
    return sha.hexdigest()


def attributes(path):
    """The user's own attributes; ours stay beside the documents of a container."""
    names = sorted(n for n in os.listxattr(path, follow_symlinks=False)
                   if n.startswith("user.") and not n.startswith("user.docfs."))
    return {n: os.getxattr(path, n, follow_symlinks=False).hex() for n in names}


def describe(path, names_only):
    """One item in one line: kind, mode, time, size, attributes, then bytes or target."""
    status = os.lstat(path)
    kind = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}.get(
        stat.S_IFMT(status.st_mode), "special")
    mode = "-" if kind == "link" else f"{stat.S_IMODE(status.st_mode):04o}"
    words = [kind, mode, f"{status.st_mtime_ns}"]
    if kind == "file":
        words.append(f"{status.st_size}")
        if not names_only:
            words.append(digest(path))
    elif kind == "link":
        words.append(repr(os.readlink(path)))
    if not names_only and kind != "link":
        words += [f"{name}={value}" for name, value in attributes(path).items()]
    return " ".join(words)


def manifest(top, *options):
    """manifest DIR [--listing] [--readable]: the whole tree, a line an item, but for DIR/.docfs.

    `--listing` reads no document: kinds, modes, times, sizes, link targets.
    `--readable` leaves out what the caller may not read.
    """
    names_only = "--listing" in options
    readable = "--readable" in options
    top = os.fsencode(top)

    def walk(directory):
        for name in sorted(os.listdir(directory)):
            path = os.path.join(directory, name)
            if path == os.path.join(top, b".docfs"):
                continue
            is_link = os.path.islink(path)
            is_directory = not is_link and os.path.isdir(path)
            if readable and not is_link:
                if not os.access(path, os.R_OK | (os.X_OK if is_directory else 0)):
                    continue
            print(describe(path, names_only), repr(path[len(top) + 1:])[1:])
            if is_directory:
                walk(path)

    walk(top)


def inodes(top):
    """inodes DIR: every path with its number; readdir and stat must agree."""
    def walk(directory):
        with os.scandir(directory) as listing:
            found = sorted((entry.name, entry.inode()) for entry in listing)
        for name, number in found:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            if status.st_ino != number:
                fail(f"{path!r}: readdir says {number}, stat says {status.st_ino}")
            print(number, repr(path))
            if stat.S_ISDIR(status.st_mode):
                walk(path)

    walk(os.fsencode(top))


# What mounts and catalogs say


def documents(mounts):
    for mount in mounts:
        with open(os.path.join(mount, ".docfs/status.json"), "rb") as status:
            yield mount, json.loads(status.read())


def field(mount, name, scope="Cloud"):
    """field MOUNT NAME [SCOPE]: one field of a scope's status: text as it is, nothing for null."""
    for _, status in documents([mount]):
        for found in status["scopes"]:
            if found["name"] == scope:
                value = found[name]
                print(value if isinstance(value, str) else json.dumps(value).replace("null", ""))
                return
    fail(f"{mount}: no scope {scope} in status.json")


def rows(state, *tables):
    """rows STATE TABLE…: how many rows each table of a device's catalog has; nothing for none."""
    catalog = sqlite3.connect(f"file:{state}/catalog.sqlite?mode=ro", uri=True)
    for table in tables:
        count = catalog.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        if count:
            print(f"{state}: {table} {count}")


# System calls that no tool makes in just this way


def rename(old, new, how="plain"):
    """rename OLD NEW [plain|noreplace|exchange]: renameat2(2), once, and nothing else."""
    flags = {"plain": 0, "noreplace": 1, "exchange": 2}[how]
    libc = ctypes.CDLL(None, use_errno=True)
    at_cwd = -100
    if libc.renameat2(at_cwd, os.fsencode(old), at_cwd, os.fsencode(new), flags) != 0:
        fail(os.strerror(ctypes.get_errno()))


def append_synced(path):
    """append-synced PATH: appends each line that comes in, with fsync(2), in one long open."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for line in sys.stdin.buffer:
        os.write(descriptor, line)
        os.fsync(descriptor)
    os.close(descriptor)


def read(path, offset, length):
    """read PATH OFFSET LENGTH: one pread(2), its bytes to standard output."""
    descriptor = os.open(path, os.O_RDONLY)
    sys.stdout.buffer.write(os.pread(descriptor, int(length), int(offset)))


def write(path, offset, text):
    """write PATH OFFSET TEXT: one pwrite(2) into what is there."""
    descriptor = os.open(path, os.O_WRONLY)
    os.pwrite(descriptor, text.encode(), int(offset))
    os.close(descriptor)


def mapped(path):
    """mapped PATH: the digest of a document that is read through a shared mapping."""
    with open(path, "rb") as document:
        with mmap.mmap(document.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ) as memory:
            print(hashlib.sha256(memory).hexdigest())


def map_write(path, text):
    """map-write PATH TEXT: overwrites the beginning through a shared mapping."""
    with open(path, "r+b") as document:
        with mmap.mmap(document.fileno(), 0) as memory:
            memory[: len(text)] = text.encode()
            memory.flush()


def hands():
    """hands: does what each line says, with files held open under short names, and answers a line.

    open NAME PATH r|rw|w|a, close NAME, read NAME OFFSET LENGTH, write NAME OFFSET TEXT,
    append NAME TEXT, sync NAME, size NAME, time NAME, map NAME MAPPING r|rw, peek MAPPING OFFSET
    LENGTH, poke MAPPING OFFSET TEXT, unmap MAPPING. A failure is answered as `error: …`.
    """
    flags = {"r": os.O_RDONLY, "rw": os.O_RDWR, "w": os.O_WRONLY, "a": os.O_WRONLY | os.O_APPEND}
    files, maps = {}, {}

    # Not the module mmap, which keeps a handle of its own: a mapping outlives all handles here.
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]

    def map_file(name, mapping, how):
        length = os.fstat(files[name]).st_size
        protection = mmap.PROT_READ | (mmap.PROT_WRITE if how == "rw" else 0)
        at = libc.mmap(None, length, protection, mmap.MAP_SHARED, files[name], 0)
        if at == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        maps[mapping] = (at, length)

    def poke(mapping, offset, text):
        ctypes.memmove(maps[mapping][0] + int(offset), text.encode(), len(text))

    def unmap(mapping):
        at, length = maps.pop(mapping)
        libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(length))

    verbs = {
        "open": lambda name, path, how: files.__setitem__(name, os.open(path, flags[how])),
        "close": lambda name: os.close(files.pop(name)),
        "read": lambda name, at, length: os.pread(files[name], int(length), int(at)).decode(),
        "write": lambda name, at, text: os.pwrite(files[name], text.encode(), int(at)),
        "append": lambda name, text: os.write(files[name], text.encode()),
        "sync": lambda name: os.fsync(files[name]),
        "size": lambda name: os.fstat(files[name]).st_size,
        "time": lambda name: os.fstat(files[name]).st_mtime_ns,
        "map": map_file,
        "peek": lambda mapping, at, length: ctypes.string_at(
            maps[mapping][0] + int(at), int(length)).decode(),
        "poke": poke,
        "unmap": unmap,
    }
    for line in sys.stdin:
        verb, *words = line.split()
        try:
            answer = verbs[verb](*words)
            print("done" if answer is None else answer, flush=True)
        except (OSError, ValueError) as error:
            print(f"error: {error}", flush=True)


def together(count, work):
    """Calls `work` with 0, 1, … in as many processes at once; each must return."""
    workers = []
    for number in range(count):
        worker = os.fork()
        if worker == 0:
            try:
                work(number)
            except OSError as error:
                print(f"{error}", file=sys.stderr)
                os._exit(1)
            except SystemExit:
                os._exit(1)
            os._exit(0)
        workers.append(worker)
    if any([os.waitpid(worker, 0)[1] for worker in workers]):
        fail("a call failed")


def mixed_opens(seconds, *paths):
    """mixed-opens SECONDS PATH…: many processes open, read, write, map and close the same files.

    No call may fail, no read may show what was never written, and every mapping shows what a read
    of the same place shows at the end.
    """
    end = time.monotonic() + float(seconds)
    for path in paths:
        with open(path, "wb") as document:
            document.write(b"-" * 8192)

    def work(seed):
        chance = random.Random(seed)
        mark = b"abcdefghijklmnop"[seed:seed + 1]
        allowed = set(b"-abcdefghijklmnop")
        while time.monotonic() < end:
            path = chance.choice(paths)
            how = chance.choice([os.O_RDONLY, os.O_RDONLY, os.O_RDWR, os.O_WRONLY,
                                 os.O_WRONLY | os.O_APPEND])
            descriptor = os.open(path, how)
            try:
                at = chance.randrange(4096)
                if how == os.O_RDONLY or how == os.O_RDWR:
                    seen = os.pread(descriptor, 64, at)
                    if len(seen) != 64 or not set(seen) <= allowed:
                        fail(f"{path}: read {seen!r}")
                if how in (os.O_RDWR, os.O_WRONLY):
                    os.pwrite(descriptor, mark * 64, at)
                if how & os.O_APPEND and os.fstat(descriptor).st_size < 65536:
                    os.write(descriptor, mark * 16)
                if how in (os.O_RDONLY, os.O_RDWR) and chance.random() < 0.5:
                    prot = mmap.PROT_READ | (mmap.PROT_WRITE if how == os.O_RDWR else 0)
                    with mmap.mmap(descriptor, 4096, mmap.MAP_SHARED, prot) as mapping:
                        if not set(mapping[at % 4000:at % 4000 + 64]) <= allowed:
                            fail(f"{path}: a mapping shows what nobody wrote")
                        if how == os.O_RDWR:
                            mapping[at % 4000:at % 4000 + 32] = mark * 32
                if chance.random() < 0.05:
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)

    together(8, work)
    for path in paths:
        with open(path, "rb") as document:
            bytes_read = document.read()
            with mmap.mmap(document.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ) as mapping:
                if mapping[:] != bytes_read:
                    fail(f"{path}: a mapping and a read differ")


def replaced_while_read(directory, seconds):
    """replaced-while-read DIR SECONDS: processes replace three documents while others read them.

    Who reads gets the old document or the new one, whole, and never an error.
    """
    end = time.monotonic() + float(seconds)
    size = 6000

    def path(chance):
        return os.path.join(directory, f"document {chance.randrange(3)}")

    def save(number, chance, target=None):
        temporary = os.path.join(directory, f"of {number}")
        with open(temporary, "wb", buffering=0) as document:
            document.write(chance.choice([b"a", b"b", b"c"]) * size)
        os.rename(temporary, target or path(chance))

    def work(number):
        chance = random.Random(number)
        while time.monotonic() < end:
            if number % 2 == 0:
                save(number, chance)
                continue
            with open(path(chance), "rb", buffering=0) as document:
                seen = document.read(size + 1)
            if len(seen) != size or len(set(seen)) != 1:
                fail(f"a reader saw {len(seen)} bytes, {len(set(seen))} of them different")

    for name in range(3):
        save("all", random, os.path.join(directory, f"document {name}"))
    together(6, work)


def times(path, until):
    """Prints each time of modification that PATH shows, asked as often as it goes and past the
    kernel's memory, until the file UNTIL is there."""
    libc = ctypes.CDLL(None, use_errno=True)
    at_fdcwd, force_sync, mtime, answer = -100, 0x2000, 0x40, ctypes.create_string_buffer(256)
    seen = set()
    while True:
        ended = os.path.exists(until)
        for _ in range(1 if ended else 100):
            if libc.statx(at_fdcwd, path.encode(), force_sync, mtime, answer) != 0:
                fail("statx: " + os.strerror(ctypes.get_errno()))
            seconds, nanoseconds = struct.unpack_from("<qI", answer, 112)
            if (seconds, nanoseconds) not in seen:
                seen.add((seconds, nanoseconds))
                print(f"{seconds}.{nanoseconds:09}", flush=True)
        if ended:
            return


def lock(path):
    """lock PATH: takes byte-range and whole-file locks, and sees them refused to another."""
    with open(path, "r+b") as mine, open(path, "r+b") as other:
        fcntl.lockf(mine, fcntl.LOCK_EX, 10)
        child = os.fork()
        if child == 0:
            try:
                fcntl.lockf(other, fcntl.LOCK_EX | fcntl.LOCK_NB, 10)
            except OSError:
                os._exit(0)
            os._exit(1)
        if os.waitpid(child, 0)[1] != 0:
            fail("two processes hold one byte-range lock")
        fcntl.flock(mine, fcntl.LOCK_EX)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        fail("two handles hold one flock")


def holes(path):
    """holes PATH: punches, allocates and seeks as on ext4."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    keep_size, punch = 1, 2
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    os.pwrite(descriptor, b"x" * (256 << 10), 0)
    if libc.fallocate(descriptor, keep_size | punch, 64 << 10, 64 << 10) != 0:
        fail("fallocate: " + os.strerror(ctypes.get_errno()))
    if os.pread(descriptor, 64 << 10, 64 << 10) != bytes(64 << 10):
        fail("a punched hole does not read as zeros")
    if os.lseek(descriptor, 0, os.SEEK_HOLE) != 64 << 10:
        fail("SEEK_HOLE does not find the hole")
    if os.lseek(descriptor, 64 << 10, os.SEEK_DATA) != 128 << 10:
        fail("SEEK_DATA does not find the data")
    if libc.fallocate(descriptor, 0, 0, 512 << 10) != 0:
        fail("fallocate: " + os.strerror(ctypes.get_errno()))
    if os.fstat(descriptor).st_size != 512 << 10:
        fail("fallocate did not extend the document")


def names(path):
    """names DIR: makes the names that are hard to keep, each holding its own bytes."""
    top = os.fsencode(path)
    hard = [
        b"n" * 255, "é".encode() * 127, b"invalid \xff\xfe utf-8", b"line\nbreak", b"tab\tand\\back",
        "caf\u00e9".encode(), "cafe\u0301".encode(), b"-rf", b" ", b" leading", b"trailing ",
        b"trailing.", b"quote'\"`$(touch no)", b"*?[a]", b"CON", b"%2F", b"%", b"con:aux|<>",
        "\U0001F4C4".encode(), b"\x01\x7f", b"a" * 251 + b".txt", b".hidden", b"...", b"~home", b"#",
    ]
    for name in hard:
        with open(os.path.join(top, name), "wb") as document:
            document.write(name)
        os.mkdir(os.path.join(top, b"in"), 0o755) if name == hard[0] else None
    for name in hard:
        with open(os.path.join(top, b"in", name), "wb") as document:
            document.write(name)
    print(len(hard))


def check_names(path):
    """check-names DIR: what `names` made is all there, under its own name, with its own bytes."""
    count = 0
    for directory in (os.fsencode(path), os.path.join(os.fsencode(path), b"in")):
        for name in os.listdir(directory):
            inner = os.path.join(directory, name)
            if os.path.isdir(inner):
                continue
            with open(inner, "rb") as document:
                if document.read() != name:
                    fail(f"{inner!r} holds another name's bytes")
            count += 1
    print(count)


# People and their programs


def keys(text):
    """`\\x18`-style escapes and carets (`^X`) of one chunk of typing."""
    out = text.encode().decode("unicode_escape").encode("latin-1")
    for letter in range(64, 96):
        out = out.replace(b"^" + bytes([letter]), bytes([letter & 0x1F]))
    return out


def typing(chunks, *command):
    """typing CHUNK|CHUNK… COMMAND…: runs a program on a terminal and types when it is quiet.

    `%FILE` as a chunk waits until FILE exists, `!FILE` creates it: a story's other half; `?WORDS` waits
    until they are on the screen. What the terminal showed is left in the file that $SCREEN names. The
    program ends with the status $ENDS, or 0.
    """
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", LINES="24", COLUMNS="80")
        os.execvp(command[0], list(command))
    fcntl.ioctl(terminal, 0x5414, struct.pack("HHHH", 24, 80, 0, 0))
    deadline = time.monotonic() + PATIENCE
    screen = b""

    def until_quiet(first, quiet):
        nonlocal screen
        patience = first
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], patience)[0]:
                return True
            try:
                screen += os.read(terminal, 65536)
            except OSError:
                return False
            patience = quiet
        return False

    def reads_keys():
        """Whether the program has made the terminal its own: what was typed before may be lost."""
        return not termios.tcgetattr(terminal)[3] & termios.ICANON

    running = True
    if chunks[:1] != "?":
        running = until_quiet(3, 0.4)
        while running and chunks and not reads_keys():
            running = until_quiet(0.1, 0.4) and time.monotonic() < deadline
    for chunk in chunks.split("|"):
        if chunk.startswith("?"):
            # What draws without a pause is never quiet.
            while running and chunk[1:].encode() not in screen and time.monotonic() < deadline:
                if select.select([terminal], [], [], 0.1)[0]:
                    try:
                        screen += os.read(terminal, 65536)
                    except OSError:
                        running = False
        elif chunk.startswith("%"):
            while not os.path.exists(chunk[1:]) and time.monotonic() < deadline:
                time.sleep(0.02)
        elif chunk.startswith("!"):
            open(chunk[1:], "w").close()
        elif running:
            os.write(terminal, keys(chunk))
            running = until_quiet(20, 0.2)
    while running and time.monotonic() < deadline:
        running = until_quiet(0.2, 0.2)
    if time.monotonic() >= deadline:
        os.kill(child, signal.SIGKILL)
        fail(f"{command[0]} did not end; its screen: {screen[-2000:]!r}")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if "SCREEN" in os.environ:
        with open(os.environ["SCREEN"], "wb") as out:
            out.write(screen)
    if code != int(os.environ.get("ENDS", "0")):
        fail(f"{command[0]} ended with {code}; its screen: {screen[-2000:]!r}")


def controls(path):
    """controls FILE: nothing in it acts on a terminal but line feeds and tabs.

    A terminal's own line ends, and the line of progress that docfs draws and takes away, are let
    through.
    """
    with open(path, "rb") as said:
        text = said.read().replace(b"\r\n", b"\n").replace(b"\r\x1b[K", b"")
    for number, line in enumerate(text.split(b"\n"), 1):
        for character in line.decode(errors="surrogateescape"):
            code = ord(character)
            if (code < 0x20 and character != "\t" or 0x7F <= code < 0xA0
                    or 0x2028 <= code <= 0x202E or 0x2066 <= code <= 0x2069
                    or 0xDC80 <= code < 0xDCA0):
                fail(f"U+{code:04X} in line {number} of {path}: {line!r}")


def stale_save(path, seen, go):
    """stale-save PATH SEEN GO: one process loads, creates SEEN, waits for GO, saves its buffer."""
    with open(path, "rb") as document:
        buffer = document.read()
    open(seen, "w").close()
    deadline = time.monotonic() + PATIENCE
    while not os.path.exists(go):
        if time.monotonic() > deadline:
            fail(f"nobody made {go}")
        time.sleep(0.02)
    with open(path, "wb") as document:
        document.write(buffer + b"saved from an old buffer\n")
        os.fsync(document.fileno())


def keeper(path, name, how, orders):
    """keeper PATH NAME HOW ORDERS: a program that goes on, and saves whenever ORDERS.1, ORDERS.2… exists,
    until ORDERS.end does.

    It adds a line to what it reads at that moment (rename, truncate, lock), to what it read at the start
    (dump, swap: in place, by a rename), or to that after a copy of what is there for a backup (backup in
    place, renewed by a rename, remade under the free name).
    """
    with open(path, "rb") as document:
        memory = document.read()
    open(f"{orders}.0.done", "w").close()
    number = 0
    deadline = time.monotonic() + 4 * PATIENCE
    while not os.path.exists(f"{orders}.end"):
        if not os.path.exists(f"{orders}.{number + 1}"):
            if time.monotonic() > deadline:
                fail("nobody ended it")
            time.sleep(0.02)
            continue
        number += 1
        line = f"{name} {number}\n".encode()
        if how == "lock":
            with open(path, "r+b") as document:
                fcntl.flock(document, fcntl.LOCK_EX)
                whole = document.read() + line
                document.seek(0)
                document.write(whole)
                document.truncate()
        else:
            if how not in ("dump", "swap"):
                with open(path, "rb") as document:
                    found = document.read()
            if how in ("backup", "renewed", "remade"):
                with open(path + "~", "wb") as backup:
                    backup.write(found)
            if how == "remade":
                os.unlink(path)
            memory = (found if how in ("rename", "truncate") else memory) + line
            target = path + ".new" if how in ("rename", "swap", "renewed") else path
            with open(target, "wb") as document:
                document.write(memory)
            if target != path:
                os.rename(target, path)
        open(f"{orders}.{number}.done", "w").close()


def events(path):
    """events PATH: what a reader gets that sleeps in poll(2) until there is something, and ever on."""
    descriptor = os.open(path, os.O_RDONLY)
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    while poller.poll():
        sys.stdout.buffer.write(os.read(descriptor, 65536))
        sys.stdout.flush()


def client(directory, number, rounds):
    """One program's calls on names and on what is here; its slowest: seconds and name."""
    own = os.path.join(directory, f"of {number}")
    slowest = (0, "nothing")

    def timed(name, call, *arguments):
        nonlocal slowest
        begun = time.monotonic()
        answer = call(*arguments)
        slowest = max(slowest, (time.monotonic() - begun, name))
        return answer

    timed("mkdir", os.mkdir, own)
    for turn in range(rounds):
        path = os.path.join(own, f"document {turn}")
        descriptor = timed("create", os.open, path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644)
        timed("write", os.write, descriptor, b"text" * 1000)
        timed("close", os.close, descriptor)
        timed("stat", os.stat, path)
        timed("rename", os.rename, path, path + " renamed")
        timed("list", os.listdir, own)
        timed("list all", os.listdir, directory)
        descriptor = timed("open", os.open, path + " renamed", os.O_RDONLY)
        if timed("read", os.read, descriptor, 10000) != b"text" * 1000:
            fail(f"{path} does not hold what was written")
        os.close(descriptor)
        timed("unlink", os.unlink, path + " renamed")
    timed("rmdir", os.rmdir, own)
    return slowest


def clients(directory, count, rounds):
    """clients DIR COUNT ROUNDS: so many processes at once; the slowest call of all of them."""
    pipes = []
    for number in range(int(count)):
        receive, send = os.pipe()
        if os.fork() == 0:
            try:
                seconds, name = client(directory, number, int(rounds))
                os.write(send, f"{int(seconds * 1000):09} ms, {name}".encode())
            finally:
                os._exit(0)
        os.close(send)
        pipes.append(receive)
    told = [os.read(receive, 200).decode() for receive in pipes]
    if "" in told:
        fail("a client has failed")
    print(max(told).lstrip("0"))


def watch(path):
    """watch PATH: prints each time at which the document's size or time changed, until killed."""
    last = None
    while True:
        try:
            status = os.stat(path)
            now = (status.st_size, status.st_mtime_ns)
        except FileNotFoundError:
            now = None
        if now != last:
            print(time.time(), now, flush=True)
            last = now
        time.sleep(0.005)


def hoard(kind, directory):
    """hoard instances|watches DIR: has all of them that inotify(7) gives this user, and takes what
    others give back, until killed. DIR/KIND appears when it has."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/proc/sys/fs/inotify/max_user_{kind}", encoding="ascii") as limit:
        count = int(limit.read())
    instances = []

    def instance():
        number = libc.inotify_init1(os.O_CLOEXEC)
        if number >= 0:
            instances.append(number)
        return number >= 0

    # Each watch of one instance is of a directory of its own; instances are left for others.
    names = []
    for number in range(count // 90 + 1 if kind == "watches" else 0):
        names.append(os.fsencode(f"{directory}/{number}"))
        os.mkdir(names[-1])
    last = 0

    def watch():
        nonlocal last
        # Another story of this user may have all of them for a while.
        while last % len(names) == 0 and not instance():
            time.sleep(0.05)
        last += 1
        got = libc.inotify_add_watch(instances[-1], names[last % len(names)], 0x100)
        last -= got < 0
        return got >= 0

    while True:
        while instance() if kind == "instances" else watch():
            pass
        with open(f"{directory}/{kind}", "w", encoding="ascii"):
            pass
        time.sleep(0.05)


VERBS = [manifest, inodes, field, rows, rename, append_synced, read, write, mapped, map_write, hands,
         mixed_opens, replaced_while_read, times, lock, holes, names, check_names, typing, stale_save, keeper,
         events, clients, watch, hoard, controls]


def main():
    verbs = {verb.__name__.replace("_", "-"): verb for verb in VERBS}
    if len(sys.argv) < 2 or sys.argv[1] not in verbs:
        fail("usage: probe.py VERB ARGUMENT…\nverbs: " + " ".join(verbs))
    try:
        verbs[sys.argv[1]](*sys.argv[2:])
    except OSError as error:
        fail(f"{error.filename or ''}: {error.strerror}")
    except BrokenPipeError:
        pass


if __name__ == "__main__":
    main()
