# Crashes: the daemon dies at every step of sending, receiving and committing that has a name, and
# edits are neither lost nor sent twice. For the words see lib.sh, for the steps CrashPoint.swift.

points_journal=(effectIntended effectDone storeSynced recordAppended recordApplied planApplied)
points_store=(bodyStaged bodyCreated bodySetAside bodyExchanged bodyKept objectMoved
    directoryStaged directoryRemoved metadataWritten metadataSet)

two_devices() {
    needs jq
    device alice
    device bob
    settled
}

# unsent COMMAND…: alice does it, and is killed before she has sent anything of it.
unsent() {
    local usual=$settle
    kill9 alice
    settle=60
    start alice
    "$@"
    kill9 alice
    settle=$usual
}

# ready DIR: documents for `edit`.
ready() {
    mkdir -p "$1"/{left,tree}
    local name
    for name in old saved was gone described tree/doc; do write_to "$1/$name" "$name of ${1##*/}"; done
}

# edit DIR: every kind of change once.
edit() {
    write_to "$1/new" 'a new document'
    append_to "$1/old" 'written in place'
    write_to "$1/temporary" 'saved by rename'
    mv "$1/temporary" "$1/saved"
    mv "$1/was" "$1/is"
    rm "$1/gone"
    chmod 600 "$1/described"
    setfattr -n user.mine -v kept "$1/described"
    touch -d '2001-02-03 04:05:06.123456789' "$1/described"
    mkdir "$1/made"
    write_to "$1/made/inner" 'in a new directory'
    ln -s old "$1/link"
    rmdir "$1/left"
    mv "$1/tree" "$1/wood"
}

# edit_and_note DIR: the same, and its manifest in the file `wanted`.
edit_and_note() {
    edit "$1"
    probe manifest "$1" >wanted
}

# plain DIR: what any other program sees of the documents; attributes travel in the log.
plain() { probe manifest "$1" | sed '/^directory/d; s/ user\.[^ ]*//'; }

# sent_after_a_crash DIR: every kind of change in it, sent after a death at the point it is named for.
sent_after_a_crash() {
    local changes old saved
    changes=$(operations | wc -l)
    # On a busy machine a document may have been sent before its first text was in it.
    old=$(versions_of "$1/old") saved=$(versions_of "$1/saved")
    # Who misses for too long what alice has begun records it in her place.
    offline bob
    unsent edit_and_note "$alice/Cloud/$1"
    armed alice "$1"
    died alice
    diff wanted <(probe manifest "$alice/Cloud/$1") >&2
    settled
    online bob
    whole alice bob
    diff wanted <(probe manifest "$alice/Cloud/$1") >&2
    expect_equal "$(versions_of "$1/old") $(versions_of "$1/saved")" "$((old + 1)) $((saved + 1))" 'earlier versions'
    # A store that cannot move has objects brought after their records.
    [[ -z ${BUCKET:-} ]] || return 0
    diff <(plain "$alice/Cloud/$1") <(plain "$container/$1") >&2
    # The directory's own time is one more, and need not be.
    changes=$(($(operations | wc -l) - changes))
    ((changes == 11 || changes == 12)) || fail "$changes changes recorded for 11"
}

# sent_at POINT…: the same for each of the points.
sent_at() {
    local point
    two_devices
    for point in "$@"; do ready "$alice/Cloud/$point"; done
    settled
    at_each sent_after_a_crash "$@"
    expect_equal "$(find "$bob/Cloud" -name '*conflict*')" '' 'siblings of one device'
}

# S13: killed at each step of the journal, no change is lost and each is sent once
crash_while_sending() {
    sent_at "${points_journal[@]}" effectIntended:{4,9} effectDone:{3,6,9} planApplied:2
}

# S13: killed at each step of the store's commits, no change is lost and each is sent once
crash_in_the_store() {
    sent_at "${points_store[@]}" bodyStaged:{2,3} bodyCreated:3 objectMoved:{2,3}
}

points_settling=(effectSettled)

# S13: killed again while it finds out what it had done before it was killed
crash_while_settling() {
    two_devices
    ready "$alice/Cloud/dir"
    settled
    unsent edit_and_note "$alice/Cloud/dir"
    armed alice effectDone
    died alice effectSettled
    died alice effectSettled
    died alice recordApplied
    died alice
    whole alice bob
    diff wanted <(probe manifest "$alice/Cloud/dir") >&2
}

