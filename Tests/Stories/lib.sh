# The checks and the vocabulary of the stories, and nothing of any one story.
#
# A story is a function in one of the *.story files beside this one, with a comment above it that
# names its paragraph of the semantics and says in one sentence what is true. `scripts/stories`
# runs each in a process, a directory and a mount namespace of its own:
#
#     bash lib.sh FILE STORY        (environment: STORY, its directory; DOCFS_MOUNT, the program)
#
# and reads the exit status: 0 passed, 77 skipped, anything else failed. Words that stories use:
#
#     device NAME [OPTION…]   a device with its own state, Local and mount; $NAME is its mount point
#     stop, restart, kill9    its daemon: ended in order, started again, killed; no stop waits for
#                             what is to be sent, unless the device was made with --farewell
#     offline, online NAME    its way to the container is gone, is back
#     armed NAME POINT[:N]    its daemon anew, which will die at that step (CrashPoint.swift)
#     died NAME [POINT[:N]]   it did, and was started again, perhaps to die once more
#     settled                 every device that is online has nothing left to do
#     same_trees A B          the cloud scopes of both hold the same, to the byte and nanosecond
#     expect_…, refused       checks; each says what it wanted and what it saw
#
# $container is the folder that all devices share, as any other program sees it. Stories that do not
# name it are told on an S3 store too, when BUCKET is its address (s3://…): each device reaches that
# through a proxy of its own (Tests/Servers/proxy).

set -eEuo pipefail
export LC_ALL=C.UTF-8 TZ=UTC HOME=$STORY/home
unset XDG_DATA_HOME XDG_STATE_HOME XDG_CONFIG_HOME
here=$(dirname "${BASH_SOURCE[0]}")
container=$STORY/container
settle=0.2
declare -A process=() options=() wrapper=() is_offline=()
devices=()
rest_expected=yes
umask 022

# Telling what went wrong, on descriptor 9, which nobody silences
exec 9>&2

# Of a check that sees bytes lost, torn or of another document; scripts/stories never repeats such a
# story, which a second, luckier run would hide.
bytes_fail() {
    printf 'BYTES: %s\n' "$*" >&9
    fail "$@"
}

fail() {
    printf 'FAILED: %s\n' "$*" >&9
    local frame=0
    while caller $frame; do frame=$((frame + 1)); done |
        sed -n 's/^\([0-9]*\) \([^ ]*\) .*\/\([^/]*\)$/    in \2, \3 line \1/p' >&9
    exit 1
}

skip() { printf 'skipped: %s\n' "$*" >&2; rest_expected=no; exit 77; }

# needs PROGRAM…: the story is skipped where the machine lacks one, and CI fails on that.
needs() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || skip "no $program on this machine"
    done
}

# A command of a story failed. `cmp` and `diff` compare bytes.
broken() {
    case $2 in
        cmp\ * | diff\ *) bytes_fail "exit $1: $2" ;;
        *) fail "exit $1: $2" ;;
    esac
}

trap 'status=$?; [[ $BASH_SUBSHELL -gt 0 ]] || broken $status "$BASH_COMMAND"' ERR

# Waiting, always bounded

# Seconds after which a story gives up. A passing run never waits for it, however busy the machine is:
# no check depends on how long something takes.
patience=120

# wait_for COMMAND: until the command succeeds.
wait_for() {
    local end=$((SECONDS + patience))
    until eval "$1" >/dev/null 2>&1; do
        ((SECONDS < end)) || fail "waited $patience s in vain for: $1"
        sleep 0.05
    done
}

# grows_to NUMBER COMMAND: the number that the command prints becomes that, and grows all the time until then.
grows_to() {
    local now most=-1 end=$((SECONDS + patience))
    until now=$(eval "$2") && ((now == $1)); do
        ((now <= most)) || most=$now end=$((SECONDS + patience))
        ((SECONDS < end)) || fail "$now, and no more for $patience s: $2"
        sleep 0.1
    done
}

# never COMMAND SECONDS: the command fails all that time.
never() {
    local tries=$(($2 * 20))
    while ((tries-- > 0)); do
        ! eval "$1" >/dev/null 2>&1 || fail "must not happen: $1"
        sleep 0.05
    done
}

# pass_settle: longer than the settle time, with room for what follows it.
pass_settle() { sleep 0.6; }

probe() { /usr/bin/python3 -IS "$here/probe.py" "$@"; }

# Devices

