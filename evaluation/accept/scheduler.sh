#!/usr/bin/env bash
# The scheduler: its rules, its properties, its budget, and what measuring costs the sorting example. Prints a line
# "ok|FAIL claim figure" for each claim and fails if one does. To be run on an idle machine, in some nine minutes; needs what
# `make setup` and `scripts/setup.sh --evaluation` install.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"

readonly log=$work/log.txt

tested "traces derived by hand" cargo test -q -p spl-scheduler --test suite -- golden
tested "properties of simulated programs" cargo test -q -p spl-scheduler --test suite -- simulated:: hostile::
tested "windows, probes and gates" cargo test -q -p spl-scheduler --test suite -- paired:: probing:: budget::

status=0
evaluation/mutation/scheduler.py >"$log" 2>&1 || status=$?
grep FAIL "$log" || true
if [[ $status -eq 0 ]]; then
    ok "a change of any rule fails a test: $(grep -c '^ok' "$log") rules"
else
    fail "a change of any rule fails a test: status $status"
fi

cargo build -q -p spl-agent -p spl-witness -p spl-controller
tested "a hot method costs no more than the budget, in windows neither" e2e budget::

cargo build -q --release -p spl-agent -p spl-controller
make -s -C examples/sorting classes
status=0
evaluation/sorting/run.py --spl "$TARGET/release/spl" --rounds 1 --warm-up 8 --only budget --only paired --only recreated \
    --out evaluation/out/sorting-accept.json >"$log" 2>&1 || status=$?
[[ $status -eq 0 ]] || {
    tail -n 20 "$log"
    failed=1
}
evaluation/chapter.py sorting --goals evaluation/out/sorting-accept.json || failed=1

exit "$failed"
