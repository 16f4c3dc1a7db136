# Events: what this device's programs do, what other devices do, and conflicts, each told once and by whom (S29).

# watches NAME: what is told on the device's mount from now on comes into the file NAME.told.
watches() {
    timeout 600 "$DOCFS" watch --json "${!1}" >"$1.told" 2>&1 &
    watchers+=($!)
    wait_for "has_open $! ${!1}/.docfs/events"
}

# told NAME: what NAME was told, a line each: what, path, by whom, from where.
told() { jq -r '[.event, .path, .by, .from // empty] | join(" ")' "$1.told"; }

# has_told NAME LINE: whether NAME was told just this.
has_told() { told "$1" | grep -xF -- "$2" >/dev/null; }

# no_more NAMES…: the watchers have ended, each of them well.
no_more() {
    local watcher
    for watcher in "${watchers[@]}"; do
        kill -TERM "$watcher"
        wait "$watcher" || fail "ended with $?"
    done
    watchers=()
}

# S29, Control: what programs here do is told once it has settled, with directories, and an editor's save is one edit
own_changes_are_told() {
    local watchers=()
    device alice
    write_to "$alice/Cloud/old" 1
    settled
    watches alice
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" 1
    wait_for 'has_told alice "made dir/doc here"'
    has_told alice 'made dir here' || fail "the directory: $(told alice)"
    settled
    # As editors save: aside, anew, and the old one goes.
    mv "$alice/Cloud/dir/doc" "$alice/Cloud/dir/doc~"
    write_to "$alice/Cloud/dir/doc" 22
    rm "$alice/Cloud/dir/doc~"
    wait_for 'has_told alice "edited dir/doc here"'
    settled
    # By a temporary file.
    write_to "$alice/Cloud/dir/new" 333
    mv "$alice/Cloud/dir/new" "$alice/Cloud/dir/doc"
    wait_for '(($(told alice | grep -cx "edited dir/doc here") == 2))'
    settled
    mv "$alice/Cloud/dir" "$alice/Cloud/moved"
    wait_for 'has_told alice "moved moved here dir"'
    settled
    chmod 600 "$alice/Cloud/moved/doc"
    wait_for 'has_told alice "edited moved/doc here"'
    settled
    docfs evict "$alice/Cloud/moved/doc"
    docfs pin "$alice/Cloud/old"
    rm "$alice/Cloud/old"
    rm -r "$alice/Cloud/moved"
    wait_for 'has_told alice "deleted moved here" && has_told alice "deleted moved/doc here"'
    has_told alice 'evicted moved/doc here' || fail "evicted: $(told alice)"
    expect_equal "$(jq -r 'select(.event == "pinned") | [.path, .by, .pin] | join(" ")' alice.told)" 'old here pinned'
    settled
    no_more
    # Nothing of it twice, nothing that was not, and nothing of what editors leave in between.
    expect_equal "$(told alice | grep -v '^uploaded\|^downloaded\|^closed' | sort | uniq -c | sed 's/^ *//')" \
        '1 deleted moved here
1 deleted moved/doc here
1 deleted old here
2 edited dir/doc here
1 edited moved/doc here
1 evicted moved/doc here
1 made dir here
1 made dir/doc here
1 moved moved here dir
1 pinned old here'
}

# S29, S12: what is done here is told also while the store is out of reach, once
own_changes_are_told_offline() {
    local watchers=()
    device alice
    write_to "$alice/Cloud/doc" 1
    settled
    watches alice
    offline alice
    mv "$alice/Cloud/doc" "$alice/Cloud/renamed"
    wait_for 'has_told alice "moved renamed here doc"'
    mv "$alice/Cloud/renamed" "$alice/Cloud/again"
    wait_for 'has_told alice "moved again here renamed"'
    write_to "$alice/Cloud/new" 1
    wait_for 'has_told alice "made new here"'
    rm "$alice/Cloud/new"
    wait_for 'has_told alice "deleted new here"'
    online alice
    settled
    pass_settle
    no_more
    expect_equal "$(told alice | grep '^made\|^moved\|^deleted\|^edited')" \
        'moved renamed here doc
moved again here renamed
made new here
deleted new here'
}

