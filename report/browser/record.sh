#!/usr/bin/env bash
# Records the run that `make browser` and `make picture` show the reasons of failed claims with: record.sh SPL. It measures some of the
# pairs of evaluation/drill/planted until the claims are decided, at most 90 s, looks for the reasons, and writes its files to report/browser/planted.tar.xz.
set -euo pipefail
cd "$(dirname "$0")/../.."

spl=$(realpath "$1")
planted=$PWD/evaluation/drill/planted
archive=$PWD/report/browser/planted.tar.xz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

javac -g --release 11 -nowarn -d classes "$planted/Planted.java"
grep -E 'quadratic|thrown|checked' "$planted/planted.tasks" >planted.tasks
echo 'median(Planted#linear()) <= median(Planted#quadratic())' >>planted.tasks
# Claims fail, which is what is shown.
"$spl" run --tasks planted.tasks --for 90s --drill failed --drill-for 60s --stop-program --out out \
    -- java -cp classes Planted 600 </dev/null || [[ $? -eq 1 ]]
[[ -s out/why-graphs.json ]]
rm out/report.html
tar -cJf "$archive" --sort=name --owner=0 --group=0 --numeric-owner -C out .
