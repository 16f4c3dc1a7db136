# S23: what goes wrong with the container's folder is never a delete.

# Twenty documents that alice has read and bob has not.
twenty_documents() {
    device alice
    mkdir "$alice/Cloud/dir"
    local i
    for i in $(seq 10); do
        write_to "$alice/Cloud/doc $i" "text $i"
        write_to "$alice/Cloud/dir/doc $i" "text $i in dir"
    done
    settled
    device bob
    wait_for "[[ \$(find $bob/Cloud -type f | wc -l) == 20 ]]"
    probe manifest "$alice/Cloud" --listing >wanted
    wait_for 'diff wanted <(probe manifest "$bob/Cloud" --listing)'
}

# Both devices are offline, say why, list everything, and take edits.
expect_offline_but_whole() {
    local name
    for name in alice bob; do
        wait_for "is_away $name"
        [[ -n $(probe field "${!name}" error) ]] || fail "$name does not say why"
        grep -q '^Cloud: offline' "${!name}/.docfs/status" || fail "$name's status does not say offline"
        diff wanted <(probe manifest "${!name}/Cloud" --listing) >&2 || fail "$name's listing changed"
    done
    expect_file "$alice/Cloud/doc 3" 'text 3'
    write_to "$alice/Cloud/doc 5" 'edited by alice'
    write_to "$bob/Cloud/new by bob" 'new'
    rm "$alice/Cloud/dir/doc 7"
    pass_settle
}

# The edits made meanwhile have arrived, and nothing else has changed.
expect_all_back() {
    wait_for '! is_away alice && ! is_away bob'
    settled
    same_trees alice bob
    expect_equal "$(find "$alice/Cloud" -type f | wc -l)" 20
    expect_file "$bob/Cloud/doc 5" 'edited by alice'
    expect_file "$alice/Cloud/new by bob" new
    expect_absent "$bob/Cloud/dir/doc 7"
    expect_file "$bob/Cloud/dir/doc 8" 'text 8 in dir'
}

# S23: the folder disappears and comes back
folder_disappears() {
    twenty_documents
    mv "$container" away
    expect_offline_but_whole
    mv away "$container"
    expect_all_back
}

