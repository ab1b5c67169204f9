#!/usr/bin/env bash
# Whether the probe tells the truth, harms nothing and costs little, on every JDK that is there. Prints a line
# "ok|FAIL claim figure" for each claim and fails if one does. With --costs it only measures, with --tests it only tests:
# measuring wants an idle machine. Needs what `make setup` and `make jdks` install; `make soak` does some of it at length.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly TARGET=${CARGO_TARGET_DIR:-target}
readonly FORKS=3
# Of a program beside Byteman: some seconds.
readonly ROUNDS=5000000

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

# Byteman lets a measured method, the slower one, print a line. It is there before us when its option stands in
# JDK_JAVA_OPTIONS, which Java reads before those of the command line, and after us on the command line, where `spl run` puts
# ours first.
beside_byteman() {
    local order=$1 claim=$2 folder status=0 before=() after=()
    folder=$(mktemp -d)
    printf 'RULE line\nCLASS CompareLoop\nMETHOD slow\nAT ENTRY\nIF flag("once")\nDO System.out.println("byteman was here")\nENDRULE\n' \
        >"$folder/line.btm"
    local option="-javaagent:.cache/peers/byteman.jar=script:$folder/line.btm"
    if [[ $order == before ]]; then before=("JDK_JAVA_OPTIONS=$option"); else after=("$option"); fi
    printf 'CompareLoop.fast([I)J <= (1, 1) CompareLoop.slow([I)J\n' >"$folder/pair.tasks"
    printf '[communication]\ninitial-sleep = 0\n[scheduler]\nargument-size = nocheck\n[controller]\nmin-method-measurements = 200\n' \
        >"$folder/spl.ini"
    javac --release 11 -d "$folder" tests-java/CompareLoop.java tests-java/Life.java
    env "${before[@]}" "$TARGET/debug/spl" run --config "$folder/spl.ini" --tasks "$folder/pair.tasks" \
        --out "$folder/out" -- "$home/bin/java" "${after[@]}" -cp "$folder" CompareLoop "$ROUNDS" \
        </dev/null >"$folder/stdout" 2>"$log" || status=$?
    "$home/bin/java" -cp "$folder" CompareLoop "$ROUNDS" </dev/null >"$folder/alone" 2>/dev/null
    if [[ $status -eq 0 && $(grep -cx "byteman was here" "$folder/stdout") -eq 1 ]] &&
        diff <(grep -vx "byteman was here" "$folder/stdout") "$folder/alone" >>"$log" &&
        grep -q "every class is as it was" "$log"; then
        printf 'ok   JDK %s: %s: %s\n' "$number" "$claim" "$(grep -m 1 -o 'verdict: .*' "$log" | cut -c -90)"
    else
        printf 'FAIL JDK %s: %s: exit status %s\n' "$number" "$claim" "$status"
        tail -n 20 "$log"
        failed=1
    fi
    rm -rf "$folder"
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
    beside_byteman before "Byteman changes a measured method, there before us"
    beside_byteman after "Byteman changes a measured method, there after us"
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
    scripts/setup.sh --peers
    cargo build -q -p spl-agent -p spl-witness -p spl-controller
    unit "rings: every interleaving of probes and drain that the model checker tries is right" rings::model
fi
while read -r number home; do
    for part in $parts; do
        "$part"
    done
done < <(scripts/jdks.sh --list)

exit "$failed"
