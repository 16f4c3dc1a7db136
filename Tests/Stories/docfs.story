# The program docfs: what is going on, and what is here.

# Tools: docfs has docfs-mount's version, teaches by --help, and ends with 2 after a wrong word
docfs_usage() {
    gives 0 docfs --version
    expect_equal "$said" "$("$DOCFS_MOUNT" --version)"
    gives 0 docfs --help
    says 'docfs resolve'
    says 'docfs restore'
    local verb
    for verb in $(docfs --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
        gives 0 docfs "$verb" --help
    done
    gives 2 docfs nonsense
    gives 2 docfs download
    gives 2 docfs find --larger much
    gives 1 docfs status
    says 'not mounted'
    gives 1 docfs status /etc/passwd
    says 'is not in a mount'
}

# Tools: the mount is found from a path, from the working directory, or since it is the only one
docfs_finds_its_mount() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    gives 0 docfs status
    says "DocFS on $alice"
    device bob
    gives 1 docfs status
    says "$alice, $bob"
    cd "$bob/Cloud"
    gives 0 docfs status
    says "DocFS on $bob"
    gives 0 docfs status doc
    says 'not here'
    cd "$STORY"
    ln -s "$alice/Cloud/doc" link
    gives 0 docfs status link
    says 'here'
}

# S3, Control: status tells of the containers, of documents, and the same in JSON
docfs_status() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" text
    write_to "$alice/Local/mine" text
    write_to "$alice/Cloud/.x.swp" scratch
    settled
    gives 0 docfs status "$alice"
    says 'online'
    says '1, '
    says 'nothing, all is stored'
    expect_equal "$(docfs status "$bob" --json | jq -c '.scopes[0] | [.name, .online, .bytes, .bytesHere]')" \
        '["Cloud",true,5,0]'
    expect_equal "$(docfs status "$alice/Cloud/dir" --json | jq -c '[.download, .upload, .size, .type]')" \
        '["current","uploaded",5,"file"]'
    expect_equal "$(docfs status "$bob/Cloud/dir/doc" --json | jq -r '.download')" none
    # What ControlProgram promises to programs.
    expect_equal "$(docfs status "$bob" --json | jq -c '[keys, (.scopes[0] | keys)]')" \
        '[["mount","notes","scopes","types","version"],["bytes","bytesHere","bytesWaiting","conflicts","documents","downloading","escaped","excluded","failures","heldDeletes","journal","leavingVersions","leftOut","mending","name","online","open","outdated","pending","readOnly","receiving","sending","setAside","store","unlisted","updatesWaiting","uploading","waiting"]]'
    expect_equal "$(docfs status "$bob/Cloud/dir/doc" --json | jq -c keys)" \
        '["conflicts","documentType","download","downloadPercent","error","id","isDownloading","modified","path","pin","scope","size","state","type","upload"]'
    gives 0 docfs status "$alice/Local/mine" "$alice/Cloud/.x.swp"
    says 'on this computer'
    says 'this device only'
    gives 1 docfs status "$alice/Cloud/absent" "$alice/Cloud/dir"
    says 'No such file'
    says 'dir/doc'
    offline alice
    write_to "$alice/Cloud/dir/doc" more
    wait_for "[[ \$(docfs status $alice) == *'waiting    1'* ]]"
    gives 0 docfs status "$alice"
    says 'offline'
    gives 0 docfs status "$alice/Cloud/dir/doc"
    says 'waiting'
    online alice
}

