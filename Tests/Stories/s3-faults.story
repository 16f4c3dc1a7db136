# A store on S3 that fails as real ones do: its daemons die, it is full, its bucket goes, its keys end,
# its clock is another one. Told with --bucket alone. What harms everybody else's store is done to a
# gateway of the story's own (own_store).

# own_store: the story's container is on a Ceph gateway of its own, which it may harm as it likes.
own_store() {
    local url
    url=$(timeout 150 "$here/../Servers/start-rgw" "$STORY/rgw" </dev/null 9>&-) ||
        fail "no gateway: $(tail -3 "$STORY"/rgw/log/start)"
    BUCKET="s3://own?endpoint=$url"
    bucket make
}

# on_server COMMAND…: ceph or radosgw-admin, about the story's own gateway.
on_server() { CEPH_CONF=$STORY/rgw/ceph.conf timeout 150 "$@" 2>>"$STORY/rgw/log/told" </dev/null; }

# kill_server, start_server DAEMON: one of the own gateway's daemons, osd.0 or client.rgw.
kill_server() { kill -KILL "$(cat "$STORY/rgw/run/$1.pid")"; }
start_server() { timeout 150 "$here/../Servers/start-rgw" "$STORY/rgw" "$1" >/dev/null </dev/null 9>&-; }

# is_offline_as NAME WORDS: the status says that its container is offline, in these words.
is_offline_as() { grep -q "^Cloud: offline: .*$2" "$STORY/$1/mnt/.docfs/status"; }
is_online() { [[ $(probe field "$STORY/$1/mnt" online) == true ]]; }

# is_coming PATH: some of its bytes are here, and not all.
is_coming() {
    local percent
    percent=$(attr "$1" download.percent)
    ((percent > 0 && percent < 100))
}
is_going() { [[ $(attr "$1" upload) == uploading ]]; }

# ended COMMAND…: succeeds or fails, and does not wait for ever.
ended() {
    local status=0
    timeout $patience "$@" || status=$?
    [[ $status != 124 ]] || fail "$* never ends"
    return $status
}

# is_held DEVICE: the proxy holds a request of it.
is_held() { grep -q ' held ' "$STORY/$1/proxy/log"; }

# S12: the gateway is killed in the middle of an upload and of a download: both arrive when it is back
gateway_killed() {
    needs jq
    own_store
    device alice
    device bob
    write_to "$alice/Cloud/up" 'is replaced'
    big "$alice/Cloud/down" 30 mark-of-down
    cp "$alice/Cloud/down" wanted-down
    settled
    between alice 'hold 15000000 PUT /up'
    between bob 'hold 2000000 GET /down'
    big "$alice/Cloud/up" 30 mark-of-up
    cp "$alice/Cloud/up" wanted-up
    cat "$bob/Cloud/down" >read-down 2>words &
    local reader=$! status=0
    wait_for "is_held alice && is_held bob"
    kill_server client.rgw
    between alice
    between bob
    wait_for "! is_online alice && ! is_online bob"
    expect_list "$bob/Cloud" down up
    wait $reader || status=$?
    # It may have ended before anybody noticed; what it read is the document's beginning.
    cmp -n "$(stat -c %s read-down)" wanted-down read-down
    [[ $status == 0 ]] || grep -q "$(words_of ENETUNREACH)" words
    start_server client.rgw
    whole alice bob
    cmp wanted-down "$bob/Cloud/down"
    cmp wanted-up "$bob/Cloud/up"
    expect_equal "$(versions_of up)" 1 'earlier versions'
    expect_no_conflict "$alice/Cloud/up"
}

