# S14 and S15 with the programs that people save documents with.

# saves COMMAND…: the command, given the document's path, adds `new line` to it.
#
# In the cloud: one new version of the same document, no other name in the store, and the other
# device reads the new bytes. In Local: the plain file has them.
saves() {
    settle=600
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    local doc=$alice/Cloud/dir/note.txt id
    write_to "$doc" 'first line'
    chmod 640 "$doc"
    sent alice
    id=$(id_of "$doc")
    watch_store
    "$@" "$doc" >said 2>&1 || fail "the editor failed: $(cat said)"
    grep -qx 'new line' "$doc" || fail "the editor saved nothing: $(cat "$doc"); $(cat said)"
    sent alice
    expect_equal "$(id_of "$doc")" "$id" 'id after the save'
    expect_equal "$(id_of "$bob/Cloud/dir/note.txt")" "$id" 'id at the other device'
    expect_equal "$(versions_of dir/note.txt)" 1 'earlier versions after one save'
    expect_equal "$(ls -A "$alice/.docfs/versions/Cloud/dir/note.txt" | wc -l)" 1 'versions shown'
    expect_equal "$(grep -vx note.txt store-names | sort -u)" '' 'scratch that reached the store'
    expect_no_conflict "$doc"
    cmp "$doc" "$container/dir/note.txt"
    cmp "$doc" "$bob/Cloud/dir/note.txt"
    expect_equal "$(stat -c %a "$bob/Cloud/dir/note.txt")" 640
    expect_equal "$(mtime "$bob/Cloud/dir/note.txt")" "$(mtime "$doc")"

    mkdir "$alice/Local/dir"
    write_to "$alice/Local/dir/note.txt" 'first line'
    "$@" "$alice/Local/dir/note.txt" >said 2>&1 || fail "the editor failed in Local: $(cat said)"
    grep -qx 'new line' "$STORY/alice/local/dir/note.txt" || fail 'nothing was saved in Local'
}

# vim makes no backups of what is below /tmp, as these stories are, unless `backupskip` is empty.

# S14: vim with backupcopy=no renames the document away and creates it anew
vim_backupcopy_no() {
    needs vim
    saves probe typing 'onew line\x1b:set backupcopy=no backupskip= backup\r:wq\r' vim -N -u NONE
}

# S14: vim with backupcopy=yes truncates and writes in place
vim_backupcopy_yes() {
    needs vim
    saves probe typing 'onew line\x1b:set backupcopy=yes backupskip= backup\r:wq\r' vim -N -u NONE
}

# S14: vim as it comes
vim_defaults() {
    needs vim
    saves probe typing 'onew line\x1b:set backupskip=\r:wq\r' vim
}

# S14: nano truncates and writes
nano_saves() {
    needs nano
    saves probe typing 'new line\r|^O|\r|^X' nano
}

# S14: emacs on a terminal makes a lock link, renames the document to doc~ and creates it anew
emacs_terminal() {
    needs emacs
    saves probe typing 'new line\r|^X^S|^X^C' emacs -nw -Q
}

# S14: emacs with precious files writes a temporary and renames it over
emacs_precious() {
    needs emacs
    saves emacs_batch '(setq file-precious-flag t)'
}

# S14: emacs that copies its backup, and saves in place
emacs_copies() {
    needs emacs
    saves emacs_batch '(setq backup-by-copying t)'
}

