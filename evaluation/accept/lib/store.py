#!/usr/bin/env python3
"""Generated runs for the claims about the store, and hostile queries.

Usage: store.py drills FOLDER COUNT          makes folders of drills with metrics
       store.py hostile SPL STORE            asks hostile queries; prints the figures
       store.py indexed SPL STORE RUNS       asks indexed queries of a store with the runs 1 to RUNS; prints the slowest
"""
import hashlib
import json
import pathlib
import random
import subprocess
import sys
import time

METHODS = "method,calls,bytecodes,bytecodes_at_least,blocks_run,blocks,thrown_out,from_start,doubt\n"
# Metrics with their kinds, and numbers of keys of the bins: as many values as a run of `spl metrics` has.
METRICS = [(f"metric{place}", "value", 0) for place in range(38)] + [(f"bins{place}", "bin", 4) for place in range(5)]
HOSTILE = [
    "DELETE FROM run", "DROP TABLE measured", "UPDATE tag SET tag = 'x'", "CREATE TEMP TABLE x (y)", "VACUUM", "VACUUM INTO 'copy.db'",
    "ATTACH 'other.db' AS other", "PRAGMA user_version = 9", "PRAGMA journal_mode = OFF", "PRAGMA writable_schema = ON",
    "WITH x AS (SELECT 1) DELETE FROM run", "SELECT load_extension('x')", "SELECT 1; DELETE FROM run", "SELECT zeroblob(1000000000)",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "SELECT count(*) FROM measured a, measured b, measured c",
    "SELECT * FROM measured a, measured b, measured c",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, hex(randomblob(4000)) FROM n ORDER BY 2",
]


def drills(folder, count):
    """Makes drills; each metric varies from run to run, with a seed that is its number."""
    for number in range(count):
        chance = random.Random(number)
        drill = pathlib.Path(folder) / f"out-{number}" / "drill"
        drill.mkdir(parents=True)
        methods = METHODS + "".join(
            f"com/shop/C{place % 40}.method{place}(I)V,{chance.randrange(1, 9999)},{bytecodes},{bytecodes},3,4,0,1,\n"
            for place, bytecodes in ((place, 10 ** 6 // (place + 1)) for place in range(200)))
        (drill / "methods.csv").write_text(methods)
        digest = hashlib.sha256(methods.encode()).hexdigest()
        (drill / "drill.json").write_text(json.dumps({
            "schema": "spl.drill/1", "what": ["calls"], "pid": number, "command": "com.shop.Main --port 8080", "doubts": [], "classes": [],
            "left": [], "tables": {"methods.csv": digest}}))
        (drill / "metrics.json").write_text(json.dumps({
            "schema": "spl.metrics/1", "command": "com.shop.Main --port 8080", "lacking": [],
            "spaces": [{"name": space, "values": list(values(chance))} for space in ("whole", "app", "lib")]}))


def values(chance):
    """The values of a space."""
    for name, kind, keys in METRICS:
        for key in range(max(keys, 1)):
            number = chance.randrange(10 ** 6, 10 ** 6 + 10 ** 4)
            one = {"id": "M1", "category": "base", "name": name, "kind": kind, "unit": "count", "value": number, "least": number,
                   "most": number, "exactness": "exact", "reasons": []}
            if keys:
                one["key"] = {"low": key, "high": key if key + 1 < keys else None}
            yield one


def asked(spl, store, words):
    """Status and seconds of a query."""
    begin = time.monotonic()
    done = subprocess.run([spl, "query", "--store", store, *words], capture_output=True, text=True, check=False, timeout=30)
    return done, time.monotonic() - begin


def hostile(spl, store):
    """Each query ends with an error in time, prints nothing, and leaves every byte of the folder."""
    folder = pathlib.Path(store).parent

    def state():
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.is_file()}

    before, longest = state(), 0.0
    for sql in HOSTILE:
        done, seconds = asked(spl, store, [sql])
        longest = max(longest, seconds)
        if done.returncode != 2 or done.stdout or "error:" not in done.stderr or state() != before:
            sys.exit(f"{sql}: status {done.returncode}, {done.stderr or done.stdout[:200]}")
    if longest > 5.5:
        sys.exit(f"the longest took {longest:.2f} s")
    print(f"{len(HOSTILE)} queries, the longest {longest:.2f} s, 0 bytes changed")


def about(runs):
    """Indexed queries of a store, some of them about runs in its middle."""
    middle = runs // 2
    return [
        ["SELECT run, value FROM value WHERE metric = 'base.metric1.value' AND space = 'app' ORDER BY run DESC LIMIT 100"],
        ["SELECT avg(value), min(value), max(value) FROM value WHERE metric = 'base.metric1.value' AND space = 'app'"],
        [f"SELECT * FROM value WHERE run = {middle}"],
        [f"SELECT * FROM method WHERE run = {middle} ORDER BY place LIMIT 20"],
        ["SELECT count(*) FROM tag WHERE tag = 'even'"],
        ["@difference", str(middle - 1), str(middle + 1), "app"],
        ["SELECT id FROM run WHERE program = 'com.shop.Main' ORDER BY began DESC LIMIT 10"],
    ]


def indexed(spl, store, runs):
    """The slowest of the queries, with the start of the program."""
    slowest, queries = 0.0, about(int(runs))
    for words in queries:
        # The middle of five: the machine has other things to do.
        times = []
        for _ in range(5):
            done, seconds = asked(spl, store, words)
            if done.returncode != 0:
                sys.exit(f"{words}: {done.stderr}")
            times.append(seconds)
        slowest = max(slowest, sorted(times)[2])
    print(f"{slowest * 1000:.0f} ms for the slowest of {len(queries)} queries, at most 200")
    sys.exit(slowest > 0.2)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["drills", folder, count]:
            drills(folder, int(count))
        case ["hostile", spl, store]:
            hostile(spl, store)
        case ["indexed", spl, store, runs]:
            indexed(spl, store, runs)
        case _:
            sys.exit(__doc__)
