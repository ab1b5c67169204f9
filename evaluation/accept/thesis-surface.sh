#!/usr/bin/env bash
# The thesis's description, each point shown on JDK 11, 17, 21 and 25: by the end-to-end tests of its topic
# and by the examples. Prints a line "ok|FAIL claim figure" for each and fails if one does. Fetches the JDKs
# that are missing; builds what it runs. With --bounded on the installed JDK, and with what cannot take long
# on a busy machine.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

# Seconds that measuring the example may take, warm-up and all.
readonly DEADLINE=180
readonly SPL=$BIN/spl

# The program that is being measured, if one is.
program=

finish() {
    [[ -z $program ]] || kill -s KILL "$program" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# Runs end-to-end tests on one JDK, and adds to the figures of the claim what came of it. $@: words of their names.
counted() {
    local passed=0
    if ((brief)); then
        listed e2e "$@" || good=0
        figures+="JDK $number: $passed tests of \`make test\`, "
        return
    fi
    if ! passes e2e "$@"; then
        good=0
        tail -n 30 "$work/test.txt"
    fi
    figures+="JDK $number: $passed passed, "
}

# A claim that end-to-end tests show, all whose names contain one of the words, on each JDK.
tested_on_all() {
    local claim=$1 figures="" good=1
    shift
    on_each_jdk counted "$@"
    if [[ $good -eq 1 ]]; then ok "$claim: ${figures%, }"; else fail "$claim: ${figures%, }"; fi
}

# The sorting example is measured to its end. $1: the claim; $2: the least number of samples; $3: the settings.
sorting() {
    local claim=$1 least=$2 number home good=1 figures="" count
    while read -r number home; do
        local out
        out=$work/$(basename "$3" .ini)-$number
        # The example starts the `java` of the path.
        PATH=$home/bin:$PATH "$SPL" run --replace --quiet --config "$3" --tasks tasks/sorting.tasks --out "$out" -- \
            java -cp examples/sorting/build sorting.Main --cycles 0 >/dev/null 2>"$work/log" </dev/null &
        local spl=$!
        await_end "$spl" "$out/run.json" || { good=0; tail -n 5 "$work/log"; }
        count=$(cat "$out"/measurements/*.msr 2>/dev/null | grep -c '^took' || true)
        ((count >= least)) || good=0
        figures+="JDK $number: $count, "
    done <"$work/jdks"
    if [[ $good -eq 1 ]]; then ok "$claim: samples ${figures%, }"; else fail "$claim: samples ${figures%, }"; fi
}

# Waits until the run says that it is finished, then ends the program, which ends the controller.
await_end() {
    local spl=$1 state=$2 until=$((SECONDS + DEADLINE))
    until grep -q '"finished": *true' <(tail -n 3 "$state" 2>/dev/null); do
        if ((SECONDS >= until)) || ! kill -0 "$spl" 2>/dev/null; then break; fi
        program=$(ps -o pid= --ppid "$spl" | head -n 1 || true)
        sleep 0.2
    done
    [[ -z $program ]] || kill -s KILL "$program" 2>/dev/null || true
    program=
    wait "$spl" || true
    grep -q '"finished": *true' <(tail -n 3 "$state" 2>/dev/null)
}

example() {
    local claim=$1 status=0
    shift
    make -s --no-print-directory SPL="$SPL" "$@" >"$work/example.txt" 2>&1 </dev/null || status=$?
    if [[ $status -eq 0 ]]; then ok "$claim"; else fail "$claim: status $status"; tail -n 10 "$work/example.txt"; fi
}

# Most of these classes never load: the comparisons end with the program.
many_tasks() {
    local claim="10,000 comparisons are begun and ended" status=0 count begin=$SECONDS
    seq -f 'no/Such%g.f()V <= java/util/ArrayList.get(I)Ljava/lang/Object;' 10000 >"$work/many.tasks"
    printf '[scheduler]\nargument-size = nocheck\n[communication]\ninitial-sleep = 0\n' >"$work/many.ini"
    "$SPL" run --replace --quiet --config "$work/many.ini" --tasks "$work/many.tasks" --out "$work/many" -- \
        java -cp examples/sorting/build sorting.Main --cycles 200 >/dev/null 2>"$work/log" </dev/null || status=$?
    count=$(grep -c '^comparison' "$work/many/result.eval" || true)
    # Not one could be decided.
    if [[ $status -eq 3 && $count -eq 10000 ]]; then
        ok "$claim: $count results, $((SECONDS - begin)) s"
    else
        fail "$claim: $count results, status $status"
        tail -n 5 "$work/log"
    fi
}

help_texts() {
    local claim="each command explains itself, with an example and its exit status" command good=0
    for command in run serve client instrument check methods fmt; do
        "$SPL" "$command" --help >"$work/help.txt"
        if grep -q '^Example' "$work/help.txt" && grep -qi 'exit status' "$work/help.txt"; then good=$((good + 1)); fi
    done
    if [[ $good -eq 7 ]]; then ok "$claim: $good of 7"; else fail "$claim: $good of 7"; fi
}

if ((brief)); then feeds=1400; else feeds=2000; fi
install_jdks
build -p spl-controller -p spl-agent
build_tests
make -s --no-print-directory -C examples/sorting classes

tested_on_all "every key of the configuration has an effect (3.3.2), both run modes, scales and forms of the files" keys
tested_on_all "the agent's properties (3.3.1), as options and as system properties" agent_options::
tested_on_all "a controller and its programs in two terminals (3.3.1)" serving::
tested_on_all "a killed controller's run is gone on with, after half-written files too" resuming::
tested_on_all "verdicts and workload sizes (3.2.6, 3.2.7)" verdicts:: sizes::
tested_on_all "threads, recursion and exceptions are told apart (1.2)" recursion:: programs::
tested_on_all "wrong input is refused with place and remedy, full disks included" bad_input:: startup::
tested_on_all "methods with every legal character, and longer than file names" names::
tested_on_all "hostile frames harm neither controller nor program" hostile:: versions::
tested_on_all "interrupts, and programs that are killed" signals:: restore::
tested_on_all "classes that were instrumented on disk" instrumenting::
sorting "the 22 methods of the first evaluation, all at once (4.1.2)" 22000 examples/sorting/all-at-once.ini
sorting "the same, their number controlled" 22000 examples/sorting/controlled.ini
# One method after the other takes a minute on an idle machine.
((brief)) || sorting "the same, one by one" 22000 examples/sorting/one-by-one.ini
example "make -C examples/sorting run ends well" -C examples/sorting run MODE=all-at-once OUT="$work/sorting" \
    SORTING_ARGS="--cycles 600 --quiet-times"
example "make -C examples/rome run ends well: three assumptions hold (4.2)" -C examples/rome run OUT="$work/rome" \
    ROME_ARGS="--cycles $feeds --quiet-times"
many_tasks
help_texts

exit "$failed"