emacs_batch() {
    emacs --batch -Q "$2" --eval "(progn $1 (setq make-backup-files t) (goto-char (point-max))
        (insert \"new line\\n\") (save-buffer))"
}

# S14: ed writes in place
ed_saves() {
    needs ed
    with_ed() { printf 'a\nnew line\n.\nw\nq\n' | ed -s "$1"; }
    saves with_ed
}

# S14: sed -i writes a temporary and renames it over
sed_in_place() { saves sed -i '$a new line'; }

# S14: sed -i with a backup suffix leaves doc~ on this device
sed_with_backup() { saves sed -i~ '$a new line'; }

# S14: perl -i
perl_in_place() {
    needs perl
    saves perl -i -pe 's/$/\nnew line/'
}

# S14: the shell truncates and writes
shell_saves() {
    with_shell() { printf 'first line\nnew line\n' >"$1"; }
    saves with_shell
}

# S14: the shell appends
shell_appends() {
    with_append() { echo 'new line' >>"$1"; }
    saves with_append
}

# S14: rsync writes a temporary and renames it over
rsync_saves() {
    needs rsync
    with_rsync() {
        printf 'first line\nnew line\n' >source
        chmod 640 source
        rsync -a source "$1"
    }
    saves with_rsync
}

# S14: rsync --inplace
rsync_in_place() {
    needs rsync
    with_rsync() {
        printf 'first line\nnew line\n' >source
        chmod 640 source
        rsync -a --inplace source "$1"
    }
    saves with_rsync
}

# S14: cp over the document
cp_over() {
    with_cp() {
        printf 'first line\nnew line\n' >source
        cp source "$1"
    }
    saves with_cp
}

# S14: mv from another filesystem unlinks the document and creates it anew
mv_from_elsewhere() {
    with_mv() {
        local source
        source=$(mktemp /dev/shm/docfs-story.XXXXXX)
        printf 'first line\nnew line\n' >"$source"
        chmod 640 "$source"
        mv -f "$source" "$1"
    }
    saves with_mv
}

# S14: mv from elsewhere in the same scope over the document
mv_within_scope() {
    with_mv() {
        printf 'first line\nnew line\n' >"${1%/*}/draft"
        chmod 640 "${1%/*}/draft"
        mv -f "${1%/*}/draft" "$1"
    }
    saves with_mv
}

# S14: an editor that exchanges the temporary with the document
exchange_saves() {
    with_exchange() {
        printf 'first line\nnew line\n' >"${1%/*}/temporary"
        chmod 640 "${1%/*}/temporary"
        probe rename "${1%/*}/temporary" "$1" exchange
        rm "${1%/*}/temporary"
    }
    saves with_exchange
}

# S14: an editor that unlinks and creates
unlink_and_create() {
    with_unlink() {
        rm "$1"
        (umask 027 && printf 'first line\nnew line\n' >"$1")
    }
    saves with_unlink
}

# S14: a program that writes through a shared mapping
mapped_save() {
    with_mapping() { probe map-write "$1" $'new line\n'; }
    saves with_mapping
}

# S14: LibreOffice converts over a document that is there
libreoffice_converts() {
    needs soffice
    settle=600
    device alice
    device bob
    convert() {
        soffice --headless -env:UserInstallation="file://$STORY/office" --convert-to odt \
            --outdir "$1" "$1/note.txt" >said 2>&1 || fail "soffice failed: $(cat said)"
        grep -q "$2" <(unzip -p "$1/note.odt" content.xml) || fail "not converted: $(cat said)"
    }
    watch_store
    local scope
    for scope in Local Cloud; do
        write_to "$alice/$scope/note.txt" 'first line'
        convert "$alice/$scope" 'first line'
        sent alice
        write_to "$alice/$scope/note.txt" 'second line'
        convert "$alice/$scope" 'second line'
        sent alice
    done
    expect_equal "$(versions_of note.odt)" 1 'earlier versions after one conversion over it'
    expect_equal "$(grep -vx -e note.txt -e note.odt store-names | sort -u)" '' 'scratch that reached the store'
    same_trees alice bob
}

# S14: three saves with quiet between them are three versions; three in a hurry are one
versions_by_settle() {
    settle=600
    device alice
    write_to "$alice/Cloud/doc" 0
    sent alice
    local i
    for i in 1 2 3; do
        write_to "$alice/Cloud/doc" "$i"
        sent alice
    done
    expect_equal "$(versions_of doc)" 3
    for i in 4 5 6; do write_to "$alice/Cloud/doc" "$i"; done
    sent alice
    expect_equal "$(versions_of doc)" 4
    expect_file "$container/doc" 6
}

# S14: what moved away from a name that was made anew gets an id of its own
moved_away_gets_new_id() {
    settle=600
    device alice
    device bob
    write_to "$alice/Cloud/doc" old
    sent alice
    local id
    id=$(id_of "$alice/Cloud/doc")
    mv "$alice/Cloud/doc" "$alice/Cloud/kept.old"
    write_to "$alice/Cloud/doc" new
    sent alice
    expect_equal "$(id_of "$alice/Cloud/doc")" "$id"
    [[ $(id_of "$alice/Cloud/kept.old") != "$id" ]] || fail 'two documents with one id'
    same_trees alice bob
    expect_file "$bob/Cloud/doc" new
    expect_file "$bob/Cloud/kept.old" old
}

# S14a: a buffer that was loaded before another device's version arrived becomes a conflict version
stale_buffer() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'version one'
    settled
    probe stale-save "$bob/Cloud/doc" "$STORY/seen" "$STORY/go" &
    local editor=$!
    wait_for '[[ -e seen ]]'
    write_to "$alice/Cloud/doc" 'version two'
    settled
    expect_file "$bob/Cloud/doc" 'version two'
    touch go
    wait $editor
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/doc" 'version two'
    expect_equal "$(cat "$(expect_conflict "$alice/Cloud/doc" bob)")" \
        $'version one\nsaved from an old buffer'
}

