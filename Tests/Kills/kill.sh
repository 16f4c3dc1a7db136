# shellcheck shell=bash disable=SC2034,SC2154
# One run of one workload (see `workloads`) in which alice's daemon is killed at one call, or none.
#
#     bash Tests/Stories/lib.sh kill.sh one_run
#     WORKLOAD    which one
#     KILL_AT     `THREAD CALL N [PATH]`: strace kills the daemon as the first of the threads of that
#                 name (`any` for all) enters its Nth such call, of those that name PATH below $STORY;
#                 empty: nobody is killed, and every call of every thread is told
#
# Leaves $STORY/trace, what strace saw, and $STORY/outcome: `died MILLISECONDS` until the next start was
# ready, or `survived`. Whether what is left may be is checked in either case.

kills=$(dirname "${BASH_SOURCE[0]}")
calls=write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat
read -r thread call nth path <<<"${KILL_AT:-}" || true
# A start may take five seconds on a machine that has nothing else to do.
start_limit=50

# What editors alone make stays on the device that it was made on (S15).
same_trees() {
    local name
    for name in "$@"; do
        probe manifest "$STORY/$name/mnt/Cloud" | grep -v "~'\$" >"$STORY/tree.$name" || true
    done
    diff -u "$STORY/tree.$1" "$STORY/tree.$2" >&2 || fail "$1 and $2 differ"
}

documents() { /usr/bin/python3 -IS "$kills/documents.py" "$@"; }

# The words of the workloads

# on NAME COMMAND…: in that device's mount, within a limit.
on() {
    local device=$1
    shift
    [[ $1 != write && $1 != look ]] || set -- /usr/bin/python3 -IS "$kills/documents.py" "$@"
    (cd "$STORY/$device/mnt" && exec timeout --kill-after=5 30 "$@")
}

sending_after() { settle=$1; }

# packed PATH…: an archive of documents that hold the last part of their names.
packed() {
    local path
    mkdir "$STORY/packed"
    for path in "$@"; do
        if [[ $path == */ ]]; then mkdir "$STORY/packed/$path"
        else documents write "$STORY/packed/$path" "${path##*/}"; fi
    done
    (cd "$STORY/packed" && tar -cf "$STORY/packed.tar" "$@")
}

start_traced() {
    wrapper[alice]="strace -D -I 2 -f -qq $(tracing)"
    launch alice
    unset "wrapper[alice]"
    { wait_for "answers alice || ! runs alice" $start_limit; } 2>/dev/null
    is_dead || tracer=$(awk '$1 == "TracerPid:" { print $2 }' "/proc/${process[alice]}/status")
    ! is_dead
}

# Tracing

tracing() {
    printf '%s ' -y -Y -o "$STORY/trace" -e "trace=$calls"
    [[ -z $call ]] || printf '%s ' -e "inject=$call:signal=KILL:when=$nth"
    [[ -z $path ]] || printf '%s ' -P "$STORY/$path"
}

# threads: alice's threads that take part, as arguments of strace.
threads() {
    local task name
    for task in /proc/"${process[alice]}"/task/*; do
        name=$(<"$task/comm")
        [[ $name != *-qos* ]] || name=dispatch
        [[ $thread != any && $thread != "$name" ]] || printf -- '-p %s ' "${task##*/}"
    done
}

# attach: strace has the threads that take part.
attach() {
    [[ -n $call ]] || thread=any
    threads >"$STORY/threads"
    # shellcheck disable=SC2046 # lists of words
    strace $(<"$STORY/threads") $(tracing) 2>"$STORY/attached" &
    tracer=$!
    echo $tracer >>"$STORY/pids"
    wait_for "(($(wc -w <"$STORY/threads") == 2 * \$(grep -c attached '$STORY/attached')))" 60
}

# traces PROCESS: it lives; one that nobody has waited for does not.
traces() { [[ -e /proc/$1 && $(awk '$1 == "State:" { print $2 }' "/proc/$1/status" 2>/dev/null) != [ZX] ]]; }

# The run

# lines VERB…: the rest of each line of this workload that begins with one of them.
lines() {
    awk -v name="$WORKLOAD" -v verbs=" $* " '
        $1 == "workload" { ours = $2 == name; next }
        ours && index(verbs, " " $1 " ") { sub(/^[^ ]+ /, ""); print }' "$kills/workloads"
}

# give: makes the documents of the given state, and the directories before what is in them.
give() {
    local item
    for item in $(lines given); do
        item=${item%%,*}
        if [[ $item == */ ]]; then on alice mkdir "$item"; else on alice write "${item%%=*}" "${item##*=}"; fi
    done
    settled
}

# is_dead: alice's daemon is gone; nobody else waits for it, so that it can be asked again.
is_dead() { ! runs alice 2>/dev/null; }

# work: takes the steps until one fails, and counts those that returned. Only a death makes one fail.
work() {
    local step status
    steps_done=0
    while read -r step <&8; do
        status=0
        eval "$step" 2>>"$STORY/said" || status=$?
        if [[ $status != 0 ]]; then
            ((status != 42)) || fail "$step: $(tail -1 "$STORY/said")"
            { wait_for is_dead 5; } 2>/dev/null
            return
        fi
        steps_done=$((steps_done + 1))
    done 8< <(lines step)
}

check() { documents check "$kills/workloads" "$WORKLOAD" "$steps_done" "$1" "$STORY" || exit 1; }

one_run() {
    needs strace jq tar setfattr
    local before begun outcome=survived
    device alice
    device bob
    give
    while read -r before <&8; do eval "$before"; done 8< <(lines before)
    [[ -z ${process[alice]:-} ]] || attach
    work
    mortal=alice settled 60
    # What ends the daemon in order is no part of the workload. Only once nothing traces it any more is it
    # known whether it lives: what it does when all is at rest may have killed it just now.
    if [[ -n ${tracer:-} ]]; then
        kill -TERM "$tracer" 2>/dev/null || true
        # strace may wait for ever for a thread that is just dying; the kernel lets go of what a tracer had that
        # is gone itself.
        for _ in {1..100}; do traces "$tracer" || break; sleep 0.1; done
        kill -KILL "$tracer" 2>/dev/null || true
        wait_for "! traces $tracer"
    fi
    for _ in {1..5}; do is_dead || sleep 0.1; done
    if is_dead; then
        wait "${process[alice]}" 2>/dev/null || true
        unset "process[alice]"
        [[ -z ${is_offline[alice]:-} ]] || online alice
        check dead
        begun=${EPOCHREALTIME/./}
        launch alice
        wait_for "answers alice" $start_limit
        outcome="died $(((${EPOCHREALTIME/./} - begun) / 1000))"
        check started
    fi
    whole alice bob
    check rest
    echo "$outcome" >"$STORY/outcome"
}
