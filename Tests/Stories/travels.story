# Conflict versions go where their document goes, and are conflict versions there.

# A moment after which nothing is to follow any more.
at_rest() {
    sleep 2.5 # a version follows after a second
    settled
}

# alice and bob see doc.txt by alice with a sibling by bob, and are at rest; alice has another container.
travelling() {
    mkdir -p second
    device alice --cloud "Work=file://$STORY/second"
    device bob --cloud "Work=file://$STORY/second"
    mkdir -p "$(dirname "$alice/Cloud/$1")"
    write_to "$alice/Cloud/$1" 'version one'
    settled
    cat "$bob/Cloud/$1" >/dev/null
    settled
    offline alice bob
    write_to "$alice/Cloud/$1" 'by alice'
    write_to "$bob/Cloud/$1" 'by bob'
    pass_settle
    online alice
    settled
    online bob
    settled
    sibling=$(expect_conflict "$alice/Cloud/$1" bob)
    sibling=${sibling##*/}
}

# has_conflict DEVICE DIRECTORY NAME: NAME by alice has the sibling by bob there, on every device.
has_conflict() {
    local name
    for name in alice bob; do
        wait_for "[[ \$(attr '${!name}/$1/$2' conflicts) == 1 ]]"
        expect_list "${!name}/$1" "$sibling" "$2"
        expect_file "${!name}/$1/$2" 'by alice'
        expect_file "${!name}/$1/$sibling" 'by bob'
        expect_equal "$(attr "${!name}/$1/$sibling" conflict-of)" "$(id_of "${!name}/$1/$2")"
        expect_equal "$(wc -l <"${!name}/.docfs/conflicts")" 1
    done
}

# in_alices_local NAME: alice has NAME and its sibling as files of Local, and nobody has them elsewhere.
in_alices_local() {
    wait_for "[[ -e '$STORY/alice/local/$sibling' ]]"
    settled
    expect_list "$STORY/alice/local" "$sibling" "$1"
    expect_file "$STORY/alice/local/$1" 'by alice'
    expect_file "$STORY/alice/local/$sibling" 'by bob'
    expect_list "$alice/Cloud"
    wait_for "[[ -z \$(ls '$bob/Cloud') ]]"
    expect_equal "$(cat "$alice/.docfs/conflicts" "$bob/.docfs/conflicts")" ''
}

# S24: out of its container and back, the versions follow, and are conflict versions on every device
conflict_to_local_and_back() {
    local sibling
    travelling doc.txt
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    in_alices_local doc.txt
    mv "$alice/Local/doc.txt" "$alice/Cloud/"
    wait_for "[[ -e '$alice/Cloud/$sibling' ]]"
    settled
    has_conflict Cloud doc.txt
    expect_list "$alice/Local"
    expect_list "$STORY/alice/local"
    docfs resolve "$alice/Cloud/doc.txt" --keep current || fail 'cannot be resolved'
    settled
    expect_list "$bob/Cloud" doc.txt
}

# S24: to another container, where the versions follow
conflict_to_another_container() {
    local sibling
    travelling doc.txt
    mkdir "$alice/Work/below"
    mv "$alice/Cloud/doc.txt" "$alice/Work/below/"
    wait_for "[[ -e '$alice/Work/below/$sibling' ]]"
    settled
    has_conflict Work/below doc.txt
    expect_list "$alice/Cloud"
    wait_for "[[ -z \$(ls '$bob/Cloud') ]]"
}

# S24: mv of all names, whichever comes first, there and back
conflict_among_many_names() {
    local sibling
    travelling doc
    write_to "$alice/Cloud/other" 'beside it'
    mv "$alice"/Cloud/* "$alice/Local/"
    wait_for "[[ -e '$STORY/alice/local/$sibling' && -e '$STORY/alice/local/doc' ]]"
    settled
    at_rest
    mv "$alice/Local/$sibling" "$alice/Local/doc" "$alice/Local/other" "$alice/Cloud/"
    settled
    wait_for "[[ \$(attr '$alice/Cloud/doc' conflicts) == 1 ]]"
    rm "$alice/Cloud/other"
    settled
    has_conflict Cloud doc
    mv "$alice/Cloud/$sibling" "$alice/Work/"
    mv "$alice/Cloud/doc" "$alice/Work/"
    wait_for "[[ \$(attr '$alice/Work/doc' conflicts) == 1 ]]"
    settled
    has_conflict Work doc
}

# S24: a directory takes both along, out, in, and across
conflict_in_a_directory() {
    local sibling
    travelling below/doc.txt
    mv "$alice/Cloud/below" "$alice/Local/"
    wait_for "[[ -e '$STORY/alice/local/below/$sibling' && -e '$STORY/alice/local/below/doc.txt' ]]"
    settled
    at_rest
    mv "$alice/Local/below" "$alice/Cloud/again"
    settled
    has_conflict Cloud/again doc.txt
    mv "$alice/Cloud/again" "$alice/Work/"
    settled
    has_conflict Work/again doc.txt
}

# S24: prefer --move leaves no conflict behind
conflict_and_prefer() {
    local sibling
    travelling doc.txt
    gives 0 docfs prefer local --move --mount "$alice"
    in_alices_local doc.txt
    gives 0 docfs prefer Cloud --move --mount "$alice"
    settled
    has_conflict Cloud doc.txt
}

# S24: renamed and saved by an editor in Local, it is the document of its versions still
conflict_renamed_in_local() {
    local sibling
    travelling doc.txt
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    in_alices_local doc.txt
    mkdir "$alice/Local/below"
    mv "$alice/Local/doc.txt" "$alice/Local/report.txt"
    mv "$alice/Local/$sibling" "$alice/Local/below/"
    mv "$alice/Local/report.txt" "$alice/Local/report.txt~"
    write_to "$alice/Local/report.txt" 'by alice'
    rm "$alice/Local/report.txt~"
    mv "$alice/Local/report.txt" "$alice/Cloud/"
    wait_for "[[ -e '$alice/Cloud/$sibling' ]]"
    settled
    has_conflict Cloud report.txt
    expect_list "$alice/Local" below
}

# S17: a version that is moved alone is a document of its own, and one again that comes back as it was
version_moved_alone() {
    local sibling
    travelling doc.txt
    mv "$alice/Cloud/$sibling" "$alice/Local/"
    wait_for "[[ -e '$STORY/alice/local/$sibling' ]]"
    settled
    at_rest
    expect_list "$bob/Cloud" doc.txt
    expect_equal "$(attr "$bob/Cloud/doc.txt" conflicts)" 0
    mv "$alice/Local/$sibling" "$alice/Cloud/"
    settled
    has_conflict Cloud doc.txt
    mv "$alice/Cloud/$sibling" "$alice/Local/mine.txt"
    wait_for "[[ -e '$STORY/alice/local/mine.txt' ]]"
    mv "$alice/Local/mine.txt" "$alice/Cloud/"
    settled
    at_rest
    expect_list "$bob/Cloud" doc.txt mine.txt
    expect_equal "$(attr "$bob/Cloud/doc.txt" conflicts)" 0
}

# S17: in its container, a version that is moved beside its document keeps its mark
conflict_moved_within_a_container() {
    local sibling
    travelling doc.txt
    mkdir "$alice/Cloud/below"
    mv "$alice"/Cloud/*.txt "$alice/Cloud/below/"
    settled
    has_conflict Cloud/below doc.txt
    mv "$alice/Cloud/below/$sibling" "$alice/Cloud/"
    settled
    expect_equal "$(attr "$bob/Cloud/below/doc.txt" conflicts)" 0
}

# S24, S25: killed before the versions have followed, they follow after the start
killed_before_versions_follow() {
    local sibling
    travelling doc.txt
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    wait_for "[[ -e '$STORY/alice/local/doc.txt' ]]"
    kill9 alice
    start alice
    in_alices_local doc.txt
    mv "$alice/Local/doc.txt" "$alice/Cloud/"
    kill9 alice
    start alice
    wait_for "[[ -e '$alice/Cloud/$sibling' ]]"
    settled
    has_conflict Cloud doc.txt
}

# S24: two documents whose versions travel at the same time keep their own
conflicts_of_two_documents() {
    local sibling first
    travelling first.txt
    first=$sibling
    offline alice bob
    write_to "$alice/Cloud/second.txt" 'by alice'
    write_to "$bob/Cloud/second.txt" 'by bob'
    pass_settle
    online alice
    settled
    online bob
    settled
    sibling=$(expect_conflict "$alice/Cloud/second.txt" bob)
    sibling=${sibling##*/}
    mv "$alice/Cloud/first.txt" "$alice/Cloud/second.txt" "$alice/Local/"
    wait_for "[[ -e '$STORY/alice/local/$first' && -e '$STORY/alice/local/$sibling' ]]"
    settled
    at_rest
    mkdir "$alice/Cloud/a" "$alice/Cloud/b"
    mv "$alice/Local/second.txt" "$alice/Cloud/b/"
    wait_for "[[ -e '$alice/Cloud/b/$sibling' ]]"
    mv "$alice/Local/first.txt" "$alice/Cloud/a/"
    wait_for "[[ -e '$alice/Cloud/a/$first' ]]"
    settled
    expect_list "$bob/Cloud/a" "$first" first.txt
    expect_list "$bob/Cloud/b" "$sibling" second.txt
    expect_equal "$(attr "$bob/Cloud/a/first.txt" conflicts)" 1
    expect_equal "$(attr "$bob/Cloud/b/second.txt" conflicts)" 1
}