# S14a: vim that was open while a version arrived, and writes in spite of its warning
stale_vim() {
    needs vim
    device alice
    device bob
    write_to "$alice/Cloud/doc" 'version one'
    settled
    probe typing "inew |!$STORY/seen|%$STORY/go|\x1b:set noautoread backupcopy=no backupskip=\r:w!\r|y|\r|:q!\r" \
        vim -N -u NONE "$bob/Cloud/doc" &
    local editor=$!
    wait_for '[[ -e seen && -e $bob/Cloud/.doc.swp ]]'
    write_to "$alice/Cloud/doc" 'version two'
    settled
    touch go
    wait $editor
    settled
    same_trees alice bob
    expect_file "$alice/Cloud/doc" 'version two'
    expect_file "$(expect_conflict "$alice/Cloud/doc" bob)" 'new version one'
}

# S15: what lives shorter than the settle time is not sent
short_lives_stay_here() {
    settle=600
    device alice
    write_to "$alice/Cloud/doc" text
    sent alice
    watch_store
    local name
    for name in 4913 sedAbCdEf temporary; do
        write_to "$alice/Cloud/$name" scratch
        rm "$alice/Cloud/$name"
    done
    write_to "$alice/Cloud/temporary" new
    mv "$alice/Cloud/temporary" "$alice/Cloud/doc"
    sent alice
    expect_store_saw doc
    expect_file "$container/doc" new
}

# S15: names that tools give to what is no document stay on this device, visible and excluded
scratch_names() {
    device alice
    device bob
    watch_store
    local name scratch=(.doc.swp .doc.swo .doc.txt.swpx.swp '.#doc' '#doc#' doc~ '~$doc.docx'
        '.~lock.doc.odt#' lu12ab.tmp .goutputstream-ABC123 film.part setup.crdownload
        .fuse_hidden0001 .nfs00042)
    for name in "${scratch[@]}"; do write_to "$alice/Cloud/$name" scratch; done
    write_to "$alice/Cloud/doc" document
    settled
    expect_list "$bob/Cloud" doc
    expect_list "$alice/Cloud" doc "${scratch[@]}"
    for name in "${scratch[@]}"; do
        expect_equal "$(attr "$alice/Cloud/$name" upload)" excluded "$name"
        expect_file "$alice/Cloud/$name" scratch
    done
    expect_store_saw doc
    restart alice
    expect_list "$alice/Cloud" doc "${scratch[@]}"
}

# S15: the configuration's patterns say what else stays on this device, and what is a document after all
scratch_by_configuration() {
    echo 'scratch = ["*.bak", "!keep*", "build"]' >scratch.toml
    device alice --config "$STORY/scratch.toml"
    device bob
    mkdir "$alice/Cloud/build"
    local name
    for name in a.bak keep.bak keep~ other~ build/doc; do write_to "$alice/Cloud/$name" text; done
    settled
    expect_list "$bob/Cloud" keep.bak keep~
    for name in a.bak other~ build build/doc; do
        expect_equal "$(attr "$alice/Cloud/$name" upload)" excluded "upload of $name"
    done
    mv "$alice/Cloud/a.bak" "$alice/Cloud/a.txt"
    write_to "$alice/Cloud/tmp.txt" text
    mv "$alice/Cloud/tmp.txt" "$alice/Cloud/tmp.bak"
    mv "$alice/Cloud/build" "$alice/Cloud/built"
    settled
    expect_list "$bob/Cloud" a.txt built keep.bak keep~
    expect_file "$bob/Cloud/built/doc" text
}

# S15: a document renamed to a scratch name stays synchronised, unless its old name is made anew
renamed_to_scratch_name() {
    device alice
    device bob
    write_to "$alice/Cloud/doc" text
    settled
    mv "$alice/Cloud/doc" "$alice/Cloud/doc~"
    settled
    expect_file "$bob/Cloud/doc~" text
    append_to "$alice/Cloud/doc~" more
    settled
    expect_equal "$(cat "$bob/Cloud/doc~")" $'text\nmore'
    expect_equal "$(attr "$alice/Cloud/doc~" upload)" uploaded
}