# S3, Control: status says how far what is moving is, how fast it goes, and how long it still takes
docfs_status_of_what_moves() {
    device alice
    settled
    slow_folder "$container"
    # moves DIRECTION GATE CONDITION: 8 MiB are on their way, in a way that meets the condition; where they do not
    # meet it yet, more of them are let through.
    moves() {
        local now
        now=$(docfs status "$alice" --json | jq -c ".scopes[0].$1")
        jq -e '.total == 8388608 and .done < .total' <<<"$now" || return
        ! jq -e "$3" <<<"$now" || return 0
        let_through=$((let_through + (1 << 18)))
        ((let_through < 8 << 20)) || fail "$1: $now"
        echo $let_through >control/next
        mv control/next "control/$2"
        return 1
    }
    local let_through=$((1 << 20))
    echo $let_through >control/writes
    big "$alice/Cloud/large" 8 mark-of-large
    wait_for "moves sending writes '.done > 0 and .rate > 0'"
    wait_for "moves sending writes '.done > 1048576'"
    wait_for "grep 'sending .* of 8.* MiB, .*/s, .* left' <(docfs status $alice) || moves sending writes false"
    expect_equal "$(docfs status "$alice" --json | jq '.scopes[0].bytesWaiting')" $((8 << 20))
    local percent
    percent=$(attr "$alice/Cloud/large" upload.percent)
    ((percent > 0 && percent < 100)) || fail "upload.percent: $percent"
    rm control/writes
    settled
    expect_equal "$(attr "$alice/Cloud/large" upload.percent)" 100
    expect_equal "$(docfs status "$alice" --json | jq -c '.scopes[0] | [.sending.done, .sending.total, .bytesWaiting]')" \
        '[0,0,0]'
    docfs evict "$alice/Cloud/large"
    let_through=$((1 << 20))
    echo $let_through >control/reads
    "$DOCFS" download "$alice/Cloud/large" >words 2>&1 &
    local download=$!
    wait_for "moves receiving reads '.done > 0 and .rate > 0'"
    wait_for "moves receiving reads '.done > 1048576'"
    rm control/reads
    wait $download || fail "not downloaded: $(cat words)"
    expect_equal "$(docfs status "$alice" --json | jq '.scopes[0].receiving.total')" 0
    usual_folder
}

# S30, Tools: names are bytes for docfs too, and move no cursor
docfs_takes_any_name() {
    device alice
    local name
    for name in $'\xff.txt' $'a\nb' '-x' 'ü (1)' '100%25'; do
        write_to "$alice/Cloud/$name" text
    done
    settled
    cd "$alice/Cloud"
    for name in $'\xff.txt' $'a\nb' '-x' 'ü (1)' '100%25'; do
        gives 0 docfs status -- "$name"
    done
    expect_equal "$(docfs find -0 . | sort -z | xxd -p)" "$(find . -mindepth 1 -print0 | sort -z | xxd -p)"
    expect_equal "$(docfs find --json . | jq -r .path | grep -c .)" 6
    docfs evict .
    docfs download .
    cd "$STORY"
}

# S11, Control: download brings a whole tree, evict drops it, and what may not go says why
docfs_download_and_evict() {
    device alice
    mkdir -p "$alice/Cloud/dir/deep"
    local i
    for i in {1..40}; do write_to "$alice/Cloud/dir/deep/doc $i" "document $i"; done
    big "$alice/Cloud/dir/large" 3 mark-of-large
    ln -s large "$alice/Cloud/dir/link"
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/dir/large ]]"
    settled
    gives 0 docfs download "$bob/Cloud/dir"
    says '41 downloaded'
    has_bytes bob mark-of-large || fail 'not here'
    gives 0 docfs find --state not-here "$bob/Cloud"
    expect_equal "$said" ''
    gives 0 docfs download "$bob/Cloud"
    says 'here already'
    exec 3<"$bob/Cloud/dir/deep/doc 7"
    gives 1 docfs evict "$bob/Cloud/dir"
    says 'doc 7: it is open'
    says '40 evicted'
    exec 3<&-
    wait_for 'docfs evict "$bob/Cloud/dir"'
    expect_no_bytes bob mark-of-large
    gives 1 docfs evict "$bob/Local"
    says 'of this computer'
    offline bob
    write_to "$bob/Cloud/dir/deep/doc 8" edited
    gives 1 docfs evict "$bob/Cloud/dir/deep/doc 8"
    says 'does not have its last edit'
    gives 1 docfs download "$bob/Cloud/dir/large"
    says 'large: '
    online bob
    settled
    gives 0 docfs download "$bob/Cloud/dir/large"
    cmp "$alice/Cloud/dir/large" "$bob/Cloud/dir/large"
}

# S11, Control: pin brings and holds documents, unpin lets one of a pinned directory go
docfs_pin_and_unpin() {
    device alice
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/one" 1
    write_to "$alice/Cloud/dir/two" 2
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/dir/two ]]"
    gives 0 docfs pin "$bob/Cloud/dir"
    says '2 downloaded'
    gives 1 docfs evict "$bob/Cloud/dir/one"
    says 'pinned'
    gives 0 docfs status "$bob/Cloud"
    says 'pinned'
    gives 0 docfs unpin "$bob/Cloud/dir/one"
    wait_for 'docfs evict "$bob/Cloud/dir/one"'
    gives 1 docfs evict "$bob/Cloud/dir/two"
    gives 0 docfs unpin "$bob/Cloud/dir"
    wait_for 'docfs evict "$bob/Cloud/dir/two"'
}

