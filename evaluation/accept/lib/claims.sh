# shellcheck shell=bash
# What the acceptance scripts have in common. Each of them sources it at its beginning, names its `forms` and ends with
# `exit "$failed"`. Every script has a bounded form, for continuous integration and before a commit: it runs all that the script
# is made of, but for a minute or two, on the installed JDK, with the programs of the tests. Only the full
# form does the parts that need a quiet machine, hours or large downloads.
set -euo pipefail
readonly FORM=${1:-}
# For messages.
readonly SCRIPT=${0##*/}
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

# 1 in the bounded form.
brief=0
# Folder of the programs.
BIN=$TARGET/release

# Options of the script in addition to --bounded. $@: options.
forms() {
    local option
    for option in "" --bounded "$@"; do
        if [[ $FORM == "$option" ]]; then
            [[ $FORM != --bounded ]] || set_brief
            return
        fi
    done
    printf 'usage: %s [%s]\n' "$SCRIPT" "$(printf '%s\n' --bounded "$@" | paste -sd '|')" >&2
    exit 2
}

set_brief() {
    brief=1
    BIN=$TARGET/debug
}

# Builds the programs that the script runs into $BIN. $@: arguments of cargo. The bounded form runs those of the tests.
build() {
    if ((brief)); then build_tests; else cargo build -q --release "$@"; fi
}

# Builds everything that the tests need at once: with other packages on its command line, cargo compiles the same
# dependencies with other features, and keeps both.
build_tests() { cargo build -q --workspace --lib --bins --tests; }

ok() { printf 'ok   %s\n' "$*"; }
# A claim that this machine or this form does not show, and why.
skip() { printf 'note not tried: %s\n' "$*"; }
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

# Whether there are tests of all the names that a command has; how many is in $passed. $@: a command.
listed() {
    local words=("$@") word tests=$work/test.txt
    if [[ $1 != e2e && " $* " != *" -- "* ]]; then words+=(--); fi
    "${words[@]}" --list >"$tests" 2>&1 </dev/null || return 1
    passed=$(grep -c ': test$' "$tests" || true)
    while [[ $1 != e2e && $1 != -- && $# -gt 1 ]]; do shift; done
    shift
    for word in "$@"; do
        [[ $word == -* ]] || grep ': test$' "$tests" | grep -qF -- "$word" || {
            printf 'there is no test whose name contains %s\n' "$word" >>"$tests"
            return 1
        }
    done
    ((passed > 0))
}

# A claim that tests show. $1: the claim; the rest: their command. The bounded form is run after `make test`, which runs all of them.
tested() {
    local claim=$1 passed=0
    shift
    if ((brief)); then
        if listed "$@"; then
            ok "$claim: $passed tests of \`make test\`"
        else
            fail "$claim: $passed tests of \`make test\`"
            tail -n 5 "$work/test.txt"
        fi
    elif passes "$@"; then
        ok "$claim: $passed tests passed"
    else
        fail "$claim: $passed tests passed"
        tail -n 30 "$work/test.txt"
    fi
}

# The end-to-end tests whose names contain one of the words.
e2e() { cargo test -q --workspace --test e2e -- "$@"; }

# Installs the JDKs and lists them; all have to be there. The bounded form has the installed one.
install_jdks() {
    local number
    if ((brief)); then
        scripts/jdks.sh --list | sed -n 1p >"$work/jdks"
        return
    fi
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
