#!/usr/bin/env bash
# Whether the probe tells the truth, harms nothing and costs little, on every JDK that is there. Prints a line
# "ok|FAIL claim figure" for each claim and fails if one does. With --costs it only measures, with --tests it only tests:
# measuring wants an idle machine. With --bounded costs are measured for seconds and not judged. Needs what `make setup` and `make jdks`
# install; `make soak` does some of it at length.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"

readonly FORKS=3
# Of a program with Byteman: some seconds.
readonly ROUNDS=640000
readonly BYTEMAN=.cache/peers/byteman.jar

readonly log=$work/log.txt

# Byteman lets a measured method, the slower one, print a line. It is there before us when its option stands in
# JDK_JAVA_OPTIONS, which Java reads before those of the command line, and after us on the command line, where `spl run` puts
# ours first.
beside_byteman() {
    local order=$1 claim=$2 folder status=0 before=() after=()
    folder=$(mktemp -d)
    printf 'RULE line\nCLASS CompareLoop\nMETHOD slow\nAT ENTRY\nIF flag("once")\nDO System.out.println("byteman was here")\nENDRULE\n' \
        >"$folder/line.btm"
    local option="-javaagent:$BYTEMAN=script:$folder/line.btm"
    if [[ $order == before ]]; then before=("JDK_JAVA_OPTIONS=$option"); else after=("$option"); fi
    printf 'CompareLoop.fast([I)J <= (1, 1) CompareLoop.slow([I)J\n' >"$folder/pair.tasks"
    # Judged once, of 200 calls: how long looking on takes depends on the machine.
    printf '%s\n' '[communication]' 'initial-sleep = 0' '[scheduler]' 'argument-size = nocheck' '[controller]' \
        'min-method-measurements = 200' '[evaluator]' 'method = welch' >"$folder/spl.ini"
    javac --release 11 -d "$folder" tests-java/CompareLoop.java tests-java/Life.java
    env "${before[@]}" "$TARGET/debug/spl" run --replace --config "$folder/spl.ini" --tasks "$folder/pair.tasks" \
        --out "$folder/out" -- "$home/bin/java" "${after[@]}" -cp "$folder" CompareLoop "$ROUNDS" \
        </dev/null >"$folder/stdout" 2>"$log" || status=$?
    "$home/bin/java" -cp "$folder" CompareLoop "$ROUNDS" </dev/null >"$folder/alone" 2>/dev/null
    if [[ $status -eq 0 && $(grep -cx "byteman was here" "$folder/stdout") -eq 1 ]] &&
        diff <(grep -vx "byteman was here" "$folder/stdout") "$folder/alone" >>"$log" &&
        grep -q "every class is as it was" "$log"; then
        ok "JDK $number: $claim: $(grep -m 1 -o 'verdict: .*' "$log" | cut -c -90)"
    else
        fail "JDK $number: $claim: exit status $status"
        tail -n 20 "$log"
    fi
    rm -rf "$folder"
}

tests() {
    tested "JDK $number: a reported call begins before its method and ends after it" e2e probe_truth::a_reported
    tested "JDK $number: samples say what disturbed them" e2e probe_truth::samples
    tested "JDK $number: calls of twelve threads are seen once and whole, or counted" e2e probe_threads::calls
    tested "JDK $number: one call in N is taken without bias" e2e probe_threads::one_call
    tested "JDK $number: depths are right or unknown" e2e recursion:: probe_stops::
    tested "JDK $number: calls that change their carrier are their own thread's" e2e probe_carriers::
    tested "JDK $number: threads stopped while a size is found stop, and their calls have sizes again" e2e probe_rough::a_thread
    tested "JDK $number: one of very many threads stays the same when the others have gone" e2e probe_rough::one_of
    tested "JDK $number: a dormant agent has no memory to be locked, and an AOT cache is recorded as without it" e2e dormant::
    tested "JDK $number: what user code throws never reaches the program" e2e probe_rough::what
    tested "JDK $number: sizes load no class, and no class loader is kept" e2e probe_rough::sizes probe_rough::class
    tested "JDK $number: exceptions and stack overflows are the program's own" e2e programs::exceptions programs::a_stack_overflow
    tested "JDK $number: short-lived and virtual threads are measured unchanged" e2e programs::short_lived
    tested "JDK $number: hard targets are measured or refused" e2e probe_targets::hard
    tested "JDK $number: what puts virtual threads on their carriers is refused" e2e probe_targets::what_puts
    tested "JDK $number: controller and agent show each other that they know the token" e2e token::the token::a_listener
    tested "JDK $number: a silent or endless peer holds up neither side" e2e token::half token::a_silent token::strangers
    tested "JDK $number: intrinsics whose calls are seen no more are warned of" e2e probe_targets::an_intrinsic
    tested "JDK $number: 20 killed controllers leave nothing behind" e2e probe_faults::a_controller
    tested "JDK $number: 300 changes of classes leave memory, constant pools and metaspace flat" e2e probe_faults::a_class
    tested "JDK $number: a panic in any callback or thread leaves the program alone" e2e probe_panics::
    tested "JDK $number: other agents change the same class, before and after" e2e probe_neighbours::another
    if ((brief)) && [[ ! -e $BYTEMAN ]]; then
        skip "Byteman, which a Maven repository has, is not in ${BYTEMAN%/*}; another agent of ours is there to be tested with"
    else
        beside_byteman before "Byteman changes a measured method, there before us"
        beside_byteman after "Byteman changes a measured method, there after us"
    fi
    tested "JDK $number: the class that spoils a batch is found and left alone" e2e probe_neighbours::a_class
}

# Whether costs can be measured at all.
measures() {
    local claim="what a call costs is measured on one and on several threads" status=0 figures
    "$BIN/spl-overhead" --forks 1 --rounds 2 --only calls,threads,truth --java "$home/bin/java" </dev/null >"$log" 2>&1 || status=$?
    figures=$(grep -cE '^(ok  |FAIL) ' "$log" || true)
    # 1 says that a limit was missed.
    if [[ $status -le 1 && $figures -ge 10 ]]; then ok "JDK $number: $claim: $figures figures"; else
        fail "JDK $number: $claim: $figures figures, status $status"
        tail -n 5 "$log"
    fi
}

costs() {
    local status=0
    "$TARGET/release/spl-overhead" --forks "$FORKS" --java "$home/bin/java" </dev/null >"$log" || status=$?
    sed "s/^\(....\) /\1 JDK $number: /" "$log"
    [[ $status -eq 0 ]] || failed=1
}

forms --costs --tests
case $FORM in
'') parts="costs tests" ;;
--costs) parts=costs ;;
--tests) parts=tests ;;
*) parts="measures tests" ;;
esac

install_jdks
if [[ $parts != tests ]]; then
    build -p spl-agent -p spl-overhead
fi
if [[ $parts == *tests* ]]; then
    ((brief)) || scripts/setup.sh --peers
    build_tests
    tested "rings: every interleaving of probes and drain that the model checker tries is right" \
        cargo test -q --workspace --lib -- rings::model
fi
for part in $parts; do
    on_each_jdk "$part"
done

exit "$failed"