# S13, S16: killed after it had sent, edited before it knows: no conflict with itself
crash_and_edit_again() {
    two_devices
    local step steps=(bodyExchanged effectDone recordAppended)
    for step in "${steps[@]}"; do write_to "$alice/Cloud/doc $step" 'version one'; done
    settled
    scenario() {
        unsent append_to "$alice/Cloud/doc $1" 'version two'
        armed alice "$1"
        fell alice
        rm alice/container
        start alice
        append_to "$alice/Cloud/doc $1" 'version three'
        kill9 alice
        ln -s ../container alice/container
        start alice
        whole alice bob
        expect_equal "$(cat "$bob/Cloud/doc $1")" $'version one\nversion two\nversion three'
        expect_no_conflict "$bob/Cloud/doc $1"
    }
    at_each scenario "${steps[@]}"
}

# S13: killed before it could record a new document, while others record theirs: it is not taken
# for a stranger's, whose attributes nobody knows
crash_beside_busy_devices() {
    two_devices
    device carol
    settled
    # The attribute is there before the document is sent.
    settle=2
    armed alice effectDone
    write_to "$alice/Cloud/doc" 'of alice'
    setfattr -n user.mine -v kept "$alice/Cloud/doc"
    fell alice
    # They go on until alice has recorded hers, however long her start takes.
    others() {
        local name number
        for ((number = 1; ; number++)); do
            for name in bob carol; do
                [[ ! -e back ]] || return 0
                write_to "$STORY/$name/mnt/Cloud/$name $number" "$number"
                sleep 0.3
            done
        done
    }
    others &
    local name writers=$!
    sleep 5
    start alice
    wait_for '[[ $(probe field "$alice" journal) == 0 ]]'
    touch back
    wait $writers
    whole alice bob carol
    for name in alice bob carol; do
        expect_equal "$(getfattr --only-values -n user.mine "$STORY/$name/mnt/Cloud/doc")" kept
    done
    expect_no_conflict "$bob/Cloud/doc"
}

points_receiving=(recordRead)

# S13: killed at each step of taking over what another device did
crash_while_receiving() {
    two_devices
    local step steps=(recordRead recordApplied planApplied planApplied:2 catalogCommitt{ing,ed}:{2,4,6})
    for step in "${steps[@]}"; do ready "$alice/Cloud/$step"; done
    settled
    scenario() {
        armed bob "$1"
        edit "$alice/Cloud/$1"
        died bob
        whole alice bob
    }
    at_each scenario "${steps[@]}"
    expect_equal "$(find "$bob/Cloud" -name '*conflict*')" '' 'siblings'
}

# S16: killed at each step of a conflict: both versions are on both devices, once
crash_in_conflict() {
    two_devices
    local step steps=(planApplied effectIntended bodyCreated effectDone recordAppended recordApplied
        catalogCommitt{ing,ed}:{2,4})
    for step in "${steps[@]}"; do write_to "$alice/Cloud/doc $step" 'version one'; done
    settled
    scenario() {
        unsent write_to "$alice/Cloud/doc $1" 'of alice'
        write_to "$bob/Cloud/doc $1" 'of bob'
        settled
        armed alice "$1"
        died alice
        whole alice bob
        expect_file "$alice/Cloud/doc $1" 'of bob'
        expect_file "$(expect_conflict "$bob/Cloud/doc $1" alice)" 'of alice'
    }
    at_each scenario "${steps[@]}"
}

