#!/usr/bin/env python3
"""Compares metrics with a witness that stepped through the same program. Each command ends with status 1 if the claim behind it is wrong.

spaces BLOCKS STEPS PREFIX          options of `spl analyse` for a space named `seen`: the classes of which every block has the witness's count
total METRICS BLOCKS STEPS PREFIX   executed instructions, and those executed at least once, of that space with the witness's
values METRICS SPACE NAME=VALUE...  values of metrics, as far as the digits go
same METRICS METRICS SPACE...       whether two documents have the same values in these spaces, without metrics of timing
alike METRICS METRICS SPACE...      the same of two JDKs, whose objects may be of other sizes
repeatable METRICS METRICS          whether the space app has the same values, of the metrics that are to be repeatable
touched METRICS REPORT              instructions that ran, and their share, with those of an XML report of JaCoCo
forms METRICS XML                   whether both forms have the same values
range METRICS NAME LEAST MOST       a value of the space app within a range
"""

import collections
import csv
import json
import sys
import xml.etree.ElementTree


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


# The threads of this space are virtual where the JVM has them, and its carriers count.
CARRIED, CACHES = "parks", {"M42", "M43"}
# Of the JVM's events, and of sizes.
TIMING = {"M49", "M50", "M53", "M55", "M57", "M58", "M59", "M60"}
SIZES = {"M5", "M44", "M45", "M47", "M48", "M51"}


def alike(one, other, *spaces):
    """Of two JDKs: each starts some threads of its own."""
    return same(one, other, *spaces, without=TIMING | SIZES | {"M56"})


def same(one, other, *spaces, without=TIMING):
    differ, all_values = [], 0
    for space in spaces:
        left_out = without | CACHES if space == CARRIED else without
        ours, theirs = (
            {name: value for name, value in values_of(path, space).items() if value.get("id") not in left_out} for path in (one, other)
        )
        all_values += len(ours)
        differ += [f"{space} {name}" for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)]
    print(f"{len(differ)} of {all_values} values differ {differ[:3] or ''}".strip())
    return not differ and all_values


def repeatable(one, other):
    """M1, M9 to M28, M31 to M43, M52."""
    ids = {f"M{number}" for number in (1, *range(9, 29), *range(31, 44), 52)}
    ours, theirs = ({name: value for name, value in values_of(path, "app").items() if value.get("id") in ids} for path in (one, other))
    differ = [name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)]
    print(f"{len(differ)} of {len(ours)} values differ {differ[:3] or ''}".strip())
    return not differ and len({value["id"] for value in ours.values()}) == len(ids)


def touched(metrics, report):
    counters = [one for one in xml.etree.ElementTree.parse(report).getroot().findall("counter") if one.get("type") == "INSTRUCTION"]
    missed, covered = (int(counters[0].get(name)) for name in ("missed", "covered"))
    app = values_of(metrics, "app")
    run, share = (app[name]["value"] for name in ("size.run.value", "size.codeCoverage.value"))
    print(f"{run} instructions ran, {share:.4f}%; JaCoCo has {covered} of {covered + missed}")
    return run == covered and abs(share - 100 * covered / (covered + missed)) < 1e-9


def number(text):
    return float(text) if (text or "").strip() else None


def of_xml(path):
    """The values of each space of the XML, by name and key."""
    found = {}
    for space in xml.etree.ElementTree.parse(path).getroot().findall("sample-space"):
        values = found[space.get("name")] = {}
        for category in space.iter("category"):
            for metric in category.findall("metric"):
                for one in (one for one in metric.iter() if one.tag in ("value", "continuous", "percentile", "bin")):
                    key = f"[{one.get('key') or one.get('low_key')}]" if one.tag == "bin" else ""
                    value, bounds = number(one.text), [number(one.get("least")), number(one.get("most"))]
                    name = f"{category.get('name')}.{metric.get('name')}.{one.tag}{key}"
                    values[name] = (value, *([value, value] if value is not None else bounds), one.get("exactness"))
    return found


def forms(metrics, other):
    theirs, compared, differ = of_xml(other), 0, []
    for space, values in theirs.items():
        ours = {name: tuple(one[key] for key in ("value", "least", "most", "exactness")) for name, one in values_of(metrics, space).items()}
        compared += len(ours)
        differ += [f"{space} {name} {ours.get(name)} {values.get(name)}" for name in ours.keys() | values.keys() if ours.get(name) != values.get(name)]
    with open(metrics) as file:
        spaces = {space["name"] for space in json.load(file)["spaces"]}
    print(f"{len(differ)} of {compared} values differ {differ[:2] or ''}".strip())
    return not differ and spaces == theirs.keys() and compared


def within(metrics, name, least, most):
    value = values_of(metrics, "app")[name]
    print(f"{name} {value['least']:.1f} to {value['most']:.1f}, expected {least} to {most}")
    return float(least) <= value["least"] and value["most"] <= float(most)


if __name__ == "__main__":
    what = {"spaces": spaces, "total": total, "values": values, "same": same, "alike": alike, "range": within, "repeatable": repeatable,
            "touched": touched, "forms": forms}[sys.argv[1]]
    sys.exit(0 if what(*sys.argv[2:]) else 1)
