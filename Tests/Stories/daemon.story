# docfs-mount itself: how it starts, refuses, stops and comes back.

# mount_refused WORDS OPTION… MOUNTPOINT: it ends by itself, not with 0, and says why in these words.
mount_refused() {
    local words=$1 status=0
    shift
    timeout 60 "$DOCFS_MOUNT" "$@" >said 2>&1 || status=$?
    ((status != 0 && status != 124)) || fail "should be refused, ended with $status: $*: $(cat said)"
    ((status < 128)) || fail "crashed with $status: $(cat said)"
    grep -Eqi -- "$words" said || fail "$*: wanted '$words', saw '$(cat said)'"
}

# The options of a device, for a daemon that the story starts by hand.
by_hand=(--state state --local local --cloud "Cloud=file://$STORY/container")

# Daemon: --help is in groups, with defaults and examples; --version says one line
daemon_help() {
    "$DOCFS_MOUNT" --help >help
    local option
    for option in --local --cloud --state --device --config --settle --poll --cache-limit --deadline \
        --farewell --allow-other --read-only --passthrough --daemon --log-level --log-file --version; do
        grep -q -- "$option" help || fail "--help says nothing of $option"
    done
    (($(grep -ci 'docfs-mount .*/' help) >= 3)) || fail 'fewer than three examples'
    grep -qi 'default' help || fail 'no defaults'
    expect_equal "$("$DOCFS_MOUNT" --version | wc -l)" 1
}

# Daemon: a mount point that is missing, no directory or not empty is refused
daemon_refuses_mount_points() {
    mkdir local full empty container
    touch full/something document
    mount_refused 'no such|missing|not exist' "${by_hand[@]}" missing
    mount_refused 'not empty' "${by_hand[@]}" full
    mount_refused 'not a directory' "${by_hand[@]}" document
    mount_refused '.' "${by_hand[@]}"
    expect_absent missing
}

# Daemon: unknown options, words that are no numbers, addresses that are none
daemon_refuses_options() {
    mkdir local mnt container
    mount_refused 'no-such-option' "${by_hand[@]}" --no-such-option mnt
    mount_refused 'settle' "${by_hand[@]}" --settle soon mnt
    mount_refused 'settle' "${by_hand[@]}" --settle -1 mnt
    mount_refused 'nonsense|cloud' "${by_hand[@]}" --cloud nonsense mnt
    mount_refused 'gopher' "${by_hand[@]}" --cloud Other=gopher://host mnt
    mount_refused 'Local|twice|taken' "${by_hand[@]}" --cloud "Local=file://$STORY/other" mnt
    mount_refused 'Cloud|twice|taken' "${by_hand[@]}" --cloud "Cloud=file://$STORY/other" mnt
    mount_refused 'nonsense' "${by_hand[@]}" -o nonsense mnt
    ! mountpoint -q mnt || fail 'mounted in spite of that'
}

# Daemon: the state directory of another user is refused, and one that others may read
daemon_refuses_state_directories() {
    mkdir local mnt container state
    # Who may not give a directory away finds one of another user's on every system.
    chown daemon state 2>/dev/null || { rmdir state && ln -s /usr/share/doc state; }
    mount_refused 'owner|owned|belong|another user' "${by_hand[@]}" --state "$(realpath state)" mnt
    [[ -L state ]] || expect_list state
}

# Daemon: a state directory in use is refused, and its mount goes on
daemon_refuses_state_in_use() {
    device alice
    mkdir other
    mount_refused 'in use|already|running' --state alice/state --local alice/local \
        --cloud "Cloud=file://$container" other
    write_to "$alice/Cloud/doc" text
    settled
}

# Daemon: an unreadable configuration is refused with the line's number
daemon_refuses_configuration() {
    mkdir local mnt container
    printf 'settle = 1\n\n# a comment\ndevice = [unclosed\n' >config.toml
    mount_refused '(line )?4' "${by_hand[@]}" --config config.toml mnt
    printf 'settle = 1\nno-such-key = 2\n' >config.toml
    mount_refused '(line )?2.*no-such-key|no-such-key.*(line )?2' "${by_hand[@]}" --config config.toml mnt
    printf 'settle = "soon"\n' >config.toml
    mount_refused 'settle' "${by_hand[@]}" --config config.toml mnt
    mount_refused 'missing.toml' "${by_hand[@]}" --config missing.toml mnt
}

