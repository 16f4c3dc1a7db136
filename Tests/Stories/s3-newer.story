# Documents that another device saves while their bytes are here, on a way to the store that is slow or ends: what is
# here stays until the newer version has come whole (S9).

# alice has read a document of bob's, and bob has saved it since; of the newer version no more than some bytes reach
# her, until other rules hold. The arguments are options of her mount.
outdated_at_alice() {
    device alice "$@"
    device bob
    head -c 3145728 /dev/urandom >old
    head -c 3145728 /dev/urandom >new
    cp old "$bob/Cloud/doc"
    settled
    cmp old "$alice/Cloud/doc"
    # The catalog learns a moment later that it is here.
    sleep 1
    between alice 'hold 1000000 GET /doc'
    cp new "$bob/Cloud/doc"
    wait_for "[[ ,\$(attr '$alice/Cloud/doc' state), == *,outdated,* ]]"
}

# elsewhere: the option that shows a container in a folder as Work.
elsewhere() { echo "--cloud=Work=file://$STORY/second"; }

# S9, S12: a document whose bytes are here stays readable until the newer version has come whole, also offline and
# after the daemon has died
what_is_here_stays_readable() {
    outdated_at_alice
    cmp old "$alice/Cloud/doc"
    expect_equal "$(attr "$alice/Cloud/doc" download)" current
    gives 0 docfs status "$alice/Cloud/doc"
    says 'a newer version is on its way'
    expect_equal "$(docfs find --state outdated "$alice/Cloud" | wc -l)" 1
    expect_equal "$(docfs status --json "$alice" | jq -c '.scopes[0].outdated[] | [.path, .device]')" '["doc","bob"]'
    # Nothing of it is to be sent.
    expect_equal "$(docfs status --json "$alice" | jq '.scopes[0] | [.pending, .updatesWaiting] | add')" 0
    gives 0 docfs flush --wait "$alice"
    kill9 alice
    offline alice
    start alice
    wait_for 'is_away alice'
    cmp old "$alice/Cloud/doc"
    expect_equal "$(attr "$alice/Cloud/doc" state)" closed,outdated
    online alice
    wait_for "cmp new $alice/Cloud/doc"
    settled
    wait_for "[[ \$(attr '$alice/Cloud/doc' state) == closed ]]"
    expect_equal "$(attr "$alice/Cloud/doc" download)" current
    same_trees alice bob
}

# S9: a newer version takes the place of what is here in one moment, when it is whole: no reader sees half of it
newer_version_is_swapped_whole() {
    outdated_at_alice
    local sum seen last
    sum=$(sha256sum <new)
    seen=$(sha256sum <"$alice/Cloud/doc")
    between alice 'rate 1500000 GET /doc'
    while [[ ${last:-} != "$sum" ]]; do
        last=$(timeout $patience sha256sum <"$alice/Cloud/doc")
        seen+=$'\n'$last
    done
    between alice
    expect_equal "$(sort -u <<<"$seen")" "$(sha256sum old new | sed 's/ .*/  -/' | sort -u)" 'what a reader saw'
    settled
    same_trees alice bob
}

# S9: whoever has the document open for reading goes on with the version that was opened
reader_goes_on_with_what_was_opened() {
    outdated_at_alice
    exec 3<"$alice/Cloud/doc"
    head -c 1000000 <&3 >seen
    between alice
    wait_for "cmp new $alice/Cloud/doc"
    cat <&3 >>seen
    exec 3<&-
    cmp old seen
    settled
}

# S9: what is written into an outdated document meets the newer version as any two edits do
edit_of_an_outdated_document() {
    outdated_at_alice
    echo more >>"$alice/Cloud/doc"
    between alice
    settled
    cmp new "$alice/Cloud/doc"
    cmp <(cat old && echo more) "$(expect_conflict "$alice/Cloud/doc" alice)"
    same_trees alice bob
}

# S9: a document that another device renames or deletes while its newer version is on its way is read as it was until
# that has come, and does not wait for it
outdated_document_is_renamed() {
    outdated_at_alice
    mv "$bob/Cloud/doc" "$bob/Cloud/doc2"
    wait_for "[[ -e $alice/Cloud/doc2 && ! -e $alice/Cloud/doc ]]"
    expect_equal "$(attr "$alice/Cloud/doc2" state) $(attr "$alice/Cloud/doc2" download)" 'closed,outdated current'
    cmp old "$alice/Cloud/doc2"
    between alice
    wait_for "cmp new $alice/Cloud/doc2"
    mv "$alice/Cloud/doc2" "$alice/Cloud/doc3"
    settled
    between alice 'hold 1000000 GET /doc3'
    cp old "$bob/Cloud/doc3"
    wait_for "[[ ,\$(attr '$alice/Cloud/doc3' state), == *,outdated,* ]]"
    rm "$bob/Cloud/doc3"
    wait_for "[[ ! -e $alice/Cloud/doc3 ]]"
    between alice
    settled
    same_trees alice bob
}

# S9, S24: nothing else waits for newer versions that are on their way: neither a move out nor a new document
newer_versions_hold_up_nothing() {
    outdated_at_alice
    write_to "$alice/Cloud/mine" text
    mv "$alice/Cloud/mine" "$alice/Local/mine"
    wait_for "[[ ! -e $bob/Cloud/mine ]]"
    write_to "$alice/Cloud/mine too" text
    wait_for "grep -qx text '$bob/Cloud/mine too'"
    between alice
    settled
}

# S9, S11: a document that is evicted while its newer version is on its way is a placeholder of the newest, and stays one
outdated_document_is_evicted() {
    outdated_at_alice
    gives 0 docfs evict "$alice/Cloud/doc"
    wait_for "[[ \$(attr '$alice/Cloud/doc' revision) == \$(attr '$bob/Cloud/doc' revision) ]]"
    expect_equal "$(attr "$alice/Cloud/doc" state)" closed
    between alice
    settled
    expect_equal "$(attr "$alice/Cloud/doc" download)" none
    cmp new "$alice/Cloud/doc"
}

# S9, S24: a document that moves to Local while its newer version is on its way stays readable offline, and arrives
# there as the newest
outdated_document_moves_to_local() {
    outdated_at_alice
    offline alice
    mv "$alice/Cloud/doc" "$alice/Local/doc"
    cmp old "$alice/Local/doc"
    online alice
    wait_for "cmp new $alice/Local/doc"
    wait_for "[[ ! -e $bob/Cloud/doc ]]"
    settled
    cmp new "$STORY/alice/local/doc"
}

# S20, S24: the version that is shown moves to another container, and the newer version that was on its way stays in the old one
outdated_document_moves_to_another_container() {
    outdated_at_alice "$(elsewhere)"
    mv "$alice/Cloud/doc" "$alice/Work/doc"
    wait_for 'cmp old second/doc'
    between alice
    wait_for "cmp new $alice/Cloud/doc"
    settled
    cmp old "$alice/Work/doc"
    cmp new "$bob/Cloud/doc"
}

# S20: a document that is deleted before its newer version was shown comes back with that
outdated_document_is_deleted() {
    outdated_at_alice
    rm "$alice/Cloud/doc"
    between alice
    settled
    wait_for "cmp new $alice/Cloud/doc"
    same_trees alice bob
}
