#!/usr/bin/env bash
# Whether `spl attach` reaches JVMs that run already, on every JDK and through namespaces, and leaves everything else alone: no
# process ends and no JVM prints its threads because of it. Prints a line "ok|FAIL claim figure" for each claim and
# fails if one does. With --bounded few of each kind are tried on the installed JDK. The parts with namespaces need root.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"

forms
# On each JDK; four have over 700 requests together.
if ((brief)); then young=10 short=10 others=10 reused=20; else young=40 short=25 others=50 reused=100; fi
# The JVMs' safety is tried here in both forms, by the programs of the tests.
BIN=$TARGET/debug
SPL=$BIN/spl
# Folder of the programs that are timed: in the full form those of operators.
QUICK=$BIN
((brief)) || QUICK=$TARGET/release

readonly CLASSES=$work/classes
mkdir "$CLASSES"
chmod 755 "$work" "$CLASSES"
printf 'CompareLoop#fast(int[]) <= (1, 2) CompareLoop#slow(int[])\n' >"$work/t.tasks"
printf '[communication]\ninitial-sleep = 0\n[scheduler]\noverhead-budget = none\n' >"$work/spl.ini"

# Starts the test program with an open input, and waits until it is ready. $program is its process; $@: how it is started.
# The words after `--` are the JVM's options.
starts() {
    rm -f "$work/input"
    mkfifo "$work/input"
    : >"$work/out.txt"
    "$@" -cp "$CLASSES" CompareLoop 0 100000 <"$work/input" >"$work/out.txt" 2>"$work/err.txt" &
    started=$!
    exec 7>"$work/input"
    awaits_ready
    program=$(jvm_of "$started")
}

awaits_ready() {
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        if grep -q ready "$work/out.txt"; then return; fi
        sleep 0.1
    done
    fail "the test program starts: $(tail -n 3 "$work/err.txt")"
    exit 1
}

# The JVM among a process and its children, or nothing. $1: process.
jvm_of() {
    local child
    if grep -qs libjvm.so "/proc/$1/maps"; then
        echo "$1"
        return
    fi
    for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do jvm_of "$child"; done
}

# Ends the test program; its status is in $status.
ends() {
    exec 7>&-
    status=0
    wait "$started" || status=$?
}

# Whether the program ended by itself and printed no threads.
unharmed() { [[ $status -eq 0 ]] && ! grep -q 'Full thread dump' "$work/out.txt" "$work/err.txt"; }

# Measures the program. $@: more options.
attaches() {
    timeout 120 "$SPL" attach "$program" --config "$work/spl.ini" --tasks "$work/t.tasks" --out "$work/run" --replace \
        --until-decided --plain --yes "$@" >"$work/log.txt" 2>&1 </dev/null
}

# Threads of ours, descriptors, and resident memory in KB of the program.
threads_of_ours() { cat "/proc/$program"/task/*/comm | grep -c '^spl' || true; }
descriptors() { find "/proc/$program/fd" -mindepth 1 2>/dev/null | wc -l; }
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$program/status"; }

# A line for a claim. $1: claim; $2: figure; the rest: its condition.
shows() {
    local claim=$1 figure=$2
    shift 2
    if "$@"; then ok "$claim: $figure"; else
        fail "$claim: $figure"
        tail -n 5 "$work/log.txt"
    fi
}

bare() {
    local after lines late
    starts "$home/bin/java"
    late=0
    attaches || late=$?
    after="status $late, $(threads_of_ours) threads of ours left"
    shows "JDK $number: a bare JVM is measured and decided" "$after" \
        test "$late,$(threads_of_ours)" = 0,0
    ends
    lines=$(grep -c '^WARNING' "$work/err.txt" || true)
    shows "JDK $number: its standard error gets the three lines of JEP 451 or none" "$lines lines" \
        test "$lines" = "$( ((number >= 21)) && echo 3 || echo 0)"
    shows "JDK $number: it ends by itself, without a list of threads" "status $status" unharmed
}

# The price that is said before, and what the JVM itself prints. JDK 23 and later discard little, and nothing is said.
price() {
    local said counted before what="made not entrant"
    ((number < 23)) || what="marked for deoptimization"
    starts "$home/bin/java" -XX:+PrintCompilation
    before=$(grep -c "$what" "$work/out.txt" || true)
    attaches || true
    counted=$(($(grep -c "$what" "$work/out.txt" || true) - before))
    said=$(sed -nE 's/.*discards all its compiled code, of ([0-9]+) methods.*compilers have worked [0-9.]+ s.*/\1/p' "$work/log.txt")
    ends
    if ((number < 23)); then
        shows "JDK $number: the price is said before, within twice of what is counted" "${said:-none} said, $counted counted" \
            test "$((counted * 2 >= ${said:-0} && ${said:-0} * 2 >= counted && counted > 0))" = 1
    else
        shows "JDK $number: no price is said, and few methods lose their code" "$counted counted" \
            test "$((counted <= 60))${said:-none}" = 1none
    fi
}

