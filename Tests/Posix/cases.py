"""Reads the tables of cases.

    A sentence that is the case's name
        each kind: reg | dir        optional: one case for every value, `$kind` in the steps
        mkdir a 0755                a step: a verb and its words
        other: stat a               the same by another actor (see actors.py)

    define NAME: a | b | c          a list, for `each kind: NAME`; may go on with ` | d` below

A word `x*255` is 255 times the letter before the star. A name that ends with `[root]` or `[user]`
is run in that role only, one that ends with `[Local]` in that scope only.

A step `away` parts what a case makes from what it tries: where documents are placeholders (see
placeholders.py), what was made above it is not here any more. Elsewhere it is no step at all.
"""

import itertools
import os
import re


# Steps that make documents, and those that may stand among them, since no process keeps anything.
MAKES = {"put", "blocks", "copy_program", "script", "save"}
PREPARES = MAKES | {"mkdir", "symlink", "chmod", "chown", "utimens", "setxattr"}


class Case:
    """One case: its name, its steps, and the roles and scopes in which it is run."""

    def __init__(self, name, steps, roles=("root", "user"), scopes=("Local", "Cloud")):
        self.name = name
        self.steps = [step for step in steps if step != "away"]
        self.roles = roles
        self.scopes = scopes
        # These find a tree ready and leave it (see worlds.py).
        self.is_read_only = name.startswith("read-only:")
        self.says_away = "away" in steps
        # How many steps make what the others then find away.
        self.made = steps.index("away") if self.says_away else count_made(self.steps)


def count_made(steps):
    """The steps at a case's beginning up to the last that makes a document."""
    made = 0
    for index, step in enumerate(steps):
        _, apart, words = parse_step(step)
        if apart or words[0] not in PREPARES:
            break
        if words[0] in MAKES:
            made = index + 1
    return made


def grow(word):
    """Writes out what a star repeats; two quotes are nothing at all."""
    if word == "''":
        return ""
    return re.sub(r"(.)\*(\d+)", lambda match: match[1] * int(match[2]), word)


def parse_step(line):
    """(actor, whether to go on before it is done, words) of one line."""
    match = re.match(r"([a-z0-9]+)(&?): (.*)", line)
    actor, apart, rest = match.groups() if match else ("me", "", line)
    return actor, apart == "&", [grow(word) for word in rest.split()]


def parse(path):
    """All cases of one file, named after it."""
    group = os.path.basename(path).removesuffix(".cases")
    lists, cases = {}, []
    blocks = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split(" # ")[0].rstrip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("define "):
                blocks.append((line, []))
            elif line[0] != " ":
                blocks.append((line, []))
            elif line.strip()[0] == "|":
                blocks[-1][1][-1:] = [" ".join(blocks[-1][1][-1:] + [line.strip()])]
            else:
                blocks[-1][1].append(line.strip())
    for title, body in blocks:
        if title.startswith("define "):
            name, _, values = title.removeprefix("define ").partition(":")
            lists[name] = split(" ".join([values] + body))
        else:
            cases += expand(group, title, body, lists)
    return cases


def split(values):
    return [value.strip() for value in values.split("|") if value.strip()]


def expand(group, title, body, lists):
    """One case, or one for every combination of the values it is written for."""
    title, *tag = re.split(r" \[(root|user|Local)\]$", title)[:2]
    limits = {"scopes": tag} if tag == ["Local"] else {"roles": tag} if tag else {}
    variables = []
    while body and body[0].startswith("each "):
        name, _, values = body[0].removeprefix("each ").partition(":")
        variables.append((name, lists.get(values.strip()) or split(values)))
        body = body[1:]
    for values in itertools.product(*(values for _, values in variables)):
        def fill(text):
            # Twice, since a value may hold a variable.
            for _ in range(2):
                for (name, _), value in zip(variables, values):
                    text = re.sub(rf"\${name}\b", lambda _: value, text)
            return text
        suffix = f" ({', '.join(values)})" if values else ""
        yield Case(f"{group}: {title}{suffix}", [fill(step) for step in body], **limits)


def load(directory, wanted):
    """The cases of all files, or those whose name holds one of the words wanted."""
    cases = []
    for name in sorted(os.listdir(directory)):
        if name.endswith(".cases"):
            cases += parse(os.path.join(directory, name))
    names = [case.name for case in cases]
    assert len(names) == len(set(names)), sorted(n for n in set(names) if names.count(n) > 1)
    return [c for c in cases if not wanted or any(word in c.name for word in wanted)]
