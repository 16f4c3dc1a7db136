# Two devices change the same document.

# alice and bob have read the same document, and know nothing of what the other does from here.
both_offline_with() {
    device alice
    device bob
    mkdir -p "$(dirname "$alice/Cloud/$1")"
    write_to "$alice/Cloud/$1" "${2:-version one}"
    settled
    cat "$bob/Cloud/$1" >/dev/null
    settled
    offline alice bob
}

# first_then NAME NAME: one device comes back and sends, then the other.
first_then() {
    pass_settle
    online "$1"
    settled
    online "$2"
    settled
}

# S16: edited on both: the store's version stays at the name, the other's becomes its sibling
edited_on_both() {
    both_offline_with 'note.txt'
    write_to "$alice/Cloud/note.txt" 'by alice'
    write_to "$bob/Cloud/note.txt" 'by bob'
    first_then alice bob
    same_trees alice bob
    expect_file "$alice/Cloud/note.txt" 'by alice'
    local sibling
    sibling=$(expect_conflict "$alice/Cloud/note.txt" bob)
    expect_file "$sibling" 'by bob'
    expect_file "$container/${sibling##*/}" 'by bob'
    expect_file "$container/note.txt" 'by alice'
    expect_equal "$(attr "$alice/Cloud/note.txt" conflicts)" 1
    expect_equal "$(attr "$bob/Cloud/note.txt" conflicts)" 1
    [[ ,$(attr "$bob/Cloud/note.txt" state), == *,in-conflict,* ]] || fail 'the state does not say so'
    grep -q 'note.txt' "$alice/.docfs/conflicts" || fail 'not in .docfs/conflicts'
    expect_equal "$(wc -l <"$bob/.docfs/conflicts")" 1
}