# catches_interrupts PROCESS: it is docfs already, no shell that will be, and handles SIGINT.
catches_interrupts() {
    [[ $(<"/proc/$1/comm") == docfs ]] && ((0x$(sed -n 's/^SigCgt:\t//p' "/proc/$1/status") & 2))
}

# S12, S14, Control: flush ends the settle time, of one document or of all, sends what is open, and
# waits until the container has it; offline, says so
docfs_flush() {
    settle=600
    device alice
    local i
    for i in {1..20}; do write_to "$alice/Cloud/doc $i" "document $i"; done
    mkdir -p "$alice/Cloud/dir" "$alice/Cloud/new/deeper"
    write_to "$alice/Cloud/dir/below" text
    write_to "$alice/Cloud/new/deeper/doc" text
    gives 0 docfs flush --wait "$alice/Cloud/doc 7"
    documents() { stored . | grep -v '^\.docfs/' | sort; }
    expect_equal "$(documents)" 'doc 7'
    gives 0 docfs flush --wait "$alice/Cloud/dir"
    expect_equal "$(documents)" $'dir/below\ndoc 7'
    gives 0 docfs flush --wait "$alice/Cloud/new/deeper/doc"
    expect_equal "$(documents)" $'dir/below\ndoc 7\nnew/deeper/doc'
    gives 0 docfs flush --wait "$alice"
    says 'all is stored'
    expect_equal "$(stored . | grep -c '^doc ')" 20
    exec 3>"$alice/Cloud/open"
    # At once, however lately it was sent.
    for i in one two; do
        printf '%s\n' "$i" >&3
        gives 0 docfs flush --wait "$alice/Cloud/open"
    done
    expect_equal "$(stored . | grep -c '^open$')" 1
    exec 3>&-
    rm "$alice/Cloud/doc 1"
    mv "$alice/Cloud/doc 2" "$alice/Cloud/renamed"
    gives 0 docfs flush --wait "$alice"
    expect_equal "$(stored . | grep -c '^doc ')" 18
    expect_equal "$(stored . | grep -c '^renamed$')" 1
    write_to "$alice/Cloud/late" text
    setfattr -n user.docfs.upload -v now "$alice/Cloud/late"
    wait_for 'grep -qx late < <(stored .)'
    refused EINVAL setfattr -n user.docfs.upload -v later "$alice/Cloud/late"
    settle=0.2
    restart alice
    offline alice
    write_to "$alice/Cloud/doc 3" edited
    gives 1 docfs flush --wait "$alice"
    says 'offline'
    gives 1 docfs flush --wait "$alice/Cloud/doc 3"
    says 'offline'
    gives 0 docfs flush "$alice"
    online alice
    settled
}

# S12, S14, Control: flush of a container waits for deletes too, and for a mount beside a document of it
docfs_flush_of_deletes() {
    device alice
    write_to "$alice/Cloud/doc" text
    write_to "$alice/Cloud/other" text
    settled
    settle=600
    restart alice
    rm "$alice/Cloud/doc"
    gives 0 docfs flush --wait "$alice/Cloud"
    says 'all is stored'
    expect_absent "$container/doc"
    rm "$alice/Cloud/other"
    write_to "$alice/Cloud/new" text
    gives 0 docfs flush --wait "$alice/Cloud/new" "$alice"
    expect_absent "$container/other"
    expect_file "$container/new" text
    offline alice
    rm "$alice/Cloud/new"
    gives 1 docfs flush --wait "$alice/Cloud"
    says 'offline'
    online alice
    wait_for 'docfs flush --wait "$alice/Cloud"'
    expect_absent "$container/new"
    settle=0.2
    restart alice
    settled
}

