# Deletes, the trash, and deletes that meet edits.

# S19: rm takes effect at once, the container's copy goes to the trash, and mv restores it
delete_and_restore() {
    device alice
    device bob
    write_to "$alice/Cloud/note.txt" 'worth keeping'
    settled
    rm "$alice/Cloud/note.txt"
    expect_absent "$alice/Cloud/note.txt"
    settled
    expect_list "$bob/Cloud"
    expect_absent "$container/note.txt"
    local deleted
    deleted=$(in_trash note.txt)
    expect_file "$deleted" 'worth keeping'
    cp "$deleted" copy
    expect_file copy 'worth keeping'
    refused EPERM,EACCES,EROFS write_to "$deleted" changed
    probe rename "$deleted" "$alice/Cloud/note.txt"
    expect_file "$alice/Cloud/note.txt" 'worth keeping'
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/note.txt" 'worth keeping'
    expect_equal "$(find "$alice/.docfs/trash/Cloud" -type f | wc -l)" 0
}

# S19: restoring transfers no byte: neither the one who restores nor who deleted fetches the document
restore_without_transfer() {
    device alice
    big "$alice/Cloud/doc" 1 mark-of-doc
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/doc ]]"
    rm "$bob/Cloud/doc"
    settled
    local deleted
    deleted=$(find "$bob/.docfs/trash/Cloud" -name 'doc*')
    at_once probe rename "$deleted" "$bob/Cloud/restored"
    settled
    expect_no_bytes bob mark-of-doc
    expect_placeholder "$bob/Cloud/restored"
    same_trees alice bob
}

# S19: the trash and the versions are shown on every device, under the scope's name
trash_on_every_device() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" text
    settled
    rm -r "$alice/Cloud/dir"
    settled
    local name
    for name in alice bob; do
        expect_list "${!name}/.docfs/trash" Cloud
        expect_equal "$(find "${!name}/.docfs/trash/Cloud" -type f -exec cat {} +)" text
    done
}

# S19: what was deleted before it was ever sent never reaches the store
deleted_before_sent() {
    settle=600
    device alice
    watch_store
    write_to "$alice/Cloud/doc" text
    rm "$alice/Cloud/doc"
    mkdir "$alice/Cloud/dir"
    rmdir "$alice/Cloud/dir"
    sent alice
    expect_equal "$(cat store-names)" ''
}

# S20: a document edited elsewhere after this device last saw it outlives this device's delete
edit_beats_delete_here() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'version one'
    settled
    offline alice
    rm "$alice/Cloud/doc"
    pass_settle
    write_to "$bob/Cloud/doc" 'edited by bob'
    settled
    online alice
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/doc" 'edited by bob'
    expect_no_conflict "$alice/Cloud/doc"
}

# S20: a document edited here comes back although it was deleted elsewhere meanwhile
edit_beats_delete_there() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" 'version one'
    settled
    cat "$bob/Cloud/dir/doc" >/dev/null
    settled
    offline bob
    write_to "$bob/Cloud/dir/doc" 'edited by bob'
    pass_settle
    rm -r "$alice/Cloud/dir"
    settled
    online bob
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/dir/doc" 'edited by bob'
    expect_no_conflict "$alice/Cloud/dir/doc"
}

# S20: deleted on both is deleted, and quiet
deleted_on_both() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" text
    settled
    offline alice bob
    rm "$alice/Cloud/doc" "$bob/Cloud/doc"
    pass_settle
    online alice bob
    settled
    expect_list "$alice/Cloud"
    same_trees alice bob
}

# S20: a rename is no delete: renamed elsewhere, then deleted here by its old name
delete_and_rename() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" text
    settled
    offline alice
    rm "$alice/Cloud/doc"
    pass_settle
    mv "$bob/Cloud/doc" "$bob/Cloud/renamed"
    settled
    online alice
    settled
    same_trees alice bob
    expect_absent "$alice/Cloud/doc"
    [[ -e $alice/Cloud/renamed ]] || expect_file "$(in_trash renamed || in_trash doc)" text
}

# S21: removing a directory removes what this device had seen in it; what appeared keeps it
directory_delete_and_new_child() {
    device alice
    device bob
    mkdir -p "$alice/Cloud/dir/inner"
    write_to "$alice/Cloud/dir/seen" seen
    write_to "$alice/Cloud/dir/inner/seen too" seen
    settled
    offline alice
    rm -r "$alice/Cloud/dir"
    pass_settle
    write_to "$bob/Cloud/dir/inner/new" 'by bob'
    settled
    online alice
    settled
    same_trees alice bob
    expect_equal "$(find "$alice/Cloud" -mindepth 1 -printf '%P\n' | sort | xargs)" \
        'dir dir/inner dir/inner/new'
    expect_file "$alice/Cloud/dir/inner/new" 'by bob'
}

# S21: the other order: the new child is made here, the directory was removed elsewhere
new_child_and_directory_delete() {
    device alice
    device bob
    mkdir -p "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/seen" seen
    settled
    offline bob
    write_to "$bob/Cloud/dir/new" 'by bob'
    pass_settle
    rm -r "$alice/Cloud/dir"
    settled
    online bob
    settled
    same_trees alice bob
    expect_list "$alice/Cloud/dir" new
    expect_file "$alice/Cloud/dir/new" 'by bob'
}

# S22: deleted elsewhere while open for reading: the handle reads on
deleted_while_reading() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" $'one\ntwo'
    settled
    exec 3<"$bob/Cloud/doc"
    local line
    read -r line <&3
    expect_equal "$line" one
    rm "$alice/Cloud/doc"
    wait_for "[[ ! -e $bob/Cloud/doc ]]"
    expect_equal "$(cat <&3)" two
    settled
    expect_list "$alice/Cloud"
}

# S22: deleted elsewhere while open for writing, and written: it comes back as an edit
deleted_while_writing() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" one
    settled
    exec 3>>"$bob/Cloud/doc"
    rm "$alice/Cloud/doc"
    wait_for "[[ ! -e $container/doc ]]"
    sleep 0.5
    echo two >&3 || fail 'the handle is not writable any more'
    exec 3>&-
    settled
    same_trees alice bob
    expect_equal "$(cat "$alice/Cloud/doc")" $'one\ntwo'
}

# S22: deleted here while it is open here, as on any filesystem
deleted_here_while_open() {
    device alice
    write_to "$alice/Cloud/doc" one
    settled
    exec 3<>"$alice/Cloud/doc"
    rm "$alice/Cloud/doc"
    expect_list "$alice/Cloud"
    expect_equal "$(cat <&3)" one
    echo two >&3
    exec 3>&-
    settled
    expect_list "$alice/Cloud"
    expect_absent "$container/doc"
}
