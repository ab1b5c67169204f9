#!/usr/bin/env bash
# The way from a failed claim to its reason: ten planted causes of slowness in a server, of which at least nine have to come first
# among the reasons, and a pair without any; the methods that calls enter, next to a witness of all entries; exports of a drill, each checked by a tool that reads its form; drawings of methods by
# the rules that each keeps, and next to those of Graphviz. Prints a line "ok|FAIL claim figure" for each claim and fails if one does.
# Needs what `make setup` installs. The full form takes some twenty minutes.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly SPL=$BIN/spl
readonly PLANTED=evaluation/drill/planted
readonly CLASSES=$work/classes

build -p spl-agent -p spl-witness -p spl-controller
javac -g --release 11 -nowarn -d "$CLASSES" "$PLANTED/Planted.java"
javac --release 11 -nowarn -d "$CLASSES" -sourcepath tests-java tests-java/Calls.java tests-java/Arcs.java

# The claims of the bounded form are decided by few calls, and fail on every machine.
settings=()
tasks=$PLANTED/planted.tasks
seconds=200
if ((brief)); then
    tasks=$work/fail.tasks
    sed -E 's/<= [0-9.]+ \*/<= 0.01 */' "$PLANTED/planted.tasks" >"$tasks"
    printf '[scheduler]\nprofile = thesis\n\n[controller]\nmin-method-measurements = 200\nmax-method-measurements = 400\n' >"$work/spl.ini"
    settings=(--config "$work/spl.ini")
    seconds=60
fi

# $1: JDK, $2: java.
planted() {
    local status=0 figure causes
    if ! "$2" --list-modules | grep '^jdk.httpserver@' >/dev/null; then
        printf 'note not tried: JDK %s: planted causes: this JDK has no server for HTTP\n' "$1"
        return
    fi
    "$SPL" run "${settings[@]}" --replace --tasks "$tasks" --for "${seconds}s" --drill failed \
        --stop-program --out "$work/planted" -- "$2" -cp "$CLASSES" Planted 600 "$work/requests.txt" >"$work/said.txt" 2>&1 </dev/null || true
    figure=$(evaluation/accept/lib/planted.py "$work/planted/why.json" "$PLANTED/Planted.java" 2>&1) || status=1
    causes=$(tail -n 1 <<<"$figure")
    if [[ ! $causes =~ ^[0-9]+\ of ]]; then
        fail "JDK $1: reasons are found: $causes; $(tail -n 1 "$work/said.txt")"
        return
    fi
    if [[ $status -eq 0 ]]; then
        ok "JDK $1: nothing is found where both sides do the same"
    else
        fail "JDK $1: nothing is found where both sides do the same: $causes"
    fi
    if ((${causes%% *} >= 9)); then
        ok "JDK $1: the planted cause comes first, at least 9 times: $causes"
    else
        fail "JDK $1: the planted cause comes first, at least 9 times: $figure"
    fi
    if figure=$(evaluation/accept/lib/search_cost.py "$work/planted/drill.jsonl" "$work/requests.txt" 2>&1); then
        ok "JDK $1: counting keeps its budget of the server's processor time: $figure"
    else
        fail "JDK $1: counting keeps its budget of the server's processor time: $(tail -n 1 <<<"$figure")"
    fi
}

readonly COMPARE=evaluation/accept/lib/drill.py
installed=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/.*java.specification.version = //p')
planted "$installed" java
if ((!brief)); then
    install_jdks
    for number in 11 21 25; do planted "$number" ".cache/jdks/$number/bin/java"; done
fi