# S12, Control: flush never says that all is stored once nobody knows that any more
docfs_flush_of_what_goes() {
    device alice --deadline 600
    settled
    slow_folder "$container"
    touch control/writes
    write_to "$alice/Cloud/doc" text
    wait_for "[[ \$(getfattr --only-values -n user.docfs.upload $alice/Cloud/doc) == uploading ]]"
    "$DOCFS" flush --wait "$alice/Cloud/doc" >heard 2>&1 &
    local waiter=$! status=0
    wait_for "catches_interrupts $waiter"
    # It waits, in poll(2), and has not yet to look.
    [[ $(uname -m) != x86_64 ]] || wait_for "[[ \$(cut -d' ' -f1 /proc/$waiter/syscall) == 7 ]]"
    mv "$alice/Cloud/doc" "$alice/Cloud/moved"
    ! timeout 1 tail --pid=$waiter -f /dev/null || fail "moved: $(cat heard)"
    rm control/writes
    stop alice
    wait $waiter || status=$?
    # It may have been stored before the end.
    [[ $status == 1 || -e $container/moved ]] || fail "ended with $status: $(cat heard)"
    start alice
    settled
    expect_file "$container/moved" text
    usual_folder
}

# S14, Control: whoever interrupts flush is told that what it waited for goes on
docfs_flush_interrupted() {
    device alice --deadline 600
    settled
    slow_folder "$container"
    touch control/writes
    write_to "$alice/Cloud/late" text
    "$DOCFS" flush --wait "$alice" >heard 2>&1 &
    local waiter=$! status=0
    wait_for "catches_interrupts $waiter"
    kill -INT $waiter
    wait $waiter || status=$?
    expect_equal $status 1 'exit status after Ctrl-C'
    grep -q 'stopped waiting' heard || fail "wordless: $(cat heard)"
    # What is on its way is not there yet either.
    wait_for "[[ \$(getfattr --only-values -n user.docfs.upload $alice/Cloud/late) == uploading ]]"
    gives 1 timeout --preserve-status --signal=INT 2 "$DOCFS" flush --wait "$alice/Cloud/late"
    says 'stopped waiting'
    rm control/writes
    settled
    expect_file "$container/late" text
    usual_folder
}

# S12, Tools: unmount sends what waits before it ends the mount, names what is not stored, or sends
# nothing if that is wanted
docfs_unmount_sends() {
    settle=600
    device alice --farewell 120
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" text
    gives 0 docfs unmount "$alice"
    expect_equal "$said" ''
    wait_for '! runs alice'
    expect_equal "$(stored . | grep -v '^.docfs')" dir/doc
    start alice
    expect_equal "$(getfattr --only-values -n user.docfs.farewell "$alice")" 120.0
    write_to "$alice/Cloud/kept back" text
    gives 0 docfs unmount --now "$alice"
    says 'Cloud: 1 edit is not in the container yet, and kept here'
    says '  Cloud/kept back'
    wait_for '! runs alice'
    expect_equal "$(stored . | grep -v '^.docfs')" dir/doc
    wait_for "grep -q 'Cloud: 1 edit is not in the container yet.*kept back' alice/log"
    start alice
    settled
    offline alice
    write_to "$alice/Cloud/made offline" text
    # Without a wait for what nobody can send.
    at_once gives 0 docfs unmount "$alice"
    says 'Cloud: 1 edit is not in the container yet, and kept here: '
    says '  Cloud/made offline'
    wait_for '! runs alice'
    online alice
    start alice
    gives 0 docfs flush --wait "$alice"
    exec 3<"$alice/Local"
    gives 1 docfs unmount "$alice"
    exec 3<&-
    expect_equal "$(getfattr --only-values -n user.docfs.farewell "$alice")" 120.0
}

# Tools: unmount ends the mount, and tells when something keeps it
docfs_unmount() {
    device alice
    settled
    exec 3<"$alice/Local"
    gives 1 docfs unmount "$alice/Cloud"
    says 'still mounted'
    exec 3<&-
    gives 0 docfs unmount "$alice/Cloud"
    wait_for '! runs alice'
    ! mountpoint -q "$alice" || fail 'still mounted'
    unset 'process[alice]'
    no_rest
}

# Tools: on a terminal there are colours and progress, in a pipe there are none
docfs_terminal() {
    device alice --deadline 600
    write_to "$alice/Cloud/doc" text
    settled
    ! grep -q $'\e' <(docfs status "$alice") || fail 'colours in a pipe'
    SCREEN=$STORY/screen probe typing '' "$DOCFS" status "$alice"
    grep -q $'\e\[32m' screen || fail "no colours: $(cat screen)"
    # Nothing is sent before the progress is on the screen.
    slow_folder "$container"
    touch control/writes
    write_to "$alice/Cloud/doc" edited
    ENDS=1 probe typing '?sending 0 of 1|^C' "$DOCFS" flush --wait "$alice"
    rm control/writes
    settled
    usual_folder
    write_to "$alice/Cloud/doc" again
    docfs flush --wait "$alice" >piped 2>&1
    expect_equal "$(cat piped)" 'all is stored'
}

