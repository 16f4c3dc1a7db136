# The program docfs: earlier versions and deleted documents.

# three_versions: alice and bob, and a note that was saved three times.
three_versions() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    local i
    for i in 1 2 3; do
        write_to "$alice/Cloud/dir/note.txt" "version $i"
        settled
    done
}

# S19, Control: each version is known by the device that saved it, also to a device that comes later
who_saved_it() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'version 1'
    settled
    append_to "$bob/Cloud/doc" 'version 2'
    settled
    # Whoever describes or renames it has not saved it.
    chmod 600 "$alice/Cloud/doc"
    settled
    mv "$alice/Cloud/doc" "$alice/Cloud/note"
    settled
    append_to "$alice/Cloud/note" 'version 3'
    settled
    device carol
    settled
    local name
    for name in alice bob carol; do
        expect_equal "$(attr "${!name}/Cloud/note" device)" alice "$name"
        expect_equal "$(docfs versions --json "${!name}/Cloud/note" | jq -c '[.number, .device]')" \
            $'[1,"bob"]\n[2,"alice"]' "$name"
    done
    expect_equal "$(ls "$alice/.docfs/versions/Cloud/note")" "$(ls "$carol/.docfs/versions/Cloud/note")"
    offline bob
    append_to "$bob/Cloud/note" 'version 4'
    expect_equal "$(attr "$bob/Cloud/note" device)" bob 'what is not sent yet'
}

# S19, Control: versions are listed with when and where, and one of them comes back as a new version
docfs_restores_a_version() {
    three_versions
    chmod 640 "$alice/Cloud/dir/note.txt"
    setfattr -n user.colour -v green "$alice/Cloud/dir/note.txt"
    settled
    local id
    id=$(id_of "$alice/Cloud/dir/note.txt")
    gives 0 docfs versions "$bob/Cloud/dir/note.txt"
    says 'saved by alice'
    expect_equal "$(docfs versions --json "$bob/Cloud/dir/note.txt" | jq -c '[.number, .size, .device]')" \
        $'[1,10,"alice"]\n[2,10,"alice"]'
    expect_file "$(docfs versions --json "$bob/Cloud/dir/note.txt" | jq -r 'select(.number == 2).path')" \
        'version 1'
    gives 0 docfs restore "$bob/Cloud/dir/note.txt" --version 2
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/dir/note.txt" 'version 1'
    expect_equal "$(id_of "$alice/Cloud/dir/note.txt")" "$id" 'identity'
    expect_equal "$(stat -c %a "$alice/Cloud/dir/note.txt")" 640
    expect_equal "$(getfattr --only-values -n user.colour "$alice/Cloud/dir/note.txt")" green
    expect_equal "$(docfs versions --json "$alice/Cloud/dir/note.txt" | wc -l)" 3
    expect_no_conflict "$alice/Cloud/dir/note.txt"
    local newest
    newest=$(docfs versions --json "$alice/Cloud/dir/note.txt" | jq -r 'select(.number == 1).path')
    expect_file "$newest" 'version 3'
    expect_list "$alice/Cloud/dir" note.txt
}

# S19, Control: with --to an earlier version goes beside, and never over something
docfs_restores_beside() {
    three_versions
    gives 0 docfs restore "$alice/Cloud/dir/note.txt" --version 1 --to "$alice/Cloud/old.txt"
    expect_file "$alice/Cloud/old.txt" 'version 2'
    expect_file "$alice/Cloud/dir/note.txt" 'version 3'
    gives 1 docfs restore "$alice/Cloud/dir/note.txt" --version 2 --to "$alice/Cloud/old.txt"
    says 'File exists'
    expect_file "$alice/Cloud/old.txt" 'version 2'
    gives 0 docfs restore "$alice/Cloud/dir/note.txt" --version 2 --to "$alice/Local/old.txt"
    expect_file "$alice/Local/old.txt" 'version 1'
    gives 1 docfs restore "$alice/Cloud/dir/note.txt" --version 9
    says 'has no version'
    gives 1 docfs restore "$alice/Cloud/dir/note.txt"
    says '--version'
    settled
    same_trees alice bob
}