# S29: what was done before anybody reads is known then, and what is in a directory moves with it
changes_go_on_from_what_was() {
    local watchers=()
    device alice
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" 1
    settled
    offline alice
    write_to "$alice/Cloud/new" 1
    mv "$alice/Cloud/new" "$alice/Cloud/newer"
    pass_settle
    watches alice
    pass_settle
    chmod 600 "$alice/Cloud/newer"
    wait_for 'has_told alice "edited newer here"'
    rm "$alice/Cloud/newer"
    wait_for 'has_told alice "deleted newer here"'
    write_to "$alice/Cloud/dir/doc" 22
    wait_for 'has_told alice "edited dir/doc here"'
    mv "$alice/Cloud/dir" "$alice/Cloud/moved"
    wait_for 'has_told alice "moved moved here dir"'
    write_to "$alice/Cloud/moved/doc" 333
    wait_for 'has_told alice "edited moved/doc here"'
    rm -r "$alice/Cloud/moved"
    wait_for 'has_told alice "deleted moved here"'
    online alice
    settled
    pass_settle
    no_more
    expect_equal "$(told alice | grep -v '^closed\|^online\|^offline')" \
        'edited newer here
deleted newer here
edited dir/doc here
moved moved here dir
edited moved/doc here
deleted moved/doc here
deleted moved here'
}

# S16, S17, S29: a conflict from before anybody reads is told as resolved, and what goes with a choice as deleted
old_conflicts_are_told_as_resolved() {
    local watchers=() name
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'begun'
    settled
    cat "$bob/Cloud/doc" >/dev/null
    for name in one two; do
        offline bob
        write_to "$bob/Cloud/doc" "by bob, $name"
        write_to "$alice/Cloud/doc" "by alice, $name"
        settled alice
        online bob
        settled
        # The next one is no version of this one.
        cat "$bob/Cloud/"*conflict* >/dev/null
    done
    expect_equal "$(ls "$alice/Cloud" | grep -c conflict)" 2
    watches alice
    watches bob
    pass_settle
    local siblings
    mapfile -t siblings < <(cd "$alice/Cloud" && ls | grep conflict)
    mv "$alice/Cloud/${siblings[0]}" "$alice/Cloud/doc"
    wait_for 'has_told alice "resolved doc here" && has_told bob "resolved doc alice"'
    wait_for 'has_told alice "deleted ${siblings[1]} here" && has_told bob "deleted ${siblings[1]} alice"'
    settled
    pass_settle
    no_more
    expect_equal "$(told alice | grep -c '^resolved\|^conflict')" 1
    expect_equal "$(told bob | grep -c '^resolved\|^conflict')" 1
}

# S29, Control: each device is told what the other one did, by whom, and from where
changes_of_others_are_told() {
    local watchers=()
    device alice
    device bob
    settled
    watches alice
    watches bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" 1
    wait_for 'has_told bob "arrived dir/doc alice" && has_told bob "arrived dir alice"'
    settled
    cat "$bob/Cloud/dir/doc" >/dev/null
    write_to "$bob/Cloud/dir/doc" 22
    wait_for 'has_told bob "edited dir/doc here" && has_told alice "changed dir/doc bob"'
    settled
    mv "$bob/Cloud/dir/doc" "$bob/Cloud/moved"
    wait_for 'has_told bob "moved moved here dir/doc" && has_told alice "moved moved bob dir/doc"'
    settled
    chmod 600 "$alice/Cloud/moved"
    wait_for 'has_told alice "edited moved here" && has_told bob "changed moved alice"'
    settled
    rm "$alice/Cloud/moved"
    wait_for 'has_told alice "deleted moved here" && has_told bob "deleted moved alice"'
    settled
    pass_settle
    no_more
    # Nobody is told of another's change as of his own.
    expect_equal "$(told alice | grep -c '^edited\|^arrived')" 1
    expect_equal "$(told bob | grep -c '^made\|^changed')" 1
}