# typed NAME: a device whose configuration has document types.
typed() {
    write_to "$STORY/types.toml" '[types.note]
extension = "md"
name = "Note"

[types.photo]
extension = "tar.gz"
naming = "uuid"

[types.scan]
extension = "dat"
name = "Doc"
naming = "uuid"
mime = "application/x-scan"

[types.log]
name = "Log"
naming = "timestamp"'
    device "$1" --config "$STORY/types.toml"
}

# S27: new names by the type's rule, never over a name that is there, in the preferred scope
docfs_makes_documents() {
    typed alice
    cd "$alice"
    gives 0 docfs new note
    says 'Cloud/Note 1.md'
    write_to 'Cloud/Note 7.md' text
    gives 0 docfs new note Cloud
    says 'Cloud/Note 8.md'
    gives 0 docfs new photo
    [[ $said =~ ^Cloud/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.tar\.gz$ ]] ||
        fail "no such name: $said"
    gives 0 docfs new scan
    [[ $said =~ ^Cloud/Doc-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.dat$ ]] ||
        fail "no such name: $said"
    gives 0 docfs new log Local
    [[ $said =~ ^'Local/Log '[0-9]{4}(-[0-9]{2}){2}' '[0-9]{2}(\.[0-9]{2}){2}$ ]] ||
        fail "no such name: $said"
    gives 1 docfs new letter
    says 'log, note, photo, scan'
    expect_file 'Cloud/Note 7.md' text
    docfs prefer local
    gives 0 docfs new note
    says 'Local/Note 1.md'
    cd "$STORY"
    settled
}

# S27, S29: documents are of the type whose extension they have, whoever made them, and are found by it
types_of_documents() {
    typed alice
    mkdir "$alice/Cloud/dir.md" "$alice/Local/dir"
    write_to "$alice/Cloud/one.md" text
    write_to "$alice/Cloud/dir.md/two.MD" text
    write_to "$alice/Cloud/other.gz" text
    write_to "$alice/Cloud/scan.dat" text
    write_to "$alice/Local/dir/three.md" text
    ln -s one.md "$alice/Cloud/link.md"
    settled
    cd "$alice"
    expect_equal "$(attr Cloud/dir.md/two.MD type)" note
    expect_equal "$(attr Cloud/other.gz type)" ''
    expect_equal "$(attr Cloud/dir.md type)" ''
    expect_equal "$(docfs find --type note | sort)" $'Cloud/dir.md/two.MD\nCloud/one.md\nLocal/dir/three.md'
    expect_equal "$(docfs find --type application/X-scan)" Cloud/scan.dat
    expect_equal "$(docfs find --type directory Cloud)" Cloud/dir.md
    expect_equal "$(docfs find --type link)" Cloud/link.md
    expect_equal "$(docfs find --json Cloud --name '*.md' --type file | jq -r .documentType)" note
    expect_equal "$(docfs status --json Cloud/scan.dat | jq -r .documentType)" scan
    gives 1 docfs find --type letter
    says "there is no document type 'letter' (there are file, directory, link, log, note, photo, scan)"
    cd "$STORY"
}

# S28: until somebody has chosen, new documents go to the first container; on a terminal new asks once
docfs_asks_where() {
    typed alice
    cd "$alice"
    gives 0 docfs prefer
    says 'nobody has chosen yet: new documents go to Cloud'
    gives 0 docfs new note
    says 'Cloud/Note 1.md'
    gives 0 docfs prefer
    says 'nobody has chosen yet'
    ! probe typing '^C' "$DOCFS" new note 2>/dev/null || fail 'interrupted, but done'
    expect_equal "$(getfattr --only-values -n user.docfs.prefer .)" ''
    SCREEN=$STORY/screen probe typing 'x2' "$DOCFS" new note
    grep -q 'Cloud, kept in' "$STORY/screen" || fail 'no choice was shown'
    expect_list Local 'Note 1.md'
    expect_equal "$(docfs prefer)" Local
    # From then on nobody is asked.
    SCREEN=$STORY/screen probe typing '' "$DOCFS" new note
    ! grep -q 'Which' "$STORY/screen" || fail 'asked twice'
    expect_list Local 'Note 1.md' 'Note 2.md'
    cd "$STORY"
}

