#!/usr/bin/env bash
# Statistics and verdicts: right, and the same when recorded samples are judged again. Prints a line "ok|FAIL claim figure" for each
# claim and fails if one does. Needs what `make setup` installs; builds what it runs. With --bounded the recording that is judged in
# bounded memory is a hundredth as long, its speed does not count, and no ratio is measured.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly SPL=$BIN/spl
readonly PAGE=docs/evaluation.md
# Samples a second of processor time, and memory, that reading a folder of 10 million may take; and how many there are.
if ((brief)); then readonly SAMPLES=100000 LEAST_RATE=0; else readonly SAMPLES=10000000 LEAST_RATE=5000000; fi
readonly LARGEST_KIB=65536
# Comparisons of each simulated case, and runs of the pairs with known ratios: the long forms are those of `make validity`.
readonly REPETITIONS=100
readonly RUNS=2
# Feeds that ROME's demonstration reads, and that it reads where windows decide: enough for some verdicts.
if ((brief)); then readonly FEEDS=1400 FEEDS_OF_WINDOWS=1400; else readonly FEEDS=2000 FEEDS_OF_WINDOWS=4000; fi

# The lines of a table on the page, between its marks. $1: its name.
rows() {
    awk -v begin="<!-- $1: begin, made by \`make validity\` -->" -v end="<!-- $1: end -->" '
        $0 == begin { inside = 1 }
        $0 == end { inside = 0 }
        inside && /^\| [^T ]/ { print }' "$PAGE"
}

tables() {
    local claim="the tables of false alarms, power and known ratios stand in the docs, with the command that makes them"
    local simulated known
    simulated=$(rows validity | grep -c . || true)
    known=$(rows ratios | grep -c 'base\|inner' || true)
    if [[ $simulated -ge 11 && $known -eq 8 ]] && grep -q '^validity:' Makefile; then
        ok "$claim: $simulated cases, $known pairs"
    else
        fail "$claim: $simulated cases, $known pairs"
    fi
}

simulated() {
    local line
    "$BIN/spl-validity" simulate --windows 10 --repetitions "$REPETITIONS" >"$work/simulated.txt" || true
    while read -r line; do
        case $line in
        ok*) ok "in $REPETITIONS comparisons: ${line#ok   }" ;;
        *) fail "in $REPETITIONS comparisons: ${line#FAIL }" ;;
        esac
    done <"$work/simulated.txt"
    [[ -s $work/simulated.txt ]] || fail "the simulation says nothing"
}

# The thesis's nine fields (3.3.2), then ours.
readonly THESIS_FORM='
import csv, sys
signs, results = {"<", "<=", "=", ">=", ">"}, {"holds", "fails", "not-evaluated"}
rows = list(csv.reader(open(sys.argv[1])))
assert len(rows) == 3, rows
for left, sign, a, b, right, result, p, count, bucket, *_ in rows:
    assert "(" in left and "(" in right and sign in signs and result in results, left
    assert float(a) > 0 and float(b) > 0 and 0 <= float(p) <= 1 and int(count) > 0 and bucket == "-", p
print(len(rows))
'
# $3: method of the evaluation. Of sequential evidence the results: a call that ended after its window was closed is in that window
# when the recording is judged, and the probe's own time is the final one and not that of the moment. So one more or less of the looks may
# decide, if only just: with a p-value of a tenth of the level at least. Else
# everything that both files say of a comparison, but for lost samples, which no recording has, and for how much longer a claim would
# have to be looked on at: a live run counts its own time, a recording that of its calls. Of what the end of the run cut off, the
# results: the calls of its last window are recorded, and nothing says that one more had begun in it.
readonly SAME='
import csv, re, sys
known = lambda field: re.sub(r": about [0-9.]+ \w+ more$", "", field)
same = lambda row: row[:7] if sys.argv[3] == "sequential" else row[:6] if "leftover" in row else row[:14] + row[15:]
read = lambda path: sorted([known(field) for field in same(row)] for row in csv.reader(open(path)))
live, again = map(read, sys.argv[1:3])
if sys.argv[3] == "sequential":
    assert [row[:5] for row in live] == [row[:5] for row in again], (live, again)
    for one, other in zip(live, again):
        decided = [row for row in (one, other) if row[5] != "not-evaluated"]
        only_just = len(decided) == 1 and float(decided[0][6]) >= 0.005
        assert one[5] == other[5] or only_just, (one, other)
    assert any(row[5] != "not-evaluated" for row in live), live
else:
    assert live == again, (live, again)
print(len(live), "results,", ", ".join(" ".join(filter(None, row[5:7])) for row in live))
'

