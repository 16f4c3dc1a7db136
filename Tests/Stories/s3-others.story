# A bucket in which other programs have put documents and directories, before and after it became a container.

# may_use MOUNT DIRECTORY: its owner enters the directory, lists it, and makes, renames and removes in it.
may_use() {
    local directory=$1/Cloud/$2
    expect_equal "$(stat -c '%A' "$directory")" drwxr-xr-x "mode of $2"
    write_to "$directory/made" text
    mv "$directory/made" "$directory/renamed"
    mkdir "$directory/made"
    expect_file "$directory/renamed" text
    rm "$directory/renamed"
    rmdir "$directory/made"
}

# Foreign, S31: directories that a bucket has, by a marker or because keys lie below them, are their owner's to
# use, whoever he is; documents are his to read and write
directories_of_others() {
    local directory
    bucket put marker/ </dev/null
    bucket put implied/below/doc <<<'by a stranger'
    device alice
    device bob
    wait_for '[[ -e $alice/Cloud/implied/below/doc && -d $alice/Cloud/marker ]]'
    settled
    # And what comes while the devices run.
    bucket put 'later marker/' </dev/null
    bucket put later/below/doc <<<'by a stranger'
    wait_for 'ls "$alice/Cloud"; [[ -e $alice/Cloud/later/below/doc && -d "$alice/Cloud/later marker" ]]'
    for directory in marker implied implied/below 'later marker' later later/below; do
        may_use "$alice" "$directory"
    done
    settled
    same_trees alice bob
    for directory in implied later; do
        expect_equal "$(stat -c %A "$bob/Cloud/$directory/below/doc")" -rw-r--r-- 'mode of a document'
        append_to "$bob/Cloud/$directory/below/doc" 'and bob'
    done
    settled
    expect_file "$alice/Cloud/later/below/doc" $'by a stranger\nand bob'
    # What is private stays private, whoever writes it anew.
    chmod 600 "$alice/Cloud/later/below/doc"
    settled
    bucket put later/below/doc <<<'once more'
    wait_for 'ls "$alice/Cloud/later/below"; grep -qx "once more" "$alice/Cloud/later/below/doc"'
    settled
    expect_equal "$(stat -c %a "$bob/Cloud/later/below/doc")" 600 'mode of what was written anew'
    rm -r "$alice/Cloud/"{implied,later,marker,'later marker'}
    settled
    expect_list "$bob/Cloud"
}

is_online() { [[ $(probe field "$STORY/$1/mnt" online) == true ]]; }

# refuses_to_read NAME PATH: the device shows the document, and whoever reads it is told why not.
refuses_to_read() {
    local document=$STORY/$1/mnt/Cloud/$2
    refused EACCES cat "$document"
    [[ $(attr "$document" error) == "the store refuses this document: "*"$2"* ]] ||
        fail "$2 says '$(attr "$document" error)'"
    grep -qF "    $2: the store refuses this document: " "$STORY/$1/mnt/.docfs/status" ||
        fail "the status does not name $2"
    is_online "$1" || fail "$1 is offline for $2"
}

# S3, S32: an object that nobody may read, and one that another program has encrypted, are listed with their
# sizes; who reads them is told why not, they can be read as soon as the store lets them be, and nothing else
# waits for them
objects_that_are_refused() {
    local refused
    own_bucket
    bucket put notes/fine <<<fine
    bucket put notes/denied <<<'not for you'
    bucket encrypt notes/encrypted <<<'not for anybody'
    bucket deny GetObject notes/denied
    device alice
    device bob
    wait_for '[[ -e $bob/Cloud/notes/denied && -e $bob/Cloud/notes/encrypted && -e $bob/Cloud/notes/fine ]]'
    settled
    for refused in denied encrypted; do
        refuses_to_read alice notes/$refused
        refuses_to_read bob notes/$refused
    done
    expect_equal "$(stat -c %s "$bob/Cloud/notes/denied")" 12 'size of what nobody may read'
    # Others, and what comes while the devices run, are not held up.
    expect_file "$bob/Cloud/notes/fine" fine
    append_to "$bob/Cloud/notes/fine" more
    bucket put notes/later <<<later
    wait_for 'ls "$alice/Cloud/notes"; [[ -e $alice/Cloud/notes/later ]]'
    settled
    expect_file "$alice/Cloud/notes/fine" $'fine\nmore'
    device carol
    settled
    expect_list "$carol/Cloud/notes" denied encrypted fine later
    refuses_to_read carol notes/denied
    # Its directory moves on all devices, and what can be moved in the store is.
    mv "$alice/Cloud/notes" "$alice/Cloud/moved"
    wait_for '[[ -e $bob/Cloud/moved/denied && -e $carol/Cloud/moved/later ]]'
    wait_for '[[ $(bucket names moved/ | wc -l) == 2 ]]'
    bucket allow
    wait_for 'grep -qx moved/denied < <(bucket names moved/)'
    wait_for 'grep -qx "not for you" "$bob/Cloud/moved/denied"'
    bucket delete notes/encrypted
    wait_for '[[ ! -e $carol/Cloud/moved/encrypted ]]'
    settled
    same_trees alice carol
}

