# shellcheck shell=bash
# Metrics against other counters, against themselves, and of programs for which figures are published. The script that sources this has set
# $SPL, $BIN, $CLASSES, $COMPARE, $home, $number and $work, and has `metrics` and `compared`.

# The methods of tests-java/Rules.java.
readonly RULES=(--space "frames=Rules.Frames#a" --space "frames=Rules.Frames#b" --space "frames=Rules.Frames#c" --space "frames=Rules.Frames#go"
    --space "fibonacci=Rules.Fibonacci#of" --space "choice=Rules.Choice#of" --space "locked=Rules.Locked#go" --space "bridge=Rules.Bridge#go"
    --space "bridge=Rules.Bridge#make" --space "nest=Rules.Nest#own" --space "nest=Rules.Nest.Mate#go" --space "sites=Rules.Sites#go"
    --space "sites=Rules.Four#getAsInt" --space "parks=Rules.Parks#go" --space "wide=RulesMade#wide"
    --space "large=RulesMade#large" --space "old=RulesMade#twice")
# Programs without implicit exceptions, which JaCoCo would not see.
readonly PLAIN=("Kernels sor" "Kernels tree" "CompareLoop 20" "Calls 3" "Grows 3")
# A second counter takes the library of these JDKs. That of 11 knows no nestmates, and 25 has none.
readonly WITH_ASM=" 17 21 "
readonly ASM=java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED
readonly REPORTS=evaluation/accept/lib/coverage
readonly HEARD=evaluation/accept/lib/heard.py

# One method for each rule of counting. The values are in tests-java/Rules.java.
rules() {
    metrics rules "${RULES[@]}" -- Rules "$BIN/libspl_witness.so"
    local values=$work/rules/drill/metrics.json
    compared "an exception through three frames" values "$values" frames base.instructions.value=16 size.deadCode.value=7
    compared "recursion" values "$values" fibonacci base.instructions.value=234 base.methods.value=25
    compared "a switch" values "$values" choice base.instructions.value=12 size.run.value=8 structure.changingControlDensity.value=0.125
    compared "a synchronized native method" values "$values" locked base.instructions.value=36 base.nativeMethods.value=3
    compared "a bridge method" values "$values" bridge base.instructions.value=11 base.methods.value=3 polymorphism.calls.value=2
    compared "private methods of nestmates" values "$values" nest base.instructions.value=12 polymorphism.calls.value=2
    compared "lambdas at a place" values "$values" sites base.instructions.value=11 polymorphism.calls.value=3
    compared "threads that park in mid-loop" values "$values" parks base.instructions.value=12180 polymorphism.calls.value=1000
    compared "wide instructions" values "$values" wide base.instructions.value=51 size.load.value=13
    compared "a method of 9,002 bytes" values "$values" large base.instructions.value=6004 size.run.value=3002
    metrics rules-again "${RULES[@]}" -- Rules "$BIN/libspl_witness.so"
    compared "rules: two runs have the same metrics" same "$values" "$work/rules-again/drill/metrics.json" \
        frames fibonacci choice locked bridge nest sites parks wide large old
    [[ -n ${first_rules:-} ]] || cp "$values" "${first_rules:=$work/first-rules.json}"
    compared "rules: the same class files have the same metrics as on the first JDK" alike "$first_rules" "$values" \
        frames fibonacci choice locked bridge nest sites parks wide large old
}

