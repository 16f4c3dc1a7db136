# The program docfs: conflicts.

# in_conflict NAME TEXT TEXT…: alice and bob edited the same document: its text, alice's, bob's.
in_conflict() {
    [[ -n ${alice:-} ]] || { device alice && device bob; }
    write_to "$alice/Cloud/$1" "$2"
    settled
    cat "$bob/Cloud/$1" >/dev/null
    settled
    offline alice bob
    write_to "$alice/Cloud/$1" "$3"
    write_to "$bob/Cloud/$1" "$4"
    pass_settle
    online alice
    settled
    online bob
    settled
}

expect_settled() {
    settled
    same_trees alice bob
    expect_equal "$(docfs conflicts --json "$alice")$(docfs conflicts --json "$bob")" '' conflicts
}

# S16, Control: conflicts tells each document's versions: who, when, size, and how they differ
docfs_lists_conflicts() {
    in_conflict note.txt one 'by alice' 'by bob'
    in_conflict spaces.txt $'a b\nc' $'a  b\nc' $'a b\n\tc'
    in_conflict binary one $'\x01\x02 alice' $'\x01\x03 bob'
    printf 'a\0b' >"$alice/Cloud/binary"
    settled
    gives 0 docfs conflicts "$bob"
    says 'note.txt'
    says 'from bob'
    says 'white space only'
    says 'binary'
    says '+1 −1 lines'
    expect_equal "$(docfs conflicts --json "$bob/Cloud/note.txt" | jq -c '[.versions[] | [.number, .device, .size]]')" \
        '[[1,null,9],[2,"bob",7]]'
    cd "$bob/Cloud"
    gives 0 docfs conflicts "note (conflict from bob"*
    says 'note.txt'
    cd "$STORY"
    gives 1 docfs conflicts "$bob/Cloud/absent"
}

# S17, Control: --keep decides for scripts, on all devices alike, and what was not kept can be had
docfs_resolves() {
    in_conflict current.txt one 'by alice' 'by bob'
    in_conflict newest.txt one 'by alice' 'by bob'
    in_conflict named.txt one 'by alice' 'by bob'
    in_conflict both.txt one 'by alice' 'by bob'
    write_to "$alice/Cloud/both (bob).txt" 'has the name'
    settled
    gives 2 docfs resolve "$alice/Cloud/current.txt" </dev/null
    says 'not on a terminal'
    gives 1 docfs resolve --keep nonsense "$alice/Cloud/current.txt"
    gives 0 docfs resolve --keep current "$alice/Cloud/current.txt"
    gives 0 docfs resolve --keep newest "$bob/Cloud/newest.txt"
    gives 0 docfs resolve --keep bob "$alice/Cloud/named.txt"
    gives 0 docfs resolve --keep both "$alice/Cloud/both.txt"
    says 'both (bob 2).txt'
    gives 1 docfs resolve --keep newest "$alice/Cloud/absent.txt"
    expect_settled
    expect_file "$alice/Cloud/current.txt" 'by alice'
    expect_file "$alice/Cloud/newest.txt" 'by bob'
    expect_file "$alice/Cloud/named.txt" 'by bob'
    expect_file "$alice/Cloud/both.txt" 'by alice'
    expect_file "$alice/Cloud/both (bob).txt" 'has the name'
    expect_file "$alice/Cloud/both (bob 2).txt" 'by bob'
    expect_equal "$(docfs versions --json "$bob/Cloud/named.txt" | jq -r .path | xargs -d'\n' cat | sort)" \
        $'by alice\none'
    expect_equal "$(docfs trash --json "$bob" | jq -r .path | grep -c current)" 1
}

# S17, Control: a conflict version whose document has gone is told too, and what to do with it
docfs_lists_lonely_versions() {
    in_conflict note.txt one 'by alice' 'by bob'
    rm "$alice/Cloud/note.txt"
    settled
    gives 0 docfs conflicts "$alice"
    says 'conflict from bob'
    says 'its document has gone'
    local place
    for place in "$bob" "$bob/Cloud"; do
        expect_equal "$(docfs conflicts --json "$place" | jq -c '[has("document"), .versions[0].device]')" \
            '[false,"bob"]'
    done
    mv "$alice/Cloud/"note*conflict* "$alice/Cloud/note.txt"
    expect_settled
    expect_file "$bob/Cloud/note.txt" 'by bob'
}

# S17, Control: a whole directory is decided at once, and only what was there when it was decided
docfs_resolves_many() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    settled
    in_conflict dir/one one 'by alice' 'by bob'
    in_conflict dir/two one 'by alice' 'by bob'
    in_conflict three one 'by alice' 'by bob'
    gives 0 docfs resolve --keep newest "$alice/Cloud/dir"
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/dir/one" 'by bob'
    expect_file "$alice/Cloud/dir/two" 'by bob'
    expect_equal "$(docfs conflicts --json "$alice" | wc -l)" 1
}

