# Moves: inside a scope, and between scopes, always by one rename(2).

# S24: from Local into the cloud: same bytes, times and attributes, visible at once, sent after
into_the_cloud() {
    device alice
    device bob
    big "$alice/Local/doc" 1 mark-of-doc
    cp "$alice/Local/doc" wanted
    chmod 640 "$alice/Local/doc"
    setfattr -n user.mine -v kept "$alice/Local/doc"
    touch -d '2001-02-03 04:05:06.123456789' "$alice/Local/doc"
    at_once probe rename "$alice/Local/doc" "$alice/Cloud/moved"
    moved() {
        cmp wanted "$1"
        expect_equal "$(mtime "$1")" '2001-02-03 04:05:06.123456789'
        expect_equal "$(stat -c %a "$1")" 640
        expect_equal "$(getfattr --absolute-names --only-values -n user.mine "$1")" kept
    }
    moved "$alice/Cloud/moved"
    expect_list "$alice/Local"
    expect_list "$STORY/alice/local"
    settled
    moved "$bob/Cloud/moved"
    cmp wanted "$container/moved"
    expect_equal "$(attr "$alice/Cloud/moved" upload)" uploaded
}

# S24: from the cloud into Local: at once; when the bytes are in the plain file, the cloud's copy goes
out_of_the_cloud() {
    device alice
    device bob
    big "$alice/Cloud/doc" 1 mark-of-doc
    cp "$alice/Cloud/doc" wanted
    touch -d '2001-02-03 04:05:06.123456789' "$alice/Cloud/doc"
    settled
    at_once probe rename "$alice/Cloud/doc" "$alice/Local/moved"
    cmp wanted "$alice/Local/moved"
    expect_absent "$alice/Cloud/doc"
    settled
    cmp wanted "$STORY/alice/local/moved"
    expect_equal "$(mtime "$STORY/alice/local/moved")" '2001-02-03 04:05:06.123456789'
    expect_list "$bob/Cloud"
    expect_absent "$container/doc"
    cmp wanted "$alice/Local/moved"
    cmp wanted "$(in_trash doc)"
}

# S24: what is set on a document on its way to Local counts, whoever set it by name or by descriptor
changed_while_it_arrives() {
    device alice
    timeout $patience /usr/bin/python3 -IS - "$alice" <<'PYTHON'
import os
import sys
import time

mount = sys.argv[1]
for index in range(60):
    old, new = f"{mount}/Cloud/{index}", f"{mount}/Local/{index}"
    with open(old, "w") as document:
        document.write("text")
    os.setxattr(old, "user.old", b"value")
    descriptor = os.open(old, os.O_RDONLY)
    os.rename(old, new)
    what = descriptor if index % 2 else new
    # Before, while and after it lands.
    time.sleep(index % 7 * 0.0004)
    os.chmod(what, 0o600)
    os.setxattr(what, "user.new", b"value")
    os.removexattr(what, "user.old")
    os.utime(what, ns=(0, 981173106123456789))
    os.close(descriptor)
PYTHON
    wait_for "[[ -z \$(probe rows '$STORY/alice/state' incoming) ]]"
    settled
    for index in {0..59}; do
        expect_equal "$(mtime "$STORY/alice/local/$index")" '2001-02-03 04:05:06.123456789'
        expect_equal "$(stat -c %a "$STORY/alice/local/$index")" 600
        expect_equal "$(getfattr --absolute-names -d "$STORY/alice/local/$index" | grep ^user.)" \
            'user.new="value"'
    done
}

# S24: a directory of Local has the time of the rename that a document came with, and not of its arrival
times_of_directories() {
    device alice
    mkdir "$alice/Local/one" "$alice/Local/two"
    local name
    for name in a b c; do write_to "$alice/Cloud/$name" text; done
    settled
    docfs evict "$alice/Cloud/a" "$alice/Cloud/b" "$alice/Cloud/c"
    offline alice
    old() { touch -d '2001-02-03 04:05:06.123456789' "$alice/Local/one" "$alice/Local/two"; }
    # is_new DIRECTORY…: the others have their old time.
    is_new() {
        local year directory
        for directory in one two; do
            year=$(date -r "$alice/Local/$directory" +%Y)
            if [[ " $* " == *" $directory "* ]]; then ((year > 2001)); else expect_equal $year 2001; fi
        done
    }
    for name in a b c; do
        old
        probe rename "$alice/Cloud/$name" "$alice/Local/one/$name"
        is_new one
    done
    old
    probe rename "$alice/Local/one/a" "$alice/Local/two/a"
    is_new one two
    old
    rm "$alice/Local/one/b"
    is_new one
    old
    probe rename "$alice/Local/one/c" "$alice/Cloud/c"
    is_new one
    old
    online alice
    settled
    expect_file "$STORY/alice/local/two/a" text
    is_new
}

