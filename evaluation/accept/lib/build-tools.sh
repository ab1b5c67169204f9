# shellcheck shell=bash
# Build tools, launchers and short programs, measured for real. Sourced by operator.sh, after claims.sh.

# Seconds that a test class of the Maven project lasts: enough for samples on a busy machine.
readonly LASTS=8

# Runs spl on a command in $work/$name. $1: name of the folder; then options of spl run; then -- and the command. Its output is in
# $work/$name.txt.
measured() {
    local name=$1 status=0
    shift
    "$SPL" run --plain --config "$work/build.ini" --out "$work/$name" "$@" >"$work/$name.txt" 2>&1 </dev/null || status=$?
    return "$status"
}

# $1: the claim; $2: name of the run; $3: how many files of samples it has, of all its results; the rest: texts that it has to say.
has_said() {
    local claim=$1 name=$2 wanted=$3 files text
    shift 3
    files=$(find "$work/$name"*/measurements -name '*.msr' -size +0 2>/dev/null | wc -l || true)
    for text in "$@"; do
        if ! grep -qF -- "$text" "$work/$name.txt"; then
            fail "$claim: nothing says \"$text\""
            tail -n 12 "$work/$name.txt"
            return
        fi
    done
    text="$(grep -c 'spl: measuring Java' "$work/$name.txt" || true) JVMs came, $files of $wanted files of samples"
    if [[ $files -eq $wanted ]]; then ok "$claim: $text"; else fail "$claim: $text"; fi
}

build_tools() {
    printf '%s\n' '[communication]' 'initial-sleep = 0' '[scheduler]' 'overhead-budget = none' >"$work/build.ini"
    maven
    launchers
    skip "Gradle: Debian has 4.4.1, which does not run on JDK 17, and Maven Central has none; its forks are JVMs as those of surefire"
}

# Test classes in two JVMs at once, in one after the other, and without an option.
maven() {
    if ! command -v mvn >/dev/null; then
        skip "mvn is not installed: no fork of a build tool was measured (apt-get install maven)"
        return
    fi
    local project=$work/project
    cp -r tests-java/maven "$project"
    # Also fetches what is not there yet.
    if ! mvn -B -q -f "$project" test -Dshop.seconds=0 >"$work/mvn.txt" 2>&1; then
        skip "the packages of Maven's plugins are not to be had: $(grep -m 1 ERROR "$work/mvn.txt")"
        return
    fi
    printf '%s\n' 'assert "a sum is quick": median(shop.Basket#once) <= 1 s' >"$work/maven.tasks"
    local tasks=(--tasks "$work/maven.tasks" --classpath "$project/target/classes")
    local build=(mvn -B -q -o -f "$project" test "-Dshop.seconds=$LASTS")
    measured children "${tasks[@]}" --children -- "${build[@]}" || true
    has_said "mvn test with two forks at once: one is measured, and of the other it is said why not" children 1 \
        "is not measured: another JVM of the program has the classes"
    measured each "${tasks[@]}" --each -- "${build[@]}" -Dforks=1 -Dreuse=false || true
    has_said "mvn test with a fork for each test class: each is measured on its own" each 2 \
        "spl: report: $work/each/report.html" "spl: report: $work/each-2/report.html"
    # The first fork is measured for 3 s; the second one waits, and still runs then.
    measured turns --tasks "$work/maven.tasks" --each --for 3s -- "${build[@]}" || true
    has_said "mvn test with two forks at once and --each, without a class path: both are measured in turn" turns 2 \
        "waits: another JVM of the program has the classes" "spl: report: $work/turns-2/report.html"
    measured main "${tasks[@]}" --main 'surefirebooter*' -- "${build[@]}" -Dforks=1 || true
    has_said "--main names the forks, and Maven's own JVM is left alone" main 1 \
        "and --main asks for surefirebooter*"
    measured alone "${tasks[@]}" -- "${build[@]}" -Dshop.seconds=1 || true
    has_said "without an option it is said how to measure the forks" alone 0 "class never loaded: shop.Basket#once" "--children"
}

# A script that asks Java for its version first, and a program that ends at once.
launchers() {
    javac --release 11 -sourcepath tests-java -d "$work/launched" tests-java/CompareLoop.java
    printf '%s\n' '#!/bin/sh' 'java -version 2>/dev/null' "exec java -cp '$work/launched' CompareLoop \"\$@\"" >"$work/start.sh"
    chmod +x "$work/start.sh"
    printf '%s\n' 'assert "a round is quick": median(CompareLoop.fast([I)J) <= 1 s' >"$work/launched.tasks"
    # Until the claim is decided, or has the most calls: its verdict depends on the load of the machine.
    measured script --tasks "$work/launched.tasks" --until-decided --stop-program -- "$work/start.sh" 2000000000 || true
    has_said "a launcher that asks for the version first: its second JVM is measured" script 1 "1 claim: 1 " ": CompareLoop 2000000000"
    measured short --tasks "$work/launched.tasks" --set initial-sleep=60000 -- "$work/start.sh" 1 || true
    has_said "a program that ends in a second: it is said why nothing was measured" short 0 \
        "before the measurement began (initial-sleep: at most 60000 ms)" "--set initial-sleep=0"
}