# A feed reader that nobody here wrote: building a feed calls the method that it is compared with, through another one.
product() {
    local path first
    path=$(make -s --no-print-directory -C examples/rome classes classpath | tail -n 1)
    grep SyndFeedInput.build tasks/rome.tasks >"$work/rome.tasks"
    timeout 400 "$SPL" run --replace --tasks "$work/rome.tasks" --for 200s --drill failed --stop-program --out "$work/rome" \
        -- java -cp "$path" rome.Main --cycles 0 --network-ms 0 --quiet-times >"$work/said.txt" 2>&1 </dev/null || true
    first=$(python3 - "$work/rome/why.json" 2>&1 <<'PYTHON'
import json, sys

claim = json.load(open(sys.argv[1]))["claims"][0]
path = claim["causes"][0]["path"]
# The slow method alone calls them: one parses the document, and the other makes the feed of it.
assert path[0].split("(")[0] in ("com/rometools/rome/io/WireFeedInput.build", "com/rometools/rome/feed/synd/SyndFeedImpl.<init>"), path
print(f"{path[-1]}, {claim['bytecodes'] / claim['bytecodes_of_other']:.2f} times the bytecodes, {claim['times']} times as long")
PYTHON
    ) || {
        fail "ROME, default settings: what building a feed adds to building its document is found: $(tail -n 1 <<<"$first")"
        return
    }
    ok "ROME, default settings: what building a feed adds to building its document is found: $first"
}

if ((!brief)); then product; fi

export DUCKDB=.cache/duckdb
if ((!brief)) && ! python3 -c 'import sys; sys.path.insert(0, ".cache/duckdb"); import duckdb' 2>/dev/null; then
    python3 -m pip install -q --target "$DUCKDB" duckdb >/dev/null 2>&1 || printf 'note DuckDB could not be installed\n'
fi
"$SPL" drill -q --replace --methods 'Calls' --out "$work/calls" -- java -cp "$CLASSES" Calls 1 >/dev/null 2>"$work/said.txt" </dev/null ||
    fail "a drill to export: $(tail -n 1 "$work/said.txt")"
evaluation/drill/exports.sh "$work/calls" "$SPL" || failed=1
"$SPL" drill -q --replace --what calls --methods 'Arcs**' --out "$work/calls" -- java -cp "$CLASSES" Arcs 3 >/dev/null 2>"$work/said.txt" </dev/null ||
    fail "a drill of calls to export: $(tail -n 1 "$work/said.txt")"
evaluation/drill/exports.sh "$work/calls" "$SPL" || failed=1

# Own time and time with callees of a recursion of depth 10, without the cost of probes, next to JMH; by two clocks a call and by four.
durations() {
    local jmh alone drilled reads figure
    scripts/setup.sh --peers >/dev/null
    jmh=$(printf "$PWD/.cache/peers/%s.jar:" jmh-core jmh-generator-annprocess jopt-simple commons-math3)
    mkdir "$work/depth"
    javac -g -cp "$jmh" -d "$work/depth" evaluation/drill/depth/Depth.java
    for _ in 1 2 3; do
        (cd "$work/depth" && java -cp ".:$jmh" org.openjdk.jmh.Main -rf json -rff jmh.json Depth >jmh.txt 2>&1 </dev/null) || true
        alone=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[0]["primaryMetric"]["score"])' "$work/depth/jmh.json")
        printf 'jmh %s %s\n' "$alone" "$alone"
        for reads in two four; do
            "$SPL" drill -q --what time --clock "$reads" --methods 'depth.Depth#down' --replace --out "$work/timed" -- \
                java -cp "$work/depth" depth.Depth 5 >/dev/null 2>"$work/said.txt" </dev/null || true
            drilled=$(awk -F, 'NR == 2 { whole = $2 / 11; print $8 / whole, $9 / whole }' "$work/timed/drill/times.csv")
            printf '%s %s\n' "$reads" "$drilled"
        done
    done >"$work/depth.txt"
    for reads in two four; do
        if figure=$(evaluation/accept/lib/depth.py "$work/depth.txt" "$reads"); then
            ok "times without probes are within 5% of JMH, $reads clocks a call: $figure"
        else
            fail "times without probes are within 5% of JMH, $reads clocks a call: $figure"
        fi
    done
}
if ((!brief)); then durations; fi