# S24: what a move into Local has replaced is gone, also for who has it open and writes on into it
written_after_it_was_replaced() {
    device alice
    echo old >"$alice/Local/doc"
    echo new >"$alice/Cloud/doc"
    settled
    docfs evict "$alice/Cloud/doc"
    exec {open}<>"$alice/Local/doc"
    offline alice
    probe rename "$alice/Cloud/doc" "$alice/Local/doc"
    echo 'written on' >&"$open"
    online alice
    settled
    expect_list "$alice/Local" doc
    expect_equal "$(cat "$STORY/alice/local/doc")" new
    echo 'and on' >&"$open"
    exec {open}>&-
    expect_list "$alice/Local" doc
    expect_equal "$(cat "$alice/Local/doc")" new
}

# S24: what is damaged on this device does not go into Local: the container has it still
damaged_out_of_the_cloud() {
    local content
    device alice
    big "$alice/Cloud/doc" 1 mark-of-doc
    cp "$alice/Cloud/doc" wanted
    settled
    stop alice
    content=$(grep -rlsF mark-of-doc "$STORY/alice/state")
    printf X | dd of="$content" bs=1 seek=5000 conv=notrunc status=none
    start alice
    probe rename "$alice/Cloud/doc" "$alice/Local/moved"
    settled
    cmp wanted "$STORY/alice/local/moved"
    expect_absent "$container/doc"
}

# S24: a placeholder goes into Local at once too, and is read there before all its bytes came
placeholder_into_local() {
    device alice
    big "$alice/Cloud/doc" 48 mark-of-doc
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/doc ]]"
    at_once probe rename "$bob/Cloud/doc" "$bob/Local/moved"
    expect_equal "$(stat -c %s "$bob/Local/moved")" $((48 << 20))
    expect_equal "$(probe read "$bob/Local/moved" $((30 << 20)) 11)" mark-of-doc
    # Not cp, which asks for the name twice: it has arrived between the two, perhaps.
    cat "$bob/Local/moved" >copy
    settled
    cmp copy "$STORY/bob/local/moved"
    expect_equal "$(sha256sum <copy)" "$(big /dev/stdout 48 mark-of-doc | sha256sum)"
    expect_list "$alice/Cloud"
    expect_list "$bob/Cloud"
}

# S24: a placeholder that is moved into Local while offline stays in the cloud until it can be had
placeholder_into_local_offline() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    device bob --deadline 2
    wait_for "[[ -e $bob/Cloud/doc ]]"
    offline bob
    at_once probe rename "$bob/Cloud/doc" "$bob/Local/doc"
    expect_present "$bob/Local/doc"
    expect_file "$alice/Cloud/doc" text
    restart bob
    expect_present "$bob/Local/doc"
    online bob
    settled
    expect_file "$STORY/bob/local/doc" text
    expect_list "$alice/Cloud"
}

# S24, Root: a placeholder for which Local has no room is refused with ENOSPC and stays in the cloud
placeholder_into_full_local() {
    device alice
    big "$alice/Cloud/doc" 8 mark-of-doc
    settled
    mkdir -p bob/local
    mount -t tmpfs -o size=2m tmpfs bob/local || skip 'cannot mount here'
    device bob
    wait_for "[[ -e $bob/Cloud/doc ]]"
    refused ENOSPC probe rename "$bob/Cloud/doc" "$bob/Local/doc"
    expect_absent "$bob/Local/doc"
    cmp "$alice/Cloud/doc" "$bob/Cloud/doc"
    settled
    stop alice bob
    umount bob/local
    no_rest
}

# S24: an attribute that Local's disk cannot keep, as ext4 none of 18,000 bytes, stops the move: it is refused,
# and what moves with its directory stays on its way; nothing is dropped in silence
attribute_too_large_for_local() {
    local value
    value=$(printf '%018000d' 0)
    device alice
    mkdir "$alice/Cloud/dir"
    for name in doc dir/inner; do
        write_to "$alice/Cloud/$name" text
        setfattr -n user.small -v kept "$alice/Cloud/$name"
        setfattr -n user.large -v "$value" "$alice/Cloud/$name"
    done
    settled
    if setfattr -n user.large -v "$value" "$STORY/home" 2>/dev/null; then
        # A disk that keeps it.
        mv "$alice/Cloud/doc" "$alice/Local/doc"
        wait_for "[[ -e $STORY/alice/local/doc ]]"
        expect_equal "$(getfattr --only-values -n user.large "$STORY/alice/local/doc")" "$value"
        return
    fi
    refused E2BIG probe rename "$alice/Cloud/doc" "$alice/Local/doc"
    expect_equal "$(getfattr --only-values -n user.large "$alice/Cloud/doc")" "$value"
    mv "$alice/Cloud/dir" "$alice/Local/dir"
    wait_for "[[ -d $STORY/alice/local/dir ]]"
    wait_for "[[ \$(attr $alice/Local/dir/inner error) == *'too large'* ]]"
    expect_file "$alice/Local/dir/inner" text
    expect_present "$container/dir/inner"
    expect_absent "$STORY/alice/local/dir/inner"
    setfattr -x user.large "$alice/Local/dir/inner"
    wait_for "[[ -e $STORY/alice/local/dir/inner ]]"
    expect_equal "$(getfattr --only-values -n user.small "$STORY/alice/local/dir/inner")" kept
    settled
}

