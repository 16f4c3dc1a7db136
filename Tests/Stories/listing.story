# Scopes, the root and what a listing shows.

# S1: the root lists exactly the scopes, and nothing is made, removed or renamed there
root_is_fixed() {
    device alice
    expect_list "$alice" Local Cloud
    refused EPERM mkdir "$alice/new"
    refused EPERM write_to "$alice/new" text
    refused EPERM ln -s target "$alice/new"
    refused EPERM rmdir "$alice/Cloud"
    refused EPERM probe rename "$alice/Cloud" "$alice/Sky"
    refused EPERM probe rename "$alice/Local" "$alice/Cloud/Local"
    expect_list "$alice" Local Cloud
}

# S1: .docfs answers by name and is never listed; nothing is made in it
control_is_hidden() {
    device alice
    expect_present "$alice/.docfs"
    expect_equal "$(stat -c %F "$alice/.docfs")" directory
    ! grep -q docfs <(ls -a "$alice") || fail '.docfs is listed'
    ! grep -q '\.docfs' <(find "$alice") || fail '.docfs is found'
    expect_equal "$(ls -A "$alice/.docfs" | sort | xargs)" \
        'check conflicts events items status status.json trash versions'
    refused EPERM,EACCES,EROFS mkdir "$alice/.docfs/new"
    refused EPERM,EACCES,EROFS probe rename "$alice/.docfs" "$alice/Cloud/control"
    refused EPERM,EACCES,EROFS rmdir "$alice/.docfs/trash"
    refused ENOENT stat "$alice/.docfs/nothing"
}

# S1: every further container of the options is a scope of its own
two_containers() {
    mkdir -p second
    device alice --cloud Work=file://$STORY/second
    expect_list "$alice" Local Cloud Work
    write_to "$alice/Work/plan.txt" 'at work'
    settled
    expect_file second/plan.txt 'at work'
    expect_absent "$container/plan.txt"
    expect_equal "$(attr "$alice/Work/plan.txt" scope)" Work
}

# S2: what other programs change in Local's directory is seen through the mount within a second
foreign_change_in_local() {
    device alice
    local plain=$STORY/alice/local
    write_to "$plain/note.txt" one
    wait_for "grep -qx one $alice/Local/note.txt"
    append_to "$plain/note.txt" two
    wait_for "grep -qx two $alice/Local/note.txt"
    touch -d '2001-02-03 04:05:06.789' "$plain/note.txt"
    wait_for "[[ \$(mtime $alice/Local/note.txt) == '2001-02-03 04:05:06.789000000' ]]"
    mkdir "$plain/inner"
    write_to "$plain/inner/new" text
    wait_for "[[ \$(ls $alice/Local/inner) == new ]]"
    mv "$plain/note.txt" "$plain/renamed.txt"
    wait_for "[[ ! -e $alice/Local/note.txt && -e $alice/Local/renamed.txt ]]"
    rm -r "$plain/inner"
    wait_for "[[ ! -e $alice/Local/inner ]]"
    chmod 600 "$plain/renamed.txt"
    wait_for "[[ \$(stat -c %a $alice/Local/renamed.txt) == 600 ]]"
}

# S2: sizes and bytes of open files too: tail -f follows what is appended outside
tail_follows_outside() {
    device alice
    local plain=$STORY/alice/local
    write_to "$plain/log" begun
    tail -f "$alice/Local/log" >tailed &
    echo $! >>"$STORY/pids"
    wait_for 'grep -qx begun tailed'
    local line
    for line in one two three; do
        append_to "$plain/log" "$line"
        wait_for "grep -qx $line tailed"
    done
    exec 3<"$alice/Local/log"
    append_to "$plain/log" four
    wait_for "[[ \$(stat -L -c %s /proc/$$/fd/3) == \$(stat -c %s $plain/log) ]]"
}

# S2: Local is one plain directory: what is done through the mount is there, as it was done
local_is_plain() {
    device alice
    mkdir "$alice/Local/inner"
    write_to "$alice/Local/inner/doc" text
    chmod 640 "$alice/Local/inner/doc"
    touch -d '1999-12-31 23:59:59.123456789' "$alice/Local/inner/doc"
    ln -s inner/doc "$alice/Local/link"
    same_as_plain() { diff -u <(probe manifest "$1") <(probe manifest "$2") >&2; }
    same_as_plain "$alice/Local" "$STORY/alice/local"
    rm -r "$alice/Local/inner"
    expect_list "$STORY/alice/local" link
}

