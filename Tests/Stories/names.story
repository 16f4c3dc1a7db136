# Names, attributes, and what a cloud scope holds beside bytes.

# S30: names are bytes: 255 of them, invalid UTF-8, newlines, NFC beside NFD, in both scopes
hard_names() {
    device alice
    device bob
    probe names "$alice/Cloud" >made
    probe names "$alice/Local" >/dev/null
    settled
    same_trees alice bob
    expect_equal "$(probe check-names "$bob/Cloud")" "$(($(cat made) * 2))"
    expect_equal "$(probe check-names "$alice/Local")" "$(($(cat made) * 2))"
    expect_equal "$(probe check-names "$container")" "$(($(cat made) * 2))" 'names in the container'
    restart alice
    expect_equal "$(probe check-names "$alice/Cloud")" "$(($(cat made) * 2))"
    mv "$bob/Cloud/in" "$bob/Cloud/renamed"
    settled
    same_trees alice bob
    rm -r "$alice/Cloud/renamed"
    settled
    same_trees alice bob
    expect_equal "$(find "$bob/.docfs/trash/Cloud" -type f -printf x | wc -c)" "$(cat made)"
}

# S30: a name of 256 bytes is refused, and a path of deep directories is not
too_long_names() {
    device alice
    device bob
    local name
    name=$(printf 'n%.0s' {1..256})
    refused ENAMETOOLONG write_to "$alice/Cloud/$name" text
    refused ENAMETOOLONG mkdir "$alice/Cloud/$name"
    write_to "$alice/Cloud/doc" text
    refused ENAMETOOLONG probe rename "$alice/Cloud/doc" "$alice/Cloud/$name"
    rm "$alice/Cloud/doc"
    cd "$alice/Cloud"
    local i
    for i in {1..30}; do
        mkdir "${name:0:200}"
        cd "${name:0:200}"
    done
    write_to deep text
    cd "$STORY"
    settled
    expect_equal "$(find "$bob/Cloud" -name deep -printf '%d\n')" 31
    expect_equal "$(find "$bob/Cloud" -name deep -execdir cat deep \;)" text
}

# S30: .docfs is the container's own: no document of a scope takes that name, at its top or below
name_of_the_container() {
    device alice
    device bob
    ! mkdir "$alice/Cloud/.docfs" 2>/dev/null || {
        write_to "$alice/Cloud/.docfs/container.json" 'of a user'
        settled
        expect_file "$bob/Cloud/.docfs/container.json" 'of a user'
    }
    mkdir "$alice/Cloud/dir"
    refused EPERM mkdir "$alice/Cloud/dir/.docfs"
    write_to "$alice/Cloud/deleted" text
    settled
    rm "$alice/Cloud/deleted"
    wait_for '[[ -e $alice/.docfs/trash/Cloud/deleted ]]'
    refused EPERM probe rename "$alice/.docfs/trash/Cloud/deleted" "$alice/Cloud/dir/.docfs"
    write_to "$alice/Cloud/dir/doc" text
    settled
    expect_list "$bob/Cloud/dir" doc
    same_trees alice bob
    restart alice
    wait_for '! is_away alice'
}

# S31: modes, symbolic links, user attributes and empty directories are kept on every device
kept_beside_bytes() {
    device alice
    device bob
    cd "$alice/Cloud"
    mkdir -p empty/inner
    local mode
    for mode in 400 444 600 644 755 777; do
        write_to "mode $mode" text
        chmod $mode "mode $mode"
    done
    ln -s 'mode 644' relative
    ln -s /etc/passwd absolute
    ln -s "$(printf 'x%.0s' {1..4000})" long
    ln -s . circle
    write_to attributes text
    setfattr -n user.one -v 1 attributes
    setfattr -n user.empty -v '' attributes
    setfattr -n user.binary -v 0x00ff0a0d00 attributes
    setfattr -n user.large -v "$(printf 'v%.0s' {1..3000})" attributes
    setfattr -n user.onDirectory -v yes empty
    chmod 500 empty
    cd "$STORY"
    settled
    same_trees alice bob
    # One that its owner may not read either.
    write_to "$alice/Cloud/closed" text
    chmod 000 "$alice/Cloud/closed"
    settled
    expect_equal "$(stat -c %a "$bob/Cloud/closed")" 0
    chmod 600 "$bob/Cloud/closed"
    expect_file "$bob/Cloud/closed" text
    settled
    same_trees alice bob
    expect_equal "$(readlink "$bob/Cloud/absolute")" /etc/passwd
    expect_equal "$(getfattr --absolute-names -m - -d "$bob/Cloud/attributes" | grep -c ^user)" 4
    setfattr -x user.one "$bob/Cloud/attributes"
    setfattr -n user.large -v short "$bob/Cloud/attributes"
    refused ENODATA getfattr -n user.one "$bob/Cloud/attributes"
    settled
    same_trees alice bob
    refused ENODATA getfattr -n user.one "$alice/Cloud/attributes"
    expect_equal "$(getfattr --absolute-names --only-values -n user.large "$alice/Cloud/attributes")" short
}

