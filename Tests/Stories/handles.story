# Open documents while other devices change them.

# S9: a handle open for reading keeps its version; the name has the new one, under a new inode
reader_keeps_version() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'version one'
    settled
    exec 3<"$bob/Cloud/doc"
    local number
    number=$(ino "$bob/Cloud/doc")
    expect_equal "$(head -c 7 <&3)" version
    write_to "$alice/Cloud/doc" 'version two, longer'
    settled
    expect_file "$bob/Cloud/doc" 'version two, longer'
    [[ $(ino "$bob/Cloud/doc") != "$number" ]] || fail 'the new version has the old inode'
    expect_equal "$(stat -L -c %i /proc/$$/fd/3)" "$number"
    expect_equal "$(cat <&3)" ' one'
}

# S9, S15a: another device sets time and mode of a document that is open here: stat and fstat see it
touched_while_open() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" text
    settled
    exec 3<"$bob/Cloud/doc"
    expect_equal "$(cat <&3)" text
    stat "$bob/Cloud/doc" >/dev/null
    stat - <&3 >/dev/null
    touch -d '2001-02-03 04:05:06.123456789' "$alice/Cloud/doc"
    wait_for "[[ \$(stat -c %.9Y $bob/Cloud/doc) == 981173106.123456789 ]]"
    wait_for "[[ \$(stat -c %.9Y - <&3) == 981173106.123456789 ]]"
    chmod 604 "$alice/Cloud/doc"
    wait_for "[[ \$(stat -c %a $bob/Cloud/doc) == 604 ]]"
    wait_for "[[ \$(stat -c %a - <&3) == 604 ]]"
    expect_equal "$(stat -c %i - <&3)" "$(ino "$bob/Cloud/doc")"
}

# S9: a document that is open for writing is not replaced under the writer; then both are kept
writer_is_not_replaced() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'line one'
    settled
    exec 3>>"$bob/Cloud/doc"
    echo 'by bob' >&3
    write_to "$alice/Cloud/doc" 'by alice'
    wait_for "grep -qx 'by alice' $container/doc"
    never "grep -q alice $bob/Cloud/doc" 1
    echo 'more by bob' >&3
    expect_equal "$(cat "$bob/Cloud/doc")" $'line one\nby bob\nmore by bob'
    exec 3>&-
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/doc" 'by alice'
    local sibling
    sibling=$(expect_conflict "$alice/Cloud/doc" bob)
    expect_equal "$(cat "$sibling")" $'line one\nby bob\nmore by bob'
}

# S9, S29: who has a document open is told of the version that another device saves meanwhile, once, and that
# counts for nothing to be sent
newer_version_is_told() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'line one'
    settled
    cat "$bob/Cloud/doc" >/dev/null
    timeout 600 "$DOCFS" watch --json "$bob" >told 2>&1 &
    local watcher=$!
    wait_for "has_open $watcher $bob/.docfs/events"
    exec 3>>"$bob/Cloud/doc"
    expect_equal "$(attr "$bob/Cloud/doc" state)" normal
    write_to "$alice/Cloud/doc" 'by alice'
    wait_for 'grep -q outdated told'
    expect_equal "$(attr "$bob/Cloud/doc" state)" outdated
    expect_equal "$(docfs find --state outdated "$bob/Cloud" | wc -l)" 1
    gives 0 docfs status "$bob"
    says 'nothing, all is stored'
    says 'doc: alice, '
    gives 0 docfs status "$bob/Cloud/doc"
    says 'a newer version is on its way, or shown when it is closed'
    gives 0 docfs flush --wait "$bob"
    # It is looked at again each second.
    sleep 2.2
    exec 3>&-
    wait_for "grep -qx 'by alice' $bob/Cloud/doc"
    settled
    expect_equal "$(attr "$bob/Cloud/doc" state)" closed
    kill -TERM $watcher
    wait $watcher || fail "ended with $?"
    expect_equal "$(jq -r 'select(.event == "outdated") | [.path, .by, .sentence] | join("|")' told)" \
        'doc|alice|alice has saved a newer version; it is shown when this one is closed'
}