# S7, S12: the OSD is killed, so that requests hang: reads end with the deadline, the rest goes on
osd_killed() {
    needs jq
    own_store
    device alice --deadline 3
    device bob --deadline 3
    # By no deadline is she told meanwhile that the store is away.
    device carol --deadline 600
    write_to "$alice/Cloud/here" text
    write_to "$alice/Cloud/cold" cold
    settled
    cat "$bob/Cloud/here" >/dev/null
    kill_server osd.0
    refused ETIMEDOUT,ENETUNREACH ended cat "$bob/Cloud/cold"
    at_once expect_list "$bob/Cloud" cold here
    at_once expect_file "$bob/Cloud/here" text
    write_to "$alice/Cloud/here" 'while requests hang'
    at_once write_to "$alice/Cloud/new" 'while requests hang'
    cat "$carol/Cloud/cold" >read-cold 2>&1 &
    local reader=$!
    never "! kill -0 $reader" 4
    at_once ls -l "$alice/Cloud" "$carol/Cloud" >/dev/null
    start_server osd.0
    wait $reader || fail "who waited did not get the bytes: $(cat read-cold)"
    expect_equal "$(cat read-cold)" cold
    settled
    same_trees alice bob
    whole alice carol
    expect_file "$bob/Cloud/here" 'while requests hang'
    expect_file "$carol/Cloud/new" 'while requests hang'
    expect_equal "$(versions_of here)" 1 'earlier versions'
}

# is_full: the gateway has noticed that it is: it takes a write, and has not answered when it would have on
# a busy machine.
is_full() {
    ! timeout 10 /usr/bin/python3 -IS "$here/bucket.py" "$BUCKET" put .docfs/tmp/probe-full <<<full
}

# fill, empty: the share of the OSD that counts as full is below what it holds, or is not.
fill() {
    on_server ceph osd set-nearfull-ratio 0.000001
    on_server ceph osd set-backfillfull-ratio 0.000002
    on_server ceph osd set-full-ratio 0.000003
    wait_for is_full 60
}
empty() {
    on_server ceph osd set-full-ratio 0.95
    on_server ceph osd set-backfillfull-ratio 0.9
    on_server ceph osd set-nearfull-ratio 0.85
    wait_for '! is_full'
}

# S12, S32: a full pool, which takes no write and says nothing: edits stay here and are told of, reads go on
pool_full() {
    needs jq
    own_store
    device alice --deadline 2
    device bob --deadline 2
    write_to "$alice/Cloud/doc" one
    write_to "$alice/Cloud/cold" cold
    settled
    fill
    write_to "$alice/Cloud/doc" two
    wait_for "[[ \$(attr $alice/Cloud/doc state) == *saving-error* ]]"
    [[ -n $(attr "$alice/Cloud/doc" error) ]] || fail 'no sentence'
    grep -q '^    doc: ' "$alice/.docfs/status" || fail "$(cat "$alice/.docfs/status")"
    expect_file "$alice/Cloud/doc" two
    expect_file "$bob/Cloud/doc" one
    expect_file "$bob/Cloud/cold" cold
    empty
    settled
    whole alice bob
    expect_file "$bob/Cloud/doc" two
    expect_equal "$(attr "$alice/Cloud/doc" error)" ''
    expect_equal "$(versions_of doc)" 1 'earlier versions'
}

# S32: a quota that is used up: what does not fit stays here with a sentence, and is sent when it fits
quota_full() {
    needs jq
    own_store
    device alice
    device bob
    write_to "$alice/Cloud/doc" one
    write_to "$alice/Cloud/cold" cold
    settled
    on_server radosgw-admin quota set --quota-scope=bucket --bucket=own --max-size=1K
    on_server radosgw-admin quota enable --quota-scope=bucket --bucket=own
    big "$alice/Cloud/doc" 1 mark-of-doc
    cp "$alice/Cloud/doc" wanted
    wait_for "[[ \$(attr $alice/Cloud/doc state) == *saving-error* ]]"
    expect_equal "$(attr "$alice/Cloud/doc" error)" 'the store is full'
    wait_for "[[ \$(attr $alice/Cloud/doc upload) == error ]]"
    grep -q '^    doc: the store is full' "$alice/.docfs/status" || fail "$(cat "$alice/.docfs/status")"
    cmp wanted "$alice/Cloud/doc"
    expect_file "$bob/Cloud/cold" cold
    on_server radosgw-admin quota disable --quota-scope=bucket --bucket=own
    settled
    whole alice bob
    cmp wanted "$bob/Cloud/doc"
    expect_equal "$(attr "$alice/Cloud/doc" error)" ''
    # Room for a document, and none for the record of it: what is in the store is read all the same.
    write_to "$alice/Cloud/unread" unread
    settled
    local count
    count=$(on_server radosgw-admin bucket stats --bucket=own | jq '.usage["rgw.main"].num_objects')
    on_server radosgw-admin quota set --quota-scope=bucket --bucket=own --max-size=-1 --max-objects=$((count + 1))
    on_server radosgw-admin quota enable --quota-scope=bucket --bucket=own
    write_to "$alice/Cloud/new" new
    wait_for "grep -q '^Cloud: online, but the store is full' $alice/.docfs/status"
    expect_file "$bob/Cloud/unread" unread
    append_to "$bob/Cloud/unread" more
    expect_present "$alice/Cloud/new"
    on_server radosgw-admin quota disable --quota-scope=bucket --bucket=own
    settled
    whole alice bob
    expect_file "$bob/Cloud/new" new
}