# S16, S17, S29: a conflict is told on both devices when it comes, and on both when the last version has gone
conflicts_are_told_on_both() {
    local watchers=()
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'begun'
    settled
    cat "$bob/Cloud/doc" >/dev/null
    watches alice
    watches bob
    offline bob
    write_to "$bob/Cloud/doc" 'by bob'
    write_to "$alice/Cloud/doc" 'by alice'
    settled alice
    online bob
    settled
    wait_for 'has_told bob "conflict doc here" && has_told alice "conflict doc bob"'
    local sibling
    sibling=$(cd "$alice/Cloud" && ls | grep conflict)
    expect_equal "$(jq -r 'select(.event == "conflict") | .sibling' alice.told)" "$sibling"
    expect_equal "$(jq -r 'select(.event == "conflict") | .sibling' bob.told)" "$sibling"
    ! told alice | grep '^resolved' || fail 'resolved too early'
    rm "$alice/Cloud/$sibling"
    settled
    wait_for 'has_told alice "resolved doc here" && has_told bob "resolved doc alice"'
    pass_settle
    no_more
    expect_equal "$(told alice | grep -c '^conflict\|^resolved')" 2
    expect_equal "$(told bob | grep -c '^conflict\|^resolved')" 2
}

# S24, S29: a document that moves out of a container has left it, on every device, and is not deleted there
moves_out_are_told_as_left() {
    local watchers=()
    mkdir -p second
    device alice --cloud "Work=file://$STORY/second"
    device bob
    mkdir "$alice/Cloud/dir"
    for name in doc dir/one other gone; do write_to "$alice/Cloud/$name" "this is $name"; done
    settled
    watches alice
    watches bob
    mv "$alice/Cloud/doc" "$alice/Local/doc"
    mv "$alice/Cloud/dir" "$alice/Local/dir"
    mv "$alice/Cloud/other" "$alice/Work/other"
    rm "$alice/Cloud/gone"
    wait_for '(($(told alice | grep -c "^left\|^deleted") == 5))'
    wait_for '(($(told bob | grep -c "^left\|^deleted") == 5))'
    settled
    pass_settle
    no_more
    local each
    for each in doc dir dir/one other; do
        has_told alice "left $each here" || fail "alice, $each: $(told alice)"
        has_told bob "left $each alice" || fail "bob, $each: $(told bob)"
    done
    has_told alice 'deleted gone here' || fail "alice: $(told alice)"
    has_told bob 'deleted gone alice' || fail "bob: $(told bob)"
    # Of the downloads on their way nothing is told that names no document.
    expect_equal "$(jq -c 'select(.path == null)' alice.told | wc -l)" 0
}

# S24, S29: a document that moves out while the store is out of reach has left once, also if it comes back or was never sent
moves_out_are_told_offline() {
    local watchers=()
    device alice
    write_to "$alice/Cloud/doc" 1
    settled
    watches alice
    offline alice
    mv "$alice/Cloud/doc" "$alice/Local/doc"
    wait_for 'has_told alice "left doc here"'
    mv "$alice/Local/doc" "$alice/Cloud/back"
    wait_for 'has_told alice "made back here"'
    write_to "$alice/Cloud/unsent" 1
    wait_for 'has_told alice "made unsent here"'
    mv "$alice/Cloud/unsent" "$alice/Local/unsent"
    wait_for 'has_told alice "left unsent here"'
    online alice
    settled
    pass_settle
    no_more
    jq -c 'select(.scope == "Cloud")' alice.told >cloud.told
    expect_equal "$(told cloud | grep '^left\|^deleted\|^moved\|^made')" 'left doc here
made back here
made unsent here
left unsent here'
}

