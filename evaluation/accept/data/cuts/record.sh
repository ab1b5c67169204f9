#!/usr/bin/env bash
# Records the runs that evaluation/accept/cuts.sh judges and renders again, with what they become by this spl: record.sh SPL FOLDER.
# When a change means to alter what is judged or shown, record.sh --again SPL FOLDER keeps the runs that are
# in the folder and judges and renders them again; look at the differences that cuts.sh names before.
set -euo pipefail
again=0
if [[ $1 == --again ]]; then
    again=1
    shift
fi
spl=$(realpath "$1")
mkdir -p "$2"
into=$(realpath "$2")
cd "$(dirname "$0")/../../../.."
# shellcheck source=evaluation/accept/lib/rendered.sh
. evaluation/accept/lib/rendered.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Judges, renders and packs a run. $1: its name.
keep() {
    rm -rf "$work/$1/rendered"
    rendered "$spl" "$work/$1"
    # Members in one order, without who made them and when.
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - "$1" | gzip -9n >"$into/$1.tar.gz"
}

if ((again)); then
    for run in "$into"/*.tar.gz; do
        tar -C "$work" -xzf "$run"
        name=${run##*/}
        keep "${name%.tar.gz}"
    done
    exit
fi

javac --release 11 -d "$work/classes" tests-java/CompareLoop.java tests-java/Life.java

# $1: the run's name, $2: its tasks, $3: its configuration; the rest: arguments of the program.
record() {
    local name=$1 folder=$work/$1
    mkdir "$folder"
    printf '%s\n' "$2" >"$folder/spl.tasks"
    printf '%s\n' "$3" >"$folder/spl.ini"
    shift 3
    # The program ends with its input.
    (
        cd "$folder"
        sleep 12 | "$spl" run --quiet --require --config spl.ini --tasks spl.tasks --out out -- \
            java -cp "$work/classes" CompareLoop 0 "$@" >/dev/null || (($? == 1 || $? == 3))
    )
    keep "$name"
}

readonly FAST='CompareLoop.fast([I)J' SLOW='CompareLoop.slow([I)J'
record sequential "$FAST <= (0.5, 1) $SLOW
$SLOW < $FAST
$FAST <= 10 ms
p99($SLOW) <= 1 us" "[communication]
initial-sleep = 500
[scheduler]
overhead-budget = none
[controller]
max-method-measurements = 3000"
record welch "$FAST <= $SLOW
$FAST = $SLOW" "[communication]
initial-sleep = 500
[scheduler]
policy = paired
argument-size = deep
overhead-budget = none
[controller]
human-readable-measurements = 0
max-method-measurements = 2000
[evaluator]
method = welch
correction = holm
human-readable-results = 0" 64 600
record thesis "$FAST <= $SLOW
java/lang/Integer.compareTo(Ljava/lang/Integer;)I < $FAST" "[communication]
initial-sleep = 500
[scheduler]
profile = thesis
[controller]
max-method-measurements = 500"