# Daemon: every option has a key in the configuration, and the command line wins
daemon_reads_configuration() {
    mkdir mnt local container
    cat >config.toml <<-END
		device = "from the file"
		settle = 0.1
		poll = 2
		deadline = 3
		state = "$STORY/state"
		local = "$STORY/local"

		[cloud]
		Papers = "file://$STORY/container"
	END
    setsid "$DOCFS_MOUNT" --config config.toml mnt >log 2>&1 &
    process[hand]=$!
    echo $! >>pids
    wait_for '[[ -d mnt/Papers ]]'
    write_to mnt/Papers/doc text
    wait_for 'grep -qx text container/doc'
    kill -TERM "${process[hand]}"
    wait_for '! runs hand'
    wait "${process[hand]}"
}

# S1, Daemon: without a container there is Local alone, and status and doctor say so
daemon_without_a_container() {
    mkdir mnt
    echo '[cloud]' >config.toml
    setsid "$DOCFS_MOUNT" --config config.toml --state state --local local mnt >log 2>&1 &
    process[hand]=$!
    echo $! >>pids
    wait_for '[[ -d mnt/Local ]]'
    expect_list mnt Local
    write_to mnt/Local/doc text
    grep -q 'no container is configured' mnt/.docfs/status || fail 'not in .docfs/status'
    gives 0 docfs status mnt
    says 'no container is configured: all documents stay on this computer'
    gives 0 docfs doctor mnt
    says 'no container is configured'
    gives 1 docfs prefer cloud --mount mnt
    says 'no container is configured, only Local'
    gives 0 docfs unmount mnt
    expect_equal "$said" ''
    wait_for '! runs hand'
    wait "${process[hand]}"
}

# Daemon: it works with no configuration at all, in the directories of XDG
daemon_without_options() {
    mkdir -p mnt
    setsid "$DOCFS_MOUNT" "$STORY/mnt" >log 2>&1 &
    process[hand]=$!
    echo $! >>pids
    wait_for '[[ -d mnt/Cloud ]]'
    write_to mnt/Local/doc local
    write_to mnt/Cloud/doc cloud
    wait_for 'grep -qx cloud home/.local/share/docfs/Cloud/doc'
    expect_file home/.local/share/docfs/Local/doc local
    local state
    state=home/.local/state/docfs/$(systemd-escape --path "$STORY/mnt" 2>/dev/null ||
        ls home/.local/state/docfs)
    expect_present "$state"
    expect_equal "$(stat -c %a "$state")" 700
    kill -TERM "${process[hand]}"
    wait_for '! runs hand'
    wait "${process[hand]}"
}

# Daemon: --daemon returns once the mount answers
daemon_in_the_background() {
    mkdir mnt local container
    timeout $patience "$DOCFS_MOUNT" "${by_hand[@]}" --daemon --log-file "$STORY/log" mnt
    expect_list mnt Local Cloud
    local pid
    pid=$(pgrep -f "$STORY/container.*--daemon")
    echo "$pid" >>pids
    write_to mnt/Cloud/doc text
    wait_for 'grep -qx text container/doc'
    kill -TERM "$pid"
    wait_for "! kill -0 $pid"
    ! mountpoint -q mnt || fail 'still mounted'
    expect_present log
}

# Daemon: SIGINT stops it as SIGTERM does: its queue is durable, and nothing is left mounted
daemon_stops_by_interrupt() {
    device alice --settle 60
    write_to "$alice/Cloud/doc" text
    kill -INT "${process[alice]}"
    wait_for '! runs alice'
    wait "${process[alice]}" || fail "ended with $? after SIGINT"
    ! mountpoint -q "$alice" || fail 'still mounted'
    expect_list "$alice"
    options[alice]=
    start alice
    expect_file "$alice/Cloud/doc" text
    settled
    expect_file "$container/doc" text
}

# Daemon: SIGTERM stops it while requests wait for a silent store
daemon_stops_while_reads_wait() {
    [[ -x $SLOW_FOLDER ]] || skip 'slow-folder was not built'
    device alice
    big "$alice/Cloud/doc" 2 mark-of-doc
    settled
    stop alice
    mkdir -p control bob seen
    setsid "$SLOW_FOLDER" "$container" "$STORY/control" "$STORY/seen" &
    echo $! >>"$STORY/pids"
    wait_for 'mountpoint -q seen' || skip 'cannot mount here'
    device bob
    rm bob/container
    ln -s ../seen bob/container
    restart bob
    wait_for "[[ -e $bob/Cloud/doc ]]"
    wait_for '! is_away bob'
    touch control/reads
    cat "$bob/Cloud/doc" >/dev/null 2>&1 &
    probe mapped "$bob/Cloud/doc" >/dev/null 2>&1 &
    cat "$bob/.docfs/events" >/dev/null 2>&1 &
    sleep 0.5
    stop bob
    rm control/reads
    no_rest
}

