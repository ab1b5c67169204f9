#!/usr/bin/env bash
# Measures parts of the evaluation, one after the other, and says how long each took and which of them failed. $@: parts, as
# docs/evaluation.md lists them. One that fails does not keep the others from being measured.
set -euo pipefail
cd "$(dirname "$0")/.."

# $1: seconds.
minutes() { printf '%d.%d min' $(($1 / 60)) $(($1 % 60 / 6)); }

times=()
failed=()
for part in "$@"; do
    began=$SECONDS
    printf '== %s\n' "$part"
    if make --no-print-directory "measure-$part" </dev/null; then result=measured; else result=FAILED; fi
    [[ $result == measured ]] || failed+=("$part")
    times+=("$result: $part, $(minutes $((SECONDS - began)))")
    printf '%s\n' "${times[-1]}"
done
if (($# > 1)); then
    printf '\n'
    printf '%s\n' "${times[@]}"
    printf 'all: %d of %d parts measured, %s\n' $(($# - ${#failed[@]})) $# "$(minutes $SECONDS)"
fi
if ((${#failed[@]} > 0)); then
    printf 'evaluation: failed: %s; what each lacked stands above, and make evaluate-PART repeats one\n' "${failed[*]}" >&2
    exit 1
fi
