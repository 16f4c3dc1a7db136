# Crashes: the daemon dies at every step of a move between scopes that has a name, and nothing of
# what moved is lost or doubled. For the words see lib.sh, for the steps CrashPoint.swift.
#
# A list of points is an array called points_…: `every_crash_point_is_reached` adds them up.

# Documents and trees that move. Manifests keep bytes, modes, times, attributes and targets.
plant_document() {
    write_to "$1" "text of ${1##*/}"
    setfattr -n user.mine -v kept "$1"
    chmod 640 "$1"
    touch -d '2001-02-03 04:05:06.123456789' "$1"
}

plant_tree() {
    mkdir -p "$1/inner/empty"
    write_to "$1/doc" 'a document'
    : >"$1/inner/nothing in it"
    plant_document "$1/inner/other"
    ln -s ../doc "$1/inner/link"
    setfattr -n user.mine -v kept "$1/inner"
    chmod 750 "$1/inner"
    touch -d '2002-02-02 02:02:02.222222222' "$1/inner/empty" "$1/inner" "$1"
}

plant_empty() {
    mkdir "$1"
    setfattr -n user.mine -v kept "$1"
    touch -d '2002-02-02 02:02:02.222222222' "$1"
}

# about PATH: what the manifest of its directory says of it, and of all below.
about() { probe manifest "${1%/*}" | grep -E " '${1##*/}(/|'$)" | sed "s/'${1##*/}/'/"; }

is_there() { [[ -e $1 || -L $1 ]]; }

# reachable FROM TO: whole in one of the two places at least.
reachable() {
    local place found=no
    for place in "$@"; do
        is_there "$place" || continue
        expect_equal "$(about "$place")" "$(<wanted)" "what is at $place"
        found=yes
    done
    [[ $found == yes ]] || fail "in neither scope: $1"
}

in_one() { ! is_there "$1" || ! is_there "$2" || fail "in both scopes: ${1##*/}"; }

# across NAME FROM TO POINT: NAME's move dies at the point; in the end it has taken place, or not.
across() {
    about "$2" >wanted
    armed "$1" "$4"
    probe rename "$2" "$3" 2>/dev/null || true
    died "$1"
    reachable "$2" "$3"
    # What was never sent is on its way to Local without being pending.
    wait_for "[[ -z \$(probe rows '$STORY/$1/state' incoming) ]]"
    whole alice bob
    reachable "$2" "$3"
    in_one "$2" "$3"
}

# moved NAME FROM TO POINT: the same, and a move that had not begun is made now.
moved() {
    across "$@"
    if ! is_there "$3"; then
        probe rename "$2" "$3"
        whole alice bob
    fi
    expect_absent "$2"
    expect_equal "$(about "$3")" "$(<wanted)" "what is at $3"
}

two_devices() {
    needs jq
    device alice
    device bob
    settled
}

sending=(effectIntended effectDone storeSynced recordAppended recordApplied)

# Into the cloud

points_in=(importNoted importDetached importNamed)

# S25: killed at each step of a document's way from Local into the cloud
crash_document_in() {
    two_devices
    scenario() {
        plant_document "$alice/Local/doc $1"
        moved alice "$alice/Local/doc $1" "$alice/Cloud/doc $1" "$1"
        cmp "$alice/Cloud/doc $1" "$bob/Cloud/doc $1"
    }
    at_each scenario "${points_in[@]}" "${sending[@]}" bodyStaged bodyCreated planApplied
}

points_tree_in=(importAdopting importAdopted)

# S25: killed at each step of a directory's way from Local into the cloud, empty ones and links too
crash_tree_in() {
    two_devices
    scenario() {
        plant_tree "$alice/Local/tree $1"
        moved alice "$alice/Local/tree $1" "$alice/Cloud/tree $1" "$1"
        expect_equal "$(about "$bob/Cloud/tree $1")" "$(<wanted)" 'what bob has'
    }
    at_each scenario importDetached importNamed importAdop{ting,ted}:{1,3,4,6} \
        directoryStaged bodyCreated:{2,4,6}
    another() {
        plant_empty "$alice/Local/empty $1"
        moved alice "$alice/Local/empty $1" "$alice/Cloud/empty $1" "$1"
        ln -s nowhere "$alice/Local/link $1"
        moved alice "$alice/Local/link $1" "$alice/Cloud/link $1" "$1"
    }
    at_each another importDetached importNamed
}

# Out of the cloud

points_out=(departureNoted arrivalStaged arrivalNoted arrivalPlaced arrivalFinished)