# S19, Control: Ctrl-C while a version comes back leaves the document as it was
docfs_restores_until_interrupted() {
    device alice --deadline 600
    head -c 300K /dev/zero >"$alice/Cloud/doc"
    settled
    write_to "$alice/Cloud/doc" small
    settled
    slow_folder "$container"
    touch control/reads
    "$DOCFS" restore "$alice/Cloud/doc" --version 1 >heard 2>&1 &
    local restorer=$! status=0
    wait_for 'compgen -G "$alice/Cloud/.docfs-*.part"'
    kill -INT $restorer
    wait $restorer || status=$?
    expect_equal $status 1 'exit status after Ctrl-C'
    grep -q 'is as it was' heard || fail "wordless: $(cat heard)"
    rm control/reads
    expect_file "$alice/Cloud/doc" small
    expect_list "$alice/Cloud" doc
    usual_folder
}

# S19, Control: what an earlier version replaces is in the container first, and so among the versions
docfs_restores_over_an_edit() {
    local settle=600
    device alice --deadline 600
    write_to "$alice/Cloud/note.txt" first
    gives 0 docfs flush --wait "$alice"
    write_to "$alice/Cloud/note.txt" second
    gives 0 docfs flush --wait "$alice"
    write_to "$alice/Cloud/note.txt" 'not sent yet'
    gives 0 docfs restore "$alice/Cloud/note.txt" --version 1
    gives 0 docfs flush --wait "$alice"
    docfs versions --json "$alice/Cloud/note.txt" | jq -r .path | xargs -d'\n' cat >kept
    grep -F 'not sent yet' kept
    # While the container does not take it, it stays.
    slow_folder "$container" 50000
    head -c 100000 /dev/zero >"$alice/Cloud/note.txt"
    gives 1 timeout --preserve-status --signal=INT 3 "$DOCFS" restore "$alice/Cloud/note.txt" --version 1
    expect_equal "$(wc -c <"$alice/Cloud/note.txt")" 100000
    rm control/writes
    gives 0 docfs restore "$alice/Cloud/note.txt" --version 1
    gives 0 docfs flush --wait "$alice"
    docfs versions --json "$alice/Cloud/note.txt" | jq -r .size | grep -x 100000
    usual_folder
}

# S19, Control: what cannot be fetched is not restored by halves
docfs_restores_whole_or_not() {
    device alice
    big "$alice/Cloud/doc" 2 first
    settled
    big "$alice/Cloud/doc" 2 second
    settled
    cp "$alice/Cloud/doc" second
    offline alice
    gives 1 docfs restore "$alice/Cloud/doc" --version 1
    cmp second "$alice/Cloud/doc"
    expect_list "$alice/Cloud" doc
    gives 1 docfs restore "$alice/Cloud/doc" --version 1 --to "$alice/Cloud/other"
    expect_list "$alice/Cloud" doc
    online alice
    settled
}

# S19, Control: the trash is listed on every device, and docfs brings documents and directories back
docfs_restores_deleted() {
    three_versions
    write_to "$alice/Cloud/dir/other" text
    mkdir "$alice/Cloud/dir/deep"
    write_to "$alice/Cloud/dir/deep/doc" deep
    settled
    local id
    id=$(id_of "$alice/Cloud/dir/note.txt")
    rm -r "$alice/Cloud/dir"
    settled
    expect_equal "$(docfs trash --json "$bob" | jq -r .path | sort)" \
        "$bob/Cloud/dir/deep/doc"$'\n'"$bob/Cloud/dir/note.txt"$'\n'"$bob/Cloud/dir/other"
    cd "$bob/Cloud"
    expect_equal "$(docfs trash dir/deep --json 2>&1 | jq -r .path)" "$bob/Cloud/dir/deep/doc"
    gives 1 docfs restore dir/note.txt dir/never
    gives 2 docfs restore dir/other dir/deep --to "$bob/Cloud"
    expect_equal "$(id_of dir/note.txt)" "$id" 'identity'
    gives 0 docfs trash --restore dir/deep
    cd "$STORY"
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/dir/note.txt" 'version 3'
    expect_file "$alice/Cloud/dir/deep/doc" deep
    expect_absent "$alice/Cloud/dir/other"
    gives 1 docfs restore "$alice/Cloud/dir/note.txt"
    says 'is there'
    gives 0 docfs restore "$alice/Cloud/dir/other" --to "$alice/Cloud/elsewhere"
    expect_file "$alice/Cloud/elsewhere" text
    gives 1 docfs restore "$alice/Cloud/dir/other"
    says 'not in the trash'
    settled
    same_trees alice bob
}

