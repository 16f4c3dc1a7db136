# S35: somebody writes the container who keeps no rule.

root_item=00000000000000000000000000000000

# forge CHANGES: appends a record that nobody of ours writes; jq-like pieces come as they are.
forge() {
    local last next
    last=$(basename "$(last_record)" .json)
    next=$(printf '%016d' $((10#$last + 1)))
    printf '{"v":2,"device":"%s","name":"eve","time":1,"previous":"%s","changes":[%s]}' \
        eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee \
        "$(sha256sum "$container/.docfs/log/$last.json" | cut -d' ' -f1)" "$1" >"$container/.docfs/tmp/forged"
    mv "$container/.docfs/tmp/forged" "$container/.docfs/log/$next.json"
    forged=$((10#$next))
}

# entry ID PARENT NAME KIND [MORE]: a change that makes an item.
entry() {
    printf '{"op":"%s","item":"%s","after":{"parent":"%s","name":"%s","kind":"%s","mode":493,%s%s}}' \
        "$1" "$1" "$2" "$3" "$4" '"mtime":[1,2]' "${5-}"
}

# id NUMBER: an identity.
id() { printf '%032x' "$1"; }

# file ID NAME SIZE [MTIME]: a change that makes a document in the root.
file() { entry "$(id "$1")" "$root_item" "$2" file ",\"size\":$3,\"rev\":\"r\""; }

# Two devices that know a container, and a document of each.
two_devices() {
    device alice
    device bob
    write_to "$alice/Cloud/alices" text
    write_to "$bob/Cloud/bobs" text
    settled
}

# Both devices live, agree, and take edits; so does one that is new.
expect_all_well() {
    write_to "$alice/Local/here" local
    write_to "$alice/Cloud/later" "$1"
    device carol
    local name
    for name in alice bob carol; do wait_for "[[ \$(cat ${!name}/Cloud/later 2>&1) == '$1' ]]"; done
    restart alice bob
    wait_for '! is_away alice && ! is_away bob'
    settled
    expect_file "$alice/Cloud/alices" text
    same_trees alice bob
    same_trees alice carol
}

# S35: a record with values that nothing can hold ends no daemon, now or later: what breaks a rule is
# set aside, named in status and by docfs doctor, and the rest of the record counts
hostile_values() {
    two_devices
    forge "$(file 1 huge 18446744073709551615),$(file 2 bigger 9223372036854775808),$(
        entry "$(id 3)" "$root_item" early directory | sed 's/\[1,2\]/[-9223372036854775808,0]/'
    ),$(entry "$root_item" "$root_item" r directory),$(
        entry "$(id 4)" "$root_item" .docfs directory
    ),7,{},$(entry "$(id 5)" "$root_item" harmless directory)"
    mkdir "$container/harmless"
    wait_for "[[ -d $alice/Cloud/harmless && -d $bob/Cloud/harmless ]]"
    expect_all_well one
    expect_list "$alice/Cloud" alices bobs harmless later
    wait_for "grep -q '^  set aside  7 changes' $alice/.docfs/status"
    grep -q "^    record $forged, change 1: a size is none that a file has" "$alice/.docfs/status" ||
        fail "$(cat "$alice/.docfs/status")"
    expect_equal "$(jq '.scopes[0].setAside | length' "$alice/.docfs/status.json")" 7
    docfs doctor "$alice" >doctor || true
    grep -q "set aside: record $forged, change 4: an identity is no item's" doctor || fail "$(cat doctor)"
    # mv can do the container's own directory no harm.
    refused ENOENT mv "$alice/Cloud/.docfs" "$alice/Cloud/gone" || true
    [[ -d $container/.docfs/log ]] || fail 'the directory of the container is gone'
}

# S35: a time that an unprivileged program may set with utimensat(2) is shown and sent as the nearest
# that a calendar has; no device falls over it
hostile_times() {
    two_devices
    touch "$alice/Cloud/old" "$alice/Cloud/new"
    /usr/bin/python3 -IS - "$alice/Cloud" <<'PYTHON'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for name, second in (("old", -2**63), ("new", 2**63 - 1)):
    times = (ctypes.c_int64 * 4)(second, 0, second, 0)
    path = os.fsencode(os.path.join(sys.argv[1], name))
    if libc.utimensat(-100, path, times, 0) != 0:
        sys.exit(f"{name}: {os.strerror(ctypes.get_errno())}")
PYTHON
    settled
    expect_equal "$(stat -c %Y "$alice/Cloud/old")" -62135596800
    for name in alice bob; do
        docfs find "${!name}" --name old --json >found
        expect_equal "$(jq -r .modified found)" 0001-01-01T00:00:00.000000000Z
        docfs find "${!name}" --name new --json >found
        expect_equal "$(jq -r .modified found)" 9999-12-31T23:59:59.000000000Z
    done
    expect_all_well one
}

# S35: directories in each other by the thousand end at the depth that a container may have, for all
# devices alike, and nobody works for long on them
hostile_depth() {
    two_devices
    local number parent=$root_item changes=
    for number in $(seq 3000 -1 1); do
        changes+=,$(entry "$(id "$number")" "$parent" d directory)
        parent=$(id "$number")
        ((number % 1000 != 1)) || { forge "${changes#,}" && changes=; }
    done
    mkdir -p "$container$(printf '/d%.0s' {1..511})"
    wait_for "[[ -d $alice/Cloud/d/d/d/d/d ]]"
    expect_all_well one
    expect_equal "$(find "$alice/Cloud" -type d -name d | wc -l)" 511
}

# S35: a record as large as one may be costs little memory; a larger one puts the container offline, by
# a sentence, and nothing else
hostile_size() {
    two_devices
    # What nobody knows is read over: many small values take the most memory.
    forge "$(/usr/bin/python3 -IS -c 'print("{\"junk\":[" + "1," * 1000000 + "1]}")'),$(file 1 small 0)"
    wait_for "[[ -e $bob/Cloud/small ]]"
    local name peak
    for name in alice bob; do
        peak=$(awk '/^VmHWM/ { print $2 }' "/proc/${process[$name]}/status")
        ((peak < 102400)) || fail "$name took $peak KiB"
    done
    expect_all_well one
    forge "\"$(printf '%*s' 3000000 '')\""
    wait_for 'is_away alice && is_away bob'
    grep -q 'offline: .*too large' "$alice/.docfs/status" || fail "$(cat "$alice/.docfs/status")"
    write_to "$alice/Local/more" local
    expect_file "$alice/Cloud/alices" text
    no_rest
}

# S35: a snapshot in which directories hold each other puts the container offline; names can be made
# and removed meanwhile, and the daemon ends when it is asked to
hostile_snapshot() {
    two_devices
    local page digest directory=.docfs/snapshots/0000000000100000-$(id 1)
    page=$(printf '{"v":2,"items":[%s,%s],"versions":[],"trash":[],"leftovers":[]}' \
        "$(entry "$(id 1)" "$(id 2)" a directory | sed 's/"op":"[^"]*",//; s/"after"/"state"/')" \
        "$(entry "$(id 2)" "$(id 1)" b directory | sed 's/"op":"[^"]*",//; s/"after"/"state"/')")
    digest=$(printf %s "$page" | sha256sum | cut -d' ' -f1)
    mkdir -p "$container/$directory"
    printf %s "$page" >"$container/$directory/0000000000000000.json"
    printf '{"v":2,"floor":100001,"record":100000,"digest":"%s","directory":"%s","pages":["%s"]}' \
        "$digest" "$directory" "$digest" >"$container/.docfs/floor.json"
    restart alice
    wait_for 'is_away alice'
    wait_for "grep -q 'offline: .*snapshot' $alice/.docfs/status"
    mkdir "$alice/Cloud/new"
    rm "$alice/Cloud/bobs"
    expect_file "$alice/Cloud/alices" text
    restart alice
    rm "$container/.docfs/floor.json"
    wait_for '! is_away alice'
    settled
    expect_absent "$bob/Cloud/bobs"
    same_trees alice bob
}