# S24: moved back as soon as a version has followed, the version comes back too
conflict_moved_back_at_once() {
    local sibling
    travelling doc.txt
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    wait_for "[[ -e '$alice/Local/$sibling' ]]"
    mv "$alice/Local/doc.txt" "$alice/Cloud/"
    wait_for "[[ -e '$alice/Cloud/$sibling' ]]"
    settled
    has_conflict Cloud doc.txt
}

# S24: a document that is removed in Local before its versions have followed leaves them where they are
versions_of_a_removed_document_stay() {
    local sibling
    travelling doc.txt
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    wait_for "[[ -e '$STORY/alice/local/doc.txt' ]]"
    rm "$STORY/alice/local/doc.txt"
    settled
    at_rest
    expect_list "$alice/Cloud" "$sibling"
    expect_list "$alice/Local"
}

# S14, S24: a save that moves the old file to Local leaves the versions with the name
versions_stay_with_the_name() {
    local sibling
    settle=3
    travelling doc.txt
    mv "$alice/Cloud/doc.txt" "$alice/Local/backup.txt"
    write_to "$alice/Cloud/doc.txt" 'by alice'
    settled
    at_rest
    expect_list "$alice/Local" backup.txt
    rm "$alice/Local/backup.txt"
    has_conflict Cloud doc.txt
}