# S28: the preference is kept over restarts, and --move brings all documents there, none over another
docfs_prefers() {
    device alice
    mkdir -p "$alice/Local/dir/deep" "$alice/Cloud/dir"
    write_to "$alice/Local/dir/one.txt" 'of Local'
    write_to "$alice/Local/dir/deep/two.txt" 2
    write_to "$alice/Cloud/dir/one.txt" 'of Cloud'
    write_to "$alice/Local/three.txt" 3
    settled
    cd "$alice"
    gives 1 docfs prefer elsewhere
    gives 0 docfs prefer local
    cd "$STORY"
    restart alice
    cd "$alice"
    expect_equal "$(docfs prefer)" Local
    gives 0 docfs prefer cloud --move
    says 'moved to Cloud'
    cd "$STORY"
    expect_list "$alice/Local"
    expect_list "$alice/Cloud/dir" deep one.txt 'one 2.txt'
    expect_file "$alice/Cloud/dir/one 2.txt" 'of Local'
    expect_equal "$(stored . | grep -v '^.docfs' | sort)" $'dir/deep/two.txt\ndir/one 2.txt\ndir/one.txt\nthree.txt'
    gives 0 docfs prefer local --move --mount "$alice"
    settled
    expect_list "$alice/Cloud"
    expect_equal "$(cd "$STORY/alice/local" && find . -type f -not -path './.docfs/*' | sort)" \
        $'./dir/deep/two.txt\n./dir/one 2.txt\n./dir/one.txt\n./three.txt'
}

# S28, S25: whatever is killed in between, the same command brings the rest, and each document is once
prefer_goes_on_after_kills() {
    device alice
    local i victim moving
    mkdir -p "$alice/Local/dir"
    for ((i = 0; i < 600; i++)); do
        printf 'text %d\n' "$i" >"$alice/Local/$([[ $((i % 2)) == 0 ]] || echo dir/)$i.txt"
    done
    for victim in alice docfs alice; do
        "$DOCFS" prefer cloud --move --mount "$alice" >/dev/null 2>&1 &
        moving=$!
        wait_for "[[ -n \$(ls $alice/Cloud) && -d /proc/$moving || ! -d /proc/$moving ]]"
        sleep "0.0$((RANDOM % 10))"
        if [[ $victim == alice ]]; then kill9 alice; else kill -KILL "$moving" 2>/dev/null || true; fi
        wait "$moving" || true
        [[ $victim != alice ]] || restart alice
    done
    gives 0 docfs prefer cloud --move --mount "$alice"
    settled
    expect_list "$alice/Local"
    expect_equal "$(find "$alice/Cloud" -type f | wc -l)" 600
    expect_equal "$(find "$alice/Cloud" -type f -exec cat {} + | sort -u | wc -l)" 600
    expect_equal "$(stored . | grep -vc "^.docfs")" 600
    # And back, with the bytes.
    "$DOCFS" prefer local --move --mount "$alice" >/dev/null 2>&1 &
    moving=$!
    wait_for "[[ -n \$(ls $alice/Local) ]]"
    kill9 alice
    wait "$moving" || true
    restart alice
    gives 0 docfs prefer local --move --mount "$alice"
    settled
    expect_list "$alice/Cloud"
    expect_equal "$(find "$STORY/alice/local" -type f -not -path '*/.docfs/*' -exec cat {} + | sort -u | wc -l)" 600
    expect_equal "$(stored . | grep -v '^.docfs' || true)" ''
}

# Tools: doctor finds nothing where nothing is wrong, and says what is and what to do where something is
docfs_doctor() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    gives 0 docfs doctor "$alice"
    says 'the store answers'
    offline alice
    gives 1 docfs doctor
    says 'is offline'
    expect_equal "$(docfs doctor --json "$alice" | jq -r 'select(.verdict == "wrong").sentence' | wc -l)" 1
    online alice
    settled
    kill9 alice
    gives 1 docfs doctor
    says 'its daemon has ended'
    gives 1 docfs status
    says 'its daemon has ended'
    gives 0 docfs doctor --repair
    ! mountpoint -q "$alice" || fail 'still mounted'
    start alice
    expect_file "$alice/Cloud/doc" text
}