# S15: a scratch document renamed to a document's name becomes a document
scratch_becomes_document() {
    device alice
    device bob
    write_to "$alice/Cloud/film.part" frames
    settled
    expect_list "$bob/Cloud"
    mv "$alice/Cloud/film.part" "$alice/Cloud/film"
    settled
    expect_file "$bob/Cloud/film" frames
    same_trees alice bob
}

# S15: a directory deleted elsewhere stays here while it holds scratch, unsent
directory_with_scratch() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" text
    settled
    write_to "$bob/Cloud/dir/doc~" backup
    settled
    rm -r "$alice/Cloud/dir"
    settled
    expect_list "$bob/Cloud/dir" 'doc~'
    expect_absent "$alice/Cloud/dir"
    rm "$bob/Cloud/dir/doc~"
    rmdir "$bob/Cloud/dir" 2>/dev/null || true
    settled
    same_trees alice bob
    expect_list "$bob/Cloud"
}

# only_on_bob NAME: what had to leave its name on bob, and the names of it.
only_on_bob() { (cd "$bob/Cloud" && find . -name "$1 (only on bob, *)*" -printf '%P\n'); }

# S15: what lives on this device only makes no conflict where another device gives its name to a document
scratch_in_the_way() {
    device alice
    device bob
    write_to "$bob/Cloud/doc~" 'backup of bob'
    mkdir "$bob/Cloud/out.part"
    write_to "$bob/Cloud/out.part/frames" 'of bob'
    mkfifo "$bob/Cloud/pipe"
    write_to "$alice/Cloud/doc" 'of alice'
    mkdir "$alice/Cloud/out"
    write_to "$alice/Cloud/out/frames" 'of alice'
    settled
    # Renamed documents stay synchronised.
    mv "$alice/Cloud/doc" "$alice/Cloud/doc~"
    mv "$alice/Cloud/out" "$alice/Cloud/out.part"
    write_to "$alice/Cloud/pipe" 'a document'
    settled
    expect_file "$bob/Cloud/doc~" 'of alice'
    expect_file "$bob/Cloud/out.part/frames" 'of alice'
    expect_file "$bob/Cloud/pipe" 'a document'
    expect_file "$bob/Cloud/$(only_on_bob 'doc~')" 'backup of bob'
    expect_file "$bob/Cloud/$(only_on_bob frames)" 'of bob'
    [[ -p $bob/Cloud/$(only_on_bob pipe) ]] || fail 'the pipe is gone'
    expect_equal "$(cat "$bob/.docfs/conflicts" "$alice/.docfs/conflicts")" ''
    expect_list "$alice/Cloud" 'doc~' out.part pipe
    expect_list "$alice/Cloud/out.part" frames
}

# S15: a directory that only stayed for its scratch keeps its name when another device makes it anew, or
# gives its name to another one
directory_with_scratch_is_made_anew() {
    device alice
    device bob
    local name
    for name in anew given taken; do
        mkdir "$alice/Cloud/$name"
        write_to "$alice/Cloud/$name/doc" text
    done
    mkdir "$alice/Cloud/other"
    write_to "$alice/Cloud/other/its own" text
    settled
    for name in anew given taken; do write_to "$bob/Cloud/$name/doc~" backup; done
    settled
    rm -r "$alice/Cloud/anew" "$alice/Cloud/given" "$alice/Cloud/taken"
    settled
    mkdir "$alice/Cloud/anew"
    write_to "$alice/Cloud/anew/new" text
    mv "$alice/Cloud/other" "$alice/Cloud/given"
    write_to "$alice/Cloud/taken" 'a document'
    settled
    expect_list "$bob/Cloud/anew" new 'doc~'
    expect_list "$bob/Cloud/given" 'its own' 'doc~'
    expect_file "$bob/Cloud/taken" 'a document'
    expect_file "$bob/Cloud/$(only_on_bob taken)/doc~" backup
    expect_equal "$(attr "$bob/Cloud/anew/doc~" upload)" excluded
    expect_equal "$(cat "$bob/.docfs/conflicts")" ''
    expect_list "$alice/Cloud" anew given taken
    write_to "$bob/Cloud/anew/more" text
    settled
    expect_list "$alice/Cloud/anew" more new
}

