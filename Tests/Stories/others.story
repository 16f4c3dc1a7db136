# S2, S24: beside programs that know nothing of DocFS.

# arriving NAME: a document of alice's is on its way to Local, offline, under a name over which it was
# renamed or that was free.
arriving() {
    write_to "$bob/Cloud/$1" "from the cloud"
    wait_for "[[ -e $alice/Cloud/$1 ]]"
    offline alice
    mv "$alice/Cloud/$1" "$alice/Local/$1"
    plain=$STORY/alice/local
    cd "$plain"
}

two() {
    device alice
    device bob
}

# beside NAME: the conflict version of the document that has arrived.
beside() { ls -A "$plain" | grep -xF -- "$(ls -A "$plain" | grep "^${1%.*} (conflict from Cloud, ")"; }

# S2, S24: a document that arrives in Local leaves a file alone that another program has put there
# meanwhile, and lies beside it as a conflict version
arrival_beside_another_file() {
    two
    arriving x.txt
    expect_absent "$plain/x.txt"
    write_to "$plain/x.txt" "another program's"
    online alice
    wait_for "[[ \$(ls $plain | wc -l) == 2 ]]"
    expect_file "$plain/x.txt" "another program's"
    expect_file "$alice/Local/x.txt" "another program's"
    expect_file "$plain/$(beside x.txt)" 'from the cloud'
    expect_file "$alice/Local/$(beside x.txt)" 'from the cloud'
    settled
    expect_absent "$bob/Cloud/x.txt"
}

# S24: a document that was renamed over a file of Local takes its place when it arrives; written since by
# another program, the file stays
arrival_over_a_file() {
    two
    mkdir -p "$STORY/alice/local"
    write_to "$STORY/alice/local/old" 'to be replaced'
    write_to "$STORY/alice/local/edited" 'to be replaced too'
    write_to "$bob/Cloud/edited" 'from the cloud'
    wait_for "[[ -e $alice/Cloud/edited ]]"
    arriving old
    mv "$alice/Cloud/edited" "$alice/Local/edited"
    append_to "$plain/edited" 'edited since'
    online alice
    wait_for "[[ \$(cat $plain/old) == 'from the cloud' && \$(ls $plain | wc -l) == 3 ]]"
    expect_equal "$(cat "$plain/edited")" $'to be replaced too\nedited since'
    expect_file "$plain/$(beside edited)" 'from the cloud'
    settled
    expect_list "$bob/Cloud"
}

# S2: rm of a name that is on its way to Local removes nothing that another program has put there
# meanwhile, and does remove what the rename went over
arrival_is_removed() {
    two
    mkdir -p "$STORY/alice/local"
    write_to "$STORY/alice/local/old" 'to be replaced'
    write_to "$bob/Cloud/other" 'from the cloud'
    wait_for "[[ -e $alice/Cloud/other ]]"
    arriving old
    mv "$alice/Cloud/other" "$alice/Local/other"
    write_to "$plain/other" "another program's"
    rm "$alice/Local/old" "$alice/Local/other"
    expect_absent "$plain/old"
    [[ -e $plain/other ]] || bytes_fail "another program's file is gone"
    expect_file "$plain/other" "another program's"
    wait_for "[[ \$(cat $alice/Local/other) == \"another program's\" ]]"
    online alice
    settled
    expect_list "$bob/Cloud"
    expect_list "$plain" other
}

# S2: the same while many are on their way, and others arrive
many_arrivals_are_removed() {
    two
    local n
    for n in {100..160}; do write_to "$bob/Cloud/$n" 'from the cloud'; done
    wait_for "[[ \$(ls $alice/Cloud | wc -l) == 61 ]]"
    offline alice
    plain=$STORY/alice/local
    mv "$alice"/Cloud/* "$alice/Local"
    write_to "$plain/100" "another program's"
    for n in {160..101}; do
        # A link arrives without the container, and has all of them looked at soon.
        ln -s target "$alice/Cloud/link$n"
        mv "$alice/Cloud/link$n" "$alice/Local"
        rm "$alice/Local/$n"
    done
    rm "$alice/Local/100"
    [[ -e $plain/100 ]] || bytes_fail "another program's file is gone"
    online alice
    settled
    expect_list "$bob/Cloud"
}

# S2, S25: what is on its way to Local moves on, within Local or back into the container: what it was
# renamed over is gone, and what another program has put there stays
arrival_moves_on() {
    two
    mkdir -p "$STORY/alice/local"
    write_to "$STORY/alice/local/old" 'to be replaced'
    write_to "$STORY/alice/local/back" 'to be replaced'
    write_to "$bob/Cloud/back" 'from the cloud'
    write_to "$bob/Cloud/other" 'from the cloud'
    wait_for "[[ -e $alice/Cloud/back && -e $alice/Cloud/other ]]"
    arriving old
    mv "$alice/Cloud/back" "$alice/Cloud/other" "$alice/Local"
    write_to "$plain/other" "another program's"
    mv "$alice/Local/old" "$alice/Local/new"
    mv "$alice/Local/back" "$alice/Cloud/back"
    mv "$alice/Local/other" "$alice/Cloud/other"
    expect_absent "$plain/old"
    expect_absent "$plain/back"
    expect_file "$plain/other" "another program's"
    online alice
    wait_for "[[ \$(cat $plain/new) == 'from the cloud' ]]"
    settled
    expect_list "$plain" new other
    expect_list "$bob/Cloud" back other
}

# S2: links, pipes and directories leave another program's file alone too
arrival_of_other_kinds() {
    two
    ln -s target "$bob/Cloud/link"
    mkdir "$bob/Cloud/dir"
    write_to "$bob/Cloud/dir/doc" 'from the cloud'
    write_to "$bob/Cloud/dir/other" 'from the cloud'
    wait_for "[[ -L $alice/Cloud/link && -e $alice/Cloud/dir/other ]]"
    arriving doc
    mv "$alice/Cloud/link" "$alice/Cloud/dir" "$alice/Local"
    # Links and directories need no download: they are there at once.
    wait_for "[[ -L $plain/link && -d $plain/dir ]]"
    write_to "$plain/dir/doc" "another program's"
    online alice
    wait_for "[[ \$(cat $plain/dir/other) == 'from the cloud' && \$(ls $plain/dir | wc -l) == 3 ]]"
    expect_file "$plain/dir/doc" "another program's"
    settled
}

# writes_into FILE: a program outside the mount that has FILE open, and appends a line each time it is
# told to.
writes_into() {
    coproc writer { exec 3>>"$1"; while read -r line; do printf '%s\n' "$line" >&3; echo done; done; }
}

# says_to_file LINE: has it write one.
says_to_file() {
    local answer
    echo "$1" >&"${writer[1]}"
    read -r -t $patience answer <&"${writer[0]}" || fail 'the program outside does not answer'
}

# S2, S24: a program that has a file of the plain directory open goes on writing into it after the file
# has moved into a container: all lines are there, on all devices, also those that a user adds
outside_writer_of_a_moved_file() {
    two
    write_to "$STORY/alice/local/app.log" 'line 1'
    writes_into "$STORY/alice/local/app.log"
    says_to_file 'line 2'
    mv "$alice/Local/app.log" "$alice/Cloud/app.log"
    wait_for "[[ \$(cat $bob/Cloud/app.log 2>&1) == *'line 2' ]]"
    says_to_file 'line 3'
    wait_for "[[ \$(cat $alice/Cloud/app.log) == *'line 3' ]]"
    append_to "$alice/Cloud/app.log" 'by the user'
    says_to_file 'line 4'
    wait_for "[[ \$(wc -l <$alice/Cloud/app.log) == 5 ]]"
    exec {writer[1]}>&-
    wait "$writer_PID" || true
    wait_for "cmp -s $alice/Cloud/app.log $bob/Cloud/app.log"
    settled
    expect_equal "$(sort "$bob/Cloud/app.log" | tr '\n' ';')" \
        'by the user;line 1;line 2;line 3;line 4;'
    expect_equal "$(tail -n +1 "$bob/Cloud/app.log" | grep -c line)" 4
}

# S2, S13: the same when the daemon dies meanwhile: what was written while there was none is there too
outside_writer_survives_the_daemon() {
    two
    write_to "$STORY/alice/local/app.log" 'line 1'
    writes_into "$STORY/alice/local/app.log"
    mv "$alice/Local/app.log" "$alice/Cloud/app.log"
    wait_for "[[ -e $bob/Cloud/app.log ]]"
    says_to_file 'line 2'
    kill9 alice
    says_to_file 'line 3'
    start alice
    says_to_file 'line 4'
    wait_for "[[ \$(wc -l <$alice/Cloud/app.log) == 4 ]]"
    exec {writer[1]}>&-
    wait "$writer_PID" || true
    wait_for "cmp -s $alice/Cloud/app.log $bob/Cloud/app.log"
    settled
    expect_equal "$(tr '\n' ';' <"$bob/Cloud/app.log")" 'line 1;line 2;line 3;line 4;'
}

# makes_files DIRECTORY COUNT: a program that works in a directory, as unzip and make do.
makes_files() {
    (
        cd "$1"
        mkdir below
        exec 3<below
        echo ready >"$STORY/ready"
        for i in $(seq "$2"); do
            echo "text $i" >"file $i"
            ((i % 3 != 0)) || echo "text $i" >"below/file $i"
            ((i % 50 != 0)) || { mkdir "made $i" && echo "text $i" >"made $i/file"; }
            sleep 0.01
        done
        echo more >"file 1"
    ) &
    works=$!
    wait_for "[[ -e $STORY/ready ]]"
}

# all_made COUNT: what makes_files made is there, each file with its text.
all_made() {
    local i
    for i in $(seq 2 "$1"); do
        expect_file "$alice/Cloud/d/file $i" "text $i"
        ((i % 3 != 0)) || expect_file "$alice/Cloud/d/below/file $i" "text $i"
        ((i % 50 != 0)) || expect_file "$alice/Cloud/d/made $i/file" "text $i"
    done
    # Written again when it had moved away: nothing is replaced by that.
    grep -qx more "$alice/Cloud/d/file 1"* || fail 'what was written last is not there'
}

# S24: a directory of Local moves into a container while a program works in it: everything that it makes
# is there in the end, and nothing stays hidden
busy_directory_moves() {
    two
    mkdir "$STORY/alice/local/d"
    makes_files "$STORY/alice/local/d" 300
    sleep 0.5
    mv "$alice/Local/d" "$alice/Cloud/d"
    wait "$works" || fail 'the program could not go on'
    wait_for "[[ \$(find $alice/Cloud/d -type f | wc -l) -ge 406 ]]"
    wait_for "[[ -z \$(find $STORY/alice/local/.docfs/*/moving -mindepth 1) ]]"
    all_made 300
    settled
    same_trees alice bob
}