# device NAME [OPTION…]: prepares the device's directories and starts its daemon.
#
# The device reaches the container by a path of its own, so that one device can lose it alone.
device() {
    local name=$1 home=$STORY/$1
    mkdir -p "$home/mnt" "$home/local" "$container"
    ln -sfn ../container "$home/container"
    [[ -z ${BUCKET:-} || -d $home/proxy ]] || start_proxy "$name"
    printf -v "$name" %s "$home/mnt"
    options[$name]="${*:2}"
    devices+=("$name")
    start "$name"
}

# start NAME: starts the daemon and returns once the mount answers.
start() {
    launch "$1"
    wait_for "answers $1"
}

launch() {
    local name=$1 home=$STORY/$1
    # shellcheck disable=SC2086 # options and wrapper are lists of words
    (
        close_descriptors
        exec setsid ${wrapper[$name]:-} "$DOCFS_MOUNT" --device "$name" --state "$home/state" \
            --local "$home/local" --cloud "Cloud=$(address_of "$name")" --settle $settle \
            --farewell 0 ${BUCKET:+--poll 0.3} --log-level debug ${options[$name]} "$home/mnt"
    ) >>"$home/log" 2>&1 </dev/null &
    process[$name]=$!
    echo $! >>"$STORY/pids"
}

# address_of NAME: the container's address, as the device is told it.
address_of() {
    if [[ -z ${BUCKET:-} ]]; then
        echo "file://$STORY/$1/container"
    else
        echo "${BUCKET%%endpoint=*}endpoint=$(cat "$STORY/$1/proxy/address")"
    fi
}

# start_proxy NAME [PEM]: between a device, or somebody else of that name, and the store.
start_proxy() {
    local home=$STORY/$1/proxy
    mkdir -p "$home"
    (
        close_descriptors
        exec "$here/../Servers/proxy" "${BUCKET#*endpoint=}" "$home" "${@:2}"
    ) >>"$home/words" 2>&1 </dev/null &
    echo $! >>"$STORY/pids"
    wait_for "[[ -e $home/address ]]"
}

# between NAME [RULE…]: what the proxy between the device and its store does from now on.
between() {
    printf '%s\n' "${@:2}" >"$STORY/$1/proxy/rules.new"
    local inode
    inode=$(stat -c %i "$STORY/$1/proxy/rules.new")
    mv "$STORY/$1/proxy/rules.new" "$STORY/$1/proxy/rules"
    wait_for "grep -qx $inode '$STORY/$1/proxy/obeyed'"
}

# bucket VERB …: the container on its store, as any other program sees it.
bucket() { /usr/bin/python3 -IS "$here/bucket.py" "$BUCKET" "$@"; }

# seen_by_others: the keys that programs see which know nothing of ours, without the container's own.
seen_by_others() { bucket keys | grep -v '^\.docfs/'; }

# own_bucket [PREFIX]: the story's container is the whole of a bucket of its own, whose policy is nobody else's,
# or what is below PREFIX there.
own_bucket() {
    BUCKET="s3://own-$RANDOM-$RANDOM${1:+/$1}?${BUCKET#*\?}"
    bucket make
}

# clock_of NAME SECONDS: how wrong the device's clock is from its next start on.
clock_of() {
    [[ -e $CLOCK_SHIFT_LIBRARY ]] || skip 'clock-shift was not built'
    wrapper[$1]="env LD_PRELOAD=$CLOCK_SHIFT_LIBRARY CLOCK_SHIFT=$2"
}

# A story's open documents must not live on in a daemon.
close_descriptors() {
    local descriptor
    for descriptor in /proc/"$BASHPID"/fd/*; do
        descriptor=${descriptor##*/}
        ((descriptor <= 2 || descriptor == 9 || descriptor == 255)) || eval "exec $descriptor>&-"
    done
}

answers() { mountpoint -q "$STORY/$1/mnt" && [[ $(ls "$STORY/$1/mnt") == *Cloud* ]]; }
# sleeps PROCESS: it waits in a system call.
sleeps() { grep -qE '^State:.[SD]' "/proc/$1/status"; }

# has_open PROCESS PATH: it or a child of its own has this open, so that what happens from now on
# reaches it. By name, for asking the file itself would ask the mount.
has_open() {
    local one
    for one in "$1" $(pgrep -P "$1"); do
        [[ -z $(find "/proc/$one/fd" -lname "*/${2#"$STORY"/}" 2>/dev/null) ]] || return 0
    done
    return 1
}
runs() { kill -0 "${process[$1]}"; }