# S31: hard links are refused in a cloud scope and work in Local
hard_links() {
    device alice
    write_to "$alice/Cloud/doc" text
    write_to "$alice/Local/doc" text
    refused EPERM ln "$alice/Cloud/doc" "$alice/Cloud/link"
    refused EPERM ln "$alice/Local/doc" "$alice/Cloud/link"
    refused EPERM ln "$alice/Cloud/doc" "$alice/Local/link"
    expect_absent "$alice/Cloud/link"
    ln "$alice/Local/doc" "$alice/Local/link"
    expect_equal "$(stat -c '%h %i' "$alice/Local/link")" "2 $(ino "$alice/Local/doc")"
    append_to "$alice/Local/link" more
    expect_equal "$(cat "$alice/Local/doc")" $'text\nmore'
    expect_equal "$(stat -c %h "$STORY/alice/local/doc")" 2
}

# S31: POSIX ACLs are EOPNOTSUPP, which cp -a and editors take well; other namespaces too
other_attributes() {
    needs setfacl
    device alice
    write_to "$alice/Cloud/doc" text
    refused EOPNOTSUPP setfacl -m u:daemon:r "$alice/Cloud/doc"
    refused EOPNOTSUPP setfattr -n nonsense -v x "$alice/Cloud/doc"
    getfacl "$alice/Cloud/doc" >/dev/null
    settled
}

# S31, Root: chown is kept on this device; set-id bits, devices and owners never come from a store
owners_and_special_bits() {
    ((EUID == 0)) && chown daemon . 2>/dev/null || skip 'cannot change owners here'
    chown root .
    device alice
    device bob
    write_to "$alice/Cloud/doc" text
    chown daemon:daemon "$alice/Cloud/doc"
    cp /bin/true "$alice/Cloud/program"
    chmod 6755 "$alice/Cloud/program"
    settled
    restart alice
    expect_equal "$(stat -c %U "$alice/Cloud/doc")" daemon
    expect_equal "$(stat -c %U "$bob/Cloud/doc")" root
    expect_equal "$(stat -c %a "$bob/Cloud/program")" 755
    mknod "$alice/Cloud/null" c 1 3
    refused EACCES cat "$alice/Cloud/null"
    refused EOPNOTSUPP setfattr -n trusted.mine -v x "$alice/Cloud/doc"
    settled
    expect_absent "$bob/Cloud/null"
    write_to "$container/foreign" text
    chmod 4755 "$container/foreign"
    wait_for "[[ -e $bob/Cloud/foreign ]]"
    wait_for "[[ \$(stat -c %a $bob/Cloud/foreign) == 755 ]]"
    [[ $(findmnt -no OPTIONS "$alice") == *nosuid*nodev* ]] || fail 'not mounted nosuid,nodev'
}

# S31: FIFOs, sockets and devices live on this device only
pipes_stay_here() {
    device alice
    device bob
    mkfifo "$alice/Cloud/pipe"
    /usr/bin/python3 -IS -c 'import socket, os, sys
os.chdir(sys.argv[1])
socket.socket(socket.AF_UNIX).bind("socket")' "$alice/Cloud"
    write_to "$alice/Cloud/doc" text
    settled
    expect_list "$bob/Cloud" doc
    # The kernel itself answers that FIFOs and sockets have no user attributes.
    expect_equal "$(probe field "$alice" excluded)" 2
    expect_equal "$(stat -c %F "$alice/Cloud/socket")" socket
    (timeout 60 bash -c "echo through >'$alice/Cloud/pipe'" &)
    expect_equal "$(timeout 60 cat "$alice/Cloud/pipe")" through
}

# S31: locks, shared mappings, holes and allocation behave as on ext4, in both scopes
as_on_ext4() {
    device alice
    device bob
    local scope
    for scope in Cloud Local; do
        write_to "$alice/$scope/doc" 'some text that is long enough'
        probe lock "$alice/$scope/doc"
        probe map-write "$alice/$scope/doc" 'SOME TEXT'
        expect_file "$alice/$scope/doc" 'SOME TEXT that is long enough'
        probe holes "$alice/$scope/holes"
        exec 3>>"$alice/$scope/appended" 4>>"$alice/$scope/appended"
        echo one >&3
        echo two >&4
        echo three >&3
        exec 3>&- 4>&-
        expect_equal "$(cat "$alice/$scope/appended")" $'one\ntwo\nthree'
        cp --reflink=never "$alice/$scope/holes" "$alice/$scope/copy"
        cmp "$alice/$scope/holes" "$alice/$scope/copy"
        df "$alice/$scope" >/dev/null
    done
    settled
    same_trees alice bob
}

# S31, Root: permissions are checked by the kernel: another user gets nothing without --allow-other
other_users() {
    ((EUID == 0)) && setpriv --reuid 65534 --clear-groups true 2>/dev/null || skip 'not root here'
    chmod 755 "$STORY" "${STORY%/*}"
    device alice
    write_to "$alice/Local/doc" text
    as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
    refused EACCES as_nobody ls "$alice"
    refused EACCES as_nobody cat "$alice/Local/doc"
    stop alice
    options[alice]=--allow-other
    start alice
    write_to "$alice/Cloud/private" text
    chmod 600 "$alice/Cloud/private"
    expect_equal "$(as_nobody cat "$alice/Local/doc")" text
    refused EACCES as_nobody cat "$alice/Cloud/private"
    refused EACCES as_nobody rm -f "$alice/Cloud/private"
}
