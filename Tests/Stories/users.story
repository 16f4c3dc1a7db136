# Several users of one mount: --allow-other, three of them.

# three_users: root's mount, which alice (1001) and bob (1002) use as well; PLACE/tmp is sticky,
# PLACE/open is not.
three_users() {
    ((EUID == 0)) && setpriv --reuid 65534 --clear-groups true 2>/dev/null || skip 'not root here'
    chmod 755 "$STORY" "${STORY%/*}"
    device shared --allow-other
    mkdir -m 1777 "$shared/Cloud/tmp"
    mkdir -m 777 "$shared/Cloud/open"
    trash=$shared/.docfs/trash/Cloud
}

as_alice() { setpriv --reuid 1001 --regid 1001 --clear-groups "$@"; }
as_bob() { setpriv --reuid 1002 --regid 1002 --clear-groups "$@"; }
# as_member COMMAND…: bob, who belongs to alice's group as well.
as_member() { setpriv --reuid 1002 --regid 1002 --groups 1001 "$@"; }

# rename_as WHO FROM TO: rename(2).
rename_as() { "as_$1" /usr/bin/python3 -IS "$here/probe.py" rename "$2" "$3"; }

# owned_by USER MODE TEXT FILE: a document of somebody's.
owned_by() {
    # shellcheck disable=SC2016 # for the other shell
    setpriv --reuid "$1" --regid "$1" --clear-groups \
        bash -c 'umask 077; printf "%s\n" "$2" >"$3"; chmod "$1" "$3"' - "$2" "$3" "$4"
}

# S19, S31, Root: what alice deleted in a sticky directory nobody else reads, restores or removes
users_keep_their_trash() {
    three_users
    owned_by 1001 600 secret "$shared/Cloud/tmp/mine"
    settled
    as_alice rm "$shared/Cloud/tmp/mine"
    settled
    expect_equal "$(stat -c '%u %g %a' "$trash/tmp/mine")" '1001 1001 600'
    expect_equal "$(stat -c %a "$trash/tmp")" 1777
    refused EACCES as_bob cat "$trash/tmp/mine"
    refused EPERM,EACCES rename_as bob "$trash/tmp/mine" "$shared/Cloud/tmp/taken"
    refused EPERM,EACCES rename_as bob "$trash/tmp" "$shared/Cloud/open/taken"
    refused EPERM,EACCES as_bob rm -f "$trash/tmp/mine"
    refused EPERM,EACCES as_bob setfattr -n user.docfs.empty-trash -v . "$shared/Cloud"
    as_bob "$DOCFS" restore "$shared/Cloud/tmp/mine" >heard 2>&1 && fail "restored: $(cat heard)"
    expect_absent "$shared/Cloud/tmp/taken"
    expect_present "$trash/tmp/mine"
    expect_equal "$(as_alice cat "$trash/tmp/mine")" secret
    as_alice "$DOCFS" restore "$shared/Cloud/tmp/mine" >/dev/null
    expect_equal "$(stat -c '%u %g %a' "$shared/Cloud/tmp/mine")" '1001 1001 600'
    expect_equal "$(as_alice cat "$shared/Cloud/tmp/mine")" secret
    refused EACCES as_bob cat "$shared/Cloud/tmp/mine"
    settled
    as_alice rm "$shared/Cloud/tmp/mine"
    settled
    # The sticky directory's owner, and root, may.
    mv "$trash/tmp/mine" "$shared/Cloud/tmp/mine"
    expect_equal "$(stat -c '%u %g %a' "$shared/Cloud/tmp/mine")" '1001 1001 600'
}

# S19, S31, Root: the same after a restart, when nothing is known but the catalog
users_keep_their_trash_after_restart() {
    three_users
    owned_by 1001 600 secret "$shared/Cloud/tmp/mine"
    owned_by 1001 644 text "$shared/Cloud/tmp/closed"
    settled
    as_alice rm "$shared/Cloud/tmp/mine"
    # Closed here, and deleted before anybody else knew of that.
    as_alice bash -c 'chmod 600 "$0"; rm "$0"' "$shared/Cloud/tmp/closed"
    restart shared
    settled
    expect_equal "$(stat -c '%u %a' "$trash/tmp/mine")" '1001 600'
    expect_equal "$(stat -c '%u %a' "$trash/tmp/closed")" '1001 600'
    refused EACCES as_bob cat "$trash/tmp/closed"
    expect_equal "$(as_alice cat "$trash/tmp/closed")" text
}

