#!/usr/bin/env bash
# Paths of methods in a drill: those of known methods have the counts that formulas give, counts of blocks follow from them, and methods
# with too many paths stay bounded; in the interpreter, with C1 and by default, on each JDK in the full form. Prints a line
# "ok|FAIL claim figure" for each claim and fails if one does.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly SPL=$BIN/spl
readonly CLASSES=$work/classes

build -p spl-agent -p spl-controller
javac -g --release 11 -nowarn -d "$CLASSES" -sourcepath tests-java tests-java/Routes.java tests-java/Blocks.java

# $1: java, $2: kinds, $3: option of the JVM, then the program.
drilled() {
    local java=$1 kinds=$2 mode=$3
    shift 3
    "$SPL" drill -q --replace --what "$kinds" --methods 'Routes' --methods 'Blocks*' --out "$work/$kinds" -- "$java" "$mode" -cp "$CLASSES" "$@" \
        >"$work/said.txt" 2>&1 </dev/null
}

# $1: JDK, $2: java, $3: option of the JVM.
paths() {
    local name="JDK $1 $3" figure
    if drilled "$2" paths "$3" Routes 300 && figure=$(evaluation/accept/lib/paths.py routes "$work/paths/drill" 300); then
        ok "$name: paths of known methods have the counts that formulas give: $figure"
    else
        fail "$name: paths of known methods have the counts that formulas give: ${figure:-$(tail -n 1 "$work/said.txt")}"
    fi
    if drilled "$2" paths "$3" Blocks 1 && drilled "$2" blocks "$3" Blocks 1 && drilled "$2" blocks,paths "$3" Blocks 1 &&
        figure=$(evaluation/accept/lib/paths.py same "$work/blocks/drill" "$work/paths/drill" "$work/blocks,paths/drill"); then
        ok "$name: blocks that follow from paths are those of --what blocks: $figure"
    else
        fail "$name: blocks that follow from paths are those of --what blocks: ${figure:-$(tail -n 1 "$work/said.txt")}"
    fi
}

installed=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/.*java.specification.version = //p')
for mode in -Xint -XX:TieredStopAtLevel=1 -Xmixed; do paths "$installed" java "$mode"; done
if ((!brief)); then
    while read -r number home; do
        for mode in -Xint -XX:TieredStopAtLevel=1 -Xmixed; do paths "$number" "$home/bin/java" "$mode"; done
    done < <(scripts/jdks.sh --list)
fi
exit "$failed"
