# A container on an S3 store, and a network that does harm to it. Told with --bucket alone: each device
# has a proxy of its own in front of the store (between, see lib.sh and Tests/Servers/proxy).

# told NAME: the requests of the device since `: >` of its log: method, path, status, bytes up, down.
told() { cat "$STORY/$1/proxy/log"; }
forget_told() { : >"$STORY/$1/proxy/log"; }

# whole_and_once TEXT: both devices have it as Cloud/doc, nothing was recorded twice, no conflict.
whole_and_once() {
    between alice
    whole alice bob
    expect_file "$bob/Cloud/doc" "$1"
    expect_no_conflict "$alice/Cloud/doc"
}

two_with() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" "$1"
    settled
}

# S16, Tools: the store applied an upload and its answer was lost: it is one version, and no conflict
answer_lost() {
    needs jq
    two_with one
    between alice 'lose PUT /doc 2'
    write_to "$alice/Cloud/doc" two
    pass_settle
    whole_and_once two
    expect_equal "$(versions_of doc)" 1 'earlier versions'
    between alice 'lose PUT .docfs/log 1'
    write_to "$alice/Cloud/doc" three
    pass_settle
    whole_and_once three
}

# S32: a store that is busy, or fails with and without effect, is asked again until it answers
store_in_trouble() {
    needs jq
    local text
    two_with one
    for text in 'answer 503' 'pretend 503' 'answer 500' 'pretend 500' 'answer 429'; do
        between alice "$text PUT /doc 2" "$text GET * 2"
        write_to "$alice/Cloud/doc" "$text"
        pass_settle
        whole_and_once "$text"
    done
}

# Foreign: what another program puts into a bucket is seen soon where one looks
foreign_where_one_looks() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" one
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/inner" two
    settled
    bucket put 'dir/by hand' <<<'by a stranger'
    wait_for 'ls "$bob/Cloud/dir" >&2; grep -qsx "by a stranger" "$bob/Cloud/dir/by hand"'
    wait_for 'grep -qsx "by a stranger" "$alice/Cloud/dir/by hand"'
    bucket delete dir/inner
    wait_for '! grep -qx inner <(ls "$alice/Cloud/dir")'
    settled
    same_trees alice bob
}

# S6: an upload that breaks off is never shown, and is sent again whole
upload_breaks_off() {
    needs jq
    two_with one
    between alice 'cut-up 100000 PUT /doc 3'
    big "$alice/Cloud/doc" 3 mark-of-doc
    cp "$alice/Cloud/doc" wanted
    pass_settle
    between alice
    whole alice bob
    cmp wanted "$bob/Cloud/doc"
}

# S6: a download that breaks off goes on where it was, and what arrives is whole
download_breaks_off() {
    two_with one
    big "$alice/Cloud/large" 20 mark-of-large
    settled
    cp "$alice/Cloud/large" wanted
    between bob 'cut-down 1000000 GET /large 5'
    forget_told bob
    cmp wanted "$bob/Cloud/large"
    between bob
    local bytes
    bytes=$(told bob | awk '$2 ~ /large/ { sum += $5 } END { print sum + 0 }')
    ((bytes < 30 << 20)) || fail "$bytes bytes came for 20 MiB"
}

# S7: a store that takes a request and never answers: the read ends with the deadline, and can be killed
store_is_silent() {
    device alice
    write_to "$alice/Cloud/doc" text
    write_to "$alice/Cloud/other" text
    settled
    device bob --deadline 6
    wait_for "[[ -e $bob/Cloud/doc && -e $bob/Cloud/other ]]"
    between bob 'silence *'
    cat "$bob/Cloud/other" >/dev/null 2>&1 &
    local reader=$!
    wait_for "sleeps $reader"
    kill -KILL $reader
    wait_for "! kill -0 $reader"
    refused ETIMEDOUT cat "$bob/Cloud/doc"
    expect_list "$bob/Cloud" doc other
    between bob
    wait_for "[[ \$(cat $bob/Cloud/doc) == text ]]"
}

# S12: a store that refuses connections: a placeholder fails at once, what is here is read as always
store_refuses() {
    two_with one
    write_to "$alice/Cloud/cold" text
    settled
    wait_for "[[ -e $bob/Cloud/cold ]]"
    cat "$bob/Cloud/doc" >/dev/null
    offline bob
    refused ENETUNREACH cat "$bob/Cloud/cold"
    expect_file "$bob/Cloud/doc" one
    write_to "$bob/Cloud/doc" 'while away'
    online bob
    settled
    expect_file "$alice/Cloud/doc" 'while away'
    expect_file "$bob/Cloud/cold" text
}

