"""libfuse's own example filesystems, which no Debian package installs: from the source package."""

import os
import subprocess
from pathlib import Path

from processes import Failure, run


def build(work, quick):
    """Builds what can be built and answers {name: program or the word why not}."""
    built = {}
    try:
        examples = next(fetch(work).glob("fuse3-*/example"))
    except (Failure, OSError, StopIteration) as failure:
        # The development package ships the source of the one that is written in C.
        examples = Path("/usr/share/doc/libfuse3-dev/examples")
        word = f"the source package fuse3 cannot be had ({str(failure) or 'no examples in it'})"
        built["passthrough_hp"] = word
        if not (examples / "passthrough_ll.c").exists():
            return {**built, "passthrough_ll": word}
    flags = ["-O0" if quick else "-O2", "-D_FILE_OFFSET_BITS=64"]
    compilers = {
        "passthrough_ll": ["gcc", *flags, examples / "passthrough_ll.c"],
        "passthrough_hp": ["g++", "-std=c++17", *flags, examples / "passthrough_hp.cc"],
    }
    try:
        fuse = run(["pkg-config", "--cflags", "--libs", "fuse3"]).split()
    except (Failure, OSError):
        return dict.fromkeys(compilers, "needs the packages pkg-config and libfuse3-dev")
    for name, command in compilers.items():
        if name in built:
            continue
        program = work / name
        try:
            run([str(word) for word in [*command, "-o", program, *fuse]], timeout=180)
            built[name] = program
        except (Failure, OSError) as failure:
            built[name] = f"does not compile: {failure}"
    return built


def fetch(work):
    """`apt-get source fuse3` with lists and settings of its own: the system's stay as they are."""
    apt = work / "apt"
    for folder in ("parts", "lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True, exist_ok=True)
    (apt / "parts" / "source.list").write_text(source_lines())
    options = []
    for setting in ("Dir::Etc::SourceList=/dev/null", f"Dir::Etc::SourceParts={apt}/parts",
                    f"Dir::State::Lists={apt}/lists", f"Dir::Cache={apt}/cache",
                    f"APT::Sandbox::User={'root' if os.getuid() == 0 else ''}",
                    "Acquire::http::Timeout=10", "Acquire::Languages=none"):
        options += ["-o", setting]
    run(["apt-get", *options, "-qq", "update"], timeout=40)
    run(["apt-get", *options, "-qq", "--only-source", "source", "fuse3"], timeout=40, cwd=apt)
    return apt


def source_lines():
    """The system's own lines for binary packages of the distribution, as lines for sources."""
    try:
        system = run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT) "
                      "$(CREATED_BY) $(ORIGIN) $(SIGNED_BY)"])
    except OSError:
        raise Failure("no apt-get here") from None
    lines = set()
    for line in system.splitlines():
        address, release, component, kind, origin, *key = line.split()
        if kind == "Packages" and origin in ("Debian", "Ubuntu") and component == "main":
            known = [word for word in key if word.startswith("/")] or existing_keyrings()
            signed = f"[signed-by={known[0]}] " if known else ""
            lines.add(f"deb-src {signed}{address} {release} {component}\n")
    if not lines:
        raise Failure("no Debian sources are configured")
    return "".join(sorted(lines))


def existing_keyrings():
    keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
    return [keyring] if os.path.exists(keyring) else []


def version():
    """Of the library that the examples are linked with."""
    try:
        return subprocess.run(["pkg-config", "--modversion", "fuse3"], capture_output=True,
                              text=True, timeout=10).stdout.strip()
    except OSError:
        return "?"