# S24: mv never sees EXDEV: strace shows one rename and no copy, for documents and directories
mv_never_copies() {
    needs strace
    device alice
    mkdir -p "$alice/Local/dir/inner" "$alice/Cloud/sky"
    write_to "$alice/Local/dir/inner/doc" text
    write_to "$alice/Local/doc" text
    write_to "$alice/Cloud/sky/doc" text
    settled
    moved_by_rename() {
        strace -f -o trace -e trace=rename,renameat,renameat2,openat,mkdir,unlink mv "$1" "$2"
        ! grep -q 'EXDEV' trace || fail "EXDEV: $(grep EXDEV trace)"
        ! grep -q 'O_CREAT' trace || fail "mv copied: $(grep O_CREAT trace)"
    }
    moved_by_rename "$alice/Local/doc" "$alice/Cloud/doc"
    moved_by_rename "$alice/Local/dir" "$alice/Cloud/dir"
    moved_by_rename "$alice/Cloud/sky" "$alice/Local/sky"
    moved_by_rename "$alice/Cloud/doc" "$alice/Local/doc"
    settled
    paths_in() { (cd "$1" && find . -mindepth 1 -path ./.docfs -prune -o -print | sort | xargs); }
    # What was not sent yet when it came back is on its way without being pending.
    wait_for '[[ -e alice/local/doc ]]'
    expect_equal "$(paths_in "$STORY/alice/local")" './doc ./sky ./sky/doc'
    expect_equal "$(paths_in "$container")" './dir ./dir/inner ./dir/inner/doc'
}

# A tree with what trees have in them.
plant() {
    mkdir -p "$1/inner/empty"
    write_to "$1/doc" 'a document'
    write_to "$1/inner/doc" 'another'
    ln -s ../doc "$1/inner/link"
    ln -s /nowhere "$1/dangling"
    chmod 600 "$1/doc"
    chmod 750 "$1/inner"
    setfattr -n user.mine -v kept "$1/inner/doc"
    touch -d '2001-02-03 04:05:06.123456789' "$1/doc" "$1/inner/doc"
    touch -d '2002-02-02 02:02:02.222222222' "$1/inner/empty"
    touch -d '2003-03-03 03:03:03.333333333' "$1/inner"
}

# S24: directories move with everything in them, both ways
directories_across() {
    device alice
    device bob
    plant "$alice/Local/tree"
    probe manifest "$alice/Local/tree" >wanted
    probe rename "$alice/Local/tree" "$alice/Cloud/tree"
    diff wanted <(probe manifest "$alice/Cloud/tree") >&2
    settled
    diff wanted <(probe manifest "$bob/Cloud/tree") >&2
    # Over an empty directory, of which nothing is left.
    mkdir -m 711 "$bob/Local/back"
    setfattr -n user.other -v there "$bob/Local/back"
    probe rename "$bob/Cloud/tree" "$bob/Local/back"
    diff wanted <(probe manifest "$bob/Local/back") >&2
    settled
    diff wanted <(probe manifest "$STORY/bob/local/back") >&2
    ! getfattr -n user.other "$STORY/bob/local/back" 2>/dev/null || fail 'has what was set on the other one'
    expect_list "$alice/Cloud"
    expect_list "$bob/Cloud"
    expect_equal "$(find "$container" -path '*/.docfs' -prune -o -type f -print)" ''
}

# S24: directories that their owner may not write in move like others, and come back so
read_only_directories_across() {
    device alice
    device bob
    local round
    plant "$alice/Local/tree"
    mkdir "$alice/Local/tree/sealed"
    mv "$alice/Local/tree/inner" "$alice/Local/tree/sealed"
    chmod 444 "$alice/Local/tree/sealed/inner/doc"
    chmod 555 "$alice/Local/tree/sealed/inner" "$alice/Local/tree/sealed"
    probe manifest "$alice/Local/tree" >wanted
    for round in 1 2; do
        probe rename "$alice/Local/tree" "$alice/Cloud/tree"
        kill9 alice
        restart alice
        diff wanted <(probe manifest "$alice/Cloud/tree") >&2
        settled
        diff wanted <(probe manifest "$bob/Cloud/tree") >&2
        wait_for '[[ -z $(ls "$STORY"/alice/local/.docfs/*/moving) ]]'
        probe rename "$alice/Cloud/tree" "$alice/Local/tree"
        settled
        diff wanted <(probe manifest "$STORY/alice/local/tree") >&2
    done
    chmod -R u+w "$STORY/alice/local/tree"
    # Towards Local also one that nobody may enter.
    local name
    mkdir -p "$alice/Cloud/outer/closed/below"
    for name in a b below/c; do write_to "$alice/Cloud/outer/closed/$name" "text of $name"; done
    ln -s a "$alice/Cloud/outer/closed/link"
    settled
    chmod 444 "$alice/Cloud/outer/closed"
    settled
    probe rename "$alice/Cloud/outer" "$alice/Local/outer"
    settled
    expect_equal "$(stat -c %a "$STORY/alice/local/outer/closed")" 444
    chmod 755 "$STORY/alice/local/outer/closed"
    expect_list "$STORY/alice/local/outer/closed" a b below link
    expect_file "$STORY/alice/local/outer/closed/below/c" 'text of below/c'
}

