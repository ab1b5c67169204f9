#!/usr/bin/env bash
# Promises of the manual about the task language, shown with `spl check`. Prints a line "ok|FAIL claim figure"
# for each and fails if one does. Needs what `make setup` installs; builds what it runs. With --bounded the
# two runs of ROME and the speed of the parser, which want a quiet machine, are left out.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly SPL=$BIN/spl
readonly CHECKS=controller/tests/check
readonly LARGEST_PARSE_MS=1000

# The contents of the manual's blocks with this info string, each in a file of its own.
blocks() {
    awk -v open="\`\`\`tasks $1" -v prefix="$work/manual-$1-" '
        $0 == "```" { inside = 0 }
        inside { print > (prefix number ".tasks") }
        $0 == open { inside = 1; number++ }' docs/language.md
}

examples() {
    local claim="every example of the manual passes spl check" mode file
    local count=0
    for mode in comparison measurement; do
        blocks "$mode"
        for file in "$work/manual-$mode"-*.tasks; do
            if ! "$SPL" check --mode "$mode" "$file" >"$work/shown.txt"; then
                fail "$claim: $mode example $file"
                cat "$work/shown.txt"
                return
            fi
            count=$((count + 1))
        done
    done
    if ((count >= 4)); then ok "$claim: $count"; else fail "$claim: only $count were found"; fi
}

mistakes() {
    local claim="ten different mistakes are ten errors, each with its place and a proposal" status=0
    javac --release 11 -d "$work/classes" "$CHECKS/shapes/Shape.java"
    cp "$CHECKS/ten-mistakes.tasks" "$work"
    (cd "$work" && "$SPL" check --quiet --classpath classes ten-mistakes.tasks) >"$work/shown.txt" || status=$?
    local errors places proposals
    errors=$(grep -c '^error: ' "$work/shown.txt" || true)
    places=$(grep -cE '^ *--> ten-mistakes.tasks:[0-9]+:[0-9]+$' "$work/shown.txt" || true)
    proposals=$(grep -c '^ *= help: ' "$work/shown.txt" || true)
    # The snapshot has a header of four lines; the last lines shown count the classes of this JDK.
    local snapshot=controller/tests/snapshots/language__ten_mistakes_are_ten_errors_each_with_a_proposal.snap
    if [[ $status -eq 2 && "$errors $places $proposals" == "10 10 10" ]] &&
        diff <(tail -n +5 "$snapshot") <(head -n -2 "$work/shown.txt") >"$work/difference.txt"; then
        ok "$claim: $errors errors, $places places, $proposals proposals, as in the snapshot"
    else
        fail "$claim: $errors errors, $places places, $proposals proposals, status $status"
        cat "$work/difference.txt" 2>/dev/null || true
    fi
}

# Facts of the thesis: Listing 19, whose classes of 2015 no class path has any more, and the method named in 3.3.3.
thesis() {
    local claim="the thesis's own tasks are read unchanged"
    printf 'java/lang/Integer.compareTo(Ljava/lang/Integer;)I\n' >"$work/3.3.3.tasks"
    local listing=evaluation/accept/thesis-listing-19.tasks
    if "$SPL" check --mode comparison "$listing" >"$work/shown.txt" &&
        "$SPL" check --mode measurement "$work/3.3.3.tasks" >>"$work/shown.txt"; then
        ok "$claim: $(grep -c . "$listing") comparisons of Listing 19, the method of 3.3.3"
    else
        fail "$claim"
        cat "$work/shown.txt"
    fi
}

# The contents of a file, with methods as class files name them.
tasks_of() {
    "$SPL" check --json --classpath "$classpath" "$1" |
        python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)["tasks"]))'
}

spellings() {
    local claim="ROME's tasks are the same in both spellings" classpath
    classpath=$(make -s --no-print-directory -C examples/rome classes classpath | tail -n 1)
    tasks_of tasks/rome.tasks >"$work/exact.txt"
    tasks_of tasks/rome-readable.tasks >"$work/readable.txt"
    local count
    count=$(grep -c . "$work/exact.txt" || true)
    if [[ $count -eq 3 ]] && diff "$work/exact.txt" "$work/readable.txt"; then
        ok "$claim: $count comparisons"
    else
        fail "$claim: $count comparisons"
    fi
}

# Whether each comparison holds, by its number. $1: the task file.
verdicts_of() {
    local status=0
    "$SPL" run --replace --quiet --config examples/rome/splserver.ini --tasks "$1" --out "$work/out" -- \
        java -cp "$classpath" rome.Main </dev/null >/dev/null 2>"$work/log" || status=$?
    # 0 and 1 say what the verdicts were.
    [[ $status -le 1 ]] || cat "$work/log"
    awk '/^comparison / { number = $2 } /^  (holds|fails|not evaluated)/ { print number, $1 }' "$work/out/result.eval" | sort
}

verdicts() {
    local claim="ROME's comparisons have the same verdicts in both spellings" classpath
    classpath=$(make -s --no-print-directory -C examples/rome classes classpath | tail -n 1)
    verdicts_of tasks/rome.tasks >"$work/exact.txt"
    verdicts_of tasks/rome-readable.tasks >"$work/readable.txt"
    local figure
    figure=$(tr '\n' ' ' <"$work/exact.txt")
    if [[ $(grep -c . "$work/exact.txt") -eq 3 ]] && diff "$work/exact.txt" "$work/readable.txt"; then
        ok "$claim: $figure"
    else
        fail "$claim: $figure"
    fi
}

jdks() {
    local claim="the sorting example's methods are found in the runtime image of every JDK" number home found
    local releases=()
    while read -r number home; do
        found=$("$SPL" check --json --jdk "$home" tasks/sorting.tasks | grep -c '"state": "found"' || true)
        if [[ $found -ne 22 ]]; then
            fail "$claim: $found of 22 with JDK $number"
            return
        fi
        releases+=("$number")
    done < <(scripts/jdks.sh --list)
    ok "$claim: 22 methods, JDK ${releases[*]}"
}

pasted() {
    local claim="methods listed as Java names them can be pasted into a task file" count status=0
    "$SPL" methods --java --limit 100000 'java.util.*' >"$work/pasted.tasks"
    count=$(grep -vc '^#' "$work/pasted.tasks" || true)
    "$SPL" check --mode measurement "$work/pasted.tasks" >"$work/shown.txt" || status=$?
    if [[ $status -eq 0 && $count -ge 1000 ]]; then
        ok "$claim: $count methods of java.util"
    else
        fail "$claim: $count methods of java.util, status $status"
        grep '^error' -A 3 "$work/shown.txt" | head -n 20
    fi
}

speed() {
    local claim="100,000 assertions are parsed in less than a second of processor time" line time
    line=$(cargo run -q --release -p spl-lang --example parse_speed)
    time=$(grep -oE 'processor [0-9]+' <<<"$line" | cut -d ' ' -f 2)
    if ((time < LARGEST_PARSE_MS)); then ok "$claim: $line"; else fail "$claim: $line"; fi
}

build -p spl-controller -p spl-agent

examples
mistakes
thesis
spellings
jdks
pasted
if ((!brief)); then
    verdicts
    speed
fi

exit "$failed"
