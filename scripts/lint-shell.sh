#!/usr/bin/env bash
# Checks the syntax of every shell script and that it can be run, and more with shellcheck where that is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

shopt -s nullglob
readonly SCRIPTS=(.ci/run scripts/*.sh examples/*/*.sh evaluation/*.sh evaluation/accept/*.sh evaluation/accept/lib/*.sh evaluation/drill/*.sh report/browser/*.sh)
for script in "${SCRIPTS[@]}"; do
    bash -n "$script"
    # Files in lib are only sourced.
    if [[ $script != */lib/* && ! -x $script ]]; then
        echo "lint-shell: $script cannot be run: chmod +x $script" >&2
        exit 1
    fi
done
if command -v shellcheck >/dev/null 2>&1; then
    shellcheck "${SCRIPTS[@]}"
else
    echo "lint-shell: shellcheck is not installed; only the syntax was checked"
fi