# Tools: status and doctor tell of a container that no other device has, until another device writes there
lone_folder_is_told() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    expect_file "$container/doc" text
    gives 0 docfs status "$alice"
    says "on this computer's own disk, and no other device has ever written there"
    grep -q "own disk, and no other device" "$alice/.docfs/status" || fail 'not in .docfs/status'
    gives 0 docfs doctor "$alice"
    says 'Cloud: it is on this computer'
    says 'docfs-mount --cloud NAME=URL'
    device bob
    write_to "$bob/Cloud/other" text
    settled
    gives 0 docfs status "$alice"
    [[ $said != *'own disk'* ]] || fail "$said"
    # Nor after a start, when nothing is left of what the other has written.
    rm "$alice/Cloud/other"
    settled
    restart alice
    settled
    gives 0 docfs doctor "$alice"
    [[ $said != *'own disk'* ]] || fail "$said"
}

# S26, Tools: doctor names directories that are packages by their names
doctor_names_packages() {
    device alice
    mkdir -p "$alice/Cloud/Letter.RTFD" "$alice/Cloud/code/.git" "$alice/Cloud/plain.d" "$alice/Local/own.rtfd"
    write_to "$alice/Cloud/note.scriv" 'a file'
    settled
    gives 0 docfs doctor "$alice"
    says 'Cloud/Letter.RTFD: is synchronised file by file'
    says 'Cloud/code/.git: is synchronised file by file'
    expect_equal "$(grep -c 'file by file' <<<"$said")" 2
    mkdir "$alice"/Cloud/{1..12}.pages
    gives 0 docfs doctor "$alice"
    says 'and 4 directories more like these'
}

# S6, Tools: doctor finds documents whose bytes are missing here, and repairs those that the store has
docfs_doctor_checks_bytes() {
    device alice
    mkdir "$alice/Cloud/dir"
    local name
    for name in whole gone short pinned edited; do write_to "$alice/Cloud/dir/$name" "text of $name"; done
    : >"$alice/Cloud/dir/empty"
    settled
    docfs pin "$alice/Cloud/dir/pinned"
    gives 0 docfs doctor "$alice"
    says '6 documents that are on this computer have all their bytes'
    says 'lets no change undo another unseen'
    offline alice
    write_to "$alice/Cloud/dir/edited" 'never sent'
    pass_settle
    local -A numbers=()
    for name in gone short pinned edited; do numbers[$name]=$(ino "$alice/Cloud/dir/$name"); done
    body() { find alice/state/contents -name "${numbers[$1]}"; }
    rm "$(body gone)" "$(body pinned)"
    truncate -s 3 "$(body short)"
    truncate -s 3 "$(body edited)"
    gives 1 docfs doctor "$alice"
    says 'Cloud/dir/gone: its bytes are missing'
    says 'Cloud/dir/pinned: its bytes are missing'
    says 'Cloud/dir/short: has 3 bytes on this computer instead of 14'
    says "Cloud/dir/edited: no container has its last edit, and it has 3 bytes on this computer instead of 11"
    expect_equal "$(docfs doctor --json "$alice" | jq -r 'select(.sentence | startswith("Cloud/dir")).verdict' | sort | uniq -c | xargs)" \
        '4 wrong'
    gives 1 docfs doctor --repair "$alice"
    says 'Cloud/dir/gone: its bytes are missing on this computer; they are fetched'
    # An edit is left as it is.
    expect_equal "$(stat -c %s "$(body edited)")" 3
    expect_equal "$(docfs doctor --json "$alice" | jq -r 'select(.sentence | startswith("Cloud/dir")).verdict' | sort | uniq -c | xargs)" \
        '1 wrong'
    online alice
    wait_for '! is_away alice'
    for name in gone short pinned whole; do expect_file "$alice/Cloud/dir/$name" "text of $name"; done
    expect_equal "$(attr "$alice/Cloud/dir/pinned" pin)" pinned
    expect_equal "$(attr "$alice/Cloud/dir/gone" pin)" inherited
    # What the doctor advises: what is left is brought out, and the document taken away.
    gives 0 docfs doctor --recover out --state alice/state --local alice/local
    expect_equal "$(cat out/Cloud/dir/edited)" nev
    rm "$alice/Cloud/dir/edited"
    settled
    gives 0 docfs doctor "$alice"
}