# S9, Foreign: a newer version that another program puts into the container while the document is open here is told
# as that program's, not as a device's
newer_version_of_a_program_is_told() {
    device bob
    write_to "$bob/Cloud/doc" 'line one'
    settled
    timeout 600 "$DOCFS" watch --json "$bob" >told 2>&1 &
    local watcher=$!
    wait_for "has_open $watcher $bob/.docfs/events"
    exec 3>>"$bob/Cloud/doc"
    write_to "$container/new" 'by a program'
    mv "$container/new" "$container/doc"
    wait_for 'grep -q outdated told'
    expect_equal "$(attr "$bob/Cloud/doc" state)" outdated
    expect_equal "$(docfs status --json "$bob" | jq -c '.scopes[0].outdated[] | [.path, .device]')" '["doc",null]'
    exec 3>&-
    wait_for "grep -qx 'by a program' $bob/Cloud/doc"
    settled
    kill -TERM $watcher
    wait $watcher || fail "ended with $?"
    expect_equal "$(jq -r 'select(.event == "outdated") | [.path, .by, .sentence] | join("|")' told)" \
        'doc||another program has put a newer version into the container; it is shown when this one is closed'
}

# is_open NAME: some program has the device's document `doc` open.
is_open() { [[ -n $(find /proc/[0-9]*/fd -lname "*/${STORY##*/}/$1/mnt/Cloud/doc" 2>/dev/null) ]]; }

# bob's document is open, and its bytes are at alice's as a conflict version, called $sibling there.
sent_aside() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'line one'
    settled
    cat "$bob/Cloud/doc" >/dev/null
    exec 3> >(probe append-synced "$bob/Cloud/doc")
    wait_for 'is_open bob'
    write_to "$alice/Cloud/doc" 'by alice'
    wait_for "grep -qx 'by alice' $container/doc"
    echo 'by bob' >&3
    wait_for '[[ -n $(conflicts_of "$alice/Cloud/doc") ]]'
    sibling=$(expect_conflict "$alice/Cloud/doc" bob)
    wait_for "grep -qx 'by bob' '$sibling'"
    local word
    for word in in-conflict outdated; do
        wait_for "[[ ,\$(attr '$bob/Cloud/doc' state), == *,$word,* ]]"
    done
}

# S9: the bytes of a document that stays open reach the other device as a conflict version, and the
# names change over at the last close
open_writer_is_sent_aside() {
    local sibling
    sent_aside
    expect_equal "$(cat "$sibling")" $'line one\nby bob' 'what the other device sees meanwhile'
    expect_file "$alice/Cloud/doc" 'by alice'
    # Here the document keeps its name and its bytes.
    expect_equal "$(cat "$bob/Cloud/doc")" $'line one\nby bob'
    expect_no_conflict "$bob/Cloud/doc"
    # It is known on both that there is a conflict, whose bytes are whose, and of which document.
    expect_equal "$(attr "$bob/Cloud/doc" conflicts) $(attr "$alice/Cloud/doc" conflicts)" '1 1'
    expect_equal "$(docfs status --json "$bob" | jq '.scopes[0].conflicts')" 1
    gives 0 docfs conflicts "$bob"
    says 'open: its conflict version is shown here when it is closed'
    local place
    for place in "$bob" "$bob/Cloud" "$bob/Cloud/doc"; do
        expect_equal "$(docfs conflicts --json "$place" | jq -c '[.document[-4:], .open, .versions]')" '["/doc",true,[]]'
    done
    expect_equal "$(attr "$sibling" device) $(attr "$alice/Cloud/doc" device)" 'bob alice'
    expect_equal "$(attr "$sibling" conflict-of)" "$(id_of "$alice/Cloud/doc")"
    echo 'more by bob' >&3
    wait_for "grep -qx 'more by bob' $bob/Cloud/doc"
    exec 3>&-
    wait_for "grep -qx 'by alice' $bob/Cloud/doc"
    settled
    same_trees alice bob
    expect_equal "$(expect_conflict "$bob/Cloud/doc" bob)" "$bob/Cloud/${sibling##*/}"
    expect_equal "$(cat "$sibling")" $'line one\nby bob\nmore by bob'
}

# S9, S17: a conflict version that another device dropped meanwhile does not come back at the close
sent_aside_and_dropped() {
    local sibling
    sent_aside
    rm "$sibling"
    wait_for "[[ ! -e '$container/${sibling##*/}' ]]"
    pass_settle
    exec 3>&-
    wait_for "grep -qx 'by alice' $bob/Cloud/doc"
    settled
    same_trees alice bob
    expect_list "$bob/Cloud" doc
}

