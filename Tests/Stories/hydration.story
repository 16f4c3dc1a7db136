# Placeholders, and how their bytes come here.

# A document of so many MiB that alice made and that is a placeholder at bob.
placeholder_at_bob() {
    device alice
    big "$alice/Cloud/doc" "$1" mark-of-doc
    settled
    device bob ${2:-}
    wait_for "[[ -e $bob/Cloud/doc ]]"
    expect_placeholder "$bob/Cloud/doc"
}

# S5: the first read fetches the document, and then it is wholly here
first_read() {
    placeholder_at_bob 2
    exec 3<"$bob/Cloud/doc"
    expect_placeholder "$bob/Cloud/doc"
    cmp "$alice/Cloud/doc" - <&3
    wait_for "[[ \$(attr $bob/Cloud/doc download) == current ]]"
    expect_equal "$(attr "$bob/Cloud/doc" download.percent)" 100
    has_bytes bob mark-of-doc || fail 'current, but no byte of it is here'
    offline bob
    cmp "$alice/Cloud/doc" "$bob/Cloud/doc"
}

# S5: a read in the middle of a large document gets its bytes, at the end and past it too
partial_read() {
    placeholder_at_bob 64
    expect_equal "$(probe read "$bob/Cloud/doc" $((40 << 20)) 22)" 'mark-of-doc 0000040960'
    expect_equal "$(probe read "$bob/Cloud/doc" $(((64 << 20) - 2)) 100)" .
    expect_equal "$(probe read "$bob/Cloud/doc" $((64 << 20)) 100)" ''
    expect_equal "$(probe read "$bob/Cloud/doc" 1029 5)" of-do
    cmp "$alice/Cloud/doc" "$bob/Cloud/doc"
}

# S5: a second opener joins the same download, and both read the same bytes
two_readers() {
    placeholder_at_bob 32
    sha256sum <"$bob/Cloud/doc" >one &
    local first=$!
    sha256sum <"$bob/Cloud/doc" >two
    wait $first
    sha256sum <"$alice/Cloud/doc" >wanted
    cmp wanted one
    cmp wanted two
}

# S5: a placeholder is read through mmap, run as a program and copied by the kernel
kernel_reads_placeholders() {
    device alice
    big "$alice/Cloud/mapped" 1 mark-of-mapped
    big "$alice/Cloud/copied" 1 mark-of-copied
    cp /bin/true "$alice/Cloud/program"
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/mapped && -e $bob/Cloud/copied && -e $bob/Cloud/program ]]"
    expect_equal "$(probe mapped "$bob/Cloud/mapped")" "$(sha256sum <"$alice/Cloud/mapped" | cut -d' ' -f1)"
    "$bob/Cloud/program"
    cp --reflink=auto "$bob/Cloud/copied" "$bob/Cloud/again"
    cmp "$alice/Cloud/copied" "$bob/Cloud/again"
}

# bob reads the whole document, right from the first try, and then has it on disk. Before he has the
# container in reach he may refuse what is not here.
read_whole() {
    wait_for '! is_away bob'
    cmp "$alice/Cloud/doc" "$bob/Cloud/doc"
    wait_for '[[ $(attr "$bob/Cloud/doc" download) == current ]]'
}

# S6: a content that was cut short or changed behind our back is never served
damaged_content() {
    placeholder_at_bob 1
    read_whole
    settled
    local content
    content=$(grep -rlsF mark-of-doc "$STORY/bob/state")
    stop bob
    truncate -s 5000 "$content"
    start bob
    read_whole
    settled
    content=$(grep -rlsF mark-of-doc "$STORY/bob/state")
    kill9 bob
    truncate -s 5000 "$content"
    truncate -s $((1 << 20)) "$content"
    start bob
    read_whole
    stop bob
    rm "$(grep -rlsF mark-of-doc "$STORY/bob/state")"
    start bob
    read_whole
}