# S18, Control: merge takes the edits of both where they do not meet, and nothing where they do
docfs_merges() {
    in_conflict text.txt $'a\nb\nc\nd\ne' $'A\nb\nc\nd\ne' $'a\nb\nc\nd\nE'
    in_conflict clash.txt $'a\nb' $'a\nalice' $'a\nbob'
    in_conflict new.txt one two three
    gives 0 docfs resolve --keep merge "$bob/Cloud/text.txt"
    gives 1 docfs resolve --keep merge "$bob/Cloud/clash.txt"
    says 'the same place'
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/text.txt" $'A\nb\nc\nd\nE'
    expect_file "$alice/Cloud/clash.txt" $'a\nalice'
    expect_file "$(expect_conflict "$alice/Cloud/clash.txt" bob)" $'a\nbob'
    expect_equal "$(docfs conflicts --json "$alice" | wc -l)" 2
}

# S18, Control: merge never takes back what the other side has never seen, however many versions lie between
docfs_merges_over_versions() {
    device alice
    device bob
    write_to "$alice/Cloud/text.txt" $'1\n2\n3\n4\n5\n6\n7\n8\n9'
    settled
    write_to "$alice/Cloud/text.txt" $'1\n2\n3\n4\n5\n6\n7\n8\n9\nbefore'
    settled
    cat "$bob/Cloud/text.txt" >/dev/null
    settled
    offline bob
    write_to "$bob/Cloud/text.txt" $'bob\n1\n2\n3\n4\n5\n6\n7\n8\n9\nbefore'
    pass_settle
    write_to "$alice/Cloud/text.txt" $'1\n2\n3\nalice\n4\n5\n6\n7\n8\n9\nbefore'
    settled
    write_to "$alice/Cloud/text.txt" $'1\n2\n3\nalice\n4\n5\n6\n7\n8\nagain\n9\nbefore'
    settled
    online bob
    settled
    gives 0 docfs resolve --keep merge "$alice/Cloud/text.txt"
    expect_settled
    expect_file "$bob/Cloud/text.txt" $'bob\n1\n2\n3\nalice\n4\n5\n6\n7\n8\nagain\n9\nbefore'
}

# S18, Control: merge goes by the version that both were made from, or does nothing
docfs_merges_on_its_base() {
    device alice
    device bob
    local i text=0
    # More versions than are kept for sure.
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        text+=$'\n'$i
        write_to "$alice/Cloud/one.txt" "$text"
        docfs flush --wait "$alice/Cloud/one.txt" >/dev/null
    done
    cp "$alice/Cloud/one.txt" "$alice/Cloud/other.txt"
    settled
    in_conflict one.txt "$text" $'alice\n'"$text" "$text"$'\nbob'
    in_conflict other.txt "$text" $'alice\n'"$text" "$text"$'\nbob'
    gives 0 docfs resolve --keep merge "$bob/Cloud/one.txt"
    settled
    expect_file "$alice/Cloud/one.txt" $'alice\n'"$text"$'\nbob'
    # Without it nobody knows what was added, and what was taken away.
    local sibling base
    sibling=$(expect_conflict "$alice/Cloud/other.txt" bob)
    base=$alice/.docfs/versions/Cloud/other.txt/$(attr "$sibling" conflict-base)
    expect_file "$base" "$text"
    rm "$base"
    expect_equal "$(attr "$sibling" conflict-base)" ''
    gives 1 docfs resolve --keep merge "$alice/Cloud/other.txt"
    says 'is not kept'
    expect_conflict "$alice/Cloud/other.txt" bob >/dev/null
}

# S17, Control: on a terminal the page shows both versions, and touches nothing before it is confirmed
docfs_asks() {
    in_conflict note.txt $'a\nb\nc' $'a\nalice\nc' $'a\nbob\nc'
    export SCREEN=$STORY/screen
    probe typing '2|n|s' "$DOCFS" resolve "$alice/Cloud/note.txt"
    grep -q -- '-alice' screen || fail "no differences: $(cat screen)"
    grep -q -- '+bob' screen || fail "no differences: $(cat screen)"
    settled
    expect_file "$alice/Cloud/note.txt" $'a\nalice\nc'
    expect_conflict "$alice/Cloud/note.txt" bob >/dev/null
    ! probe typing '2|^C' "$DOCFS" resolve "$alice/Cloud/note.txt" 2>/dev/null || fail 'interrupted, but done'
    settled
    expect_conflict "$alice/Cloud/note.txt" bob >/dev/null
    probe typing '2|y' "$DOCFS" resolve "$alice/Cloud/note.txt"
    expect_settled
    expect_file "$alice/Cloud/note.txt" $'a\nbob\nc'
}