# The methods that calls enter, next to a witness of all entries. $1: JDK, $2: java.
entered() {
    local figures
    "$2" -Xint "-agentpath:$BIN/libspl_witness.so=arcs=$work/entered.txt" -cp "$CLASSES" Arcs 3 >"$work/alone.txt" 2>&1 </dev/null || true
    "$SPL" drill -q --replace --what calls --methods 'Arcs**' 'java.lang.System' 'java.security.AccessController' --out "$work/arcs" -- "$2" -cp "$CLASSES" Arcs 3 >"$work/out.txt" 2>"$work/said.txt" </dev/null || true
    if cmp -s "$work/alone.txt" "$work/out.txt" && figures=$("$COMPARE" arcs "$work/arcs/drill/arcs.csv" "$work/arcs/drill/methods.csv" "$work/entered.txt" Arcs 1); then
        ok "JDK $1: calls enter the methods that a witness sees: $figures"
    else
        fail "JDK $1: calls enter the methods that a witness sees: ${figures:-$(tail -n 1 "$work/said.txt")}"
    fi
    "$SPL" drill -q --replace --what calls --all --jdk --out "$work/arcs" -- "$2" -Xint -cp "$CLASSES" Arcs 3 >"$work/out.txt" 2>"$work/said.txt" </dev/null || true
    if figures=$("$COMPARE" arcs "$work/arcs/drill/arcs.csv" "$work/arcs/drill/methods.csv" "$work/entered.txt" "" 0.96); then
        ok "JDK $1: with the JDK, 96% of the arcs at least: $figures"
    else
        fail "JDK $1: with the JDK, 96% of the arcs at least: ${figures:-$(tail -n 1 "$work/said.txt")}"
    fi
}

# Each method of a JDK. $1: its release; $2: its folder; the rest: options of the program.
drawn() {
    local release=$1 home=$2 figures area crossings slowest
    shift 2
    if ! "$BIN/spl-drawn" --jdk "$home" "$@" >"$work/drawn.txt" 2>&1 </dev/null; then
        fail "JDK $release: the methods are drawn: $(tail -n 1 "$work/drawn.txt")"
        return
    fi
    figures=$(head -n 1 "$work/drawn.txt")
    if grep -q '^0 drawings with faults, 0 drawings that differ' "$work/drawn.txt"; then
        ok "JDK $release: boxes are apart, no edge runs through one, edges go down, twice the same: $figures"
    else
        fail "JDK $release: drawings keep the rules: $(grep 'drawings with faults' "$work/drawn.txt")"
    fi
    slowest=$(sed -n 's/^drawing took .* at most \([0-9.]*\) ms.*/\1/p' "$work/drawn.txt")
    printf 'note the slowest method took %s ms\n' "$slowest"
    area=$(sed -n 's/^dot, .*median of areas \([0-9.]*\)$/\1/p' "$work/drawn.txt" | head -n 1)
    crossings=$(sed -n 's/^  crossings: median \([0-9.]*\);.*/\1/p' "$work/drawn.txt" | head -n 1)
    [[ -n $area ]] || return 0
    if awk -v area="$area" -v crossings="$crossings" 'BEGIN { exit !(area <= 1.0 && crossings <= 1.15) }'; then
        ok "JDK $release: next to dot the median area is at most 1.0 and of crossings 1.15: $area and $crossings"
    else
        fail "JDK $release: next to dot the median area is at most 1.0 and of crossings 1.15: $area and $crossings"
    fi
}

entered "$installed" java
if ((!brief)); then
    for number in 11 21 25; do entered "$number" ".cache/jdks/$number/bin/java"; done
fi
tested "each answer to a call, with each compiler: entered, native, unseen, not entered, via, implicit; three receivers in turn" \
    cargo test -q --workspace --test e2e -- arcs::

if ((brief)); then
    tested "drawings keep their rules, the odd shapes too" cargo test -q -p spl-draw
    tested "the page of a drill is written for a real program" cargo test -q --workspace --test e2e -- drill::
else
    command -v dot >/dev/null || apt-get install -y graphviz >/dev/null
    cargo build -q --release -p spl-drawn
    while read -r release home; do drawn "$release" "$home" --sample 200 --times 2; done < <(scripts/jdks.sh --list)
fi

exit "$failed"
