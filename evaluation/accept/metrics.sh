#!/usr/bin/env bash
# Dynamic metrics: values computed by hand, the same on each JDK and with each compiler, executed instructions against a witness that
# steps through the program, programs on their side of published thresholds, the forms against their schemas, claims about metrics, and the
# store of many runs; opcodes against a second counter, touched instructions against JaCoCo, real programs next to published figures. Prints a
# line "ok|FAIL claim figure" for each claim and fails if one does. Needs what `make setup` installs, xmllint and xsltproc, and for the last
# two Maven and `scripts/setup.sh --metrics`; fetches the JDKs that are missing and builds what it runs. The full form takes over half an hour.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
# shellcheck source=evaluation/accept/lib/store.sh
. "$(dirname "$0")/lib/store.sh"
# shellcheck source=evaluation/accept/lib/metric-oracles.sh
. "$(dirname "$0")/lib/metric-oracles.sh"
forms

readonly SPL=$BIN/spl
readonly COMPARE=evaluation/accept/lib/metrics.py
readonly CLASSES=$work/classes
# The methods whose metrics are known: `go` of each, with what it calls.
readonly SPACES=(--space "g1=Metrics.G1#go" --space "g1=Metrics.P#f" --space "g1=Metrics.Q#f" --space "g2=Metrics.G2#go" --space "g2=Metrics.G2#m"
    --space "g3=Metrics.G3#go" --space "g4=Metrics.G4#go" --space "g8=Metrics.G8#go" --space "never=Metrics.G10#never")
# Programs that end by themselves, with arguments of a short run.
readonly PROGRAMS=("Metrics" "CompareLoop 20" "Blocks 1" "Thrower 5" "Kernels sor" "Kernels tree")

