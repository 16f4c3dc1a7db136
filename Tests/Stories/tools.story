# The tools that people use on documents, in both scopes.

# A tree as tools meet them: many documents, links, modes, times, empty directories.
workspace() {
    mkdir -p "$1/src/deep/deeper" "$1/empty"
    local i
    for i in $(seq 60); do write_to "$1/src/file $i.c" "int f$i(void) { return $i; }"; done
    big "$1/src/deep/big.bin" 1 "workspace"
    ln -s src/deep "$1/link"
    chmod 755 "$1/src/file 1.c"
    chmod 600 "$1/src/file 2.c"
    # rsync takes times within one second for equal, and so they must not be of this second.
    find "$1" -depth -exec touch -h -d '2005-05-05 05:05:05.555555555' {} +
    touch -d '2001-02-03 04:05:06.123456789' "$1/src/file 3.c" "$1/src/deep/deeper" "$1/empty"
}

same() { diff -u <(probe manifest "$1") <(probe manifest "$2") >&2 || fail "$1 and $2 differ"; }

# in_both_scopes COMMAND: the command, with $to in the scope, then the other device has the same.
in_both_scopes() {
    device alice
    device bob
    workspace from
    local to
    for to in "$alice/Local" "$alice/Cloud"; do "$1"; done
    settled
    same_trees alice bob
    same "$alice/Local" "$alice/Cloud"
    same "$alice/Local" "$STORY/alice/local"
}

# Tools: cp -a into, inside and out of both scopes
tools_cp() {
    with_cp() {
        cp -a from "$to/copied"
        same from "$to/copied"
        cp -a "$to/copied" "$to/again"
        same from "$to/again"
        rm -rf out
        cp -a "$to/again" out
        same from out
    }
    in_both_scopes with_cp
}

# Tools: mv from another filesystem and back
tools_mv() {
    with_mv() {
        local other
        other=$(mktemp -d /dev/shm/docfs-story.XXXXXX)
        cp -a from "$other/tree"
        mv "$other/tree" "$to/moved"
        same from "$to/moved"
        mv "$to/moved" "$other/back"
        same from "$other/back"
        mv "$other/back" "$to/moved"
        rm -r "$other"
        mv "$to/moved" "$to/renamed"
        same from "$to/renamed"
    }
    in_both_scopes with_mv
}

# Tools: rsync -a, again, with deletions, and a check by checksum that finds nothing to do
tools_rsync() {
    needs rsync
    with_rsync() {
        rsync -a from/ "$to/synced"
        same from "$to/synced"
        cp -a from changed
        append_to "changed/src/file 7.c" more
        rm "changed/src/file 8.c"
        mv "changed/src/file 9.c" changed/src/renamed.c
        touch -d '2006-06-06 06:06:06.666666666' 'changed/src/file 7.c' changed/src
        rsync -a --delete changed/ "$to/synced"
        same changed "$to/synced"
        expect_equal "$(rsync -aicn --delete changed/ "$to/synced/")" ''
        rm -r changed
    }
    in_both_scopes with_rsync
}

# Tools: a tar round trip, sparse archives too
tools_tar() {
    with_tar() {
        tar --format=posix -cf out.tar from
        tar -xpf out.tar -C "$to"
        same from "$to/from"
        tar --format=posix -S -cf again.tar -C "$to" from
        rm -rf again
        mkdir again
        tar -xpf again.tar -C again
        same from again/from
    }
    in_both_scopes with_tar
}

# Tools: git init, add, commit, branch, merge, gc, fsck and clone
tools_git() {
    needs git
    git config --global user.name Alice
    git config --global user.email alice@example.org
    git config --global init.defaultBranch main
    git config --global --add safe.directory '*'
    with_git() {
        cp -a from "$to/repository"
        cd "$to/repository"
        git init -q
        git add -A
        git commit -qm 'first'
        git checkout -qb branch
        append_to 'src/file 5.c' '/* on the branch */'
        git commit -qam 'second'
        git checkout -q main
        git mv 'src/file 6.c' src/renamed.c
        git commit -qm 'third'
        git merge -qm 'merged' branch
        git gc -q
        git fsck --strict --no-progress
        expect_equal "$(git status --porcelain)" ''
        cd "$STORY"
        git clone -q "$to/repository" "$to/clone"
        git -C "$to/clone" fsck --strict --no-progress
        expect_equal "$(git -C "$to/clone" rev-parse HEAD)" "$(git -C "$to/repository" rev-parse HEAD)"
    }
    device alice
    device bob
    workspace from
    local to
    for to in "$alice/Local" "$alice/Cloud"; do with_git; done
    settled
    same_trees alice bob
    git -C "$bob/Cloud/repository" fsck --strict --no-progress
    expect_equal "$(git -C "$bob/Cloud/clone" status --porcelain)" ''
    expect_equal "$(find "$container" -path '*/.docfs' -prune -o -name '*.lock' -print)" ''
}

