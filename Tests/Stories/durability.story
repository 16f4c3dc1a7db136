# shellcheck shell=bash disable=SC2034,SC2154
# S13: what is on the disk before what. A power cut shows it now and then (scripts/power-loss); the
# system calls show it every time.

# traced NAME: its daemon anew, with every call told that makes something durable or gives it a name.
traced() {
    needs strace
    [[ -z ${process[$1]:-} ]] || stop "$1"
    wrapper[$1]="strace -D -I 2 -f -qq -ttt -y -o $STORY/$1/trace -e trace=/^(fsync|fdatasync|rename.*|link.*)$"
    start "$1"
    unset "wrapper[$1]"
}

# in_order NAME FROM TO CALL…: between two moments its daemon, which has ended by now, made calls that
# match these patterns, one after the other.
in_order() {
    local name=$1 from=$2 to=$3 thread moment call
    local -A parts=()
    shift 3
    while read -r thread moment call && (($# > 0)); do
        # A call during which another thread made one is told in two parts.
        case $call in
            *' <unfinished ...>') parts[$thread]=${call%' <unfinished ...>'}; continue ;;
            '<... '*' resumed>'*) call=${parts[$thread]-}${call#*' resumed>'} ;;
        esac
        [[ ! $moment < $from && ! $moment > $to ]] || continue
        # shellcheck disable=SC2053 # a pattern
        [[ $call != $1 ]] || shift
    done <"$STORY/$name/trace"
    (($# == 0)) || fail "$name made no call '$1' when it should have: $(<"$STORY/$name/trace")"
}

# S13, Root: what fsync has returned for is on the disk: the bytes, the name of their file, and the row
fsync_reaches_the_disk() {
    local begun ended
    settle=60
    device alice
    traced alice
    begun=$EPOCHREALTIME
    dd if=/dev/zero of="$alice/Cloud/doc" bs=1k count=8 conv=fsync status=none
    ended=$EPOCHREALTIME
    restart alice
    in_order alice "$begun" "$ended" 'fdatasync(*/state/contents/??/*>)*' \
        'fsync(*/state/contents/??>)*' 'fdatasync(*/catalog.sqlite-wal>)*'
}

# S13, Root: an effect follows its intent, and a record what it tells of, on the disk as well
effects_follow_their_intents() {
    local begun
    device alice
    mkdir "$alice/Cloud/notes"
    wait_for '[[ -e $container/notes ]]'
    settled
    traced alice
    # Until a daemon has made all durable that another one may have left, it syncs the filesystem as a whole.
    write_to "$alice/Cloud/notes/first" text
    wait_for '[[ -e $container/notes/first ]]'
    settled
    begun=$EPOCHREALTIME
    write_to "$alice/Cloud/notes/doc" text
    wait_for '[[ -e $container/notes/doc ]]'
    settled
    restart alice
    in_order alice "$begun" "$EPOCHREALTIME" 'fdatasync(*/catalog.sqlite-wal>)*' \
        'fsync(*/container/.docfs/tmp/*>)*' '*/container/notes>, "doc", *' \
        'fsync(*/container/notes>)*' '*/.docfs/log*.json"*' 'fsync(*/container/.docfs/log*>)*'
}

# S24, Root: what moves out is on the disk, with its name, before the container has it no more
moves_out_reach_the_disk() {
    local begun
    device alice
    write_to "$alice/Cloud/doc" text
    wait_for '[[ -e $container/doc ]]'
    settled
    traced alice
    begun=$EPOCHREALTIME
    mv "$alice/Cloud/doc" "$alice/Local/doc"
    wait_for '[[ ! -e $container/doc ]]'
    settled
    restart alice
    in_order alice "$begun" "$EPOCHREALTIME" 'fsync(*/moving/*>)*' '*/moving>, *"doc"*' \
        'fsync(*/alice/local>)*' '*/container>, "doc", *'
}

# S14: a document that is saved more often than the settle time is sent every thirty seconds all the same
saved_without_a_pause() {
    device alice
    device bob
    (while date +%N >>"$alice/Cloud/log"; do sleep 0.02; done) &
    local saves=$!
    wait_for "[[ -s $bob/Cloud/log ]]"
    kill "$saves" || fail 'a save failed'
    wait "$saves" || true
    settled
    expect_equal "$(sha256sum <"$bob/Cloud/log")" "$(sha256sum <"$alice/Cloud/log")"
}