build -p spl-agent -p spl-witness -p spl-controller
install_jdks
javac --release 11 -nowarn -d "$CLASSES" -sourcepath tests-java tests-java/*.java

# The metrics of a program of the tests. $1: the folder; the rest: options, then --, then arguments of Java.
metrics() {
    local out=$1 options=()
    shift
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    "$SPL" metrics -q --replace --out "$work/$out" "${options[@]}" -- "$home/bin/java" -cp "$CLASSES" "$@" >"$work/out.txt" 2>"$work/said.txt" </dev/null
}

# A comparison's figures become a claim. $1: the claim; the rest: arguments of the comparison.
compared() {
    local claim=$1 figures
    shift
    if figures=$("$COMPARE" "$@" 2>&1); then ok "JDK $number: $claim: $figures"; else fail "JDK $number: $claim: $figures"; fi
}

units() {
    tested "hot things, bounds of counts, N/A, bins and patterns follow their definitions" \
        cargo test -q --workspace --lib -- hot:: flow:: amount:: chosen:: choice:: space:: group::
    tested "the page of metrics has the table of the code" cargo test -q --workspace --test page
    tested "damaged files of a drill give an error and no panic" cargo test -q --workspace --test export no_files_of_a_drill
}

by_hand() {
    tested "JDK $number: programs of which the metrics are known, each form and its schema, bad input" e2e metrics:: metric_rules:: metric_claims:: series::
    metrics "known-$number" "${SPACES[@]}" -- Metrics
    local values=$work/known-$number/drill/metrics.json
    compared "receivers" values "$values" g1 base.instructions.value=85 size.run.value=23 size.hot.value=15 size.hotMethods.value=2 \
        data.arrayDensity.value=129.41 polymorphism.receiverCacheMissRate.value=0.8 "polymorphism.targetArity.bin[2]=1"
    compared "locks" values "$values" g2 base.instructions.value=48 concurrency.lockDensity.value=125 concurrency.lock.percentile=100
    compared "an exception in the middle of a block" values "$values" g3 base.instructions.value=35 data.numArrayDensity.value=114.29
    compared "floating point and objects" values "$values" g4 base.instructions.value=70 data.floatDensity.value=128.57 \
        pointer.fieldAccessDensity.value=128.57 base.objects.value=4
    compared "two threads at one place" values "$values" g8 polymorphism.receiverCacheMissRate.value=0.1
    metrics "interpreted" "${SPACES[@]}" -- -Xint Metrics
    compared "interpreted and compiled code have the same metrics" same "$values" "$work/interpreted/drill/metrics.json" app g1 g2 g3 g4 g8 never
    [[ -n ${first:-} ]] || first=$values
    compared "the same class files have the same metrics as on the first JDK" alike "$first" "$values" app g1 g2 g3 g4 g8 never
}

# Judges claims about the drill of the known program. $1: the wanted status; $2: what is claimed; the rest: claims.
judged() {
    local wanted=$1 claim=$2 status=0
    shift 2
    printf '%s\n' "$@" >"$work/claims.tasks"
    "$SPL" analyse "$work/known-$number" --disable '*' --tasks "$work/claims.tasks" --junit "$work/claims.xml" >"$work/out.txt" 2>"$work/said.txt" \
        || status=$?
    if ((status == wanted)); then
        ok "JDK $number: $claim: status $status, $(grep -m 1 -oE '[0-9]+ claims?: .*|[^ ]+:[0-9]+:[0-9]+' "$work/said.txt")"
    else
        fail "JDK $number: $claim: status $status, not $wanted: $(head -n 3 "$work/said.txt" | tr '\n' ' ')"
    fi
}

claims() {
    # A metric, what it is of, and its value.
    local known=("base.instructions, Metrics.G1#go|75" "base.instructions, Metrics.P#f|8" "base.instructions, Metrics.Q#f|2"
        "polymorphism.receiverCacheMissRate, Metrics.G1#go|0.8" "polymorphism.targetArity[2], Metrics.G1#go|1"
        "base.instructions, Metrics.G2|48" "concurrency.lockDensity, Metrics.G2|125" "concurrency.lock, Metrics.G2|100%"
        "base.instructions, Metrics.G3#go|35" "base.instructions, Metrics.G4#go|70" "data.arrayDensity, Metrics.G4#go|100"
        "base.objects, Metrics.G4#go|4")
    local one equal=() beyond=() below=()
    for one in "${known[@]}"; do
        equal+=("metric(${one%|*}) = ${one#*|}")
        beyond+=("metric(${one%|*}) > ${one#*|}")
        below+=("metric(${one%|*}) < ${one#*|}")
    done
    judged 0 "claims about G1 to G4 hold at their values" "${equal[@]}"
    for one in "${!known[@]}"; do
        judged 1 "${beyond[one]} fails" "${beyond[one]}"
        judged 1 "${below[one]} fails" "${below[one]}"
    done
    judged 1 "a formula fails by one part" "assert \"t\": ${equal[0]} & ${beyond[8]}"
    judged 3 "bounds on both sides are undecided" "metric(polymorphism.targetCacheMissRate, Metrics.G1#go) <= 0.5"
    judged 0 "and decided where both are on one" "metric(polymorphism.targetCacheMissRate, Metrics.G1#go) <= 0.6"
    judged 3 "a class that was not there is undecided" "metric(base.methods, Metrics.Nobody) = 0"
    judged 2 "an unknown metric is an error with its place" "" "metric(polymorphism.targetPoliDensity, app) <= 0.05"
    judged 2 "a time for a bound is an error with its place" "metric(base.instructions, app) <= 5 ms"
}

# The example of a pipeline, from outside, with a fourth class of receivers and without.
fourth_receiver() {
    local arguments wanted status
    javac --release 11 -nowarn -d "$work/receivers" examples/receivers/src/receivers/*.java
    for arguments in "" net; do
        status=0 wanted=0
        [[ $arguments ]] && wanted=1
        "$SPL" metrics --replace --out "$work/receivers-out" --disable '*' --tasks tasks/receivers.tasks --junit "$work/claims.xml" -- \
            "$home/bin/java" -cp "$work/receivers" receivers.Main ${arguments:+"$arguments"} >"$work/out.txt" 2>"$work/said.txt" </dev/null || status=$?
        if ((status == wanted)) && (($(grep -c '<failure ' "$work/claims.xml") == wanted)); then
            ok "JDK $number: examples/receivers ${arguments:-as it is}: status $status, $(grep -oE '[0-9]+ claims: .*' "$work/said.txt")"
        else
            fail "JDK $number: examples/receivers ${arguments:-as it is}: status $status, not $wanted"
        fi
    done
}

# Executed instructions against single steps.
against_steps() {
    local program words spaces
    for program in "${PROGRAMS[@]}"; do
        read -ra words <<<"$program"
        "$home/bin/java" -Xint "-agentpath:$BIN/libspl_witness.so=steps=$work/steps.txt" -cp "$CLASSES" "${words[@]}" >/dev/null 2>&1 </dev/null
        metrics stepped -- "${words[@]}"
        seen "${words[0]}" "" "$program"
    done
}

# The metrics of the classes whose blocks have the witness's counts. $1: beginning of their names; $2: text for it; $3: the program.
seen() {
    local spaces drill=$work/stepped/drill
    mapfile -t spaces < <("$COMPARE" spaces "$drill/blocks.csv" "$work/steps.txt" "$1")
    "$SPL" analyse "$work/stepped" "${spaces[@]}" --as json -o "$work/seen.json" 2>"$work/said.txt"
    compared "$3: single steps" total "$work/seen.json" "$drill/blocks.csv" "$work/steps.txt" "$1"
}

# `javac` compiling one class: about two minutes for the witness.
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
    metrics stepped --methods 'com.sun.tools.javac.**' -- "${javac[@]}"
    seen com/sun/tools/javac javac "javac, classes whose blocks have the witness's counts"
}

# The web pages of the metrics call a program intensive in arrays or floating point over 100 for each 1,000 instructions.
thresholds() {
    metrics sor -- Kernels sor
    local values=$work/sor/drill/metrics.json
    compared "SOR of SciMark is intensive in floating point" range "$values" data.floatDensity.value 100 1000
    compared "and in arrays" range "$values" data.arrayDensity.value 100 1000
    metrics tree -- Kernels tree
    values=$work/tree/drill/metrics.json
    compared "TreeAdd of JOlden has no arrays" range "$values" data.arrayDensity.value 0 1
    compared "and many references" range "$values" pointer.refFieldAccessDensity.value 100 1000
}

forms_of_values() {
    local said
    if ! command -v xmllint >/dev/null; then
        skip "xmllint is not installed (apt-get install libxml2-utils)"
        return
    fi
    if said=$(xmllint --noout --schema docs/schema/metrics-1.xsd "$work/known-$number/drill/metrics.xml" 2>&1); then
        ok "JDK $number: the XML is what its schema says, by xmllint"
    else
        fail "JDK $number: the XML is what its schema says, by xmllint: $said"
    fi
    compared "the XML has the values of the JSON" forms "$work/known-$number/drill/metrics.json" "$work/known-$number/drill/metrics.xml"
    if ! command -v xsltproc >/dev/null; then
        skip "xsltproc is not installed (apt-get install xsltproc)"
    elif said=$(xsltproc docs/schema/metrics-1.xsl "$work/known-$number/drill/metrics.xml" 2>&1) \
        && (($(grep -c '<tr class="metric"' <<<"$said") == $(grep -cE '<(value|continuous|percentile|bin) ' "$work/known-$number/drill/metrics.xml"))); then
        ok "JDK $number: xsltproc makes a page of the XML with $(grep -c '<tr class="metric"' <<<"$said") values"
    else
        fail "JDK $number: xsltproc makes a page of the XML: $(head -n 3 <<<"$said")"
    fi
}

each() {
    by_hand
    rules
    repeated
    claims
    fourth_receiver
    against_steps
    opcodes
    touched
    heard
    walked
    thresholds
    programs
    forms_of_values
    compiler
}

units
stored
on_each_jdk each
exit "$failed"