# stop NAME…: SIGTERM; the daemon ends with 0 within ten seconds and leaves no mount.
stop() {
    local name
    for name in "$@"; do
        kill -TERM "${process[$name]}"
        wait_for "! runs $name"
        local status=0
        wait "${process[$name]}" || status=$?
        [[ $status == 0 ]] || fail "$name's daemon ended with $status after SIGTERM"
        ! mountpoint -q "$STORY/$name/mnt" || fail "$name's mount is still there after SIGTERM"
        unset "process[$name]"
    done
}

# reap PROCESS: waits until a killed child is gone, without the shell's word on it.
reap() {
    {
        wait_for "! kill -0 $1"
        wait "$1" || true
    } 2>/dev/null
}

kill9() {
    local name
    for name in "$@"; do kill -KILL "${process[$name]}"; done
    for name in "$@"; do
        reap "${process[$name]}"
        unset "process[$name]"
    done
}

# restart NAME…: after stop, after kill9, or in order if it still runs.
restart() {
    local name
    for name in "$@"; do
        [[ -z ${process[$name]:-} ]] || stop "$name"
        start "$name"
    done
}

# offline NAME…: the way to the container is gone, and the device has noticed.
offline() {
    local name
    for name in "$@"; do
        if [[ -n ${BUCKET:-} ]]; then between "$name" refuse; else rm -f "$STORY/$name/container"; fi
        is_offline[$name]=yes
    done
    for name in "$@"; do [[ -z ${process[$name]:-} ]] || wait_for "is_away $name"; done
}

online() {
    local name
    for name in "$@"; do
        if [[ -n ${BUCKET:-} ]]; then between "$name"; else ln -sfn ../container "$STORY/$name/container"; fi
        unset "is_offline[$name]"
    done
}

is_away() { [[ $(probe field "$STORY/$1/mnt" online) == false ]]; }

# folder_is_seen_through OPTION: the folder is that at $STORY/disk, mounted with the option.
folder_is_seen_through() {
    mkdir -p "$container" disk
    mount --bind disk "$container" || skip 'cannot mount here'
    mount -o "remount,bind,$1" "$container"
}

# slow_folder FOLDER [BYTES [BYTES]]: alice's way to the container is as slow as `control` says: see slow-folder.c.
# From the first moment on, what writes more than so many bytes of a document waits, and what reads more than so many.
slow_folder() {
    [[ -x $SLOW_FOLDER ]] || skip 'slow-folder was not built'
    stop alice
    rm -f alice/container
    mkdir control alice/container
    [[ -z ${2:-} ]] || echo "$2" >control/writes
    [[ -z ${3:-} ]] || echo "$3" >control/reads
    setsid "$SLOW_FOLDER" "$1" "$STORY/control" "$STORY/alice/container" &
    echo $! >>"$STORY/pids"
    wait_for 'mountpoint -q alice/container' || skip 'cannot mount here'
    start alice
    unset 'is_offline[alice]'
    wait_for '! is_away alice'
}

# Her usual way again.
usual_folder() {
    stop alice
    umount alice/container
    rmdir alice/container
    ln -s ../container alice/container
    start alice
}

# last_record: the name of the newest record of the container's change log.
last_record() { stored .docfs/log | sort | tail -1; }

# stored DIRECTORY: the files that the container's store has below one of its directories.
stored() {
    if [[ -z ${BUCKET:-} ]]; then
        find "$container/$1" -type f -printf '%P\n' 2>/dev/null || true
    elif [[ $1 == . ]]; then
        bucket names
    else
        bucket names "$1/" | sed "s:^$1/::"
    fi
}

# settled: every device that is online has read the change log to its end and has nothing
# pending, and the log stands still; or $mortal, a device whose daemon may die meanwhile, is dead.
settled() {
    local name mounts=() states=() log=${BUCKET:-$container/.docfs/log} process_of_mortal=0
    for name in "${devices[@]}"; do
        [[ -n ${process[$name]:-} && -z ${is_offline[$name]:-} ]] || continue
        mounts+=("$STORY/$name/mnt")
        # The change log is the container's; some devices have another one.
        [[ ! $STORY/$name/container -ef $container ]] || states+=("$STORY/$name/state")
    done
    [[ -z ${mortal:-} ]] || process_of_mortal=${process[$mortal]}
    /usr/bin/python3 -IS "$here/settle.py" $patience "$log" "$process_of_mortal" \
        "${mounts[@]}" -- "${states[@]}" || fail "no rest"
}

