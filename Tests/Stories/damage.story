# Bad input: what a disk, a clock or a stranger does to a device's own state.

# The files of a device that are SQLite databases.
catalogs() { find "$STORY/$1/state" -type f -exec sh -c 'head -c 15 "$1" | grep -q "SQLite format"' _ {} \; -print; }

# before_damage [stop|kill9]: a device with one document of each kind: sent and read, sent and unread,
# edited and not sent.
before_damage() {
    needs sqlite3
    device bob
    write_to "$bob/Cloud/unread" 'not read here'
    device alice
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/sent" 'sent before'
    write_to "$alice/Cloud/dir/edited" 'version one'
    settled
    offline alice
    write_to "$alice/Cloud/dir/edited" 'edited offline'
    write_to "$alice/Cloud/new" 'made offline'
    pass_settle
    "${1:-stop}" alice
    catalog=$(catalogs alice | head -1)
    [[ -n $catalog ]] || fail 'no catalog in the state directory'
    [[ ${1:-stop} == stop ]] || return 0
    # What the database still has in its write-ahead log goes into the file that will be damaged.
    sqlite3 "$catalog" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
}

# Everything is there again: what the container had, and what was never sent, under its name or as
# a conflict version beside it.
after_damage() {
    online alice
    start alice
    local text
    for text in 'edited offline' 'made offline'; do wait_for "grep -rqxs '$text' $bob/Cloud"; done
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/dir/edited" 'edited offline'
    expect_file "$alice/Cloud/new" 'made offline'
    expect_file "$alice/Cloud/sent" 'sent before'
    expect_file "$alice/Cloud/unread" 'not read here'
    grep -Eqi 'catalog.*(damaged|corrupt|rebuil)' "$STORY/alice/log" || fail 'the log says nothing of it'
}

# Damage: a catalog whose first page is noise is rebuilt, and edits are not lost
damaged_catalog_head() {
    local catalog
    before_damage
    dd if=/dev/urandom of="$catalog" bs=4096 count=1 conv=notrunc 2>/dev/null
    after_damage
}

# Damage: a catalog with noise in the middle of it
damaged_catalog_middle() {
    local catalog
    before_damage
    dd if=/dev/urandom of="$catalog" bs=1024 seek=5 conv=notrunc 2>/dev/null \
        count=$(($(stat -c %s "$catalog") / 1024 - 5))
    after_damage
}

# Damage: a catalog that was cut short
truncated_catalog() {
    local catalog
    before_damage
    truncate -s $(($(stat -c %s "$catalog") / 2)) "$catalog"
    after_damage
}

# Damage: a catalog that is gone
missing_catalog() {
    local catalog
    before_damage
    rm "$catalog" "$catalog"-*  2>/dev/null || true
    online alice
    start alice
    local text
    for text in 'edited offline' 'made offline'; do wait_for "grep -rqxs '$text' $bob/Cloud"; done
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/dir/edited" 'edited offline'
    expect_file "$alice/Cloud/new" 'made offline'
}

# Damage: a catalog that was cut to nothing is no new one
emptied_catalog() {
    local catalog
    before_damage
    : >"$catalog"
    after_damage
}

# Damage: the end of what a killed daemon wrote into its catalog is gone
cut_catalog_log() {
    local catalog
    before_damage kill9
    truncate -s $(($(stat -c %s "$catalog-wal") / 2)) "$catalog-wal"
    after_damage
}

# Damage: what a killed daemon wrote into its catalog is gone, and its index too
missing_catalog_log() {
    local catalog
    before_damage kill9
    rm "$catalog-wal" "$catalog-shm"
    after_damage
}

# Damage: a catalog that is lost while its container is away makes no other container there
missing_catalog_away() {
    local catalog
    before_damage
    rm "$catalog"
    start alice
    wait_for 'is_away alice && [[ -n $(probe field "$alice" error) ]]'
    sleep 1.5
    expect_absent "$STORY/alice/container"
    stop alice
    after_damage
}

# Damage: an edit that moved in from Local comes back too when the catalog is gone
moved_in_and_lost() {
    device bob
    device alice
    settled
    offline alice
    write_to "$alice/Local/doc" 'moved in offline'
    mv "$alice/Local/doc" "$alice/Cloud/doc"
    pass_settle
    stop alice
    rm "$STORY"/alice/state/catalog.sqlite*
    online alice
    start alice
    wait_for "grep -qxs 'moved in offline' $bob/Cloud/doc"
    settled
    same_trees alice bob
}