# S20, S24: another device's late edit is a document of its own: what is in Local stays there
late_edit_leaves_versions_in_local() {
    local sibling
    travelling doc.txt
    offline bob
    write_to "$bob/Cloud/doc.txt" 'late by bob'
    pass_settle
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    wait_for "[[ -e '$STORY/alice/local/$sibling' ]]"
    settled
    at_rest
    online bob
    settled
    expect_file "$alice/Cloud/doc.txt" 'late by bob'
    mv "$alice/Local/doc.txt" "$alice/Local/report.txt"
    at_rest
    expect_list "$alice/Local" "$sibling" report.txt
    mv "$alice/Local/report.txt" "$alice/Cloud/"
    wait_for "[[ -e '$alice/Cloud/$sibling' ]]"
    wait_for "[[ \$(attr '$bob/Cloud/report.txt' conflicts) == 1 ]]"
    expect_equal "$(attr "$bob/Cloud/doc.txt" conflicts)" 0
}

# S14, S24: saved in Local by removing it and making it again, it is the document of its versions still
conflict_saved_by_unlink_in_local() {
    local sibling
    travelling doc.txt
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    in_alices_local doc.txt
    at_rest
    rm "$alice/Local/doc.txt"
    write_to "$alice/Local/doc.txt" 'by alice'
    at_rest
    mv "$alice/Local/doc.txt" "$alice/Cloud/"
    wait_for "[[ -e '$alice/Cloud/$sibling' ]]"
    settled
    has_conflict Cloud doc.txt
}