dormant() {
    local late=0
    starts "$home/bin/java" "-agentpath:$BIN/libspl_agent.so=spl.client.socket=/nonexistent/spl"
    attaches || late=$?
    ends
    shows "JDK $number: a dormant agent is used, and nothing is printed" \
        "status $late, $(grep -c WARNING "$work/err.txt" || true) warnings" \
        test "$late,$(grep -c WARNING "$work/err.txt" || true)" = 0,0
}

# Attaching again and again leaves the program as it was after the first time, whose classes and code stay.
again() {
    local cycle cycles=25 first_fds=0 first_kb=0 fds kb wrong=0
    if ((brief)); then cycles=3; elif [[ $number == "$installed" ]]; then cycles=100; fi
    starts "$home/bin/java" -Xmx64m
    for ((cycle = 0; cycle < cycles; cycle++)); do
        if ! attaches || [[ $(threads_of_ours) -ne 0 ]]; then wrong=$((wrong + 1)); fi
        fds=$(descriptors) kb=$(resident)
        # The first ten times fill the heap and the rings.
        if ((cycle == 0 || cycle == 10)); then first_fds=$fds first_kb=$kb; fi
    done
    shows "JDK $number: of $cycles measurements of one program each is decided and leaves no thread of ours" "$wrong wrong" test "$wrong" -eq 0
    shows "JDK $number: they leave no descriptor" "$first_fds at first, $fds at last" test "$fds" -le "$first_fds"
    ok "JDK $number: resident memory: $first_kb KB at first, $kb KB at last"
    shows "JDK $number: spl detach says so" "$(timeout 60 "$SPL" detach "$program" 2>&1)" \
        timeout 60 "$SPL" detach "$program" --quiet
    ends
    shows "JDK $number: the program ends by itself" "status $status" unharmed
}

# A request to a process that may be anything at this moment; nobody agrees to the price.
asks() {
    timeout 60 "$SPL" attach "$1" --tasks "$work/t.tasks" --out "$work/none" >"$2" 2>&1 </dev/null || true
}

# JVMs of 0 to 50 ms age: they are reached, and none ends or prints its threads. $1: number; the rest: their options.
just_started() {
    local count=$1 what=$2 at harmed=0 reached=0 pid status
    shift 2
    for ((at = 0; at < count; at++)); do
        (sleep 1.5) | "$home/bin/java" "$@" -cp "$CLASSES" CompareLoop 0 1000 >"$work/out.txt" 2>"$work/err.txt" &
        pid=$!
        sleep "$(printf '0.%03d' $((RANDOM % 51)))"
        asks "$pid" "$work/log.txt"
        status=0
        wait "$pid" || status=$?
        if ! unharmed; then harmed=$((harmed + 1)); fi
        if grep -q 'started without the agent' "$work/log.txt"; then reached=$((reached + 1)); fi
    done
    shows "JDK $number: $count JVMs of 0 to 50 ms age $what: no one ends or prints its threads" "$harmed harmed, $reached reached" \
        test "$harmed" -eq 0
}

# JVMs that end during a request.
ending() {
    local at harmed=0 pid status
    for ((at = 0; at < short; at++)); do
        "$home/bin/java" -version >"$work/out.txt" 2>"$work/err.txt" &
        pid=$!
        asks "$pid" "$work/log.txt"
        status=0
        wait "$pid" || status=$?
        if ! unharmed; then harmed=$((harmed + 1)); fi
    done
    shows "JDK $number: $short JVMs that end at once: no one is ended or prints its threads" "$harmed harmed" test "$harmed" -eq 0
}

# Processes that the signal would end.
strangers() {
    local at harmed=0 pid
    for ((at = 0; at < others; at++)); do
        sleep 30 &
        pid=$!
        asks "$pid" "$work/log.txt"
        if kill -0 "$pid" 2>/dev/null && grep -q 'not a HotSpot JVM' "$work/log.txt"; then kill "$pid"; else harmed=$((harmed + 1)); fi
        wait "$pid" 2>/dev/null || true
    done
    shows "$others other processes (sleep) are left alone with the reason" "$harmed ended" test "$harmed" -eq 0
}