# Damage, Root: an edit that cannot be brought back now, for want of room, is brought back by the next start
salvage_interrupted() {
    local text
    needs strace
    before_damage
    rm "$STORY"/alice/state/catalog.sqlite*
    online alice
    wrapper[alice]="strace -D -I 2 -f -qq -o $STORY/trace -e trace=copy_file_range \
        -e inject=copy_file_range:error=ENOSPC"
    start alice
    unset "wrapper[alice]"
    wait_for '(($(grep -c "an edit is kept in" "$STORY/alice/log") >= 2))'
    restart alice
    for text in 'edited offline' 'made offline'; do wait_for "grep -rqxs '$text' $bob/Cloud"; done
    settled
    same_trees alice bob
}

# Damage: a device that does not know any more which one it is finds what moved in from Local
damaged_device() {
    local file=$STORY/alice/state/device before how
    device bob
    device alice
    settled
    before=$(cat "$file")
    for how in flipped emptied removed a-directory; do
        write_to "$alice/Local/$how" "made in Local, $how"
        offline alice
        mv "$alice/Local/$how" "$alice/Cloud/$how"
        kill9 alice
        case $how in
            flipped) sed -i '1y/0123456789abcdef/1032547698badcfe/' "$file" ;;
            emptied) : >"$file" ;;
            removed) rm "$file" ;;
            a-directory) rm "$file" && mkdir "$file" ;;
        esac
        online alice
        start alice
        wait_for "[[ -e $bob/Cloud/$how ]]"
        settled
        expect_file "$alice/Cloud/$how" "made in Local, $how"
        expect_file "$bob/Cloud/$how" "made in Local, $how"
        [[ $how == a-directory ]] || expect_equal "$(cat "$file")" "$before" "$how"
    done
}

# Damage: a record of the change log that is no record keeps nobody from anything else
damaged_record() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    local last next
    last=$(last_record)
    printf -v next '%0*d' $((${#last} - 5)) $((10#${last%.json} + 1))
    printf 'no record {' >"$container/.docfs/log/$next.json"
    wait_for '[[ -n $(probe field "$alice" error) ]]'
    expect_file "$alice/Cloud/doc" text
    rm "$container/.docfs/log/$next.json"
    write_to "$alice/Cloud/doc" edited
    settled
    expect_file "$container/doc" edited
}

ten_years=315576000

# Damage: clocks that are ten years apart decide nothing
clocks_apart() {
    device alice
    stop alice
    clock_of alice $ten_years
    start alice
    device bob
    write_to "$alice/Cloud/doc" 'from the future'
    settled
    expect_file "$bob/Cloud/doc" 'from the future'
    write_to "$bob/Cloud/doc" 'from now'
    settled
    expect_file "$alice/Cloud/doc" 'from now'
    expect_no_conflict "$alice/Cloud/doc"
    offline alice bob
    write_to "$bob/Cloud/doc" 'bob, first in the store'
    write_to "$alice/Cloud/doc" 'alice, later in the store'
    pass_settle
    online bob
    settled
    online alice
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/doc" 'bob, first in the store'
    expect_file "$(expect_conflict "$bob/Cloud/doc" alice)" 'alice, later in the store'
}

# Damage: a clock that jumps ten years, forth and back, between two starts
clock_jumps() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 1
    settled
    local offset
    for offset in $ten_years -$ten_years 0; do
        stop alice
        clock_of alice $offset
        start alice
        append_to "$alice/Cloud/doc" "at $offset"
        write_to "$alice/Cloud/new at $offset" text
        settled
        same_trees alice bob
        rm "$bob/Cloud/new at $offset"
        settled
        same_trees alice bob
    done
    expect_equal "$(cat "$bob/Cloud/doc" | xargs)" "1 at $ten_years at -$ten_years at 0"
    expect_list "$alice/Cloud" doc
    wrapper[alice]=
    restart alice
    expect_equal "$(find "$alice/.docfs/trash/Cloud" -type f | wc -l)" 3 'deletes within 30 days'
}

# Damage: documents of the container with times ten years ahead and before 1970
strange_times_in_the_container() {
    mkdir -p "$container"
    write_to "$container/future" text
    write_to "$container/past" text
    touch -d '+10 years' "$container/future"
    touch -d '1931-05-06 07:08:09.1' "$container/past"
    device alice
    device bob
    wait_for "ls $alice/Cloud/{future,past} $bob/Cloud/{future,past}"
    settled
    same_trees alice bob
    append_to "$alice/Cloud/future" 'edited'
    append_to "$bob/Cloud/past" 'edited'
    settled
    same_trees alice bob
    expect_equal "$(cat "$alice/Cloud/past" "$alice/Cloud/future" | xargs)" 'text edited text edited'
    expect_equal "$(find "$alice/Cloud" -name '*conflict*')" ''
}