# keys KEY SECRET: the file that the devices have them from.
keys() {
    printf '[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n' "$@" >keys
    chmod 600 keys
}

# S32, S23: keys that end while mounted: EACCES in words, no delete, and on with the keys of the file
keys_end() {
    needs jq
    own_store
    keys docfs docfssecret
    BUCKET="${BUCKET%%\?*}?credentials=$STORY/keys&${BUCKET#*\?}"
    device alice
    device bob
    write_to "$alice/Cloud/doc" one
    write_to "$alice/Cloud/cold" cold
    write_to "$alice/Cloud/colder" colder
    settled
    cat "$bob/Cloud/doc" >/dev/null
    on_server radosgw-admin user suspend --uid=docfs
    wait_for 'is_offline_as bob "refused the credentials"'
    refused EACCES cat "$bob/Cloud/cold"
    expect_list "$bob/Cloud" cold colder doc
    expect_file "$bob/Cloud/doc" one
    write_to "$bob/Cloud/doc" 'while suspended'
    on_server radosgw-admin user enable --uid=docfs
    settled
    expect_file "$alice/Cloud/doc" 'while suspended'
    expect_file "$bob/Cloud/cold" cold
    on_server radosgw-admin key create --uid=docfs --access-key=second --secret=secondsecret
    on_server radosgw-admin key rm --uid=docfs --access-key=docfs
    export AWS_ACCESS_KEY_ID=second AWS_SECRET_ACCESS_KEY=secondsecret
    wait_for 'is_offline_as bob "refused the credentials"'
    refused EACCES cat "$bob/Cloud/colder"
    expect_list "$bob/Cloud" cold colder doc
    write_to "$bob/Cloud/doc" 'without keys'
    keys second secondsecret
    whole alice bob
    expect_file "$alice/Cloud/doc" 'without keys'
    expect_file "$bob/Cloud/colder" colder
}