# S12, Foreign: an object about which the store answers with an error each time is one document's trouble: whoever
# reads it is told, and all others go on
object_that_fails() {
    local name
    # No earlier version may hold the same bytes.
    own_bucket
    device alice
    device bob
    for name in broken other gone; do write_to "$alice/Cloud/$name" text; done
    settled
    rm "$alice/Cloud/gone"
    settled
    # So may a tombstone be one that nobody can look at.
    between bob 'answer 500 GET broken' 'answer 500 HEAD broken' 'answer 500 HEAD gone'
    expect_placeholder "$bob/Cloud/broken"
    refused EACCES cat "$bob/Cloud/broken"
    [[ $(attr "$bob/Cloud/broken" error) == *500*broken* ]] || fail "it says: $(attr "$bob/Cloud/broken" error)"
    is_online bob || fail 'one object took the container offline'
    expect_file "$bob/Cloud/other" text
    append_to "$bob/Cloud/other" 'and bob'
    wait_for 'grep -qx "and bob" "$alice/Cloud/other"'
    wait_for 'ls "$bob/Cloud"; grep -q "HEAD .*/gone 500" "$STORY/bob/proxy/log"'
    never '! is_online bob' 3
    between bob
    wait_for '[[ $(cat "$bob/Cloud/broken") == text ]]'
}

# S7, S32: an object about which the store says nothing at all, while it answers for all others, holds up itself
object_that_hangs() {
    local name patience=90
    own_bucket
    device alice --deadline 3
    device bob --deadline 3
    for name in stuck other gone; do write_to "$alice/Cloud/$name" text; done
    settled
    between bob 'silence GET stuck' 'silence HEAD stuck' 'silence PUT stuck' 'silence HEAD gone' 'silence PUT gone'
    refused ETIMEDOUT cat "$bob/Cloud/stuck"
    expect_file "$bob/Cloud/other" text
    write_to "$bob/Cloud/stuck" 'by bob'
    mv "$bob/Cloud/gone" "$bob/Cloud/away"
    append_to "$bob/Cloud/other" 'and bob'
    wait_for 'grep -qx "and bob" "$alice/Cloud/other"'
    wait_for '[[ $(attr "$bob/Cloud/stuck" error) == *"no answer"*stuck* ]]'
    # A disk that reads and does not write.
    between bob 'silence PUT stuck' 'silence DELETE stuck' 'silence PUT gone' 'silence DELETE gone'
    rm "$bob/Cloud/away"
    # Nor do the looks at it that follow.
    for name in 1 2 3; do
        append_to "$alice/Cloud/other" "$name"
        wait_for 'grep -qx $name "$bob/Cloud/other"'
        never '! is_online bob' 2
    done
    restart bob
    wait_for 'is_online bob'
    expect_file "$bob/Cloud/stuck" 'by bob'
    append_to "$bob/Cloud/other" 'after the start'
    wait_for 'grep -qx "after the start" "$alice/Cloud/other"'
    between bob
    wait_for '[[ $(cat "$alice/Cloud/stuck") == "by bob" ]]'
    wait_for '[[ ! -e $alice/Cloud/gone ]]'
    settled
    same_trees alice bob
}

# S19, S32: what may not be put into the trash stays, for as long as that is so, and the status says why
deletes_that_are_refused() {
    own_bucket
    bucket put kept <<<kept
    bucket put fine <<<fine
    bucket deny GetObject kept
    device alice
    device bob
    wait_for '[[ -e $bob/Cloud/kept && -e $bob/Cloud/fine ]]'
    settled
    rm "$alice/Cloud/kept" "$alice/Cloud/fine"
    wait_for '[[ ! -e $bob/Cloud/fine ]]'
    wait_for 'grep -q "    kept: it is not deleted: the store refuses" "$alice/.docfs/status"'
    gives 0 docfs status "$alice"
    says 'kept: it is not deleted: the store refuses'
    [[ -e $bob/Cloud/kept ]] || fail 'what was not deleted is not shown elsewhere'
    bucket allow
    wait_for '[[ ! -e $bob/Cloud/kept ]]'
    settled
    expect_equal "$(cat "$(in_trash kept)")" kept 'what is in the trash'
    never 'grep -q "it is not deleted" "$alice/.docfs/status"' 1
}