# Dying at a step that has a name

armed() {
    echo "--- $1 is to die at $2" >&2
    [[ -z ${process[$1]:-} ]] || kill9 "$1"
    wrapper[$1]="env DOCFS_CRASH_AT=$2"
    launch "$1"
    unset "wrapper[$1]"
    { wait_for "answers $1 || ! runs $1"; } 2>/dev/null
}

# processor_time NAME: what a device's daemon has used, in hundredths of a second.
processor_time() { awk '{ print $14 + $15 }' "/proc/${process[$1]}/stat"; }

# fell NAME: it died at the step, and is not started again.
fell() {
    local status=0
    {
        wait_for "! runs $1"
        wait "${process[$1]}" || status=$?
    } 2>/dev/null
    expect_equal $status 137 "exit status of $1, which was to be killed,"
    unset "process[$1]"
}

died() {
    fell "$1"
    if [[ -n ${2:-} ]]; then armed "$1" "$2"; else start "$1"; fi
}

# at_each STEP POINT…: runs the function STEP for each point that the store's kind comes to.
at_each() {
    local point
    for point in "${@:2}"; do
        [[ -z ${BUCKET:-} || ! $point =~ ^(body|object|metadata|storeSynced|directory(Staged|Removed)) ]] ||
            continue
        "$1" "$point"
    done
}

# left_over NAME…: intents of the devices, and staged files, that nobody waits for any more.
left_over() {
    local name
    for name in "$@"; do
        probe rows "$STORY/$name/state" journal import incoming handover
        find "$STORY/$name/local/.docfs" -path '*/moving/*' 2>/dev/null || true
    done
    uploads
    stored .docfs/found
}

# uploads: what uploads have left in the container. A probe that is cut off cannot tidy up.
uploads() { stored .docfs/tmp | sed '/^probe-/d'; }

# operations: the operation of each change in the change log.
operations() {
    if [[ -n ${BUCKET:-} ]]; then
        # shellcheck disable=SC2046 # names without blanks
        bucket cat $(bucket names .docfs/log/)
    else
        find "$container/.docfs" -path "*/log/*.json" -exec cat {} +
    fi | jq -r '.changes[].op'
}

# whole NAME NAME: both at rest with the same trees, nothing left over, nothing recorded twice.
whole() {
    settled
    same_trees "$1" "$2"
    expect_equal "$(left_over "$@")" '' 'what is left over'
    expect_equal "$(operations | sort | uniq -d)" '' 'operations recorded twice'
}

# Checks

# same_trees NAME NAME [SCOPE]: same names, bytes, modes, times, attributes and link targets.
same_trees() {
    local scope=${3:-Cloud}
    probe manifest "$STORY/$1/mnt/$scope" >"$STORY/tree.$1"
    probe manifest "$STORY/$2/mnt/$scope" >"$STORY/tree.$2"
    diff -u "$STORY/tree.$1" "$STORY/tree.$2" >&2 || bytes_fail "$1 and $2 differ in $scope"
}

# expect_equal SEEN WANTED [WHAT]
expect_equal() { [[ $1 == "$2" ]] || fail "${3:-value}: wanted '$2', saw '$1'"; }

# sent NAME…: waits until the store has all that these devices were given, whatever their settle time is.
sent() {
    local name senders=() sender
    for name in "$@"; do
        docfs flush --wait "${!name}" &
        senders+=($!)
    done
    for sender in "${senders[@]}"; do wait $sender; done
    settled
}

# expect_file PATH TEXT: a document that holds just this text and a newline.
expect_file() {
    local seen
    seen=$(cat "$1")
    [[ $seen == "$2" ]] || bytes_fail "$1: wanted '$2', saw '$seen'"
}

expect_absent() { [[ ! -e $1 && ! -L $1 ]] || fail "$1 is there"; }
expect_present() { [[ -e $1 || -L $1 ]] || fail "$1 is not there"; }

# expect_list DIR NAME…: the directory lists these names and no other. Containers and Local's plain
# directory have a `.docfs` of our own, which does not count.
expect_list() {
    local directory=$1
    shift
    expect_equal "$(ls -A -I .docfs "$directory" | sort)" "$(printf '%s\n' "$@" | sort)" "listing of $directory"
}