# S9, S16: killed while the version of an open document goes to a sibling: there is one sibling
crash_while_open() {
    two_devices
    mkfifo lines
    scenario() {
        write_to "$alice/Cloud/doc $1" 'version one'
        settled
        armed alice "$1"
        /usr/bin/python3 -IS "$here/probe.py" append-synced "$alice/Cloud/doc $1" <lines 2>/dev/null &
        local writer=$!
        exec 3>lines
        wait_for "has_opened $writer"
        write_to "$bob/Cloud/doc $1" 'of bob'
        wait_for "[[ \$(cat '$container/doc $1') == 'of bob' ]]"
        /usr/bin/python3 -IS "$here/settle.py" 30 - 0 "$bob" --
        echo 'of alice' >&3
        fell alice
        exec 3>&-
        wait $writer 2>/dev/null || true
        start alice
        whole alice bob
        expect_file "$bob/Cloud/doc $1" 'of bob'
        expect_equal "$(cat "$(expect_conflict "$alice/Cloud/doc $1" alice)")" $'version one\nof alice'
    }
    # has_opened PROCESS: whether it has opened its document.
    has_opened() { [[ $(readlink /proc/"$1"/fd/*) == *"$alice/Cloud/"* ]]; }
    at_each scenario effectIntended bodyCreated effectDone recordAppended recordApplied:2
}

points_refused=(effectForgotten)

# S16: killed when the store had refused a new document, whose name another program had taken
crash_after_refusal() {
    two_devices
    unsent write_to "$alice/Cloud/doc" 'of alice'
    # Who has seen the directory for two seconds records it, and alice would not be refused then.
    offline bob
    mkdir "$container/doc"
    armed alice effectForgotten
    died alice
    online bob
    whole alice bob
    expect_equal "$(cat "$bob"/Cloud/doc?*)" 'of alice'
    [[ -d $bob/Cloud/doc ]] || fail 'the directory is not there'
}

points_catalog=(catalogCommitting catalogCommitted)

# S13: killed at each commit of some work: every call that returned 0 holds, the next one or not
crash_at_commits() {
    two_devices
    local steps=(': >$at/one' 'echo text >>$at/one' 'mkdir $at/dir' 'mv $at/one $at/dir/one' ': >$at/two'
        'mv $at/dir $at/wood' 'mv $at/two $at/wood/one' 'ln -s wood $at/link' 'echo more >>$at/wood/one'
        'rm $at/link' 'mkdir $at/wood/inner' 'rmdir $at/wood/inner')
    # picture DIR: names, kinds and bytes.
    picture() { probe manifest "$1" | awk '{ print $1, $NF, ($1 == "file" ? $5 : "") }'; }
    # work DIR: prints the picture before each step, and the last one; stops when a step fails.
    work() {
        local at=$1 step
        for step in "${steps[@]}"; do
            picture "$at" >"pictures/$done"
            eval "$step" 2>/dev/null || return 0
            done=$((done + 1))
        done
        picture "$at" >"pictures/$done"
    }
    local done=0
    mkdir model pictures
    work model
    expect_equal $done ${#steps[@]} 'steps that the plain filesystem took'
    mv pictures wanted
    mkdir pictures
    scenario() {
        mkdir "$alice/Cloud/$1"
        settled
        done=0
        armed alice "$1"
        work "$alice/Cloud/$1" 2>/dev/null || true
        died alice
        local seen after=$((done < ${#steps[@]} ? done + 1 : done))
        seen=$(picture "$alice/Cloud/$1")
        [[ $seen == "$(<wanted/$done)" || $seen == "$(<wanted/$after)" ]] ||
            fail "after $done steps: $seen"
        whole alice bob
        expect_equal "$(picture "$bob/Cloud/$1")" "$seen" 'what bob has'
    }
    at_each scenario catalogCommitt{ing,ed}:{1,4,7,11,16}
}

# S13: a rename whose device died before it was recorded is no deletion for those who miss the document
crash_rename_missed() {
    two_devices
    write_to "$alice/Cloud/doc" 'a document'
    settled
    armed alice objectMoved
    mv "$alice/Cloud/doc" "$alice/Cloud/renamed" || true
    fell alice
    # Who asks for its bytes, which are not where the log says, notices at once that it has gone.
    cat "$bob/Cloud/doc" >/dev/null 2>&1 || true
    wait_for "[[ ! -e $bob/Cloud/doc ]]"
    expect_file "$bob/Cloud/renamed" 'a document'
    start alice
    expect_file "$alice/Cloud/renamed" 'a document'
    whole alice bob
    expect_file "$alice/Cloud/renamed" 'a document'
}

# S13: what a device had staged of a record that another one made in its stead is cleared away
crash_record_not_needed() {
    two_devices
    write_to "$alice/Cloud/doc" 'a document'
    settled
    armed alice bodyStaged
    rm "$alice/Cloud/doc" || true
    fell alice
    cat "$bob/Cloud/doc" >/dev/null 2>&1 || true
    wait_for "[[ ! -e $bob/Cloud/doc ]]"
    start alice
    whole alice bob
    expect_absent "$alice/Cloud/doc"
}

# Daemon: the stories of crashes reach every point that there is
every_crash_point_is_reached() {
    local all told
    mkdir mnt
    all=$(DOCFS_CRASH_AT=none "$DOCFS_MOUNT" "$STORY/mnt" 2>&1 || true)
    all=$(sed -n 's/.*these are: //p' <<<"$all" | tr ' ' '\n' | sort)
    [[ -n $all ]] || fail 'the daemon does not tell its points'
    told=$(cat "$here"/crashes*.story | tr '\n' ' ' | grep -o '\<points_[a-z_]*=([^)]*)' |
        sed 's/.*(//; s/)//' | xargs -n 1 | sort -u)
    diff <(echo "$told") <(echo "$all") >&2 || fail 'points that no story reaches, or that are none'
}
