#!/usr/bin/env python3
"""Checks the tables of drills of paths. Prints a figure; fails where a table is not as it has to be.

`routes FOLDER ROUNDS`: the counts of Routes that formulas give. `same BLOCKS PATHS BOTH`: counts of blocks of three drills of a program.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path


def table(folder, name):
    with open(Path(folder) / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check(what, found, expected):
    if found != expected:
        print(f"{what}: {found}, not {expected}")
        sys.exit(1)


def routes(folder, rounds):
    rounds = int(rounds)
    of = defaultdict(list)
    for line in table(folder, "paths.csv"):
        of[line["method"].split("(")[0].removeprefix("Routes.")].append(line)
    counts = lambda method: sorted(int(line["count"]) for line in of[method])
    calls = rounds + 4
    check("turns", counts("turns"), sorted([50 * rounds, 49 * rounds, rounds, rounds]))
    check("collatz", counts("collatz"), sorted([70 * calls, 40 * calls, calls, calls]))
    total = lambda method, is_it: sum(int(line["count"]) for line in of[method] if is_it(line))
    check("handlers", total("caught", lambda line: line["begin"] == "handler"), 32 * rounds)
    check("left", total("caught", lambda line: line["path"] == "left"), 32 * rounds)
    check("thrower", total("thrower", lambda line: line["end"] == "throw"), 32 * rounds)
    check("many", total("many", lambda line: line["begin"] == "entry"), rounds)
    check("many", total("many", lambda line: line["end"] == "return"), rounds)
    if len(of["many"]) > 4096:
        print("a method with 2^20 paths has too many lines")
        sys.exit(1)
    print(f"Collatz 27 has {70 * calls} even turns; the method of 2^20 paths has {len(of['many'])} parts")


def same(blocks, paths, both):
    key = lambda line: (line["method"], line["block"])
    value = lambda line: (line["count"], line["gone"], line["caught"])
    counts = [{key(line): value(line) for line in table(folder, "blocks.csv")} for folder in (blocks, paths, both)]
    check("blocks,paths", counts[2], counts[0])
    inexact = {line["method"] for line in table(paths, "methods.csv") if line["doubt"]}
    different = [at for at, count in counts[0].items() if at[0] not in inexact and counts[1][at] != count]
    check("paths", different, [])
    more = [at for at, count in counts[0].items() if int(counts[1][at][0]) > int(count[0])]
    check("paths, more than run", more, [])
    print(f"{len(counts[0])} blocks; {len(inexact)} methods say that they are not exact")


{"routes": routes, "same": same}[sys.argv[1]](*sys.argv[2:])