# Daemon: it stops in order although a shell stands in the mount and a document is open
daemon_stops_while_busy() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    exec 3<"$alice/Cloud/doc"
    cd "$alice/Cloud"
    kill -TERM "${process[alice]}"
    wait_for '! runs alice'
    wait "${process[alice]}" || fail "ended with $? after SIGTERM"
    cd "$STORY"
    exec 3<&-
    ! mountpoint -q "$alice" || fail 'still mounted'
    start alice
    expect_file "$alice/Cloud/doc" text
}

# Daemon: after kill -9 the next start takes the dead mount away by itself
daemon_comes_back() {
    device alice
    write_to "$alice/Cloud/doc" text
    exec 3<"$alice/Cloud/doc"
    sleep 60 <"$alice/Cloud/doc" &
    echo $! >>pids
    kill9 alice
    ! ls "$alice" 2>/dev/null || fail 'the dead mount answers'
    start alice
    expect_file "$alice/Cloud/doc" text
    expect_equal "$(grep -c " $alice " /proc/self/mountinfo)" 1 'mounts on the mount point'
    local i
    for i in 1 2 3; do
        kill9 alice
        start alice
    done
    expect_file "$alice/Cloud/doc" text
    expect_equal "$(grep -c " $alice " /proc/self/mountinfo)" 1 'mounts on the mount point'
}

# kill_and_start NAME [PROCESS]: the next start does not wait for the killed daemon to be gone, which it may not
# be before the start has freed it.
kill_and_start() {
    local dead=${process[$1]}
    kill -KILL "$dead" ${2:+"$2"}
    start "$1"
    reap "$dead"
}

# Daemon: killed while stopped with requests of the kernel in it, which hold a directory's lock
#
# SIGSTOP makes the daemon leave a rename unanswered: the kernel holds the locks of both directories,
# and whoever else needs them sleeps. The invalidation of a change that arrives meanwhile is blocked
# behind that lock. The kill and the next start must free all of them.
daemon_killed_under_directory_lock() {
    device alice
    device bob
    mkdir "$bob/Cloud/one" "$bob/Cloud/two"
    write_to "$bob/Cloud/one/doc" text
    settled
    local i waiting=()
    for i in $(seq 20); do write_to "$alice/Cloud/one/new $i" text; done
    kill -STOP "${process[bob]}"
    timeout 300 mv "$bob/Cloud/one/doc" "$bob/Cloud/two/doc" 2>/dev/null &
    waiting+=($!)
    timeout 300 ls -l "$bob/Cloud/one/nothing" "$bob/Cloud/two" >/dev/null 2>&1 &
    waiting+=($!)
    timeout 300 mkdir "$bob/Cloud/one/dir" 2>/dev/null &
    waiting+=($!)
    sleep 0.5
    kill -CONT "${process[bob]}"
    sleep 0.02
    kill_and_start bob
    for i in "${waiting[@]}"; do wait_for "! kill -0 $i"; done
    settled
    same_trees alice bob
    expect_equal "$(find "$bob/Cloud" -name doc | wc -l)" 1
}

# thread_of NAME COMM: the number of the daemon's thread of that name.
thread_of() {
    { grep -slx "$2" /proc/"${process[$1]}"/task/*/comm || true; } |
        sed 's|.*/task/\([0-9]*\)/comm|\1|'
}

# Daemon, Root: killed with an invalidation blocked on a directory's lock, the next start is as fast as ever
#
# strace holds back every answer of the daemon for two minutes, so that a rename stays unanswered and
# the kernel keeps both directories locked. Then a change by another device is invalidated in one of
# them: the thread that tells the kernel sleeps in D, where SIGKILL does not reach it.
daemon_killed_with_blocked_invalidation() {
    needs strace
    device alice
    device bob
    mkdir "$alice/Cloud/one" "$alice/Cloud/two"
    write_to "$alice/Cloud/one/doc" text
    settled
    cat "$bob/Cloud/one/doc" >/dev/null
    ls -l "$bob/Cloud/one" "$bob/Cloud/two" >/dev/null
    local invalidator thread attach=() traced=()
    invalidator=$(thread_of bob docfs-inval)
    [[ -n $invalidator ]] || fail 'no thread docfs-inval'
    for thread in /proc/"${process[bob]}"/task/*; do
        [[ ${thread##*/} != "$invalidator" ]] || continue
        attach+=(-p "${thread##*/}")
        traced+=("$thread/status")
    done
    strace -q "${attach[@]}" -o trace -e trace=writev -e inject=writev:delay_enter=120000000 2>said &
    local tracer=$!
    echo $tracer >>pids
    wait_for "[[ -z \$(grep -Lsx 'TracerPid:.$tracer' ${traced[*]}) ]]"
    sleep 1
    timeout 300 mv "$bob/Cloud/one/doc" "$bob/Cloud/two/doc" 2>/dev/null &
    local renamer=$!
    sleep 0.3
    write_to "$alice/Cloud/one/new" text
    rm "$alice/Cloud/one/doc"
    wait_for "grep -q '^State:.D' /proc/${process[bob]}/task/$invalidator/status"
    kill -0 $renamer || fail 'the rename was answered: nothing holds the lock'
    # A tracer keeps what it traces from ending: it goes with the daemon.
    kill_and_start bob $tracer
    wait_for "! kill -0 $renamer"
    settled
    same_trees alice bob
}

