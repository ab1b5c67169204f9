#!/usr/bin/env bash
# Verdicts one can act on: right by default, undecided when in doubt. Prints a line "ok|FAIL claim figure" for each claim and fails if
# one does. Takes some fifteen minutes, and finds gross errors; --long takes hours, and finds small ones; --bounded takes a minute, and finds
# out whether all of it can be run. Needs what `make setup` installs;
# builds what it runs.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms --long

readonly SPL=$BIN/spl
readonly VALIDITY=$BIN/spl-validity
readonly HOLM='[evaluator];correction = holm'
readonly BH='[evaluator];correction = bh'

case $FORM in
--long)
    readonly RUNS=1000 FAMILIES=300 PEEKED=300 JVMS=15
    readonly FAMILY=('lognormal(0.5)' 'autoregressive, 0.8' '1% of calls 15')
    ;;
'')
    readonly RUNS=20 FAMILIES=8 PEEKED=8 JVMS=1
    readonly FAMILY=('lognormal(0.5)')
    ;;
*)
    readonly RUNS=1 FAMILIES=1 PEEKED=1 JVMS=0
    readonly FAMILY=('lognormal(0.5)')
    ;;
esac

# Findings of spl-validity; its lines are claims of their own. $1: what it is about; the rest: its arguments.
found() {
    local about=$1 status=0 line
    shift
    "$VALIDITY" "$@" --spl "$SPL" >"$work/found.txt" 2>"$work/log.txt" || status=$?
    while IFS= read -r line; do
        case $line in
        'ok   '*) ok "$about: ${line#ok   }" ;;
        'FAIL '*) fail "$about: ${line#FAIL }" ;;
        # Parts of a claim before it.
        *) printf '%s\n' "$line" ;;
        esac
    done <"$work/found.txt"
    if [[ $status -gt 1 || ! -s $work/found.txt ]]; then
        fail "$about: spl-validity does not come to its end"
        tail -n 5 "$work/log.txt"
    fi
}

PROCESSES=('lognormal(1)' '1% of calls' 'left 0.2% 100' 'autoregressive, 0.95' 'regimes twice as long, 100' 'levels of each turn' 'five waves')
only=() family_calls=5
if ((brief)); then
    PROCESSES=('five waves')
    only=(--only 'lognormal(0.5)')
    family_calls=1
fi
build -p spl-controller -p spl-agent -p spl-validity

tested "the truth of each simulated process is known in two ways" cargo test -q -p spl-validity
found "recorded runs that were judged wrongly once" cases
# Five times the calls of the catalogue: with 2,000 of them a side few means are judged at all.
found "simulated, a look after every window" judge --runs "$RUNS" --calls 5 "${only[@]}" --power evaluation/validity/sequential.json
# An operator who ends a run early sees a verdict too: it is wrong when it is at any of these moments.
for process in "${PROCESSES[@]}"; do
    found "simulated, ended early as well" judge --runs "$PEEKED" --calls 5 --parts 0.55,0.7,0.85 --only "$process"
done
for process in "${FAMILY[@]}"; do
    found "100 claims together, corrected" families --calls "$family_calls" --runs "$FAMILIES" --only "$process" --settings "$HOLM"
done
if ((brief)); then
    # Its figures are of a machine that does nothing else; that it comes to its end with a JVM is what a busy one can show.
    if "$VALIDITY" known --spl "$SPL" --runs 1 --first 0 --seconds 5 --busy 0 >"$work/found.txt" 2>"$work/log.txt" || (($? == 1)); then
        ok "known ratios can be measured in a JVM: $(grep -c . "$work/found.txt") lines"
    else
        fail "known ratios can be measured in a JVM"
        tail -n 5 "$work/log.txt"
    fi
else
    found "100 claims together, the share of wrong ones bounded" families --calls 5 --runs "$FAMILIES" --only 'lognormal(0.5)' --settings "$BH" --share
    found "known ratios in a JVM" known --runs "$JVMS" --seconds 60 --busy 0,2
fi
tested "the examples of README and docs print what they print" cargo test -q --workspace --test documents

exit "$failed"