# S24, Root: a directory in which somebody else's file is does not move for an ordinary user
directory_with_a_file_of_others() {
    ((EUID == 0)) || skip 'not root here'
    local own=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
    echo user_allow_other >fuse.conf
    mount --bind fuse.conf /etc/fuse.conf
    chmod 755 "$STORY" "${STORY%/*}"
    mkdir -p "$STORY/alice/local/tree/below" "$STORY/alice/mnt" "$container"
    echo mine | tee "$STORY/alice/local/tree/"{a,below/z} >/dev/null
    chown -R 65534:65534 "$STORY/alice" "$container"
    wrapper[alice]="${own[*]}"
    device alice --allow-other
    rename_as_owner() { "${own[@]}" /usr/bin/python3 -IS "$here/probe.py" rename "$@"; }
    echo other >"$STORY/alice/local/tree/below/other"
    refused EPERM rename_as_owner "$alice/Local/tree" "$alice/Cloud/tree"
    refused EPERM rename_as_owner "$alice/Local/tree/below/other" "$alice/Cloud/other"
    expect_list "$alice/Cloud"
    expect_list "$alice/Local/tree/below" other z
    rm "$STORY/alice/local/tree/below/other"
    rename_as_owner "$alice/Local/tree" "$alice/Cloud/tree"
    expect_list "$alice/Cloud/tree/below" z
    settled
}

# S24, Root: a directory below which a filesystem is mounted stays where it is, whole; files that
# come and go in one while it moves are no reason to refuse it
directories_that_are_in_use() {
    ((EUID == 0)) || skip 'not root here'
    device alice
    mkdir -p "$alice/Local/tree/inner/disk"
    write_to "$alice/Local/tree/doc" text
    mount -t tmpfs none "$STORY/alice/local/tree/inner/disk"
    write_to "$STORY/alice/local/tree/inner/disk/other" text
    refused EBUSY probe rename "$alice/Local/tree" "$alice/Cloud/tree"
    expect_list "$alice/Cloud"
    expect_file "$alice/Local/tree/doc" text
    expect_file "$STORY/alice/local/tree/inner/disk/other" text
    umount "$STORY/alice/local/tree/inner/disk"
    local busy round
    for round in {1..10}; do
        mkdir -p "$alice/Local/busy$round"
        for name in {1..50}; do write_to "$STORY/alice/local/busy$round/doc $name" text; done
        (cd "$STORY/alice/local/busy$round" && while touch .; do : >scratch; rm -f scratch; done 2>/dev/null) &
        busy=$!
        echo $busy >>"$STORY/pids"
        wait_for '[[ $(readlink /proc/$busy/cwd) == */busy$round ]]'
        probe rename "$alice/Local/busy$round" "$alice/Cloud/busy$round"
        kill $busy
        wait $busy || true
    done
    wait_for '[[ $(ls "$alice/Cloud"/busy*/doc* | wc -l) == 500 ]]'
    probe rename "$alice/Local/tree" "$alice/Cloud/tree"
    settled
}

# S24, Root: what cannot be taken out of a directory that has moved is named, and keeps neither the
# rest back nor the mount from starting
what_cannot_be_taken_over() {
    ((EUID == 0)) || skip 'not root here'
    local stuck point
    stuck=$STORY/immutable
    write_to "$stuck" text
    chattr +i "$stuck" 2>/dev/null || skip 'no file can be made immutable here'
    chattr -i "$stuck"
    # For tidy.
    immutable=$STORY/alice/local
    device alice
    is_stuck() { grep -q 'could not be taken over yet' < <("$DOCFS" status "$alice"); }
    for point in importDetached importAdopted ''; do
        mkdir -p "$alice/Local/tree$point"
        for name in a kept z; do write_to "$alice/Local/tree$point/$name" "text of $name"; done
        chattr +i "$STORY/alice/local/tree$point/kept"
        if [[ -n $point ]]; then
            armed alice "$point"
            probe rename "$alice/Local/tree$point" "$alice/Cloud/tree$point" 2>/dev/null || true
            died alice
        else
            probe rename "$alice/Local/tree" "$alice/Cloud/tree"
        fi
        expect_list "$alice/Cloud/tree$point" a z
        wait_for is_stuck
        chattr -i "$STORY"/alice/local/.docfs/*/moving/*/kept
        wait_for '[[ $(cat "$alice/Cloud/tree$point/kept") == "text of kept" ]]'
        expect_equal "$(stat -c %a "$alice/Cloud/tree$point/kept")" "$(stat -c %a "$alice/Cloud/tree$point/a")"
        settled
    done
    wait_for '! is_stuck'
}