# new_bucket WORD: the address of a bucket that there has not been, beside that of all stories.
new_bucket() {
    local all=${BUCKET#s3://}
    echo "s3://${all%%/*}-$1-$RANDOM-$RANDOM?${BUCKET#*\?}"
}

# S23: a bucket that goes, comes back empty or as another container: no delete, offline in words, and on
bucket_vanishes() {
    needs jq
    local own kept word
    own=$(new_bucket gone) kept=$(new_bucket kept)
    BUCKET=$own
    bucket make
    device alice
    device bob
    write_to "$alice/Cloud/doc" one
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/cold" cold
    settled
    cat "$bob/Cloud/doc" >/dev/null
    bucket copy "$kept"
    bucket drop
    # Both: who did not ask meanwhile would take an empty bucket for one without news.
    for word in alice bob; do wait_for "is_offline_as $word 'the bucket does not exist'"; done
    bucket make
    wait_for 'is_offline_as bob "nothing is left"'
    rm "$bob/Cloud/doc"
    write_to "$bob/Cloud/doc" 'while away'
    write_to "$bob/Cloud/new" 'while away'
    never 'is_online alice || is_online bob' 2
    expect_equal "$(bucket names)" '' 'what was sent into an empty bucket'
    # A computer that knows nothing of the old container makes a new one.
    (
        is_offline[alice]=yes is_offline[bob]=yes
        device carol
        write_to "$carol/Cloud/doc" other
        wait_for '[[ $(bucket names) == *doc* ]]'
        settled
        stop carol
    )
    wait_for 'is_offline_as bob "another container"'
    expect_list "$alice/Cloud" dir doc
    expect_list "$alice/Cloud/dir" cold
    expect_list "$bob/Cloud" dir doc new
    refused ENETUNREACH cat "$bob/Cloud/dir/cold"
    # Whoever looks whether the store is back tries what it can do.
    wait_for 'bucket drop'
    bucket make
    (BUCKET=$kept && bucket copy "$own" && bucket drop)
    whole alice bob
    for word in alice bob; do
        expect_list "$STORY/$word/mnt/Cloud" dir doc new
        expect_file "$STORY/$word/mnt/Cloud/doc" 'while away'
        expect_file "$STORY/$word/mnt/Cloud/dir/cold" cold
    done
}

# S23: a bucket that is put back as it was: both devices notice before they record anything, and what is
# newer comes beside what came back
bucket_put_back() {
    local own kept word
    own=$(new_bucket back) kept=$(new_bucket earlier)
    BUCKET=$own
    bucket make
    device alice
    device bob
    for word in doc deleted; do write_to "$alice/Cloud/$word" 'before the copy'; done
    settled
    bucket copy "$kept"
    write_to "$alice/Cloud/doc" 'after the copy'
    write_to "$bob/Cloud/new" 'after the copy'
    settled
    rm "$alice/Cloud/deleted"
    settled
    cat "$alice/Cloud/new" "$bob/Cloud/doc" >/dev/null
    bucket clear
    (BUCKET=$kept && bucket copy "$own" && bucket drop)
    # Who only asks for news asks for what follows.
    for word in alice bob; do write_to "$STORY/$word/mnt/Cloud/later" 'written when it had gone back'; done
    for word in alice bob; do wait_for "is_offline_as $word 'change log'"; done
    for word in alice bob; do
        gives 0 docfs doctor --repair --keep container "$STORY/$word/mnt"
        wait_for "is_online $word"
    done
    settled
    same_trees alice bob
    for word in alice bob; do
        expect_file "$STORY/$word/mnt/Cloud/doc" 'before the copy'
        expect_equal "$(cat "$STORY/$word/mnt/Cloud/doc (conflict"*)" 'after the copy' 'the edit'
        expect_file "$STORY/$word/mnt/Cloud/new" 'after the copy'
        expect_file "$STORY/$word/mnt/Cloud/later" 'written when it had gone back'
        expect_file "$STORY/$word/mnt/Cloud/deleted" 'before the copy'
    done
}

# S23: a bucket that somebody empties while it is in use: no delete, and nothing is built on nothing
bucket_emptied() {
    needs jq
    local own kept
    own=$(new_bucket emptied) kept=$(new_bucket whole)
    BUCKET=$own
    bucket make
    device alice
    device bob
    write_to "$alice/Cloud/doc" one
    write_to "$alice/Cloud/cold" cold
    settled
    stop alice
    bucket copy "$kept"
    bucket clear
    write_to "$bob/Cloud/doc" 'after that'
    wait_for "! is_online bob"
    wait_for 'is_offline_as bob "nothing is left"'
    expect_list "$bob/Cloud" cold doc
    expect_file "$bob/Cloud/doc" 'after that'
    (BUCKET=$kept && bucket copy "$own" && bucket drop)
    start alice
    whole alice bob
    expect_file "$alice/Cloud/doc" 'after that'
    expect_file "$bob/Cloud/cold" cold
}

# S32: a clock that is an hour off: the store's counts
clock_an_hour_off() {
    needs jq
    local shift
    device alice
    write_to "$alice/Cloud/doc" one
    settled
    for shift in 3600 -3600; do
        stop alice
        clock_of alice $shift
        start alice
        write_to "$alice/Cloud/doc" "with $shift seconds"
        big "$alice/Cloud/large" 2 "mark-of-$shift"
        settled
        bucket cat doc >seen
        expect_file seen "with $shift seconds"
        expect_equal "$(bucket cat large | sha256sum)" "$(sha256sum <"$alice/Cloud/large")"
    done
    device bob
    whole alice bob
}

# S5, S7: a slow link: what takes longer than the deadline arrives as long as bytes keep coming
slow_link() {
    needs jq
    device alice
    big "$alice/Cloud/large" 12 mark-of-large
    cp "$alice/Cloud/large" wanted
    write_to "$alice/Cloud/small" small
    settled
    device bob --deadline 5
    wait_for "[[ -e $bob/Cloud/large ]]"
    stop bob
    between bob 'slow 300' 'rate 1000000'
    at_once start bob
    at_once ls -l "$bob/Cloud" >/dev/null
    expect_file "$bob/Cloud/small" small
    local begun=$SECONDS
    cmp wanted "$bob/Cloud/large"
    ((SECONDS - begun > 5)) || fail 'the link is not slow'
    begun=$SECONDS
    big "$bob/Cloud/large" 12 mark-of-another
    settled
    ((SECONDS - begun > 5)) || fail 'the link is not slow'
    between bob
    whole alice bob
    expect_equal "$(versions_of large)" 1 'earlier versions'
}

# S13: the daemon is killed in the middle of an upload and of a download, and when an answer was lost
daemon_killed() {
    needs jq
    local rule
    device alice
    device bob
    write_to "$alice/Cloud/doc" one
    big "$alice/Cloud/large" 12 mark-of-large
    cp "$alice/Cloud/large" wanted
    settled
    between bob 'hold 2000000 GET /large'
    cat "$bob/Cloud/large" >/dev/null 2>&1 &
    wait_for "is_held bob"
    kill9 bob
    between bob
    start bob
    cmp wanted "$bob/Cloud/large"
    between alice 'hold 6000000 PUT /doc'
    cp wanted "$alice/Cloud/doc"
    wait_for "is_held alice"
    kill9 alice
    between alice
    start alice
    whole alice bob
    cmp wanted "$bob/Cloud/doc"
    expect_equal "$(versions_of doc)" 1 'earlier versions'
    for rule in 'lose PUT /doc 1' 'lose PUT .docfs/log 1'; do
        : >"$STORY/alice/proxy/log"
        # Before it is sent it is asked for once, and then whether it was applied cannot be.
        between alice "$rule" 'pass HEAD /doc 1' 'silence HEAD /doc'
        write_to "$alice/Cloud/doc" "$rule"
        wait_for "grep -q ' lost ' $STORY/alice/proxy/log"
        kill9 alice
        between alice
        start alice
        whole alice bob
        expect_file "$bob/Cloud/doc" "$rule"
        expect_no_conflict "$alice/Cloud/doc"
    done
    expect_equal "$(versions_of doc)" 3 'earlier versions'
}

# S12: a store that says nothing does not keep the daemon: it stops at once, and the edit is sent later
stopped_in_silence() {
    device alice
    write_to "$alice/Cloud/cold" cold
    settled
    device bob --deadline 600
    wait_for "[[ -e $bob/Cloud/cold ]]"
    between bob 'silence PUT /doc' 'silence GET /cold'
    write_to "$bob/Cloud/doc" text
    cat "$bob/Cloud/cold" >read-cold 2>&1 &
    local reader=$!
    wait_for "grep -q '^PUT .*/doc silence' $STORY/bob/proxy/log"
    wait_for "grep -q '^GET .*/cold silence' $STORY/bob/proxy/log"
    # The change log too.
    between bob 'silence *'
    wait_for "grep -q '^GET .*/log/.* silence' $STORY/bob/proxy/log"
    at_once stop bob
    wait $reader && fail 'who waited got bytes'
    between bob
    start bob
    whole alice bob
    expect_file "$alice/Cloud/doc" text
    expect_file "$bob/Cloud/cold" cold
    expect_no_conflict "$alice/Cloud/doc"
}
