#!/usr/bin/env bash
# What the probe costs and whether its times are true, on every JDK that is there. Prints a line "ok|FAIL claim figure" for
# each claim and fails if one does. To be run on an idle machine; needs what `make setup` and `make jdks` install.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly TARGET=${CARGO_TARGET_DIR:-target}
readonly FORKS=3

failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# End-to-end tests whose names begin so, on one JDK.
tested() {
    local number=$1 home=$2 claim=$3
    shift 3
    local status=0 passed
    SPL_TEST_JAVA=$home/bin/java cargo test -q -p spl-controller --test e2e -- "$@" >"$log" 2>&1 </dev/null || status=$?
    passed=$(grep -oE '[0-9]+ passed' "$log" | tail -n 1 || true)
    # A name that matches no test would pass as well.
    if [[ $status -eq 0 && -n $passed && $passed != "0 passed" ]]; then
        printf 'ok   JDK %s: %s: %s\n' "$number" "$claim" "$passed"
    else
        printf 'FAIL JDK %s: %s: %s\n' "$number" "$claim" "${passed:-no test ran}"
        tail -n 20 "$log"
        failed=1
    fi
}

cargo build -q --release -p spl-agent -p spl-overhead
cargo build -q -p spl-agent -p spl-witness -p spl-controller

while read -r number home; do
    status=0
    "$TARGET/release/spl-overhead" --forks "$FORKS" --java "$home/bin/java" </dev/null >"$log" || status=$?
    sed "s/^\(....\) /\1 JDK $number: /" "$log"
    [[ $status -eq 0 ]] || failed=1
    tested "$number" "$home" "reported times are true and say what disturbed them" probe_truth::
    tested "$number" "$home" "a lost controller and many changes leave nothing behind" probe_faults::
done < <(scripts/jdks.sh --list)

exit "$failed"
