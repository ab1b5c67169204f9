# shellcheck shell=bash
# Coverage against JaCoCo: the same tests of commons-lang3 run once under JaCoCo and once under a drill, and each line and each
# method has to have the same counters. Sourced by drill-blocks.sh, which has `$work`, `$SPL`, and for each JDK `$number` and `$home`.

readonly COVERAGE=evaluation/accept/lib/coverage
readonly LANG3=org.apache.commons.lang3
# Tests that do the same in each run, as patterns of their classes, and more of them in the full form.
LANG3_TESTS='(math|mutable|tuple|compare|function)/[^$]*Test'
((brief)) || LANG3_TESTS+='|(exception|reflect|builder|text|stream)/[^$]*Test|(String|Array)Utils[^$]*Test|BitFieldTest|RangeTest'
# The lists of differences with their causes.
readonly DIFFERENCES=$TARGET/coverage

# Fetches what pom.xml names, and compiles what makes JaCoCo's reports.
coverage_tools() {
    local jars=$work/jars
    command -v mvn >/dev/null && mvn -q -B -f "$COVERAGE/pom.xml" dependency:copy-dependencies \
        -DoutputDirectory="$jars" >"$work/mvn.txt" 2>&1 || return 1
    jacoco=$jars/org.jacoco.core.jar:$jars/org.jacoco.report.jar:$jars/asm.jar:$jars/asm-commons.jar:$jars/asm-tree.jar
    javac --release 11 -nowarn -d "$work/reports" -cp "$jacoco" "$COVERAGE/Reports.java"
    mkdir -p "$DIFFERENCES"
    # By their names, because a JDK may lack the module with which JUnit would look into the JAR.
    mapfile -t tests < <(jar --list --file "$jars/commons-lang3-tests.jar" |
        grep -xE "${LANG3//.//}/($LANG3_TESTS)\.class" | sed -e 's/\.class$//' -e 's#/#.#g' -e 's/^/--select-class=/')
}

# The tests. $@: a command that ends with the JVM and its options.
lang3_tests() {
    local jars=$work/jars
    # Two packages of the JDK are opened to the tests, as their build does it.
    "$@" -Duser.language=en -Duser.country=US -Duser.timezone=UTC --add-opens java.base/java.lang=ALL-UNNAMED \
        --add-opens java.base/java.util=ALL-UNNAMED \
        -cp "$jars/commons-lang3.jar:$jars/commons-lang3-tests.jar:$jars/junit-platform-console-standalone.jar:$jars/hamcrest.jar" \
        org.junit.platform.console.ConsoleLauncher execute --disable-banner --details=summary "${tests[@]}" >"$work/tests.txt" 2>&1 || true
    grep -oE '[0-9]+ tests (successful|failed)' "$work/tests.txt" | paste -sd' '
}

# Compares a document of ours with JaCoCo's. $1: its name.
as_jacoco() {
    "$COVERAGE/compare.py" jacoco "$work/$1.xml" "$work/all.xml" "$work/filtered.xml" "$work/coverage/drill" "${LANG3//.//}/" \
        >"$DIFFERENCES/$number.txt" 2>&1
}

coverage() {
    local under_jacoco drilled said prefix=${LANG3//.//}/
    if [[ -z ${jacoco:-} ]] && ! coverage_tools; then
        skip "JDK $number: coverage against JaCoCo: Maven did not fetch it: $(tail -n 1 "$work/mvn.txt" 2>/dev/null || true)"
        return
    fi
    rm -f "$work/jacoco.exec"
    under_jacoco=$(lang3_tests "$home/bin/java" "-javaagent:$work/jars/org.jacoco.agent-runtime.jar=destfile=$work/jacoco.exec,includes=$LANG3.*")
    drilled=$(lang3_tests "$SPL" drill -q --replace --out "$work/coverage" --all -- "$home/bin/java")
    if [[ $under_jacoco != "$drilled" || $drilled != [1-9]* ]]; then
        fail "JDK $number: the same tests pass under JaCoCo ($under_jacoco) and under a drill ($drilled)"
        return
    fi
    "$SPL" export "$work/coverage" --as jacoco -o "$work/ours.xml"
    said=$(java -cp "$work/reports:$jacoco" Reports "$work/jacoco.exec" "$work/coverage/drill/classes.zip" "$prefix" \
        "$work/filtered.xml" "$work/all.xml" "$work/ours.xml" 2>&1 | head -n 3)
    if [[ -n $said ]]; then fail "JDK $number: $said"; else
        ok "JDK $number: the XML is valid by JaCoCo's report.dtd, and no class that ran under JaCoCo is missing"
    fi
    if said=$(as_jacoco ours && sed -n 1p "$DIFFERENCES/$number.txt"); then
        # The comparison must see a single wrong line.
        awk -v "package=<package name=\"${prefix%/}" 'index($0, package) { inside = 1 }
            inside && !done && sub(/mi="0" ci="3"/, "mi=\"3\" ci=\"0\"") { done = 1 } 1' "$work/ours.xml" >"$work/wrong.xml"
        cp "$DIFFERENCES/$number.txt" "$work/list.txt"
        if as_jacoco wrong; then fail "JDK $number: the comparison sees a line that is told wrongly"; fi
        mv "$work/list.txt" "$DIFFERENCES/$number.txt"
        ok "JDK $number: coverage is JaCoCo's ($drilled): $said (the list: ${DIFFERENCES##*/}/$number.txt in the target folder)"
    else
        fail "JDK $number: coverage is JaCoCo's ($drilled)"
        head -n 20 "$DIFFERENCES/$number.txt"
    fi
    flags
}

# Flags say the same as counts.
flags() {
    local drilled said
    drilled=$(lang3_tests "$SPL" drill -q --replace --what cover --out "$work/flags" --all -- "$home/bin/java")
    "$SPL" export "$work/flags" --as jacoco -o "$work/flags.xml"
    if said=$("$COVERAGE/compare.py" flags "$work/flags.xml" "$work/ours.xml" "${LANG3//.//}/" 2>&1); then
        ok "JDK $number: flags say what counts say ($drilled): $said"
    else
        fail "JDK $number: flags say what counts say ($drilled): $(head -n 20 <<<"$said")"
    fi
}
