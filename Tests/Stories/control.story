# What people and programs are told: attributes and .docfs.

attributes='scope id download download.percent downloading upload upload.percent state conflicts error revision pin'

# S3, Control: every attribute of a cloud item is answered, and none is ever listed or copied
attributes_are_answered() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/doc" text
    ln -s doc "$alice/Cloud/link"
    settled
    local name path
    for path in "$bob/Cloud/doc" "$alice/Cloud/doc" "$alice/Cloud/dir"; do
        for name in $attributes; do attr "$path" "$name" >/dev/null || fail "$name of $path"; done
        expect_equal "$(getfattr -m - -d "$path")" '' "listed attributes of $path"
    done
    expect_equal "$(attr "$alice/Cloud/doc" scope)" Cloud
    expect_equal "$(attr "$alice/Cloud/doc" download)" current
    expect_equal "$(attr "$bob/Cloud/doc" download)" none
    expect_equal "$(attr "$bob/Cloud/doc" download.percent)" 0
    expect_equal "$(attr "$alice/Cloud/doc" upload)" uploaded
    expect_equal "$(attr "$alice/Cloud/doc" upload.percent)" 100
    expect_equal "$(attr "$alice/Cloud/doc" conflicts)" 0
    expect_equal "$(attr "$alice/Cloud/doc" error)" ''
    expect_equal "$(attr "$alice/Cloud/doc" pin)" inherited
    expect_equal "$(attr "$alice/Cloud/doc" state)" closed
    expect_equal "$(attr "$alice/Cloud/doc" revision)" "$(attr "$bob/Cloud/doc" revision)"
    refused ENODATA getfattr -n user.docfs.nonsense "$alice/Cloud/doc"
    cp -a "$bob/Cloud/doc" copy
    cp --preserve=all "$bob/Cloud/doc" copy
    expect_equal "$(getfattr -m - -d copy)" ''
}

# Control: what is not writable is EPERM; a user's own attributes stay a user's own
attributes_are_protected() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    local name
    for name in scope id download.percent upload.percent state conflicts error revision nonsense; do
        refused EPERM setfattr -n "user.docfs.$name" -v x "$alice/Cloud/doc"
    done
    refused EPERM setfattr -x user.docfs.id "$alice/Cloud/doc"
    refused EINVAL setfattr -n user.docfs.upload -v x "$alice/Cloud/doc"
    setfattr -n user.mine -v 1 "$alice/Cloud/doc"
    expect_equal "$(getfattr --absolute-names -m - -d "$alice/Cloud/doc" | grep user)" 'user.mine="1"'
}

# Control: writing `current` downloads; writing `none` evicts; other words are refused (S11)
download_on_request() {
    device alice
    big "$alice/Cloud/doc" 1 mark-of-doc
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/doc ]]"
    setfattr -n user.docfs.download -v current "$bob/Cloud/doc"
    wait_for "[[ \$(attr $bob/Cloud/doc download) == current ]]"
    settled
    has_bytes bob mark-of-doc || fail 'current, but no byte of it is here'
    offline bob
    cmp "$alice/Cloud/doc" "$bob/Cloud/doc"
    refused EINVAL setfattr -n user.docfs.download -v partial "$bob/Cloud/doc"
    exec 3<"$bob/Cloud/doc"
    refused EBUSY setfattr -n user.docfs.download -v none "$bob/Cloud/doc"
    exec 3<&-
    wait_for 'setfattr -n user.docfs.download -v none "$bob/Cloud/doc"'
    expect_placeholder "$bob/Cloud/doc"
    expect_no_bytes bob mark-of-doc
    append_to "$bob/Cloud/doc" 'not sent yet'
    refused EBUSY setfattr -n user.docfs.download -v none "$bob/Cloud/doc"
}

# Control: a document's upload is told from waiting to uploaded, its state while open
upload_states() {
    device alice
    settled
    offline alice
    write_to "$alice/Cloud/doc" text
    expect_equal "$(attr "$alice/Cloud/doc" upload)" waiting
    online alice
    settled
    expect_equal "$(attr "$alice/Cloud/doc" upload)" uploaded
    exec 3<"$alice/Cloud/doc"
    expect_equal "$(attr "$alice/Cloud/doc" state)" normal
    exec 3<&-
    wait_for "[[ \$(attr $alice/Cloud/doc state) == closed ]]"
}

