# shellcheck shell=bash
# Claims about the store, with generated runs. The script that sources this has set $SPL, $BIN and $work.

readonly STORE_PY=evaluation/accept/lib/store.py

# $1: claim; the rest: a command that prints the figure.
store_claim() {
    local claim=$1 figure
    shift
    if figure=$("$@" 2>&1); then ok "$claim: $(tail -n 1 <<<"$figure")"; else fail "$claim: $(tail -n 3 <<<"$figure")"; fi
}

# Milliseconds of a command. $@: the command.
store_ms() {
    local begin end
    begin=$(date +%s%N)
    "$@" >"$work/store-said.txt" 2>&1 || return 1
    end=$(date +%s%N)
    echo $(((end - begin) / 1000000))
}

store_twice() {
    local store=$work/store/twice.db first second
    "$SPL" store add --store "$store" "$work/runs/out-0" && first=$(sha256sum <(tail -c +101 "$store"))
    "$SPL" store add --store "$store" "$work/runs/out-0" && second=$(sha256sum <(tail -c +101 "$store"))
    [[ $first == "$second" && $("$SPL" query --store "$store" --as csv 'SELECT count(*) FROM run' | tail -n 1) == 1 ]] || return 1
    echo "1 run, the same bytes behind the header"
}

store_insert() {
    local ms
    ms=$(store_ms "$SPL" store add --store "$work/store/many.db" "$work/runs/last/out-0") || return 1
    echo "$ms ms, at most 1000"
    ((ms <= 1000))
}

# 10,000 runs: the generated ones, copied in SQL, because their folders would take half a gigabyte.
store_many() {
    local runs=$1
    mkdir -p "$work/runs/last"
    "$STORE_PY" drills "$work/runs/last" 1
    "$SPL" store add --store "$work/store/many.db" "$work"/runs/out-* >"$work/store-said.txt" 2>&1
    python3 - "$work/store/many.db" "$runs" <<'PY'
import sqlite3, sys
store, runs = sqlite3.connect(sys.argv[1]), int(sys.argv[2])
have = store.execute("SELECT count(*) FROM run").fetchone()[0]
step = have
while have < runs:
    for table, columns in (("run", None), ("measured", "metric, space, run + ?, key_low, key_high, value, least, most, exactness, reason"),
                           ("method", "run + ?, place, class, name, descriptor, calls, least, most, blocks_run, blocks, doubt")):
        if columns is None:
            store.execute("INSERT INTO run SELECT id + ?, identity || ' ' || ?, digest, kind, program, command, jdk, began, added, spl,"
                          " folder FROM run WHERE id <= ?", (have, have, step))
        else:
            store.execute(f"INSERT INTO {table} SELECT {columns} FROM {table} WHERE run <= ?", (have, step))
    have += step
store.execute("INSERT INTO tag SELECT 'even', id FROM run WHERE id % 2 = 0")
store.commit()
PY
}

store_export() {
    local bytes
    "$SPL" pages --store "$work/store/hundred.db" --export "$work/site" 2>"$work/store-said.txt" || return 1
    bytes=$(cat "$work"/site/* | wc -c)
    echo "$bytes bytes in $(find "$work/site" -type f | wc -l) pages, at most 5000000"
    ((bytes <= 5000000))
}

# A disk of 200 kB, in a namespace of its own.
store_full() {
    local disk=$work/disk
    mkdir -p "$disk"
    unshare -rm bash -c '
        set -e
        mount -t tmpfs -o size=200k tmpfs "$1"
        "$2" store add --store "$1/s.db" "$3/out-0" 2>/dev/null
        before=$("$2" query --store "$1/s.db" --as csv "SELECT count(*) FROM value")
        ! "$2" store add --store "$1/s.db" "$3"/out-* 2>"$4/full.txt"
        [[ $("$2" query --store "$1/s.db" --as csv "SELECT count(*) FROM value") == "$before" ]]
    ' - "$disk" "$SPL" "$work/runs" "$work" || return 1
    grep -o 'the disk is full.*' "$work/full.txt"
}

stored() {
    local runs=10000
    ! ((brief)) || runs=1000
    mkdir -p "$work/runs" "$work/store"
    "$STORE_PY" drills "$work/runs" 100
    tested "stores: insert, versions, two writers, a killed writer, a full disk, damaged files, hostile queries" \
        cargo test -q --workspace --lib -- tests::inserting:: tests::files:: tests::hostile:: tests::documents:: runs::tests::
    tested "the commands of the store, with a drill and a measurement" e2e storing::
    store_claim "a run that is inserted twice is there once" store_twice
    "$SPL" store add --store "$work/store/hundred.db" "$work"/runs/out-* >"$work/store-said.txt" 2>&1
    store_claim "pages of 100 runs are small" store_export
    if unshare -rm true 2>/dev/null; then
        store_claim "a full disk is told, and nothing is lost" store_full
    else
        skip "a full disk: this user may have no mount of its own"
    fi
    store_many "$runs"
    store_claim "$runs runs: one more is inserted in time" store_insert
    store_claim "$runs runs: indexed queries are quick" "$STORE_PY" indexed "$SPL" "$work/store/many.db" "$runs"
    store_claim "$runs runs: hostile queries end in 5 s and change no byte" "$STORE_PY" hostile "$SPL" "$work/store/many.db"
}
