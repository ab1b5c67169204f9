# shellcheck shell=bash
# Claims about traces of whole programs, with the JDK's classes. The script that sources this has set $SPL and $work, and has sourced
# evaluation/accept/lib/trace.sh. The JDK's compiler is there wherever the tests run; programs that `scripts/setup.sh --whole` fetches
# are tried where they are there.

# Figures of the forks of one round. $1: file of evaluation/whole/run.py; $2: blocks that the program runs at least; $3: its name.
whole_figures() {
    python3 - "$@" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
for one in result["failed"]:
    sys.exit(f"{one['program']} {one['way']}: {one['why']}")
least, name = int(sys.argv[2]), sys.argv[3]
forks = {one["way"]: one for one in result["forks"] if one["program"] == name}
ours, alone = forks["trace --jdk"], forks["alone"]
trace = ours["trace"]
assert ours["value"] == alone["value"], f"it made {ours['value']}, alone {alone['value']}"
assert trace["blocks"] >= least and trace["lost"] == 0, f"{trace}"
figures = f"{trace['blocks']} blocks, none lost, {trace['bytecodes']} bytecodes, {4 * trace['words'] / trace['blocks']:.2f} bytes a block in rings"
if "JBInsTrace" in forks:
    own, peer = (forks[way]["trace"] for way in ("trace", "JBInsTrace"))
    for size in ("calls", "blocks"):
        assert abs(peer[size] / own[size] - 1) < 0.01, f"{own[size]} {size}, {peer[size]} of JBInsTrace"
    figures += f"; without the JDK's classes {own['blocks']} blocks, {peer['blocks']} of JBInsTrace"
print(figures)
PYTHON
}

# $1: claim; $2: ways; $3: blocks at least; $4: program.
whole_program() {
    local claim=$1 ways=$2 least=$3 program=$4 figures out=$work/whole-$4.json
    if evaluation/whole/run.py --spl "$SPL" --out "$out" --forks 1 --programs "$program" --ways "$ways" >"$work/said.txt" 2>&1 &&
        figures=$(whole_figures "$out" "$least" "$program" 2>"$work/said.txt"); then
        ok "$claim: $figures"
    else
        fail "$claim: $(tail -n 1 "$work/said.txt")"
    fi
}

whole_programs() {
    local claim="Eclipse's compiler makes the same classes, and has the calls and blocks of a re-created JBInsTrace"
    whole_program "Hello world is traced with all of the JDK that it runs" "trace --jdk" 5000 hello
    if ((brief)); then return; fi
    whole_program "the JDK's compiler makes the same classes while all that it runs is traced" "trace --jdk" 1000000 javac
    if [[ -e .cache/drill/ecj.jar && -e .cache/drill/asm-tree.jar ]]; then
        whole_program "$claim" "trace --jdk,trace,JBInsTrace" 1000000 ecj
    else
        skip "$claim: scripts/setup.sh --whole fetches both"
    fi
}
