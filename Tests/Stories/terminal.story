# What others chose for names and errors never reaches a terminal or a log as it is.

# All that ends a line, moves a cursor or turns the direction of writing, but NUL and the slash.
all_controls() {
    /usr/bin/python3 -IS -c 'print("".join(map(chr, [*range(1, 32), *range(127, 160),
        *range(0x2028, 0x202F), *range(0x2066, 0x206A)])), end="")'
}

forged='2026-01-01T00:00:00.000Z critical forged'
title=$'\e]0;PWN\a\e[31m'

# hostile_names: names that another device may choose.
hostile_names() {
    names=("$title.txt" $'line\n'"$forged" $'c1 \u009b31m\u0085' $'bidi \u202Egpj.\u2066\u2028' \
        $'tab\t\x7f' "$(all_controls)" $'lone \x9b31m' $'\e]0;dir\a')
}

# forge PYTHON: changes every record of the container, for each `change` in it, whose state is `after`;
# each tells of the one before as it is then.
forge() {
    /usr/bin/python3 -IS - "$1" "$container"/.docfs/log/*.json <<'PYTHON'
import hashlib, json, sys
statement, paths = sys.argv[1], sys.argv[2:]
previous = None
for path in paths:
    record = json.load(open(path))
    for change in record["changes"]:
        after = change.get("after") or {}
        exec(statement)
    if previous: record["previous"] = previous
    text = json.dumps(record)
    open(path, "w").write(text)
    previous = hashlib.sha256(text.encode()).hexdigest()
PYTHON
}

# said_by COMMAND…: what it says, without a terminal and on one, is clean; it may fail, and must end.
# shellcheck disable=SC2034 # the command is quoted for another shell
said_by() {
    local said=$STORY/said status=0
    timeout 60 "$@" >"$said" 2>&1 </dev/null || status=$?
    [[ $status != 12[47] ]] || fail "$* ended with $status"
    [[ -s $said ]] || fail "$*: said nothing"
    probe controls "$said" || fail "$*"
    NO_COLOR=1 timeout 60 script -qec "$(printf '%q ' "$@")" /dev/null >"$said" 2>&1 </dev/null ||
        status=$?
    [[ $status != 12[47] ]] || fail "$* on a terminal ended with $status"
    probe controls "$said" || fail "$* on a terminal"
}

# logs_are_clean NAME…: and nobody wrote a line of them but the daemon.
logs_are_clean() {
    local name
    for name in "$@"; do
        probe controls "$STORY/$name/log" || fail "the log of $name"
        ! grep "^$forged" "$STORY/$name/log" >&2 || fail "forged in the log of $name"
    done
}

# S35, Control: no verb and no control file lets a name, an error or a device's name act on a terminal
docfs_shows_names_safely() {
    needs script
    local names name path
    hostile_names
    printf '%s\n' '[types.note]' 'extension = "md"' 'name = "Note"' 'naming = "sequential"' >types.toml
    device alice
    mkdir "$alice/Cloud/${names[-1]}"
    for name in "${names[@]:0:${#names[@]}-1}"; do
        write_to "$alice/Cloud/$name" text
        write_to "$alice/Cloud/${names[-1]}/$name" text
        write_to "$alice/Cloud/deleted $name" text
    done
    settled
    for name in "${names[@]:0:${#names[@]}-1}"; do
        append_to "$alice/Cloud/$name" more
        rm "$alice/Cloud/deleted $name"
    done
    settled
    stop alice
    # Their bytes are not what they are said to be, and the device's name is none.
    forge 'record["name"] = "\x1b]0;PWN\x07\n\x9b31m"
if "size" in after and after["parent"] != "0" * 32: after["sha256"] = "0" * 64'
    device bob --config "$STORY/types.toml"
    wait_for '[[ $(ls -A "$bob/Cloud" | wc -l) -gt 7 ]]'
    # Whoever has read the log as it was would not go on in this one.
    rm -r alice/state
    mkdir alice/state
    start alice
    wait_for '[[ $(ls -A "$alice/Cloud" | wc -l) -gt 7 ]]'
    for name in "${names[@]:0:${#names[@]}-1}"; do
        cat "$bob/Cloud/$name" >/dev/null
        ! cat "$bob/Cloud/${names[-1]}/$name" 2>/dev/null || fail "read what is damaged"
    done
    offline alice bob
    for name in "${names[@]:0:${#names[@]}-1}"; do
        write_to "$alice/Cloud/$name" "alice $title $(all_controls)"
        write_to "$bob/Cloud/$name" "bob $title $(all_controls)"
    done
    pass_settle
    online alice
    settled
    online bob
    settled
    [[ $(wc -l <"$bob/.docfs/conflicts") -ge 7 ]] || fail "no conflicts: $(cat "$bob/.docfs/conflicts")"
    grep -q failures "$bob/.docfs/status" || fail 'nothing failed'

    timeout 600 "$DOCFS" watch "$bob" >watched 2>&1 &
    local watcher=$!
    timeout 600 "$DOCFS" watch --json "$bob" >watched.json 2>&1 &
    local other=$!
    sleep 0.5
    for name in status status.json conflicts check; do
        cat "$bob/.docfs/$name" >report
        probe controls report || fail ".docfs/$name"
    done
    cat "$bob/.docfs/items/$(ino "$bob/Cloud")/*" >report
    probe controls report || fail .docfs/items
    /usr/bin/python3 -IS -m json.tool <"$bob/.docfs/status.json" >/dev/null
    for name in "${names[@]}"; do
        path=$bob/Cloud/${names[-1]}/$name
        [[ ! -f $path ]] || attr "$path" error >report
        probe controls report || fail "user.docfs.error"
    done

    local every=("$bob/Cloud/"*) dir=$bob/Cloud/${names[-1]}
    said_by "$DOCFS" status "$bob"
    said_by "$DOCFS" status --json "$bob"
    said_by "$DOCFS" status "$dir" "${every[@]}"
    said_by "$DOCFS" status --json "$dir" "${every[@]}"
    said_by "$DOCFS" conflicts "$bob"
    said_by "$DOCFS" conflicts --json "$bob"
    NO_COLOR=1 SCREEN=screen probe typing 'd|s|q' "$DOCFS" resolve "$bob"
    grep -q Keep screen || fail 'no page of a conflict'
    probe controls screen || fail 'resolve on a terminal'
    said_by "$DOCFS" find "$bob/Cloud"
    said_by "$DOCFS" find --json "$bob/Cloud"
    said_by "$DOCFS" trash "$bob"
    said_by "$DOCFS" trash --json "$bob"
    said_by "$DOCFS" doctor "$bob"
    said_by "$DOCFS" doctor --json "$bob"
    said_by "$DOCFS" doctor --repair "$bob"
    said_by "$DOCFS" download "$bob/Cloud"
    said_by "$DOCFS" new note "$dir"
    said_by "$DOCFS" new "$title" "$dir"
    said_by "$DOCFS" prefer "$title"
    said_by "$DOCFS" flush --wait "$dir"
    for name in "${names[@]:0:${#names[@]}-1}"; do
        path=$bob/Cloud/$name
        said_by "$DOCFS" versions "$path"
        said_by "$DOCFS" versions --json "$path"
        said_by "$DOCFS" versions "$dir/absent $name"
        said_by "$DOCFS" restore "$path" --version 99
        said_by "$DOCFS" restore "$path" --version "$name"
        said_by "$DOCFS" restore "$path"
        said_by "$DOCFS" restore "$bob/Cloud/deleted $name"
        said_by "$DOCFS" evict "$path" "$dir/$name" "$dir/absent $name"
        said_by "$DOCFS" download "$dir/$name"
        said_by "$DOCFS" resolve --keep "$name" "$path"
        said_by "$DOCFS" resolve --keep current "$path" "$dir/absent $name"
        said_by "$DOCFS" pin "$dir/absent $name" "/tmp/$name"
        said_by "$DOCFS" unpin "$dir/absent $name"
        said_by "$DOCFS" flush "$dir/absent $name"
        said_by "$DOCFS" "$name"
        said_by "$DOCFS" find --state "$name" "--$name"
        said_by "$DOCFS" unmount "$dir/absent $name"
        said_by "$DOCFS_MOUNT" --state "$STORY/$name" --cloud "$name" "/tmp/absent/$name"
        said_by "$DOCFS_MOUNT" "--$name" "$name"
    done
    # Of everything that is a control, not one is shown, and each has its place.
    expect_equal "$("$DOCFS" status "/tmp/$(all_controls)" 2>&1)" \
        "docfs: /tmp/$(printf '?%.0s' {1..75}): is not in a mount of DocFS"
    # Programs get names as they are.
    [[ $("$DOCFS" find --null "$bob/Cloud" | tr -d '\0') == *"$title"* ]] || fail 'no name for xargs'
    settled
    kill -INT $watcher $other
    wait $watcher $other || true
    probe controls watched || fail watch
    probe controls watched.json || fail 'watch --json'
    [[ -s watched && -s watched.json ]] || fail 'nothing was watched'
    logs_are_clean alice bob
}

# S35, Control: what makes no sense in a record is told in words of ours
docfs_shows_records_safely() {
    needs script
    device alice
    write_to "$alice/Cloud/doc" text
    setfattr -n user.colour -v green "$alice/Cloud/doc"
    settled
    stop alice
    forge 'after["xattrs"] = {"user.\x1b]0;PWN\x07\n'"$forged"'\x9b31m": 7}'
    device bob
    wait_for 'grep -q xattrs "$STORY/bob/log" "$bob/.docfs/status"'
    local name
    for name in status status.json conflicts; do
        cat "$bob/.docfs/$name" >report
        probe controls report || fail ".docfs/$name"
    done
    said_by "$DOCFS" status "$bob"
    said_by "$DOCFS" status --json "$bob"
    said_by "$DOCFS" doctor "$bob"
    said_by "$DOCFS" doctor --json "$bob"
    ! grep -rq PWN "$bob/.docfs/status" "$STORY/bob/log" || fail 'told by a name of another device'
    no_rest
    logs_are_clean bob
}
