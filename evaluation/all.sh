#!/usr/bin/env bash
# Measures every part of the evaluation that the Makefile has, one after the other, and says which of them failed.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t PARTS < <(sed -n 's/^evaluate-\([a-z]*\):.*## .*/\1/p' Makefile)
readonly PARTS

failed=()
for part in "${PARTS[@]}"; do
    began=$SECONDS
    printf '== %s\n' "$part"
    if make --no-print-directory "evaluate-$part" </dev/null; then
        printf 'measured: %s, %d s\n' "$part" $((SECONDS - began))
    else
        printf 'FAILED: %s, %d s\n' "$part" $((SECONDS - began))
        failed+=("$part")
    fi
done
evaluation/chapter.py
printf '\n%d of %d parts measured in %d s%s\n' $((${#PARTS[@]} - ${#failed[@]})) "${#PARTS[@]}" "$SECONDS" \
    "${failed[*]:+; failed: ${failed[*]}}"
[[ ${#failed[@]} -eq 0 ]]
