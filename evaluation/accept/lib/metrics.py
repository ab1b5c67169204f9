#!/usr/bin/env python3
"""Compares metrics with a witness that stepped through the same program. Each command ends with status 1 if the claim behind it is wrong.

spaces BLOCKS STEPS PREFIX          options of `spl analyse` for a space named `seen`: the classes of which every block has the witness's count
total METRICS BLOCKS STEPS PREFIX   executed instructions, and those executed at least once, of that space with the witness's
values METRICS SPACE NAME=VALUE...  values of metrics, as far as the digits go
same METRICS METRICS SPACE...       whether two documents have the same values in these spaces
range METRICS NAME LEAST MOST       a value of the space app within a range
"""

import collections
import csv
import json
import sys


def counted(blocks, stepped, prefix):
    """The classes whose blocks have the witness's counts, and the witness's counts by method and offset. The JVM hides the steps of
    initialisers and of what they call, and steps that follow each other at one place, as the returns of a recursion."""
    steps = collections.Counter()
    with open(stepped) as file:
        for line in file:
            method, offset, count = line.rsplit(" ", 2)
            steps[method, int(offset)] += int(count)
    classes, differ = set(), set()
    with open(blocks, newline="") as file:
        for row in csv.DictReader(file):
            name = class_of(row["method"])
            if name.startswith(prefix):
                classes.add(name)
                if int(row["count"]) != steps[row["method"], int(row["first"])]:
                    differ.add(name)
    return classes - differ, steps


def class_of(method):
    return method[: method.index("(")].rsplit(".", 1)[0]


def spaces(blocks, stepped, prefix):
    classes, _ = counted(blocks, stepped, prefix)
    print("\n".join(f"--space=seen={name.replace('/', '.')}" for name in sorted(classes)))
    return classes


def values_of(path, space):
    with open(path) as file:
        spaces = json.load(file)["spaces"]
    found = {}
    for value in next(one["values"] for one in spaces if one["name"] == space):
        key = f"[{value['key']['low']}]" if "key" in value else ""
        found[f"{value['category']}.{value['name']}.{value['kind']}{key}"] = value
    return found


def total(metrics, blocks, stepped, prefix):
    classes, steps = counted(blocks, stepped, prefix)
    of_them = {at: count for at, count in steps.items() if class_of(at[0]) in classes}
    found, good = values_of(metrics, "seen"), bool(of_them)
    for name, theirs in [("base.instructions.value", sum(of_them.values())), ("size.run.value", len(of_them))]:
        value = found[name]
        least, most = value["least"], value["most"]
        good = good and least <= theirs <= most and (most - least) * 5 <= most
        bounds = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        print(f"{name} {bounds}, the witness {theirs:,};", end=" ")
    print(f"{len(classes)} classes")
    return good


def values(metrics, space, *expected):
    found, wrong = values_of(metrics, space), []
    for one in expected:
        name, value = one.split("=")
        digits = len(value.partition(".")[2])
        ours = found[name]["value"]
        if ours is None or round(ours, digits) != float(value) or found[name]["exactness"] != "exact":
            wrong.append(f"{name} {ours} {found[name]['exactness']}, expected {value}")
    print("; ".join(wrong) or f"{len(expected)} values of {space} are exact")
    return not wrong


def same(one, other, *spaces):
    differ, all_values = [], 0
    for space in spaces:
        ours, theirs = values_of(one, space), values_of(other, space)
        all_values += len(ours)
        differ += [f"{space} {name}" for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)]
    print(f"{len(differ)} of {all_values} values differ {differ[:3] or ''}".strip())
    return not differ and all_values


def within(metrics, name, least, most):
    value = values_of(metrics, "app")[name]
    print(f"{name} {value['least']:.1f} to {value['most']:.1f}, expected {least} to {most}")
    return float(least) <= value["least"] and value["most"] <= float(most)


if __name__ == "__main__":
    what = {"spaces": spaces, "total": total, "values": values, "same": same, "range": within}[sys.argv[1]]
    sys.exit(0 if what(*sys.argv[2:]) else 1)