# S23: the folder is emptied while mounted, marker and all
folder_is_emptied() {
    twenty_documents
    mkdir away
    mv "$container"/* "$container/.docfs" away/
    expect_offline_but_whole
    expect_equal "$(find "$container" -type f | wc -l)" 0 'documents written into a folder that is no container'
    mv away/* away/.docfs "$container/"
    expect_all_back
}

# S23: an empty folder takes its place, as an unmounted disk leaves one; restarts change nothing
empty_folder_in_its_place() {
    twenty_documents
    mv "$container" away
    mkdir "$container"
    expect_offline_but_whole
    restart alice bob
    wait_for '[[ -n $(probe field "$alice" error) && -n $(probe field "$bob" error) ]]'
    wait_for 'is_away alice && is_away bob'
    expect_equal "$(find "$alice/Cloud" -type f | wc -l)" 19
    expect_equal "$(find "$container" -type f | wc -l)" 0 'documents written into a folder that is no container'
    rmdir "$container" || rm -r "$container"
    mv away "$container"
    expect_all_back
}

# S23: the marker is lost and put back
marker_is_lost() {
    twenty_documents
    mv "$container/.docfs/container.json" marker
    touch "$container/.docfs"
    expect_offline_but_whole
    expect_absent "$container/.docfs/container.json"
    mv marker "$container/.docfs/container.json"
    expect_all_back
}

# S23: another container's folder is at the same place
another_container() {
    twenty_documents
    mkdir other
    local container=$STORY/other
    device carol --cloud Other=file://$STORY/other
    wait_for '[[ -e other/.docfs/container.json ]]'
    stop carol
    unset 'devices[2]'
    container=$STORY/container
    write_to other/foreign 'of another container'
    mv "$container" away
    mv other "$container"
    expect_offline_but_whole
    expect_equal "$(ls "$container")" foreign 'written into a container that is not ours'
    restart alice
    wait_for 'is_away alice && [[ -n $(probe field "$alice" error) ]]'
    expect_absent "$alice/Cloud/foreign"
    mv "$container" other
    mv away "$container"
    expect_all_back
}

# S23: the marker is overwritten in place, or replaced: seen at once, nothing is sent there, and nothing goes
marker_is_exchanged_in_place() {
    twenty_documents
    local marker=$container/.docfs/container.json
    cp "$marker" ours
    sed 's/[0-9a-f]\{8\}"/00000000"/' ours >theirs
    ! cmp -s ours theirs || fail 'the markers are the same'
    cat theirs >"$marker"
    expect_offline_but_whole
    expect_absent "$container/new by bob"
    expect_file "$container/dir/doc 7" 'text 7 in dir'
    cat ours >"$marker"
    expect_all_back
    cp theirs replaced
    mv replaced "$marker"
    wait_for 'is_away alice && is_away bob'
    cp ours replaced
    mv replaced "$marker"
    expect_all_back
}

# S23, S32, Root: the folder turns read-only: nothing is lost, the edit says why it waits, and is sent later
folder_turns_read_only() {
    mkdir -p "$container"
    mount -t tmpfs tmpfs "$container" || skip 'cannot mount here'
    device alice
    write_to "$alice/Cloud/doc" 'version one'
    settled
    mount -o remount,ro "$container"
    write_to "$alice/Cloud/doc" 'version two'
    write_to "$alice/Cloud/new" new
    wait_for "[[ -n \$(attr $alice/Cloud/doc error) ]]"
    expect_file "$alice/Cloud/doc" 'version two'
    # Each try again is `uploading` for a moment.
    wait_for "[[ \$(attr $alice/Cloud/doc upload) == error ]]"
    [[ ,$(attr "$alice/Cloud/doc" state), == *,saving-error,* ]] || fail 'the state does not say so'
    expect_file "$container/doc" 'version one'
    mount -o remount,rw "$container"
    wait_for "grep -qx 'version two' $container/doc"
    settled
    expect_file "$container/new" new
    expect_equal "$(attr "$alice/Cloud/doc" error)" ''
    stop alice
    umount "$container"
    no_rest
}

# is_on_a_read_only_disk NAME: the device is online, says that it may not write, and takes no change.
is_on_a_read_only_disk() {
    local mount=$STORY/$1/mnt
    wait_for "[[ \$(probe field '$mount' online) == true ]]"
    wait_for "[[ \$(probe field '$mount' guarantee) == read-only,*'the filesystem is read-only'* ]]"
    refused EROFS touch "$mount/Cloud/new"
    refused EROFS rm -f "$mount/Cloud/doc"
    refused EROFS probe rename "$mount/Cloud/doc" "$mount/Local/doc"
}

# S12, S23, S32, Foreign, Root: a folder on a disk that is only read, and that is no container: what is there is
# shown, read and followed. Where the disk was unmounted nothing is made, and nothing goes
folder_on_a_read_only_disk() {
    mkdir -p disk/dir
    write_to disk/dir/below text
    write_to disk/doc one
    folder_is_seen_through ro
    device alice --poll 0.3
    wait_for '[[ -e $alice/Cloud/dir/below && -e $alice/Cloud/doc ]]'
    expect_file "$alice/Cloud/doc" one
    is_on_a_read_only_disk alice
    [[ $(probe field "$alice" guarantee) == *'no container'* ]] || fail 'it does not say that there is no container'
    write_to disk/doc two
    write_to disk/dir/later later
    rm disk/dir/below
    wait_for 'grep -qx two "$alice/Cloud/doc" && [[ -e $alice/Cloud/dir/later && ! -e $alice/Cloud/dir/below ]]'
    is_on_a_read_only_disk alice
    umount -l "$container"
    write_to "$container/.not-mounted" ''
    wait_for 'is_away alice'
    restart alice
    wait_for 'is_away alice && [[ -n $(probe field "$alice" error) ]]'
    expect_file "$alice/Cloud/doc" two
    expect_list "$alice/Cloud/dir" later
    expect_equal "$(ls -A "$container")" .not-mounted 'what lies where the disk had been'
    folder_is_seen_through ro
    is_on_a_read_only_disk alice
    expect_file "$alice/Cloud/dir/later" later
    expect_list disk dir doc
    # The disk can be written by now.
    mount -o remount,bind,rw "$container"
    wait_for 'touch "$alice/Cloud/mine" 2>/dev/null'
    settled
    expect_list disk dir doc mine
    expect_file "$alice/Cloud/doc" two
    [[ $(probe field "$alice" guarantee) != *read-only* ]] || fail 'it says that it is read-only'
    stop alice
    umount "$container"
    no_rest
}

# S12, S32, Root: a container on a disk that is only read is shown and followed; on a disk that becomes a container
# meanwhile that counts
container_on_a_read_only_disk() {
    mkdir -p disk
    write_to disk/doc one
    folder_is_seen_through ro
    device alice --poll 0.3
    wait_for '[[ -e $alice/Cloud/doc ]]'
    is_on_a_read_only_disk alice
    device bob
    stop bob
    ln -sfn ../disk "$STORY/bob/container"
    start bob
    wait_for 'touch "$bob/Cloud/new" 2>/dev/null'
    write_to "$bob/Cloud/new" 'of bob'
    wait_for 'grep -qx "of bob" "$alice/Cloud/new"'
    wait_for '[[ $(probe field "$alice" guarantee) != *"no container"* ]]'
    expect_file "$alice/Cloud/new" 'of bob'
    is_on_a_read_only_disk alice
    # As its next start finds it.
    restart alice
    is_on_a_read_only_disk alice
    write_to "$bob/Cloud/doc" two
    mv "$bob/Cloud/new" "$bob/Cloud/renamed"
    wait_for 'grep -qx two "$alice/Cloud/doc" && [[ -e $alice/Cloud/renamed ]]'
    expect_list "$alice/Cloud" doc renamed
    mount -o remount,bind,rw "$container"
    wait_for 'touch "$alice/Cloud/mine" 2>/dev/null'
    settled
    same_trees alice bob
    expect_list "$bob/Cloud" doc mine renamed
    stop alice
    stop bob
    umount "$container"
    no_rest
}

# S12, S32: a folder that this user may not write is one to be read, container or not, and is as any other as soon as
# he may write it
folder_that_may_not_be_written() {
    mkdir -p "$container/dir"
    write_to "$container/dir/below" text
    write_to "$container/doc" one
    may_be_written no
    device alice --poll 0.3
    wait_for '[[ -e $alice/Cloud/dir/below && -e $alice/Cloud/doc ]]'
    wait_for '[[ $(probe field "$alice" guarantee) == read-only,*"no container"* ]]'
    expect_file "$alice/Cloud/doc" one
    refused EROFS touch "$alice/Cloud/new"
    refused EROFS probe rename "$alice/Cloud/doc" "$alice/Local/doc"
    expect_list "$container" dir doc
    may_be_written yes
    wait_for 'append_to "$alice/Cloud/doc" two 2>/dev/null'
    settled
    expect_file "$container/doc" $'one\ntwo'
}

# may_be_written yes|no: the container's folder, by this user.
may_be_written() {
    if ((EUID != 0)); then
        chmod "$([[ $1 == yes ]] && echo 755 || echo 555)" "$container"
    elif [[ $1 == yes ]]; then
        umount -l "$container"
    else
        mount --bind "$container" "$container" || skip 'cannot mount here'
        mount -o remount,bind,ro "$container"
    fi
}

# S23, S32, Root: the folder is full: EDQUOT in words, a waiting edit, sent when there is room
folder_fills_up() {
    mkdir -p "$container"
    mount -t tmpfs -o size=4m tmpfs "$container" || skip 'cannot mount here'
    device alice
    write_to "$alice/Cloud/small" small
    settled
    big "$alice/Cloud/large" 8 mark-of-large
    wait_for "[[ \$(attr $alice/Cloud/large upload) == error ]]"
    grep -qi 'full' <<<"$(attr "$alice/Cloud/large" error)" || fail "the error does not say full: $(
        attr "$alice/Cloud/large" error)"
    expect_equal "$(stat -c %s "$alice/Cloud/large")" $((8 << 20))
    expect_absent "$container/large"
    expect_file "$alice/Cloud/small" small
    mount -o remount,size=64m "$container"
    wait_for "cmp $alice/Cloud/large $container/large"
    settled
    expect_equal "$(attr "$alice/Cloud/large" error)" ''
    stop alice
    no_rest
}

# S23: more than 500 deletes, and more than half of the container, wait for a confirmation
mass_delete_waits() {
    mkdir -p "$container/dir"
    seq -f "$container/dir/document %.0f" 600 | xargs -d '\n' -I{} sh -c 'echo text >"{}"'
    write_to "$container/kept" text
    device alice
    device bob
    local name
    for name in alice bob; do wait_for "[[ \$(ls ${!name}/Cloud/dir | wc -l) == 600 ]]"; done
    settled
    # All at once: what goes one by one may be believed one by one.
    mv "$container/dir" "$STORY/away"
    wait_for 'grep -q "held back" "$alice/.docfs/status"'
    expect_equal "$(ls "$alice/Cloud/dir" | wc -l)" 600
    expect_equal "$(ls "$bob/Cloud/dir" | wc -l)" 600
    write_to "$alice/Cloud/new" 'still working'
    wait_for "grep -qx 'still working' $bob/Cloud/new"
    setfattr -n user.docfs.confirm-deletes -v yes "$alice/Cloud"
    wait_for "[[ -z \$(ls $alice/Cloud/dir) && -z \$(ls $bob/Cloud/dir) ]]"
    settled
    same_trees alice bob
}

# S23: more than 500 deletes made here wait too: the other device keeps its documents
mass_delete_here_waits() {
    device alice
    mkdir "$alice/Cloud/dir"
    seq -f "$alice/Cloud/dir/document %.0f" 600 | xargs -d '\n' touch
    settled
    device bob
    wait_for "[[ \$(ls $bob/Cloud/dir | wc -l) == 600 ]]"
    # She counts them all together, however long it takes.
    offline alice
    rm -r "$alice/Cloud/dir"
    online alice
    wait_for 'grep -q "held back" "$alice/.docfs/status"'
    expect_equal "$(ls "$bob/Cloud/dir" | wc -l)" 600
    expect_absent "$alice/Cloud/dir"
    setfattr -n user.docfs.confirm-deletes -v yes "$alice/Cloud"
    wait_for "[[ ! -e $bob/Cloud/dir ]]"
    settled
    same_trees alice bob
}

# S23: when most of the deletes that were held are taken back, the others need no word
mass_delete_taken_back() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    seq -f "$alice/Cloud/dir/document %.0f" 600 | xargs -d '\n' touch
    settled
    offline alice
    rm "$alice"/Cloud/dir/*
    online alice
    wait_for 'grep -q "held back" "$alice/.docfs/status"'
    seq -f "$alice/Cloud/dir/document %.0f" 400 | xargs -d '\n' touch
    wait_for "[[ \$(ls $bob/Cloud/dir | wc -l) == 400 ]]"
    settled
    same_trees alice bob
    ! grep 'held back' "$alice/.docfs/status" >&2 || fail 'the status still speaks of deletes'
}

# S23: a folder on a filesystem that refuses renameat2's flags and sends no events works too
folder_on_the_network() {
    [[ -x $SLOW_FOLDER ]] || skip 'slow-folder was not built'
    local name
    mkdir -p control "$container"
    for name in alice bob; do
        mkdir -p $name
        mkdir $name/seen
        setsid "$SLOW_FOLDER" "$container" "$STORY/control" "$STORY/$name/seen" &
        echo $! >>"$STORY/pids"
        wait_for "mountpoint -q $name/seen" || skip 'cannot mount here'
        device $name --poll 0.5
        rm $name/container
        ln -s seen $name/container
        restart $name
    done
    write_to "$alice/Cloud/doc" 'by alice'
    wait_for "grep -qx 'by alice' $bob/Cloud/doc"
    mkdir "$bob/Cloud/dir"
    mv "$bob/Cloud/doc" "$bob/Cloud/dir/doc"
    append_to "$bob/Cloud/dir/doc" 'by bob'
    wait_for "grep -qx 'by bob' $alice/Cloud/dir/doc"
    rm "$alice/Cloud/dir/doc"
    wait_for "[[ -z \$(ls $bob/Cloud/dir) ]]"
    write_to "$container/foreign" 'by another program'
    wait_for "grep -qx 'by another program' $alice/Cloud/foreign"
    wait_for "grep -qx 'by another program' $bob/Cloud/foreign"
    settled
    same_trees alice bob
    stop alice bob
    no_rest
}

# S33: one folder under two names is one container: the second scope stays offline and says so, and no
# document is lost for a move from one to the other
one_folder_under_two_names() {
    ln -s "$container" "$STORY/other-name"
    device alice --cloud "Again=file://$STORY/other-name"
    write_to "$alice/Cloud/doc" text
    wait_for '[[ -e $container/doc ]]'
    wait_for "grep -q 'offline: .*is the container that .* shows already' $alice/.docfs/status"
    mv "$alice/Cloud/doc" "$alice/Again/doc" 2>/dev/null || true
    sleep 2
    # Again and again: it may just be on its way from one place to another.
    wait_for 'grep -rqsx text "$container"'
    restart alice
    wait_for "grep -q 'offline: .*is the container that .* shows already' $alice/.docfs/status"
    [[ $(cat "$alice/Cloud/doc" "$alice/Again/doc" 2>/dev/null) == text* ]] || fail 'the document is gone'
    no_rest
}

# S23: .docfs is gone for good: the status says what to do, and one command makes a new container of
# what lies there and of what the devices have, edits that were not sent and what only one of them has
# among it
docfs_is_gone_for_good() {
    twenty_documents
    mv "$alice/Cloud/doc 9" "$alice/Local/"
    settled
    mv "$alice/Local/doc 9" "$alice/Cloud/moved in"
    settled
    mkdir gone
    mv "$container/.docfs" "$container/doc 6" gone/
    wait_for 'is_away alice && is_away bob'
    write_to "$alice/Cloud/doc 5" 'edited by alice'
    write_to "$alice/Cloud/new" 'new by alice'
    append_to "$alice/Cloud/moved in" 'edited'
    expect_file "$alice/Cloud/doc 6" 'text 6'
    local name command modified
    modified=$(mtime "$alice/Cloud/doc 7")
    for name in alice bob; do
        wait_for "grep -q '^Cloud: offline: .* has no .docfs' ${!name}/.docfs/status"
        command=$(sed -n "s/^  way out .*\(touch '[^']*'\).*/\1/p" "${!name}/.docfs/status")
        expect_equal "$command" "touch '$STORY/$name/state/new-container.Cloud'"
        grep -q "advice.*$STORY/$name/state/new-container.Cloud" "${!name}/.docfs/status.json"
        gives 1 "$DOCFS" doctor "${!name}"
        says "$command"
    done
    for name in alice bob; do
        stop "$name"
        touch "$STORY/$name/state/new-container.Cloud"
        start "$name"
        wait_for "! is_away $name"
    done
    wait_for '[[ $(cat "$bob/Cloud/doc 5") == "edited by alice" && -e $bob/Cloud/new ]]'
    wait_for '[[ -e $bob/Cloud/doc\ 6 ]]'
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/new" 'new by alice'
    expect_equal "$(tail -1 "$bob/Cloud/moved in")" edited
    expect_file "$bob/Cloud/doc 7" 'text 7'
    expect_equal "$(mtime "$bob/Cloud/doc 7")" "$modified" 'time of a document that nobody edited'
    expect_equal "$(ls "$bob/Cloud" | grep -c conflict)" 0 'conflict versions'
    restart alice bob
    settled
    same_trees alice bob
    expect_absent alice/state/new-container.Cloud
}