# One number for JVMs and other processes in turn, while it is attached to all the time. A process that ends by the
# signal has status 131.
numbers_again() {
    local claim="of $reused processes, JVMs and others with the same number in turn, no one is ended by the signal"
    # The options are those of a small JVM, which starts soon.
    # shellcheck disable=SC2016
    if ! unshare -pmf --mount-proc bash -c 'echo 300 >/proc/sys/kernel/ns_last_pid' 2>/dev/null; then
        skip "$claim: needs root and namespaces"
        return
    fi
    # shellcheck disable=SC2016
    unshare -pmf --mount-proc bash -c '
        spl=$1 work=$2 java=$3 count=$4 harmed=0
        (while [[ ! -e $work/over ]]; do "$spl" attach 30000 --tasks "$work/t.tasks" >>"$work/asked.txt" 2>&1 </dev/null; done) &
        for ((at = 0; at < count; at++)); do
            echo 29999 >/proc/sys/kernel/ns_last_pid
            if ((at % 2)); then sleep 0.05 & else "$java" -Xshare:auto -XX:TieredStopAtLevel=1 -version >>"$work/printed.txt" 2>&1 & fi
            pid=$!
            [[ $pid -ne 30000 ]] || hit=$((hit + 1))
            status=0
            wait "$pid" || status=$?
            [[ $status -eq 0 ]] || harmed=$((harmed + 1))
        done
        touch "$work/over"
        wait
        echo "$harmed ${hit:-0}"' bash "$SPL" "$work" "$home/bin/java" "$reused" >"$work/log.txt" 2>&1 || true
    shows "JDK $number: $claim" "$(awk 'END { print $1 " ended, " $2 " had it" }' "$work/log.txt"), $(wc -l <"$work/asked.txt") requests" \
        awk 'END { exit !($1 == 0 && $2 > 0) }' "$work/log.txt"
    shows "JDK $number: and no JVM among them prints its threads" "$(grep -c 'Full thread dump' "$work/printed.txt" || true)" \
        test "$(grep -c 'Full thread dump' "$work/printed.txt" || true)" = 0
    rm -f "$work/over" "$work/asked.txt" "$work/printed.txt"
}