# S24, S13: the same when the daemon dies while the program works
busy_directory_survives_the_daemon() {
    two
    mkdir "$STORY/alice/local/d"
    makes_files "$STORY/alice/local/d" 300
    mv "$alice/Local/d" "$alice/Cloud/d"
    sleep 1
    kill9 alice
    sleep 0.5
    start alice
    wait "$works" || fail 'the program could not go on'
    wait_for "[[ \$(find $alice/Cloud/d -type f | wc -l) -ge 406 ]]"
    wait_for "[[ -z \$(find $STORY/alice/local/.docfs/*/moving -mindepth 1) ]]"
    all_made 300
    settled
    same_trees alice bob
}

# S24: a program that appends to a file by its name, in a directory that has moved, loses no line: what it
# makes under a name that the container has comes beside it
appended_by_name() {
    two
    mkdir "$STORY/alice/local/d"
    write_to "$STORY/alice/local/d/log" 'line 0'
    (
        cd "$STORY/alice/local/d"
        echo ready >"$STORY/ready"
        for i in {1..60}; do echo "line $i" >>log && sleep 0.1; done
    ) &
    local works=$!
    wait_for "[[ -e $STORY/ready ]]"
    sleep 0.5
    mv "$alice/Local/d" "$alice/Cloud/d"
    wait "$works" || fail 'the program could not go on'
    wait_for "[[ -z \$(find $STORY/alice/local/.docfs/*/moving -mindepth 1) ]]"
    expect_equal "$(cat "$alice/Cloud/d/log"* | sort -u | wc -l)" 61 'lines'
    settled
    same_trees alice bob
}

