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