# A program in namespaces of its own, of user nobody, with a private /tmp without execution, that does not see our files.
# The script of the container; $1: folder to hide, where the agent's library is; $2: classes; $3: java.
# shellcheck disable=SC2016
readonly CONTAINER='mount -t proc proc /proc; mount -t tmpfs none /dev/shm; cp "$2"/*.class /dev/shm
    mount -t tmpfs -o noexec none /tmp; mkdir -p "$2"; chmod -R 755 /tmp; mv /dev/shm/*.class "$2"; chmod 1777 /tmp
    mount -t tmpfs none "$1"; java=$3; shift 3; cd /
    exec setpriv --reuid 65534 --regid 65534 --clear-groups "$java" "$@"'

contained() {
    local claim="JDK $number: a program of another user in namespaces of its own" late=0 second=0
    if ! unshare -pmnf true 2>/dev/null; then
        skip "$claim: needs root and namespaces"
        return
    fi
    starts unshare -pmnf sh -ec "$CONTAINER" sh "$BIN" "$CLASSES" "$home/bin/java"
    attaches || late=$?
    shows "$claim and with /tmp noexec is measured by a copy of the library" "status $late" test "$late" -eq 0
    shows "$claim: the copy is removed" "$(find "/proc/$program/root/dev/shm" -name '*spl*' | wc -l) files" \
        test -z "$(find "/proc/$program/root/dev/shm" "/proc/$program/root/tmp" -name '*spl*' -o -name '.attach*')"
    attaches || second=$?
    shows "$claim is measured again by the same copy" "status $second, $(loaded) loaded" test "$second,$(loaded)" = 0,1
    ends
    shows "$claim: ends by itself" "status $status" unharmed
}

# A program whose /tmp can only be read: its JVM could make no socket, and would print its threads.
without_tmp() {
    local claim="JDK $number: a program whose /tmp can only be read"
    if ! unshare -m true 2>/dev/null; then
        skip "$claim: needs root and namespaces"
        return
    fi
    # shellcheck disable=SC2016
    starts unshare -m sh -ec 'mount --bind /tmp /tmp; mount -o remount,ro,bind /tmp; exec "$@"' sh "$home/bin/java"
    attaches || true
    ends
    shows "$claim gets no signal: $(tail -n 1 "$work/log.txt" | grep -o 'its /tmp takes no file' || true)" "status $status" unharmed
}

# Another user's program, and one's own without the rights of root.
without_rights() {
    local claim="JDK $number: without the rights of root" own other
    if ! setpriv --reuid 65534 --regid 65534 --clear-groups "$SPL" --version >/dev/null 2>&1; then
        skip "$claim: this user cannot become another one, or nobody cannot run spl"
        return
    fi
    mkdir -p "$work/nobody"
    chmod 777 "$work/nobody"
    starts setpriv --reuid 65534 --regid 65534 --clear-groups "$home/bin/java"
    own=0
    setpriv --reuid 65534 --regid 65534 --clear-groups timeout 120 "$SPL" attach "$program" --config "$work/spl.ini" \
        --tasks "$work/t.tasks" --out "$work/nobody/run" --replace --until-decided --plain --yes >"$work/log.txt" 2>&1 </dev/null || own=$?
    shows "$claim a user's own program is measured" "status $own" test "$own" -eq 0
    ends
    starts "$home/bin/java"
    other=$(setpriv --reuid 65534 --regid 65534 --clear-groups "$SPL" attach "$program" --tasks "$work/t.tasks" --yes 2>&1 </dev/null || true)
    shows "$claim another user's program is refused" "$(grep -o 'it belongs to user 0' <<<"$other" || true)" \
        grep -q 'it belongs to user 0' <<<"$other"
    ends
    shows "$claim that program ends by itself" "status $status" unharmed
}

# Set-ups that cannot be measured, or not well.
broken() {
    local line
    while read -r line; do
        case $line in
        ok*) ok "JDK $number:${line#ok  }" ;;
        note*) printf '%s\n' "$line" ;;
        *) fail "JDK $number: ${line#FAIL }" ;;
        esac
    done < <(python3 evaluation/accept/lib/broken.py "$SPL" "$CLASSES" "$work" "$home/bin/java" 2>&1)
}

# Time from the start of `spl attach` to the start of the first measured call, the median of several JVMs, by the clock that
# the samples' files have. The full form asks it of the programs that operators run. $1: what the JVMs are; the rest: options
# of the JVM.
first_sample() {
    local what=$1 began first times=() middle
    shift
    for ((round = 0; round < 5; round++)); do
        starts "$home/bin/java" "$@"
        # The program is past its own start.
        sleep 1
        rm -rf "$work/run"
        began=$(clock_ms)
        attaches || true
        first=$(find "$work/run/measurements" -name '*.msr' -exec grep -ho '| start [0-9]*' {} + | awk '{ at = int($3 / 1e6) } NR == 1 || at < least { least = at } END { if (NR) print least }')
        times+=($((${first:-$((began + 120000))} - began)))
        ends
    done
    middle=$(printf '%s\n' "${times[@]}" | sort -n | sed -n 3p)
    shows "JDK $number: from \`spl attach\` to the first sample it takes at most 1 s with $what" "$middle ms (${times[*]})" \
        test "$middle" -le "$( ((brief)) && echo 30000 || echo 1000)"
}

# Milliseconds of the monotonic clock.
clock_ms() { python3 -c 'import time; print(time.monotonic_ns() // 1000000)'; }

# Runs a command with the programs that are timed. $@: the command.
timed() {
    local SPL=$QUICK/spl
    "$@"
}

loaded() { grep -oE '[^/]*spl_agent[^/]*\.so' "/proc/$program/maps" | sort -u | wc -l; }

each() {
    bare
    price
    dormant
    timed first_sample "a bare JVM"
    timed first_sample "a dormant agent" "-agentpath:$QUICK/libspl_agent.so=spl.client.socket=/nonexistent/spl"
    broken
    again
    just_started "$young" "with the usual options"
    just_started "$((young / 5 + 1))" "with -Xrs" -Xrs
    just_started "$((young / 5 + 1))" "that refuse to be attached to" -XX:+DisableAttachMechanism
    ending
    contained
    without_tmp
    without_rights
    numbers_again
    tested "JDK $number: bytecode, threads and descriptors are as before; second copies and second controllers are refused" e2e attaching:: attach::
}

install_jdks
# The first of the list.
installed=$(head -n 1 "$work/jdks" | cut -d ' ' -f 1)
build_tests
((brief)) || cargo build -q --release --workspace
javac --release 11 -d "$CLASSES" tests-java/CompareLoop.java tests-java/Life.java
chmod 644 "$CLASSES"/*
tested "the rules before the signal, in all combinations of what can be seen" cargo test -q -p spl-attach
strangers
on_each_jdk each
exit "$failed"
