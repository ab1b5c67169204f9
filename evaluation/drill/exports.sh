#!/usr/bin/env bash
# Gives one drill of blocks to other tools in each form, and checks each document: with the tool itself where it is installed
# (xmllint, nop of Graphviz, callgrind_annotate), and against the tables of the drill. Prints a line "ok|FAIL claim figure" for each claim and
# ends with 1 if one fails.
#
# Usage: exports.sh OUT_DIR SPL
#   OUT_DIR  folder of the drill, or the folder that it is in
#   SPL      the spl command
set -euo pipefail
if (($# != 2)); then
    printf 'usage: %s OUT_DIR SPL\n' "${0##*/}" >&2
    exit 2
fi
readonly DRILL=$1 SPL=$2
here=$(cd "$(dirname "$0")" && pwd)
readonly FORMS=(csv jacoco jbinstrace callgrind speedscope graphml dot calls)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

ok() { printf 'ok   %s\n' "$*"; }
fail() {
    printf 'FAIL %s\n' "$*"
    failed=1
}

# A tool accepts a document. $1: the claim; $2: the tool; the rest: its arguments.
accepts() {
    local claim=$1 tool=$2
    shift 2
    if ! command -v "$tool" >/dev/null; then
        printf 'note not tried: %s: %s is not installed\n' "$claim" "$tool"
    elif "$tool" "$@" >"$work/tool.txt" 2>&1 </dev/null; then
        ok "$claim: $tool accepts it"
    else
        fail "$claim: $tool says: $(head -n 1 "$work/tool.txt")"
    fi
}

for form in "${FORMS[@]}"; do
    begin=$(date +%s%N)
    if "$SPL" export "$DRILL" --as "$form" -o "$work/$form" >"$work/said.txt" 2>&1 </dev/null; then
        ok "$form is written: $(stat -c %s "$work/$form") bytes in $((($(date +%s%N) - begin) / 1000000)) ms"
    else
        fail "$form is written: $(tail -n 1 "$work/said.txt")"
    fi
done
# A database reads each table of the drill. The module is in the folder that `DUCKDB` names, or installed.
if PYTHONPATH=${DUCKDB-} python3 -c 'import duckdb' 2>/dev/null; then
    for table in "$DRILL"/*.csv "$DRILL"/drill/*.csv; do
        [[ -f $table ]] || continue
        if figures=$(PYTHONPATH=${DUCKDB-} "$here/tables.py" "$table" 2>&1); then
            ok "DuckDB reads ${table##*/}: $figures"
        else
            fail "DuckDB reads ${table##*/}: $(tail -n 1 <<<"$figures")"
        fi
    done
else
    printf 'note not tried: DuckDB reads each table: its module for Python is not installed\n'
fi
accepts "jacoco is XML" xmllint --noout --nonet "$work/jacoco"
accepts "jbinstrace is XML of its schema" xmllint --noout --nonet --schema "$here/../../docs/schema/jbinstrace-2.xsd" "$work/jbinstrace"
accepts "graphml is XML" xmllint --noout --nonet "$work/graphml"
# `dot` itself takes minutes for thousands of methods; `nop` has its parser.
accepts "dot is a graph" nop -p "$work/dot"
accepts "callgrind is a profile" callgrind_annotate --inclusive=yes --tree=both --auto=no "$work/callgrind"
if command -v callgrind_annotate >/dev/null; then
    # The tool prints a warning for each line that it cannot read.
    if grep -q WARNING "$work/tool.txt"; then
        fail "callgrind_annotate reads each line: $(grep -c WARNING "$work/tool.txt") warnings"
    else
        ok "callgrind_annotate reads each line: 0 warnings"
    fi
    callgrind_annotate --auto=no "$work/callgrind" >"$work/annotated.txt" 2>&1 </dev/null || fail "callgrind_annotate ends well"
fi
python3 "$here/exports.py" "$DRILL" "$work" || failed=1
exit "$failed"