# S19, S31, Root: in a directory that is open to all, who might read a document restores it for its owner
users_restore_what_they_could_read() {
    three_users
    owned_by 0 600 secret "$shared/Cloud/open/private"
    owned_by 0 644 text "$shared/Cloud/open/public"
    owned_by 1001 640 text "$shared/Cloud/open/group"
    owned_by 1001 600 secret "$shared/Cloud/open/own"
    settled
    rm "$shared/Cloud/open/"*
    settled
    refused EACCES as_bob cat "$trash/open/private"
    refused EACCES rename_as bob "$trash/open/private" "$shared/Cloud/open/taken"
    refused EACCES rename_as alice "$trash/open/private" "$shared/Cloud/open/taken"
    expect_equal "$(as_bob cat "$trash/open/public")" text
    as_bob mv "$trash/open/public" "$shared/Cloud/open/public"
    expect_equal "$(stat -c '%u %a' "$shared/Cloud/open/public")" '0 644'
    refused EACCES as_bob cat "$trash/open/group"
    refused EACCES rename_as bob "$trash/open/group" "$shared/Cloud/open/group"
    expect_equal "$(as_member cat "$trash/open/group")" text
    as_member mv "$trash/open/group" "$shared/Cloud/open/group"
    expect_equal "$(stat -c '%u %g %a' "$shared/Cloud/open/group")" '1001 1001 640'
    as_alice mv "$trash/open/own" "$shared/Cloud/open/own"
    expect_equal "$(stat -c '%u %a' "$shared/Cloud/open/own")" '1001 600'
    # root is let through everywhere.
    mv "$trash/open/private" "$shared/Cloud/open/private"
    expect_equal "$(stat -c '%u %a' "$shared/Cloud/open/private")" '0 600'
}

# S19, S31, Root: a deleted directory comes back as whose it was, with its sticky bit
users_restore_directories() {
    three_users
    as_alice mkdir -m 1777 "$shared/Cloud/open/shared"
    owned_by 1001 600 secret "$shared/Cloud/open/shared/a"
    owned_by 1002 644 text "$shared/Cloud/open/shared/b"
    settled
    rm -r "$shared/Cloud/open/shared"
    settled
    expect_equal "$(stat -c '%u %a' "$trash/open/shared")" '1001 1777'
    refused EPERM,EACCES rename_as bob "$trash/open/shared" "$shared/Cloud/open/back"
    expect_absent "$shared/Cloud/open/back"
    as_alice mv "$trash/open/shared" "$shared/Cloud/open/shared"
    expect_equal "$(stat -c '%u %a' "$shared/Cloud/open/shared" "$shared/Cloud/open/shared/"*)" \
        $'1001 1777\n1001 600\n1002 644'
}

