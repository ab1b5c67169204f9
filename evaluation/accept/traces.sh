#!/usr/bin/env bash
# Traces: what they tell is what a witness saw that steps through the program, with exceptions; counts of them are those of counters; with small
# rings no stack is wrong; a kill leaves all that was written; other programs can write them. Prints a line "ok|FAIL claim figure" for
# each claim and fails if one does. The full form does so on each JDK.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly SPL=$BIN/spl
readonly CLASSES=$work/classes

build -p spl-agent -p spl-witness -p spl-controller
javac --release 11 -nowarn -d "$CLASSES" tests-java/Traced.java
# shellcheck source=evaluation/accept/lib/trace.sh
. evaluation/accept/lib/trace.sh

if ((brief)); then
    traces "$(java -XshowSettings:properties -version 2>&1 | sed -n 's/.*java.specification.version = //p')" java
else
    while read -r number home <&3; do traces "$number" "$home/bin/java"; done 3< <(scripts/jdks.sh --list)
fi
exit "$failed"