# S16: edited on both within the settle time, both online: nobody's bytes are lost
edited_at_once() {
    settle=600
    device alice
    device bob
    local round
    for round in 1 2 3 4; do write_to "$alice/Cloud/doc $round" 'version one'; done
    sent alice
    cat "$bob"/Cloud/* >/dev/null
    for round in 1 2 3 4; do
        write_to "$alice/Cloud/doc $round" 'by alice'
        write_to "$bob/Cloud/doc $round" 'by bob'
    done
    sent alice bob
    same_trees alice bob
    for round in 1 2 3 4; do
        expect_equal "$(cat "$alice/Cloud/doc $round" "$(conflicts_of "$alice/Cloud/doc $round")" | sort)" \
            $'by alice\nby bob'
    done
    expect_equal "$(ls "$alice/Cloud" | wc -l)" 8
}

# S16: equal bytes converge silently
equal_edits() {
    both_offline_with doc
    write_to "$alice/Cloud/doc" 'the same'
    write_to "$bob/Cloud/doc" 'the same'
    write_to "$alice/Cloud/new" 'the same too'
    write_to "$bob/Cloud/new" 'the same too'
    first_then alice bob
    same_trees alice bob
    expect_list "$alice/Cloud" doc new
    expect_equal "$(attr "$alice/Cloud/doc" conflicts)" 0
    expect_equal "$(id_of "$alice/Cloud/new")" "$(id_of "$bob/Cloud/new")"
}

# S16: made on both under one name with different bytes
made_on_both() {
    both_offline_with other
    write_to "$alice/Cloud/new.txt" 'by alice'
    write_to "$bob/Cloud/new.txt" 'by bob'
    first_then bob alice
    same_trees alice bob
    expect_file "$alice/Cloud/new.txt" 'by bob'
    expect_file "$(expect_conflict "$bob/Cloud/new.txt" alice)" 'by alice'
}

# S16: compound extensions stay whole, hidden names and names without extension too
names_of_siblings() {
    both_offline_with archive.tar.gz
    local name
    for name in archive.tar.gz README .profile 'a.b.c.txt'; do
        write_to "$alice/Cloud/$name" 'by alice'
        write_to "$bob/Cloud/$name" 'by bob'
    done
    first_then alice bob
    same_trees alice bob
    local stamp='[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}\.[0-9]{2}\.[0-9]{2}'
    local form
    for form in "archive \(conflict from bob, $stamp\)\.tar\.gz" "README \(conflict from bob, $stamp\)" \
        "\.profile \(conflict from bob, $stamp\)" "a\.b\.c \(conflict from bob, $stamp\)\.txt"; do
        grep -Eqx "$form" <(ls -A "$alice/Cloud") || fail "no $form: $(ls -A "$alice/Cloud")"
    done
    expect_equal "$(ls -A "$alice/Cloud" | wc -l)" 8
}

# S16: a sibling's name is shortened before 255 bytes, keeps its extension and never collides
long_names_of_siblings() {
    local stem
    stem=$(printf 'n%.0s' {1..249})
    both_offline_with "${stem}aa.txt"
    write_to "$alice/Cloud/${stem}bb.txt" 'by alice'
    write_to "$bob/Cloud/${stem}bb.txt" 'by bob'
    write_to "$alice/Cloud/${stem}aa.txt" 'by alice'
    write_to "$bob/Cloud/${stem}aa.txt" 'by bob as well'
    first_then alice bob
    same_trees alice bob
    expect_equal "$(ls "$alice/Cloud" | wc -l)" 4
    expect_equal "$(ls "$alice/Cloud" | grep -c '(conflict from bob, .*)\.txt$')" 2
    expect_equal "$(cat "$alice"/Cloud/*conflict* | sort)" $'by bob\nby bob as well'
}

# S16: three devices that were away leave one version at the name and two siblings
three_devices() {
    device alice
    device bob
    device carol
    write_to "$alice/Cloud/doc" 'version one'
    settled
    cat "$bob/Cloud/doc" "$carol/Cloud/doc" >/dev/null
    settled
    offline alice bob carol
    local name
    for name in alice bob carol; do write_to "${!name}/Cloud/doc" "by $name"; done
    pass_settle
    for name in alice bob carol; do
        online $name
        settled
    done
    same_trees alice bob
    same_trees alice carol
    expect_file "$carol/Cloud/doc" 'by alice'
    expect_equal "$(cat "$carol"/Cloud/*conflict* | sort)" $'by bob\nby carol'
    expect_equal "$(attr "$bob/Cloud/doc" conflicts)" 2
}

# S16: an edit of bytes and a change of mode or time do not conflict
edit_and_attributes() {
    both_offline_with doc
    write_to "$alice/Cloud/doc" 'by alice'
    chmod 600 "$bob/Cloud/doc"
    setfattr -n user.mine -v yes "$bob/Cloud/doc"
    first_then alice bob
    same_trees alice bob
    expect_list "$alice/Cloud" doc
    expect_file "$bob/Cloud/doc" 'by alice'
    expect_equal "$(stat -c %a "$alice/Cloud/doc")" 600
    expect_equal "$(getfattr --only-values --absolute-names -n user.mine "$alice/Cloud/doc")" yes
}

# S16: an edit follows a rename made elsewhere; no path keeps a second document
edit_and_rename() {
    both_offline_with doc
    mv "$alice/Cloud/doc" "$alice/Cloud/renamed"
    write_to "$bob/Cloud/doc" 'by bob'
    first_then alice bob
    same_trees alice bob
    expect_list "$alice/Cloud" renamed
    expect_file "$alice/Cloud/renamed" 'by bob'
}

# S16: the other order: the edit is in the store when the rename arrives
rename_after_edit() {
    both_offline_with doc
    mkdir "$alice/Cloud/dir"
    mv "$alice/Cloud/doc" "$alice/Cloud/dir/renamed"
    write_to "$bob/Cloud/doc" 'by bob'
    first_then bob alice
    same_trees alice bob
    expect_list "$alice/Cloud" dir
    expect_file "$alice/Cloud/dir/renamed" 'by bob'
}

# S25: moved to two places: the first in the store decides, and there is one document
move_and_move() {
    both_offline_with doc
    mv "$alice/Cloud/doc" "$alice/Cloud/by alice"
    mv "$bob/Cloud/doc" "$bob/Cloud/by bob"
    first_then alice bob
    same_trees alice bob
    expect_list "$alice/Cloud" 'by alice'
    expect_file "$bob/Cloud/by alice" 'version one'
}

# S25: two devices that move directories into each other make no cycle and lose nothing
directories_into_each_other() {
    both_offline_with one/a
    mkdir "$alice/Cloud/two" "$bob/Cloud/two"
    online alice bob
    write_to "$alice/Cloud/two/b" b
    settled
    cat "$bob/Cloud/two/b" >/dev/null
    settled
    offline alice bob
    mv "$alice/Cloud/one" "$alice/Cloud/two/one"
    mv "$bob/Cloud/two" "$bob/Cloud/one/two"
    first_then alice bob
    same_trees alice bob
    expect_equal "$(find "$alice/Cloud" -type f -printf '%f\n' | sort | xargs)" 'a b'
    expect_file "$alice/Cloud/two/one/a" 'version one'
    expect_file "$alice/Cloud/two/b" b
}

# S25: a directory renamed here and a document made in it there meet in the renamed directory
directory_rename_and_new_child() {
    both_offline_with dir/doc
    mv "$alice/Cloud/dir" "$alice/Cloud/renamed"
    write_to "$bob/Cloud/dir/new" 'by bob'
    write_to "$bob/Cloud/dir/doc" 'edited by bob'
    first_then alice bob
    same_trees alice bob
    expect_list "$alice/Cloud" renamed
    expect_list "$alice/Cloud/renamed" doc new
    expect_file "$alice/Cloud/renamed/doc" 'edited by bob'
}

# S25: two documents renamed to one name: one keeps it, the other is its sibling
renamed_to_one_name() {
    both_offline_with one
    write_to "$alice/Cloud/two" 'second document'
    online alice bob
    settled
    cat "$bob/Cloud/two" >/dev/null
    settled
    offline alice bob
    mv "$alice/Cloud/one" "$alice/Cloud/name.txt"
    mv "$bob/Cloud/two" "$bob/Cloud/name.txt"
    first_then alice bob
    same_trees alice bob
    expect_equal "$(ls "$alice/Cloud" | wc -l)" 2
    expect_file "$alice/Cloud/name.txt" 'version one'
    expect_equal "$(cat "$alice"/Cloud/* | sort)" $'second document\nversion one'
}

# S16: a document made here and a directory made there under one name are both kept
document_and_directory() {
    both_offline_with other
    write_to "$alice/Cloud/name" 'a document'
    mkdir "$bob/Cloud/name"
    write_to "$bob/Cloud/name/inner" 'in a directory'
    first_then alice bob
    same_trees alice bob
    expect_file "$alice/Cloud/name" 'a document'
    expect_equal "$(find "$alice/Cloud" -name inner -exec cat {} +)" 'in a directory'
}

# storm SEED: both devices make, append to and rename documents and directories at random, online and
# offline. Nothing is deleted, so that in the end every line that anybody wrote must be somewhere.
storm() {
    RANDOM=$1
    device alice
    device bob
    local step name top documents directories document directory
    : >lines
    for step in $(seq 80); do
        name=alice
        ((RANDOM % 2)) || name=bob
        top=${!name}/Cloud
        mapfile -d '' documents < <(find "$top" -type f -print0 | sort -z)
        mapfile -d '' directories < <(find "$top" -type d -print0 | sort -z)
        directory=${directories[RANDOM % ${#directories[@]}]}
        document=${documents[RANDOM % (${#documents[@]} + 1)]-}
        case $((RANDOM % 10)) in
            0 | 1 | 2) write_noted "$directory/doc $step" ;;
            3 | 4 | 5) [[ -z $document ]] || write_noted "$document" ;;
            6) [[ -z $document ]] || mv -n "$document" "$directory/renamed $step" ;;
            7) mkdir "$directory/dir $step" ;;
            8) mv -n "${directories[-1]}" "$directory/moved $step" ;;
            9) if [[ -n ${is_offline[$name]:-} ]]; then online "$name"; else offline "$name"; fi ;;
        esac >>storm.log 2>&1 || true
        ((RANDOM % 4)) || sleep 0.3
    done
    online alice bob
    settled
    same_trees alice bob
    cat storm.log
    local line
    while read -r line; do
        kept bob -xFe "$line" || fail "lost: $line"
    done <lines
    expect_equal "$(stored . | grep -vc '^\.docfs/')" \
        "$(find "$bob/Cloud" -type f | wc -l)" 'documents in the container'
}

# write_noted PATH: appends a line that nobody else wrote, and notes it if that worked.
write_noted() { echo "step $step by $name" >>"$1" && echo "step $step by $name" >>"$STORY/lines"; }

# S16, S25: a storm of edits and renames on two devices loses nothing and converges
storm_1() { storm 1; }

# S16, S25: another storm
storm_2() { storm 2; }

# S16, S25: and another
storm_3() { storm 3; }

# alice and bob see doc.txt by alice with a sibling by bob, and are at rest.
a_conflict() {
    both_offline_with doc.txt
    write_to "$alice/Cloud/doc.txt" 'by alice'
    write_to "$bob/Cloud/doc.txt" 'by bob'
    first_then alice bob
    sibling=$(expect_conflict "$alice/Cloud/doc.txt" bob)
    sibling=${sibling##*/}
}

