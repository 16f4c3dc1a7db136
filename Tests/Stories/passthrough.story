# Files that the kernel reads and writes by itself. Where it does not, they hold all the same.

# say WORDS…: one command for `probe hands`; its answer is in $answer.
say() {
    [[ -n ${hands_PID:-} ]] || coproc hands { probe hands; }
    printf '%s\n' "$*" >&"${hands[1]}"
    read -r -t $patience answer <&"${hands[0]}" || fail "no answer to: $*"
    [[ $answer != error:* ]] || fail "$*: $answer"
}

# says WORDS… = ANSWER
says() {
    say "${@:1:$#-2}"
    expect_equal "$answer" "${*: -1}" "${*:1:$#-2}"
}

# passes NAME: the device's log says that the first file was passed through.
passes() {
    : >"$STORY/$1/mnt/Local/first"
    grep -q 'files are passed through' "$STORY/$1/log"
}

# Control, Root: a privileged daemon is not asked for the bytes of files that are here
bytes_without_the_daemon() {
    ((EUID == 0)) || skip 'not root here'
    device alice
    passes alice || skip 'the kernel passes nothing through here'
    big "$alice/Local/doc" 4 local
    big "$alice/Cloud/doc" 4 cloud
    settled
    say open l "$alice/Local/doc" rw
    say open c "$alice/Cloud/doc" r
    # The first write asks for security.capability.
    say write l 0 text
    kill -STOP "${process[alice]}"
    says read l 3072000 16 = "local 0000003000"
    says read c 3072000 16 = "cloud 0000003000"
    says write l 4194304 more = 4
    says read l 4194304 4 = more
    kill -CONT "${process[alice]}"
    expect_equal "$(stat -c %s "$alice/Local/doc")" $(((4 << 20) + 4))
}

# S2: with --passthrough=off all is served
served_where_nothing_passes() {
    device alice --passthrough=off
    ! grep -q 'passed through' "$STORY/alice/log" || fail 'the log talks of what was switched off'
    big "$alice/Local/doc" 1 local
    cmp "$alice/Local/doc" "$STORY/alice/local/doc"
    write_to "$alice/Cloud/doc" one
    say open a "$alice/Cloud/doc" r
    say open b "$alice/Cloud/doc" rw
    say map b m rw
    say poke m 0 ONE
    says read a 0 3 = ONE
    say unmap m
    say close a
    say close b
    settled
    expect_file "$alice/Cloud/doc" ONE
}

# S5, Root: what is opened as a placeholder, and again once it is here, can be mapped both times
placeholder_and_document() {
    device alice
    device bob
    printf '%8192s' '' | tr ' ' x >"$alice/Cloud/doc"
    settled
    expect_placeholder "$bob/Cloud/doc"
    say open a "$bob/Cloud/doc" r
    setfattr -n user.docfs.download -v current "$bob/Cloud/doc"
    wait_for '[[ $(attr "$bob/Cloud/doc" download) == current ]]'
    say open b "$bob/Cloud/doc" r
    say map a ma r
    say map b mb r
    says peek ma 4000 4 = xxxx
    says peek mb 4000 4 = xxxx
    say open c "$bob/Cloud/doc" rw
    say map c mc rw
    say write c 4000 yyyy
    says read a 4000 4 = yyyy
    says read b 4000 4 = yyyy
    says peek ma 4000 4 = yyyy
    say poke mc 4000 zzzz
    says read b 4000 4 = zzzz
    says peek mb 4000 4 = zzzz
    for name in ma mb mc; do say unmap $name; done
    for name in a b c; do say close $name; done
    say open d "$bob/Cloud/doc" r
    say map d md r
    says peek md 4000 4 = zzzz
    settled
    same_trees alice bob
}

# S14, Root: what is written past the daemon, by whatever way, shows at once and is sent
writer_beside_a_reader() {
    device alice
    device bob
    printf '%8192s' '' | tr ' ' x >"$alice/Cloud/doc"
    settled
    local before
    before=$(stat -c %.9Y "$alice/Cloud/doc")
    say open r "$alice/Cloud/doc" r
    say open w "$alice/Cloud/doc" rw
    expect_equal "$(stat -c %.9Y "$alice/Cloud/doc")" "$before" 'time after an open'
    say map w m rw
    say poke m 100 mapped
    says read r 100 6 = mapped
    expect_equal "$(dd if="$alice/Cloud/doc" bs=1 skip=100 count=6 status=none)" mapped
    [[ $(stat -c %.9Y "$alice/Cloud/doc") != "$before" ]] || fail 'the time stood still'
    say write w 8192 written
    says size r = 8199
    expect_equal "$(stat -c %s "$alice/Cloud/doc")" 8199
    # The mapping outlives its handle.
    say close w
    if passes alice; then wait_for "grep -q written $bob/Cloud/doc"; fi
    say poke m 200 later
    says read r 200 5 = later
    say unmap m
    say close r
    wait_for "grep -q later $bob/Cloud/doc"
    settled
    same_trees alice bob
    grep -q mapped "$bob/Cloud/doc"
    expect_no_conflict "$alice/Cloud/doc"
}

