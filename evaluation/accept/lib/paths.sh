# shellcheck shell=bash
# Claims about paths, on one JDK. The script that sources this has set $SPL, $CLASSES and $work, and has compiled tests-java/Routes.java and
# tests-java/Blocks.java there.

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