# S24: a document that is brought back before it has arrived brings its versions back
conflict_brought_back_on_its_way() {
    local sibling
    travelling doc.txt
    cat "$alice/Cloud/$sibling" >/dev/null
    wait_for "[[ \$(attr '$alice/Cloud/$sibling' download) == current ]]"
    docfs evict "$alice/Cloud/doc.txt"
    offline alice
    wait_for 'is_away alice'
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    wait_for "[[ -e '$STORY/alice/local/$sibling' ]]"
    sleep 2 # a moment in which the version is noted there
    mv "$alice/Local/doc.txt" "$alice/Cloud/"
    wait_for "[[ -e '$alice/Cloud/$sibling' ]]"
    online alice
    settled
    has_conflict Cloud doc.txt
}

# S24: another file of an old name is nobody's document
unrelated_file_of_an_old_name() {
    local sibling
    travelling doc.txt
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    in_alices_local doc.txt
    at_rest
    mv "$alice/Local/doc.txt" "$alice/Local/report.txt"
    at_rest
    write_to "$alice/Local/doc.txt" 'something else'
    mv "$alice/Local/doc.txt" "$alice/Cloud/"
    settled
    at_rest
    expect_list "$alice/Local" "$sibling" report.txt
    write_to "$STORY/alice/local/new" 'something else'
    mv "$STORY/alice/local/new" "$STORY/alice/local/report.txt"
    wait_for "grep -q else '$alice/Local/report.txt'"
    mv "$alice/Local/report.txt" "$alice/Cloud/"
    settled
    at_rest
    expect_list "$alice/Local" "$sibling"
    expect_list "$bob/Cloud" doc.txt report.txt
}

# S14, S24: what comes to the name of a removed document is that document, with its versions
version_of_a_document_that_comes_back() {
    local sibling
    travelling doc.txt
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    in_alices_local doc.txt
    write_to "$alice/Cloud/report.txt" 'another one'
    settled
    rm "$alice/Cloud/report.txt"
    mv "$alice/Local/doc.txt" "$alice/Cloud/report.txt"
    wait_for "[[ -e '$alice/Cloud/$sibling' ]]"
    settled
    has_conflict Cloud report.txt
}

# S9, S24: of a document that is open, its conflict version is not lost when it moves
open_document_with_a_version_moves() {
    device alice
    device bob
    write_to "$alice/Cloud/doc.txt" 'version one'
    settled
    cat "$bob/Cloud/doc.txt" >/dev/null
    exec 7<>"$bob/Cloud/doc.txt"
    printf 'by bob' >&7
    write_to "$alice/Cloud/doc.txt" 'by alice'
    wait_for "[[ -n \$(ls '$alice/Cloud' | grep conflict) ]]"
    mv "$bob/Cloud/doc.txt" "$bob/Local/"
    printf ', who goes on' >&7
    exec 7>&-
    settled
    at_rest
    grep -rqs 'by bob, who goes on' "$bob/Local" "$bob/Cloud" || fail 'what bob wrote is gone'
    grep -rqs 'by alice' "$bob/Cloud" "$alice/Cloud" || fail 'what alice wrote is gone'
    same_trees alice bob
}