# All metrics that have to be repeatable, of programs that do the same in each run.
repeated() {
    local program words once=$work/once/drill/metrics.json first
    for program in "${PLAIN[@]}"; do
        read -ra words <<<"$program"
        metrics once -- "${words[@]}"
        metrics twice -- "${words[@]}"
        compared "$program: two runs have the same metrics" repeatable "$once" "$work/twice/drill/metrics.json"
        first=$work/first-${program// /-}.json
        [[ -e $first ]] || cp "$once" "$first"
        compared "$program: it has the metrics of the first JDK" repeatable "$first" "$once"
    done
}

# Opcodes against a call in front of each instruction.
opcodes() {
    local program words said agent=$work/naive
    if [[ $WITH_ASM != *" $number "* ]]; then
        skip "JDK $number: opcodes against a second counter: this JDK has no library for it"
        return
    fi
    if [[ ! -e $agent/naive.jar ]]; then
        javac -nowarn -source 11 -target 11 --add-exports "$ASM" -d "$agent" evaluation/accept/java/Naive.java 2>"$work/said.txt"
        echo "Premain-Class: Naive" >"$agent/manifest.txt"
        (cd "$agent" && jar --create --file naive.jar --manifest manifest.txt ./*.class)
    fi
    for program in "Rules" "${PROGRAMS[@]}"; do
        read -ra words <<<"$program"
        "$home/bin/java" --add-exports "$ASM" "-javaagent:$agent/naive.jar=$work/opcodes.txt" -cp "$CLASSES" "${words[@]}" >/dev/null 2>&1 </dev/null
        metrics opcodes -- "${words[@]}"
        if said=$(evaluation/accept/lib/opcodes.py "$work/opcodes/drill" "$work/opcodes.txt" 2>&1); then
            ok "JDK $number: $program: opcodes against a second counter: $said"
        else
            fail "JDK $number: $program: opcodes against a second counter: $said"
        fi
    done
}

# Touched instructions against JaCoCo.
touched() {
    local program words jars=$work/jars jacoco
    if ((brief)) || ! command -v mvn >/dev/null; then
        skip "JDK $number: touched instructions against JaCoCo: the bounded form fetches nothing, and Maven has to be there"
        return
    fi
    if [[ ! -e $jars ]] && ! mvn -q -B -f "$REPORTS/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$jars" >"$work/said.txt" 2>&1; then
        skip "JDK $number: touched instructions against JaCoCo: Maven did not fetch it: $(tail -n 1 "$work/said.txt")"
        return
    fi
    jacoco=$jars/org.jacoco.core.jar:$jars/org.jacoco.report.jar:$jars/asm.jar:$jars/asm-commons.jar:$jars/asm-tree.jar
    [[ -e $work/reports ]] || javac --release 11 -nowarn -d "$work/reports" -cp "$jacoco" "$REPORTS/Reports.java"
    for program in "${PLAIN[@]}"; do
        read -ra words <<<"$program"
        rm -f "$work/jacoco.exec"
        "$home/bin/java" "-javaagent:$jars/org.jacoco.agent-runtime.jar=destfile=$work/jacoco.exec" -cp "$CLASSES" "${words[@]}" >/dev/null 2>&1 </dev/null
        metrics touched -- "${words[@]}"
        "$SPL" export "$work/touched" --as jacoco -o "$work/ours.xml"
        java -cp "$work/reports:$jacoco" Reports "$work/jacoco.exec" "$work/touched/drill/classes.zip" "" "$work/filtered.xml" "$work/all.xml" \
            "$work/ours.xml" >"$work/said.txt" 2>&1
        compared "$program: touched instructions are JaCoCo's" touched "$work/touched/drill/metrics.json" "$work/all.xml"
    done
}

# One comparison with what the JVM writes itself. $1: the claim; the rest: arguments of the comparison.
jvm_agrees() {
    local claim=$1 said
    shift
    if said=$("$HEARD" "$@" 2>&1); then ok "JDK $number: $claim: $said"; else fail "JDK $number: $claim: $said"; fi
}

# Waits, threads and classes against JFR and the JVM's log; waits, threads and sizes that are known.
heard() {
    local log=$work/heard.jfr count
    tested "JDK $number: known waits, threads, collections and bytes; events are given back, and shared with another agent" e2e heard:: allocated::
    for count in 4 40; do
        rm -f "$log"
        metrics "heard-$count" -- "-XX:StartFlightRecording:filename=$log,settings=$PWD/evaluation/accept/lib/heard.jfc" Heard "$count" 5 20
        "$home/bin/jfr" print --json --events jdk.JavaMonitorEnter,jdk.ThreadStart "$log" >"$work/heard-$count.json"
    done
    jvm_agrees "waits for monitors are JFR's" waits "$work/heard-40/drill" "$work/heard-40.json" Heard
    jvm_agrees "threads that start are JFR's" threads "$work/heard-40/drill" "$work/heard-40.json" "$work/heard-4/drill" "$work/heard-4.json"
    metrics loaded -- "-Xlog:class+load:file=$work/load.txt" Metrics
    jvm_agrees "loaded classes with code are those of the JVM's log" classes "$work/loaded/drill" "$work/load.txt" "$CLASSES"
}

# The objects of the heap, and what refers to what, against a dump that the JVM writes itself.
walked() {
    local said
    tested "JDK $number: objects and places of a heap that were counted by hand, in all modes of compilers and collectors; claims about them" e2e heaps::
    if said=$(evaluation/accept/lib/heap.py "$SPL" "$home" "$CLASSES" "$work" Heaps 2>&1); then
        ok "JDK $number: the heap is that of the JVM's own dump: $said"
    else
        fail "JDK $number: the heap is that of the JVM's own dump: $said"
    fi
}

# Real programs next to published figures.
programs() {
    local name lacks said
    if ((brief)); then
        skip "JDK $number: real programs next to published figures"
        return
    fi
    if [[ ! -e $work/bench ]]; then
        mkdir "$work/bench"
        [[ ! -e .cache/drill/h2.jar ]] || javac --release 11 -nowarn -cp '.cache/drill/*' -d "$work/bench" \
            evaluation/drill/java/bench/{Bench,Workload,H2,Lucene,Xalan,Jython}.java
    fi
    for name in $(evaluation/accept/lib/metric_programs.py list); do
        lacks=$(evaluation/accept/lib/metric_programs.py lacks "$name" "$home/bin/java")
        if [[ $lacks ]]; then
            skip "JDK $number: $name next to published figures: $lacks is not there (scripts/setup.sh --metrics)"
        elif said=$(evaluation/accept/lib/metric_programs.py check "$name" "$SPL" "$home/bin/java" "$work" 2>&1); then
            ok "JDK $number: $name, figures of DaCapo in brackets: $said"
        else
            fail "JDK $number: $name: $(tail -n 1 <<<"$said")"
        fi
    done
}
