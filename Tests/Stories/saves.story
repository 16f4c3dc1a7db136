# S14a: what a save was made from, and what it replaces.

# keep DEVICE HOW DOCUMENT…: a program of DEVICE for each document, which goes on until the story ends.
keep() {
    local name=$1 how=$2 document
    shift 2
    for document; do
        probe keeper "$STORY/$name/mnt/Cloud/$document" "$name" "$how" "$STORY/$name.$document" &
        keepers+=($!) orders+=("$name.$document")
        wait_for "[[ -e $name.$document.0.done ]] || ! kill -0 $!"
    done
}

# save DEVICE NUMBER DOCUMENT…: its programs save for the NUMBERth time, which the other device sees.
save() {
    local name=$1 number=$2 document
    shift 2
    for document; do touch "$name.$document.$number"; done
    for document; do wait_for "[[ -e $name.$document.$number.done ]] || ! kill -0 ${keepers[*]}"; done
    if [[ $settle == 600 ]]; then sent "$name"; else settled; fi
}

end_keepers() {
    local order
    for order in "${orders[@]}"; do touch "$order.end"; done
    wait "${keepers[@]}"
}

# S14a: a program that reads the whole document just before it saves works on it from two devices
read_before_each_save() {
    local keepers=() orders=() how name number
    device alice
    device bob
    for how in rename truncate lock; do write_to "$alice/Cloud/$how" begun; done
    settled
    for name in alice bob; do
        for how in rename truncate lock; do keep $name $how $how; done
    done
    for number in 1 2 3; do
        save alice $number rename truncate lock
        save bob $number rename truncate lock
    done
    end_keepers
    same_trees alice bob
    for how in rename truncate lock; do
        expect_no_conflict "$alice/Cloud/$how"
        expect_equal "$(tr '\n' , <"$alice/Cloud/$how")" \
            'begun,alice 1,bob 1,alice 2,bob 2,alice 3,bob 3,' "$how"
    done
}

# S14a: a program that saves from memory again and again keeps one conflict version
saves_from_memory() {
    local keepers=() orders=() how name number sibling
    # However slow the machine is, a save is one version as long as it does not settle half done.
    settle=600
    device alice
    device bob
    local hows=(dump swap backup renewed remade)
    for how in "${hows[@]}"; do write_to "$alice/Cloud/$how" begun; done
    sent alice
    for name in alice bob; do
        for how in "${hows[@]}"; do keep $name $how $how; done
    done
    for number in 1 2 3; do
        save alice $number "${hows[@]}"
        save bob $number "${hows[@]}"
    done
    end_keepers
    # Names like these stay on their devices.
    rm "$alice/Cloud/"*~ "$bob/Cloud/"*~
    same_trees alice bob
    for how in "${hows[@]}"; do
        expect_equal "$(tr '\n' , <"$alice/Cloud/$how")" 'begun,alice 1,alice 2,alice 3,' "$how"
        sibling=$(expect_conflict "$alice/Cloud/$how" bob)
        expect_equal "$(tr '\n' , <"$sibling")" 'begun,bob 1,bob 2,bob 3,' "$sibling"
        expect_equal "$(versions_of "${sibling##*/}")" 2 "earlier versions of $sibling"
    done
}

# S14a: a conflict version that somebody has edited is not what the next save from memory replaces
edited_sibling_stays() {
    local keepers=() orders=() sibling
    device alice
    device bob
    write_to "$alice/Cloud/doc" begun
    settled
    keep bob dump doc
    append_to "$alice/Cloud/doc" 'alice 1'
    settled
    save bob 1 doc
    sibling=$(expect_conflict "$bob/Cloud/doc" bob)
    append_to "$sibling" 'by hand'
    settled
    save bob 2 doc
    end_keepers
    same_trees alice bob
    expect_equal "$(tr '\n' , <"$sibling")" 'begun,bob 1,by hand,'
    expect_equal "$(conflicts_of "$bob/Cloud/doc" | wc -l)" 2 'conflict versions'
}

# conflict NUMBER: both devices save `doc` at once, and bob's save gets into a conflict.
conflict() {
    offline bob
    write_to "$bob/Cloud/doc" "bob $1"
    write_to "$alice/Cloud/doc" "alice $1"
    settled
    online bob
    settled
}

# S14a: what gets into a conflict within minutes goes into one conflict version, also after a kill
one_sibling_for_a_burst() {
    local number sibling
    device alice
    device bob
    write_to "$alice/Cloud/doc" begun
    settled
    for number in 1 2 3; do
        conflict $number
        kill9 bob
        restart bob
    done
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/doc" 'alice 3'
    sibling=$(expect_conflict "$alice/Cloud/doc" bob)
    expect_file "$sibling" 'bob 3'
    expect_equal "$(versions_of "${sibling##*/}")" 2 'earlier versions of the conflict version'
    for number in 1 2; do kept alice -x "bob $number" || fail "what bob saved first is nowhere"; done
}

# S14a: a conflict version that somebody has opened stays as it is
opened_sibling_stays() {
    local sibling
    device alice
    device bob
    write_to "$alice/Cloud/doc" begun
    settled
    conflict 1
    sibling=$(expect_conflict "$bob/Cloud/doc" bob)
    expect_file "$sibling" 'bob 1'
    conflict 2
    same_trees alice bob
    expect_file "$sibling" 'bob 1'
    expect_equal "$(conflicts_of "$bob/Cloud/doc" | wc -l)" 2 'conflict versions'
}

# stale BACKUPS KEYS COMMAND…: an editor of bob's that was open while a version arrived, and then saves by
# KEYS in spite of its warning, makes a conflict version, also if it copies what arrived to BACKUPS.
stale() {
    local backups=$1 keys=$2
    shift 2
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'version one'
    settled
    probe typing "$keys" "$@" "$bob/Cloud/doc" &
    local editor=$!
    wait_for '[[ -e seen ]]'
    write_to "$alice/Cloud/doc" 'version two'
    settled
    touch go
    wait $editor
    expect_equal "$(cd "$bob/Cloud" && ls | grep '~$')" "$backups" 'backups'
    rm -f "$bob/Cloud/doc~"
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/doc" 'version two'
    expect_file "$(expect_conflict "$alice/Cloud/doc" bob)" 'new version one'
}

# S14a: vim that copies its backup, with a buffer older than what arrived
stale_vim_copies() {
    needs vim
    stale doc~ "inew |!$STORY/seen|%$STORY/go|\x1b:set noautoread backup backupcopy=yes backupskip=\r:w!\r|y|\r|:q!\r" \
        vim -N -u NONE
}

# S14a: emacs that copies its backup, with a buffer older than what arrived
stale_emacs_copies() {
    needs emacs
    stale doc~ "new |!$STORY/seen|%$STORY/go|^X^S|yes\r|^X^C" emacs -nw -Q --eval \
        '(setq backup-by-copying t backup-enable-predicate (lambda (name) t))'
}

# S14a: nano, which makes no backup of what has changed, with a buffer older than what arrived
stale_nano() {
    needs nano
    stale '' "new |!$STORY/seen|%$STORY/go|^O|\r|y|^X" nano -B
}
