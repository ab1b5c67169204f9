#!/usr/bin/env bash
# Paths and traces of methods in a drill. Paths of known methods have the counts that formulas give, counts of blocks follow from them, and
# methods with too many paths stay bounded. Traces tell what a witness saw that steps through the program, with exceptions; their counts
# are those of counters; with small rings no stack is wrong; a kill leaves all that was written; other programs can write them. Specifications
# of events say what is recorded and counted. Calls have the times that they take. Whole programs do the same while all that they run is traced. Prints a line "ok|FAIL claim
# figure" for each claim and fails if one does. The full form does so on each JDK.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly SPL=$BIN/spl
readonly CLASSES=$work/classes

build -p spl-agent -p spl-witness -p spl-controller
javac -g --release 11 -nowarn -d "$CLASSES" -sourcepath tests-java tests-java/{Routes,Blocks,Traced,Metrics,Unwinds,Requests,Turns,Arcs,Sleeps}.java
# shellcheck source=evaluation/accept/lib/paths.sh
. evaluation/accept/lib/paths.sh
# shellcheck source=evaluation/accept/lib/trace.sh
. evaluation/accept/lib/trace.sh
# shellcheck source=evaluation/accept/lib/sj.sh
. evaluation/accept/lib/sj.sh
# shellcheck source=evaluation/accept/lib/whole-programs.sh
. evaluation/accept/lib/whole-programs.sh

# $1: JDK, $2: java.
both() {
    for mode in -Xint -XX:TieredStopAtLevel=1 -Xmixed; do paths "$1" "$2" "$mode"; done
    traces "$1" "$2"
    specs "$1" "$2"
}

if ((brief)); then
    both "$(java -XshowSettings:properties -version 2>&1 | sed -n 's/.*java.specification.version = //p')" java
else
    while read -r number home <&3; do both "$number" "$home/bin/java"; done 3< <(scripts/jdks.sh --list)
fi
whole_programs
exit "$failed"
