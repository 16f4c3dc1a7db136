# S19: what was deleted or replaced goes when it is older than the retention, but for the newest versions
what_is_old_goes() {
    device alice
    device bob
    local number
    for number in 1 2 3 4; do
        write_to "$alice/Cloud/doc" "text $number"
        settled
    done
    write_to "$alice/Cloud/other" other
    settled
    rm "$alice/Cloud/other"
    settled
    expect_equal "$(stored .docfs/versions | wc -l)" 3
    expect_equal "$(stored .docfs/trash | wc -l)" 1
    printf '[retention]\ndays = 0.0001\nversions = 2\n' >short.toml
    options[alice]="--config $STORY/short.toml" options[bob]="--config $STORY/short.toml"
    restart alice bob
    # Ten collections take nine seconds.
    wait_for '[[ $(stored .docfs/versions | wc -l) == 2 && -z $(stored .docfs/trash) ]]'
    settled
    local name mount
    for name in alice bob; do
        mount=$STORY/$name/mnt
        expect_equal "$(cat "$mount/.docfs/versions/Cloud/doc"/* | sort)" $'text 2\ntext 3'
        expect_equal "$(ls "$mount/.docfs/trash/Cloud")" ''
        expect_file "$mount/Cloud/doc" 'text 4'
    done
}

# S19, R12: a document of long ago that is deleted now is kept as any other
old_documents_are_kept() {
    printf '[retention]\ndays = 0.002\nversions = 0\n' >short.toml
    device alice --config "$STORY/short.toml"
    write_to "$alice/Cloud/doc" text
    touch -d 2001-02-03 "$alice/Cloud/doc"
    settled
    rm "$alice/Cloud/doc"
    settled
    # Collections are 17 seconds apart, and ten have to have seen it.
    never '[[ -z $(stored .docfs/trash) ]]' 5
    mv "$alice/.docfs/trash/Cloud/"doc* "$alice/Cloud/doc"
    expect_file "$alice/Cloud/doc" text
}