# S14, Root: who opens for writing and writes nothing makes no version, and moves no time
writer_who_writes_nothing() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" text
    settled
    local before record
    before=$(mtime "$alice/Cloud/doc")
    record=$(last_record)
    say open r "$alice/Cloud/doc" r
    say open w "$alice/Cloud/doc" rw
    say map w m rw
    say close w
    say unmap m
    say close r
    pass_settle
    settled
    expect_equal "$(last_record)" "$record" 'the newest record'
    expect_equal "$(mtime "$alice/Cloud/doc")" "$before" 'modification time'
    # And nobody takes it for open.
    write_to "$bob/Cloud/doc" 'new text'
    wait_for "grep -q new $alice/Cloud/doc"
    settled
    same_trees alice bob
}

# S13, Root: what is written past the daemon survives kill -9, and is sent
writer_and_kill() {
    device alice
    device bob
    printf '%8192s' '' | tr ' ' x >"$alice/Cloud/doc"
    settled
    say open r "$alice/Cloud/doc" r
    say open w "$alice/Cloud/doc" rw
    say map w m rw
    say poke m 10 edited
    # Where the kernel keeps the pages for us, only this hands them over.
    say sync w
    kill9 alice
    kill "$hands_PID"
    restart alice
    settled
    expect_equal "$(dd if="$alice/Cloud/doc" bs=1 skip=10 count=6 status=none)" edited
    same_trees alice bob
}

# S24, Root: a file that is open for writing goes on in the cloud, and back
writer_moves() {
    device alice
    device bob
    printf 'one,' >"$alice/Local/doc"
    say open w "$alice/Local/doc" a
    say open m "$alice/Local/doc" rw
    say append w two,
    mv "$alice/Local/doc" "$alice/Cloud/doc"
    say append w three,
    expect_equal "$(cat "$alice/Cloud/doc")" one,two,three,
    expect_equal "$(stat -c %s "$alice/Cloud/doc")" 14
    say close w
    say map m map rw
    say close m
    say poke map 0 ONE
    say unmap map
    settled
    expect_equal "$(cat "$bob/Cloud/doc")" ONE,two,three,
    same_trees alice bob
    say open r "$alice/Cloud/doc" r
    say open w "$alice/Cloud/doc" rw
    mv "$alice/Cloud/doc" "$alice/Local/back"
    wait_for "[[ -e $STORY/alice/local/back ]]"
    say write w 14 four,
    say map w map rw
    say poke map 4 TWO
    says read r 0 19 = ONE,TWO,three,four,
    say close w
    expect_equal "$(cat "$STORY/alice/local/back")" ONE,TWO,three,four,
    expect_equal "$(cat "$alice/Local/back")" ONE,TWO,three,four,
    say unmap map
    say close r
    settled
    expect_absent "$container/doc"
}

# S24, Root: a file that was mapped for writing before it moved in is sent with all that is written
mapping_moves() {
    device alice
    device bob
    mkdir "$alice/Local/d"
    printf '%8192s' '' | tr ' ' x >"$alice/Local/d/doc"
    say open w "$alice/Local/d/doc" rw
    say map w m rw
    say close w
    mv "$alice/Local/d" "$alice/Cloud/"
    pass_settle
    say poke m 50 edited
    say unmap m
    wait_for "grep -q edited $bob/Cloud/d/doc"
    settled
    same_trees alice bob
}

# S31, Root: set-id bits go with the first write of an ordinary user, however old the handle
set_id_bits_past_the_daemon() {
    ((EUID == 0)) && setpriv --reuid 65534 --clear-groups true 2>/dev/null || skip 'not root here'
    chmod 755 "$STORY" "${STORY%/*}"
    device alice --allow-other
    write_to "$alice/Local/doc" text
    chmod 6777 "$alice/Local/doc"
    setpriv --reuid 65534 --regid 65534 --clear-groups dd if=/dev/zero of="$alice/Local/doc" bs=1 \
        count=1 conv=notrunc status=none
    expect_equal "$(stat -c %a "$STORY/alice/local/doc")" 777
    chmod 777 "$alice/Local/doc"
    # shellcheck disable=SC2016 # for the inner shell
    setpriv --reuid 65534 --regid 65534 --clear-groups bash -c '
        exec 3<>"$1"; echo ready; read -r; echo more >&3' - "$alice/Local/doc" \
        < <(until [[ -e $STORY/go ]]; do sleep 0.05; done; echo go) >"$STORY/said" &
    local writer=$!
    wait_for "grep -q ready $STORY/said"
    chmod 6777 "$alice/Local/doc"
    touch "$STORY/go"
    wait $writer
    expect_equal "$(stat -c %a "$STORY/alice/local/doc")" 777 'after a write by an old handle'
}

# S5, Root: many programs open, map, read and write the same files at once, and no call fails
mixed_opens_at_once() {
    device alice
    device bob
    probe mixed-opens 5 "$alice/Local/a" "$alice/Local/b" "$alice/Cloud/a" "$alice/Cloud/b"
    settled
    same_trees alice bob
    cmp "$alice/Local/a" "$STORY/alice/local/a"
}
