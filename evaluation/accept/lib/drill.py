#!/usr/bin/env python3
"""Compares the results of drills with other sources. Each command prints one line of figures, and ends with status 1 if the
claim behind it is wrong.

steps BLOCKS STEPS PREFIX    counts of blocks with those of a witness that stepped through the same program
same BLOCKS BLOCKS           two drills of one program
arcs ARCS METHODS ENTERED PREFIX LEAST   what calls entered, with a witness of all entries of methods; LEAST is the least share
loaded DRILL LOG JAVAP       the classes of a drill with the classes that the JVM has loaded
"""

import collections
import csv
import json
import re
import subprocess
import sys


def blocks(path, prefix=""):
    with open(path, newline="") as file:
        return [row for row in csv.DictReader(file) if row["method"].startswith(prefix)]


def steps(path, stepped, prefix):
    counts = collections.Counter()
    with open(stepped) as file:
        for line in file:
            method, offset, count = line.rsplit(" ", 2)
            counts[method, int(offset)] += int(count)
    rows = blocks(path, prefix)
    found = [(int(row["count"]), counts[row["method"], int(row["first"])]) for row in rows]
    same = sum(ours == theirs for ours, theirs in found)
    more = sum(ours > theirs for ours, theirs in found)
    fewer = len(found) - same - more
    run = sum(ours > 0 for ours, _ in found)
    print(f"{same} of {len(found)} blocks ({run} of them run) have the same count, {more} have more, {fewer} have fewer")
    # HotSpot hides the steps of class initialisers and of all that they call.
    return fewer == 0 and run > 0 and same > 0.9 * len(found)


def same(one, other):
    one, other = ([(row["method"], row["block"], row["count"]) for row in blocks(path)] for path in (one, other))
    differ = sum(a != b for a, b in zip(one, other)) + abs(len(one) - len(other))
    print(f"{differ} of {len(one)} blocks differ")
    return differ == 0 and one


def arcs(path, methods, entered, prefix, least):
    with open(methods, newline="") as file:
        counted = {row["method"] for row in csv.DictReader(file)}
    ours, theirs, asked = collections.Counter(), collections.Counter(), {}
    member = re.compile(r"[^.]*\(.*")
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            asked[row["method"], int(row["at"])] = member.search(row["callee"])[0]
            if row["answer"] in ("entered", "native"):
                callee = row["entered"] if row["answer"] == "entered" else "native"
                ours[row["method"], int(row["at"]), callee] += int(row["calls"])
    with open(entered) as file:
        for line in file:
            caller, at, method, kind, count = line.rsplit(" ", 4)
            # The JVM calls others by itself: initialisers, class loaders, its own exceptions. `Unsafe` never counts.
            implicit = asked.get((caller, int(at))) != member.search(method)[0] or method.startswith("jdk/internal/misc/Unsafe.")
            if caller in counted and not implicit and (kind == "native" or method in counted):
                theirs[caller, int(at), method if kind == "java" else "native"] += int(count)
    ours, theirs = ({key: n for key, n in all.items() if key[0].startswith(prefix)} for all in (ours, theirs))
    differ = [key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)]
    natives = sum(key[2] == "native" for key in ours)
    others = f"; others: {[(key, ours.get(key), theirs.get(key)) for key in differ[:2]]}" if float(least) == 1 and differ else ""
    print(f"{len(ours) - len(differ)} of {len(ours)} arcs ({natives} of them to native methods) have the witness's count{others}")
    return ours and len(differ) <= (1 - float(least)) * len(ours)


def with_code(names, javap):
    """The classes that have a method with code, of the JDK that has this javap."""
    if not names:
        return []
    text = subprocess.run([javap, "-p", "-c", *names], capture_output=True, text=True).stdout
    found, current = [], None
    for line in text.splitlines():
        head = re.match(r"^\S.*?(?:class|interface) ([\w.$]+).*\{$", line)
        if head:
            current = head[1]
        elif line.strip() == "Code:" and current not in found:
            found.append(current)
    return found


def loaded(path, log, javap, prefix=""):
    with open(path) as file:
        drill = json.load(file)
    known = {one["name"].replace("/", ".") for one in drill["classes"]}
    # A method stands behind its class.
    known |= {re.sub(r"\.[^.]*\(.*", "", one["name"]).replace("/", ".") for one in drill["left"]}
    with open(log) as file:
        lines = [re.search(r"\] ?([\w.$/-]+)(?: source:|$)", line.strip()) for line in file]
    names = {line[1] for line in lines if line and line[1].startswith(prefix)}
    # Hidden classes, and classes that the JVM generates itself, have no class file.
    names = {name for name in names if "/" not in name and "$$Lambda" not in name and "LambdaForm" not in name}
    missing = with_code(sorted(names - known), javap)
    print(f"{len(names) - len(missing)} of {len(names)} loaded classes count, are named or have no code; missing: {missing[:5]}")
    return not missing and names


if __name__ == "__main__":
    what = {"steps": steps, "same": same, "arcs": arcs, "loaded": loaded}[sys.argv[1]]
    sys.exit(0 if what(*sys.argv[2:]) else 1)
