# Without the container, and after a kill.

# S12: offline the mount starts, lists what it knew and reads what is here; a placeholder fails
offline_start() {
    device alice
    device bob --deadline 3
    write_to "$alice/Cloud/read" 'was read'
    write_to "$alice/Cloud/unread" 'was not read'
    settled
    expect_file "$bob/Cloud/read" 'was read'
    wait_for '[[ $(attr "$bob/Cloud/read" download) == current ]]'
    offline bob
    restart bob
    expect_list "$bob/Cloud" read unread
    expect_equal "$(stat -c %s "$bob/Cloud/unread")" 13
    expect_file "$bob/Cloud/read" 'was read'
    at_once refused ENETUNREACH cat "$bob/Cloud/unread"
    online bob
    wait_for "grep -qx 'was not read' $bob/Cloud/unread"
}

# S12: without the container the daemon waits for it, and does not keep a processor busy meanwhile
offline_rests() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    offline alice
    sleep 1.5 # it has been tried again by now
    local before
    before=$(processor_time alice)
    sleep 2
    (($(processor_time alice) - before < 50)) || fail 'it is busy with waiting'
    online alice
    settled
}

# S12: edits, renames, deletes and new documents made offline are sent when the container is back
offline_edits() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    local name
    for name in edited renamed removed dir/moved; do write_to "$alice/Cloud/$name" "$name"; done
    settled
    cat "$bob"/Cloud/edited >/dev/null
    offline bob
    append_to "$bob/Cloud/edited" 'by bob'
    mv "$bob/Cloud/renamed" "$bob/Cloud/new name"
    rm "$bob/Cloud/removed"
    mkdir "$bob/Cloud/new dir"
    mv "$bob/Cloud/dir/moved" "$bob/Cloud/new dir/moved"
    rmdir "$bob/Cloud/dir"
    write_to "$bob/Cloud/new" 'made offline'
    ln -s new "$bob/Cloud/link"
    pass_settle
    expect_list "$alice/Cloud" dir edited removed renamed
    restart bob
    expect_list "$bob/Cloud" edited link new 'new dir' 'new name'
    online bob
    settled
    same_trees alice bob
    expect_list "$alice/Cloud" edited link new 'new dir' 'new name'
    expect_equal "$(cat "$alice/Cloud/edited")" $'edited\nby bob'
}

# S12: going away saves: what was written, renamed and deleted a moment ago is in the container when the
# daemon has ended, by SIGTERM or by an unmount, though it is open
going_away_saves() {
    settle=600
    device alice --farewell 120
    write_to "$alice/Cloud/gone" old
    write_to "$alice/Cloud/old name" text
    restart alice
    expect_equal "$(stored . | grep -v '^.docfs' | sort)" $'gone\nold name'
    rm "$alice/Cloud/gone"
    mv "$alice/Cloud/old name" "$alice/Cloud/new name"
    exec 3>"$alice/Cloud/open"
    echo first >&3
    stop alice
    expect_equal "$(stored . | grep -v '^.docfs' | sort)" $'new name\nopen'
    # Nobody can write there any more.
    ! echo second >&3 2>/dev/null || fail 'written after the end'
    exec 3>&-
    start alice
    expect_file "$alice/Cloud/open" first
    append_to "$alice/Cloud/open" third
    fusermount3 -u "$alice"
    wait_for '! runs alice'
    unset 'process[alice]'
    device bob
    wait_for "[[ -e $bob/Cloud/open ]]"
    expect_file "$bob/Cloud/open" $'first\nthird'
    expect_list "$bob/Cloud" 'new name' open
    no_rest
}

# S12: going away waits for no store that is silent or away, and says what is not in the container
going_away_is_bounded() {
    device alice --settle 600 --farewell 1
    settled
    slow_folder "$container"
    touch control/writes
    write_to "$alice/Cloud/silent" text
    kill -TERM "${process[alice]}"
    wait_for "grep -q 'Cloud: 1 edit is not in the container yet, and kept here: silent' alice/log"
    expect_absent "$container/silent"
    # What waits for a folder in the kernel cannot end.
    rm control/writes
    wait_for '! runs alice'
    unset 'process[alice]'
    options[alice]='--farewell 600'
    start alice
    wait_for "[[ -e $container/silent ]]"
    settled
    usual_folder
    offline alice
    write_to "$alice/Cloud/away" text
    at_once stop alice
    grep -q 'not in the container yet, and kept here: away' alice/log || fail 'nothing was said'
    online alice
    start alice
    settled
    expect_file "$container/away" text
}

