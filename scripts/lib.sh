# shellcheck shell=bash disable=SC2034
# What the scripts share. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# One build for programs and tests: see Package.swift. Warnings in our own code are errors.
export DOCFS_WARNINGS=${DOCFS_WARNINGS-error}
configuration=(-c release)
swift_minimum=6.2

# What building and mounting need, and what the Swift toolchain itself links with.
build_packages=(
    fuse3 libfuse3-dev libsystemd-dev libsqlite3-dev libcurl4-openssl-dev libssl-dev libexpat1-dev
    libgit2-dev git g++ ca-certificates media-types util-linux libedit2 libncurses6 libxml2-dev
)

say() { printf '%s\n' "$*" >&2; }
die() {
    say "$(basename "$0"): $*"
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "needs root for: $* (there is no sudo: run that as root, then this again)"
    fi
}

# Installs the Debian packages that are missing; does nothing, not even ask, when none is.
need_packages() {
    local package missing=()
    if ! command -v apt-get >/dev/null; then
        say "no apt-get here: taking for granted what these Debian packages hold: $*"
        return 0
    fi
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] \
            || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return 0
    say "installing: ${missing[*]}"
    as_root timeout 300 apt-get update -qq || die "apt-get update failed"
    as_root env DEBIAN_FRONTEND=noninteractive timeout 1200 \
        apt-get install -qq -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null \
        || die "apt-get could not install: ${missing[*]}"
}

# Makes sure of Swift and of the Debian packages given beside those for building.
prepare() {
    local answer version get_it="https://www.swift.org/install/linux/"
    command -v swift >/dev/null || die "there is no swift in PATH.
Install Swift $swift_minimum or newer, $get_it, and try again."
    need_packages "${build_packages[@]}" "$@"
    answer=$(swift --version 2>&1)
    version=$(sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' <<<"$answer" | head -1)
    [ -n "$version" ] || die "swift does not run here: $answer"
    [ "$(printf '%s\n' "$swift_minimum" "$version" | sort -V | head -1)" = "$swift_minimum" ] \
        || die "swift is $version; DocFS needs $swift_minimum or newer: $get_it"
}

# Builds, unless the caller has just done so.
build() { [ -n "${DOCFS_BUILT:-}" ] || (cd "$root" && timeout 3600 swift build "${configuration[@]}" "$@"); }

# Distributions ship /dev/fuse for everyone; some containers make it for root only.
open_dev_fuse() {
    [ -e /dev/fuse ] || return 1
    if [ "$(stat -c %a /dev/fuse)" = 600 ] && [ "$(id -u)" = 0 ]; then chmod 0666 /dev/fuse; fi
    return 0
}

# Whether something is mounted at an absolute path; asks the kernel's list, never the mount.
is_mounted() {
    local escaped=${1//\\/\\134}
    escaped=${escaped// /\\040}
    awk -v point="${escaped//\\/\\\\}" '$5 == point { found = 1 } END { exit !found }' \
        /proc/self/mountinfo
}

# in_posix_work PROGRAM KEEP [WORD…]: runs a program of Tests/Posix as root, in a mount namespace
# and a directory of its own, which goes afterwards.
in_posix_work() {
    local program=$1 keep=$2 mount work status=0
    shift 2
    mount=${DOCFS_MOUNT:-$root/.build/release/docfs-mount}
    [ -x "$mount" ] || die "no $mount; build it: swift build -c release"
    work=$(mktemp -d "${TMPDIR:-/tmp}/docfs-posix.XXXXXX")
    chmod 0755 "$work"
    # shellcheck disable=SC2064 # now, not then
    [ "$keep" = yes ] || trap "as_root rm -rf --one-file-system '$work'" EXIT
    as_root env DOCFS_MOUNT="$(realpath "$mount")" HOME="$work" TZ=UTC LC_ALL=C.UTF-8 \
        ACROSS="${ACROSS-no}" \
        unshare --mount --propagation private --kill-child \
        /usr/bin/python3 -BIS "$root/Tests/Posix/$program" "$work" "$@" || status=$?
    [ "$keep" = no ] || say "kept: $work"
    return "$status"
}

# once_failed: repeats the simulated runs of Tests/Seeds.
once_failed() {
    local seed options runs=0 failures=0
    while read -r seed options; do
        runs=$((runs + 1))
        # shellcheck disable=SC2086 # a list of words
        timeout --kill-after=30 120 "$root/.build/release/simulate" --seed "$seed" --runs 1 $options \
            </dev/null || failures=$((failures + 1))
    done < <(sed 's/ *#.*//; /^$/d' "$root/Tests/Seeds")
    echo "seeds: $runs runs, $failures failures"
    ((failures == 0))
}