# S24, S15a: who reads a document on its way into Local does not change its time
read_while_arriving() {
    device alice
    mkdir "$alice/Cloud/dir"
    local i
    for i in $(seq 60); do write_to "$alice/Cloud/dir/doc $i" "text $i"; done
    touch -d '2001-02-03 04:05:06.123456789' "$alice/Cloud/dir"/*
    settled
    mv "$alice/Cloud/dir" "$alice/Local/dir"
    for i in $(seq 5); do cat "$alice/Local/dir"/* >/dev/null; done
    settled
    for i in $(seq 60); do
        expect_equal "$(mtime "alice/local/dir/doc $i")" '2001-02-03 04:05:06.123456789'
    done
}

# S24: a directory keeps its own time while what is in it arrives in Local
time_while_arriving() {
    device alice
    mkdir "$alice/Cloud/dir"
    local i
    for i in $(seq 200); do write_to "$alice/Cloud/dir/doc $i" "text $i"; done
    touch -d '2001-02-03 04:05:06.123456789 UTC' "$alice/Cloud/dir"
    settled
    probe rename "$alice/Cloud/dir" "$alice/Local/dir"
    probe times "$alice/Local/dir" landed >times &
    settled
    touch landed
    wait "$!"
    expect_equal "$(cat times)" 981173106.123456789
}

# S24: a directory of placeholders goes into Local
directory_of_placeholders() {
    device alice
    plant "$alice/Cloud/tree"
    probe manifest "$alice/Cloud/tree" >wanted
    probe manifest "$alice/Cloud/tree" --listing >listing
    settled
    device bob
    wait_for "diff listing <(probe manifest $bob/Cloud/tree --listing)"
    at_once probe rename "$bob/Cloud/tree" "$bob/Local/tree"
    diff wanted <(probe manifest "$bob/Local/tree") >&2
    settled
    diff wanted <(probe manifest "$STORY/bob/local/tree") >&2
    expect_list "$alice/Cloud"
}

# S24, S25: a directory whose document is still on its way into Local moves on with it
arriving_directory_moves_on() {
    device alice
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" text
    settled
    device bob --deadline 2
    wait_for "[[ -e $bob/Cloud/dir/doc ]]"
    offline bob
    at_once probe rename "$bob/Cloud/dir" "$bob/Local/dir"
    wait_for "[[ -d $STORY/bob/local/dir ]]"
    expect_present "$bob/Local/dir/doc"
    at_once probe rename "$bob/Local/dir" "$bob/Cloud/back"
    expect_list "$bob/Local"
    expect_list "$bob/Cloud/back" doc
    online bob
    settled
    expect_file "$bob/Cloud/back/doc" text
    expect_file "$alice/Cloud/back/doc" text
    expect_list "$alice/Cloud" back
}

# S24, S25: a directory that something is still on its way into is not empty: no rename replaces it
arriving_directory_is_not_empty() {
    device alice
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" text
    settled
    device bob --deadline 2
    wait_for "[[ -e $bob/Cloud/dir/doc ]]"
    mkdir "$bob/Cloud/other" "$bob/Local/other"
    offline bob
    at_once probe rename "$bob/Cloud/dir" "$bob/Local/dir"
    wait_for "[[ -d $STORY/bob/local/dir ]]"
    refused ENOTEMPTY probe rename "$bob/Cloud/other" "$bob/Local/dir"
    refused ENOTEMPTY probe rename "$bob/Local/other" "$bob/Local/dir"
    refused ENOTEMPTY rmdir "$bob/Local/dir"
    online bob
    wait_for "[[ -e $STORY/bob/local/dir/doc ]]"
    expect_file "$bob/Local/dir/doc" text
}

# The stories of two filesystems: --state and Local are on one each.
two_filesystems() {
    mkdir -p alice/state alice/local
    mount -t tmpfs tmpfs alice/state || skip 'cannot mount here'
    mount -t tmpfs tmpfs alice/local
    chmod 700 alice/state
    device alice
    device bob
}

two_filesystems_end() {
    settled
    stop alice bob
    umount alice/state alice/local
    no_rest
}

# S24, Root: --local and --state on two filesystems: both ways, documents and directories
across_two_filesystems() {
    two_filesystems
    plant "$alice/Local/tree"
    probe manifest "$alice/Local/tree" >wanted
    big "$alice/Local/doc" 4 mark-of-doc
    cp "$alice/Local/doc" doc
    at_once probe rename "$alice/Local/tree" "$alice/Cloud/tree"
    at_once probe rename "$alice/Local/doc" "$alice/Cloud/doc"
    diff wanted <(probe manifest "$alice/Cloud/tree") >&2
    cmp doc "$alice/Cloud/doc"
    settled
    diff wanted <(probe manifest "$bob/Cloud/tree") >&2
    expect_list "$alice/Local"
    at_once probe rename "$alice/Cloud/tree" "$alice/Local/back"
    at_once probe rename "$alice/Cloud/doc" "$alice/Local/doc back"
    diff wanted <(probe manifest "$alice/Local/back") >&2
    cmp doc "$alice/Local/doc back"
    settled
    diff wanted <(probe manifest "$STORY/alice/local/back") >&2
    cmp doc "$STORY/alice/local/doc back"
    expect_list "$bob/Cloud"
    two_filesystems_end
}

# writer_across FROM TO: a writer that opened FROM goes on after the rename; TO has all it wrote.
writer_across() {
    write_to "$1" one
    settled
    exec 3>>"$1"
    echo two >&3
    at_once probe rename "$1" "$2"
    echo three >&3
    expect_equal "$(cat "$2")" $'one\ntwo\nthree'
    sleep 1
    echo four >&3
    expect_equal "$(cat "$2")" $'one\ntwo\nthree\nfour'
    exec 3>&-
    settled
    expect_equal "$(cat "$2")" $'one\ntwo\nthree\nfour'
    expect_absent "$1"
}

# S24: a writer holds the document open across the move into the cloud
writer_into_the_cloud() {
    device alice
    device bob
    writer_across "$alice/Local/doc" "$alice/Cloud/doc"
    same_trees alice bob
    expect_equal "$(cat "$bob/Cloud/doc")" $'one\ntwo\nthree\nfour'
    expect_list "$STORY/alice/local"
}

# S24: a writer holds the document open across the move into Local
writer_out_of_the_cloud() {
    device alice
    device bob
    writer_across "$alice/Cloud/doc" "$alice/Local/doc"
    expect_equal "$(cat "$STORY/alice/local/doc")" $'one\ntwo\nthree\nfour'
    expect_list "$bob/Cloud"
    expect_absent "$container/doc"
}

# S24, Root: the same where Local and the state are on two filesystems
writer_across_two_filesystems() {
    two_filesystems
    writer_across "$alice/Local/doc" "$alice/Cloud/doc"
    expect_equal "$(cat "$bob/Cloud/doc")" $'one\ntwo\nthree\nfour'
    writer_across "$alice/Cloud/other" "$alice/Local/other"
    expect_equal "$(cat "$STORY/alice/local/other")" $'one\ntwo\nthree\nfour'
    expect_list "$bob/Cloud" doc
    two_filesystems_end
}

# S24: RENAME_NOREPLACE and RENAME_EXCHANGE between scopes
flags_across_scopes() {
    device alice
    device bob
    write_to "$alice/Local/local" 'from local'
    write_to "$alice/Cloud/cloud" 'from the cloud'
    settled
    refused EEXIST probe rename "$alice/Local/local" "$alice/Cloud/cloud" noreplace
    refused EEXIST probe rename "$alice/Cloud/cloud" "$alice/Local/local" noreplace
    probe rename "$alice/Local/local" "$alice/Cloud/cloud" exchange
    expect_file "$alice/Local/local" 'from the cloud'
    expect_file "$alice/Cloud/cloud" 'from local'
    settled
    expect_file "$STORY/alice/local/local" 'from the cloud'
    expect_file "$bob/Cloud/cloud" 'from local'
    expect_list "$alice/Local" local
    expect_list "$bob/Cloud" cloud
    probe rename "$alice/Local/local" "$alice/Cloud/new" noreplace
    settled
    expect_file "$bob/Cloud/new" 'from the cloud'
}

# S24: a move over a document that is there replaces it, as rename(2) does, and keeps its identity
move_over() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'from the cloud'
    write_to "$alice/Local/doc" 'from local'
    write_to "$alice/Local/second" 'second in local'
    settled
    local id
    id=$(id_of "$alice/Cloud/doc")
    mv -f "$alice/Local/doc" "$alice/Cloud/doc"
    settled
    expect_file "$bob/Cloud/doc" 'from local'
    expect_equal "$(id_of "$alice/Cloud/doc")" "$id"
    expect_equal "$(versions_of doc)" 1
    mv -f "$alice/Cloud/doc" "$alice/Local/second"
    settled
    expect_file "$STORY/alice/local/second" 'from local'
    expect_list "$bob/Cloud"
    mkdir "$alice/Local/full" "$alice/Cloud/full"
    write_to "$alice/Cloud/full/inner" text
    write_to "$alice/Local/full/inner" text
    refused ENOTEMPTY probe rename "$alice/Local/full" "$alice/Cloud/full"
    refused ENOTEMPTY probe rename "$alice/Cloud/full" "$alice/Local/full"
}

# S24: between containers the source goes only after the destination's store has acknowledged
between_containers() {
    mkdir -p second
    device alice --cloud Work=file://$STORY/second
    plant "$alice/Cloud/tree"
    probe manifest "$alice/Cloud/tree" >wanted
    settled
    at_once probe rename "$alice/Cloud/tree" "$alice/Work/tree"
    diff wanted <(probe manifest "$alice/Work/tree") >&2
    wait_for "[[ -e second/tree/inner/doc && ! -e $container/tree ]]"
    diff wanted <(probe manifest "$alice/Work/tree") >&2
    cmp second/tree/doc "$alice/Work/tree/doc"
}

# S24: to another container and back before anything was sent, and two directories that change places
between_containers_and_back() {
    mkdir -p second
    device alice --cloud Work=file://$STORY/second
    plant "$alice/Cloud/tree"
    mkdir "$alice/Work/other"
    write_to "$alice/Work/other/letter" 'of the other container'
    probe manifest "$alice/Cloud/tree" >wanted
    settled
    probe rename "$alice/Cloud/tree" "$alice/Work/tree"
    probe rename "$alice/Work/tree" "$alice/Cloud/tree"
    settled
    diff wanted <(probe manifest "$alice/Cloud/tree") >&2
    wait_for "[[ -e $container/tree/inner/doc && ! -e second/tree ]]"
    probe rename "$alice/Cloud/tree" "$alice/Work/other" exchange
    wait_for "[[ -e $container/tree/letter && ! -e $container/tree/inner ]]"
    wait_for '[[ -e second/other/inner/doc && ! -e second/other/letter ]]'
    settled
    diff wanted <(probe manifest "$alice/Work/other") >&2
    expect_list "$alice/Cloud/tree" letter
    expect_file "$alice/Cloud/tree/letter" 'of the other container'
}

# S24: a save of what has just moved to another container does not empty the old one too early
between_containers_and_saved() {
    ln -s "$STORY/nowhere" second
    device alice --cloud Work=file://$STORY/second
    write_to "$alice/Cloud/doc" 'version one'
    wait_for '[[ $(attr "$alice/Cloud/doc" upload) == uploaded ]]'
    probe rename "$alice/Cloud/doc" "$alice/Work/doc"
    sed -i 's/one/two/' "$alice/Work/doc"
    sleep 1.5
    expect_file "$container/doc" 'version one'
    mkdir nowhere
    wait_for '[[ -e nowhere/doc ]]'
    wait_for "[[ ! -e $container/doc ]]"
    expect_file nowhere/doc 'version two'
}

# S24, S20: a version that another device sends after the move into Local stays in the cloud
edited_elsewhere_during_move() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'version one'
    settled
    cat "$bob/Cloud/doc" >/dev/null
    settled
    offline bob
    write_to "$bob/Cloud/doc" 'edited by bob'
    pass_settle
    mv "$alice/Cloud/doc" "$alice/Local/doc"
    settled
    expect_file "$STORY/alice/local/doc" 'version one'
    online bob
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/doc" 'edited by bob'
    expect_file "$STORY/alice/local/doc" 'version one'
}

# in_one_scope NAME PATH PATH: the document is at exactly one of the two, with the text `text of it`.
in_one_scope() {
    local found=0 path
    for path in "$1" "$2"; do
        if [[ -e $path ]]; then
            found=$((found + 1))
            expect_file "$path" 'text of it'
        fi
    done
    expect_equal "$found" 1 "scopes that hold ${1##*/}"
}