# S17: rm of the sibling drops that version, on all devices, into the trash
resolve_by_rm() {
    local sibling
    a_conflict
    rm "$bob/Cloud/$sibling"
    settled
    same_trees alice bob
    expect_list "$alice/Cloud" doc.txt
    expect_file "$alice/Cloud/doc.txt" 'by alice'
    expect_equal "$(attr "$alice/Cloud/doc.txt" conflicts)" 0
    expect_equal "$(attr "$bob/Cloud/doc.txt" conflicts)" 0
    expect_equal "$(cat "$alice/.docfs/conflicts")" ''
    expect_file "$(in_trash "${sibling%.txt}")" 'by bob'
}

# S17: mv of the sibling over the name chooses it; what was current goes to the versions
resolve_by_mv() {
    local sibling id
    a_conflict
    id=$(id_of "$alice/Cloud/doc.txt")
    mv "$alice/Cloud/$sibling" "$alice/Cloud/doc.txt"
    settled
    same_trees alice bob
    expect_list "$bob/Cloud" doc.txt
    expect_file "$bob/Cloud/doc.txt" 'by bob'
    expect_equal "$(id_of "$bob/Cloud/doc.txt")" "$id"
    expect_equal "$(attr "$bob/Cloud/doc.txt" conflicts)" 0
    grep -qxh 'by alice' "$bob"/.docfs/versions/Cloud/doc.txt/* || fail 'not among the versions'
}

# S17: editing the name and removing the sibling is a merge
resolve_by_merge() {
    local sibling
    a_conflict
    cat "$alice/Cloud/$sibling" >>"$alice/Cloud/doc.txt"
    rm "$alice/Cloud/$sibling"
    settled
    same_trees alice bob
    expect_list "$bob/Cloud" doc.txt
    expect_equal "$(cat "$bob/Cloud/doc.txt")" $'by alice\nby bob'
    expect_equal "$(attr "$bob/Cloud/doc.txt" conflicts)" 0
}

# S17: a sibling moved to any other name becomes a document of its own
sibling_becomes_document() {
    local sibling
    a_conflict
    mv "$alice/Cloud/$sibling" "$alice/Cloud/another.txt"
    settled
    same_trees alice bob
    expect_list "$bob/Cloud" another.txt doc.txt
    expect_file "$bob/Cloud/another.txt" 'by bob'
    expect_equal "$(attr "$bob/Cloud/doc.txt" conflicts)" 0
    [[ $(id_of "$bob/Cloud/another.txt") != $(id_of "$bob/Cloud/doc.txt") ]] || fail 'one id for two'
}

# S17: saving a sibling with an editor is an edit of it, not a choice
sibling_is_edited() {
    local sibling
    settle=1
    a_conflict
    sed -i 's/by bob/by bob, better/' "$alice/Cloud/$sibling"
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/$sibling" 'by bob, better'
    expect_equal "$(attr "$bob/Cloud/doc.txt" conflicts)" 1
    rm "$bob/Cloud/$sibling"
    write_to "$bob/Cloud/$sibling" 'unlinked and made anew'
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/$sibling" 'unlinked and made anew'
    expect_equal "$(attr "$alice/Cloud/doc.txt" conflicts)" 1
}

# S17: a choice clears the other siblings too, as its device had seen them, on all devices
choice_clears_the_others() {
    local siblings chosen
    device alice
    device bob
    device carol
    write_to "$alice/Cloud/doc" base
    settled
    offline bob carol
    write_to "$alice/Cloud/doc" 'by alice'
    write_to "$bob/Cloud/doc" 'by bob'
    write_to "$carol/Cloud/doc" 'by carol'
    settled
    online bob carol
    settled
    expect_equal "$(attr "$alice/Cloud/doc" conflicts)" 2
    chosen=$(find "$alice/Cloud" -name 'doc (conflict from carol*')
    mv "$chosen" "$alice/Cloud/doc"
    settled
    same_trees alice bob
    same_trees alice carol
    expect_list "$bob/Cloud" doc
    expect_file "$bob/Cloud/doc" 'by carol'
    expect_equal "$(attr "$bob/Cloud/doc" conflicts)" 0
    siblings=$(find "$alice/.docfs/trash/Cloud" -name 'doc (conflict from bob*' | wc -l)
    expect_equal "$siblings" 1 'what a choice cleared is in the trash'
}

# S17: a choice clears only what its device had seen: a sibling edited meanwhile stays
choice_and_edited_sibling() {
    local sibling
    a_conflict
    offline alice
    rm "$alice/Cloud/$sibling"
    write_to "$bob/Cloud/$sibling" 'edited by bob meanwhile'
    settled
    pass_settle
    online alice
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/$sibling" 'edited by bob meanwhile'
    expect_equal "$(attr "$alice/Cloud/doc.txt" conflicts)" 1
}

# S17: a sibling that is edited after the choice, and before the choice has travelled, stays
choice_and_sibling_edited_after() {
    device alice
    device bob
    device carol
    write_to "$alice/Cloud/doc" 'version one'
    settled
    local name
    offline alice bob carol
    for name in alice bob carol; do write_to "${!name}/Cloud/doc" "by $name"; done
    pass_settle
    for name in alice bob carol; do
        online $name
        settled
    done
    offline alice
    mv "$alice"/Cloud/*"from bob"* "$alice/Cloud/doc"
    append_to "$alice"/Cloud/*"from carol"* 'edited after the choice'
    online alice
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/doc" 'by bob'
    expect_equal "$(cat "$bob"/Cloud/*conflict*)" $'by carol\nedited after the choice'
}

# S17: choices of two devices at once leave one version at the name and nothing torn
two_choices() {
    local sibling
    a_conflict
    offline alice bob
    mv "$alice/Cloud/$sibling" "$alice/Cloud/doc.txt"
    rm "$bob/Cloud/$sibling"
    first_then alice bob
    same_trees alice bob
    expect_file "$alice/Cloud/doc.txt" 'by bob'
    expect_equal "$(attr "$alice/Cloud/doc.txt" conflicts)" 0
}