# S15a: times that were set stay as set, to the nanosecond, before and after the upload, everywhere
times_stay_exact() {
    device alice
    device bob
    mkdir -p "$alice/Cloud/dir/inner"
    write_to "$alice/Cloud/dir/doc" text
    write_to "$alice/Cloud/dir/inner/doc" text
    ln -s doc "$alice/Cloud/dir/link"
    set_times() {
        touch -d '2001-02-03 04:05:06.123456789' "$alice/Cloud/dir/doc"
        touch -d '1960-01-01 00:00:00.000000001' "$alice/Cloud/dir/inner/doc"
        touch -h -d '2038-01-19 03:14:08.999999999' "$alice/Cloud/dir/link"
        touch -d '2100-06-07 08:09:10.111111111' "$alice/Cloud/dir/inner"
        touch -d '2002-02-02 02:02:02.222222222' "$alice/Cloud/dir"
    }
    expect_times() {
        expect_equal "$(mtime "$1/Cloud/dir/doc")" '2001-02-03 04:05:06.123456789'
        expect_equal "$(mtime "$1/Cloud/dir/inner/doc")" '1960-01-01 00:00:00.000000001'
        expect_equal "$(mtime "$1/Cloud/dir/link")" '2038-01-19 03:14:08.999999999'
        expect_equal "$(mtime "$1/Cloud/dir/inner")" '2100-06-07 08:09:10.111111111'
        expect_equal "$(mtime "$1/Cloud/dir")" '2002-02-02 02:02:02.222222222'
    }
    set_times
    expect_times "$alice"
    settled
    expect_times "$alice"
    expect_times "$bob"
    cat "$bob/Cloud/dir/doc" "$bob/Cloud/dir/inner/doc" >/dev/null
    expect_times "$bob"
    restart alice bob
    expect_times "$alice"
    expect_times "$bob"
    set_times
    settled
    expect_times "$bob"
}

# S15a: applying another device's changes does not move a directory's time
applying_keeps_directory_time() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/doc" text
    write_to "$alice/Cloud/dir/other" text
    settled
    append_to "$alice/Cloud/dir/doc" more
    mv "$alice/Cloud/dir/other" "$alice/Cloud/dir/renamed"
    write_to "$alice/Cloud/dir/new" text
    touch -d '2002-02-02 02:02:02.222222222' "$alice/Cloud/dir"
    settled
    expect_list "$bob/Cloud/dir" doc new renamed
    expect_equal "$(mtime "$bob/Cloud/dir")" '2002-02-02 02:02:02.222222222'
    same_trees alice bob
    append_to "$bob/Cloud/dir/doc" 'by bob'
    settled
    expect_equal "$(mtime "$alice/Cloud/dir")" '2002-02-02 02:02:02.222222222'
}

# S14, S15: a save that stalls between its halves for longer than documents settle, as by an fsync on a busy disk, is
# one version of the same document
save_that_stalls() {
    local id
    device bob
    settle=3
    device alice
    write_to "$bob/Cloud/doc" 'version one'
    settled
    id=$(id_of "$alice/Cloud/doc")
    mv "$alice/Cloud/doc" "$alice/Cloud/doc~"
    sleep 4
    write_to "$alice/Cloud/doc" 'version two'
    rm "$alice/Cloud/doc~"
    settled
    same_trees alice bob
    expect_file "$bob/Cloud/doc" 'version two'
    expect_equal "$(id_of "$bob/Cloud/doc")" "$id" identity
    expect_equal "$(versions_of doc)" 1 'earlier versions'
    expect_equal "$(stored .docfs/trash)" '' trash
}

# S14, S15: a save that takes a moment travels when it is done, whatever comes from elsewhere meanwhile
slow_save() {
    local before
    device bob
    settle=600
    device alice
    write_to "$bob/Cloud/doc" 'version one'
    wait_for '[[ -e $alice/Cloud/doc ]]'
    settled
    watch_store
    mv "$alice/Cloud/doc" "$alice/Cloud/doc.old"
    before=$(last_record)
    chmod 600 "$bob/Cloud/doc"
    wait_for '[[ $(last_record) != "$before" ]]'
    sleep 0.5
    write_to "$alice/Cloud/doc" 'version two'
    rm "$alice/Cloud/doc.old"
    sent alice
    same_trees alice bob
    expect_store_saw doc
}