# Daemon: killed again and again while another device's changes are invalidated and names are used
daemon_killed_while_invalidating() {
    device alice
    device bob
    mkdir "$alice/Cloud/dir"
    local i
    for i in $(seq 30); do write_to "$alice/Cloud/dir/doc $i" text; done
    settled
    local round
    for round in 1 2 3; do
        (for i in $(seq 300); do
            ls -l "$bob/Cloud/dir" >/dev/null 2>&1
            cat "$bob/Cloud/dir/doc $((i % 30 + 1))" >/dev/null 2>&1
            touch "$bob/Cloud/dir/of bob" 2>/dev/null
        done) &
        local busy=$!
        for i in $(seq 30); do
            mv "$alice/Cloud/dir/doc $i" "$alice/Cloud/dir/doc" 
            append_to "$alice/Cloud/dir/doc" "$round"
            mv "$alice/Cloud/dir/doc" "$alice/Cloud/dir/doc $i"
        done
        sleep 0.4
        # An invalidation that waits for a lock keeps the dead daemon: only the next start frees it.
        kill_and_start bob
        kill $busy 2>/dev/null || true
        wait_for "! kill -0 $busy"
        wait $busy 2>/dev/null || true
    done
    settled
    same_trees alice bob
}

# Daemon: a container of another layout stays offline, and says why; nothing is written into it, and
# the mount and Local are there
daemon_refuses_other_layout() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    stop alice
    local marker=$container/.docfs/container.json
    sed -Ei 's/("[a-zA-Z]*(layout|version)[a-zA-Z]*" *: *)[0-9]+/\1999/' "$marker"
    grep -q 999 "$marker" || fail "no layout version in the marker: $(cat "$marker")"
    find "$container" | sort >before
    device bob
    wait_for "grep -Eqi 'layout|version' $bob/.docfs/status"
    write_to "$bob/Local/doc" text
    expect_file "$bob/Local/doc" text
    start alice
    wait_for "grep -Eqi 'layout|version' $alice/.docfs/status"
    expect_file "$alice/Cloud/doc" text
    diff before <(find "$container" | sort) >&2 || fail 'written into a container of another layout'
    no_rest
}

# Daemon: --read-only refuses every change, in all scopes, and shows everything
daemon_read_only() {
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    device bob --read-only
    wait_for "[[ -e $bob/Cloud/doc ]]"
    expect_file "$bob/Cloud/doc" text
    refused EROFS write_to "$bob/Cloud/doc" other
    refused EROFS mkdir "$bob/Local/dir"
    refused EROFS rm -f "$bob/Cloud/doc"
    refused EROFS mv "$bob/Cloud/doc" "$bob/Cloud/other"
    gives 0 docfs unmount "$bob"
    wait_for '! runs bob'
    unset 'process[bob]'
    no_rest
}

# Daemon: the state directory and what is in it are its user's alone
daemon_keeps_state_private() {
    umask 000
    device alice
    write_to "$alice/Cloud/doc" text
    settled
    expect_equal "$(stat -c %a alice/state)" 700
    expect_equal "$(find alice/state -type f -perm /077)" '' 'files that others may read'
    expect_equal "$(find alice/state -type d -perm /077)" '' 'directories that others may enter'
}

# Daemon: SIGKILL of a program with requests under way, a hundred times, leaves the daemon well
daemon_survives_killed_clients() {
    device alice
    big "$alice/Cloud/doc" 4 mark-of-doc
    local i
    for i in $(seq 100); do
        cat "$alice/Cloud/doc" >/dev/null &
        kill -KILL $! 2>/dev/null || true
        wait $! 2>/dev/null || true
    done
    expect_equal "$(wc -c <"$alice/Cloud/doc")" $((4 << 20))
}

# Daemon: no library gives back at its end what threads may still use that are at work
daemon_ends_at_once() {
    wrapper[alice]="env LD_DEBUG=files LD_DEBUG_OUTPUT=$STORY/loaded"
    device alice
    unset "wrapper[alice]"
    write_to "$alice/Cloud/doc" text
    settled
    stop alice
    cat loaded.* >all
    grep 'calling init: .*libcrypto' all
    ! grep 'calling fini' all || fail 'libraries were ended'
    no_rest
}