# S24: what a user removes or renames in a directory that has just moved does not come back, and a file
# where a directory was keeps no daemon from starting
moved_directory_is_changed_at_once() {
    two
    mkdir -p "$STORY/alice/local/d/sub/deep" "$STORY/alice/local/d/other"
    write_to "$STORY/alice/local/d/other/doc" text
    (cd "$STORY/alice/local/d" && echo ready >"$STORY/ready" && until [[ -e $STORY/go ]]; do sleep 0.05; done &&
        rmdir other && echo new >other) &
    local works=$!
    echo $works >>"$STORY/pids"
    wait_for "[[ -e $STORY/ready ]]"
    mv "$alice/Local/d" "$alice/Cloud/d"
    rm -r "$alice/Cloud/d/sub"
    mv "$alice/Cloud/d/other" "$alice/Cloud/d/renamed"
    sleep 2
    expect_list "$alice/Cloud/d" renamed
    wait_for "[[ -z \$(find $STORY/alice/local/.docfs/*/moving -path '*/other/*') ]]"
    touch go
    wait "$works" || fail 'the program could not go on'
    wait_for "grep -rqx new $alice/Cloud/d"
    expect_file "$alice/Cloud/d/renamed/doc" text
    restart alice
    expect_absent "$alice/Cloud/d/sub"
    settled
    same_trees alice bob
}