# S12: a second signal ends the farewell, and who mounts again meanwhile waits for it
farewell_is_cut_short() {
    device alice --settle 600 --farewell 600
    settled
    slow_folder "$container"
    touch control/writes
    write_to "$alice/Cloud/one" text
    local first=${process[alice]}
    fusermount3 -u "$alice"
    unset 'process[alice]'
    launch alice
    sleep 1 # it would have been refused by now
    kill -0 "$first" || fail 'no farewell'
    runs alice || fail 'did not wait'
    # One signal is enough, since there is no mount any more that it could end.
    ! grep -q 'kept here: one' alice/log || fail 'not waited for'
    kill -TERM "$first"
    wait_for "grep -q 'kept here: one' alice/log"
    rm control/writes
    wait_for 'answers alice'
    wait_for "[[ -e $container/one ]]"
    reap "$first"
    touch control/writes
    write_to "$alice/Cloud/two" text
    kill -TERM "${process[alice]}"
    wait_for '! mountpoint -q "$alice"'
    sleep 0.5 # it would have been told by now
    ! grep -q 'kept here: two' alice/log || fail 'not waited for'
    kill -TERM "${process[alice]}"
    wait_for "grep -q 'kept here: two' alice/log"
    rm control/writes
    wait_for '! runs alice'
    wait "${process[alice]}"
    unset 'process[alice]'
    start alice
    wait_for "[[ -e $container/two ]]"
    settled
    usual_folder
}

# S12: both devices edit different documents offline, and both have both in the end
both_offline_apart() {
    device alice
    device bob
    write_to "$alice/Cloud/one" 1
    write_to "$alice/Cloud/two" 2
    settled
    cat "$bob/Cloud/two" >/dev/null
    offline alice bob
    append_to "$alice/Cloud/one" 'by alice'
    append_to "$bob/Cloud/two" 'by bob'
    mkdir "$alice/Cloud/same dir" "$bob/Cloud/same dir"
    write_to "$alice/Cloud/same dir/a" a
    write_to "$bob/Cloud/same dir/b" b
    pass_settle
    online alice bob
    settled
    same_trees alice bob
    expect_list "$alice/Cloud" one two 'same dir'
    expect_list "$alice/Cloud/same dir" a b
    expect_equal "$(cat "$bob/Cloud/one")" $'1\nby alice'
    expect_equal "$(cat "$alice/Cloud/two")" $'2\nby bob'
}

# S12: the container's coming back is enough; nobody has to ask for anything
journal_is_sent_by_itself() {
    device alice
    # Otherwise it has not noticed yet that the container was there.
    wait_for '! is_away alice'
    offline alice
    write_to "$alice/Cloud/doc" text
    pass_settle
    expect_equal "$(attr "$alice/Cloud/doc" upload)" waiting
    online alice
    wait_for "grep -qx text $container/doc"
    wait_for "[[ \$(attr $alice/Cloud/doc upload) == uploaded ]]"
}

# S12: the first start of a device may find no container at all
first_start_offline() {
    device alice
    write_to "$alice/Cloud/old" old
    settled
    device bob
    stop bob
    rm -r bob/state
    offline bob
    # A path that leads nowhere, as to a disk that is not there: nothing is made in its place.
    ln -s ../nowhere/container bob/container
    start bob
    expect_list "$bob/Cloud"
    write_to "$bob/Cloud/new" new
    pass_settle
    expect_absent nowhere
    online bob
    settled
    expect_list "$bob/Cloud" new old
    same_trees alice bob
}

# S13: what close returned 0 for survives kill -9, sent or not
close_survives_kill() {
    device alice
    write_to "$alice/Cloud/sent" sent
    settled
    append_to "$alice/Cloud/sent" 'edited'
    write_to "$alice/Cloud/new" new
    write_to "$alice/Local/local" local
    kill9 alice
    restart alice
    expect_equal "$(cat "$alice/Cloud/sent")" $'sent\nedited'
    expect_file "$alice/Cloud/new" new
    expect_file "$alice/Local/local" local
    settled
    expect_equal "$(cat "$container/sent")" $'sent\nedited'
    expect_file "$container/new" new
}

