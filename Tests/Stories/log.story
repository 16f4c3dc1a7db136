# S23: a change log that went back, or has a gap, is noticed before anything is made of it.

# restore FROM [PAUSE]: puts the container back to a backup while daemons run, as rsync -a --delete does:
# the documents at the top first, PAUSE seconds later everything else.
restore() {
    local path
    for path in . .docfs; do
        if [[ $path == . ]]; then
            kill -STOP "${process[@]}"
        else
            kill -CONT "${process[@]}"
            sleep "${2:-0}"
        fi
        (cd "$container/$path" && find . -path ./.docfs -prune -o -type f -printf '%P\n') |
            while read -r name; do
                [[ -e $1/$path/$name ]] || rm -f "$container/$path/$name"
            done
        (cd "$1/$path" && find . -path ./.docfs -prune -o -type f -printf '%P\n' | sort) |
            while read -r name; do
                if cmp -s "$1/$path/$name" "$container/$path/$name"; then continue; fi
                mkdir -p "$(dirname "$container/$path/$name")"
                cp -p --preserve=xattr "$1/$path/$name" "$container/$path/.restored"
                mv "$container/$path/.restored" "$container/$path/$name"
            done
    done
}

# A container of which there is a backup, and what both devices have had and read since.
newer_than_backup() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/doc" 'before the backup'
    write_to "$alice/Cloud/dir/doc" 'before the backup'
    write_to "$alice/Cloud/deleted" 'before the backup'
    settled
    cp -a "$container" backup
    sleep 0.1
    write_to "$alice/Cloud/doc" 'after the backup'
    write_to "$bob/Cloud/dir/new" 'after the backup'
    settled
    write_to "$alice/Cloud/new" 'after the backup'
    rm "$bob/Cloud/deleted"
    settled
    expect_newest alice
    expect_newest bob
}

# What a device had when the backup was put back is there, to the last byte.
expect_newest() {
    expect_file "${!1}/Cloud/doc" 'after the backup'
    expect_file "${!1}/Cloud/new" 'after the backup'
    expect_file "${!1}/Cloud/dir/new" 'after the backup'
    expect_file "${!1}/Cloud/dir/doc" 'before the backup'
    expect_absent "${!1}/Cloud/deleted"
}

# Both have noticed, say so, and have neither changed anything nor written into the log.
expect_noticed() {
    local name
    for name in alice bob; do
        wait_for "is_away $name"
        wait_for "grep -q '^Cloud: offline: .*change log' ${!name}/.docfs/status"
        expect_newest "$name"
    done
    write_to "$alice/Cloud/later" 'written when it had gone back'
    pass_settle
    restart alice bob
    wait_for 'is_away alice && is_away bob'
    wait_for "grep -q '^Cloud: offline: .*change log' $bob/.docfs/status"
    expect_newest alice
    expect_newest bob
    expect_file "$alice/Cloud/later" 'written when it had gone back'
    expect_equal "$(stored .docfs/log | sort | xargs)" "$1" 'the log'
}

# S23: a backup is restored over a live container: each device notices, and nothing of it is an edit
backup_over_a_live_container() {
    newer_than_backup
    restore "$STORY/backup"
    expect_noticed "$(ls backup/.docfs/log | xargs)"
    no_rest
}

# S23: so it is when the log comes back a while after the first documents
backup_that_takes_a_while() {
    newer_than_backup
    restore "$STORY/backup" 1.5
    expect_noticed "$(ls backup/.docfs/log | xargs)"
    no_rest
}

# S23: a log from which a record is missing is continued by nobody, and no new device takes its beginning
# for all of it
record_is_missing() {
    newer_than_backup
    local log
    rm "$container/.docfs/log/0000000000000002.json"
    log=$(stored .docfs/log | sort | xargs)
    expect_noticed "$log"
    device carol
    wait_for "grep -q '^Cloud: offline: .*no record 2' $carol/.docfs/status"
    write_to "$carol/Cloud/carols" text
    pass_settle
    expect_equal "$(stored .docfs/log | sort | xargs)" "$log" 'the log'
    no_rest
}