# S25: killed at each step of a document's way from the cloud into Local
crash_document_out() {
    two_devices
    scenario() {
        plant_document "$alice/Cloud/doc $1"
        settled
        moved alice "$alice/Cloud/doc $1" "$alice/Local/doc $1" "$1"
        expect_equal "$(about "$STORY/alice/local/doc $1")" "$(<wanted)" 'what is on disk'
        expect_absent "$container/doc $1"
        expect_absent "$bob/Cloud/doc $1"
    }
    at_each scenario "${points_out[@]}" effectIntended objectMoved effectDone recordAppended
    unsent() {
        plant_document "$alice/Cloud/new $1"
        moved alice "$alice/Cloud/new $1" "$alice/Local/new $1" "$1"
    }
    at_each unsent departureNoted arrivalStaged arrivalPlaced
}

points_tree_out=(arrivalDirectoryMade arrivalDirectoryFinished arrivalNodeMade directoryRemoved)

# S25: killed at each step of a directory's way from the cloud into Local
crash_tree_out() {
    two_devices
    scenario() {
        plant_tree "$alice/Cloud/tree $1"
        settled
        moved alice "$alice/Cloud/tree $1" "$alice/Local/tree $1" "$1"
        expect_equal "$(about "$STORY/alice/local/tree $1")" "$(<wanted)" 'what is on disk'
        expect_absent "$container/tree $1"
        expect_absent "$bob/Cloud/tree $1"
    }
    at_each scenario departureNoted arrivalDirectory{Made,Finished}:{1,3} \
        arrivalNodeMade arrival{Placed,Finished}:{1,3} effectDone:2 directoryRemoved
}

points_placeholder=(hydrationFetched hydrationVerified hydrationRecorded)

# S25: a placeholder's way into Local is one more step, its bytes; a directory of them too
crash_placeholder_out() {
    two_devices
    scenario() {
        plant_document "$alice/Cloud/doc $1"
        plant_tree "$alice/Cloud/tree $1"
        about "$alice/Cloud/doc $1" >wanted.doc
        about "$alice/Cloud/tree $1" >wanted
        settled
        armed bob "$1"
        probe rename "$bob/Cloud/doc $1" "$bob/Local/doc $1" 2>/dev/null || true
        probe rename "$bob/Cloud/tree $1" "$bob/Local/tree $1" 2>/dev/null || true
        died bob
        reachable "$bob/Cloud/tree $1" "$bob/Local/tree $1"
        cp wanted.doc wanted
        reachable "$bob/Cloud/doc $1" "$bob/Local/doc $1"
        whole alice bob
        in_one "$bob/Cloud/doc $1" "$bob/Local/doc $1"
        in_one "$bob/Cloud/tree $1" "$bob/Local/tree $1"
    }
    at_each scenario "${points_placeholder[@]}" departureNoted arrivalStaged arrivalPlaced:2
}

# S25: killed while two documents change places between the scopes, each is in one
crash_exchange() {
    two_devices
    scenario() {
        write_to "$alice/Local/doc $1" 'from local'
        write_to "$alice/Cloud/doc $1" 'from the cloud'
        settled
        armed alice "$1"
        probe rename "$alice/Local/doc $1" "$alice/Cloud/doc $1" exchange 2>/dev/null || true
        died alice
        both() { sort "$alice/Local/doc $1" "$alice/Cloud/doc $1" | xargs; }
        expect_equal "$(both "$1")" 'from local from the cloud' "after $1"
        whole alice bob
        expect_equal "$(both "$1")" 'from local from the cloud' "after $1"
    }
    at_each scenario "${points_in[@]}" arrival{Noted,Placed,Finished} effectDone
}

# S25: killed again and again while it recovers, each time a step further
crash_while_recovering() {
    two_devices
    # further FROM TO POINT…
    further() {
        about "$1" >wanted
        armed alice "$3"
        probe rename "$1" "$2" 2>/dev/null || true
        local point
        for point in "${@:4}"; do died alice "$point"; done
        died alice
        reachable "$1" "$2"
        whole alice bob
        expect_absent "$1"
        reachable "$2"
    }
    plant_tree "$alice/Local/tree"
    further "$alice/Local/tree" "$alice/Cloud/tree" importDetached importAdopting:2 importAdopted:2 \
        importAdopting:2 importNamed bodyCreated effectDone:2 recordAppended
    further "$alice/Cloud/tree" "$alice/Local/back" departureNoted arrivalDirectoryMade arrivalNoted \
        arrivalPlaced arrivalFinished arrivalDirectoryFinished arrivalNodeMade arrivalPlaced effectDone
    plant_document "$alice/Cloud/doc"
    settled
    further "$alice/Cloud/doc" "$alice/Local/doc" departureNoted arrivalStaged arrivalNoted arrivalPlaced \
        arrivalFinished effectIntended objectMoved recordAppended
}