# S25: killed at any moment of a move, the document is in one scope after the restart, and stays
killed_while_moving() {
    device alice
    local round names=()
    for round in 0 0.01 0.03 0.06 0.1 0.15 0.2 0.25 0.3 0.4 0.5; do
        write_to "$alice/Local/up $round" 'text of it'
        write_to "$alice/Cloud/down $round" 'text of it'
        names+=("up $round" "down $round")
    done
    settled
    local name
    for round in 0 0.01 0.03 0.06 0.1 0.15 0.2 0.25 0.3 0.4 0.5; do
        probe rename "$alice/Local/up $round" "$alice/Cloud/up $round"
        probe rename "$alice/Cloud/down $round" "$alice/Local/down $round"
        sleep $round
        kill9 alice
        restart alice
        for name in "up $round" "down $round"; do
            in_one_scope "$alice/Local/$name" "$alice/Cloud/$name"
        done
    done
    settled
    for name in "${names[@]}"; do in_one_scope "$alice/Local/$name" "$alice/Cloud/$name"; done
    expect_equal "$(ls "$STORY/alice/local" | grep -c down)" 11
    expect_equal "$(ls "$container" | grep -c up)" 11
    expect_equal "$(ls "$container" | grep -c down)" 0
}

# S25: killed while a directory moves, nothing in it is lost or doubled
killed_while_moving_directory() {
    device alice
    local round
    for round in 0 0.05 0.15 0.3; do
        plant "$alice/Local/tree"
        probe manifest "$alice/Local/tree" >wanted
        probe rename "$alice/Local/tree" "$alice/Cloud/tree"
        sleep $round
        kill9 alice
        restart alice
        diff wanted <(probe manifest "$alice/Cloud/tree") >&2
        settled
        expect_absent "$STORY/alice/local/tree"
        probe rename "$alice/Cloud/tree" "$alice/Local/tree"
        sleep $round
        kill9 alice
        restart alice
        diff wanted <(probe manifest "$alice/Local/tree") >&2
        settled
        diff wanted <(probe manifest "$STORY/alice/local/tree") >&2
        expect_absent "$container/tree"
        rm -r "$alice/Local/tree"
    done
}

