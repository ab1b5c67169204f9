#!/usr/bin/env bash
# Whether instances of one program share the measuring: six decide in a quarter of the time of one, the slow one is named, kills of
# programs and controllers lose and double nothing, and simulated fleets are decided wrongly in at most 5%. Prints a line "ok|FAIL claim
# figure" for each claim and fails if one does. With --bounded there are few kills and few fleets.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"

forms
if ((brief)); then programs=2 controllers=1 form=(brief); else programs=80 controllers=20 form=(); fi
readonly SPL=$BIN/spl
readonly CLASSES=$work/classes

mkdir "$CLASSES"
javac --release 11 -d "$CLASSES" evaluation/accept/java/Replica.java

# Simulated fleets, and pooling without regard to instances.
fleets() {
    local line
    if ((brief)); then
        tested "simulated fleets are decided as they should be" cargo test -q --workspace --test fleets
        return
    fi
    build -p spl-validity
    while read -r line; do
        case $line in
        ok*) ok "${line#ok   }" ;;
        *) fail "${line#FAIL }" ;;
        esac
    done < <("$BIN/spl-validity" fleets || true)
}

instances() {
    local line
    while read -r line; do
        case $line in
        ok*) ok "${line#ok   }" ;;
        note*) echo "$line" ;;
        *) fail "${line#FAIL }" ;;
        esac
    done < <(python3 evaluation/accept/lib/replicas.py "$SPL" "$CLASSES" "$work" "$programs" "$controllers" "${form[@]}" 2>&1)
}

build -p spl-controller -p spl-agent
instances
fleets

exit "$failed"
