#!/usr/bin/env bash
# The evaluation chapter: its tables, charts and goals are those of its committed figures, and each missed goal has its reason. Prints
# a line "ok|FAIL claim figure" for each claim and fails if one does. Measures nothing that it judges: that is `make evaluation`.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly PAGES=docs/evaluation
# The parts that the chapter has to have.
readonly PARTS=(sorting rome scale service peers truth first drill whole)

# A changed figure has to be noticed. $1: part.
notices() {
    local part=$1 kept=$PAGES/$1.json status=0
    cp "$kept" "$work/kept.json"
    # An interrupted script leaves the figures as they were.
    trap 'cp "$work/kept.json" "$kept"; exit 130' INT TERM
    python3 - "$kept" <<'PYTHON'
import json, sys
kept = json.load(open(sys.argv[1]))
kept["commit"] += "0"
json.dump(kept, open(sys.argv[1], "w"))
PYTHON
    evaluation/chapter.py "$part" --check >/dev/null 2>&1 || status=$?
    cp "$work/kept.json" "$kept"
    trap - INT TERM
    [[ $status -eq 1 ]]
}

of_figures() {
    local part=$1 claim="$1: tables and charts are those of $PAGES/$1.json"
    if evaluation/chapter.py "$part" --check 2>"$work/log.txt" && notices "$part"; then
        ok "$claim: $(grep -c '^!\[' "$PAGES/$part.md") charts, $(grep -c '^| ' "$PAGES/$part.md") lines of tables"
    else
        fail "$claim"
        cat "$work/log.txt"
    fi
}

facts() {
    local part=$1 claim="$1: date, machine, JDK and commit of the run are named" origin
    origin=$(grep -oE '^20[0-9]{2}-[0-9]{2}-[0-9]{2}, .* cores, OpenJDK .*, commit [0-9a-f]+(-dirty)?' "$PAGES/$part.md" | head -n 1 || true)
    if [[ -n $origin && $origin != *-dirty ]]; then ok "$claim: $origin"; else fail "$claim: ${origin:-none}"; fi
    claim="$part: the commit that was measured is one of this branch"
    if [[ $(git rev-parse --is-shallow-repository) == true ]]; then
        skip "$claim: this clone has not all commits"
    elif ((brief)) && ! git cat-file -e "${origin##* }^{commit}" 2>/dev/null; then
        skip "$claim: this clone has not the commit ${origin##* }"
    elif git merge-base --is-ancestor "${origin##* }" HEAD 2>/dev/null; then ok "$claim"; else fail "$claim: ${origin##* }"; fi
}

goals() {
    local part=$1 met missed open
    met=$(grep -c '^- Met: ' "$PAGES/$part.md" || true)
    missed=$(grep -c '^- Missed: ' "$PAGES/$part.md" || true)
    open=$(grep -c '^- Open: ' "$PAGES/$part.md" || true)
    local claim="$part: each goal is met, or the page says why it is missed or open and what was tried"
    if ((met + missed + open > 0)) && { ((missed + open == 0)) || grep -q '^Why goals are missed, and what was tried:$' "$PAGES/$part.md"; }; then
        ok "$claim: $met met, $missed missed, $open open"
    else
        fail "$claim: $met met, $missed missed, $open open"
    fi
}

target() {
    local claim="$1: make evaluation measures it"
    if grep -q "^evaluate-$1: .*## " Makefile; then ok "$claim"; else fail "$claim"; fi
}

# One round of one program, which needs nothing to be fetched: figures of every way that needs no other tool, and the page's tables.
drills() {
    local claim="drill: a program is measured alone and in drills" out=$work/drill.json status=0
    evaluation/drill/run.py --spl "$BIN/spl" --out "$out" --forks 1 --apps collatz --rows steady,start,sizes --waves 0 --pace 0.4 \
        --ways "blocks,blocks --jdk,dormant" >"$work/log.txt" 2>&1 || status=$?
    # One short round does not judge the goals.
    evaluation/chapter.py drill --goals "$out" >"$work/goals.txt" 2>>"$work/log.txt" || true
    if ((status == 0)) && grep -q 'drill: `blocks`, classes of the program, geometric mean of 1 applications' "$work/goals.txt" &&
        ! grep -q 'left out' "$work/log.txt"; then
        ok "$claim: $(grep -c '^round' "$work/log.txt") forks, $(wc -l <"$work/goals.txt") goals"
    else
        fail "$claim: status $status"
        cat "$work/log.txt" "$work/goals.txt"
    fi
}

# One run: the figures of a first verdict, and the page's tables.
first_verdict() {
    local claim="first: the time to the first verdict is measured" out=$work/first.json status=0
    evaluation/first/run.py --spl "$BIN/spl" --out "$out" --rounds 1 --only pairs >"$work/log.txt" 2>&1 || status=$?
    evaluation/chapter.py first --goals "$out" >"$work/goals.txt" 2>>"$work/log.txt" || true
    if ((status == 0)) && grep -q 'pairs, idle: the first verdict comes after' "$work/goals.txt"; then
        ok "$claim: $(sed 's/^.*first: //' "$work/goals.txt")"
    else
        fail "$claim: status $status"
        cat "$work/log.txt" "$work/goals.txt"
    fi
}

# One slice of two servers: the script that switches off causes of the tail still runs. It fetches Tomcat and wrk, so only the
# long form does it.
causes() {
    local claim="service: a cause of the 99th percentile is switched off"
    if evaluation/service/causes.py --spl "$BIN/spl" --turns 1 --only controller-idle >"$work/log.txt" 2>&1; then
        ok "$claim: $(tail -n 1 "$work/log.txt")"
    else
        fail "$claim"
        cat "$work/log.txt"
    fi
}

# chapter.py draws with it.
cargo build -q --release -p spl-plots
for part in "${PARTS[@]}"; do
    target "$part"
    of_figures "$part"
    facts "$part"
    goals "$part"
done
build -p spl-agent -p spl-controller
drills
first_verdict
((brief)) || causes
claim="docs/evaluation.md lists the goals of all parts"
if evaluation/chapter.py --check; then ok "$claim: $(sed -n 's/^| all | \([0-9]*\) | \([0-9]*\) |$/\1 met, \2 missed/p' docs/evaluation.md)"; else fail "$claim"; fi

exit "$failed"
