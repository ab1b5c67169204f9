#!/usr/bin/env bash
# The operator's view on a terminal, the results for machines, and the pages. Prints a line "ok|FAIL claim
# figure" for each claim and fails if one does. Needs what `make setup` installs; builds what it runs. Where
# tmux, promtool, man, zsh or fish are missing, what they would show is skipped, and said.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
# shellcheck source=evaluation/accept/lib/build-tools.sh
. evaluation/accept/lib/build-tools.sh
# shellcheck source=evaluation/accept/lib/names.sh
. evaluation/accept/lib/names.sh
forms

readonly SPL=$TARGET/debug/spl
# Seconds that something on a terminal may take to appear.
readonly PATIENCE=60

tmux_server=
finish() {
    [[ -z $tmux_server ]] || tmux -S "$tmux_server" kill-server 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# The program that README and guide speak of: it ends when there is a file "stop".
service() {
    javac --release 11 -d "$work/classes" tests-java/service/com/example/*.java
    jar --create --file "$work/service.jar" --main-class com.example.Service -C "$work/classes" .
    printf '%s\n' '[communication]' 'initial-sleep = 500' '[scheduler]' 'overhead-budget = none' >"$work/spl.ini"
    printf '%s\n' 'com/example/Parser.fast(Ljava/lang/String;)I < com/example/Parser.slow(Ljava/lang/String;)I' \
        'assert "slow is not fast": com.example.Parser#slow < com.example.Parser#fast' >"$work/spl.tasks"
}

# Ends the program of the folder $work when its measurement is over.
stop_when_measured() {
    local second
    for ((second = 0; second < PATIENCE; second++)); do
        if python3 -c 'import json, sys; sys.exit(not json.load(open(sys.argv[1]))["finished"])' "$work/out/run.json" 2>/dev/null; then
            break
        fi
        sleep 1
    done
    touch "$work/stop"
}

reports() {
    local status=0 cases
    (cd "$work" && stop_when_measured) &
    (cd "$work" && "$SPL" run --replace --quiet --config spl.ini --tasks spl.tasks --out out --json out.json --junit junit.xml \
        --metrics spl.prom -- java -jar service.jar) >"$work/said.txt" 2>&1 || status=$?
    wait
    rm -f "$work/stop"
    if [[ $status -eq 1 ]]; then ok "a run whose assertion fails ends with 1"; else
        fail "a run whose assertion fails ends with $status"
        cat "$work/said.txt"
    fi
    cases=$(python3 - "$work/junit.xml" <<'END' || true
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
failures = [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None]
print(suite.get("tests"), "cases,", "failed:", ", ".join(failures))
END
    )
    if [[ $cases == "2 cases, failed: slow is not fast" ]]; then
        ok "JUnit XML is read by another reader: $cases"
    else fail "JUnit XML is read by another reader: $cases"; fi
    local result
    result=$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["schema"], d["assertions"][0]["result"])' \
        "$work/out.json" || true)
    if [[ $result == "spl.eval/1 fails" ]]; then ok "the JSON document has the verdicts: $result"; else
        fail "the JSON document has the verdicts: $result"
    fi
    local claims
    claims=$(grep -cE '^spl_claim_result\{.*result="(holds|fails)"\} 1$' "$work/spl.prom" || true)
    if [[ $claims -eq 2 ]]; then ok "the metrics have the verdicts: $claims"; else fail "the metrics have $claims verdicts"; fi
    if ! command -v promtool >/dev/null; then
        skip "promtool is not installed; a test reads the metrics"
    elif promtool check metrics <"$work/spl.prom" >"$work/promtool.txt" 2>&1; then
        ok "promtool accepts the metrics"
    else fail "promtool: $(head -n 3 "$work/promtool.txt")"; fi
}

# Waits until the terminal shows a text.
shows() {
    local second
    for ((second = 0; second < PATIENCE * 5; second++)); do
        if tmux -S "$tmux_server" capture-pane -p -S - | grep -qF "$1"; then return 0; fi
        sleep 0.2
    done
    tmux -S "$tmux_server" capture-pane -p
    return 1
}

# Under a shell with job control, in a terminal that is not our own: as an operator has it.
terminal() {
    if ! command -v tmux >/dev/null; then
        skip "tmux is not installed; tests have a terminal of their own"
        return
    fi
    tmux_server=$work/tmux
    tmux -S "$tmux_server" -f /dev/null new-session -d -x 100 -y 30 -c "$work" bash --norc
    local run="TMPDIR=$work $SPL run --config spl.ini --tasks endless.tasks --out live -- java -jar service.jar"
    # The run lasts until it is interrupted: one of the methods is never called. The socket's folder tells the
    # program from others.
    printf '%s\n' 'com/example/Parser.fast(Ljava/lang/String;)I < java/util/Random.nextInt()I' >"$work/endless.tasks"
    tmux -S "$tmux_server" send-keys "$run" Enter
    if shows "spl measuring"; then ok "tmux shows the live view"; else fail "tmux shows no live view"; fi
    tmux -S "$tmux_server" send-keys C-z
    if shows "Stopped"; then ok "Ctrl-Z gives the terminal to the shell"; else fail "Ctrl-Z does not give the terminal to the shell"; fi
    tmux -S "$tmux_server" send-keys "fg" Enter
    sleep 1
    if shows "spl measuring"; then ok "the view comes again with fg"; else fail "the view does not come again with fg"; fi
    tmux -S "$tmux_server" send-keys C-c
    if shows "the program goes on; Ctrl-C ends it too"; then ok "Ctrl-C ends the measurement"; else fail "Ctrl-C"; fi
    if pgrep -f "agentpath:.*socket=$work/" >/dev/null; then ok "the program goes on"; else fail "the program has ended"; fi
    tmux -S "$tmux_server" send-keys C-c
    if shows "the program ended with status 143"; then ok "a second Ctrl-C ends the program"; else fail "a second Ctrl-C"; fi
    tmux -S "$tmux_server" kill-server
    tmux_server=
}

shells() {
    local shell
    "$SPL" man "$work/man/man1" >/dev/null
    if command -v man >/dev/null; then
        if man --warnings -l "$work/man/man1/spl-run.1" >/dev/null 2>"$work/man.txt" && [[ ! -s $work/man.txt ]]; then
            ok "man shows the pages: $(find "$work/man/man1" -type f | wc -l)"
        else fail "man: $(head -n 3 "$work/man.txt")"; fi
    else skip "man is not installed"; fi
    for shell in bash zsh fish; do
        if ! command -v "$shell" >/dev/null; then skip "$shell is not installed" && continue; fi
        "$SPL" completions "$shell" >"$work/completions.$shell"
        if "$shell" -n "$work/completions.$shell"; then ok "$shell reads its completions"; else fail "$shell"; fi
    done
}

build_tests

tested "each of 42 mistakes in a task file has place, reason and a remedy that works" \
    cargo test -q --workspace --test mistakes -- task_files::each task_files::the_text
tested "no task file is refused without a reason" cargo test -q --workspace --test mistakes -- task_files::no_task_file task_files::a_method
tested "each of 35 mistakes in a configuration has its line, contradictions of keys too" \
    cargo test -q --workspace --test mistakes -- configuration::
tested "claims come first in the live view, with their intervals as they narrow" \
    cargo test -q --workspace --lib -- live::rows::tests::claims_come
tested "long advice goes on in the next line" cargo test -q --workspace --lib -- ending::advice
tested "the report of 31 claims is smaller than a megabyte, and keeps extremes and percentiles" \
    cargo test -q --workspace --test bounds -- thirty_one charts_of_many
tested "a run without claims has a page of figures and charts" cargo test -q --workspace --test bounds -- a_run_without
tested "the view is a function of state and size, on any terminal" cargo test -q --workspace --lib live
tested "on a terminal: the view, input, resizing, Ctrl-C, plain lines" e2e terminal
tested "JUnit XML and metrics read back" cargo test -q --workspace --lib -- junit metrics
tested "documents of --json are what their schemas say" cargo test -q --workspace --test language documents
tested "runs leave reports, also again from their samples" e2e reports
tested "completions, manual pages, colours" cargo test -q --workspace --test shell
tested "a run ends with counts, one table and a few lines: 31 claims in 45 at most" e2e ending::
tested "a measurement ends in time or when all is decided, with the program or without" e2e run_options::
tested "of a command's JVMs the one with the classes is measured, or those that are asked for" e2e which_jvm::
tested "no run replaces the results of another in silence" e2e numbered::
tested "methods that no file has are looked up in the running JVM" e2e asked::
tested "a claim with a set is a claim for each of its methods" cargo test -q --workspace --test program -- a_set a_claim_with
tested "nobody reads: every command ends quietly" cargo test -q --workspace --test pipes
tested "every key stands in docs/configuration.md" cargo test -q --workspace --lib config
tested "commands of README and guide run, units are accepted, links lead somewhere" cargo test -q --workspace --test documents
service
reports
terminal
shells
build_tools
named_methods

exit "$failed"
