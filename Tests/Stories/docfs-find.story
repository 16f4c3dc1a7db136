# The program docfs: finding documents, and being told.

# S29, Control: find combines name, type, size, date and state over all scopes, and fetches nothing
docfs_finds() {
    device alice
    device bob
    mkdir -p "$alice/Cloud/dir/deep" "$bob/Local/papers"
    write_to "$alice/Cloud/dir/one.txt" 1
    write_to "$alice/Cloud/dir/deep/two.txt" 2
    big "$alice/Cloud/dir/large.pdf" 2 mark-of-large
    ln -s one.txt "$alice/Cloud/dir/link.txt"
    touch -d '2020-05-05 12:00' "$alice/Cloud/dir/one.txt"
    settled
    write_to "$bob/Local/papers/three.txt" 3
    write_to "$bob/Cloud/.x.swp" scratch
    settled
    cd "$bob"
    found() { docfs find "$@" | sort | tr '\n' ' '; }
    expect_equal "$(found --name '*.txt' --type file)" \
        'Cloud/dir/deep/two.txt Cloud/dir/one.txt Local/papers/three.txt '
    expect_equal "$(found --name '*.pdf' --name 'l*')" 'Cloud/dir/large.pdf Cloud/dir/link.txt '
    expect_equal "$(found --type link)" 'Cloud/dir/link.txt '
    expect_equal "$(found --type directory Cloud)" 'Cloud/dir Cloud/dir/deep '
    expect_equal "$(found --larger 1M)" 'Cloud/dir/large.pdf '
    expect_equal "$(found --smaller 10 --older 2021-01-01)" 'Cloud/dir/one.txt '
    expect_equal "$(found --newer 1h --name two.txt)" 'Cloud/dir/deep/two.txt '
    expect_equal "$(found --type file --state excluded)" 'Cloud/.x.swp '
    docfs download Cloud/dir/one.txt
    expect_equal "$(found --state here --type file)" \
        'Cloud/.x.swp Cloud/dir/one.txt Local/papers/three.txt '
    expect_equal "$(found --state here --state stored --type file Cloud)" 'Cloud/dir/one.txt '
    docfs pin Cloud/dir/one.txt
    expect_equal "$(found --state pinned)" 'Cloud/dir/one.txt '
    exec 3<Cloud/dir/one.txt
    expect_equal "$(found --state open)" 'Cloud/dir/one.txt '
    exec 3<&-
    expect_equal "$(docfs find --json --name one.txt | jq -c '[.download, .upload, .pin, .size]')" \
        '["current","uploaded","pinned",2]'
    cd "$STORY"
    expect_no_bytes bob mark-of-large
    gives 2 docfs find --state odd "$bob"
    gives 1 docfs find "$bob/Cloud/absent"
}

# S29, Control: find answers in one large directory without a look at the documents
docfs_finds_in_many() {
    device alice
    mkdir "$alice/Cloud/dir"
    local i
    for i in {1..3000}; do : >"$alice/Cloud/dir/doc $i"; done
    expect_equal "$(docfs find "$alice" --name 'doc 2??7' | wc -l)" 100
    settled 60
    expect_equal "$(docfs find "$alice" --name 'doc *' --state stored | wc -l)" 3000
}

# S29, Control: find --live goes on with what arrives, changes and goes, and ends by Ctrl-C with 0
docfs_finds_live() {
    device alice
    device bob
    write_to "$alice/Cloud/here.txt" 1
    settled
    timeout 60 "$DOCFS" find --live --name '*.txt' "$bob/Cloud" >heard 2>&1 &
    local finder=$!
    wait_for 'grep -q here.txt heard'
    write_to "$alice/Cloud/new.txt" 1
    write_to "$alice/Cloud/new.doc" 1
    wait_for 'grep -qx "+ .*/new.txt" heard'
    write_to "$alice/Cloud/new.txt" 22
    wait_for 'grep -qx "~ .*/new.txt" heard'
    mv "$alice/Cloud/here.txt" "$alice/Cloud/there.txt"
    wait_for 'grep -qx -- "- .*/here.txt" heard'
    wait_for 'grep -qx "+ .*/there.txt" heard'
    rm "$alice/Cloud/new.txt"
    wait_for 'grep -qx -- "- .*/new.txt" heard'
    ! grep -q new.doc heard || fail "not asked for: $(cat heard)"
    kill -TERM $finder
    wait $finder || fail "ended with $?"
}

# S29, Control: watch tells each change of state with time and path, of what was named only
docfs_watches() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    settled
    timeout 60 "$DOCFS" watch "$bob/Cloud/dir" >heard 2>&1 &
    local watcher=$!
    timeout 60 "$DOCFS" watch --json "$bob" >lines 2>&1 &
    local other=$!
    # Both must have opened the events before anything happens.
    sleep 0.7
    write_to "$alice/Cloud/dir/doc" text
    write_to "$alice/Cloud/elsewhere" text
    settled
    docfs download "$bob/Cloud/dir/doc"
    wait_for 'grep -q "arrived *Cloud/dir/doc" heard'
    wait_for 'grep -q "downloaded *Cloud/dir/doc" heard'
    wait_for 'grep -q elsewhere lines'
    ! grep -q elsewhere heard || fail "not asked for: $(cat heard)"
    jq -se 'all(.event and .time)' lines >/dev/null || fail "not JSON: $(cat lines)"
    kill -TERM $watcher $other
    wait $watcher || fail "ended with $?"
    wait $other || fail "ended with $?"
}