# S17, Control: the page opens the versions, in the programs of the desktop or in one that is named
docfs_opens_versions() {
    in_conflict 'a picture.png' one 'by alice' 'by bob'
    local sibling
    sibling=$(expect_conflict "$alice/Cloud/a picture.png" bob)
    mkdir bin
    printf '#!/bin/sh\nprintf "%%s\\n" "$#" "$@" >>"%s/opened"\nexit "${OPENED:-0}"\n' "$STORY" |
        tee bin/xdg-open >bin/compare
    chmod +x bin/*
    export SCREEN=$STORY/screen PATH=$STORY/bin:$PATH DISPLAY=:99
    probe typing 'o|q' "$DOCFS" resolve "$alice/Cloud/a picture.png"
    grep -q 'open' screen || fail "nothing to open with: $(cat screen)"
    expect_file opened $'1\n'"$alice/Cloud/a picture.png"$'\n1\n'"$sibling"
    rm opened
    # Programs that compare end with 1 where there is a difference.
    OPENED=1 probe typing 'o|q' "$DOCFS" resolve --diff 'compare -x' "$alice/Cloud/a picture.png"
    expect_file opened $'3\n-x\n'"$alice/Cloud/a picture.png"$'\n'"$sibling"
    rm opened
    OPENED=3 probe typing 'o|q' "$DOCFS" resolve "$alice/Cloud/a picture.png"
    grep -q 'xdg-open ended with 3' screen || fail "no word of that: $(cat screen)"
    unset DISPLAY
    rm opened
    probe typing 'o|q' "$DOCFS" resolve "$alice/Cloud/a picture.png"
    expect_absent opened
    PAGER='compare -p' probe typing 'o|q' "$DOCFS" resolve "$alice/Cloud/a picture.png"
    expect_file opened $'3\n-p\n'"$alice/Cloud/a picture.png"$'\n'"$sibling"
    gives 2 docfs resolve --diff nonesuch "$alice/Cloud/a picture.png"
    expect_conflict "$alice/Cloud/a picture.png" bob >/dev/null
}

# S17, Control: the page goes from conflict to conflict, merges, keeps both, and stops when it is told to
docfs_asks_for_all() {
    in_conflict one $'a\nb\nc\nd\ne' $'A\nb\nc\nd\ne' $'a\nb\nc\nd\nE'
    in_conflict two one 'by alice' 'by bob'
    in_conflict zoo one 'by alice' 'by bob'
    export SCREEN=$STORY/screen
    cd "$alice"
    probe typing 'm|y|b|y|q' "$DOCFS" resolve
    cd "$STORY"
    grep -q '(1 of 3)' screen || fail "no count: $(cat screen)"
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/one" $'A\nb\nc\nd\nE'
    expect_file "$alice/Cloud/two (bob)" 'by bob'
    expect_equal "$(docfs conflicts --json "$alice" | wc -l)" 1
}

# S18: the configuration settles conflicts by type: the edits of both where that is clean, or the newest
strategies_by_type() {
    printf '[types.%s]\nextension = "%s"\nconflicts = "%s"\n' \
        text txt merge draft draft newest late late newest >types.toml
    device alice --config "$STORY/types.toml"
    device bob --config "$STORY/types.toml"
    local name lines=$'one\ntwo\nthree\nfour\nfive'
    for name in both.txt clash.txt mine.draft theirs.late asked.md; do
        write_to "$alice/Cloud/$name" "$lines"
    done
    settled
    cat "$bob/Cloud"/* >/dev/null
    offline alice bob
    for name in both.txt clash.txt mine.draft theirs.late asked.md; do
        write_to "$alice/Cloud/$name" "${lines/one/one of alice}"
    done
    for name in clash.txt mine.draft theirs.late asked.md; do
        write_to "$bob/Cloud/$name" "${lines/one/one of bob}"
    done
    write_to "$bob/Cloud/both.txt" "${lines/five/five of bob}"
    touch -d '1 hour ago' "$alice/Cloud/mine.draft" "$bob/Cloud/theirs.late"
    pass_settle
    exec 3<"$bob/.docfs/events"
    online alice
    settled
    online bob
    wait_for "[[ \$(docfs conflicts --json $alice | wc -l) == 2 && \$(ls $alice/Cloud | wc -l) == 7 ]]"
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/both.txt" $'one of alice\ntwo\nthree\nfour\nfive of bob'
    expect_file "$alice/Cloud/clash.txt" "${lines/one/one of alice}"
    expect_file "$alice/Cloud/mine.draft" "${lines/one/one of bob}"
    expect_file "$alice/Cloud/theirs.late" "${lines/one/one of alice}"
    expect_equal "$(docfs conflicts --json "$alice" | jq -r .document | sed 's:.*/::' | sort)" \
        $'asked.md\nclash.txt'
    # Each was told of by its name.
    expect_equal "$(timeout 3 cat <&3 | jq -r 'select(.event == "conflict") | .path' | sort)" \
        $'asked.md\nboth.txt\nclash.txt\nmine.draft\ntheirs.late'
    exec 3<&-
    # Nothing is gone.
    gives 0 docfs versions "$alice/Cloud/mine.draft"
    expect_equal "$(docfs trash --json "$alice" | jq -r .path | grep -c theirs)" 1
}