# S6, S33: a program that changes an object and leaves beside it what it found there (s3fs, image optimisers) has
# made an edit each time, of whatever size, and however old that is
edits_that_keep_our_metadata() {
    local name
    device alice
    device bob
    for name in same other stale; do write_to "$alice/Cloud/$name" 'first words'; done
    settled
    for name in same other stale; do
        expect_file "$bob/Cloud/$name" 'first words'
        bucket headers "$name" >"headers-$name"
    done
    cp "$alice/Cloud/same" first
    bucket rewrite same headers-same <<<'other words'
    bucket rewrite other headers-other <<<'some more words than there were'
    # It has read the document before this device replaces it, and writes afterwards.
    write_to "$alice/Cloud/stale" 'second word'
    settled
    bucket rewrite stale headers-stale <<<'third words'
    wait_for 'ls "$bob/Cloud"; grep -qx "other words" "$bob/Cloud/same"'
    wait_for 'grep -qx "some more words than there were" "$bob/Cloud/other"'
    wait_for 'grep -qx "third words" "$bob/Cloud/stale"'
    settled
    [[ $bob/Cloud/same -nt first ]] || fail 'an edit has the time of what it replaced'
    same_trees alice bob
    bucket rewrite same headers-same <<<'more words!'
    bucket rewrite other headers-other <<<'few'
    bucket rewrite stale headers-stale <<<'other lines'
    wait_for 'ls "$bob/Cloud"; grep -qx "more words!" "$bob/Cloud/same"'
    wait_for 'grep -qx few "$bob/Cloud/other"'
    wait_for 'grep -qx "other lines" "$bob/Cloud/stale"'
    settled
    append_to "$bob/Cloud/same" 'and bob'
    settled
    expect_file "$alice/Cloud/same" $'more words!\nand bob'
    cat "$bob/.docfs/versions/Cloud/same/"* >/dev/null
    device carol
    settled
    same_trees alice carol
    for name in same other stale; do cat "$carol/Cloud/$name" >/dev/null; done
}

# S31, Foreign: what other programs keep beside an object stays beside it when the document is edited, saved by a
# rename or moved, and nobody who may not read it can read its versions; a new document has the type of its name
what_others_keep_beside() {
    local kept
    device alice
    device bob
    bucket put page.html content-type:text/x-special cache-control:max-age=5 \
        'content-disposition:attachment; filename="a, b"' x-amz-meta-mine:1 \
        'x-amz-tagging:team=blue%2Fred%20%3D&k=' x-amz-acl:public-read <<<one
    bucket put shared x-amz-grant-read:id=guest x-amz-grant-full-control:id=docfs <<<one
    wait_for 'ls "$alice/Cloud" "$bob/Cloud"; [[ -e $alice/Cloud/page.html && -e $bob/Cloud/shared ]]'
    settled
    kept=$(bucket beside page.html)
    expect_equal "$(grep -c . <<<"$kept")" 8 'what is to be kept'
    append_to "$alice/Cloud/page.html" two
    append_to "$bob/Cloud/shared" two
    settled
    expect_equal "$(bucket beside page.html)" "$kept" 'beside what was edited'
    expect_equal "$(bucket beside shared | grep guest)" 'grant READ guest' 'beside what was edited'
    cp "$bob/Cloud/page.html" "$bob/Cloud/new"
    echo three >>"$bob/Cloud/new"
    mv "$bob/Cloud/new" "$bob/Cloud/page.html"
    settled
    expect_file "$alice/Cloud/page.html" $'one\ntwo\nthree'
    expect_equal "$(bucket beside page.html)" "$kept" 'beside what was saved by a rename'
    mkdir "$alice/Cloud/dir"
    mv "$alice/Cloud/page.html" "$alice/Cloud/dir/page.txt"
    mv "$alice/Cloud/shared" "$alice/Cloud/dir/shared"
    settled
    wait_for 'grep -qx dir/page.txt < <(bucket names dir/) && grep -qx dir/shared < <(bucket names dir/)'
    expect_equal "$(bucket beside dir/page.txt)" "$kept" 'beside what was moved'
    expect_equal "$(bucket beside dir/shared | grep guest)" 'grant READ guest' 'beside what was moved'
    for kept in $(bucket names .docfs/versions/); do
        expect_equal "$(bucket beside "$kept" | grep -c ^grant)" 1 "who may read $kept"
    done
    write_to "$alice/Cloud/note.html" text
    write_to "$alice/Cloud/plain" text
    settled
    expect_equal "$(bucket beside note.html | grep -v ^grant)" content-type:text/html 'beside a new document'
    append_to "$bob/Cloud/note.html" more
    mv "$bob/Cloud/note.html" "$bob/Cloud/note.txt"
    settled
    wait_for 'grep -qx note.txt < <(bucket names note)'
    expect_equal "$(bucket beside note.txt | head -1)" content-type:text/plain 'the type of a new name'
    expect_equal "$(bucket beside plain | head -1)" content-type:binary/octet-stream 'the type of a name without ending'
    printf '[types.scan]\nextension = "html"\nmime = "application/x-scan"\n' >types.toml
    device carol --config "$STORY/types.toml"
    write_to "$carol/Cloud/own.html" text
    settled
    expect_equal "$(bucket beside own.html | head -1)" content-type:application/x-scan 'a type of the configuration'
}

# Foreign, S24: a directory that is only there because keys lie below it stays when documents are removed, moved or
# taken to Local through DocFS, until it is removed itself
implied_directories_stay() {
    local directory
    for directory in removed/below moved local gone outer/inner around/within; do bucket put $directory/doc <<<text; done
    device alice
    device bob
    wait_for '[[ $(find "$bob/Cloud" -name doc | wc -l) == 6 ]]'
    settled
    rm "$alice/Cloud/removed/below/doc"
    mv "$alice/Cloud/moved/doc" "$alice/Cloud/doc"
    mv "$alice/Cloud/around/within" "$alice/Cloud/within"
    mv "$bob/Cloud/local/doc" "$bob/Local/doc"
    rm -r "$bob/Cloud/gone" "$alice/Cloud/outer/inner"
    settled
    # A device that knows of nothing sees what the bucket has.
    device carol
    settled
    for directory in "$alice" "$bob" "$carol"; do
        expect_list "$directory/Cloud" around doc local moved outer removed within
        expect_list "$directory/Cloud/outer"
        expect_list "$directory/Cloud/removed" below
        ls "$directory/Cloud/removed/below"
    done
    write_to "$bob/Cloud/removed/below/doc" anew
    rmdir "$alice/Cloud/moved" "$alice/Cloud/local" "$bob/Cloud/outer" "$bob/Cloud/around"
    settled
    expect_list "$carol/Cloud" doc removed within
    expect_file "$carol/Cloud/removed/below/doc" anew
    expect_equal "$(bucket names | grep -v docfs/)" $'doc\nremoved/below/doc\nwithin/doc' 'what is in the bucket'
}