# S13: renames, mkdirs and deletes survive kill -9 as soon as the call returned 0
names_survive_kill() {
    device alice
    mkdir "$alice/Cloud/dir" "$alice/Cloud/old dir"
    local name
    for name in renamed removed dir/moved over 'old dir/doc'; do write_to "$alice/Cloud/$name" "$name"; done
    settled
    cd "$alice/Cloud"
    mv renamed 'new name'
    rm removed
    mv dir/moved over
    mv 'old dir' 'new dir'
    mkdir made
    ln -s made link
    chmod 600 'new name'
    touch -d '2002-02-02 02:02:02.222222222' 'new name'
    setfattr -n user.mine -v kept 'new name'
    cd "$STORY"
    kill9 alice
    restart alice
    survived() {
        expect_list "$1" dir link made 'new dir' 'new name' over
        expect_file "$1/new name" renamed
        expect_file "$1/over" dir/moved
        expect_file "$1/new dir/doc" 'old dir/doc'
    }
    survived "$alice/Cloud"
    expect_equal "$(stat -c %a "$alice/Cloud/new name")" 600
    expect_equal "$(mtime "$alice/Cloud/new name")" '2002-02-02 02:02:02.222222222'
    expect_equal "$(getfattr --only-values -n user.mine "$alice/Cloud/new name")" kept
    settled
    device bob
    wait_for "[[ -e '$bob/Cloud/new dir/doc' && -L $bob/Cloud/link ]]"
    settled
    survived "$bob/Cloud"
    same_trees alice bob
}

# S13: a document open for writing when the daemon is killed keeps what fsync returned 0 for
open_writer_survives_kill() {
    device alice
    write_to "$alice/Cloud/doc" one
    settled
    /usr/bin/python3 -IS -c '
import os, sys, time
doc = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
os.write(doc, b"two\n")
os.fsync(doc)
open(sys.argv[2], "w").close()
time.sleep(60)' "$alice/Cloud/doc" "$STORY/written" &
    local writer=$!
    wait_for '[[ -e written ]]'
    kill9 alice
    kill $writer
    restart alice
    expect_equal "$(cat "$alice/Cloud/doc")" $'one\ntwo'
    settled
    expect_equal "$(cat "$container/doc")" $'one\ntwo'
}

# S13: what fsync returned 0 for stays a whole document, although a killed daemon got more afterwards
writes_after_fsync_survive_kill() {
    device alice
    write_to "$alice/Cloud/doc" one
    settled
    /usr/bin/python3 -IS -c '
import os, sys, time
doc = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
os.write(doc, b"two\n")
os.fsync(doc)
os.write(doc, b"three\n")
open(sys.argv[2], "w").close()
time.sleep(60)' "$alice/Cloud/doc" "$STORY/written" &
    local writer=$!
    wait_for '[[ -e written ]]'
    kill9 alice
    kill $writer
    restart alice
    expect_equal "$(cat "$alice/Cloud/doc")" $'one\ntwo\nthree'
    settled
    expect_equal "$(cat "$container/doc")" $'one\ntwo\nthree'
}

# S13: killed again and again while it sends, nothing is lost and nothing is sent twice
killed_while_sending() {
    device alice
    local round
    for round in 0 0.02 0.05 0.1 0.2 0.3 0.4 0.6 0.8; do
        write_to "$alice/Cloud/new $round" "$round"
        write_to "$alice/Cloud/again" "$round"
        mkdir "$alice/Cloud/dir $round"
        mv "$alice/Cloud/new $round" "$alice/Cloud/dir $round/moved"
        sleep "$round"
        kill9 alice
        restart alice
        expect_file "$alice/Cloud/dir $round/moved" "$round"
        expect_file "$alice/Cloud/again" "$round"
    done
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/again && -e '$bob/Cloud/dir 0.8/moved' ]]"
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/again" 0.8
    expect_equal "$(find "$bob/Cloud" -name '*conflict*')" '' 'siblings of a single device'
    expect_equal "$(find "$bob/Cloud" -type f | wc -l)" 10
}

# S13: a device that is killed while it fetches serves the whole document after the next start
killed_while_fetching() {
    device alice
    big "$alice/Cloud/doc" 48 mark-of-doc
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/doc ]]"
    local round
    for round in 0.01 0.05 0.1 0.2; do
        cat "$bob/Cloud/doc" >/dev/null 2>&1 &
        sleep $round
        kill9 bob
        wait $! || true
        restart bob
        # Before that it refuses what is not here.
        wait_for '! is_away bob'
    done
    cmp "$alice/Cloud/doc" "$bob/Cloud/doc"
}
