#!/usr/bin/env bash
# Runs every acceptance script, each from the project's root folder and to its end, and says which of them passed.
set -euo pipefail
cd "$(dirname "$0")/.."

shopt -s nullglob
readonly SCRIPTS=(evaluation/accept/*.sh)
if [[ ${#SCRIPTS[@]} -eq 0 ]]; then
    echo "accept: there are no scripts in evaluation/accept" >&2
    exit 1
fi

failed=()
for script in "${SCRIPTS[@]}"; do
    printf '== %s\n' "$script"
    # No input: a script that asks something must fail, not wait.
    if bash "$script" </dev/null; then
        printf 'passed: %s\n' "$script"
    else
        printf 'FAILED: %s\n' "$script"
        failed+=("$script")
    fi
done
printf '\n%d of %d acceptance scripts passed\n' $((${#SCRIPTS[@]} - ${#failed[@]})) "${#SCRIPTS[@]}"
[[ ${#failed[@]} -eq 0 ]]