# S25: at every instant of a move the document is reachable in one scope at least
always_reachable() {
    device alice
    write_to "$alice/Local/doc" 'text of it'
    settled
    /usr/bin/python3 -IS -c '
import os, sys
places, stop = sys.argv[1:3], sys.argv[3]
missing = 0
while not os.path.exists(stop):
    if not any(os.path.exists(p) for p in places) and not any(os.path.exists(p) for p in places):
        missing += 1
print(missing)' "$alice/Local/doc" "$alice/Cloud/doc" "$STORY/stop" >missing &
    local watcher=$! i
    for i in 1 2 3 4 5 6; do
        probe rename "$alice/Local/doc" "$alice/Cloud/doc"
        sleep 0.5
        probe rename "$alice/Cloud/doc" "$alice/Local/doc"
        sleep 0.5
    done
    touch stop
    wait $watcher
    expect_equal "$(cat missing)" 0 'times at which it was nowhere'
    settled
    wait_for "[[ -e $STORY/alice/local/doc ]]"
    expect_file "$STORY/alice/local/doc" 'text of it'
    expect_absent "$container/doc"
}

# S25: a rename inside a scope transfers no byte and keeps id and history on every device
rename_keeps_history() {
    device alice
    write_to "$alice/Cloud/doc" 'version one'
    settled
    big "$alice/Cloud/doc" 1 mark-of-doc
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/doc ]]"
    local id
    id=$(id_of "$bob/Cloud/doc")
    mkdir "$bob/Cloud/dir"
    mv "$bob/Cloud/doc" "$bob/Cloud/dir/renamed"
    settled
    expect_placeholder "$bob/Cloud/dir/renamed"
    expect_no_bytes bob mark-of-doc
    expect_equal "$(id_of "$alice/Cloud/dir/renamed")" "$id"
    expect_equal "$(versions_of dir/renamed)" 1
    expect_list "$alice/Cloud" dir
    expect_absent "$container/doc"
    same_trees alice bob
}

