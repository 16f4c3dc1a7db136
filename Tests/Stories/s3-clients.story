# Tools that people use on buckets beside DocFS: awscli, s3fs and rclone, as the distribution has them.

# aws, with_rclone, mount_s3fs: each on the story's own bucket. The gateway speaks plain HTTP, and rclone does not start
# where the environment names authorities.
aws() { env -u AWS_CA_BUNDLE /usr/bin/aws --endpoint-url "${BUCKET#*endpoint=}" "$@"; }
bucket_name() { sed 's,s3://\([^?/]*\).*,\1,' <<<"$BUCKET"; }
with_rclone() {
    env -u AWS_CA_BUNDLE rclone --config "$STORY/rclone.conf" --s3-provider Ceph \
        --s3-access-key-id "$AWS_ACCESS_KEY_ID" --s3-secret-access-key "$AWS_SECRET_ACCESS_KEY" \
        --s3-endpoint "${BUCKET#*endpoint=}" "$@"
}
mount_s3fs() {
    mkdir -p s3fs
    (umask 077 && echo "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" >passwd-s3fs)
    timeout 60 s3fs "$(bucket_name)" "$STORY/s3fs" \
        -o "passwd_file=$STORY/passwd-s3fs,url=${BUCKET#*endpoint=},use_path_request_style,stat_cache_expire=1"
    wait_for 'mountpoint -q "$STORY/s3fs"'
}

# some_documents: of several types, sizes and times; and one that has been deleted.
some_documents() {
    mkdir "$alice/Cloud/dir"
    write_to "$alice/Cloud/dir/a.txt" text
    touch -d '2020-02-03 04:05:06.789' "$alice/Cloud/dir/a.txt"
    big "$alice/Cloud/page.html" 1 x
    ln -s dir/a.txt "$alice/Cloud/link"
    write_to "$alice/Cloud/gone" text
    write_to "$alice/Cloud/named" text
    settled
    rm "$alice/Cloud/gone"
    mv "$alice/Cloud/named" "$alice/Cloud/dir/renamed"
    settled
    patience=60 wait_for '[[ $(seen_by_others) == $(printf "dir/\ndir/a.txt\ndir/renamed\nlink\npage.html") ]]'
}

# Foreign: `aws s3 ls` and `aws s3 sync` have the documents with their types and sizes, and nothing that was deleted a
# minute ago; a copy that is brought back changes nothing, and what is changed in it is an edit
awscli_beside() {
    needs /usr/bin/aws
    own_bucket
    device alice
    device bob
    some_documents
    expect_equal "$(aws s3 ls --recursive "s3://$(bucket_name)" | awk '{print $3, $4}' | grep -v ' \.docfs/')" \
        $'0 dir/\n5 dir/a.txt\n5 dir/renamed\n9 link\n1048576 page.html'
    expect_equal "$(bucket beside page.html | head -1)" content-type:text/html
    aws s3 sync --quiet --exclude '.docfs/*' "s3://$(bucket_name)" copy
    diff -r --exclude link copy "$bob/Cloud"
    expect_equal "$(aws s3 sync --exclude '.docfs/*' copy "s3://$(bucket_name)")" '' 'nothing has changed'
    # All of it comes back, and no tool keeps what was beside the objects.
    find copy -type f -exec touch {} +
    aws s3 sync --quiet --exclude '.docfs/*' copy "s3://$(bucket_name)"
    wait_for 'ls "$alice/Cloud" "$alice/Cloud/dir"; [[ $(bucket headers link) == *docfs-kind:symlink* ]]'
    echo changed >copy/dir/a.txt
    rm copy/dir/renamed
    aws s3 sync --quiet --delete --exclude '.docfs/*' --exclude link copy "s3://$(bucket_name)"
    aws s3 mv --quiet "s3://$(bucket_name)/page.html" "s3://$(bucket_name)/moved.html"
    wait_for 'ls "$bob/Cloud" "$bob/Cloud/dir"; [[ ! -e $bob/Cloud/dir/renamed && ! -e $bob/Cloud/page.html ]]'
    wait_for 'grep -qx changed "$bob/Cloud/dir/a.txt" && [[ -e $bob/Cloud/moved.html ]]'
    settled
    same_trees alice bob
    expect_list "$bob/Cloud" dir link moved.html
    expect_list "$bob/Cloud/dir" a.txt
    expect_equal "$(readlink "$bob/Cloud/link")" dir/a.txt
    cmp copy/page.html "$bob/Cloud/moved.html"
}

