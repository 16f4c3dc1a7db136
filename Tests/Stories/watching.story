# How a device learns of what other programs do in the container's folder where inotify(7) has no more for it.

# hoards KIND: another program of the user has all instances, or watches, that there are.
hoards() {
    mkdir "$STORY/$1"
    /usr/bin/python3 -IS "$here/probe.py" hoard "$1" "$STORY/$1" &
    hoarder=$!
    echo $hoarder >>"$STORY/pids"
    wait_for "[[ -e $STORY/$1/$1 ]]"
}

# names_limit LIMIT: the device says what there is none of, and how it is raised.
names_limit() {
    wait_for "grep -q 'found late: fs.inotify.$1 .* sysctl fs.inotify.$1=' $alice/.docfs/status"
    said=$(docfs doctor "$alice" || true)
    says "fs.inotify.$1"
}

finds_late() { grep -q 'found late' "$alice/.docfs/status"; }

# gives_back: it ends, and the device watches.
gives_back() {
    kill -KILL $hoarder
    reap $hoarder
    wait_for "! grep -q 'found late' $alice/.docfs/status"
}

# S33: where a device gets no instance of inotify, it looks for what others change, says so, and tries again
no_instance_is_left() {
    mkdir "$container" "$container/dir"
    hoards instances
    device alice --poll 0.5
    # Another story's daemon may give one back at that moment: then alice has it until she starts again.
    wait_for 'settled && sleep 0.5 && finds_late || { restart alice && false; }'
    names_limit max_user_instances
    write_to "$container/dir/doc" 'by another program'
    wait_for "grep -qx 'by another program' $alice/Cloud/dir/doc"
    gives_back
    write_to "$container/dir/doc" 'told of'
    wait_for "grep -qx 'told of' $alice/Cloud/dir/doc"
}

# S33: where it gets no watch for a directory, it looks for what others change there, says so, and tries again
no_watch_is_left() {
    device alice --poll 0.5
    settled
    hoards watches
    # Likewise: the next directory gets none.
    local number=0
    mkdir "$container/dir"
    wait_for 'mkdir "$container/dir/below$((number += 1))" && sleep 0.6 && finds_late'
    names_limit max_user_watches
    write_to "$container/dir/below$number/doc" 'by another program'
    wait_for "grep -qx 'by another program' $alice/Cloud/dir/below$number/doc"
    gives_back
    write_to "$container/dir/below$number/doc" 'told of'
    wait_for "grep -qx 'told of' $alice/Cloud/dir/below$number/doc"
}

# S33: what goes from new directories as soon as they are there is shown nowhere, whether they were made or moved in
gone_from_new_directories() {
    device alice
    settled
    gone_at_once_is_not_shown "$container"
}

# S12, S33, Root: nor where the folder may only be read
gone_from_new_directories_that_are_only_read() {
    mkdir -p disk
    touch disk/doc
    folder_is_seen_through ro
    device alice
    wait_for '[[ $(probe field "$alice" guarantee) == read-only* ]]'
    gone_at_once_is_not_shown "$STORY/disk"
    stop alice
    umount "$container"
    no_rest
}

# gone_at_once_is_not_shown FOLDER: another program moves directories in, makes others, and deletes a file of each.
gone_at_once_is_not_shown() {
    local folder=$1 number
    for number in {1..200}; do
        mkdir -p "tree/$number/below"
        touch "tree/$number/"{stays,goes} "tree/$number/below/"{stays,goes}
    done
    mv tree "$folder/moved"
    rm "$folder"/moved/*/goes "$folder"/moved/*/below/goes
    for number in {1..200}; do
        mkdir -p "$folder/made/$number/below"
        touch "$folder/made/$number/"{stays,goes} "$folder/made/$number/below/"{stays,goes}
        rm "$folder/made/$number/goes" "$folder/made/$number/below/goes"
    done
    names_in "$folder" >there
    wait_for 'cmp -s there <(names_in "$alice/Cloud")'
}

names_in() { (cd "$1" && find . -path ./.docfs -prune -o -print | sort); }
