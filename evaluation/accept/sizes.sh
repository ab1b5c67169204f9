#!/usr/bin/env bash
# Workload sizes: right, computed by the program itself, robust against what it does wrong; and the six examples of the thesis
# (3.4.3), each on JDK 11, 17, 21 and 25. Prints a line "ok|FAIL claim figure" for each claim and fails if one does. Needs what
# `make setup` installs; fetches the JDKs that are missing and builds what it runs. The examples' verdicts want an
# idle machine: with --bounded the examples run, and are not asked for them.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

# Of the examples that end by time, longer than they take to be measured.
if ((brief)); then readonly SECONDS_EACH=8; else readonly SECONDS_EACH=60; fi
# Of the other processes that a shape's cost is measured in, and bursts in each.
readonly FORKS=1
if ((brief)); then rounds=1; else rounds=20; fi

# Runs an example by its Makefile and shows the line that says what came of it. $1: the claim; $2: the example; $3: the status
# that make ends with, as a pattern; $4: what the line says; the rest: variables of the Makefile.
example() {
    local claim=$1 name=$2 expected=$3 wanted=$4 status=0 line
    shift 4
    make -s --no-print-directory -C "examples/$name" run RUN_OPTIONS=-v SPL="$BIN/spl" JAVA="$home/bin/java" OUT="$work/out" "$@" \
        >"$work/example.txt" 2>&1 </dev/null || status=$?
    line=$(grep -m 1 -E "$wanted" "$work/example.txt" || true)
    # shellcheck disable=SC2053 # A pattern.
    if [[ $status == $expected && -n $line ]]; then
        ok "JDK $number: examples/$name: $claim: ${line#spl: *}"
    else
        fail "JDK $number: examples/$name: $claim: status $status"
        tail -n 20 "$work/example.txt"
    fi
    rm -rf "$work/out"
}

# Enter is pressed when there is a program, when a call was measured, and when the bytecode is the original: twice in, twice out.
by_hand() {
    local claim="each Enter puts probes in or takes them out" status=0 in out
    mkfifo "$work/enter"
    # An end of our own keeps the pipe open between the lines.
    exec 3<>"$work/enter"
    make -s --no-print-directory -C examples/retransformation run SPL="$BIN/spl" JAVA="$home/bin/java" RETRANSFORMATION_ARGS="100 100" \
        <"$work/enter" 3<&- 2>&1 | press_enter >"$work/example.txt" || status=$?
    exec 3>&-
    rm "$work/enter"
    in=$(grep -c 'Integer has probes' "$work/example.txt" || true)
    out=$(grep -c 'Integer runs its original bytecode' "$work/example.txt" || true)
    if [[ $status -eq 0 && $in -eq 2 && $out -eq 2 ]]; then
        ok "JDK $number: examples/retransformation: $claim: $in times in, $out times out"
    else
        fail "JDK $number: examples/retransformation: $claim: $in times in, $out times out, status $status"
        tail -n 20 "$work/example.txt"
    fi
}

# Reads what both sides say, and says it again.
press_enter() {
    local line are_in=0 times=0
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case $line in
        *'Enter puts the probes in'*) echo >&3 ;;
        *'has probes'*) are_in=1 ;;
        *'took '*', thread '*)
            if ((are_in)); then
                are_in=0
                echo >&3
            fi
            ;;
        *'runs its original bytecode'*)
            times=$((times + 1))
            if ((times < 2)); then echo >&3; fi
            ;;
        esac
    done
}

on_this_jdk() {
    tested "JDK $number: sizes are those of java.lang.instrument and of a walk by reflection, in five layouts" e2e size_oracle::
    tested "JDK $number: lengths count elements, characters and numbers" e2e sizes::lengths
    tested "JDK $number: sizeof and deep count headers, elements and what is reachable, to the limit" e2e sizes::an_array sizes::a_size
    tested "JDK $number: buckets are linear, logarithmic, or a processor's" e2e sizes::equal sizes::buckets
    tested "JDK $number: processors that throw, are slow, missing, wrong or call what is measured leave the default size" e2e sizes::programs
    tested "JDK $number: interfaces of another class loader are told from the agent's" e2e sizes::interfaces
    tested "JDK $number: an operator sees which buckets are filled, and why a comparison waits" e2e sizes::different sizes::while
    tested "JDK $number: the examples are measured and judged by their sizes" e2e examples::
    tested "JDK $number: who does not know the token is not measured by hand" e2e by_hand

    example "methods of many kinds are measured" measuring 0 'every class is as it was' MEASURING_ARGS=$SECONDS_EACH
    if ((brief)); then
        example "ledgers are compared" comparing '[02]' 'ended with status 0' COMPARING_ARGS=$SECONDS_EACH
        example "sizes come from a processor in its own JAR" processor '[02]' 'ended with status 0' PROCESSOR_ARGS=$SECONDS_EACH
        by_hand
        return
    fi
    example "ledgers of like size are compared" comparing 0 'holds \(proved\)' COMPARING_ARGS=$SECONDS_EACH
    example "without sizes the verdict is another" comparing 2 'FAILS \((refuted|not-proved)\)' COMPARING_ARGS=$SECONDS_EACH MODE=without-sizes
    example "sizes come from a processor in its own JAR" processor 0 'holds \(proved\).*label:' PROCESSOR_ARGS=$SECONDS_EACH
    by_hand
    # Their Makefiles start the java of the path.
    PATH=$home/bin:$PATH example "runs to its end" sorting 0 'every class is as it was' MODE=all-at-once \
        SORTING_ARGS="--cycles 600 --quiet-times"
    PATH=$home/bin:$PATH example "runs to its end" rome 0 'verdict: '
}

install_jdks
build -p spl-controller -p spl-agent -p spl-overhead
build_tests
on_each_jdk on_this_jdk

tested "what keeps a comparison waiting is said with its remedy" cargo test -q --workspace --test suite filling
tested "two size processors for one method are refused" cargo test -q --workspace --test classic two_processors

if "$BIN/spl-overhead" --only sizes --forks $FORKS --rounds "$rounds" </dev/null >"$work/costs.txt" 2>&1; then
    ok "what sizes cost is measured for each shape of argument: $(grep -c '^ok' "$work/costs.txt") figures"
    grep -E 'ArrayList of 1,000 numbers' "$work/costs.txt"
else
    fail "what sizes cost is measured for each shape of argument"
    tail -n 20 "$work/costs.txt"
fi

exit "$failed"
