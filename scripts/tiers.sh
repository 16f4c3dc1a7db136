# shellcheck shell=bash
# Running tests in tiers and summing up what they said: what scripts/test and scripts/explore share.
# Sourced after lib.sh, never run.

# The tools whose saves and copies the stories watch.
test_packages=(bindfs inotify-tools acl perl unzip vim nano emacs-nox ed sed rsync git sqlite3 attr strace tar jq python3 procps
    pkg-config libreoffice-writer-nogui
    dbus python3-dbusmock man-db zsh fish file)
# An S3 store: Ceph's gateway on one monitor and one OSD.
store_packages=(ceph-mon ceph-osd ceph-base radosgw curl openssl python3-venv)

# Exit status of a run that says nothing about the code, because the machine failed.
void_status=3
void() {
    say "void: $*"
    exit $void_status
}

logs=$(mktemp -d)
servers=$(mktemp -d)
beside=()
end_tiers() {
    local process
    for process in "${beside[@]}"; do end_tree "$process"; done
    stop_servers
    rm -rf "$logs" "$servers"
}
trap end_tiers EXIT

# Tests of stores: each kind, and S3 servers.
store_tests='StoreTests\.(CloudStoreConformance|S3StoreTests|S3PartsTests|S3TombstoneTests|S3VersioningTests)'

# Those of uploads in parts.
parts_tests='StoreTests\.S3PartsTests'

# Ceph's gateway on loopback, and the variable that tells the tests where it answers.
start_rgw() {
    [ -z "${DOCFS_TEST_RGW:-}" ] || return 0
    DOCFS_TEST_RGW=$(timeout 1200 "$root/Tests/Servers/start-rgw" "$servers/rgw" </dev/null) || return
    export DOCFS_TEST_RGW
}

# moto, from PyPI where the machine has none.
start_moto() {
    local moto own=$root/.build/moto
    [ -z "${DOCFS_TEST_MOTO:-}" ] || return 0
    if ! moto=$(command -v moto_server); then
        moto=$own/bin/moto_server
        [ -x "$moto" ] || { python3 -m venv "$own" \
            && timeout 600 "$own/bin/pip" install --quiet 'moto[server]==5.2.*'; } >&2 || return
    fi
    DOCFS_TEST_MOTO=$(PATH=$(dirname "$moto"):$PATH timeout 300 "$root/Tests/Servers/start-moto" \
        "$servers/moto" </dev/null) || return
    export DOCFS_TEST_MOTO
}

# The bucket that stories are told on, which takes the keys of the environment.
export AWS_ACCESS_KEY_ID=docfs AWS_SECRET_ACCESS_KEY=docfssecret
bucket_of_stories() { printf 's3://stories?endpoint=%s\n' "$DOCFS_TEST_RGW"; }

stop_servers() {
    local name
    for name in moto rgw; do
        [ ! -d "$servers/$name" ] || "$root/Tests/Servers/stop" "$servers/$name"
    done
}

swift_tests() {
    cd "$root" || return
    # A few at a time: where all begin at once, each waits for all others. Line by line: of a run that hangs,
    # what it said last is here.
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16 \
        stdbuf -oL swift test "${configuration[@]}" --skip-build "$@"
}

# once_failed: repeats the runs of Tests/Seeds. An open one may fail: it is known and not mended yet.
once_failed() {
    local line seed options runs=0 failures=0 open=0
    while IFS= read -r line; do
        read -r seed options <<<"${line%%#*}"
        runs=$((runs + 1))
        # shellcheck disable=SC2086 # a list of words
        timeout --kill-after=30 600 "$root/.build/release/simulate" --seed "$seed" --runs 1 $options \
            </dev/null >"$logs/seed" 2>&1 && continue
        if [[ $line == *'# open '* ]]; then
            open=$((open + 1))
            echo "open: $line"
        else
            failures=$((failures + 1))
            cat "$logs/seed"
        fi
    done < <(grep '^[0-9]' "$root/Tests/Seeds")
    echo "seeds: $runs runs, $failures failures, $open open"
    ((failures == 0))
}

summary=()
failed=0
took=

# How the tiers begin what they say of a failure; more about it follows.
failure='^✘ Test .*recorded an issue|^ *FAIL(ED)?[: ]|^(seed|sequence) [0-9]+|^not ok|^BYTES: |: error: '