# refused ERRNO[,ERRNO…] COMMAND…: the command fails, with one of these errors and no other.
refused() {
    local errno said wanted=()
    for errno in ${1//,/ }; do wanted+=("$(words_of "$errno")"); done
    shift
    if said=$("$@" 2>&1); then fail "should be refused: $*"; fi
    for errno in "${wanted[@]}"; do
        if grep -q "$errno" <<<"$said"; then return; fi
    done
    fail "$*: wanted '${wanted[*]}', saw '$said'"
}

docfs() { timeout $patience "$DOCFS" "$@"; }

# gives STATUS COMMAND…: exit status and, in $said, all that was said.
gives() {
    local wanted=$1 status=0
    shift
    said=$("$@" 2>&1) || status=$?
    [[ $status == "$wanted" ]] || fail "$* ended with $status, not $wanted: $said"
}

# says WORDS: what was said last.
says() { [[ $said == *"$1"* ]] || fail "wanted '$1', saw '$said'"; }

# words_of ERRNO: as strerror(3) and getfattr say it.
words_of() {
    case $1 in
        EPERM) echo 'Operation not permitted' ;;
        E2BIG) echo 'Argument list too long' ;;
        EACCES) echo 'Permission denied' ;;
        ENOENT) echo 'No such file or directory' ;;
        EIO) echo 'Input/output error' ;;
        EEXIST) echo 'File exists' ;;
        ENOTEMPTY) echo 'Directory not empty' ;;
        EBUSY) echo 'Device or resource busy' ;;
        ENOSPC) echo 'No space left on device' ;;
        EROFS) echo 'Read-only file system' ;;
        ENETUNREACH) echo 'Network is unreachable' ;;
        ETIMEDOUT) echo 'Connection timed out' ;;
        EOPNOTSUPP) echo 'Operation not supported' ;;
        EINVAL) echo 'Invalid argument' ;;
        ENAMETOOLONG) echo 'File name too long' ;;
        ENODATA) echo 'No such attribute\|No data available' ;;
        *) fail "no words for $1" ;;
    esac
}

# at_once COMMAND…: succeeds while the store is held or away, which shows that it does not wait for it.
at_once() {
    local begun=$SECONDS
    "$@"
    ((SECONDS - begun < patience / 2)) || fail "took $((SECONDS - begun)) s: $*"
}

# Documents

write_to() { printf '%s\n' "$2" >"$1"; }
append_to() { printf '%s\n' "$2" >>"$1"; }
attr() { getfattr --absolute-names --no-dereference --only-values -n "user.docfs.$2" "$1"; }
id_of() { attr "$1" id; }
ino() { stat -c %i "$1"; }
mtime() { date -u -d "@$(stat -c %.9Y "$1")" '+%Y-%m-%d %H:%M:%S.%N'; }