# S32: wrong keys are EACCES in words that say so, and nothing is taken for deleted
wrong_keys() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    (
        export AWS_SECRET_ACCESS_KEY=wrong
        device bob
        wait_for "grep -q refused $bob/.docfs/status"
    )
    # shellcheck disable=SC2030
    [[ $(cat "$STORY/bob/mnt/.docfs/status") == *'refused the credentials'* ]] ||
        fail "$(cat "$STORY/bob/mnt/.docfs/status")"
    expect_list "$STORY/bob/mnt/Cloud"
    gives 1 docfs doctor "$STORY/bob/mnt"
    says 'refused the credentials'
    says 'put keys that may read and write there'
    kill "$(tail -1 "$STORY/pids")"
    wait_for "! mountpoint -q $STORY/bob/mnt"
}

# Speed: asking for news is one request, and idle devices ask for nothing else
idle_costs_one_request() {
    device alice --poll 0.5
    write_to "$alice/Cloud/doc" text
    settled
    sleep 2
    forget_told alice
    sleep 5
    told alice | awk '$1 != "GET" || $2 !~ /\.docfs\/log\/|\.docfs%2Flog/ { print }' >others
    expect_equal "$(cat others)" '' 'requests of an idle device beside those for the next record'
    local count
    count=$(told alice | wc -l)
    ((count <= 12)) || fail "$count requests in 5 s with a poll every 0.5 s"
}

# Speed: small documents cost a request each
small_documents_cost_a_request() {
    two_with one
    local number
    mkdir "$alice/Cloud/small"
    for number in {1..20}; do write_to "$alice/Cloud/small/$number" "document $number"; done
    settled
    wait_for "[[ \$(ls $bob/Cloud/small | wc -l) == 20 ]]"
    forget_told bob
    cat "$bob"/Cloud/small/* >/dev/null
    expect_equal "$(told bob | grep -c ' [^ ]*/small/')" 20 'requests for 20 documents'
}

# S10: who looks at the beginnings of large documents transfers little more than what was looked at
headers_cost_their_range() {
    two_with one
    local number
    mkdir "$alice/Cloud/large"
    for number in {1..10}; do big "$alice/Cloud/large/$number" 1 "mark-$number"; done
    settled
    wait_for "[[ \$(ls $bob/Cloud/large | wc -l) == 10 ]]"
    forget_told bob
    for number in {1..10}; do
        head -c 4096 "$bob/Cloud/large/$number" | cmp - <(head -c 4096 "$alice/Cloud/large/$number")
    done
    local bytes
    bytes=$(told bob | awk '$2 ~ /\/large\// { sum += $5 } END { print sum + 0 }')
    ((bytes <= 10 * 4096 * 5 / 2)) || fail "$bytes bytes came for 10 times 4 KiB"
    expect_equal "$(told bob | grep -c ' [^ ]*/large/')" 10 'requests for 10 beginnings'
    expect_equal "$(getfattr --only-values -n user.docfs.download "$bob/Cloud/large/1")" none 'state'
    cmp "$bob/Cloud/large/1" "$alice/Cloud/large/1"
}

# S10: file, which reads 7 MiB at either end, has them fetched of a large document, and not the rest
file_costs_its_ranges() {
    needs file
    two_with one
    big "$alice/Cloud/large" 40 mark
    settled
    wait_for "[[ -e $bob/Cloud/large ]]"
    forget_told bob
    file "$bob/Cloud/large" >/dev/null
    local bytes
    bytes=$(told bob | awk '$2 ~ /\/large/ { sum += $5 } END { print sum + 0 }')
    ((bytes <= 20 << 20)) || fail "$bytes bytes came for a look at 40 MiB"
    [[ $(getfattr --only-values -n user.docfs.download "$bob/Cloud/large") != current ]] || fail 'it came whole'
    cmp "$bob/Cloud/large" "$alice/Cloud/large"
}

# Speed: what is done to many documents costs few requests each beside those of the log
many_cost_few_requests() {
    # What is looked at is listed again after twelve polls: not while this goes on.
    device alice --poll 5
    device bob
    write_to "$alice/Cloud/doc" one
    settled
    # of_documents: requests of alice that are not about the container's own files alone.
    of_documents() { told alice | awk '$2 !~ /\.docfs/' | wc -l; }
    local number
    mkdir "$alice/Cloud/many"
    settled
    forget_told alice
    for number in {1..40}; do echo "document $number" >"$alice/Cloud/many/$number"; done
    whole alice bob
    local creating
    creating=$(of_documents)
    ((creating <= 52)) || fail "$creating requests to create 40 documents"
    forget_told alice
    mv "$alice/Cloud/many" "$alice/Cloud/moved"
    whole alice bob
    local moving
    moving=$(told alice | awk '$2 !~ /\.docfs(\/|%2F)(log|container)/' | wc -l)
    ((moving <= 7 * 40)) || fail "$moving requests to move a directory of 40 documents"
    forget_told alice
    rm "$alice/Cloud/moved"/*
    whole alice bob
    local removing
    # The slower a machine is, the more records tell of it.
    removing=$(told alice | awk '$2 !~ /\.docfs(\/|%2F)(log|container)/' | wc -l)
    ((removing <= 4 * 40)) || fail "$removing requests to remove 40 documents"
}
