#!/usr/bin/env bash
# Checks the syntax of every shell script, and more with shellcheck where that is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t scripts < <(git ls-files -- '*.sh' .ci/run)
for script in "${scripts[@]}"; do
    bash -n "$script"
done
if command -v shellcheck >/dev/null 2>&1; then
    shellcheck "${scripts[@]}"
else
    echo "lint-shell: shellcheck is not installed; only the syntax was checked"
fi