# Tools: SQLite with its rollback journal and with its write-ahead log
tools_sqlite() {
    needs sqlite3
    device alice
    device bob
    local scope mode database
    for scope in Local Cloud; do
        for mode in DELETE WAL; do
            database=$alice/$scope/$mode.db
            sqlite3 "$database" "PRAGMA journal_mode=$mode; CREATE TABLE t(n INTEGER, text TEXT);" >/dev/null
            sqlite3 "$database" "INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL
                SELECT n + 1 FROM c WHERE n < 2000) SELECT n, hex(randomblob(50)) FROM c;"
            sqlite3 -cmd '.timeout 20000' "$database" "INSERT INTO t VALUES (1, 'by the second');" &
            sqlite3 -cmd '.timeout 20000' "$database" \
                "BEGIN IMMEDIATE; UPDATE t SET n = n + 1; COMMIT;"
            wait $!
            sqlite3 "$database" "BEGIN; DELETE FROM t; ROLLBACK; VACUUM;"
            expect_equal "$(sqlite3 "$database" 'PRAGMA integrity_check;')" ok
            (($(sqlite3 "$database" 'SELECT count(*) FROM t;') >= 2000)) || fail 'rows are missing'
        done
    done
    settled
    same_trees alice bob
    for mode in DELETE WAL; do
        cp "$bob/Cloud/$mode.db" copy.db
        expect_equal "$(sqlite3 copy.db 'PRAGMA integrity_check;')" ok
        expect_equal "$(sqlite3 copy.db 'SELECT sum(n) FROM t;')" \
            "$(sqlite3 "$alice/Cloud/$mode.db" 'SELECT sum(n) FROM t;')"
        rm -f copy.db*
    done
}

# Tools: find, grep -r, sort -o, gzip, zip by Python, touch, install, split: each as on a disk
tools_small() {
    with_small() {
        cp -a from "$to/tree"
        cd "$to/tree"
        expect_equal "$(grep -rl 'return 42' . | xargs -d '\n' basename)" 'file 42.c'
        expect_equal "$(find . -name '*.c' -newermt 2004-01-01 | wc -l)" 59
        sort -r -o 'src/file 4.c' 'src/file 4.c'
        gzip -k src/deep/big.bin
        gunzip -c src/deep/big.bin.gz | cmp - src/deep/big.bin
        install -m 700 'src/file 10.c' installed
        expect_equal "$(stat -c %a installed)" 700
        split -b 100k src/deep/big.bin part.
        cat part.* | cmp - src/deep/big.bin
        dd if=src/deep/big.bin of=copied bs=4k conv=fsync 2>/dev/null
        cmp copied src/deep/big.bin
        /usr/bin/python3 -I -c 'import shutil; shutil.make_archive("archive", "zip", "src")'
        /usr/bin/python3 -I -m zipfile -t archive.zip >/dev/null
        rm archive.zip src/deep/big.bin.gz
        touch -r 'src/file 3.c' copied installed part.* 'src/file 4.c' src src/deep .
        cd "$STORY"
    }
    in_both_scopes with_small
}

# Tools: a compiler and make build in both scopes
tools_make() {
    needs make cc
    with_make() {
        mkdir "$to/program"
        cd "$to/program"
        printf 'program: main.o other.o\n\tcc -o $@ $^\n' >Makefile
        echo 'int other(void); int main(void) { return other(); }' >main.c
        echo 'int other(void) { return 0; }' >other.c
        make -s
        ./program
        make -q
        cd "$STORY"
    }
    device alice
    local to
    for to in "$alice/Local" "$alice/Cloud"; do with_make; done
    settled
    device bob
    wait_for "[[ -x $bob/Cloud/program/program ]]"
    "$bob/Cloud/program/program"
}