# S19: the trash is emptied when the user says so, below a directory or wholly, on every device
docfs_empties_the_trash() {
    three_versions
    short_retention alice bob
    mkdir "$alice/Cloud/other"
    write_to "$alice/Cloud/other/doc" text
    write_to "$alice/Cloud/kept" kept
    settled
    rm -r "$alice/Cloud/dir" "$alice/Cloud/other"
    settled
    [[ -n $(stored .docfs/versions) ]] || fail 'no version is kept'
    gives 0 docfs trash "$bob/Cloud/other" --empty
    says '1 document destroyed'
    settled
    local name
    for name in alice bob; do
        expect_equal "$(docfs trash --json "$STORY/$name/mnt" | jq -r '.path | sub(".*/Cloud/"; "")')" \
            dir/note.txt "the trash of $name"
    done
    gives 1 docfs restore "$alice/Cloud/other/doc"
    gives 1 docfs trash --empty "$alice/Cloud/other"
    says 'nothing of that is in the trash'
    gives 1 docfs trash --empty "$alice/Local"
    gives 2 docfs trash --empty --json
    offline alice
    gives 1 docfs trash --empty "$alice"
    expect_equal "$(ls "$alice/.docfs/trash/Cloud")" dir
    online alice
    settled
    # The same with a plain tool.
    setfattr -n user.docfs.empty-trash -v . "$alice/Cloud"
    wait_for "[[ -z \$(ls $bob/.docfs/trash/Cloud) ]]"
    gives 0 docfs trash --empty "$bob"
    says 'nothing is in the trash'
    wait_for '[[ -z $(stored .docfs/trash)$(stored .docfs/versions) ]]'
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/kept" kept
}

# short_retention NAME…: what is announced goes six seconds later, and nothing by itself within three
# minutes.
short_retention() {
    printf '[retention]\ndays = 0.002\n' >short.toml
    local name
    for name in "$@"; do options[$name]="--config $STORY/short.toml"; done
    restart "$@"
}

