#!/usr/bin/env bash
# The main promises, each shown on real programs. Prints a line "ok|FAIL claim figure" for each and fails if one does.
# Needs what `make setup` installs; builds what it runs. With --bounded it is not asked how fast the program goes on.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly SPL=$BIN/spl
export SPL
# Seconds that anything waited for may take.
readonly DEADLINE=120
# Cycles whose median counts, and those before them that only warm the program up; how long it has for that, milliseconds; and
# feeds that the demonstration reads.
if ((brief)); then
    readonly CYCLES=20 WARM_UP=0 INITIAL_SLEEP=3000 FEEDS=1400
else
    readonly CYCLES=40 WARM_UP=150 INITIAL_SLEEP=12000 FEEDS=2000
fi
readonly LARGEST_RATIO=1.10

# Processes that the script started and still has to end.
processes=()

finish() {
    local process
    for process in "${processes[@]}"; do
        kill -s KILL "$process" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap finish EXIT

# Waits until a command succeeds.
await() {
    local until=$((SECONDS + DEADLINE))
    until "$@"; do
        ((SECONDS < until)) || return 1
        sleep 0.1
    done
}

# Three comparisons of ROME and JDOM methods end with p-values.
demonstration() {
    local claim="the demonstration evaluates three comparisons of ROME and JDOM"
    local status=0
    DEMO_OPTIONS=-v scripts/demo.sh --quiet-times --cycles "$FEEDS" >"$work/demo.txt" 2>&1 </dev/null || status=$?
    local results='^spl:   (holds|FAILS) \([a-z -]+\), p [=<>] [0-9.]+' evaluated
    evaluated=$(grep -cE "$results" "$work/demo.txt" || true)
    if [[ $status -eq 0 && $evaluated -ge 3 ]]; then
        ok "$claim: $evaluated, $(grep -oE 'p [=<>] [0-9.]+' "$work/demo.txt" | tail -n 3 | paste -sd ' ')"
    else
        fail "$claim: $evaluated, status $status"
        tail -n 20 "$work/demo.txt"
    fi
}

# The median time, in milliseconds, of the last $CYCLES cycles in a file of the sorting program's output.
median() {
    tail -n "$CYCLES" "$1" | grep -oE '[0-9.]+ ms$' | cut -d ' ' -f 1 | sort -n |
        awk '{ time[NR] = $1 } END { print NR % 2 ? time[(NR + 1) / 2] : (time[NR / 2] + time[NR / 2 + 1]) / 2 }'
}

has_cycles() { [[ -s $work/cycles.txt && $(wc -l <"$work/cycles.txt") -ge $1 ]]; }
cycles() { wc -l <"$work/cycles.txt"; }
program_of() { sed -n 's/^spl: measuring Java .*, pid \([0-9]*\):.*/\1/p' "$work/spl.txt"; }
connected() { [[ -n $(program_of) ]]; }
started() { grep -q '^spl: the measurement starts' "$work/spl.txt"; }
has_samples() { compgen -G "$work/out/measurements/*.msr" >/dev/null; }

# The sorting program goes on at its old speed when the controller is killed.
killed() {
    local claim="a program whose controller is killed goes on at its old speed"
    ((!brief)) || claim="a program whose controller is killed goes on"
    make -s --no-print-directory -C examples/sorting classes
    # Long enough for a warm program before the measurement, and no method is finished before the controller is killed.
    sed -e 's/^\[scheduler\]/[communication]\ninitial-sleep = '$INITIAL_SLEEP'\n\n&/' \
        -e 's/^\[controller\]/&\nmax-method-measurements = 1000000000/' \
        examples/sorting/all-at-once.ini >"$work/sorting.ini"
    # The remains of a killed controller go with the rest.
    : >"$work/spl.txt"
    TMPDIR=$work "$SPL" run --replace --config "$work/sorting.ini" --tasks tasks/sorting.tasks --out "$work/out" -- \
        java -cp examples/sorting/build sorting.Main --cycles 0 \
        >"$work/cycles.txt" 2>"$work/spl.txt" </dev/null &
    local spl=$!
    # The shell is not to report its end.
    disown "$spl"
    processes=("$spl")
    await connected || { fail "$claim: no agent connected"; return; }
    local program
    program=$(program_of)
    processes+=("$program")
    await started || { fail "$claim: the measurement did not start"; return; }
    cp "$work/cycles.txt" "$work/before.txt"
    local cycles
    cycles=$(cycles)
    ((cycles >= WARM_UP + CYCLES)) || { fail "$claim: only $cycles cycles before the measurement"; return; }
    await has_samples || { fail "$claim: nothing was measured"; return; }
    kill -s KILL "$spl"
    processes=("$program")
    local before during after ratio
    before=$(median "$work/before.txt")
    during=$(tail -n 1 "$work/cycles.txt" | grep -oE '[0-9.]+ ms$' || true)
    # The agent has time to notice, and the JVM to compile again.
    await has_cycles $(($(cycles) + WARM_UP + CYCLES)) || { fail "$claim: the program stopped"; return; }
    after=$(median "$work/cycles.txt")
    kill -0 "$program" || { fail "$claim: the program ended"; return; }
    ratio=$(awk -v before="$before" -v after="$after" 'BEGIN { printf "%.3f", after / before }')
    local figure="$ratio (median of $CYCLES cycles $before ms before, $after ms after; ${during:-?} while measured)"
    if ((brief)) || awk -v ratio="$ratio" -v limit="$LARGEST_RATIO" 'BEGIN { exit !(ratio <= limit) }'; then
        ok "$claim: $figure"
    else
        fail "$claim: $figure"
    fi
}

build -p spl-controller -p spl-agent
build_tests

demonstration
killed
tested "output is byte-identical with and without the agent" e2e transparency::
tested "GetBytecodes differs while measured, in measured methods alone, and is as before afterwards" e2e restore::
tested "programs in difficult situations stay as they are" e2e programs:: recursion::
tested "what operators get wrong is refused with place and remedy" e2e bad_input:: startup:: versions::

exit "$failed"