# tier NAME SECONDS PATTERN COMMAND…: runs it for at most so long. It ends with a line that matches.
tier() {
    local name=$1 bound=$2 pattern=$3 begun=$SECONDS status verdict line skips slow
    shift 3
    say "== $name"
    run_bounded "$bound" "$@" </dev/null 2>&1 | tee "$logs/$name"
    status=${PIPESTATUS[0]}
    line=$(grep -aE "$pattern" "$logs/$name" | tail -1)
    # A test that a machine with /dev/fuse skips is one that nobody runs.
    skips=$(grep -aE '^[^ ]+ (Test|Suite) .* (skipped|was cancelled)|^SKIP ' "$logs/$name")
    verdict=passed
    if [ "$status" != 0 ] || [ -z "$line" ] || [ -n "$skips" ] || [[ $line == *' 0 tests'* ]]; then
        verdict=FAILED failed=1
    fi
    if [ "$status" = 124 ]; then
        line+=" (not done after $bound s)"
        unfinished "$logs/$name" | sed 's/^/failed: did not end: /' >>"$logs/$name"
    fi
    line="$verdict  $name  $((SECONDS - begun)) s  ${line:-no closing line, status $status}"
    summary+=("$line")
    say "== $line"
    [ -z "$skips" ] || summary+=("$(sed 's/^/    | /' <<<"$skips" | head -n 20)")
    if [ $verdict = FAILED ]; then
        summary+=("$({
            grep -aE -A 12 "$failure" "$logs/$name" | head -n 60
            grep -a '^failed: ' "$logs/$name"
            tail -n 6 "$logs/$name"
        } | cut -c 1-300 | sed 's/^/    | /')")
    fi
    mapfile -t flaky < <(grep -a '^flaky: ' "$logs/$name")
    summary+=("${flaky[@]/#/    }")
    slow=$(slowest "$logs/$name")
    [ -z "$slow" ] || say "$slow"
    took+=" $name $((SECONDS - begun))"
}

# beside NAME COMMAND…: runs it in the background, until `finish NAME` waits for it, says what it said, and
# returns its status.
beside() {
    keep "$@" &
    beside+=($!)
}
# keep NAME COMMAND…: runs it and keeps what it says, and its status, for `finish`.
keep() {
    local name=$1
    shift
    "$@" >"$logs/$name.said" 2>&1 </dev/null
    echo $? >"$logs/$name.status"
}
finish() {
    until [ -e "$logs/$1.status" ]; do sleep 0.2; done
    cat "$logs/$1.said"
    return "$(<"$logs/$1.status")"
}

# run_bounded SECONDS COMMAND…: a function too.
run_bounded() {
    local bound=$1
    shift
    (
        "$@" &
        local child=$! end=$((SECONDS + bound))
        # shellcheck disable=SC2064 # now, not then
        trap "kill -TERM $child 2>/dev/null" EXIT
        while kill -0 $child 2>/dev/null; do
            ((SECONDS < end)) || { end_tree $child; exit 124; }
            sleep 0.2
        done
        trap - EXIT
        wait $child
    )
}

# end_tree PROCESS: it and all that it started.
end_tree() {
    local child
    # It starts nothing more meanwhile.
    kill -STOP "$1" 2>/dev/null
    for child in $(pgrep -P "$1"); do end_tree "$child"; done
    kill -KILL "$1" 2>/dev/null
}

# unfinished LOG: the Swift tests that began and did not end.
unfinished() {
    comm -23 \
        <(sed -nE -e '/^◇ Test (case|run) /d' -e 's/^◇ Test (.*) started\.$/\1/p' "$1" | sort) \
        <(sed -nE -e 's/^[^ ]+ Test (.*) (passed|failed) after .*/\1/' -e T -e 's/ with [0-9]+ test cases?$//p' \
            -e t -e p "$1" | sort)
}

# slowest LOG: the ten slowest Swift tests or stories, and how many are over their limits: a second and
# ten seconds.
slowest() {
    sed -nE -e 's/^✔ Test (case )?(.*) passed after ([0-9.]+) seconds.*/\3 1 \2/p' \
        -e 's/^ok +([0-9.]+)s +([a-z0-9_]+) .*/\1 10 \2/p' "$1" | sort -rn | awk '
        { if ($1 > $2) over++ }
        NR <= 10 { limit = $2; seconds = $1; $1 = $2 = ""; told = told sprintf("  %8.1f s %s\n", seconds, $0) }
        END { if (NR > 0) printf "slowest of %d (%d take more than %d s):\n%s", NR, over, limit, told }'
}

# sum_up: all verdicts once more, in the last lines.
sum_up() {
    printf '\n'
    printf '%s\n' "${summary[@]}" | grep -v '^$'
    printf 'seconds:%s\n' "$took"
}
