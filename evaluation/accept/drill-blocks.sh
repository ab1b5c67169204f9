#!/usr/bin/env bash
# Blocks, counted exactly: of programs with known counts, against a witness that steps through the program, through every kind of
# end, in JDK classes, and without a change of what the programs do. Coverage, against JaCoCo. Prints a line "ok|FAIL claim figure"
# for each claim and fails if one does. Needs what `make setup` installs, and Maven for JaCoCo; fetches the JDKs that are missing and
# builds what it runs. The full form takes 25 minutes.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms
# shellcheck source=evaluation/accept/lib/coverage.sh
. evaluation/accept/lib/coverage.sh

readonly SPL=$BIN/spl
readonly COMPARE=evaluation/accept/lib/drill.py
readonly CLASSES=$work/classes
# Programs that end by themselves, with the arguments of a short run. Their output does not depend on times.
readonly PROGRAMS=("Blocks 1" "CompareLoop 20" "Thrower 5" "Recursive 5" "Virtual 3" "TwoLoaders 3" "Lambdas 3" "HardTargets 3")

build -p spl-agent -p spl-witness -p spl-controller
install_jdks
javac --release 11 -nowarn -d "$CLASSES" -sourcepath tests-java tests-java/*.java

# A drill of the programs of the tests. $1: the folder; $2: options; the rest: arguments of Java.
drill() {
    local out=$1 options=$2
    shift 2
    # shellcheck disable=SC2086 # Several options.
    "$SPL" drill --replace --out "$work/$out" $options -- "$home/bin/java" -cp "$CLASSES" "$@" >"$work/out.txt" 2>"$work/said.txt" </dev/null
}

# A comparison's figures become a claim. $1: the claim; the rest: arguments of the comparison.
compared() {
    local claim=$1 figures
    shift
    if figures=$("$COMPARE" "$@"); then ok "JDK $number: $claim: $figures"; else fail "JDK $number: $claim: $figures"; fi
}

graphs() {
    tested "blocks, edges and handlers are those of ASM" cargo test -q --workspace --test asm
    tested "counters solve to the counts of random walks with exceptions" cargo test -q --workspace --lib counting
    tested "each method with counters links in a JVM" cargo test -q --workspace --test jdk counters
}

counts() {
    tested "JDK $number: closed formulas, each compiler, threads, virtual threads, halt, exit, kill -9, restored classes" \
        e2e drill::
    "$home/bin/java" -Xint "-agentpath:$BIN/libspl_witness.so=steps=$work/steps.txt" -cp "$CLASSES" Blocks 1 >/dev/null 2>&1 </dev/null
    drill blocks "--methods Blocks Life" Blocks 1
    compared "a program's counts are those of single steps" steps "$work/blocks/drill/blocks.csv" "$work/steps.txt" Blocks
    drill interpreted "--methods Blocks Life" -Xint Blocks 1
    compared "interpreted and compiled code count the same" same "$work/blocks/drill/blocks.csv" "$work/interpreted/drill/blocks.csv"
}

# `javac` compiling one class, against single steps: 70 s for the witness.
compiler() {
    local folder=$work/in
    if ((brief)) || ! "$home/bin/java" --list-modules | grep -q '^jdk.compiler@'; then
        skip "JDK $number: a run of javac against single steps"
        return
    fi
    mkdir -p "$folder/out"
    echo 'public class Hello { public static void main(String[] a) { System.out.println("Hello"); } }' >"$folder/Hello.java"
    local javac=(-m jdk.compiler/com.sun.tools.javac.Main -cp "$folder/out" -d "$folder/out" "$folder/Hello.java")
    "$home/bin/java" "${javac[@]}"
    "$home/bin/java" -Xint "-agentpath:$BIN/libspl_witness.so=steps=$work/steps.txt" "${javac[@]}"
    "$SPL" drill -q --replace --out "$work/javac" --methods 'com.sun.tools.javac.**' -- "$home/bin/java" "${javac[@]}"
    compared "a run of javac counts as single steps, and more only in class initialisers, where steps are hidden" \
        steps "$work/javac/drill/blocks.csv" "$work/steps.txt" com/sun/tools/javac
}

whole_jdk() {
    local figures javap=$home/bin/javap
    [[ -x $javap ]] || javap=javap
    echo 'public class Hello { public static void main(String[] a) { System.out.println("Hello"); } }' >"$work/Hello.java"
    javac --release 11 -d "$CLASSES" "$work/Hello.java"
    drill jdk "--all --jdk" "-Xlog:class+load=info:file=$work/load.txt" Hello
    compared "every class that was loaded counts, or the reason is there" loaded "$work/jdk/drill/drill.json" "$work/load.txt" "$javap"
    figures=$(sed -n 's/^spl: \(.* methods of .*\)$/\1/p' "$work/said.txt" | head -1)
    if grep -q '^java/io/PrintStream.println(Ljava/lang/String;)V,1,' "$work/jdk/drill/methods.csv"; then
        ok "JDK $number: Hello world: $figures (the paper on JBInsTrace: about 42,550 bytecodes)"
    else
        fail "JDK $number: Hello world: $figures"
    fi
    drill own "--all" Hello
    if grep -q '"name": "java/' "$work/own/drill/drill.json"; then fail "JDK $number: without --jdk no class of the JDK counts"; else
        ok "JDK $number: without --jdk no class of the JDK counts"
    fi
}

# The same output and status with everything counted.
neutral() {
    local program words status expected differ=()
    for program in "${PROGRAMS[@]}"; do
        read -ra words <<<"$program"
        expected=0 status=0
        "$home/bin/java" -cp "$CLASSES" "${words[@]}" >"$work/expected.txt" 2>/dev/null </dev/null || expected=$?
        drill neutral "--all --jdk" -Xcheck:jni -Xverify:all "${words[@]}" || status=$?
        grep -q "the program ended with status $expected" "$work/said.txt" && ((status == 0)) || differ+=("$program: $(tail -1 "$work/said.txt")")
        grep -v '^WARNING in native method\|^Warning: ' "$work/out.txt" | cmp -s - "$work/expected.txt" || differ+=("$program: other output")
    done
    if ((${#differ[@]} == 0)); then
        ok "JDK $number: ${#PROGRAMS[@]} programs do the same while everything counts (-Xcheck:jni, -Xverify:all)"
    else
        fail "JDK $number: programs do the same while everything counts: ${differ[*]}"
    fi
}

each() {
    counts
    compiler
    whole_jdk
    coverage
    neutral
}

graphs
on_each_jdk each
exit "$failed"