# S19, S31, Root: an earlier version is no more readable than it was, whoever replaced it
users_keep_their_versions() {
    # Longer than between writing and chmod, which are one save.
    local settle=2
    three_users
    local doc=$shared/Cloud/tmp/doc versions=$shared/.docfs/versions/Cloud/tmp/doc
    owned_by 1001 600 secret "$doc"
    settled
    as_alice bash -c 'echo public >"$0"; chmod 644 "$0"' "$doc"
    settled
    expect_equal "$(as_bob cat "$doc")" public
    expect_equal "$(stat -c '%u %a' "$versions"/*)" '1001 400'
    refused EACCES as_bob cat "$versions"/*
    expect_equal "$(as_alice cat "$versions"/*)" secret
    # Restored, it is as private as it was.
    as_alice "$DOCFS" restore "$doc" --version 1 >/dev/null
    expect_equal "$(stat -c '%u %a' "$doc")" '1001 600'
    settled
    refused EACCES as_bob cat "$doc"
    expect_equal "$(as_alice cat "$doc")" secret
    as_alice "$DOCFS" restore "$doc" --version 2 --to "$shared/Cloud/tmp/old" >/dev/null
    expect_equal "$(stat -c '%u %a' "$shared/Cloud/tmp/old")" '1001 600'
    # root does it for her, and it stays hers.
    "$DOCFS" restore "$doc" --version 1 >/dev/null
    expect_equal "$(stat -c '%u' "$doc")" 1001
    # Who may replace a document does not get what it was.
    owned_by 1001 600 secret "$shared/Cloud/open/doc"
    settled
    owned_by 1002 600 other "$shared/Cloud/open/new"
    as_bob mv -f "$shared/Cloud/open/new" "$shared/Cloud/open/doc"
    settled
    expect_equal "$(as_bob cat "$shared/Cloud/open/doc")" other
    local old=$shared/.docfs/versions/Cloud/open/doc
    expect_equal "$(stat -c '%u %a' "$old"/*)" '1001 400'
    refused EACCES as_bob cat "$old"/*
    # Nor does he destroy what she wrote; nobody does but who owns both, and root.
    refused EPERM,EACCES as_bob rm -f "$old"/*
    refused EPERM,EACCES as_alice rm -f "$old"/*
    rm "$old"/*
    expect_equal "$(ls "$old")" ''
    refused EPERM,EACCES as_bob rm -f "$versions"/*
    as_alice rm -f "$versions"/*
    expect_equal "$(ls "$versions")" ''
}

# S31, Root: who may not ask the mount how it is learns that, and is not told that all is stored
users_ask_its_owner() {
    three_users
    chmod 777 "$shared/Cloud"
    as_alice touch "$shared/Cloud/doc"
    settled
    ask() { timeout --preserve-status 60 setpriv --reuid 1001 --regid 1001 --clear-groups "$DOCFS" "$@"; }
    gives 0 ask flush --wait "$shared/Cloud/doc"
    says 'all is stored'
    for words in 'flush' 'flush --wait' 'status' 'conflicts'; do
        # shellcheck disable=SC2086 # a list of words
        gives 1 ask $words "$shared"
        says 'only its owner learns how it is'
    done
    gives 1 ask flush --wait "$shared/Cloud"
    says 'only its owner learns how it is'
}

# S13, S31, Root: a catalog of before is taken over as it is, and its versions are their owner's alone
users_keep_an_older_catalog() {
    three_users
    write_to "$shared/Cloud/doc" first
    settled
    write_to "$shared/Cloud/doc" second
    write_to "$shared/Cloud/gone" text
    settled
    rm "$shared/Cloud/gone"
    settled
    stop shared
    /usr/bin/python3 -IS - "$STORY/shared/state/catalog.sqlite" <<'PYTHON'
import sqlite3, sys
catalog = sqlite3.connect(sys.argv[1])
for trigger in ["local_left", "local_deleted", "remote_replaced", "remote_removed",
                "pending_cleared"]:
    catalog.execute(f"DROP TRIGGER {trigger}")
catalog.execute("DROP TABLE former")
catalog.execute("DROP INDEX remote_directory")
for table, columns in {"version": "mode owner grp held", "trash": "owner grp held directory",
                       "incoming": "replaced_inode replaced_size replaced_s replaced_n"}.items():
    for column in columns.split():
        catalog.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
catalog.execute("DELETE FROM grdb_migrations WHERE identifier = 'v2'")
catalog.commit()
PYTHON
    start shared
    settled
    expect_file "$shared/Cloud/doc" second
    expect_equal "$(stat -c '%u %a' "$shared/.docfs/versions/Cloud/doc/"*)" '0 400'
    expect_equal "$(cat "$shared/.docfs/versions/Cloud/doc/"*)" first
    expect_equal "$(stat -c '%u %a' "$trash/gone")" '0 644'
    mv "$trash/gone" "$shared/Cloud/gone"
    expect_file "$shared/Cloud/gone" text
    write_to "$shared/Cloud/doc" third
    settled
    expect_equal "$(stat -c '%a' "$shared/.docfs/versions/Cloud/doc/"* | sort)" $'400\n444'
}