# Foreign: rclone has the documents with their sizes and times, finds their bytes to be the same, and what it copies
# there keeps its time, and its mode
rclone_beside() {
    needs rclone
    own_bucket
    device alice
    device bob
    some_documents
    expect_equal "$(TZ=UTC with_rclone lsl ":s3:$(bucket_name)" --include /dir/a.txt)" \
        "$(printf '%9d %s dir/a.txt' 5 "$(TZ=UTC date -r "$bob/Cloud/dir/a.txt" '+%F %T.%N')")"
    with_rclone check --skip-links "$bob/Cloud" ":s3:$(bucket_name)" --exclude '/.docfs/**' --exclude /link
    mkdir theirs
    write_to theirs/private text
    touch -d '2021-03-04 05:06:07.123456789' theirs/private
    chmod 600 theirs/private
    with_rclone copy --metadata theirs ":s3:$(bucket_name)/theirs"
    wait_for 'ls "$bob/Cloud"; [[ -e $bob/Cloud/theirs/private ]]'
    settled
    expect_equal "$(stat -c '%a %Y' "$bob/Cloud/theirs/private")" "600 $(stat -c %Y theirs/private)"
    append_to "$bob/Cloud/theirs/private" more
    settled
    with_rclone copy --metadata ":s3:$(bucket_name)/theirs" back
    cmp back/private "$alice/Cloud/theirs/private"
    with_rclone moveto ":s3:$(bucket_name)/theirs/private" ":s3:$(bucket_name)/dir/private"
    wait_for 'ls "$alice/Cloud/dir" "$alice/Cloud/theirs"; [[ ! -e $alice/Cloud/theirs/private ]]'
    settled
    cmp back/private "$alice/Cloud/dir/private"
    same_trees alice bob
}

# Foreign: s3fs shows documents, directories and symbolic links with their sizes and times, and what is made through it
# is what it was meant to be
s3fs_beside() {
    local name
    needs s3fs
    own_bucket
    device alice
    device bob
    some_documents
    mount_s3fs
    expect_equal "$(cd s3fs && find . -name .docfs -prune -o ! -name . -printf '%y %s %p\n' | sort -k 3)" \
        "$(cd "$alice/Cloud" && find . ! -name . \( -type d -printf 'd 0 %p\n' -o -printf '%y %s %p\n' \) | sort -k 3)"
    expect_equal "$(readlink s3fs/link)" dir/a.txt
    expect_equal "$(stat -c %Y s3fs/dir/a.txt)" "$(stat -c %Y "$alice/Cloud/dir/a.txt")"
    cmp s3fs/page.html "$bob/Cloud/page.html"
    mkdir s3fs/theirs
    write_to s3fs/theirs/private 'by s3fs'
    chmod 600 s3fs/theirs/private
    touch -d '2021-03-04 05:06:07' s3fs/theirs/private
    ln -s theirs/private s3fs/pointer
    chmod 700 s3fs/theirs
    wait_for 'ls "$bob/Cloud" "$bob/Cloud/theirs"; [[ -e $bob/Cloud/theirs/private && -L $bob/Cloud/pointer ]]'
    settled
    for name in "$alice" "$bob"; do
        expect_equal "$(readlink "$name/Cloud/pointer")" theirs/private
        expect_file "$name/Cloud/pointer" 'by s3fs'
        expect_equal "$(stat -c '%a %Y' "$name/Cloud/theirs/private")" "600 $(date -d '2021-03-04 05:06:07' +%s)"
    done
    append_to "$bob/Cloud/theirs/private" 'and bob'
    append_to s3fs/dir/a.txt 'and s3fs'
    wait_for 'ls "$alice/Cloud/dir"; grep -q "and s3fs" "$alice/Cloud/dir/a.txt"'
    settled
    wait_for 'grep -q "and bob" s3fs/theirs/private'
    expect_equal "$(stat -c '%a %F' s3fs/theirs/private)" '600 regular file'
    mv s3fs/dir/renamed s3fs/theirs/renamed
    rm s3fs/pointer
    wait_for 'ls "$bob/Cloud" "$bob/Cloud/theirs" "$bob/Cloud/dir"; [[ -e $bob/Cloud/theirs/renamed && ! -L $bob/Cloud/pointer ]]'
    settled
    same_trees alice bob
    expect_list "$bob/Cloud" dir link page.html theirs
    expect_list "$bob/Cloud/dir" a.txt
    umount s3fs || fusermount3 -u s3fs
}
