#!/usr/bin/env bash
# Looks at the reports of recorded runs and at the pages of a drill, of a trace and of a store in a browser: check.sh SPL [--run DIR] [options of check.mjs].
# With --run, the files of that run of the feed reader take the place of the recorded ones.
set -euo pipefail
cd "$(dirname "$0")/../.."

spl=$(realpath "$1")
shift
recorded=(rome planted)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ ${1:-} == --run ]]; then
    cp -r "$2" "$work/rome"
    recorded=(planted)
    shift 2
fi
for run in "${recorded[@]}"; do
    mkdir "$work/$run"
    tar -C "$work/$run" -xf "report/browser/$run".tar.?z
done
# The page of a drill is not made again from files.
javac --release 11 -nowarn -d "$work/classes" tests-java/Calls.java
(cd "$work" && "$spl" drill -q --methods 'Calls**' --out . -- java -cp classes Calls 1000 >drill.txt 2>&1 </dev/null) || {
    cat "$work/drill.txt" >&2
    exit 1
}
javac --release 11 -nowarn -d "$work/classes" tests-java/Sleeps.java
(cd "$work" && "$spl" drill -q --what trace --timed --all --within 'Sleeps#handle' --out traced -- java -cp classes Sleeps 5 60 30 20 >trace.txt 2>&1 </dev/null &&
    "$spl" trace timeline traced --output timeline.html >>trace.txt 2>&1) || {
    cat "$work/trace.txt" >&2
    exit 1
}
# Two runs of a program with metrics, one with metrics over time, and the recorded measurements.
javac --release 11 -nowarn -d "$work/classes" tests-java/Phases.java
(cd "$work" && for number in 1 2; do
    "$spl" metrics -q --out "metrics-$number" -- java -cp classes Calls "${number}000" </dev/null || exit 1
done && "$spl" metrics -q --every 100ms --out metrics-3 -- java -cp classes Phases 900 </dev/null &&
    "$spl" store add --tag nightly metrics-1 metrics-2 metrics-3 rome planted) >"$work/store.txt" 2>&1 || {
    cat "$work/store.txt" >&2
    exit 1
}
node report/browser/check.mjs "$spl" "$work" "$@"