# Foreign, S19: of what was deleted, renamed or taken to Local no object stays that other programs see; nor does one
# that they bring back
tombstones_go() {
    local name
    own_bucket
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    for name in stays removed renamed 'dir/ü +%' local; do write_to "$alice/Cloud/$name" text; done
    settled
    mv "$bob/Cloud/local" "$bob/Local/local"
    rm "$bob/Cloud/dir/ü +%"
    rm "$alice/Cloud/removed"
    mv "$alice/Cloud/renamed" "$alice/Cloud/dir/renamed"
    settled
    wait_for '[[ $(seen_by_others) == $(printf "dir/\ndir/renamed\nstays") ]]'
    write_to "$alice/Cloud/removed" again
    settled
    expect_file "$bob/Cloud/removed" again
    rm "$bob/Cloud/removed"
    settled
    bucket cat removed >tombstone
    wait_for '[[ $(seen_by_others) == $(printf "dir/\ndir/renamed\nstays") ]]'
    bucket put removed <tombstone
    bucket put dir/brought <tombstone
    bucket put gone/brought <tombstone
    wait_for 'ls "$alice/Cloud" "$alice/Cloud/dir"; [[ $(seen_by_others) == $(printf "dir/\ndir/renamed\nstays") ]]'
    expect_list "$alice/Cloud" dir stays
    expect_list "$bob/Cloud/dir" renamed
    # If another program writes into a tombstone, as s3fs does, the result is its document.
    rm "$alice/Cloud/stays"
    settled
    bucket headers stays >label
    bucket rewrite stays label <<<'other words'
    wait_for 'ls "$bob/Cloud"; grep -qx "other words" "$bob/Cloud/stays"'
    # Longer than a tombstone that others have left stays.
    sleep 45
    expect_file "$alice/Cloud/stays" 'other words'
    expect_equal "$(bucket cat stays)" 'other words'
}

# Foreign: who copies a bucket to another place and back, without what is beside its objects, brings back no document
# that was deleted, and a symbolic link stays one
copies_that_come_back() {
    local name
    own_bucket
    device alice
    device bob
    for name in doc gone; do write_to "$alice/Cloud/$name" text; done
    ln -s 'where it points' "$alice/Cloud/link"
    settled
    rm "$alice/Cloud/gone"
    settled
    for name in doc gone link; do bucket cat $name >copy.$name; done
    expect_equal "$(tail -c +34 copy.gone | tr -d '0-9a-f')" '' 'a tombstone'
    for name in doc gone link; do bucket put $name <copy.$name; done
    wait_for 'ls "$alice/Cloud"; [[ $(bucket headers link) == *docfs-kind:symlink* ]]'
    wait_for 'ls "$alice/Cloud"; [[ $(seen_by_others) == $(printf "doc\nlink") ]]'
    settled
    for name in "$alice" "$bob"; do
        expect_list "$name/Cloud" doc link
        expect_equal "$(readlink "$name/Cloud/link")" 'where it points'
        expect_file "$name/Cloud/doc" text
    done
    mv "$bob/Cloud/link" "$bob/Cloud/renamed"
    settled
    expect_equal "$(readlink "$alice/Cloud/renamed")" 'where it points'
}

# Foreign, S25: a document whose object another program removes before it has followed a rename is gone on all devices
# alike
renames_that_others_cross() {
    local name
    device alice
    device bob
    for name in first second; do write_to "$alice/Cloud/$name" "text of $name"; done
    settled
    cat "$bob/Cloud/second"
    between alice 'answer 503 PUT renamed-first' 'answer 503 PUT renamed-second'
    for name in first second; do mv "$alice/Cloud/$name" "$alice/Cloud/renamed-$name"; done
    wait_for '[[ -e $bob/Cloud/renamed-first && -e $bob/Cloud/renamed-second ]]'
    for name in first second; do bucket delete $name; done
    never '! ls "$alice/Cloud" "$bob/Cloud"' 2
    between alice
    settled
    wait_for 'ls "$alice/Cloud" "$bob/Cloud"; [[ -z $(ls "$alice/Cloud" "$bob/Cloud" | grep renamed) ]]'
    settled
    same_trees alice bob
    # Alice, who has written them, has put them into the trash.
    for name in first second; do
        wait_for "grep -rqx 'text of $name' $bob/.docfs/trash/Cloud"
    done
}

