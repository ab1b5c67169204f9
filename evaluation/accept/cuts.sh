#!/usr/bin/env bash
# The cuts through the house: what is put into a method, and where it is put in, are values, and nothing that is measured, judged or
# shown has changed by that. Prints a line "ok|FAIL claim figure" for each claim and fails if one does. Needs what `make setup`
# installs; takes some fifteen minutes on an idle machine. With --bounded it takes three, and the agent's price is not compared.
# The data for the comparison are in data/cuts: traces of the scheduler, and runs that were recorded
# (record.sh) by the version before.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
# shellcheck source=evaluation/accept/lib/rendered.sh
. evaluation/accept/lib/rendered.sh
forms

readonly DATA=$PWD/evaluation/accept/data/cuts
# The version before, by whose agent the price is compared.
readonly BEFORE=75c8ce7

# Tests that are written elsewhere, and may not be there yet. $1: claim; the rest: words of `e2e`, or the command of other tests.
tested_if_there() {
    local claim=$1
    shift
    if listed "$@"; then tested "$claim" "$@"; else skip "$claim: there are no such tests: ${*: -1}"; fi
}

traces() {
    local claim="the scheduler's golden traces are what they were" lost
    # Sorted, because a trace may have been added between others.
    lost=$(comm -23 <(sort "$DATA/traces.txt") <(cat scheduler/tests/suite/golden*.rs | grep -E '^ +\([0-9_]+, ' | sort))
    if [[ -z $lost ]]; then ok "$claim: $(wc -l <"$DATA/traces.txt") events"; else
        fail "$claim: $(wc -l <<<"$lost") events are others"
        head -n 5 <<<"$lost"
    fi
    tested "and the scheduler still goes through them" cargo test -q --workspace --test suite -- golden
}

# $1: a recorded run.
recorded() {
    local run=$1 file differs=0 folder=$work/$1
    tar -C "$work" -xzf "$DATA/$run.tar.gz"
    mv "$folder/rendered" "$folder/before"
    rendered "$BIN/spl" "$folder"
    for file in "$folder"/before/*; do
        cmp -s "$file" "$folder/rendered/${file##*/}" || {
            differs=1
            fail "the run $run becomes what it became: ${file##*/} differs"
            { diff "$file" "$folder/rendered/${file##*/}" || true; } | cut -c -150 | head -n 5
        }
    done
    ((differs)) || ok "the run $run is judged and rendered as before, byte by byte: $(find "$folder/before" -type f | wc -l) files, \
$(cat "$folder"/before/* | wc -c) bytes, of $(cat "$folder"/out/measurements/*.msr | wc -l) recorded lines"
}

# Files that a new kind of probe may touch: its name, its code in the bytecode, its call in Java, what it is to the agent, and the
# simulated agent, which has to say what it does with it.
readonly SEAMS='model/src/instrument\.rs|bytecode/src/weave/(kinds|mod|heads)\.rs|bytecode/src/names\.rs
|agent/java/java/lang/Spl[A-Za-z]*\.java|agent/src/kinds\.rs|evaluation/scale/src/agent\.rs'

second_kind() {
    # A folder of its own for what is built: in the usual one cargo would take the copy's crates for these. Kept for the next time.
    local copy=$work/copy touched others all=(--all-targets)
    local -x CARGO_TARGET_DIR=$TARGET/second-kind CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0
    ((!brief)) || all=()
    mkdir "$copy"
    # Files that git ignores are left out, also where there is no repository.
    tar --exclude=./target --exclude=./.cache --exclude=./.git --exclude=./out --exclude=./evaluation/out --exclude=node_modules \
        -cf - . | tar -C "$copy" -xmf -
    if ! (cd "$copy" && GIT_CEILING_DIRECTORIES=$work git apply "$DATA/second-kind.patch") >"$work/log.txt" 2>&1; then
        fail "a second kind of probe can be put in: data/cuts/second-kind.patch does not apply; make it anew"
        cat "$work/log.txt"
        return
    fi
    touched=$(sed -n 's|^+++ b/||p' "$DATA/second-kind.patch")
    others=$(grep -vxE "${SEAMS//$'\n'/}" <<<"$touched" || true)
    if [[ -z $others ]]; then
        ok "a second kind of probe touches nothing but the seams: $(wc -l <<<"$touched") files, $(paste -sd ' ' <<<"$touched")"
    else
        fail "a second kind of probe touches nothing but the seams: $(paste -sd ' ' <<<"$others")"
    fi
    if (cd "$copy" && cargo check -q --workspace "${all[@]}") >"$work/log.txt" 2>&1; then
        ok "and everything compiles with it"
    else
        fail "and everything compiles with it"
        tail -n 20 "$work/log.txt"
    fi
    # Not `tested`: only the copy has this test, so that the bounded form runs it too.
    if (cd "$copy" && passes cargo test -q -p spl-bytecode --lib -- weave::heads && ((passed > 0))); then
        ok "and it is woven alone and beside the times, and verified"
    else
        fail "and it is woven alone and beside the times, and verified"
        tail -n 20 "$work/test.txt"
    fi
}

# The cost of measuring, by the agent before and now, in turn on one machine.
price() {
    local old=$work/before round name
    mkdir "$old"
    git archive "$BEFORE" | tar -C "$old" -xf -
    # Each with its own controller, which speaks its protocol.
    (cd "$old" && CARGO_TARGET_DIR=$old/target cargo build -q --release -p spl-agent -p spl-overhead)
    cargo build -q --release -p spl-agent -p spl-overhead
    for ((round = 0; round < 8; round++)); do
        # The first of a round is the other one in the next.
        for name in $( ((round % 2)) && echo "new old" || echo "old new"); do
            if [[ $name == old ]]; then program=$old/target/release/spl-overhead; else program=$BIN/spl-overhead; fi
            # Its own limits are those of `make overhead`, not of this script.
            "$program" --only calls --forks 1 --rounds 150 --json "$work/$name-$round.json" >"$work/log.txt" 2>&1 || (($? == 1))
        done
    done
    rm -rf "$old"
    evaluation/accept/lib/price.py "$work" || failed=1
}

build -p spl-controller -p spl-agent
build_tests
traces
for run in sequential welch thesis; do recorded "$run"; done
tested "what an agent says is written as before, byte by byte, in both forms" e2e written::
tested "what is woven for the times is what was woven" cargo test -q --workspace --lib -- golden
second_kind
tested_if_there "two JVMs are measured at once" e2e together::
tested "100 controllers come and go in one JVM" e2e attach::a_detached_agent_serves_again_and_again
tested_if_there "no crate has a circle of files" cargo test -q --workspace --test architecture -- files_of_a_crate_use_each_other_in_one_direction
if ((brief)); then skip "what measuring costs, before and now: needs an idle machine"; else price; fi

exit "$failed"
