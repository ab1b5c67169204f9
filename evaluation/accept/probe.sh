#!/usr/bin/env bash
# Whether the probe tells the truth, harms nothing and costs little, on every JDK that is there. Prints a line
# "ok|FAIL claim figure" for each claim and fails if one does. With --costs it only measures, with --tests it only tests:
# measuring wants an idle machine. Needs what `make setup` and `make jdks` install; `make soak` does some of it at length.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly TARGET=${CARGO_TARGET_DIR:-target}
readonly FORKS=3

failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# One claim of the tests in the log; they have passed if there are any and the status is 0.
judged() {
    local status=$1 claim=$2 passed
    passed=$(grep -oE '[0-9]+ passed' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
    # A name that matches no test would pass as well.
    if [[ $status -eq 0 && $passed -gt 0 ]]; then
        printf 'ok   %s: %s passed\n' "$claim" "$passed"
    else
        printf 'FAIL %s: %s passed\n' "$claim" "$passed"
        tail -n 20 "$log"
        failed=1
    fi
}

# Tests of the agent itself whose names begin so.
unit() {
    local claim=$1 status=0
    cargo test -q -p spl-agent --lib -- "$2" >"$log" 2>&1 </dev/null || status=$?
    judged "$status" "$claim"
}

# End-to-end tests whose names begin so, on one JDK.
tested() {
    local claim=$1 status=0
    shift
    SPL_TEST_JAVA=$home/bin/java cargo test -q -p spl-controller --test e2e -- "$@" >"$log" 2>&1 </dev/null || status=$?
    judged "$status" "JDK $number: $claim"
}

tests() {
    tested "what is reported of a body is within 10% of the wall clock" probe_truth::reported
    tested "samples say what disturbed them" probe_truth::samples
    tested "calls of twelve threads are seen once and whole, or counted" probe_threads::calls
    tested "one call in N is taken without bias" probe_threads::one_call
    tested "depths are right or unknown" recursion:: probe_stops::
    tested "exceptions and stack overflows are the program's own" programs::exceptions programs::a_stack_overflow
    tested "short-lived and virtual threads are measured unchanged" programs::short_lived
    tested "hard targets are measured or refused" probe_targets::hard
    tested "intrinsics whose calls are seen no more are warned of" probe_targets::an_intrinsic
    tested "20 killed controllers leave nothing behind" probe_faults::a_controller
    tested "300 changes of classes leave memory, constant pools and metaspace flat" probe_faults::a_class
    tested "a panic in any callback or thread leaves the program alone" probe_panics::
    tested "other agents change the same class, before and after" probe_neighbours::another
    tested "the class that spoils a batch is found and left alone" probe_neighbours::a_class
}

costs() {
    local status=0
    "$TARGET/release/spl-overhead" --forks "$FORKS" --java "$home/bin/java" </dev/null >"$log" || status=$?
    sed "s/^\(....\) /\1 JDK $number: /" "$log"
    [[ $status -eq 0 ]] || failed=1
}

case ${1:-} in
'') parts="costs tests" ;;
--costs) parts=costs ;;
--tests) parts=tests ;;
*)
    printf 'probe.sh: unknown option %s; there are --costs and --tests\n' "$1" >&2
    exit 2
    ;;
esac

if [[ $parts == *costs* ]]; then
    cargo build -q --release -p spl-agent -p spl-overhead
fi
if [[ $parts == *tests* ]]; then
    cargo build -q -p spl-agent -p spl-witness -p spl-controller
    unit "rings: every interleaving of probes and drain that the model checker tries is right" rings::model
fi
while read -r number home; do
    for part in $parts; do
        "$part"
    done
done < <(scripts/jdks.sh --list)

exit "$failed"