# ROME's demonstration, then its recorded files without a JVM. $1: method of the evaluation.
demonstration() {
    local claim="$1: spl eval on the demonstration's files gives the live run's results" method=$1
    local classpath status=0 figure feeds=$FEEDS
    classpath=$(make -s --no-print-directory -C examples/rome classes classpath | tail -n 1)
    sed -e 's/^\[controller\]/&\nhuman-readable-measurements = 0/' -e '/^method = /d' \
        -e "s/^\\[evaluator\\]/&\\nhuman-readable-results = 0\\nmethod = $method/" examples/rome/splserver.ini >"$work/rome.ini"
    if [[ $method == sequential ]]; then
        feeds=$FEEDS_OF_WINDOWS
        sed -i -e 's/^max-method-measurements = .*/max-method-measurements = 3000/' -e 's/^method = .*/&\nrare-calls = none/' "$work/rome.ini"
    fi
    "$SPL" run --replace --quiet --config "$work/rome.ini" --tasks tasks/rome.tasks --out "$work/$method" -- \
        java -cp "$classpath" rome.Main --cycles "$feeds" </dev/null >/dev/null 2>"$work/log.txt" || status=$?
    if [[ $status -eq 2 ]]; then
        fail "$claim: the run failed"
        cat "$work/log.txt"
        return
    fi
    local again=0
    "$SPL" eval --quiet --config "$work/rome.ini" --tasks tasks/rome.tasks --measurements "$work/$method/measurements" \
        --out "$work/$method-again.eval" 2>>"$work/log.txt" || again=$?
    if [[ $method == sequential || $again -eq $status ]] &&
        figure=$(python3 -c "$SAME" "$work/$method/result.eval" "$work/$method-again.eval" "$method" 2>>"$work/log.txt"); then
        ok "$claim: $figure, status $status and $again"
    else
        fail "$claim: status $status and $again"
        tail -n 5 "$work/log.txt"
    fi
}

thesis_form() {
    local claim="result.eval begins with the thesis's nine fields" count
    if count=$(python3 -c "$THESIS_FORM" "$work/welch/result.eval" 2>"$work/log.txt"); then
        ok "$claim: $count lines"
    else
        fail "$claim"
        tail -n 3 "$work/log.txt"
    fi
}

# A file of calls. $1: their number, $2: shortest time, $3: method.
recording() {
    awk -v n="$1" -v took="$2" -v method="$3" 'BEGIN {
        for (k = 0; k < n; k++) {
            start = 123456789000000 + k * 10000
            printf "%.0f,%.0f,0,21,%s,32,,0,4711\n", start, start + took + k * 7919 % 1009, method
        } }'
}

# Cost of judging a recording: processor seconds, KiB. $1: configuration.
judged() {
    python3 - "$SPL" "$1" "$work" <<'PYTHON'
import resource, subprocess, sys
spl, config, work = sys.argv[1:]
subprocess.run([spl, "eval", "--quiet", "--config", config, "--tasks", f"{work}/codec.tasks",
                "--measurements", f"{work}/codec"], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{used.ru_utime + used.ru_stime:.3f} {used.ru_maxrss}")
PYTHON
}

streaming() {
    local claim="$SAMPLES recorded samples are judged in bounded memory, over $LEAST_RATE a second of processor time"
    local seconds kib rate of_all
    mkdir "$work/codec"
    recording $((SAMPLES / 2)) 1000 'p/Codec.encode([B)[B' >"$work/codec/p.Codec.encode([B)[B.msr" &
    recording $((SAMPLES / 2)) 1200 'p/Codec.decode([B)[B' >"$work/codec/p.Codec.decode([B)[B.msr"
    wait
    printf 'p/Codec.encode([B)[B < p/Codec.decode([B)[B\n' >"$work/codec.tasks"
    : >"$work/defaults.ini"
    printf '[controller]\nmin-method-measurements = %d\nmax-method-measurements = %d\n' "$SAMPLES" "$SAMPLES" >"$work/all.ini"
    # The least of three: what other programs do to a processor's caches is not ours.
    read -r seconds kib < <(for _ in 1 2 3; do judged "$work/defaults.ini"; done | sort -n | head -n 1)
    read -r -a of_all < <(judged "$work/all.ini")
    rm -r "$work/codec"
    rate=$(awk -v n="$SAMPLES" -v seconds="$seconds" 'BEGIN { printf "%d", n / seconds }')
    local figure="$rate a second, $kib KiB; where all of them count ${of_all[0]} s and ${of_all[1]} KiB"
    if ((rate >= LEAST_RATE && kib <= LARGEST_KIB)); then ok "$claim: $figure"; else fail "$claim: $figure"; fi
}

known_ratios() {
    local line
    "$BIN/spl-validity" ratios --spl "$SPL" --runs "$RUNS" >"$work/ratios.txt" 2>&1 || true
    while read -r line; do
        case $line in
        ok*) ok "in $RUNS runs: ${line#ok   }" ;;
        *) fail "in $RUNS runs: ${line#FAIL }" ;;
        esac
    done <"$work/ratios.txt"
    [[ -s $work/ratios.txt ]] || fail "the known ratios were not measured"
}

build -p spl-controller -p spl-agent -p spl-validity

tested "the reference's vectors pass" cargo test -q -p spl-stats -p spl-verdict
tested "results and measurements are read back exactly" cargo test -q -p spl-records
tables
simulated
demonstration welch
demonstration sequential
thesis_form
streaming
((brief)) || known_ratios

exit "$failed"