# S17, Control: conflicts of links are decided like others, and flush knows what becomes of links
docfs_resolves_links() {
    device alice
    device bob
    ln -s first "$alice/Cloud/link"
    settled
    [[ $(readlink "$bob/Cloud/link") == first ]]
    offline alice bob
    ln -sfn 'by alice' "$alice/Cloud/link"
    ln -sfn 'by bob' "$bob/Cloud/link"
    pass_settle
    gives 1 docfs flush --wait "$alice/Cloud/link"
    says offline
    online alice
    settled
    online bob
    settled
    gives 0 docfs resolve --keep current "$bob/Cloud/link"
    gives 0 docfs flush --wait "$bob/Cloud/link"
    mkdir "$bob/Cloud/dir"
    ln -s elsewhere "$bob/Cloud/dir/link"
    gives 0 docfs flush --wait "$bob/Cloud/dir"
    [[ $(readlink "$container/dir/link") == elsewhere ]]
    expect_settled
    expect_equal "$(readlink "$bob/Cloud/link")" 'by alice'
}

# S3, S17, Control: status of a link says what is stored, and to pin one is no error
links_have_their_state() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    ln -s ../elsewhere "$alice/Cloud/dir/link"
    ln -s elsewhere "$alice/Local/link"
    mkfifo "$alice/Cloud/dir/pipe"
    settled
    gives 0 docfs status "$bob/Cloud/dir/link"
    says stored
    gives 0 docfs status "$alice/Local/link"
    says 'on this computer'
    gives 0 docfs status "$alice/Cloud/dir"
    says 'this device only'
    expect_equal "$(docfs status --json "$bob/Cloud/dir/link" | jq -c '[.scope, .type, .upload, .conflicts]')" \
        '["Cloud","link","uploaded",0]'
    expect_equal "$(docfs status --json "$bob/Cloud/dir/link" | jq -r .id)" \
        "$(docfs status --json "$alice/Cloud/dir/link" | jq -r .id)"
    gives 0 docfs pin "$bob/Cloud/dir/link" "$bob/Cloud/dir"
    gives 0 docfs unpin "$bob/Cloud/dir/link" "$bob/Cloud/dir"
    offline alice
    ln -s new "$alice/Cloud/dir/new"
    gives 0 docfs status "$alice/Cloud/dir/new"
    says waiting
    online alice
}

# S17, S18, Control: what a choice drops is in the container first, by hand or by the configuration; what is not
# there stays beside the document
choices_wait_for_the_container() {
    printf '[types.late]\nextension = "late"\nconflicts = "newest"\n' >types.toml
    device alice --config "$STORY/types.toml" --deadline 600
    device bob
    local name
    for name in doc.txt doc.late; do write_to "$alice/Cloud/$name" first; done
    settled
    cat "$bob/Cloud"/* >/dev/null
    settled
    offline alice bob
    for name in doc.txt doc.late; do
        head -c 100000 /dev/zero | tr '\0' a >"$alice/Cloud/$name"
        write_to "$bob/Cloud/$name" 'by bob'
    done
    touch -d '1 hour ago' "$alice/Cloud/doc.late"
    pass_settle
    online bob
    settled
    # Of a document of hers no more than this arrives.
    slow_folder "$container" 50000
    for name in doc.txt doc.late; do wait_for "[[ -n \$(conflicts_of $alice/Cloud/$name) ]]"; done
    gives 1 timeout --preserve-status --signal=INT 3 "$DOCFS" resolve --keep current "$alice/Cloud/doc.txt"
    for name in doc.txt doc.late; do expect_conflict "$alice/Cloud/$name" alice >/dev/null; done
    rm control/writes
    gives 0 docfs resolve --keep current "$alice/Cloud/doc.txt"
    wait_for "docfs conflicts --json $alice >open && [[ ! -s open ]]"
    settled
    same_trees alice bob
    for name in doc.txt doc.late; do expect_file "$bob/Cloud/$name" 'by bob'; done
    find "$bob/.docfs/trash/Cloud" -type f >deleted
    expect_equal "$(wc -l <deleted)" 2 'what was dropped'
    while read -r name; do
        expect_equal "$(tr -d a <"$name" | wc -c) $(wc -c <"$name")" '0 100000' "$name"
    done <deleted
    usual_folder
}