# S10, S29: a download that takes its time has an event of its own, once, and another at its end
downloads_are_told() {
    local watchers=() reader
    [[ -x $SLOW_FOLDER ]] || skip 'slow-folder was not built'
    device alice
    device bob
    head -c 200000 /dev/urandom >"$alice/Cloud/slow"
    settled
    stop bob
    rm bob/container
    mkdir control bob/container
    setsid "$SLOW_FOLDER" "$container" "$STORY/control" "$STORY/bob/container" &
    echo $! >>"$STORY/pids"
    wait_for 'mountpoint -q bob/container' || skip 'cannot mount here'
    options[bob]='--deadline 60 --poll 0.5'
    start bob
    wait_for '! is_away bob'
    watches bob
    touch control/reads
    (exec cat "$bob/Cloud/slow" >/dev/null) &
    reader=$!
    wait_for 'has_told bob "downloading slow here"'
    expect_equal "$(attr "$bob/Cloud/slow" downloading)" true
    timeout 60 "$DOCFS" find --json --name slow "$bob/Cloud" >found
    expect_equal "$(jq -c '[.download,.isDownloading]' found)" '["none",true]'
    rm control/reads
    wait $reader || fail "the reader ended with $?"
    wait_for 'has_told bob "downloaded slow here"'
    expect_equal "$(attr "$bob/Cloud/slow" downloading)" false
    no_more
    expect_equal "$(told bob | grep -c '^downloading')" 1
    stop bob
    umount bob/container
    rmdir bob/container
    ln -s ../container bob/container
    start bob
}

# S12, S29, S32: a read that fails because the container is out of reach has an event once, and its sentence goes with the reason
reads_offline_say_why() {
    local watchers=()
    device alice
    device bob --deadline 3
    write_to "$alice/Cloud/doc" text
    write_to "$alice/Cloud/unread" text
    settled
    watches bob
    offline bob
    wait_for 'is_away bob'
    refused ENETUNREACH cat "$bob/Cloud/doc"
    wait_for 'has_told bob "download-error doc here"'
    refused ENETUNREACH cat "$bob/Cloud/doc"
    [[ $(attr "$bob/Cloud/doc" error) == *'cannot be reached'* ]] || fail "the error: $(attr "$bob/Cloud/doc" error)"
    expect_equal "$(attr "$bob/Cloud/unread" error)" ''
    expect_equal "$(docfs find --state failed "$bob/Cloud" | wc -l)" 1
    gives 0 docfs status "$bob/Cloud/doc"
    says 'cannot be reached'
    grep -q 'Cloud/doc: the store cannot be reached' bob/log || fail "the log: $(cat bob/log)"
    online bob
    # Nobody has read it since.
    wait_for '[[ -z $(attr "$bob/Cloud/doc" error) ]]'
    expect_equal "$(docfs find --state failed "$bob/Cloud" | wc -l)" 0
    offline bob
    wait_for 'is_away bob'
    refused ENETUNREACH cat "$bob/Cloud/doc"
    refused ENETUNREACH cat "$bob/Cloud/unread"
    wait_for 'has_told bob "download-error unread here"'
    no_more
    expect_equal "$(told bob | grep -c '^download-error')" 3
    online bob
    wait_for "grep -qx text $bob/Cloud/doc"
    expect_equal "$(attr "$bob/Cloud/doc" error)" ''
    online bob
    settled
}

# in_local NAME: what NAME was told of Local, a line each: what, path, by whom, from where.
in_local() {
    jq -r 'select(.scope == "Local") | [.event, .path, .by, .from // empty] | join(" ")' "$1.told"
}

# has_in_local NAME LINE: whether NAME was told just this of Local.
has_in_local() { in_local "$1" | grep -xF -- "$2" >/dev/null; }

# S2, S29: what happens in Local is told once it has been left alone, through the mount and past it, with directories
changes_of_local_are_told() {
    local watchers=() disk=$STORY/alice/local
    # Time for a whole save, also on a busy machine.
    device alice --settle 1
    write_to "$alice/Local/old" 1
    watches alice
    mkdir "$alice/Local/dir"
    write_to "$alice/Local/dir/doc" 1
    mkdir -p "$disk/past/inner"
    write_to "$disk/past/inner/doc" 1
    wait_for 'has_in_local alice "made past/inner/doc here" && has_in_local alice "made dir/doc here"'
    # As editors save, on either side.
    write_to "$alice/Local/dir/.doc.swp" 22
    mv "$alice/Local/dir/.doc.swp" "$alice/Local/dir/doc"
    mv "$disk/old" "$disk/old~"
    write_to "$disk/old" 22
    rm "$disk/old~"
    wait_for 'has_in_local alice "edited dir/doc here" && has_in_local alice "edited old here"'
    mv "$alice/Local/dir" "$alice/Local/past/moved"
    chmod 600 "$disk/past/inner/doc"
    wait_for 'has_in_local alice "moved past/moved here dir"'
    wait_for 'has_in_local alice "edited past/inner/doc here"'
    rm -r "$alice/Local/past"
    wait_for 'has_in_local alice "deleted past here"'
    no_more
    expect_equal "$(in_local alice | sort)" "$(sort <<<'made dir here
made dir/doc here
made past here
made past/inner here
made past/inner/doc here
edited dir/doc here
edited old here
moved past/moved here dir
edited past/inner/doc here
deleted past/moved/doc here
deleted past/moved here
deleted past/inner/doc here
deleted past/inner here
deleted past here')"
}

