#!/usr/bin/env bash
# Looks at the reports of recorded runs and at the page of a drill in a browser: check.sh SPL [options of check.mjs].
set -euo pipefail
cd "$(dirname "$0")/../.."

spl=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for run in rome planted; do
    mkdir "$work/$run"
    tar -C "$work/$run" -xf "report/browser/$run".tar.?z
done
# The page of a drill is not made again from files.
javac --release 11 -nowarn -d "$work/classes" tests-java/Calls.java
(cd "$work" && "$spl" drill -q --methods 'Calls**' --out . -- java -cp classes Calls 1000 >drill.txt 2>&1 </dev/null) || {
    cat "$work/drill.txt" >&2
    exit 1
}
node report/browser/check.mjs "$spl" "$work" "$@"
