"""One directory of 100,000 documents: made, listed, sought through, churned and removed."""

import os
import random
import time

import kernel

COUNT = 100000
FILLERS = 4


def name_of(number):
    return f"f{number:06}"


def fill(directory, part):
    """Makes one filler's share."""
    for number in range(part, COUNT, FILLERS):
        path = os.path.join(directory, name_of(number))
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))


def empty(directory, part):
    for number in range(part, COUNT, FILLERS):
        os.unlink(os.path.join(directory, name_of(number)))


def everybody(work, directory):
    """Has several processes do a part each; whether all could."""
    children = []
    for part in range(FILLERS):
        child = os.fork()
        if child == 0:
            try:
                work(directory, part)
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    return all([os.waitpid(child, 0)[1] == 0 for child in children])


def listed(directory, during=lambda number: None):
    """The names of one listing; `during` is called at each entry."""
    stream = kernel.DirectoryStream(directory)
    names = []
    while (entry := stream.next()) and len(names) <= 2 * COUNT:
        names.append(entry[0])
        during(len(names))
    stream.close()
    return names


def is_whole(names):
    """Whether all documents that stay are there, each once."""
    kept = [name for name in names if name.startswith("f")]
    return len(kept) == COUNT and len(set(kept)) == COUNT


def positions_lead_back(directory):
    """Seeks to a thousand positions of a listing in random order."""
    stream = kernel.DirectoryStream(directory)
    seen = list(stream.places())
    draw = random.Random(1)
    for position, wanted in draw.sample(seen, 1000):
        stream.seek(position)
        if stream.next()[0] != wanted:
            return False
    # From the middle on, everything that comes after it and nothing else.
    middle = len(seen) // 2
    stream.seek(seen[middle][0])
    rest = []
    while entry := stream.next():
        rest.append(entry[0])
    stream.close()
    return rest == [name for _, name in seen[middle:]]


def churned(directory):
    """A listing while other names come, go and are renamed."""
    def churn(number):
        if number % 100 == 0:
            path = os.path.join(directory, f"x{number}")
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
            os.rename(path, path + "-renamed")
            if number % 200 == 0:
                os.unlink(path + "-renamed")
    names = listed(directory, churn)
    for name in os.listdir(directory):
        if name.startswith("x"):
            os.unlink(os.path.join(directory, name))
    return is_whole(names)


def run(directory):
    """Does it all; how many steps failed."""
    failures = 0
    os.mkdir(directory)
    for name, step in (
            ("make 100,000 documents", lambda: everybody(fill, directory)),
            ("list them", lambda: is_whole(listed(directory))),
            ("stat each", lambda: sum(entry.stat().st_size == 0 for entry in os.scandir(directory))
             == COUNT),
            ("seek among them", lambda: positions_lead_back(directory)),
            ("list while others come and go", lambda: churned(directory)),
            ("list them again", lambda: len(os.listdir(directory)) == COUNT),
            ("remove them", lambda: everybody(empty, directory) and os.listdir(directory) == [])):
        begun = time.monotonic()
        is_right = step()
        print(f"{'ok    ' if is_right else 'FAILED'}  {name}: {time.monotonic() - begun:.1f} s",
              flush=True)
        failures += not is_right
    os.rmdir(directory)
    return failures