# S24, S29: what moves between Local and a container leaves the one and arrives in, or is made in, the other
moves_of_local_are_told() {
    local watchers=()
    device alice
    mkdir "$alice/Local/dir" "$alice/Cloud/back"
    for name in Local/doc Local/dir/one Cloud/other Cloud/back/two; do write_to "$alice/$name" 1; done
    settled
    watches alice
    mv "$alice/Local/doc" "$alice/Cloud/doc"
    mv "$alice/Local/dir" "$alice/Cloud/dir"
    mv "$alice/Cloud/other" "$alice/Local/other"
    mv "$alice/Cloud/back" "$alice/Local/back"
    wait_for '(($(told alice | grep -c "^left\|^arrived\|^made\|^deleted") >= 12))'
    settled
    pass_settle
    no_more
    expect_equal "$(in_local alice | sort)" 'arrived back here
arrived back/two here
arrived other here
left dir here
left dir/one here
left doc here'
    expect_equal "$(told alice | grep -c '^left\|^arrived\|^made')" 12
    expect_equal "$(told alice | grep '^made' | sort)" 'made dir here
made dir/one here
made doc here'
}

# diary NAME: what NAME was told by `docfs watch`, without times, and without what small documents do on the way.
diary() {
    sed -E 's/^[0-9-]+ [0-9:]+  //; s/, [0-9-]+ [0-9.]+\)/, TIME)/' "$1.diary" | grep -v '^downloaded'
}

# reads_diary NAME: as `watches`, in the words for people.
reads_diary() {
    timeout 600 "$DOCFS" watch "${!1}" >"$1.diary" 2>&1 &
    watchers+=($!)
    wait_for "has_open $! ${!1}/.docfs/events"
}