# Tools: the manual names every verb, every option and every key, and man has nothing to object
docfs_manual() {
    needs man
    local page verb word
    for page in docfs.1 docfs-mount.8 docfs.toml.5; do
        docfs manual $page >$page
        MANWIDTH=300 man --warnings=all -l $page >$page.txt 2>warnings
        expect_equal "$(cat warnings)" '' "warnings of $page"
    done
    for verb in $(docfs --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
        grep -q "docfs $verb" docfs.1.txt || fail "docfs(1) does not tell of $verb"
        for word in $(docfs "$verb" --help | grep -o -- '--[a-z-]*'); do
            [[ $word == --help || $word == --version ]] ||
                grep -q -- "$word" docfs.1.txt || fail "docfs(1) does not tell of $verb $word"
        done
    done
    for word in $("$DOCFS_MOUNT" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
        grep -q -- "$word" docfs-mount.8.txt || fail "docfs-mount(8) does not tell of $word"
        [[ $word =~ ^--(config|version|help|cloud)$ ]] ||
            grep -q -- "${word#--} = " docfs.toml.5.txt || fail "docfs.toml(5) does not tell of $word"
    done
    sed -n '/^EXAMPLE/,/^SEE/p' docfs.toml.5.txt | sed '1d;$d' >example.toml
    device alice --config "$STORY/example.toml"
    cd "$alice"
    gives 0 docfs new note
    cd "$STORY"
}

# Tools: bash and fish complete verbs, options, paths inside a mount, and what was deleted; zsh reads its own
docfs_completions() {
    needs bash fish zsh
    device alice
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc.txt" text
    write_to "$alice/Cloud/dir/gone.txt" text
    settled
    rm "$alice/Cloud/dir/gone.txt"
    settled
    mkdir bin
    ln -s "$DOCFS" bin/docfs
    export PATH=$STORY/bin:$PATH
    local shell
    for shell in bash zsh fish; do docfs manual docfs.$shell >script.$shell; done
    zsh -n script.zsh
    cat >complete.bash <<'SCRIPT'
source script.bash
COMP_LINE=$1 COMP_POINT=${#1}
read -ra COMP_WORDS <<<"$1"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_docfs docfs "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
SCRIPT
    offers() {
        grep -qxF -- "$2" <(bash complete.bash "$1") || fail "bash: '$1' does not offer $2"
        grep -qxF -- "$2" <(fish -c "source script.fish; complete -C '$1'" | cut -f1) ||
            fail "fish: '$1' does not offer $2"
    }
    offers 'docfs sta' status
    offers 'docfs status --js' --json
    offers 'docfs resolve --keep new' newest
    offers "docfs status $alice/Cloud/dir/d" "$alice/Cloud/dir/doc.txt"
    offers "docfs restore $alice/Cloud/dir/" "$alice/Cloud/dir/gone.txt"
}

# S13, Tools: doctor --recover brings out every edit that was never sent, also without a catalog or a daemon
docfs_recovers() {
    local name
    device alice
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/sent" text
    write_to "$alice/Cloud/dir/doc.txt" sent
    write_to "$alice/Local/moved" 'from Local'
    settled
    offline alice
    write_to "$alice/Cloud/dir/doc.txt" 'never sent'
    write_to "$alice/Cloud/new" 'new and never sent'
    mv "$alice/Local/moved" "$alice/Cloud/moved"
    pass_settle
    kill9 alice
    head -c 10000 /dev/urandom | dd of=alice/state/catalog.sqlite conv=notrunc 2>/dev/null
    gives 0 docfs doctor --recover out --state alice/state --local alice/local
    says '3 edits'
    expect_equal "$(cd out && find . -type f | sort)" $'./Cloud/dir/doc.txt\n./Cloud/moved\n./Cloud/new'
    expect_file out/Cloud/dir/doc.txt 'never sent'
    expect_file out/Cloud/new 'new and never sent'
    expect_file out/Cloud/moved 'from Local'
    gives 0 docfs doctor --recover out --state alice/state --local alice/local
    expect_file 'out/Cloud/dir/doc 2.txt' 'never sent'
    start alice
    online alice
    # What was lost with the catalog comes back beside all else.
    for name in dir/doc.txt new moved; do
        wait_for "cmp '$alice/Cloud/$name' 'out/Cloud/$name'"
    done
    settled
    gives 0 docfs doctor --recover out --state alice/state --local alice/local
    says '0 edits'
}
