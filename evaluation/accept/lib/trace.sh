# shellcheck shell=bash
# Claims about traces, on one JDK. The script that sources this has set $SPL, $BIN, $CLASSES and $work, and has compiled tests-java/Traced.java
# there.

readonly COMPARE_TRACE=evaluation/accept/lib/trace.py

# $1: the folder; $2: options; the rest: arguments of Java.
trace_drill() {
    local out=$1 options=$2
    shift 2
    # shellcheck disable=SC2086 # Several options.
    "$SPL" drill --replace --out "$work/$out" --methods 'Traced*' $options -- "$@" >"$work/said.txt" 2>&1 </dev/null
}

trace_replay() { "$SPL" trace replay "$work/$1" >"$work/$1.txt" 2>/dev/null; }

# $1: claim; the rest: a command that prints the figure.
trace_claim() {
    local claim=$1 figure
    shift
    if figure=$("$@" 2>&1); then ok "$claim: $(tail -n 1 <<<"$figure")"; else fail "$claim: $figure"; fi
}

# A kill, while threads run.
trace_killed() {
    local java=$1 spl pid='' _
    "$SPL" drill --replace --out "$work/killed" --methods 'Traced*' --what trace --full wait -- \
        "$java" -cp "$CLASSES" Traced 50 0 forever >"$work/killed-said.txt" 2>&1 </dev/null &
    spl=$!
    for _ in $(seq 300); do
        pid=$(pgrep -P "$spl" java || true)
        if [[ -n $pid ]] && grep -q '^[0-9]' "$work/killed-said.txt"; then break; fi
        sleep 0.1
    done
    kill -9 "$pid"
    wait "$spl"
    trace_drill unkilled "--what trace --full wait" "$java" -cp "$CLASSES" Traced 50 0 &&
        trace_replay killed && trace_replay unkilled && "$COMPARE_TRACE" prefix "$work/unkilled.txt" "$work/killed.txt"
}

# A file that another program has written, and every question to it.
trace_written() {
    local question
    "$COMPARE_TRACE" write "$work/whole/drill/trace" || return 1
    for question in replay tree hot worst size; do
        "$SPL" trace "$question" "$work/whole" --thread 7 >"$work/written-$question.txt" || return 1
    done
    grep -E '^ +6 +6 +3  Traced\$Derived.get\(\)I$|3 +Traced\$Derived.get' "$work/written-tree.txt"
}

trace_size() { "$SPL" trace size "$work/all" 2>/dev/null | sed -n 2p; }

# $1: JDK, $2: java.
traces() {
    local name="JDK $1" java=$2
    trace_drill whole "--what trace,blocks" "$java" -cp "$CLASSES" Traced 5 0
    trace_replay whole
    "$java" -Xint "-agentpath:$BIN/libspl_witness.so=sequence=$work/steps.txt,Traced" -cp "$CLASSES" Traced 5 0 >/dev/null
    trace_claim "$name: a trace is what a witness that steps through the program saw" \
        "$COMPARE_TRACE" sequence "$work/whole.txt" "$work/whole/drill/blocks.csv" "$work/steps.txt"
    trace_claim "$name: a program of a hundred lines writes a trace that is read" trace_written
    trace_drill threads "--what trace,blocks --full wait" "$java" -cp "$CLASSES" Traced 2000 3
    trace_claim "$name: counts of a trace of four threads are those of counters" "$SPL" trace check "$work/threads"
    trace_drill all "--what trace --full wait" "$java" -cp "$CLASSES" Traced 3000 0
    trace_drill small "--what trace --ring 16" "$java" -cp "$CLASSES" Traced 3000 0
    trace_replay all
    trace_replay small
    trace_claim "$name: rings of 16 KiB lose events, and no stack is wrong" "$COMPARE_TRACE" never-wrong "$work/small.txt" "$work/all.txt"
    trace_claim "$name: after kill -9 the trace is there to its last word" trace_killed "$java"
    trace_claim "$name: size of a trace" trace_size
}
