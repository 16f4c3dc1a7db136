# S34: a state directory that exists twice becomes two devices.

# copied NAME FROM: the directories of a stopped device, copied for another one that is about to start;
# what moved from Local is not among them, as on another computer.
copied() {
    mkdir -p "$STORY/$1"
    cp -a "$STORY/$2/state" "$STORY/$1/state"
}

# identity NAME: what the device is called in the change log.
identity() { head -1 "$STORY/$1/state/device"; }

# says_it_is_a_copy NAME: in the log once, in the status, and to the doctor.
says_it_is_a_copy() {
    expect_equal "$(grep -c 'a device of its own from now on' "$STORY/$1/log")" 1 "sentences in $1's log"
    grep -q 'a device of its own' "$STORY/$1/mnt/.docfs/status" || fail "$1's status does not say it"
    expect_equal "$("$DOCFS" doctor "$STORY/$1/mnt" | grep -c 'a device of its own')" 1 "findings of the doctor"
}

# both COMMAND: once for alice's mount, and at the same time for the twin's, as $mount of $who, each with
# a $mode of its own.
both() {
    local who mount mode=560 running=()
    for who in alice twin; do
        mount=$STORY/$who/mnt
        mode=$((mode + 40))
        (eval "$1") &
        running+=($!)
    done
    wait "${running[@]}"
}

# S34: a copy of the state, with edits that were not sent, mounts beside the original: both edit the
# same and other documents at once, agree on everything in the end, and no text is lost
copy_beside_the_original() {
    device alice
    device bob
    for n in {1..6}; do write_to "$alice/Cloud/doc$n" "first $n"; done
    settled
    offline alice
    write_to "$alice/Cloud/unsent" 'not sent before the copy'
    append_to "$alice/Cloud/doc1" 'not sent either'
    # Its bytes stay in Local's directory, which is not copied.
    write_to "$alice/Local/moved" 'moved from Local'
    mv "$alice/Local/moved" "$alice/Cloud/moved"
    stop alice
    copied twin alice
    online alice
    start alice
    device twin --device alice
    says_it_is_a_copy twin
    [[ $(identity alice) != "$(identity twin)" ]] || fail 'they are one device'
    # shellcheck disable=SC2016 # for each of both
    for round in {1..8}; do
        both 'for n in 1 2 3; do echo "round '"$round"' of $who" >>"$mount/Cloud/doc$n"; done
            echo "$who" >"$mount/Cloud/$who-'"$round"'"
            chmod $mode "$mount/Cloud/doc4" "$mount/Cloud/$who-'"$round"'"
            setfattr -n user.round -v '"$round"' "$mount/Cloud/doc5"'
        sleep 0.3
    done
    settled
    same_trees alice bob
    same_trees alice twin
    expect_file "$bob/Cloud/unsent" 'not sent before the copy'
    expect_file "$bob/Cloud/moved" 'moved from Local'
    for n in {1..8}; do
        for who in alice twin; do
            kept bob "round $n of $who" || fail "round $n of $who is nowhere"
            expect_file "$bob/Cloud/$who-$n" "$who"
        done
    done
    kept bob 'not sent either' || fail 'an edit from before the copy is nowhere'
    restart alice twin
    settled
    same_trees alice twin
    expect_equal "$(grep -c 'a device of its own' "$STORY/twin/log")" 1 'sentences after another start'
}

# S34: a copy that is made of a running device's state, and started while that goes on, lets its mount be
copy_of_a_running_device() {
    device alice
    write_to "$alice/Cloud/doc" 'first'
    settled
    copied twin alice
    device twin --device alice
    says_it_is_a_copy twin
    answers alice
    append_to "$alice/Cloud/doc" 'from alice'
    write_to "$twin/Cloud/new" 'from the twin'
    settled
    same_trees alice twin
    expect_file "$alice/Cloud/new" 'from the twin'
    expect_equal "$(tail -1 "$twin/Cloud/doc")" 'from alice'
}

# S34: a state that another computer wrote, as on a disk that is put into it, is a device of its own, and
# sends what was not sent
state_of_another_computer() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'sent'
    settled
    offline alice
    append_to "$alice/Cloud/doc" 'not sent'
    write_to "$alice/Cloud/unsent" 'not sent either'
    stop alice
    local before
    before=$(identity alice)
    # Its first line is made of the computer's machine-id.
    sed -i '1s/.*/0123456789abcdef0123456789abcdef/' alice/state/place
    online alice
    start alice
    says_it_is_a_copy alice
    [[ $(identity alice) != "$before" ]] || fail 'it is the same device'
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/doc" $'sent\nnot sent'
    expect_file "$bob/Cloud/unsent" 'not sent either'
    restart alice
    settled
    expect_equal "$(grep -c 'a device of its own from now on' alice/log)" 1 'sentences after another start'
}

# S34: an older state that is restored, as another directory or into the same one, is another device, to
# which the records that it wrote since it was saved are another's; a renamed one is the same
older_state_is_restored() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'before'
    write_to "$alice/Cloud/other" 'before'
    settled
    offline alice
    write_to "$alice/Cloud/unsent" 'not sent when it was saved'
    stop alice
    cp -a alice/state backup
    online alice
    local how before
    for how in 'cp -a backup/. alice/state' 'cp -aT backup alice/state'; do
        start alice
        write_to "$alice/Cloud/doc" "after, $how"
        write_to "$alice/Cloud/new ${#how}" 'after'
        settled
        stop alice
        before=$(identity alice)
        if [[ $how == *-aT* ]]; then rm -r alice/state; else rm -r alice/state/*; fi
        $how
        : >alice/log
        start alice
        append_to "$alice/Cloud/other" "$how"
        settled
        same_trees alice bob
        expect_file "$alice/Cloud/doc" "after, $how"
        expect_file "$alice/Cloud/unsent" 'not sent when it was saved'
        says_it_is_a_copy alice
        stop alice
        start alice
        [[ $(identity alice) != "$before" ]] || fail "after $how it is the same device"
        stop alice
    done
    start alice
    settled
    before=$(identity alice)
    stop alice
    : >alice/log
    mv alice/state alice/moved
    # For whoever looks into it here.
    ln -s moved alice/state
    options[alice]="--state $STORY/alice/moved"
    start alice
    settled
    stop alice
    rm alice/state
    mv alice/moved alice/state
    expect_equal "$(identity alice)" "$before"
    expect_equal "$(grep -c 'a device of its own' alice/log || true)" 0 'sentences after it was renamed'
    options[alice]=
    start alice
    settled
    same_trees alice bob
}