# keeps_log FILE: a program that keeps FILE open and appends lines, ten a second, until `enough` is there.
keeps_log() {
    local i=0
    (
        exec 5>>"$1"
        until [[ -e $STORY/enough ]]; do
            echo "line $((++i))" >&5
            sleep 0.1
        done
    ) &
    works=$!
    echo $works >>"$STORY/pids"
}

# S8, S14: a log that a program of nobody keeps open and goes on writing can be read on all devices all the
# time, they see its lines before it is closed, and in the end they have all of it
log_that_is_held_open() {
    device alice
    device bob
    echo 'line 0' >"$container/app.log"
    wait_for "[[ -e $bob/Cloud/app.log && -e $alice/Cloud/app.log ]]"
    keeps_log "$container/app.log"
    local name count most=0 end=$((SECONDS + patience))
    # Several times what a device sees at its first look.
    while ((most <= 60 && SECONDS < end)); do
        for name in alice bob; do
            cat "${!name}/Cloud/app.log" >seen || fail "$name cannot read"
            count=$(wc -l <seen)
            seq -f 'line %.0f' 0 $((count - 1)) | cmp - seen || fail "$name reads what was never there"
        done
        ((count <= most)) || most=$count
        sleep 0.03
    done
    touch enough
    wait "$works"
    ((most > 60)) || fail "bob saw $most lines before it was closed"
    settled
    seq -f 'line %.0f' 0 $(($(wc -l <"$container/app.log") - 1)) >wanted
    cmp wanted "$container/app.log"
    cmp wanted "$alice/Cloud/app.log"
    cmp wanted "$bob/Cloud/app.log"
    same_trees alice bob
    expect_list "$bob/Cloud" app.log
    expect_equal "$(attr "$bob/Cloud/app.log" error)" ''
}