# S3: a placeholder shows size, time, mode and blocks; no listing brings a byte here
placeholders_show_the_truth() {
    device alice
    mkdir -m 750 "$alice/Cloud/inner"
    big "$alice/Cloud/inner/big.bin" 3 mark-of-big
    truncate -s 3000001 "$alice/Cloud/inner/big.bin"
    chmod 640 "$alice/Cloud/inner/big.bin"
    touch -d '2003-04-05 06:07:08.123456789' "$alice/Cloud/inner/big.bin"
    touch -d '1969-07-20 20:17:40.5' "$alice/Cloud/empty"
    settled
    device bob
    local doc=$bob/Cloud/inner/big.bin
    wait_for "[[ -e $doc && -e $bob/Cloud/empty ]]"
    expect_equal "$(stat -c '%s %a' "$doc")" '3000001 640'
    expect_equal "$(mtime "$doc")" '2003-04-05 06:07:08.123456789'
    expect_equal "$(mtime "$bob/Cloud/empty")" '1969-07-20 20:17:40.500000000'
    (($(stat -c '%b * %B' "$doc") >= 3000001)) || fail "blocks do not cover the size: $(stat "$doc")"
    ls -lR "$bob" >/dev/null
    find "$bob/Cloud" -size +1M -newermt 2000-01-01 >/dev/null
    du -s "$bob/Cloud" >/dev/null
    getfattr -d "$doc" >/dev/null
    expect_placeholder "$doc"
    expect_no_bytes bob mark-of-big
    diff <(probe manifest "$alice/Cloud" --listing) <(probe manifest "$bob/Cloud" --listing) >&2
}

# S3: tar -S and cp take a placeholder's bytes, not zeros
archives_of_placeholders() {
    device alice
    big "$alice/Cloud/doc" 2 mark-of-doc
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/doc ]]"
    tar -S -cf out.tar -C "$bob/Cloud" doc
    mkdir out
    tar -xf out.tar -C out
    cmp "$alice/Cloud/doc" out/doc
    device carol
    wait_for "[[ -e $carol/Cloud/doc ]]"
    cp --sparse=auto "$carol/Cloud/doc" out/copy
    cmp "$alice/Cloud/doc" out/copy
}

# S4: item numbers and ids survive remounts, are unique, and equal in readdir and stat
numbers_survive() {
    device alice
    mkdir -p "$alice/Cloud/a/b" "$alice/Local/c"
    local name
    for name in Cloud/a/one Cloud/a/b/two Cloud/three Local/c/four Local/five; do
        write_to "$alice/$name" "$name"
    done
    settled
    probe inodes "$alice" >before
    local id
    id=$(id_of "$alice/Cloud/a/b/two")
    expect_equal "$(cut -d' ' -f1 before | sort | uniq -d)" '' 'numbers given twice'
    restart alice
    probe inodes "$alice" >after
    diff before after >&2 || fail 'numbers changed over a remount'
    expect_equal "$(id_of "$alice/Cloud/a/b/two")" "$id"
    kill9 alice
    restart alice
    diff before <(probe inodes "$alice") >&2 || fail 'numbers changed over kill -9'
    expect_equal "$(id_of "$alice/Cloud/a/b/two")" "$id"
}

# S4: the id is the same on every device and stays through renames
id_on_every_device() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/doc" text
    settled
    expect_equal "$(id_of "$bob/Cloud/doc")" "$(id_of "$alice/Cloud/doc")"
    expect_equal "$(id_of "$bob/Cloud/dir")" "$(id_of "$alice/Cloud/dir")"
    local id
    id=$(id_of "$alice/Cloud/doc")
    mv "$bob/Cloud/doc" "$bob/Cloud/dir/renamed"
    settled
    expect_equal "$(id_of "$alice/Cloud/dir/renamed")" "$id"
    expect_equal "$(id_of "$bob/Cloud/dir/renamed")" "$id"
}

# S4, Root: numbers stay unique where a filesystem is nested in Local
nested_filesystem() {
    device alice
    local plain=$STORY/alice/local
    mkdir "$plain/nested"
    mount -t tmpfs tmpfs "$plain/nested" || skip 'cannot mount here'
    stop alice
    local i
    for i in 1 2 3 4 5 6 7 8; do
        write_to "$plain/$i" "$i"
        write_to "$plain/nested/$i" "$i"
    done
    start alice
    expect_equal "$(find "$alice/Local" -printf '%i\n' | sort | uniq -d)" '' 'numbers given twice'
    probe inodes "$alice/Local" >/dev/null
    stop alice
    umount "$plain/nested"
    start alice
}

# S4, Root: a directory of 100,000 entries lists whole, with 1,024 descriptors, in Local
hundred_thousand_entries() {
    mkdir -p alice/local
    mount -t tmpfs tmpfs alice/local || skip 'cannot mount here'
    mkdir alice/local/many
    (cd alice/local/many && seq -f 'document %.0f.txt' 100000 | xargs -d '\n' touch)
    ulimit -n 1024
    device alice
    expect_equal "$(ls -f "$alice/Local/many" | wc -l)" 100002
    expect_equal "$(find "$alice/Local/many" -type f | sort -u | wc -l)" 100000
    expect_equal "$(ls -l "$alice/Local/many" | grep -c document)" 100000
    stop alice
    umount alice/local
    no_rest
}

# S4: a folder that already holds documents becomes a container with all of them in it
folder_with_documents() {
    local i
    for i in $(seq 40); do
        mkdir -p "$container/dir $i"
        seq -f "$container/dir $i/document %.0f" 50 | xargs -d '\n' -I{} sh -c 'echo "{}" >"{}"'
    done
    probe manifest "$container" --listing >before
    device alice
    device bob
    grows_to 4000 "find $alice/Cloud $bob/Cloud -type f | wc -l"
    settled
    probe manifest "$alice/Cloud" --listing >after
    diff before after >&2 || fail 'the listing is not that of the folder'
    expect_placeholder "$alice/Cloud/dir 7/document 7"
    same_trees alice bob
}
