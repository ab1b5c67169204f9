#!/usr/bin/env bash
# The report: made by a demonstration, again from its files, and looked at in a browser. Prints a line "ok|FAIL claim figure" for
# each claim and fails if one does. Takes some two minutes; needs what `make setup` and `scripts/setup.sh --browser` install.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly SPL=$BIN/spl
export SPL
if ((brief)); then comparisons=500 feeds=1400; else comparisons=10000 feeds=2000; fi

# $1: status, $2: claim, $3: figure.
claim() {
    if [[ $1 -eq 0 ]]; then ok "$2: $3"; else fail "$2: $3"; fi
}

build -p spl-controller -p spl-agent
scripts/setup.sh --browser >/dev/null

status=0
scripts/demo.sh --cycles "$feeds" >"$work/demo" 2>&1 </dev/null || status=$?
last=$(tail -n 1 "$work/demo")
page=${last##*: }
[[ $status -eq 0 && -s $page ]] || status=1
claim "$status" "the demonstration ends by naming the report" "$last"

status=0
"$SPL" report out --out "$work/again.html" 2>"$work/log" && cmp out/report.html "$work/again.html" || status=1
claim "$status" "the report is made again from the files, byte by byte" "$(wc -c <"$work/again.html") bytes"

status=0
# Addresses that a browser would fetch, without names of namespaces.
fetched=$(grep -oE '(src|href)="[^#"]+"|url\([^)]+\)|@import' out/report.html | sort -u | paste -sd ' ') || true
[[ -z $fetched ]] || status=1
claim "$status" "the report is one file" "${fetched:-nothing beside it}"

report/browser/check.sh "$SPL" --run out --shots "$work/shots" || failed=1
evaluation/report/large.py "$SPL" "$comparisons" || failed=1
tested "names and texts of a program become no markup" cargo test -q --workspace --test page -- nothing_that_comes
tested "words, charts and bounds of the page" cargo test -q -p spl-report
build_tests
tested "a killed run has a report, and files of several runs one of the last" \
    cargo test -q --workspace --test e2e -- reporting::

exit "$failed"
