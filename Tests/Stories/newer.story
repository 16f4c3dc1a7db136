# Documents that another device saves while their bytes are here: what is here stays until the newer version has
# come, and stays afterwards as an earlier one (S9).

# noted: the catalog knows that what was read just now is here.
noted() { sleep 1; }

# bodies_of DEVICE: how many bodies lie in the state of a device.
bodies_of() { find "$STORY/$1/state" -type f -path "*/[0-9a-f][0-9a-f]/*" -size +1M 2>/dev/null | wc -l; }

# S9, S19: the version that a newer one has taken the place of is readable offline, and gone when the user removes it
earlier_version_is_here() {
    device alice
    device bob
    head -c 2097152 /dev/urandom >old
    head -c 2097152 /dev/urandom >new
    cp old "$bob/Cloud/doc"
    settled
    cmp old "$alice/Cloud/doc"
    noted
    cp new "$bob/Cloud/doc"
    wait_for "cmp new $alice/Cloud/doc"
    settled
    wait_for "[[ \$(attr '$alice/Cloud/doc' state) == closed ]]"
    expect_equal "$(attr "$alice/Cloud/doc" download) $(bodies_of alice)" 'current 2'
    offline alice
    restart alice
    wait_for 'is_away alice'
    cmp new "$alice/Cloud/doc"
    cmp old "$alice/.docfs/versions/Cloud/doc"/*
    online alice
    wait_for '! is_away alice'
    gives 0 docfs versions --remove all "$alice/Cloud/doc" </dev/null
    wait_for '[[ $(bodies_of alice) == 1 ]]'
    cmp new "$alice/Cloud/doc"
    settled
}

# S9: a version that another device has removed leaves no bytes here either
removed_version_leaves_nothing() {
    device alice
    device bob
    head -c 2097152 /dev/urandom >old
    cp old "$bob/Cloud/doc"
    settled
    cmp old "$alice/Cloud/doc"
    noted
    write_to "$bob/Cloud/doc" new
    wait_for "grep -qx new $alice/Cloud/doc"
    settled
    wait_for '[[ $(bodies_of alice) == 1 ]]'
    gives 0 docfs versions --remove all "$bob/Cloud/doc" </dev/null
    wait_for '[[ $(bodies_of alice) == 0 ]]'
    settled
}

# S9: with `refresh = "never"` a placeholder shows a newer version at once, and the bytes of the earlier one are
# readable all the same
refresh_never() {
    device alice --refresh never
    device bob
    write_to "$bob/Cloud/doc" old
    settled
    grep -qx old "$alice/Cloud/doc"
    noted
    write_to "$bob/Cloud/doc" newer
    settled
    wait_for "[[ \$(attr '$alice/Cloud/doc' download) == none ]]"
    offline alice
    refused ENETUNREACH cat "$alice/Cloud/doc"
    [[ $(attr "$alice/Cloud/doc" error) == *'; an earlier version is on this computer: .docfs/versions/Cloud/doc' ]] ||
        fail "no word of the earlier version: $(attr "$alice/Cloud/doc" error)"
    expect_file "$alice/.docfs/versions/Cloud/doc"/* old
    online alice
    gives 2 "$DOCFS_MOUNT" --refresh sometimes "$alice"
    says "refresh: 'sometimes' is none of here, pinned, never"
}

# S9: with `refresh = "pinned"` only pinned documents are fetched before they are shown
refresh_pinned() {
    device alice --refresh pinned
    device bob
    write_to "$bob/Cloud/pinned" old
    write_to "$bob/Cloud/doc" old
    settled
    cat "$alice/Cloud/pinned" "$alice/Cloud/doc" >/dev/null
    gives 0 docfs pin "$alice/Cloud/pinned"
    noted
    write_to "$bob/Cloud/pinned" newer
    write_to "$bob/Cloud/doc" newer
    settled
    wait_for "[[ \$(attr '$alice/Cloud/doc' download) == none ]]"
    wait_for "[[ \$(attr '$alice/Cloud/pinned' download) == current ]]"
    offline alice
    expect_file "$alice/Cloud/pinned" newer
    online alice
}

# S9: a document that nobody opens is not fetched each time that another device saves it, for ever
unused_document_is_fetched_no_more() {
    device alice
    device bob
    write_to "$bob/Cloud/doc" 'version 0'
    settled
    cat "$alice/Cloud/doc" >/dev/null
    noted
    local i
    for i in 1 2 3 4 5 6 7 8 9 10; do
        write_to "$bob/Cloud/doc" "version $i"
        sent bob
        wait_for "[[ \$(attr '$alice/Cloud/doc' revision) == \$(attr '$bob/Cloud/doc' revision) ]]"
        expect_equal "$(attr "$alice/Cloud/doc" download)" current "after version $i"
    done
    write_to "$bob/Cloud/doc" 'version 11'
    sent bob
    wait_for "[[ \$(attr '$alice/Cloud/doc' download) == none ]]"
    # Whoever opens it has the newest, and the next ones again.
    expect_file "$alice/Cloud/doc" 'version 11'
    noted
    write_to "$bob/Cloud/doc" 'version 12'
    sent bob
    wait_for "[[ \$(attr '$alice/Cloud/doc' revision) == \$(attr '$bob/Cloud/doc' revision) ]]"
    expect_equal "$(attr "$alice/Cloud/doc" download)" current
}

# S9, S16: what is appended while newer versions take the document's place is in it, or beside it
appends_meet_swaps() {
    # What settles half-way is sent, and a save of bob's that has seen it may replace it.
    device alice --settle 2
    device bob
    head -c 300000 /dev/urandom | base64 >text
    cp text "$bob/Cloud/doc"
    settled
    cmp text "$alice/Cloud/doc"
    local i writer
    (for i in {1..40}; do
        echo "line $i of alice" >>"$alice/Cloud/doc"
        sleep 0.1
    done) &
    writer=$!
    for i in {1..8}; do
        { echo "save $i of bob"; cat text; } >new
        cp new "$bob/Cloud/doc"
        sleep 0.5
    done
    wait $writer
    settled
    same_trees alice bob
    for i in {1..40}; do kept alice -x "line $i of alice" || fail "line $i is lost"; done
}