# S23: a container that two devices have continued apart, in two copies of it, is told from one that is whole
log_continued_apart() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" text
    settled
    offline bob
    cp -a "$container" fork
    write_to "$alice/Cloud/alices" text
    write_to "$alice/Cloud/more" text
    settled
    ln -sfn ../fork bob/container
    write_to "$bob/Cloud/bobs" text
    wait_for '[[ -e fork/bobs ]] && [[ $(probe field "$bob" pending) == 0 ]]'
    online bob
    wait_for 'is_away bob && grep -q "^Cloud: offline: .*change log" "$bob/.docfs/status"'
    expect_file "$bob/Cloud/bobs" text
    write_to "$alice/Cloud/later" text
    pass_settle
    expect_file "$alice/Cloud/alices" text
    expect_absent "$container/bobs"
    no_rest
}

# S23: the container is taken as it is, on each device: what is newer comes beside it, and all agree again
backup_is_taken_as_it_is() {
    newer_than_backup
    write_to "$bob/Cloud/only read by bob" text
    settled
    restore "$STORY/backup"
    wait_for 'is_away alice && is_away bob'
    write_to "$alice/Cloud/later" 'written when it had gone back'
    write_to "$bob/Cloud/dir/doc" 'edited when it had gone back'
    gives 1 docfs doctor "$alice"
    says 'docfs doctor --repair --keep container'
    gives 0 docfs doctor --repair --keep container "$alice"
    says 'taken up once more'
    wait_for '! is_away alice'
    gives 0 docfs doctor --repair --keep container "$bob"
    wait_for '! is_away bob'
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/doc" 'before the backup'
    expect_equal "$(conflicts_of "$bob/Cloud/doc" | wc -l)" 1 'conflict versions'
    conflicts_of "$bob/Cloud/doc" | while read -r beside; do
        expect_file "$beside" 'after the backup'
    done
    expect_file "$bob/Cloud/new" 'after the backup'
    expect_file "$alice/Cloud/dir/new" 'after the backup'
    expect_file "$alice/Cloud/only read by bob" text
    expect_file "$bob/Cloud/later" 'written when it had gone back'
    expect_file "$alice/Cloud/dir/doc" 'edited when it had gone back'
    expect_file "$bob/Cloud/deleted" 'before the backup'
    device carol
    wait_for '[[ -e $carol/Cloud/later ]]'
    settled
    same_trees alice carol
}

# S23: one device sends its state once more, and the other has it already
device_sends_its_state() {
    newer_than_backup
    restore "$STORY/backup"
    wait_for 'is_away alice && is_away bob'
    write_to "$bob/Cloud/doc" 'edited when it had gone back'
    gives 0 docfs doctor --repair --keep device "$alice"
    wait_for '! is_away alice'
    gives 0 docfs doctor --repair --keep device "$bob"
    wait_for '! is_away bob'
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/doc" 'edited when it had gone back'
    expect_no_conflict "$alice/Cloud/doc"
    expect_file "$bob/Cloud/new" 'after the backup'
    expect_file "$alice/Cloud/dir/new" 'after the backup'
    device carol
    wait_for '[[ -e $carol/Cloud/dir/new ]]'
    settled
    same_trees alice carol
}

# S23: a record that is cut off is mended by a device that has read it, and the others go on
damaged_record_is_mended() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" text
    settled
    stop bob
    write_to "$alice/Cloud/doc" 'text of the damaged record'
    settled
    local last
    last=$(last_record)
    truncate -s 20 "$container/.docfs/log/$last"
    start bob
    wait_for "grep -q '^Cloud: offline: .*record' $bob/.docfs/status"
    write_to "$bob/Cloud/bobs" text
    gives 1 docfs doctor "$bob"
    says 'has read that record mends it'
    gives 0 docfs doctor --repair "$alice"
    says 'a snapshot stands for it now'
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/doc" 'text of the damaged record'
    expect_file "$alice/Cloud/bobs" text
    expect_no_conflict "$alice/Cloud/doc"
}