# Control: .docfs/status is for people, status.json says the same to programs
status_for_people_and_programs() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    grep -q Cloud "$alice/.docfs/status" || fail 'the status names no scope'
    /usr/bin/python3 -IS -m json.tool <"$alice/.docfs/status.json" >/dev/null
    expect_equal "$(probe field "$alice" online)" true
    expect_equal "$(probe field "$alice" pending)" 0
    expect_equal "$(probe field "$alice" conflicts)" 0
    expect_equal "$(probe field "$alice" error)" ''
    offline alice
    write_to "$alice/Cloud/doc" edited
    wait_for "[[ \$(probe field $alice pending) == 1 ]]"
    [[ -n $(probe field "$alice" error) ]] || fail 'offline without a word'
    refused EPERM,EACCES,EROFS write_to "$alice/.docfs/status" text
    refused EPERM,EACCES,EROFS rm -f "$alice/.docfs/status.json"
    online alice
}

# Control: .docfs/events blocks until there is something, poll understands it, each line is JSON
events_are_told() {
    device alice
    device bob
    settled
    probe events "$bob/.docfs/events" >heard &
    local listener=$!
    wait_for "has_open $listener $bob/.docfs/events"
    expect_equal "$(cat heard)" ''
    write_to "$alice/Cloud/doc" text
    wait_for 'grep -q doc heard'
    cat "$bob/Cloud/doc" >/dev/null
    rm "$alice/Cloud/doc"
    wait_for 'grep -q deleted heard'
    pkill -P $listener
    wait $listener || true
    /usr/bin/python3 -IS -c 'import json, sys
lines = [json.loads(line) for line in sys.stdin]
assert len(lines) >= 2, lines' <heard || fail "not JSON Lines: $(cat heard)"
}

# Control: a reader of events that waits ends by SIGTERM, and does not keep the daemon from stopping
events_reader_ends() {
    device alice
    cat "$alice/.docfs/events" >/dev/null &
    local first=$!
    cat "$alice/.docfs/events" >/dev/null 2>&1 &
    wait_for "has_open $first $alice/.docfs/events && has_open $! $alice/.docfs/events"
    kill -TERM $first
    wait_for "! kill -0 $first"
    settled
    kill -TERM "${process[alice]}"
    wait_for '! runs alice'
    unset 'process[alice]'
    no_rest
}

# Control: versions are listed by document, read with ls, diff and cp, and never written
versions_are_read_only() {
    device alice
    mkdir "$alice/Cloud/dir"
    local i
    for i in 1 2 3; do
        write_to "$alice/Cloud/dir/doc.txt" "version $i"
        settled
    done
    local versions=$alice/.docfs/versions/Cloud/dir/doc.txt
    expect_equal "$(ls "$versions" | wc -l)" 2
    expect_equal "$(cat "$versions"/* | sort)" $'version 1\nversion 2'
    local one
    one=$(find "$versions" -type f | head -1)
    refused EPERM,EACCES,EROFS write_to "$one" changed
    refused EPERM,EACCES,EROFS mkdir "$versions/new"
    refused EPERM,EACCES,EROFS rmdir "$versions"
    refused EPERM,EACCES,EROFS rm -f "$alice/.docfs/status"
    refused EPERM,EACCES,EROFS probe rename "$one" "$alice/Cloud/out"
    cp "$one" "$alice/Cloud/copy"
    cmp "$one" "$alice/Cloud/copy"
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/dir/doc.txt ]]"
    settled
    expect_equal "$(ls "$bob/.docfs/versions/Cloud/dir/doc.txt" | wc -l)" 2
    cmp "$one" "$bob/.docfs/versions/Cloud/dir/doc.txt/${one##*/}"
}

# S32, Control: malformed writes to control files and attributes never crash the daemon
malformed_writes() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    local name
    for name in download pin; do
        refused EINVAL setfattr -n "user.docfs.$name" -v nonsense "$alice/Cloud/doc"
        refused EINVAL setfattr -n "user.docfs.$name" -v 0x00ff00 "$alice/Cloud/doc"
    done
    for name in status status.json events conflicts; do
        ! head -c 100000 /dev/urandom 2>/dev/null >"$alice/.docfs/$name" || fail "$name was written"
    done 2>/dev/null
    expect_file "$alice/Cloud/doc" text
}