# Foreign, S19: what another program deletes or overwrites, and a device still has, is in the trash or the versions
what_others_take_away() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" 'deleted by a stranger'
    write_to "$bob/Cloud/doc" 'overwritten by a stranger'
    settled
    bucket delete dir/doc
    bucket put doc <<<'by a stranger'
    wait_for 'ls "$alice/Cloud/dir" "$bob/Cloud/dir"; [[ ! -e $alice/Cloud/dir/doc && ! -e $bob/Cloud/dir/doc ]]'
    wait_for 'ls "$alice/Cloud" "$bob/Cloud"; grep -qx "by a stranger" "$alice/Cloud/doc"'
    wait_for 'grep -qx "by a stranger" "$bob/Cloud/doc"'
    local mount
    for mount in $alice $bob; do
        wait_for "grep -rqx 'deleted by a stranger' $mount/.docfs/trash/Cloud"
        wait_for "grep -rqx 'overwritten by a stranger' $mount/.docfs/versions/Cloud/doc"
    done
    # What it has written itself it may overwrite as often as it wants.
    bucket put doc <<<'by a stranger again'
    wait_for 'ls "$alice/Cloud"; grep -qx "by a stranger again" "$alice/Cloud/doc"'
    settled
    expect_equal "$(versions_of doc)" 0 'versions beside the trash'
    mkdir -p "$bob/Cloud/dir"
    mv "$(find "$bob/.docfs/trash/Cloud" -type f)" "$bob/Cloud/dir/doc"
    settled
    expect_file "$alice/Cloud/dir/doc" 'deleted by a stranger'
    same_trees alice bob
}

# Foreign, S5: what another program removes with all that is in it is gone for whoever looks into it; what is being
# moved there is not
directories_that_others_remove() {
    bucket put dir/below/one <<<one
    bucket put dir/below/two <<<two
    bucket put other/below/three <<<three
    device alice
    device bob
    wait_for '[[ $(find "$bob/Cloud" -type f | wc -l) == 3 ]]'
    write_to "$alice/Cloud/doc" text
    settled
    between alice 'refuse'
    mv "$alice/Cloud/doc" "$alice/Cloud/dir/below/doc"
    # The others know of the move before the object has followed.
    between alice 'answer 503 PUT dir/below/doc'
    wait_for '[[ -e $bob/Cloud/dir/below/doc ]]'
    bucket delete dir/below/one
    bucket delete dir/below/two
    bucket delete other/below/three
    wait_for 'ls "$bob/Cloud/dir/below"; [[ ! -e $bob/Cloud/dir/below/one && ! -e $bob/Cloud/dir/below/two ]]'
    wait_for 'ls "$bob/Cloud/other/below"; [[ ! -e $bob/Cloud/other ]]'
    expect_file "$bob/Cloud/dir/below/doc" text
    between alice
    settled
    expect_file "$alice/Cloud/dir/below/doc" text
    expect_file "$bob/Cloud/dir/below/doc" text
    expect_equal "$(bucket names | grep -v docfs/)" dir/below/doc 'what is in the bucket'
}