# S6: a body that changes in the container while it is read is one version or the other, or an error
never_a_mixture() {
    device alice
    device bob
    big "$alice/Cloud/doc" 8 version-one
    settled
    local round
    for round in 1 2 3 4 5 6 7 8; do
        big version 8 "version-$round-x"
        cp version next
        cp "$bob/Cloud/doc" "read" 2>/dev/null &
        sleep "0.0$round"
        mv next "$container/doc"
        wait $! || continue
        expect_equal "$(cut -d' ' -f1 "read" | sort -u | wc -l)" 1 'versions in one reading'
        expect_equal "$(stat -c %s "read")" $((8 << 20))
    done
    wait_for "cmp version $alice/Cloud/doc && cmp version $bob/Cloud/doc"
    settled
    expect_no_conflict "$alice/Cloud/doc"
    same_trees alice bob
}

# A placeholder, of four MiB or so many, behind a folder that can be told not to answer, or to answer
# slowly; bob's deadline is five seconds, or so many.
behind_slow_folder() {
    [[ -x $SLOW_FOLDER ]] || skip 'slow-folder was not built'
    placeholder_at_bob "${1:-4}"
    stop bob
    rm bob/container
    mkdir control bob/container
    setsid "$SLOW_FOLDER" "$container" "$STORY/control" "$STORY/bob/container" &
    echo $! >>"$STORY/pids"
    wait_for 'mountpoint -q bob/container' || skip 'cannot mount here'
    options[bob]="--deadline ${2:-5} --poll 0.5"
    start bob
    wait_for '! is_away bob'
}

