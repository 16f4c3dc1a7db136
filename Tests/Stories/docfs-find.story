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

# S29, Control: .docfs/items has a line with all that is known of each item below a directory
items_are_told() {
    device alice
    mkdir -p "$alice/Cloud/dir/deep" "$alice/Cloud/other" "$alice/Cloud/none"
    local name
    for name in 'dir/b[1].txt' dir/deep/a.txt dir/deep/c.pdf $'dir/\xff.txt' dir/%41.txt other/a.txt; do
        write_to "$alice/Cloud/$name" text
    done
    ln -s a.txt "$alice/Cloud/dir/link"
    mkfifo "$alice/Cloud/dir/pipe"
    settled
    items() { cat "$alice/.docfs/items/$(ino "$alice/Cloud/$1")/$2"; }
    expect_equal "$(items dir '*' | jq -r .path | xargs)" \
        '%41.txt b[1].txt deep deep/a.txt deep/c.pdf link pipe %FF.txt'
    expect_equal "$(items dir '*' | jq -r 'select(.isEncoded).path')" %FF.txt
    expect_equal "$(items . '*.txt' | jq -r .path | xargs)" \
        'dir/%41.txt dir/b[1].txt dir/deep/a.txt dir/%FF.txt other/a.txt'
    # Nothing but the star means anything else than itself.
    expect_equal "$(items dir 'b[1].*' | jq -r .path)" 'b[1].txt'
    expect_equal "$(items dir '?.txt')" ''
    expect_equal "$(items none '*')" ''
    expect_equal "$(items dir '*' | jq -r .type | xargs)" \
        'file file directory file file link special file'
    # What a line says is what the attributes say.
    exec 3>>"$alice/Cloud/dir/deep/a.txt"
    printf more >&3
    docfs pin "$alice/Cloud/dir/deep"
    docfs evict "$alice/Cloud/other/a.txt"
    line_of() { items . '*' | jq -c "select(.path == \"$1\")"; }
    local line word
    for name in dir/deep dir/deep/a.txt dir/deep/c.pdf other/a.txt; do
        # What is held open is sent after a while: then one is of before that.
        wait_for '[[ $(line_of "$name" | jq -r .upload) == "$(attr "$alice/Cloud/$name" upload)" ]]'
        line=$(line_of "$name")
        for word in id download upload conflicts pin error; do
            expect_equal "$(jq -r ".$word" <<<"$line")" "$(attr "$alice/Cloud/$name" $word)" "$name $word"
        done
        expect_equal "$(jq -r '.state | join(",")' <<<"$line")" "$(attr "$alice/Cloud/$name" state)"
        [[ $name == dir/deep ]] ||
            expect_equal "$(jq .size <<<"$line")" "$(stat -c %s "$alice/Cloud/$name")" "$name"
    done
    exec 3>&-
    # Of links and pipes the kernel answers no attributes (xattr(7)).
    expect_equal "$(items dir link | jq -c '[.upload, .size]')" '["uploaded",5]'
    expect_equal "$(items dir pipe | jq -c '[.upload, .size]')" '["excluded",0]'
    expect_equal "$(ls "$alice/.docfs/items")" "$(ino "$alice/Cloud")"
    refused ENOENT stat "$alice/.docfs/items/$(ino "$alice/Local")"
    refused ENOENT stat "$alice/.docfs/items/$(ino "$alice/Cloud/other/a.txt")"
    refused ENOENT stat "$alice/.docfs/items/0$(ino "$alice/Cloud")"
}

# S29, S31, Control, Root: whoever the mount does not belong to finds only what he may list himself
items_are_not_for_others() {
    ((EUID == 0)) && setpriv --reuid 65534 --clear-groups true 2>/dev/null || skip 'not root here'
    chmod 755 "$STORY" "$STORY/.."
    device alice --allow-other
    mkdir "$alice/Cloud/open" "$alice/Cloud/secret"
    write_to "$alice/Cloud/open/seen.txt" text
    write_to "$alice/Cloud/secret/hidden.txt" text
    chmod 700 "$alice/Cloud/secret"
    settled
    stranger() { setpriv --reuid 65534 --clear-groups timeout 60 "$@" 2>&1; }
    ! stranger ls "$alice/.docfs/items" || fail 'listed by a stranger'
    ! stranger cat "$alice/.docfs/items/$(ino "$alice/Cloud")/*" || fail 'read by a stranger'
    local found
    found=$(stranger "$DOCFS" find "$alice/Cloud" --name '*.txt' || true)
    [[ $found == *seen.txt* && $found == *'secret: Permission denied'* ]] || fail "found: $found"
    [[ $found != *hidden* ]] || fail "a stranger sees: $found"
    expect_equal "$(docfs find "$alice/Cloud" --name '*.txt' | wc -l)" 2
}