# S33: a container's folder in that of another one is refused with a sentence, and what the inner one
# keeps for itself is no content of the outer one
container_in_a_container() {
    device carol
    write_to "$carol/Cloud/of the inner one" text
    settled
    stop carol
    mkdir outer outer/dir
    mv "$container" outer/inner
    ln -s outer "$container"
    rm carol/container
    device alice
    device bob
    unset 'devices[0]'
    wait_for '[[ -e "$bob/Cloud/inner/of the inner one" ]]'
    settled
    expect_file "$bob/Cloud/inner/of the inner one" text
    expect_list "$bob/Cloud/inner" 'of the inner one'
    expect_absent "$bob/Cloud/inner/.docfs"
    ln -sfn ../outer/inner carol/container
    start carol
    wait_for "grep -q '^Cloud: offline: .*/container lies in the folder of another container, .*/outer' $carol/.docfs/status"
    refused EPERM mkdir "$alice/Cloud/dir/.docfs"
    refused EPERM mv "$alice/Cloud/inner/of the inner one" "$alice/Cloud/dir/.docfs"
    mkdir -p "$alice/Local/tree/.docfs"
    write_to "$alice/Local/tree/.docfs/container.json" "another's"
    write_to "$alice/Local/tree/doc" text
    mv "$alice/Local/tree" "$alice/Cloud/tree"
    settled
    expect_file "$bob/Cloud/tree/doc" text
    expect_absent "$bob/Cloud/tree/.docfs"
    expect_file "$alice/Cloud/tree/.docfs/container.json" "another's"
    no_rest
}

# about_file FILE: what must not change when another name of it moves away.
about_file() { stat -c '%a %u:%g %s %.9Y %i' "$1"; }

# S24, S31: a file of Local that has several names moves into a container: the document has bytes of its
# own, and what has the other names stays as it was, whoever writes into either
linked_file_moves() {
    two
    plain=$STORY/alice/local
    write_to "$plain/one" linked
    chmod 640 "$plain/one"
    touch -d '2001-02-03 04:05:06.789' "$plain/one"
    ln "$plain/one" "$plain/two"
    local before times
    before=$(about_file "$plain/two")
    times=$(mtime "$plain/one")
    # The kernel knows both names.
    expect_file "$alice/Local/one" linked
    expect_file "$alice/Local/two" linked
    mv "$alice/Local/one" "$alice/Cloud/doc"
    expect_equal "$(stat -c %a "$alice/Cloud/doc")" 640
    expect_equal "$(mtime "$alice/Cloud/doc")" "$times"
    expect_file "$alice/Cloud/doc" linked
    mv "$alice/Cloud/doc" "$alice/Cloud/renamed"
    echo over >"$alice/Cloud/renamed"
    expect_file "$plain/two" linked
    expect_file "$alice/Local/two" linked
    expect_equal "$(about_file "$plain/two")" "$before" 'the other name'
    write_to "$plain/two" 'in Local'
    expect_file "$alice/Cloud/renamed" over
    settled
    expect_file "$bob/Cloud/renamed" over
    wait_for "[[ \$(stat -c %h $plain/two) == 1 ]]"
    expect_list "$plain" two
    [[ -z $(find "$plain/.docfs" -name 'linked-*') ]] || fail 'a name is left over'
}

