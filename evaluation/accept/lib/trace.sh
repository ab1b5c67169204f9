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

# A kill of spl itself, in the midst of the traces.
trace_spl_killed() {
    local java=$1 spl pid bytes=0 _
    rm -rf "$work/cut"
    "$SPL" drill --out "$work/cut" --methods 'Traced*' --what trace --full wait -- \
        "$java" -cp "$CLASSES" Traced 50 0 forever >"$work/cut-said.txt" 2>&1 </dev/null &
    spl=$!
    for _ in $(seq 300); do
        bytes=$(cat "$work"/cut/drill/trace.*/*.spt 2>/dev/null | wc -c)
        if ((bytes > 50000)); then break; fi
        sleep 0.1
    done
    kill -9 "$spl"
    wait "$spl" 2>/dev/null
    pid=$(basename "$work"/cut/drill/trace.*)
    kill -9 "${pid#trace.}"
    trace_drill unkilled "--what trace --full wait" "$java" -cp "$CLASSES" Traced 50 0 &&
        trace_replay cut && trace_replay unkilled && "$COMPARE_TRACE" prefix "$work/unkilled.txt" "$work/cut.txt"
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

# Paths of whole calls of a program whose paths are known.
trace_paths() {
    local java=$1
    "$SPL" drill -q --replace --out "$work/routes" --methods Routes --what trace --full wait -- "$java" -cp "$CLASSES" Routes 10100 \
        >"$work/said.txt" 2>&1 </dev/null && "$SPL" trace paths "$work/routes" --as json >"$work/paths.jsonl" 2>/dev/null &&
        "$COMPARE_TRACE" paths "$work/paths.jsonl" 10100
}

# The goldens of JBInsTrace's paper, and each event of a trace in these numbers.
trace_jbinstrace() {
    rm -rf "$work/events"
    "$SPL" trace replay "$work/whole" --as jbinstrace --output "$work/events" 2>/dev/null &&
        printf '%s\n' event 1084653569 -1062830080 -1062830076 -2136571904 | "$SPL" trace events - >"$work/goldens.txt" &&
        "$SPL" trace events "$work/events/1.csv" >"$work/events.txt" &&
        "$COMPARE_TRACE" events "$work/whole.txt" "$work/events.txt" "$work/goldens.txt"
}

trace_size() { "$SPL" trace size "$work/all" 2>/dev/null | sed -n 2p; }

# Programs whose handlers count, drilled in each kind and by each compiler.
trace_overflows() {
    local java=$1 what mode runs=0 said
    for what in trace "trace --timed" trace,blocks blocks calls blocks,paths; do
        for mode in -Xint -XX:TieredStopAtLevel=1 -Xmixed; do
            # shellcheck disable=SC2086 # A kind, and an option of it.
            said=$("$SPL" drill -q --replace --no-classes --out "$work/unwinds" --methods Unwinds --what $what -- \
                "$java" "$mode" -cp "$CLASSES" Unwinds 10 2>>"$work/said.txt" </dev/null)
            [[ $said == "skipped: finally 0, loop in finally 0, catch 0, lock 0" ]] || { echo "$what $mode: $said" && return 1; }
            runs=$((runs + 1))
        done
    done
    echo "0 of $((runs * 40)) overflows cut a handler off"
}

# Request N makes N calls of work; in each of two threads 34 of 100 are traced.
trace_within() {
    local java=$1
    "$SPL" drill -q --replace --out "$work/within" --all --what trace --within Requests#handle --one-in 3 -- \
        "$java" -cp "$CLASSES" Requests 100 >"$work/said.txt" 2>&1 </dev/null && trace_replay within || return 1
    awk '/^call / { number = $2 + 0; calls++; expected += number - 1 } / > Requests.work/ { works++ } / > Requests.(idle|beside|serve)/ { others++ }
        END { printf "%d calls, %d of %d calls of work, %d of others\n", calls, works, expected, others
              exit !(calls == 68 && works == expected && !others) }' "$work/within.txt"
}

# A pipe that is read while the program runs, and a packed file.
trace_streams() {
    local java=$1 reader
    rm -f "$work/pipe" "$work/trace.gz"
    mkfifo "$work/pipe"
    "$SPL" trace tree "$work/pipe" >"$work/of-pipe.txt" 2>"$work/said-of-pipe.txt" &
    reader=$!
    trace_drill piped "--what trace --full wait --stream $work/pipe" "$java" -cp "$CLASSES" Traced 3000 0 || return 1
    wait "$reader" || return 1
    trace_drill packed "--what trace --full wait --stream $work/trace.gz" "$java" -cp "$CLASSES" Traced 3000 0 || return 1
    "$SPL" trace tree "$work/all" >"$work/of-folder.txt" 2>/dev/null
    "$SPL" trace tree "$work/trace.gz" >"$work/of-file.txt" 2>/dev/null
    cmp "$work/of-folder.txt" "$work/of-pipe.txt" && cmp "$work/of-folder.txt" "$work/of-file.txt" &&
        [[ ! -e $work/piped/drill/trace ]] && ! grep "not all\|damaged" "$work/said-of-pipe.txt" && echo "$(wc -l <"$work/of-pipe.txt") lines, three times"
}

# Two parts of a trace have together the calls of the whole.
trace_parts() {
    local part
    for part in "" "--to 30ms" "--from 30ms"; do
        # shellcheck disable=SC2086 # Two words.
        "$SPL" trace size "$work/all" $part 2>/dev/null | sed -n 1p
    done | tr -d , | awk '{ calls[NR] = $3 }
        END { print calls[2], "and", calls[3], "of", calls[1], "calls"; exit !(calls[2] > 0 && calls[3] > 0 && calls[2] + calls[3] == calls[1]) }'
}

# Each of 8 threads enters a lock 300 times, and tells by calls how many had entered before: the order of all threads is that of the lock, also
# of what small rings do not lose.
trace_order() {
    local java=$1 options
    for options in "--full wait" "--ring 16"; do
        # shellcheck disable=SC2086 # Two words.
        "$SPL" drill -q --replace --out "$work/order" --all --what trace --order total $options -- \
            "$java" -cp "$CLASSES" Turns lock 8 3000 >"$work/said.txt" 2>&1 </dev/null &&
            "$SPL" trace replay "$work/order" --merged >"$work/order.txt" 2>/dev/null || return 1
        awk -v options="$options" 'BEGIN { last = -1 } /^thread / { thread = $2 + 0 } /^[?]/ { bits[thread] = -1 }
            / > Turns.enter/ { bits[thread] = 0; number[thread] = 0 }
            / > Turns.(one|zero)/ && bits[thread] >= 0 { number[thread] += /one/ ? 2 ^ bits[thread] : 0; bits[thread]++ }
            / < Turns.enter.*returned/ { if (bits[thread] == 16) { entries++; wrong += number[thread] <= last; last = number[thread] } bits[thread] = -1 }
            END { printf "%s: %d entries of 24,000, %d out of order; ", options, entries, wrong
                  exit !(entries > 50 && !wrong && (options != "--full wait" || entries == 24000)) }' "$work/order.txt" || return 1
    done
}

# Compares the receivers of a trace with counts of the same calls.
trace_receivers() {
    local java=$1
    "$SPL" drill -q --replace --out "$work/receivers" --methods 'Arcs**' --what trace --receivers --full wait -- \
        "$java" -cp "$CLASSES" Arcs 40 >"$work/said.txt" 2>&1 </dev/null &&
        "$SPL" trace sites "$work/receivers" --as json >"$work/sites.jsonl" 2>/dev/null &&
        "$SPL" drill -q --replace --out "$work/counted" --methods 'Arcs**' --what calls -- \
            "$java" -cp "$CLASSES" Arcs 40 >"$work/said.txt" 2>&1 </dev/null &&
        "$COMPARE_TRACE" receivers "$work/sites.jsonl" "$work/counted/drill/receivers.csv"
}

# Requests that sleep as long as the arguments say: the slowest first, each pause as long as it slept, and own times that add up.
trace_times() {
    local java=$1 sleeps=(5 200 150 280)
    "$SPL" drill -q --replace --out "$work/times" --all --what trace --timed --within Sleeps#handle -- \
        "$java" -cp "$CLASSES" Sleeps "${sleeps[@]}" >"$work/said.txt" 2>&1 </dev/null &&
        "$SPL" trace calls "$work/times" --as json >"$work/times.jsonl" 2>/dev/null &&
        "$SPL" trace timeline "$work/times" --as chrome >"$work/times.json" 2>/dev/null &&
        "$COMPARE_TRACE" times "$work/times.jsonl" "$work/times.json" "${sleeps[@]}"
}

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
    trace_claim "$name: after kill -9 of spl what it had written is read" trace_spl_killed "$java"
    trace_claim "$name: paths of whole calls are those that formulas give, at most 10,000 of a method" trace_paths "$java"
    trace_claim "$name: a trace in JBInsTrace's numbers reads back as it was" trace_jbinstrace
    trace_claim "$name: size of a trace" trace_size
    trace_claim "$name: a stream is answered from a pipe while it comes, and from a packed file, as its folder is" trace_streams "$java"
    trace_claim "$name: two parts of a trace are the whole" trace_parts
    trace_claim "$name: handlers run to their end when the stack overflows" trace_overflows "$java"
    trace_claim "$name: one of three calls of a method is traced with all that it runs, and nothing else" trace_within "$java"
    trace_claim "$name: events of 8 threads come in the order of the program's lock" trace_order "$java"
    trace_claim "$name: receivers in a trace are those that counters count" trace_receivers "$java"
    trace_claim "$name: calls are as slow as they sleep, and their own times add up" trace_times "$java"
}