# S29, Control: find answers in one large directory without a look at the documents
docfs_finds_in_many() {
    device alice
    mkdir "$alice/Cloud/dir"
    local i
    for i in {1..3000}; do : >"$alice/Cloud/dir/doc $i"; done
    expect_equal "$(docfs find "$alice" --name 'doc 2??7' | wc -l)" 100
    settled
    expect_equal "$(docfs find "$alice" --name 'doc *' --state stored | wc -l)" 3000
    # In the order of names, each once, over many pages and several reads.
    expect_equal "$(docfs find "$alice/Cloud" --type file)" \
        "$(find "$alice/Cloud" -type f | LC_ALL=C sort)"
    # The catalog answers, not the listing: the kernel is not asked to list the directory.
    strace -f -o trace -e trace=getdents64,lgetxattr "$DOCFS" find "$alice/Cloud" --state stored \
        >/dev/null 2>&1 || skip 'no strace here'
    expect_equal "$(grep -c 'getdents64\|lgetxattr' trace)" 0
}

# S29, Control: find --live goes on with what arrives, changes and goes, and ends by Ctrl-C with 0
docfs_finds_live() {
    device alice
    device bob
    write_to "$alice/Cloud/here.txt" 1
    settled
    timeout 600 "$DOCFS" find --live --name '*.txt' "$bob/Cloud" >heard 2>&1 &
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
    timeout 600 "$DOCFS" watch "$bob/Cloud/dir" >heard 2>&1 &
    local watcher=$!
    timeout 600 "$DOCFS" watch --json "$bob" >lines 2>&1 &
    local other=$!
    wait_for "has_open $watcher $bob/.docfs/events && has_open $other $bob/.docfs/events"
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

# S29, Control: find --depth looks through so many levels, in a container, in Local, and with --live
docfs_finds_by_depth() {
    device alice
    for scope in Cloud Local; do
        mkdir -p "$alice/$scope/a/b"
        for name in one a/two a/b/three; do write_to "$alice/$scope/$name" 1; done
    done
    settled
    cd "$alice"
    expect_equal "$(docfs find --depth 1 --type file | sort | tr '\n' ' ')" 'Cloud/one Local/one '
    expect_equal "$(docfs find --depth 2 --type file Cloud Local | sort | tr '\n' ' ')" \
        'Cloud/a/two Cloud/one Local/a/two Local/one '
    expect_equal "$(docfs find --depth 1 Cloud/a | sort | tr '\n' ' ')" 'Cloud/a Cloud/a/b Cloud/a/two '
    expect_equal "$(docfs find --depth 1 Cloud/one)" 'Cloud/one'
    gives 2 docfs find --depth 0
    timeout 600 "$DOCFS" find --live --depth 1 --type file Cloud >"$STORY/heard" 2>&1 &
    local finder=$!
    cd "$STORY"
    wait_for 'grep -qx Cloud/one heard'
    write_to "$alice/Cloud/a/deep" 1
    write_to "$alice/Cloud/later" 1
    wait_for 'grep -qx "+ Cloud/later" heard'
    kill -TERM $finder
    wait $finder || fail "ended with $?"
    ! grep -q deep heard || fail "too deep: $(cat heard)"
}

# S2, S29, Control: find --live follows documents of Local, and into a container and back
docfs_finds_live_in_local() {
    device alice
    mkdir "$alice/Local/dir"
    write_to "$alice/Local/dir/doc.txt" 1
    timeout 600 "$DOCFS" find --live --name '*.txt' "$alice" >heard 2>&1 &
    local finder=$!
    wait_for "has_open $finder $alice/.docfs/events"
    wait_for 'grep -q dir/doc.txt heard'
    write_to "$STORY/alice/local/new.txt" 1
    wait_for 'grep -q "^+ .*Local/new.txt" heard'
    mv "$alice/Local/dir" "$alice/Local/moved"
    wait_for 'grep -q "^+ .*Local/moved/doc.txt" heard && grep -q "^- .*Local/dir/doc.txt" heard'
    mv "$alice/Local/moved" "$alice/Cloud/moved"
    wait_for 'grep -q "^+ .*Cloud/moved/doc.txt" heard && grep -q "^- .*Local/moved/doc.txt" heard'
    rm "$alice/Local/new.txt"
    wait_for 'grep -q "^- .*Local/new.txt" heard'
    kill -TERM $finder
    wait $finder || fail "ended with $?"
    expect_equal "$(grep -c '^[-+]' heard)" 6
}