# big PATH MEBIBYTES MARK: a document that names its place and MARK in every kilobyte, no two alike.
big() { /usr/bin/python3 -IS -c '
import sys
with open(sys.argv[1], "wb") as out:
    for block in range(int(sys.argv[2]) * 1024):
        out.write(f"{sys.argv[3]} {block:010}".encode().ljust(1023, b".") + b"\n")' "$@"; }

# has_bytes NAME MARK: the device keeps a part of the document that MARK is written in.
has_bytes() { grep -rqsF -- "$2" "$STORY/$1/state" "$STORY/$1/local"; }
expect_no_bytes() { ! has_bytes "$1" "$2" || fail "$1 keeps bytes of $2: $(
    grep -rlsF -- "$2" "$STORY/$1/state" "$STORY/$1/local")"; }
expect_placeholder() { expect_equal "$(attr "$1" download)" none "download state of $1"; }

# conflicts_of PATH: its siblings, a line each.
conflicts_of() {
    local directory=${1%/*} name=${1##*/}
    local stem=${name%%.*} extension=
    [[ $name != *.* ]] || extension=.${name#*.}
    find "$directory" -maxdepth 1 -name "$stem (conflict from *)$extension"
}

# expect_conflict PATH DEVICE: prints the one sibling that PATH has, which is DEVICE's by its name.
expect_conflict() {
    local found name=${1##*/}
    found=$(conflicts_of "$1")
    [[ -n $found ]] || fail "$1 has no conflict version beside it: $(ls -A "${1%/*}")"
    [[ $(wc -l <<<"$found") == 1 ]] || fail "$1 has more than one conflict version: $found"
    local form='\(conflict from '$2', [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}\.[0-9]{2}\.[0-9]{2}\)'
    [[ ${found##*/} =~ $form ]] || fail "not the form of a conflict version from $2: $found"
    printf '%s\n' "$found"
}

expect_no_conflict() { expect_equal "$(conflicts_of "$1")" '' "conflict versions of $1"; }

# versions_of PATH-IN-CLOUD: how many earlier versions the container keeps of $devices' document.
versions_of() {
    local id
    id=$(id_of "$STORY/${devices[0]}/mnt/Cloud/$1")
    stored ".docfs/versions/$id" | wc -l
}

# kept NAME GREP-ARGUMENT…: grep finds it in a document of NAME's cloud scope, or in what a conflict version of
# one held before (S14a).
kept() {
    local top=$STORY/$1/mnt
    shift
    grep -rq "$@" "$top/Cloud" ||
        [[ $(grep -rl "$@" "$top/.docfs/versions/Cloud") == *'(conflict from '* ]]
}

# in_trash NAME: the path, through the first device's mount, of a deleted document.
in_trash() {
    local found
    found=$(find "$STORY/${devices[0]}/mnt/.docfs/trash/Cloud" -name "$1*" -print -quit)
    [[ -n $found ]] || fail "no $1 in the trash"
    printf '%s\n' "$found"
}

# watch_store: from now on every name that appears among the container's documents is noted.
watch_store() {
    needs inotifywait
    inotifywait -m -r -e create -e moved_to --format '%f' --exclude '/\.docfs(/|$)' \
        -o "$STORY/store-names" "$container" 2>"$STORY/inotifywait" &
    echo $! >>"$STORY/pids"
    wait_for "grep -q 'Watches established' '$STORY/inotifywait'"
}

# expect_store_saw NAME…: these names appeared among the documents since watch_store, and no other.
expect_store_saw() {
    local name
    for name in "$@"; do wait_for "grep -qxF '$name' '$STORY/store-names'"; done
    expect_equal "$(sort -u "$STORY/store-names" 2>/dev/null)" "$(printf '%s\n' "$@" | sort -u)" \
        'names that reached the store'
}

# The end of every story

# no_rest: this story ends in a state that it cannot or need not tidy; mounts still go.
no_rest() { rest_expected=no; }

# Everything comes to rest: nothing pending, nothing staged, no mount, and the daemons end with 0.
expect_rest() {
    local name
    [[ -z ${!is_offline[*]} ]] || online "${!is_offline[@]}"
    settled
    for name in "${devices[@]}"; do
        local staged
        staged=$(find "$STORY/$name/state" -path '*staging*' -type f 2>/dev/null || true)
        expect_equal "$staged" '' "what $name left in staging"
    done
    expect_equal "$(uploads)" '' \
        "what is left of uploads in the container"
    for name in "${devices[@]}"; do stop "$name"; done
}

# The way out, whatever happened: each own process is ended and each mount is taken away.
tidy() {
    local status=$?
    trap - EXIT ERR TERM INT
    set +eE
    local line minor
    [[ -z ${immutable:-} ]] || chattr -R -i "$immutable" 2>/dev/null
    close_descriptors
    cd /
    [[ ! -e $STORY/pids ]] || xargs -r kill -CONT <"$STORY/pids" 2>/dev/null
    [[ ! -e $STORY/pids ]] || xargs -r kill -TERM <"$STORY/pids" 2>/dev/null
    local tries=40
    while [[ -n $(jobs -rp) ]] && ((tries-- > 0)); do sleep 0.05; done
    [[ ! -e $STORY/pids ]] || xargs -r kill -KILL <"$STORY/pids" 2>/dev/null
    grep -F " $STORY/" /proc/self/mountinfo | tac | while read -r _ _ minor _ line _; do
        minor=${minor#*:}
        [[ ! -w /sys/fs/fuse/connections/$minor/abort ]] ||
            echo 1 >"/sys/fs/fuse/connections/$minor/abort"
        umount -l "$line" || fusermount3 -uz "$line"
    done 2>/dev/null
    exit "$status"
}

trap tidy EXIT
trap 'exit 143' TERM INT

mkdir -p "$STORY/home"
cd "$STORY"
echo $$ >shell
[[ -z ${BUCKET:-} ]] || bucket make
# shellcheck source=/dev/null
source "$1"
"$2"
close_descriptors
[[ $rest_expected == no || ${#devices[@]} == 0 ]] || expect_rest