# S9, R1: a conflict version that another device edited meanwhile is not written over
sent_aside_and_edited() {
    local sibling
    sent_aside
    write_to "$sibling" 'mended by alice'
    wait_for "grep -qx 'mended by alice' '$container/${sibling##*/}'"
    echo 'more by bob' >&3
    wait_for "grep -qx 'more by bob' $bob/Cloud/doc"
    exec 3>&-
    wait_for "grep -qx 'by alice' $bob/Cloud/doc"
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/doc" 'by alice'
    grep -rqx 'mended by alice' "$bob/Cloud" || fail "alice's edit is lost"
    grep -rqx 'more by bob' "$alice/Cloud" || fail "bob's edit is lost"
}

# S9: a writer whose upload is refused gets one sibling, however often it calls fsync
one_sibling_for_an_open_writer() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'line one'
    settled
    cat "$bob/Cloud/doc" >/dev/null
    exec 3> >(probe append-synced "$bob/Cloud/doc")
    local writer=$! i
    wait_for 'is_open bob'
    write_to "$alice/Cloud/doc" 'by alice'
    wait_for "grep -qx 'by alice' $container/doc"
    for i in 1 2 3; do
        echo "bob $i" >&3
        wait_for "grep -qx 'bob $i' '$bob/Cloud/doc'"
        pass_settle
    done
    exec 3>&-
    wait $writer
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/doc" 'by alice'
    expect_equal "$(cat "$(expect_conflict "$alice/Cloud/doc" bob)")" $'line one\nbob 1\nbob 2\nbob 3'
}

# S9: a writer may go on in a document that another device has renamed
writer_follows_rename() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" one
    settled
    exec 3>>"$bob/Cloud/doc"
    mv "$alice/Cloud/doc" "$alice/Cloud/renamed"
    wait_for "[[ -e $container/renamed && ! -e $container/doc ]]"
    sleep 0.5
    echo two >&3
    exec 3>&-
    settled
    expect_equal "$(cat "$alice/Cloud/renamed")" $'one\ntwo'
    expect_list "$alice/Cloud" renamed
    same_trees alice bob
}

# S14: a document that is held open is sent after fsync
held_open_is_sent_after_fsync() {
    device alice
    device bob
    exec 3> >(probe append-synced "$alice/Cloud/log")
    local writer=$!
    echo one >&3
    wait_for "grep -qx one $bob/Cloud/log"
    echo two >&3
    wait_for "grep -qx two $alice/Cloud/log"
    exec 3>&-
    wait $writer
    settled
    same_trees alice bob
    expect_equal "$(cat "$bob/Cloud/log")" $'one\ntwo'
}

# S14: sync(1), which opens the document for reading and calls fsync, does the same
sync_of_a_file_that_is_held_open() {
    device alice
    device bob
    exec 3>"$alice/Cloud/log"
    echo one >&3
    sync "$alice/Cloud/log"
    wait_for "grep -qx one $bob/Cloud/log"
    exec 3>&-
}

# S14: a document that is held open and never synced is sent every 30 seconds, and by flush; until
# then it is known to wait
held_open_and_never_synced() {
    device alice
    device bob
    exec 3>"$alice/Cloud/log"
    echo one >&3
    wait_for "grep -qx '    log' $alice/.docfs/status"
    grep -q '^  open       in programs' "$alice/.docfs/status" || fail 'the status does not say why'
    expect_equal "$(getfattr --only-values -n user.docfs.upload "$alice/Cloud/log")" waiting
    wait_for "grep -qx one $bob/Cloud/log"
    wait_for "! grep -q '^  open' $alice/.docfs/status"
    # Who goes on writing goes on being sent.
    (while :; do
        echo more
        # A log that says something now and then.
        sleep 0.3
    done) >&3 &
    local writer=$!
    wait_for "grep -qx more $bob/Cloud/log"
    kill "$writer"
    wait "$writer" || :
    echo last >&3
    gives 0 docfs flush --wait "$alice/Cloud/log"
    wait_for "grep -qx last $bob/Cloud/log"
    exec 3>&-
    settled
    same_trees alice bob
}

# S2: documents of Local/ that are replaced all the time are read whole, old or new
local_replaced_while_read() {
    device alice
    timeout 60 /usr/bin/python3 -IS "$here/probe.py" replaced-while-read "$alice/Local" 8
}