# The folder answers again, and bob has the usual way to it.
slow_folder_ends() {
    rm -f control/*
    settled
    stop bob
    umount bob/container
    rmdir bob/container
    ln -s ../container bob/container
    start bob
}

# S7: a reader that waits for a silent store ends at once by SIGINT, SIGTERM and SIGKILL
waiting_reads_end_by_signal() {
    # By no deadline meanwhile.
    behind_slow_folder 4 60
    touch control/reads
    local signal reader
    for signal in INT TERM KILL; do
        bash -c "trap - $signal; exec /usr/bin/python3 -IS -c '
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
document = open(sys.argv[1], \"rb\", buffering=0)
open(sys.argv[2], \"w\").close()
document.read(4096)' $bob/Cloud/doc reads-$signal" 2>/dev/null &
        reader=$!
        wait_for "[[ -e reads-$signal ]] && sleeps $reader"
        kill -$signal $reader
        wait_for "! kill -0 $reader"
    done
    slow_folder_ends
}

# S7: a signal that ends nothing, as SIGWINCH, does not make a waiting read fail
waiting_reads_survive_winch() {
    behind_slow_folder 4 60
    touch control/reads
    /usr/bin/python3 -IS -c '
import os, signal, sys
signal.signal(signal.SIGWINCH, lambda *_: None)
signal.siginterrupt(signal.SIGWINCH, False)
document = os.open(sys.argv[1], os.O_RDONLY)
open("reads", "w").close()
sys.stdout.buffer.write(os.read(document, 11))' "$bob/Cloud/doc" >got 2>said &
    local reader=$! i
    wait_for "[[ -e reads ]] && sleeps $reader"
    for i in 1 2 3; do
        kill -WINCH $reader || fail "the reader did not wait: $(cat got said)"
        wait_for "sleeps $reader"
    done
    rm control/reads
    wait $reader || fail "the reader failed: $(cat said)"
    expect_equal "$(cat got)" mark-of-doc
    slow_folder_ends
}

# S7: without one byte of progress reads end by the deadline, those of mmap and of the kernel too
waiting_reads_end_by_deadline() {
    behind_slow_folder
    touch control/reads
    refused ETIMEDOUT timeout $patience cat "$bob/Cloud/doc"
    local status=0
    timeout $patience /usr/bin/python3 -IS "$here/probe.py" mapped "$bob/Cloud/doc" 2>/dev/null || status=$?
    [[ $status != 0 ]] || bytes_fail 'a mapping showed bytes that nobody had sent'
    [[ $status != 124 ]] || fail 'the mapping never ends'
    at_once ls -l "$bob/Cloud" >/dev/null
    rm control/reads
    wait_for "cmp $alice/Cloud/doc $bob/Cloud/doc"
    slow_folder_ends
}

# S5: documents that are read one after the other need no more descriptors than one
few_descriptors() {
    needs prlimit
    device alice
    mkdir "$alice/Cloud/dir"
    head -c $((400 * 131072)) /dev/urandom | split -a 4 -b 131072 - "$alice/Cloud/dir/document-"
    settled
    wrapper[bob]='prlimit --nofile=160:160'
    device bob
    wait_for "[[ \$(ls $bob/Cloud/dir | wc -l) == 400 ]]"
    cat "$bob"/Cloud/dir/* | cmp - <(cat "$alice"/Cloud/dir/*)
    ! is_away bob || fail 'out of reach for want of descriptors'
}

# a_logind: a bus, $bus, with a logind that does nothing but ask and tell; `logind` has it do so.
a_logind() {
    needs dbus-daemon
    /usr/bin/python3 -I -c 'import dbusmock' || skip 'no python3-dbusmock on this machine'
    export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$STORY/bus
    dbus-daemon --session --nofork --nopidfile --address="$DBUS_SYSTEM_BUS_ADDRESS" >bus.log 2>&1 &
    bus=$!
    echo $bus >>"$STORY/pids"
    wait_for '[[ -S bus ]]'
    /usr/bin/python3 -I -m dbusmock --system --template logind >logind.log 2>&1 &
    echo $! >>"$STORY/pids"
    logind() {
        /usr/bin/python3 -I -c 'import dbus, sys
logind = dbus.SystemBus().get_object("org.freedesktop.login1", "/org/freedesktop/login1")
manager = "org.freedesktop.login1.Manager"
if sys.argv[1] == "inhibitors":
    print(sum(i[1] == "DocFS" for i in logind.ListInhibitors(dbus_interface=manager)))
else:
    signal = "PrepareForShutdown" if sys.argv[1].startswith("shut") else "PrepareForSleep"
    logind.EmitSignal(manager, signal, "b", [sys.argv[1] in ("sleeps", "shuts-down")],
                      dbus_interface="org.freedesktop.DBus.Mock")' "$1"
    }
    wait_for 'logind inhibitors'
}

# S7: before the computer sleeps, what waits for a silent store is answered, and waits again after
sleep_answers_waiting_reads() {
    local bus
    a_logind
    # By no deadline meanwhile.
    behind_slow_folder 4 60
    wait_for '[[ $(logind inhibitors) == 2 ]]'
    touch control/reads
    (exec /usr/bin/python3 -IS "$here/probe.py" mapped "$bob/Cloud/doc") 2>/dev/null &
    local reader=$!
    sleep 0.5
    kill -0 $reader || fail 'the mapping did not wait'
    logind sleeps
    wait_for "! kill -0 $reader"
    wait_for '[[ $(logind inhibitors) == 0 ]]'
    logind wakes
    wait_for '[[ $(logind inhibitors) == 2 ]]'
    rm control/reads
    wait_for "cmp $alice/Cloud/doc $bob/Cloud/doc"
    # A bus that ends while the computer sleeps tells nobody of the end of that.
    wait_for "setfattr -n user.docfs.download -v none $bob/Cloud/doc"
    logind sleeps
    wait_for '[[ $(logind inhibitors) == 0 ]]'
    kill $bus
    wait_for "cmp $alice/Cloud/doc $bob/Cloud/doc"
    slow_folder_ends
}

# S12: before the computer sleeps or is switched off, what waits is sent, also what is open
sleep_sends_what_waits() {
    local bus
    a_logind
    settle=600
    device alice --farewell 120
    wait_for '[[ $(logind inhibitors) == 1 ]]'
    write_to "$alice/Cloud/closed" text
    exec 3>"$alice/Cloud/open"
    echo first >&3
    logind sleeps
    # It is put off until everything is stored.
    wait_for '[[ $(logind inhibitors) == 0 ]]'
    expect_equal "$(stored . | grep -v '^.docfs' | sort)" $'closed\nopen'
    expect_file "$container/open" first
    logind wakes
    wait_for '[[ $(logind inhibitors) == 1 ]]'
    exec 3>&-
    write_to "$alice/Cloud/last" text
    logind shuts-down
    wait_for '[[ $(logind inhibitors) == 0 ]]'
    expect_file "$container/last" text
    # Somebody thought better of it.
    logind shuts-not
    wait_for '[[ $(logind inhibitors) == 1 ]]'
    kill $bus
}

# S7: names are answered from the catalog while the store is silent
names_never_wait() {
    behind_slow_folder
    touch control/all
    sleep 0.2
    at_once ls -l "$bob/Cloud" >/dev/null
    at_once mkdir "$bob/Cloud/dir"
    at_once write_to "$bob/Cloud/dir/new" text
    at_once mv "$bob/Cloud/doc" "$bob/Cloud/dir/moved"
    at_once ln -s moved "$bob/Cloud/dir/link"
    at_once expect_file "$bob/Cloud/dir/new" text
    at_once rm "$bob/Cloud/dir/link"
    at_once mv "$bob/Cloud/dir/new" "$bob/Local/new"
    slow_folder_ends
    settled
    expect_list "$alice/Cloud/dir" moved
    wait_for '[[ -e bob/local/new ]]'
    expect_file bob/local/new text
}

# S7: neither four nor sixteen programs wait behind what is sent, fetched and synced beside them
clients_beside_slow_transfers() {
    # A mebibyte of the download may take longer than the usual deadline.
    behind_slow_folder 48 60
    local reader syncer count slowest
    echo 800 | tee control/delay >control/write-delay
    big sent 48 mark-of-sent
    cp sent "$bob/Cloud/sent"
    wait_for '[[ $(probe field "$bob" uploading) != 0 ]]'
    # What takes longest to begin has begun.
    cat "$bob/Cloud/doc" >"read" &
    reader=$!
    (while [[ ! -e enough ]]; do dd if=sent of="$bob/Cloud/synced" bs=1M conv=fsync; done) 2>/dev/null &
    syncer=$!
    wait_for '[[ $(probe field "$bob" uploading) != 0 ]] &&
        [[ $(probe field "$bob" downloading) != 0 ]]' 60
    for count in 4 16; do
        mkdir "$bob/Cloud/clients"
        slowest=$(probe clients "$bob/Cloud/clients" $count 20)
        echo "say: slowest call of $count programs: $slowest"
        # Some milliseconds on a calm machine; the transfers beside it take most of a minute.
        ((${slowest% ms*} < 3000)) || fail "of $count programs one waited: $slowest"
        rmdir "$bob/Cloud/clients"
    done
    kill -0 $reader || fail 'the download was too fast to be in the way'
    [[ $(probe field "$bob" uploading) != 0 ]] || fail 'the upload was too fast to be in the way'
    rm control/delay control/write-delay
    touch enough
    wait $reader $syncer
    cmp "$alice/Cloud/doc" "read"
    settled
    slow_folder_ends
    cmp sent "$alice/Cloud/sent"
}

# S8: truncating, unlinking, renaming, touching and changing modes and attributes fetches nothing
changes_without_download() {
    device alice
    local name
    for name in cut open removed renamed touched mode attribute; do
        big "$alice/Cloud/$name" 1 "mark-of-$name"
    done
    settled
    device bob
    wait_for "[[ \$(ls $bob/Cloud | wc -l) == 7 ]]"
    cd "$bob/Cloud"
    : >cut
    printf 'new\n' >open
    rm removed
    mv renamed elsewhere
    touch -d '2001-01-01' touched
    chmod 600 mode
    setfattr -n user.mine -v yes attribute
    cd "$STORY"
    settled
    for name in cut open removed renamed touched mode attribute; do
        expect_no_bytes bob "mark-of-$name"
    done
    for name in elsewhere touched mode attribute; do expect_placeholder "$bob/Cloud/$name"; done
    same_trees alice bob
    expect_file "$alice/Cloud/open" new
    expect_equal "$(stat -c %s "$container/cut")" 0
}

# S8: writing into a placeholder is accepted at once, and the rest of its bytes follow
write_into_placeholder() {
    placeholder_at_bob 8
    at_once probe write "$bob/Cloud/doc" $((4 << 20)) written-here
    cp "$alice/Cloud/doc" wanted
    probe write wanted $((4 << 20)) written-here
    cmp wanted "$bob/Cloud/doc"
    settled
    cmp wanted "$container/doc"
    cmp wanted "$alice/Cloud/doc"
    expect_no_conflict "$alice/Cloud/doc"
}

# S8: appending to a placeholder and cutting it in the middle keep what was there
append_to_placeholder() {
    placeholder_at_bob 2
    cp "$alice/Cloud/doc" wanted
    append_to wanted appended
    at_once append_to "$bob/Cloud/doc" appended
    settled
    cmp wanted "$alice/Cloud/doc"
    device carol
    wait_for "[[ -e $carol/Cloud/doc ]]"
    truncate -s 1000000 wanted
    at_once truncate -s 1000000 "$carol/Cloud/doc"
    settled
    cmp wanted "$alice/Cloud/doc"
    cmp wanted "$bob/Cloud/doc"
}

# S8: bytes of a revision that was replaced meanwhile come from the versions
replaced_while_open() {
    placeholder_at_bob 4
    cp "$alice/Cloud/doc" wanted
    exec 3<"$bob/Cloud/doc"
    big replacement 4 mark-of-another
    cp replacement "$alice/Cloud/doc"
    wait_for "[[ \$(mtime $bob/Cloud/doc) == \$(mtime $alice/Cloud/doc) ]]"
    settled
    cmp replacement "$container/doc"
    cmp wanted - <&3 || fail 'the handle did not keep the version that it opened'
    exec 3<&-
    settled
    cmp replacement "$bob/Cloud/doc"
}

# S8: bytes of a document that was deleted meanwhile come from the trash
deleted_while_open() {
    placeholder_at_bob 4
    cp "$alice/Cloud/doc" wanted
    exec 3<"$bob/Cloud/doc"
    rm "$alice/Cloud/doc"
    wait_for "[[ ! -e $bob/Cloud/doc ]]"
    cmp wanted - <&3 || fail 'the handle did not keep the version that it opened'
}

# S11: a pinned directory is kept here: what lies in it, what others put there, and what they change
pinned_directory() {
    device alice
    device bob
    mkdir -p "$alice/Cloud/dir/below" "$alice/Cloud/dir/not"
    write_to "$alice/Cloud/dir/one" one
    write_to "$alice/Cloud/dir/below/two" two
    write_to "$alice/Cloud/dir/not/three" three
    write_to "$alice/Cloud/other" other
    settled
    setfattr -n user.docfs.pin -v unpinned "$bob/Cloud/dir/not"
    setfattr -n user.docfs.pin -v pinned "$bob/Cloud/dir"
    is_here() { [[ $(attr "$bob/Cloud/$1" download) == current ]]; }
    wait_for 'is_here dir/one && is_here dir/below/two'
    refused EBUSY setfattr -n user.docfs.download -v none "$bob/Cloud/dir/one"
    write_to "$alice/Cloud/dir/below/new" new
    write_to "$alice/Cloud/dir/one" 'one more'
    settled
    wait_for 'is_here dir/one && is_here dir/below/new'
    offline alice
    expect_file "$bob/Cloud/dir/one" 'one more'
    expect_equal "$(attr "$bob/Cloud/dir/not/three" download)" none
    expect_equal "$(attr "$bob/Cloud/other" download)" none
    stop bob
    start bob
    expect_equal "$(attr "$bob/Cloud/dir" pin)" pinned
    setfattr -n user.docfs.pin -v inherited "$bob/Cloud/dir"
    wait_for 'setfattr -n user.docfs.download -v none "$bob/Cloud/dir/one"'
}

# S11: what moves into a pinned directory is brought at once, a document or a directory of them
moved_into_pinned() {
    device alice
    device bob
    mkdir "$alice/Cloud/kept" "$alice/Cloud/dir"
    write_to "$alice/Cloud/doc" text
    write_to "$alice/Cloud/dir/below" more
    settled
    setfattr -n user.docfs.pin -v pinned "$bob/Cloud/kept"
    # Nothing is missing there yet, and nobody looks again by himself.
    sleep 3
    mv "$bob/Cloud/doc" "$bob/Cloud/dir" "$bob/Cloud/kept"
    is_here() { [[ $(attr "$bob/Cloud/kept/$1" download) == current ]]; }
    wait_for 'is_here doc && is_here dir/below'
}

# S24, S19: what is deleted or replaced while its bytes are on their way to Local goes from the cloud
removed_on_its_way() {
    behind_slow_folder 4 60
    mkdir "$alice/Cloud/dir"
    cp "$alice/Cloud/doc" "$alice/Cloud/other"
    write_to "$alice/Cloud/small" small
    settled
    cat "$bob/Cloud/small" >/dev/null
    touch control/reads
    mv "$bob/Cloud/doc" "$bob/Cloud/other" "$bob/Local"
    # Longer than what was changed settles: that they are on their way is known.
    sleep 3
    rm "$bob/Local/doc"
    mv "$bob/Cloud/small" "$bob/Local/other"
    rm control/reads
    wait_for '! [[ -e $alice/Cloud/doc || -e $alice/Cloud/other || -e $alice/Cloud/small ]]'
    expect_file "$bob/Local/other" small
    slow_folder_ends
}

# S11: above the limit what was not used for longest goes, and neither what is pinned nor what is open
limited_cache() {
    device alice
    device bob --cache-limit 4M
    local name
    for name in pinned held old later recent last; do big "$alice/Cloud/$name" 1 "$name"; done
    settled
    setfattr -n user.docfs.pin -v pinned "$bob/Cloud/pinned"
    wait_for '[[ $(attr "$bob/Cloud/pinned" download) == current ]]'
    exec 7<"$bob/Cloud/held"
    for name in held old later recent last; do
        cmp "$alice/Cloud/$name" "$bob/Cloud/$name"
        sleep 0.02
    done
    wait_for '[[ $(attr "$bob/Cloud/old" download) == none ]]'
    for name in pinned held last; do
        expect_equal "$(attr "$bob/Cloud/$name" download)" current "$name"
    done
    exec 7<&-
    cmp "$alice/Cloud/old" "$bob/Cloud/old"
}

# S11, S24: what moves to Local is brought there, though it is more than is to be kept
limit_lets_documents_leave() {
    device alice
    device bob --cache-limit 1M
    big "$alice/Cloud/doc" 3 x
    cp "$alice/Cloud/doc" whole
    settled
    offline bob
    mv "$bob/Cloud/doc" "$bob/Local/doc"
    # By then it is looked after every two seconds only, and dropping is quicker.
    sleep 5
    online bob
    wait_for '! [[ -e $alice/Cloud/doc ]]'
    cmp whole "$bob/Local/doc"
}

# S11, S24: what is pinned and moves to Local comes there as the store has it by then
pinned_leaves_too() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" one
    settled
    offline bob
    setfattr -n user.docfs.pin -v pinned "$bob/Cloud/doc"
    mv "$bob/Cloud/doc" "$bob/Local/doc"
    write_to "$alice/Cloud/doc" 'one, and more'
    wait_for '[[ $(attr "$alice/Cloud/doc" upload) == uploaded ]]'
    online bob
    # On disk: until then it is shown there, and is not.
    wait_for '[[ $(cat "$STORY/bob/local/doc") == "one, and more" ]]'
    expect_file "$bob/Local/doc" 'one, and more'
    # Once it has arrived, it has left the container.
    wait_for '! [[ -e $alice/Cloud/doc ]]'
    expect_file "$bob/Local/doc" 'one, and more'
}

# S10: for indexers and thumbnailers nothing is fetched, by program or script; what is here they may read
indexers_fetch_nothing() {
    echo 'never-fetch = ["my-*"]' >quiet.toml
    device alice
    device bob --config "$STORY/quiet.toml"
    write_to "$alice/Cloud/doc" text
    write_to "$alice/Cloud/here" text
    settled
    cat "$bob/Cloud/here" >/dev/null
    cp /bin/cat tumblerd
    cp /bin/cat my-reader
    printf '#!/bin/bash\nread -r line <"$1" && echo "$line"\n' >baloo_file_extractor
    chmod +x baloo_file_extractor
    local program
    for program in ./tumblerd ./my-reader ./baloo_file_extractor; do
        expect_equal "$("$program" "$bob/Cloud/here")" text "what $program reads"
        expect_equal "$("$program" "$bob/Cloud/doc" 2>&1 | grep -c "$(words_of EPERM)")" 1 "$program"
        stat "$bob/Cloud/doc" >/dev/null
        expect_placeholder "$bob/Cloud/doc"
    done
    # Another program's read is its own.
    expect_file "$bob/Cloud/doc" text
    expect_equal "$(./tumblerd "$bob/Cloud/doc")" text
}