# S8, S14: who knows a log only as it was finds out what was added while it is still open, without
# reading it; a new one is seen before it is closed
log_grows_unread() {
    device alice
    device bob
    keeps_log "$container/new.log"
    wait_for "[[ \$(stat -c %s $bob/Cloud/new.log) -gt 0 ]]"
    local size
    size=$(stat -c %s "$bob/Cloud/new.log")
    wait_for "[[ \$(stat -c %s $bob/Cloud/new.log) -gt $((size + 100)) ]]"
    touch enough
    wait "$works"
    settled
    cmp "$container/new.log" "$bob/Cloud/new.log"
    local records lines
    records=$(stored .docfs/log | wc -l) lines=$(wc -l <"$container/new.log")
    # Lines may come as slowly as the machine is busy.
    ((records < 5 + lines / 3)) || fail "$records records for $lines lines"
}

# copied HOW…: two devices that were away, each with an edit of its own, come back to a copy of their container.
# Nothing changes but what they edited: no conflict, no document that is fetched again, no new inode.
copied() {
    local name numbers
    device alice --poll 0.5
    device bob --poll 0.5
    mkdir "$alice/Cloud/dir"
    for name in of-alice of-bob untouched dir/inner; do write_to "$alice/Cloud/$name" "text of $name"; done
    ln -s untouched "$alice/Cloud/link"
    setfattr -n user.tag -v blue "$alice/Cloud/untouched"
    settled
    cat "$bob"/Cloud/untouched "$bob"/Cloud/of-bob "$bob"/Cloud/dir/inner >/dev/null
    wait_for "[[ \$(attr $bob/Cloud/dir/inner download) == current ]]"
    numbers=$(stat -c '%n %i' "$alice"/Cloud/{,dir/}* "$bob"/Cloud/{,dir/}*)
    offline alice bob
    append_to "$alice/Cloud/of-alice" 'and more'
    append_to "$bob/Cloud/of-bob" 'and more'
    "$@" "$container/" "$STORY/copy"
    rm -r "$container"
    mv "$STORY/copy" "$container"
    online alice bob
    settled
    expect_equal "$(cat "$alice/.docfs/conflicts" "$bob/.docfs/conflicts")" ''
    expect_list "$alice/Cloud" dir link of-alice of-bob untouched
    for name in of-alice of-bob; do
        expect_equal "$(cat "$alice/Cloud/$name")" "text of $name"$'\n''and more'
        expect_equal "$(cat "$container/$name")" "text of $name"$'\n''and more'
    done
    expect_equal "$(attr "$bob/Cloud/untouched" download)" current
    expect_equal "$(attr "$bob/Cloud/dir/inner" download)" current
    expect_equal "$(stat -c '%n %i' "$alice"/Cloud/{,dir/}* "$bob"/Cloud/{,dir/}* | grep -v 'Cloud/of-')" \
        "$(grep -v 'Cloud/of-' <<<"$numbers")"
    same_trees alice bob
}

# S33: an exact copy of a container on another disk, or one restored from a backup, changes nothing
exact_copy_of_a_container() { copied cp -a; }

# S33: nor does one by a tool that leaves what is kept beside the documents behind
plain_copy_of_a_container() { copied cp -a --no-preserve=xattr; }