# S25: over an existing document the destination's identity stays, and its old body is a version
rename_over() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'old body'
    write_to "$alice/Cloud/other" 'new body'
    settled
    local id
    id=$(id_of "$alice/Cloud/doc")
    mv -f "$bob/Cloud/other" "$bob/Cloud/doc"
    settled
    same_trees alice bob
    expect_list "$alice/Cloud" doc
    expect_file "$alice/Cloud/doc" 'new body'
    expect_equal "$(id_of "$alice/Cloud/doc")" "$id"
    grep -qxh 'old body' "$alice"/.docfs/versions/Cloud/doc/* || fail 'the old body is no version'
}

# S25: a directory of two hundred is renamed at once here, and by one step for the other device
rename_directory() {
    device alice
    device bob
    mkdir -p "$alice/Cloud/dir/inner"
    seq -f "$alice/Cloud/dir/inner/document %.0f" 200 | xargs -d '\n' touch
    plant "$alice/Cloud/dir/tree"
    settled
    at_once mv "$alice/Cloud/dir" "$alice/Cloud/renamed"
    wait_for "[[ -e $bob/Cloud/renamed && ! -e $bob/Cloud/dir ]]"
    settled
    same_trees alice bob
    expect_equal "$(ls "$bob/Cloud/renamed/inner" | wc -l)" 200
    expect_absent "$container/dir"
    mv "$bob/Cloud/renamed" "$bob/Cloud/dir"
    mv "$bob/Cloud/dir/inner" "$bob/Cloud/inner"
    mv "$bob/Cloud/dir/tree" "$bob/Cloud/inner/tree"
    settled
    same_trees alice bob
    expect_list "$alice/Cloud" dir inner
}

# S25: killed while a directory is renamed, both devices have one directory in the end, and all of it
killed_while_renaming_directory() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    seq -f "$alice/Cloud/dir/document %.0f" 100 | xargs -d '\n' touch
    plant "$alice/Cloud/dir/tree"
    settled
    probe manifest "$alice/Cloud/dir" >wanted
    local round from=dir
    for round in 0 0.1 0.2 0.25 0.3 0.35 0.4 0.5; do
        mv "$alice/Cloud/$from" "$alice/Cloud/dir $round"
        sleep $round
        kill9 alice
        restart alice
        from="dir $round"
        diff wanted <(probe manifest "$alice/Cloud/$from") >&2
    done
    settled
    expect_list "$alice/Cloud" "$from"
    expect_list "$container" "$from"
    diff wanted <(probe manifest "$bob/Cloud/$from") >&2
    same_trees alice bob
}

# S25: exchange and noreplace inside a cloud scope
flags_within_scope() {
    device alice
    device bob
    write_to "$alice/Cloud/one" one
    write_to "$alice/Cloud/two" two
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/inner" inner
    settled
    refused EEXIST probe rename "$alice/Cloud/one" "$alice/Cloud/two" noreplace
    probe rename "$alice/Cloud/one" "$alice/Cloud/two" exchange
    settled
    expect_file "$bob/Cloud/one" two
    expect_file "$bob/Cloud/two" one
    probe rename "$alice/Cloud/one" "$alice/Cloud/dir" exchange
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/dir" two
    expect_file "$bob/Cloud/one/inner" inner
    refused EINVAL probe rename "$alice/Cloud/one" "$alice/Cloud/one/below"
}
