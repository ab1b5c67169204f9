# shellcheck shell=bash
# What the acceptance scripts have in common. Each of them sources it at its beginning and ends with `exit "$failed"`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

# Also seen from other folders.
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR
readonly TARGET=$CARGO_TARGET_DIR

# 1 when a claim has failed.
# shellcheck disable=SC2034
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ok() { printf 'ok   %s\n' "$*"; }
fail() {
    printf 'FAIL %s\n' "$*"
    failed=1
}

# Runs tests into $work/test.txt; how many passed is in $passed. $@: a command.
passes() {
    local status=0
    "$@" >"$work/test.txt" 2>&1 </dev/null || status=$?
    passed=$(grep -oE '[0-9]+ passed' "$work/test.txt" | awk '{ sum += $1 } END { print sum + 0 }')
    # A name that matches no test would pass as well.
    [[ $status -eq 0 && $passed -gt 0 ]]
}

# A claim that tests show. $1: the claim; the rest: their command.
tested() {
    local claim=$1 passed
    shift
    if passes "$@"; then
        ok "$claim: $passed tests passed"
    else
        fail "$claim: $passed tests passed"
        tail -n 30 "$work/test.txt"
    fi
}

# The end-to-end tests whose names contain one of the words.
e2e() { cargo test -q -p spl-controller --test e2e -- "$@"; }

# Installs the JDKs and lists them; all have to be there.
install_jdks() {
    local number
    scripts/jdks.sh >"$work/jdks.txt"
    scripts/jdks.sh --list >"$work/jdks"
    for number in 11 17 21 25; do
        grep -q "^$number " "$work/jdks" || fail "JDK $number is there to be tested on"
    done
}

# Runs a command on each JDK: $number is its release, $home its folder, and end-to-end tests run on it.
on_each_jdk() {
    local number home
    while read -r number home <&4; do
        SPL_TEST_JAVA=$home/bin/java "$@"
    done 4<"$work/jdks"
}
