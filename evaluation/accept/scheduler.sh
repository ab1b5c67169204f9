#!/usr/bin/env bash
# The scheduler: its rules, its properties, its budget, and what measuring costs the sorting example. Prints a line
# "ok|FAIL claim figure" for each claim and fails if one does. To be run on an idle machine, in some twenty minutes; needs what
# `make setup` installs, and installs what the evaluation needs. With --bounded one rule of each file is changed, and what
# measuring costs is measured but not judged.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly log=$work/log.txt

tested "traces derived by hand" cargo test -q --workspace --test suite -- golden
tested "properties of simulated programs" cargo test -q --workspace --test suite -- simulated:: hostile::
tested "windows, probes and gates" cargo test -q --workspace --test suite -- paired:: probing:: budget::

status=0
sample=()
((!brief)) || sample=(--sample)
evaluation/mutation/scheduler.py "${sample[@]}" >"$log" 2>&1 || status=$?
grep FAIL "$log" || true
if [[ $status -eq 0 ]]; then
    ok "a change of any rule fails a test: $(grep -c '^ok' "$log") rules${sample[*]:+, one of each file}"
else
    fail "a change of any rule fails a test: status $status"
fi

build_tests
tested "a hot method costs no more than the budget, in windows neither" e2e budget::

build -p spl-agent -p spl-controller
make -s -C examples/sorting classes
# Without the re-creation of the thesis's probe, which needs Javassist, and long enough for a warm program on a busy machine.
if ((brief)); then
    options=(--warm-up 15 --only budget)
else
    scripts/setup.sh --evaluation >"$log"
    options=(--warm-up 8 --only budget --only paired --only recreated)
fi
mkdir -p evaluation/out
claim="what measuring costs the sorting example can be measured"
status=0
evaluation/sorting/run.py --spl "$BIN/spl" --rounds 1 "${options[@]}" --out evaluation/out/sorting-accept.json >"$log" 2>&1 || status=$?
if [[ $status -eq 0 ]]; then ok "$claim: $(grep -m 1 -o 'budget: .*' "$log" | cut -c -90)"; else
    fail "$claim: status $status"
    tail -n 20 "$log"
fi
if ((!brief)); then evaluation/chapter.py sorting --goals evaluation/out/sorting-accept.json || failed=1; fi

exit "$failed"