# S29, Control: docfs watch of a day with two devices reads as the documentation shows it
a_day_with_two_devices() {
    local watchers=()
    device desk
    device laptop
    settled
    reads_diary desk
    reads_diary laptop
    mkdir "$desk/Cloud/Trip"
    write_to "$desk/Cloud/Trip/plan.txt" 'Monday: train'
    wait_for 'grep -q "arrived.*plan.txt" laptop.diary'
    settled
    cat "$laptop/Cloud/Trip/plan.txt" >/dev/null
    printf 'Tuesday: museum\n' >>"$laptop/Cloud/Trip/plan.txt"
    wait_for 'grep -q "changed.*plan.txt" desk.diary'
    settled
    mv "$laptop/Cloud/Trip/plan.txt" "$laptop/Cloud/Trip/itinerary.txt"
    wait_for 'grep -q "moved.*plan.txt" desk.diary && grep -q "moved.*plan.txt" laptop.diary'
    settled
    exec 3>>"$desk/Cloud/Trip/itinerary.txt"
    printf 'Wednesday: sea\n' >>"$laptop/Cloud/Trip/itinerary.txt"
    wait_for 'grep -q outdated desk.diary'
    printf 'Wednesday: hills\n' >&3
    exec 3>&-
    wait_for 'grep -q conflict laptop.diary && grep -q "uploaded.*conflict" desk.diary'
    settled
    rm "$desk/Cloud/Trip/"*conflict*
    wait_for 'grep -q resolved desk.diary && grep -q resolved laptop.diary'
    settled
    mv "$laptop/Cloud/Trip" "$laptop/Cloud/Holidays"
    wait_for 'grep -q "moved.*Trip" desk.diary && grep -q "moved.*Holidays" laptop.diary'
    settled
    no_more
    # The page about events shows just this.
    expect_equal "$(diary desk)" 'closed          Cloud/Trip/plan.txt
made            Cloud/Trip
made            Cloud/Trip/plan.txt
uploaded        Cloud/Trip/plan.txt
changed         Cloud/Trip/plan.txt, by laptop
moved           Cloud/Trip/itinerary.txt, was Cloud/Trip/plan.txt, by laptop
outdated        Cloud/Trip/itinerary.txt: laptop has saved a newer version; it is shown when this one is closed
closed          Cloud/Trip/itinerary.txt
changed         Cloud/Trip/itinerary.txt, by laptop
conflict        Cloud/Trip/itinerary.txt, beside it itinerary (conflict from desk, TIME).txt
uploaded        Cloud/Trip/itinerary (conflict from desk, TIME).txt
deleted         Cloud/Trip/itinerary (conflict from desk, TIME).txt
resolved        Cloud/Trip/itinerary.txt
moved           Cloud/Holidays, was Cloud/Trip, by laptop'
    expect_equal "$(diary laptop)" 'arrived         Cloud/Trip, by desk
arrived         Cloud/Trip/plan.txt, by desk
closed          Cloud/Trip/plan.txt
edited          Cloud/Trip/plan.txt
uploaded        Cloud/Trip/plan.txt
moved           Cloud/Trip/itinerary.txt, was Cloud/Trip/plan.txt
closed          Cloud/Trip/itinerary.txt
edited          Cloud/Trip/itinerary.txt
uploaded        Cloud/Trip/itinerary.txt
arrived         Cloud/Trip/itinerary (conflict from desk, TIME).txt, by desk
conflict        Cloud/Trip/itinerary.txt, beside it itinerary (conflict from desk, TIME).txt, by desk
deleted         Cloud/Trip/itinerary (conflict from desk, TIME).txt, by desk
resolved        Cloud/Trip/itinerary.txt, by desk
moved           Cloud/Holidays, was Cloud/Trip'
}

# S29, Control: find --live says where the first results end, and follows documents into a directory's new name
find_live_follows_directories() {
    device alice
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc.txt" 1
    settled
    timeout 600 "$DOCFS" find --live --json --name '*.txt' "$alice/Cloud" >heard 2>&1 &
    local finder=$!
    wait_for 'grep -q gathered heard'
    expect_equal "$(sed -n 2p heard)" '{"change":"gathered","count":1}'
    mv "$alice/Cloud/dir" "$alice/Cloud/moved"
    wait_for 'jq -se "any(.change == \"added\" and (.path | endswith(\"moved/doc.txt\")))" heard >/dev/null'
    jq -se 'any(.change == "removed" and (.path | endswith("dir/doc.txt")))' heard >/dev/null ||
        fail "the old one: $(cat heard)"
    rm "$alice/Cloud/moved/doc.txt"
    wait_for 'jq -se "any(.change == \"removed\" and (.path | endswith(\"moved/doc.txt\")))" heard >/dev/null'
    kill -TERM $finder
    wait $finder || fail "ended with $?"
}

# S24, S29: a conflict that leaves its container is not told as resolved, and where it goes as one again
conflicts_that_move_are_told() {
    local watchers=() sibling
    device alice
    device bob
    write_to "$alice/Cloud/doc.txt" 'version one'
    settled
    cat "$bob/Cloud/doc.txt" >/dev/null
    settled
    offline alice bob
    write_to "$alice/Cloud/doc.txt" 'by alice'
    write_to "$bob/Cloud/doc.txt" 'by bob'
    pass_settle
    online alice
    settled
    online bob
    settled
    sibling=$(expect_conflict "$alice/Cloud/doc.txt" bob)
    sibling=${sibling##*/}
    watches bob
    mv "$alice/Cloud/doc.txt" "$alice/Local/"
    wait_for "has_told bob 'left $sibling alice'"
    has_told bob 'left doc.txt alice' || fail 'the document has not left'
    mv "$alice/Local/doc.txt" "$alice/Cloud/"
    wait_for "has_told bob 'conflict doc.txt alice'"
    settled
    no_more
    expect_equal "$(told bob | grep -c '^resolved\|^deleted')" 0
    expect_equal "$(told bob | grep -c '^conflict')" 1
}