# S24, S31: who has such a file open, in the mount or outside, goes on writing where it did
linked_file_is_open() {
    two
    plain=$STORY/alice/local
    write_to "$plain/one" 'line 1'
    ln "$plain/one" "$plain/two"
    writes_into "$plain/one"
    exec 4>>"$alice/Local/one"
    mv "$alice/Local/one" "$alice/Cloud/doc"
    wait_for "[[ \$(stat -c %h $plain/two) == 1 ]]"
    says_to_file 'line 2'
    echo 'line 3' >&4
    exec 4>&-
    exec {writer[1]}>&-
    wait "$writer_PID" || true
    expect_equal "$(tr '\n' ';' <"$plain/two")" 'line 1;line 2;line 3;'
    expect_equal "$(tr '\n' ';' <"$alice/Local/two")" 'line 1;line 2;line 3;'
    expect_file "$alice/Cloud/doc" 'line 1'
    settled
    expect_file "$bob/Cloud/doc" 'line 1'
}

# S24, S31: a directory with files of several names in it moves: each name is a document of its own
linked_files_in_a_directory() {
    two
    plain=$STORY/alice/local
    mkdir -p "$plain/d/objects"
    write_to "$plain/d/a" pair
    ln "$plain/d/a" "$plain/d/b"
    write_to "$plain/outside" shared
    ln "$plain/outside" "$plain/d/objects/inside"
    ln -s a "$plain/d/link"
    ln "$plain/d/link" "$plain/link"
    for i in {1..100}; do
        write_to "$plain/d/objects/$i" "object $i"
        ln "$plain/d/objects/$i" "$plain/d/$i"
    done
    local before
    before=$(about_file "$plain/outside")
    ls -lR "$alice/Local" >/dev/null
    mv "$alice/Local/d" "$alice/Cloud/d"
    append_to "$alice/Cloud/d/a" more
    expect_file "$alice/Cloud/d/b" pair
    append_to "$alice/Cloud/d/objects/inside" more
    expect_file "$plain/outside" shared
    expect_equal "$(about_file "$plain/outside")" "$before" 'the name that stays'
    expect_equal "$(readlink "$alice/Local/link")" a
    settled
    same_trees alice bob
    expect_equal "$(cat "$bob/Cloud/d/a")" $'pair\nmore'
    expect_equal "$(cat "$bob/Cloud/d/objects/inside")" $'shared\nmore'
    expect_equal "$(find "$bob/Cloud/d" -type f | wc -l)" 203
    cat "$bob"/Cloud/d/{1..100} | cmp - <(for i in {1..100}; do echo "object $i"; done)
    wait_for "[[ -z \$(find $plain/.docfs -name 'linked-*') ]]"
    expect_list "$plain" link outside
}

# S13, S24, S31: the same, killed at each step of it: nothing is lost, and the other name stays
linked_file_survives_the_daemon() {
    two
    plain=$STORY/alice/local
    scenario() {
        big "$plain/one $1" 3 "$1"
        ln "$plain/one $1" "$plain/two $1"
        mkdir "$plain/d $1"
        ln "$plain/two $1" "$plain/d $1/three"
        armed alice "$1"
        probe rename "$alice/Local/one $1" "$alice/Cloud/doc $1" 2>/dev/null ||
            wait_for "! runs alice"
        ! runs alice 2>/dev/null || probe rename "$alice/Local/d $1" "$alice/Cloud/d $1" || true
        died alice
        [[ -e "$alice/Cloud/doc $1" ]] || mv "$alice/Local/one $1" "$alice/Cloud/doc $1"
        [[ -e "$alice/Cloud/d $1" ]] || mv "$alice/Local/d $1" "$alice/Cloud/d $1"
        settled
        cmp "$plain/two $1" "$bob/Cloud/doc $1"
        cmp "$plain/two $1" "$alice/Cloud/doc $1"
        cmp "$plain/two $1" "$bob/Cloud/d $1/three"
        wait_for "[[ \$(stat -c %h '$plain/two $1') == 1 ]]"
        expect_equal "$(stat -c %a "$plain/two $1")" 644
        append_to "$alice/Cloud/doc $1" more
        expect_equal "$(stat -c %s "$plain/two $1")" $((3 << 20))
    }
    at_each scenario importNoted importDetached importNamed importAdopting importAdopted \
        hydrationFetched hydrationVerified hydrationRecorded
}
