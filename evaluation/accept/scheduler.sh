#!/usr/bin/env bash
# The scheduler: its rules, its properties, its budget, and what measuring costs the sorting example. Prints a line
# "ok|FAIL claim figure" for each claim and fails if one does. To be run on an idle machine, in some nine minutes; needs what
# `make setup` and `scripts/setup.sh --evaluation` install.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly TARGET=${CARGO_TARGET_DIR:-target}

failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Tests of a package whose names contain one of these words; without a word, all.
tested() {
    local claim=$1
    shift
    local status=0 passed
    "$@" >"$log" 2>&1 </dev/null || status=$?
    passed=$(grep -oE '[0-9]+ passed' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
    # A name that matches no test would pass as well.
    if [[ $status -eq 0 && $passed -gt 0 ]]; then
        printf 'ok   %s: %s tests passed\n' "$claim" "$passed"
    else
        printf 'FAIL %s: %s tests passed\n' "$claim" "$passed"
        tail -n 20 "$log"
        failed=1
    fi
}

tested "traces derived by hand" cargo test -q -p spl-scheduler --test suite -- golden
tested "properties of simulated programs" cargo test -q -p spl-scheduler --test suite -- simulated:: hostile::
tested "windows, probes and gates" cargo test -q -p spl-scheduler --test suite -- paired:: probing:: budget::

status=0
evaluation/mutation/scheduler.py >"$log" 2>&1 || status=$?
grep FAIL "$log" || true
if [[ $status -eq 0 ]]; then
    printf 'ok   a change of any rule fails a test: %s rules\n' "$(grep -c '^ok' "$log")"
else
    printf 'FAIL a change of any rule fails a test: status %s\n' "$status"
    failed=1
fi

cargo build -q -p spl-agent -p spl-witness -p spl-controller
tested "a hot method costs no more than the budget, in windows neither" \
    cargo test -q -p spl-controller --test e2e -- budget::

cargo build -q --release -p spl-agent -p spl-controller
make -s -C examples/sorting classes
status=0
evaluation/sorting/run.py --spl "$TARGET/release/spl" --rounds 1 --warm-up 8 --only budget --only paired --only recreated \
    --out evaluation/out/sorting-accept.json >"$log" 2>&1 || status=$?
[[ $status -eq 0 ]] || {
    tail -n 20 "$log"
    failed=1
}
evaluation/sorting/table.py --goals evaluation/out/sorting-accept.json || failed=1

exit "$failed"