# S33: a prefix inside another container is refused, and the other one shows nothing of it
prefix_in_another_container() {
    own_bucket
    device alice
    mkdir -p "$alice/Cloud/team/docs"
    write_to "$alice/Cloud/team/docs/doc" text
    settled
    BUCKET=${BUCKET%%\?*}/team/docs?${BUCKET#*\?} device bob
    wait_for "grep -q '^Cloud: offline: team/docs/ lies in another container, s3://own-' '$bob/.docfs/status'"
    expect_file "$alice/Cloud/team/docs/doc" text
    expect_list "$alice/Cloud/team/docs" doc
    expect_equal "$(bucket names team/)" team/docs/doc 'what is in the bucket'
    rest_expected=no
}

# S30: keys as long as stores take are shown, read and edited; what the trash cannot hold stays, and the status
# says so
keys_as_long_as_can_be() {
    local directory long
    own_bucket
    directory=$(printf '%0200d/' 1 2 3 4)
    long=$directory$(printf '%0220d' 5)
    expect_equal "${#long}" 1024 'the length of the key'
    bucket put "$long" <<<long
    device alice
    device bob
    wait_for '[[ -e $bob/Cloud/$long ]]'
    settled
    expect_file "$alice/Cloud/$long" long
    append_to "$alice/Cloud/$long" longer
    settled
    expect_file "$bob/Cloud/$long" $'long\nlonger'
    mv "$alice/Cloud/$long" "$alice/Cloud/${directory}short"
    wait_for '[[ -e $bob/Cloud/${directory}short ]]'
    expect_file "$bob/Cloud/${directory}short" $'long\nlonger'
    mv "$bob/Cloud/${directory}short" "$bob/Cloud/short"
    wait_for '[[ -e $alice/Cloud/short ]]'
    long=$directory$(printf '%0220d' 6)
    bucket put "$long" <<<long
    wait_for 'ls "$bob/Cloud/$directory"; [[ -e $bob/Cloud/$long ]]'
    rm "$bob/Cloud/$long"
    wait_for 'grep -q "it is not deleted: the name is too long" "$bob/.docfs/status"'
    is_online alice && is_online bob || fail 'a long key took a device offline'
    expect_file "$alice/Cloud/$long" long
    expect_file "$alice/Cloud/short" $'long\nlonger'
    rest_expected=no
}

# S24: what another program keeps in the object that marks a directory is not lost with the directory
markers_with_bytes() {
    local found
    for found in renamed removed; do
        bucket put $found/ <<<"a note about $found"
        bucket put $found/doc <<<doc
    done
    device alice
    device bob
    wait_for '[[ -e $bob/Cloud/renamed/doc && -e $bob/Cloud/removed/doc ]]'
    settled
    mv "$alice/Cloud/renamed" "$alice/Cloud/elsewhere"
    rm -r "$bob/Cloud/removed"
    settled
    wait_for '! grep -q . < <(bucket names re)'
    found=$(bucket names .docfs/found/)
    expect_equal "$(wc -l <<<"$found")" 2 'bodies that were put aside'
    expect_equal "$(bucket cat $found | sort)" $'a note about removed\na note about renamed' 'what was in the markers'
    expect_list "$bob/Cloud/elsewhere" doc
    rest_expected=no
}

# recorded: what the change log holds.
recorded() { bucket cat $(bucket names .docfs/log/) | sha256sum; }

# says_of_versioning NAME: the device is offline for it.
says_of_versioning() {
    wait_for "grep -q '^Cloud: offline: the bucket has versioning, or had it' '$STORY/$1/mnt/.docfs/status'"
}

# S3, S23: with versioning Ceph's gateway honours no condition any more; when a bucket gets it, the devices notice
# by their first write, and say why they stay offline: no record, and no edit, is written over
versioning_that_comes_later() {
    local before
    own_bucket
    device alice
    device bob
    write_to "$alice/Cloud/doc" first
    settled
    expect_file "$bob/Cloud/doc" first
    before=$(recorded)
    bucket versioning Enabled
    write_to "$alice/Cloud/new" 'of alice'
    append_to "$bob/Cloud/doc" 'of bob'
    says_of_versioning alice
    says_of_versioning bob
    expect_equal "$(recorded)" "$before" 'the change log'
    expect_equal "$(bucket cat doc)" first 'the document in the bucket'
    # What is here is read and edited as before, and a start says the same.
    append_to "$alice/Cloud/new" 'and again'
    restart alice
    says_of_versioning alice
    expect_file "$alice/Cloud/new" $'of alice\nand again'
    expect_file "$bob/Cloud/doc" $'first\nof bob'
    bucket versioning Suspended
    restart bob
    says_of_versioning bob
    expect_equal "$(recorded)" "$before" 'the change log'
    rest_expected=no
}

# S16: documents of equal size that meet under one name are compared whole, however large: equal ones are one, others
# are siblings
large_documents_that_meet() {
    device alice
    device bob
    head -c 20M /dev/zero | tr '\0' a >ours
    head -c 20M /dev/zero | tr '\0' b >theirs
    offline alice
    cp ours "$alice/Cloud/same"
    cp ours "$alice/Cloud/other"
    bucket put same <ours
    bucket put other <theirs
    wait_for 'ls "$bob/Cloud"; [[ -e $bob/Cloud/same && -e $bob/Cloud/other ]]'
    online alice
    wait_for '[[ $(ls "$bob/Cloud" | wc -l) == 3 ]]'
    settled
    same_trees alice bob
    cmp ours "$bob/Cloud/same"
    cmp theirs "$alice/Cloud/other"
    cmp ours "$bob/Cloud/other (conflict from alice"*
}

# as_guest COMMAND…: with the keys of the second account.
as_guest() { AWS_ACCESS_KEY_ID=guest AWS_SECRET_ACCESS_KEY=guestsecret "$@"; }

# cannot_be_changed MOUNT: nothing in its scope, where there is a document `doc` and a directory `dir`.
cannot_be_changed() {
    local cloud=$1/Cloud local=$1/Local
    refused EROFS touch "$cloud/new"
    refused EROFS touch "$cloud/doc"
    refused EROFS mkdir "$cloud/new"
    refused EROFS ln -s doc "$cloud/new"
    refused EROFS mkfifo "$cloud/new"
    refused EROFS rm -f "$cloud/doc"
    refused EROFS rmdir "$cloud/dir"
    refused EROFS truncate -s 1 "$cloud/doc"
    refused EROFS bash -c "echo more >>'$cloud/doc'"
    refused EROFS chmod 600 "$cloud/doc"
    refused EROFS setfattr -n user.mine -v text "$cloud/doc"
    refused EROFS setfattr -n user.docfs.empty-trash -v . "$cloud"
    refused EROFS probe rename "$cloud/doc" "$cloud/renamed"
    refused EROFS probe rename "$cloud/doc" "$local/doc"
    write_to "$local/mine" text
    refused EROFS probe rename "$local/mine" "$cloud/mine"
    expect_file "$local/mine" text
}

# tried_changes NAME: what a device has asked the store to change, but for finding out whether it may.
tried_changes() {
    grep -vE '^(GET|HEAD) |^PUT [^ ]*/\.docfs/tmp/probe-rights[? ][^ ]* *403 ' "$STORY/$1/proxy/log" || true
}

# versions_stay ERRNO MOUNT: the earlier version of `doc` cannot be destroyed, and is read.
versions_stay() {
    local versions=$2/.docfs/versions/Cloud/doc
    expect_equal "$(ls "$versions" | wc -l)" 1 'earlier versions'
    refused "$1" rm -f "$versions"/*
    gives 1 docfs versions "$2/Cloud/doc" --remove all
    says "$(words_of "$1")"
    expect_equal "$(cat "$versions"/*)" earlier 'the earlier version'
}

# S12, S32, Foreign: keys that may not write make a scope that is shown and followed, and cannot be changed:
# nothing is written into the bucket, also not for what other programs put there; with more rights it is as any
keys_that_only_read() {
    own_bucket
    device alice
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/below" text
    write_to "$alice/Cloud/doc" earlier
    gives 0 docfs flush --wait "$alice"
    write_to "$alice/Cloud/doc" one
    settled
    bucket grant ListBucket GetObject
    as_guest device bob
    wait_for '[[ -e $bob/Cloud/dir/below && -e $bob/Cloud/doc ]]'
    expect_file "$bob/Cloud/doc" one
    wait_for '[[ $(probe field "$bob" guarantee) == read-only,*AccessDenied* ]]'
    cannot_be_changed "$bob"
    versions_stay EROFS "$bob"
    gives 0 docfs flush --wait "$bob"
    cp "$bob/Cloud/doc" "$bob/Local/copy"
    expect_file "$bob/Local/copy" one
    write_to "$alice/Cloud/doc" two
    mv "$alice/Cloud/dir" "$alice/Cloud/moved"
    rm "$alice/Cloud/moved/below"
    bucket put foreign <<<'by a stranger'
    wait_for 'ls "$alice/Cloud"; [[ -e $bob/Cloud/foreign && -d $bob/Cloud/moved ]]'
    wait_for 'grep -qx two "$bob/Cloud/doc"'
    expect_list "$bob/Cloud" doc foreign moved
    expect_file "$bob/Cloud/foreign" 'by a stranger'
    is_online bob || fail 'bob is offline'
    expect_equal "$(tried_changes bob)" '' 'what bob tried to change'
    # Also where it cannot be asked.
    stop bob
    between bob refuse
    as_guest start bob
    refused EROFS touch "$bob/Cloud/new"
    expect_file "$bob/Cloud/doc" two
    between bob
    bucket grant ListBucket GetObject PutObject DeleteObject
    as_guest restart bob
    wait_for 'touch "$bob/Cloud/new" 2>/dev/null'
    settled
    expect_present "$alice/Cloud/new"
    [[ $(probe field "$bob" guarantee) != *read-only* ]] || fail 'it says that it is read-only'
    gives 0 docfs versions "$bob/Cloud/doc" --remove all
}

# shows_what_is_there MOUNT: what a bucket has in which there was no container when bob came: he has seen what was
# put and replaced there since, and read it.
shows_what_is_there() {
    expect_list "$1/Cloud" dir doc
    expect_list "$1/Cloud/dir" below later
    expect_file "$1/Cloud/doc" two
    expect_file "$1/Cloud/dir/later" 'by a stranger'
}

# S12, S32, Foreign: keys that may not write, and a bucket in which there is no container: what other programs have
# put there is shown, read and followed, and cannot be changed; nothing is written into it. Once there is a container
# it is that one's scope
bucket_that_is_only_read() {
    own_bucket
    bucket put dir/below <<<text
    bucket put doc <<<one
    bucket grant ListBucket GetObject
    as_guest device bob
    wait_for '[[ -e $bob/Cloud/dir/below && -e $bob/Cloud/doc ]]'
    expect_file "$bob/Cloud/doc" one
    wait_for '[[ $(probe field "$bob" guarantee) == read-only,*AccessDenied*"no container"* ]]'
    cannot_be_changed "$bob"
    gives 0 docfs flush --wait "$bob"
    bucket put doc <<<two
    bucket put dir/later <<<'by a stranger'
    wait_for 'ls "$bob/Cloud" "$bob/Cloud/dir"; [[ -e $bob/Cloud/dir/later ]] && grep -qx two "$bob/Cloud/doc"'
    shows_what_is_there "$bob"
    is_online bob || fail 'bob is offline'
    # Also where it cannot be asked, and after that.
    stop bob
    between bob refuse
    as_guest start bob
    shows_what_is_there "$bob"
    refused EROFS touch "$bob/Cloud/new"
    between bob
    wait_for 'is_online bob'
    shows_what_is_there "$bob"
    expect_equal "$(bucket keys | sort | tr '\n' ' ')" 'dir/below dir/later doc ' 'what is in the bucket'
    expect_equal "$(tried_changes bob)" '' 'what bob tried to change'
    device alice
    write_to "$alice/Cloud/new" 'of alice'
    gives 0 docfs flush --wait "$alice"
    as_guest restart bob
    wait_for '[[ -e $bob/Cloud/new ]]'
    expect_file "$bob/Cloud/new" 'of alice'
    rm "$alice/Cloud/new"
    wait_for '[[ ! -e $bob/Cloud/new ]]'
    shows_what_is_there "$bob"
    wait_for '[[ $(probe field "$bob" guarantee) == read-only,*AccessDenied* ]]'
    [[ $(probe field "$bob" guarantee) != *"no container"* ]] || fail 'it says that there is no container'
    refused EROFS touch "$bob/Cloud/new"
    bucket grant ListBucket GetObject PutObject DeleteObject
    as_guest restart bob
    wait_for 'touch "$bob/Cloud/new" 2>/dev/null'
    settled
    same_trees alice bob
}

# S12, S32, Foreign: an empty bucket that may only be read is no scope yet; one that was only read becomes a container
# as soon as the keys may write, and what was here is the same still
bucket_that_was_only_read() {
    own_bucket
    bucket grant ListBucket GetObject
    as_guest device bob
    wait_for '[[ $(probe field "$bob" error) == *"there is no container, and none may be made"* ]]'
    bucket put dir/below <<<text
    bucket put doc <<<one
    # The bucket may be listed between the two.
    wait_for 'ls "$bob/Cloud" "$bob/Cloud/dir"; [[ -e $bob/Cloud/dir/below && -e $bob/Cloud/doc ]]'
    expect_file "$bob/Cloud/doc" one
    number=$(stat -c %i "$bob/Cloud/doc")
    bucket grant ListBucket GetObject PutObject DeleteObject
    as_guest restart bob
    wait_for 'append_to "$bob/Cloud/doc" two 2>/dev/null'
    settled
    expect_equal "$(stat -c %i "$bob/Cloud/doc")" "$number" 'the number of the file'
    [[ $(probe field "$bob" guarantee) != *read-only* ]] || fail 'it says that it is read-only'
    device alice
    wait_for '[[ -e $alice/Cloud/dir/below && -e $alice/Cloud/doc ]]'
    expect_file "$alice/Cloud/doc" $'one\ntwo'
    expect_list "$bob/Cloud" dir doc
    settled
    same_trees alice bob
}

# S12, S32, Foreign: what waits to be sent when the keys lose their rights waits on, and says why
keys_that_lose_their_rights() {
    own_bucket
    bucket grant ListBucket GetObject PutObject DeleteObject
    device alice
    as_guest device bob
    write_to "$bob/Cloud/doc" one
    settled
    between bob refuse
    append_to "$bob/Cloud/doc" two
    write_to "$bob/Cloud/new" text
    bucket grant ListBucket GetObject
    between bob
    wait_for '[[ $(probe field "$bob" guarantee) == read-only* ]]'
    wait_for '[[ $(getfattr --only-values -n user.docfs.error "$bob/Cloud/new" 2>&1) == *read-only* ]]'
    gives 1 docfs flush --wait "$bob"
    says 'read-only'
    refused EROFS touch "$bob/Cloud/newer"
    expect_file "$bob/Cloud/doc" $'one\ntwo'
    write_to "$alice/Cloud/other" text
    wait_for '[[ -e $bob/Cloud/other ]]'
    bucket grant ListBucket GetObject PutObject DeleteObject
    as_guest restart bob
    settled
    expect_file "$alice/Cloud/doc" $'one\ntwo'
    expect_file "$alice/Cloud/new" text
}

# S12, S32, Foreign: keys that may not delete cost what needs it, and no more
keys_that_do_not_delete() {
    own_bucket
    bucket grant ListBucket GetObject PutObject
    as_guest device alice
    as_guest device bob
    wait_for '[[ $(probe field "$alice" guarantee) == *"may not delete"*AccessDenied* ]]'
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" text
    write_to "$alice/Cloud/goes" text
    write_to "$alice/Cloud/doc" earlier
    settled
    mv "$alice/Cloud/dir/doc" "$alice/Cloud/moved"
    rm "$alice/Cloud/goes"
    write_to "$alice/Cloud/doc" one
    settled
    expect_list "$bob/Cloud" dir doc moved
    expect_file "$bob/Cloud/moved" text
    versions_stay EACCES "$alice"
    rmdir "$alice/Cloud/dir"
    wait_for '[[ $(probe field "$alice" failures) == *AccessDenied* ]]'
    write_to "$bob/Cloud/later" text
    wait_for '[[ -e $alice/Cloud/later ]]'
    is_online alice || fail 'alice is offline'
    bucket grant ListBucket GetObject PutObject DeleteObject
    as_guest restart alice
    as_guest restart bob
    settled
    expect_list "$bob/Cloud" doc later moved
    gives 0 docfs versions "$alice/Cloud/doc" --remove all
}

# S12, Foreign: keys for one prefix alone, which are refused what is not there, do all that others do there
keys_for_one_prefix() {
    own_bucket team/alpha
    bucket grant ListBucket GetObject PutObject DeleteObject
    as_guest device alice
    device bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" one
    settled
    append_to "$bob/Cloud/dir/doc" two
    settled
    mv "$alice/Cloud/dir" "$alice/Cloud/moved"
    bucket put moved/foreign <<<'by a stranger'
    settled
    wait_for 'ls "$alice/Cloud/moved"; [[ -e $alice/Cloud/moved/foreign ]]'
    whole alice bob
    expect_file "$alice/Cloud/moved/doc" $'one\ntwo'
    rm -r "$alice/Cloud/moved"
    settled
    expect_list "$bob/Cloud"
}
