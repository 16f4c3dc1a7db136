# A server that lies, between the device and its store: nothing wrong is shown, nothing is taken for
# deleted, memory is bounded, each lie has its sentence. Told with --bucket alone.

# reply NAME FILE STATUS [HEADER]…: what the rule `serve FILE` answers: a head of these lines, and
# standard input as its body.
reply() { { printf '%s\r\n' "HTTP/1.1 $3" 'Connection: close' "${@:4}" '' && cat; } >"$STORY/$1/proxy/$2"; }

# page NAME FILE XML: a listing.
page() { reply "$1" "$2" '200 OK' "Content-Length: ${#3}" <<<"$3"; }

# peak NAME: the most memory that its daemon has had, in MiB.
peak() { awk '/VmHWM/ { print int($2 / 1024) }' "/proc/${process[$1]}/status"; }
expect_small() { (($(peak "$1") < 200)) || fail "$1's daemon has had $(peak "$1") MiB"; }

is_offline_as() { grep -q "^Cloud: offline: .*$2" "$STORY/$1/mnt/.docfs/status"; }
is_online() { [[ $(probe field "$STORY/$1/mnt" online) == true ]]; }

# key_of NAME: the key of what is NAME in the container, from the bucket's root.
key_of() { local all=${BUCKET#s3://*/}; echo "${all%%\?*}/$1"; }

# evict PATH: when its last reader is gone for good.
evict() { wait_for "setfattr -n user.docfs.download -v none '$1'"; }

# two_know: alice's container has `doc` and `cold`; bob has read `doc` alone.
two_know() {
    device alice
    write_to "$alice/Cloud/doc" text
    write_to "$alice/Cloud/cold" cold
    settled
    device bob --deadline 3
    wait_for "[[ -e $bob/Cloud/doc && -e $bob/Cloud/cold ]]"
    cat "$bob/Cloud/doc" >/dev/null
    wait_for '[[ $(attr "$bob/Cloud/doc" download) == current ]]'
}

# lied RULE WORDS [ERRNO]: told so at its next start, bob's container is offline in these words; what it
# knew is as it was, and all is well once the store tells the truth.
lied() {
    stop bob
    between bob "$1"
    start bob
    wait_for "is_offline_as bob '$2'"
    expect_list "$bob/Cloud" cold doc
    expect_file "$bob/Cloud/doc" text
    [[ -z ${3:-} ]] || refused "$3" cat "$bob/Cloud/cold"
    expect_small bob
    between bob
    wait_for 'is_online bob'
    settled
    same_trees alice bob
    evict "$bob/Cloud/cold"
}

# A listing's beginning and end.
head='<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>'
tail='<IsTruncated>false</IsTruncated></ListBucketResult>'
object='<ETag>"00000000000000000000000000000000"</ETag><Size>5</Size></Contents>'

# What a directory's listing is asked for with, and nothing else.
look='GET delimiter=%2F&encoding-type=url&list-type=2&prefix'

# looks_get FILE: the rules for that; the log is listed in the same way, and that is left alone.
looks_get() { printf '%s\n' 'cut-down 1000000000 GET %2Flog%2F' "serve $1 $look"; }

# S23, S32: listings with entities, without an end, absurdly large, packed, or no listings at all
hostile_listings() {
    two_know
    page bob entities "<!DOCTYPE l [<!ENTITY e SYSTEM \"/etc/passwd\">]>$head<Contents><Key>&e;</Key>$object$tail"
    lied 'serve entities GET list-type=2' 'declares what it may not' EIO
    page bob laughs "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]>$head<Contents><Key>&b;</Key>$object$tail"
    lied 'serve laughs GET list-type=2' 'declares what it may not' EIO
    page bob text 'Welcome to the network of your hotel'
    lied 'serve text GET list-type=2' 'no XML' EIO
    lied 'serve text GET .docfs/log' damaged EIO
    { printf '%s<Contents><Key>' "$head" && head -c 400M /dev/zero | tr '\0' k; } |
        reply bob large '200 OK' 'Content-Length: 1000000000'
    lied 'serve large GET list-type=2' 'more than [0-9]* bytes' EIO
    { printf '%s' "$head" && head -c 1900000 /dev/zero | sed 's:\x00:<a/>:g'; } >many
    reply bob many '200 OK' "Content-Length: $(stat -c %s many)" <many
    lied 'serve many GET list-type=2' 'no XML' EIO
    { printf '%s' "$head" && head -c 400M /dev/zero; } | gzip -1 >packed
    reply bob packed '200 OK' 'Content-Encoding: gzip' "Content-Length: $(stat -c %s packed)" <packed
    lied 'serve packed GET list-type=2' 'no XML' EIO
    # From here on it is the look at everything that is lied to: what is asked for by name can be had.
    page bob same "$head<Contents><Key>$(key_of a)</Key>$object<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken></ListBucketResult>"
    lied "$(looks_get same)" 'listing does not end'
    page bob endless "$head<IsTruncated>true</IsTruncated><NextContinuationToken>@COUNT@</NextContinuationToken></ListBucketResult>"
    lied "$(looks_get endless)" 'listing does not end'
    page bob cut "$head<IsTruncated>true</IsTruncated></ListBucketResult>"
    lied "$(looks_get cut)" 'contradicts itself'
}

# lie TEXT STATUS [HEADER]…: bob's next answer about `cold` is this; it is EIO in words.
lie() {
    local words=$1
    reply bob lie "${@:2}"
    between bob 'serve lie GET /cold'
    refused EIO cat "$bob/Cloud/cold"
    [[ $(attr "$bob/Cloud/cold" error) == *$words* ]] ||
        fail "wanted '$words', saw '$(attr "$bob/Cloud/cold" error)'"
    expect_placeholder "$bob/Cloud/cold"
    expect_small bob
}

# S6: a document that is longer, shorter, another, packed or endless is not shown: EIO in words
hostile_documents() {
    local tag date='Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT'
    two_know
    tag="ETag: \"$(attr "$bob/Cloud/cold" revision)\""
    lie 'not those' '200 OK' "$tag" "$date" 'Content-Length: 5' <<<warm
    lie 'behind the end' '200 OK' "$tag" "$date" 'Content-Length: 3' <<<co
    lie 'another range' '200 OK' "$tag" "$date" 'Content-Length: 2000000000' < <(head -c 400M /dev/zero)
    lie 'another range' '206 Partial Content' "$tag" "$date" 'Content-Range: bytes 5-9/10' \
        'Content-Length: 5' <<<cold
    lie 'another size' '206 Partial Content' "$tag" "$date" 'Content-Range: bytes 0-4/5' \
        'Content-Length: 2000000000' < <(head -c 400M /dev/zero)
    lie 'more than was asked for' '206 Partial Content' "$tag" "$date" 'Content-Range: bytes 0-4/5' \
        'Transfer-Encoding: chunked' < <(printf '100000\r\n' && head -c 1M /dev/zero && printf '\r\n0\r\n\r\n')
    head -c 100M /dev/zero | gzip -1 >packed
    lie 'another size' '206 Partial Content' "$tag" "$date" 'Content-Range: bytes 0-4/5' \
        'Content-Encoding: gzip' "Content-Length: $(stat -c %s packed)" <packed
    lie 'names no revision' '200 OK' "$date" 'Content-Length: 5' <<<cold
    between bob
    expect_file "$bob/Cloud/cold" cold
    wait_for '[[ -z $(attr "$bob/Cloud/cold" error) ]]'
}

# S32: a store that sends elsewhere: nobody else is asked, and nobody else sees the keys
hostile_redirects() {
    local code
    two_know
    # Another host that would take what comes, beside one that turns https into http.
    BUCKET=$BUCKET start_proxy elsewhere
    local other
    other=$(cat "$STORY/elsewhere/proxy/address")
    for code in 301 302 307 308; do
        reply bob away "$code Away" "Location: $other/stolen" 'Content-Length: 0' </dev/null
        lied 'serve away *' 'sends us elsewhere' ENETUNREACH
    done
    between bob 'serve away GET /cold'
    refused EACCES cat "$bob/Cloud/cold"
    [[ $(attr "$bob/Cloud/cold" error) == *'HTTP 308 (GET '*cold* ]] || fail "$(attr "$bob/Cloud/cold" error)"
    between bob 'serve away PUT /doc'
    write_to "$bob/Cloud/doc" 'not for everybody'
    wait_for "grep -q '^PUT .*/doc served' $STORY/bob/proxy/log"
    pass_settle
    between bob
    settled
    expect_file "$alice/Cloud/doc" 'not for everybody'
    expect_equal "$(cat "$STORY/elsewhere/proxy/log")" '' 'what the other host was asked'
}

# S32: TLS with an authority of one's own; a redirect from there to plain http is not followed
redirect_without_tls() {
    needs openssl
    local other plain=$BUCKET
    start_proxy elsewhere
    other=$(cat "$STORY/elsewhere/proxy/address")
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=docfs \
        -addext subjectAltName=IP:127.0.0.1 -keyout key -out ca 2>/dev/null
    cat key ca >pem
    mkdir -p alice bob
    start_proxy alice "$STORY/pem"
    start_proxy bob "$STORY/pem"
    BUCKET="${plain%%\?*}?ca=$STORY/ca&${plain#*\?}"
    two_know
    reply bob away '301 Away' "Location: $other/stolen" 'Content-Length: 0' </dev/null
    lied 'serve away *' 'sends us elsewhere' ENETUNREACH
    expect_equal "$(cat "$STORY/elsewhere/proxy/log")" '' 'what the other host was asked'
    # Without the authority nothing is said to that server.
    stop bob
    BUCKET=$plain
    start bob
    wait_for 'is_offline_as bob TLS'
    refused ENETUNREACH cat "$bob/Cloud/cold"
    expect_list "$bob/Cloud" cold doc
    no_rest
}

# S30: keys that no Linux directory holds, put by others or invented: shown escaped, and nowhere else
hostile_keys() {
    local key
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    stop alice
    for key in . a/ a//b ../escape $'tab\tkey'; do bucket put "$key" <<<"$key"; done
    start alice
    wait_for "[[ -e '$alice/Cloud/docfs-key=../escape' && -e '$alice/Cloud/a/docfs-key=/b' ]]"
    settled
    expect_list "$alice/Cloud" doc a docfs-key=. docfs-key=.. 'docfs-key=tab%09key'
    expect_equal "$(attr "$alice/Cloud" escaped)" 4
    gives 0 docfs status "$alice"
    says 'escaped    4'
    expect_file "$alice/Cloud/docfs-key=." .
    expect_file "$alice/Cloud/docfs-key=../escape" ../escape
    expect_file "$alice/Cloud/a/docfs-key=/b" a//b
    # Invented ones: with a slash where none was asked for, of another container.
    for key in "$(key_of not/asked)" another/doc; do
        page alice invented "$head<Contents><Key>$key</Key>$object$tail"
        stop alice
        between alice "$(looks_get invented)"
        start alice
        wait_for "is_offline_as alice 'was not asked for'"
        expect_list "$alice/Cloud" doc a docfs-key=. docfs-key=.. 'docfs-key=tab%09key'
        between alice
        wait_for 'is_online alice'
    done
    # With NUL, which the gateway refuses to be asked for: nobody else waits for it.
    page alice invented "$head<Contents><Key>$(key_of a%00b)</Key>$object$tail"
    stop alice
    between alice "$(looks_get invented)"
    start alice
    wait_for 'is_online alice'
    between alice
    write_to "$alice/Cloud/doc" 'goes on'
    settled
    expect_list "$alice/Cloud" doc a docfs-key=. docfs-key=.. 'docfs-key=tab%09key'
    expect_equal "$(bucket cat doc)" 'goes on' 'what was written beside it'
}

# S23, S35: another program's document beside a directory of its name is left out and named, nobody's
# records go on without end, and it is shown when the directory has gone
hostile_name() {
    local before
    device alice
    mkdir "$alice/Cloud/d"
    write_to "$alice/Cloud/d/inner" text
    settled
    device bob
    wait_for "[[ -e $bob/Cloud/d/inner ]]"
    stop alice
    bucket put d <<<'by a stranger'
    start alice
    wait_for "grep -q 'left out' '$alice/.docfs/status'"
    write_to "$alice/Cloud/d/other" 'goes on'
    settled
    wait_for "[[ -e $bob/Cloud/d/other ]]"
    expect_list "$alice/Cloud/d" inner other
    # Nor is it recorded when all is listed again.
    before=$(bucket names .docfs/log/ | wc -l)
    stop alice
    start alice
    wait_for "grep -q 'left out' '$alice/.docfs/status'"
    settled
    expect_equal "$(bucket names .docfs/log/ | wc -l)" "$before" 'records'
    expect_equal "$(bucket cat d)" 'by a stranger' 'what the stranger put there'
    rm -r "$alice/Cloud/d"
    settled
    stop alice
    start alice
    wait_for "[[ -f $alice/Cloud/d && -f $bob/Cloud/d ]]"
    expect_file "$alice/Cloud/d" 'by a stranger'
    ! grep -q 'left out' "$alice/.docfs/status" || fail 'it is still left out'
    same_trees alice bob
}