# S19, Control: an earlier version that is removed goes from every device and from the store
docfs_removes_versions() {
    three_versions
    short_retention alice bob
    local doc=Cloud/dir/note.txt
    local versions=.docfs/versions/$doc
    gives 1 docfs versions "$bob/$doc" --remove 3
    gives 2 docfs versions "$bob/$doc" --remove 1 --json
    gives 0 docfs versions "$bob/$doc" --remove 2
    says '1 version destroyed (10 B)'
    # There is none of that number any more; the other one's name begins with it.
    gives 1 docfs versions "$bob/$doc" --remove 2
    says 'no version'
    expect_equal "$(cat "$bob/$versions"/*)" 'version 2'
    wait_for "[[ \$(cat '$alice/$versions'/*) == 'version 2' ]]"
    wait_for '[[ $(stored .docfs/versions | wc -l) == 1 ]]'
    # With a plain tool, and while the store is out of reach.
    offline alice
    rm "$alice/$versions"/*
    expect_equal "$(ls "$alice/$versions")" ''
    gives 0 docfs status "$alice"
    says '1 removed, not yet gone'
    kill9 alice
    [[ $(stored .docfs/versions | wc -l) == 1 ]] || fail 'it went before anybody could be told'
    start alice
    expect_equal "$(ls "$alice/$versions")" ''
    online alice
    wait_for "[[ -z \$(ls '$bob/$versions') ]]"
    kill9 alice
    start alice
    wait_for '[[ -z $(stored .docfs/versions) ]]'
    wait_for '[[ $(probe field "$alice" leavingVersions) == 0 ]]'
    settled
    same_trees alice bob
    expect_file "$alice/$doc" 'version 3'
    gives 0 docfs versions "$alice/$doc" --remove all
    says 'no earlier versions'
}

# S19, Daemon: where the mount is read-only no version is destroyed
docfs_removes_no_versions_read_only() {
    device alice
    write_to "$alice/Cloud/note.txt" 'version 1'
    gives 0 docfs flush --wait "$alice"
    append_to "$alice/Cloud/note.txt" 'version 2'
    gives 0 docfs flush --wait "$alice"
    device bob --read-only
    local versions=$bob/.docfs/versions/Cloud/note.txt
    wait_for '[[ $(ls "$versions" | wc -l) == 1 ]]'
    refused EROFS rm -f "$versions"/*
    gives 1 docfs versions "$bob/Cloud/note.txt" --remove all
    says 'Read-only file system'
    expect_equal "$(stored .docfs/versions | wc -l)" 1 'versions in the store'
    expect_file "$(find "$versions" -type f)" 'version 1'
    # Nothing else stood in the way.
    options[bob]=
    restart bob
    gives 0 docfs versions "$bob/Cloud/note.txt" --remove all
    expect_equal "$(ls "$versions")" ''
}

# S8, S19: a version is not destroyed while an unsent edit here lacks bytes of it
docfs_keeps_a_version_for_an_edit() {
    device bob
    big "$bob/Cloud/doc" 2 mark-of-doc
    gives 0 docfs flush --wait "$bob"
    cp "$bob/Cloud/doc" wanted
    device alice --deadline 600
    wait_for '[[ -e $alice/Cloud/doc ]]'
    expect_placeholder "$alice/Cloud/doc"
    offline alice
    at_once probe write "$alice/Cloud/doc" 0 written-here
    probe write wanted 0 written-here
    write_to "$bob/Cloud/doc" 'another text'
    gives 0 docfs flush --wait "$bob"
    # She hears of it, and gets no more than the first half of what it was before.
    slow_folder "$container" '' 1048576
    local versions=$alice/.docfs/versions/Cloud/doc
    wait_for '[[ $(ls "$versions" | wc -l) == 1 ]]'
    refused EBUSY rm -f "$versions"/*
    gives 1 docfs versions "$alice/Cloud/doc" --remove 1
    says 'Device or resource busy'
    expect_equal "$(ls "$versions" | wc -l)" 1 'versions'
    rm control/reads
    settled
    cmp wanted "$(expect_conflict "$alice/Cloud/doc" alice)"
    same_trees alice bob
    gives 0 docfs versions "$alice/Cloud/doc" --remove 1
    expect_equal "$(ls "$versions")" ''
    usual_folder
}

# S19: on a terminal a version is destroyed when that is confirmed
docfs_asks_before_removing() {
    three_versions
    probe typing 'n' "$DOCFS" versions --remove all "$alice/Cloud/dir/note.txt"
    expect_equal "$(ls "$alice/.docfs/versions/Cloud/dir/note.txt" | wc -l)" 2
    probe typing 'y' "$DOCFS" versions --remove all "$alice/Cloud/dir/note.txt"
    expect_equal "$(ls "$alice/.docfs/versions/Cloud/dir/note.txt")" ''
}

# S19: on a terminal the trash is emptied when that is confirmed
docfs_asks_before_emptying() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    rm "$alice/Cloud/doc"
    settled
    probe typing 'n' "$DOCFS" trash --empty "$alice"
    expect_equal "$(ls "$alice/.docfs/trash/Cloud")" doc
    probe typing 'y' "$DOCFS" trash --empty "$alice"
    expect_equal "$(ls "$alice/.docfs/trash/Cloud")" ''
}

# S19, Control: of several documents deleted under one name the latest comes back, any by its mark
docfs_restores_the_latest() {
    device alice
    local i
    for i in 1 2 3; do
        write_to "$alice/Cloud/doc.txt" "number $i"
        settled
        rm "$alice/Cloud/doc.txt"
        settled
        sleep 1
    done
    expect_equal "$(docfs trash --json "$alice" | wc -l)" 3
    gives 0 docfs restore "$alice/Cloud/doc.txt"
    expect_file "$alice/Cloud/doc.txt" 'number 3'
    local first
    first=$(docfs trash --json "$alice" | jq -r .path | sort | head -1)
    gives 0 docfs restore "$first" --to "$alice/Local/first.txt"
    expect_file "$alice/Local/first.txt" 'number 1'
    mv "$alice/Cloud/doc.txt" "$alice/Cloud/kept.txt"
    gives 0 docfs restore "$first"
    expect_file "$alice/Cloud/doc.txt" 'number 1'
    settled
}
