# S8: what was written into a placeholder whose body is nowhere any more.

# remnant_of PATH DEVICE: prints the one document that holds what was written on DEVICE into PATH.
remnant_of() {
    local found
    found=$(find "${1%/*}" -name "${1##*/} (conflict from $2, only what was written, *")
    [[ -n $found && $(wc -l <<<"$found") == 1 ]] || fail "wanted one remnant of $1, saw '$found'"
    printf '%s\n' "$found"
}

# written_to_a_placeholder COMMAND: bob appends to a document whose bytes he does not have, and COMMAND
# does something to it in the folder before he could fetch them.
written_to_a_placeholder() {
    device alice
    device bob
    write_to "$container/doc" 'version one'
    wait_for "[[ -e $alice/Cloud/doc && -e $bob/Cloud/doc ]]"
    expect_placeholder "$bob/Cloud/doc"
    offline bob
    append_to "$bob/Cloud/doc" 'by bob'
    eval "$1"
    online bob
    wait_for "[[ -n \$(find $bob/Cloud -name '*only what was written*') ]]"
    settled
    local name
    for name in alice bob; do
        expect_file "$(remnant_of "${!name}/Cloud/doc" bob)" 'by bob'
    done
    [[ $(attr "$(remnant_of "$bob/Cloud/doc" bob)" error) == *'nowhere any more'* ]] ||
        fail 'bob does not say what is missing'
    same_trees alice bob
    expect_equal "$(probe field "$bob" pending)" 0
}

# S8: what was appended to a document whose bytes another program replaced meanwhile is a document of its
# own, on all devices, and says that the rest is missing
append_to_what_is_replaced() {
    written_to_a_placeholder 'write_to new replaced && mv new "$container/doc"'
    expect_file "$alice/Cloud/doc" replaced
    expect_file "$bob/Cloud/doc" replaced
    expect_equal "$(attr "$bob/Cloud/doc" conflicts)" 1
    rm "$(remnant_of "$alice/Cloud/doc" bob)"
    settled
    expect_list "$bob/Cloud" doc
}

# S8: the same where it only grew
append_to_what_has_grown() {
    written_to_a_placeholder 'append_to "$container/doc" "by a program"'
    expect_equal "$(cat "$bob/Cloud/doc")" $'version one\nby a program'
}

# S8: the same where it was removed
append_to_what_is_removed() {
    written_to_a_placeholder 'rm "$container/doc"'
    expect_absent "$alice/Cloud/doc"
    expect_absent "$bob/Cloud/doc"
    restart bob
    expect_file "$(remnant_of "$bob/Cloud/doc" bob)" 'by bob'
}

# S8, S24: on its way to Local/, such a document goes back to the container
written_into_what_moves_to_local() {
    device alice
    device bob
    write_to "$container/doc" 'version one'
    wait_for "[[ -e $alice/Cloud/doc && -e $bob/Cloud/doc ]]"
    expect_placeholder "$bob/Cloud/doc"
    offline bob
    append_to "$bob/Cloud/doc" 'by bob'
    probe rename "$bob/Cloud/doc" "$bob/Local/moved"
    write_to new 'version two'
    mv new "$container/doc"
    online bob
    wait_for "[[ -n \$(find $bob/Cloud -name '*only what was written*') ]]"
    settled
    expect_list "$bob/Local"
    local name
    for name in alice bob; do
        expect_file "$(remnant_of "${!name}/Cloud/doc" bob)" 'by bob'
        expect_file "${!name}/Cloud/doc" 'version two'
    done
    same_trees alice bob
}

# S6, S8: what was written into a placeholder whose body is damaged in the container is sent as a document of
# its own; the damaged one stays where it is, and cannot be read
written_into_a_damaged_body() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'version one'
    settled
    wait_for "[[ -e $bob/Cloud/doc ]]"
    # Whoever saw the byte before the time is put back would take it for an edit.
    offline alice bob
    touch -r "$container/doc" times
    printf V | dd of="$container/doc" bs=1 conv=notrunc status=none
    touch -r times "$container/doc"
    online alice bob
    append_to "$bob/Cloud/doc" 'by bob'
    wait_for "[[ -n \$(find $bob/Cloud -name '*only what was written*') ]]"
    settled
    local name
    for name in alice bob; do
        expect_file "$(remnant_of "${!name}/Cloud/doc" bob)" 'by bob'
    done
    expect_equal "$(ls "$alice/Cloud")" "$(ls "$bob/Cloud")"
}

# S8, S13: what was written in the middle stays where it was, with nothing around it; killed meanwhile, the
# device finds out again
write_into_what_is_replaced() {
    device alice
    device bob
    big "$container/doc" 2 old
    wait_for "[[ -e $bob/Cloud/doc ]]"
    offline bob
    printf XYZ | dd of="$bob/Cloud/doc" bs=1 seek=$((1 << 20)) conv=notrunc status=none
    big new 2 new
    mv new "$container/doc"
    kill9 bob
    online bob
    start bob
    wait_for "[[ -n \$(find $alice/Cloud -name '*only what was written*') ]]"
    settled
    { head -c $((1 << 20)) /dev/zero; printf XYZ; head -c $(((1 << 20) - 3)) /dev/zero; } >wanted
    cmp wanted "$(remnant_of "$alice/Cloud/doc" bob)"
    cmp wanted "$(remnant_of "$bob/Cloud/doc" bob)"
    cmp "$container/doc" "$bob/Cloud/doc"
    same_trees alice bob
}
