"""Compares the exported forms of a drill with its tables. Usage: exports.py OUT_DIR FOLDER_OF_THE_FORMS; see exports.sh."""

import collections
import csv
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
SPEEDSCOPE = "https://www.speedscope.app/file-format-schema.json"


class Claims:
    """Prints claims, and remembers whether one failed."""

    def __init__(self):
        self.has_failed = False

    def check(self, holds, claim, figure):
        """Prints a claim with its figure."""
        print("ok  " if holds else "FAIL", f"{claim}: {figure}")
        self.has_failed |= not holds

    def equal(self, found, expected, claim):
        """Prints a claim about two figures."""
        self.check(found == expected, claim, f"{found}" if found == expected else f"{found}, not {expected}")


def drill_folder(given):
    """The folder of a drill, given itself or the folder that it is in."""
    given = pathlib.Path(given)
    return given if (given / "drill.json").exists() else next(given.glob("drill*/drill.json")).parent


def sums(path, column):
    """The sum of a column of a table, by method."""
    csv.field_size_limit(1 << 30)
    found = collections.Counter()
    with path.open(newline="") as table:
        for row in csv.DictReader(table):
            found[row["method"]] += int(row[column] or 0)
    return found


def callgrind(path):
    """Own costs and calls by function, and the numbers of the lines `summary` and `totals`."""
    own, calls, names, said, name, made = collections.Counter(), [], {}, {}, None, None
    for line in path.read_text().splitlines():
        kind, found, rest = line.partition("=")
        if found and kind in ("fn", "cfn"):
            number, rest = rest[1:].split(")", 1)
            names[number] = rest.strip() or names[number]
            if kind == "fn":
                name = names[number]
            else:
                callee = names[number]
        elif found and kind == "calls":
            made = int(rest.split()[0])
        elif re.fullmatch(r"\d+ \d+", line):
            cost = int(line.split()[1])
            if made is None:
                own[name] += cost
            else:
                calls.append((name, callee, made, cost))
                made = None
        elif re.fullmatch(r"(summary|totals): \d+", line):
            key, number = line.split(": ")
            said[key] = int(number)
    return own, calls, said


def speedscope(path):
    """The weight of each frame's own by name, after the rules of the schema and of the order of events."""
    document = json.loads(path.read_text())
    assert document["$schema"] == SPEEDSCOPE
    frames, profile = document["shared"]["frames"], document["profiles"][document["activeProfileIndex"]]
    assert all(isinstance(frame["name"], str) and frame.keys() <= {"name", "file", "line", "col"} for frame in frames)
    assert profile["type"] == "evented" and profile["unit"] == "none" and profile["startValue"] == 0
    own, stack, last = collections.Counter(), [], 0
    for event in profile["events"]:
        assert event.keys() == {"type", "frame", "at"} and event["at"] >= last
        if stack:
            own[frames[stack[-1]]["name"]] += event["at"] - last
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            assert event["type"] == "C" and stack.pop() == event["frame"]
    assert not stack and profile["endValue"] == last
    return own, len(profile["events"]) // 2


def graphml(path):
    """Values of each node and of each edge, with the names of both ends."""
    root = xml.etree.ElementTree.parse(path).getroot()

    def values(element):
        return {data.get("key"): data.text for data in element.iter(GRAPHML + "data")}

    nodes = {node.get("id"): values(node) for node in root.iter(GRAPHML + "node")}
    edges = [(edge.get("source"), edge.get("target"), values(edge)) for edge in root.iter(GRAPHML + "edge")]
    return nodes, edges


def compare_callgrind(claims, forms, bytecodes):
    """Costs by function, all costs, and what callgrind_annotate makes of them."""
    own, calls, said = callgrind(forms / "callgrind")
    expected = {method: cost for method, cost in bytecodes.items() if cost}
    differ = [method for method in expected if own[method] != expected[method]]
    claims.check(not differ, "callgrind has each method's bytecodes", f"{len(expected)} methods, {len(differ)} differ {differ[:1]}")
    claims.equal(sum(own.values()), sum(bytecodes.values()), "callgrind's costs make all bytecodes of the drill")
    claims.equal(said, dict.fromkeys(("summary", "totals"), sum(own.values())), "callgrind says the sum")
    below = collections.Counter()
    for caller, _, _, cost in calls:
        below[caller] += cost
    most = max((own[method] + below[method] for method in own), default=0)
    claims.check(most <= sum(own.values()) + len(calls), "no method costs more than all of them", f"{most} of {sum(own.values())}")
    annotated = forms / "annotated.txt"
    if annotated.exists():
        found = re.search(r"([\d,]+) \(100\.0%\)\s+PROGRAM TOTALS", annotated.read_text())
        claims.equal(int(found[1].replace(",", "")) if found else None, sum(own.values()), "callgrind_annotate finds the sum")
    return own, calls


def entered(path):
    """The calls that each method made by the table of arcs, with what the JVM and native methods called within them."""
    made = collections.Counter()
    with path.open(newline="") as table:
        for row in csv.DictReader(table):
            if row["answer"] != "not entered":
                made[row["method"]] += int(row["calls"])
    return made


def compare_graphs(claims, forms, made, own, calls):
    """GraphML, DOT and text against the profile of callgrind and the drill's table of calls."""
    nodes, edges = graphml(forms / "graphml")
    claims.equal(sum(int(node["bytecodes"]) for node in nodes.values()), sum(own.values()), "graphml has all bytecodes")
    claims.equal(len(edges), len(calls), "graphml has the calls of callgrind")
    found = collections.Counter()
    for node in nodes.values():
        found[node["name"]] += int(node["calls_of_uncounted"])
    for source, _, values in edges:
        found[nodes[source]["name"]] += int(values["made"])
    differ = [name for name in found if found[name] != made[name]]
    claims.check(not differ, "each method makes as many calls as in the table", f"{sum(found.values())} calls, {len(differ)} methods differ {differ[:1]}")
    unsure = sum(int(values["made"]) for _, _, values in edges if values["is_unsure"] == "true")
    all_made = max(sum(found.values()), 1)
    print(f"note shared out among implementations: {unsure} of {all_made} calls ({unsure / all_made:.1%})")
    dot = (forms / "dot").read_text()
    claims.equal(len(re.findall(r"^  \d+ -> \d+ \[", dot, re.M)), len(edges), "dot has these calls")
    claims.equal(len(re.findall(r"^  \d+ \[", dot, re.M)), len(nodes), "dot has these methods")
    blocks = re.findall(r"^\[(\d+)\] .* bytecodes of its own, (\d+) with callees$", (forms / "calls").read_text(), re.M)
    claims.equal([int(place) for place, _ in blocks] == list(range(1, len(nodes) + 1)), True, f"calls has a block for each of {len(nodes)} methods")
    costs = [int(cost) for _, cost in blocks]
    claims.equal(costs == sorted(costs, reverse=True), True, "calls begins with most work")


def main():
    """Prints the claims; the status is 1 if one fails."""
    folder, forms = drill_folder(sys.argv[1]), pathlib.Path(sys.argv[2])
    claims = Claims()
    bytecodes = sums(folder / "methods.csv", "bytecodes")
    arcs = folder / "arcs.csv"
    made = entered(arcs) if arcs.exists() else sums(folder / "calls.csv", "count")
    with (forms / "csv").open(newline="") as table:
        run = sum(int(row["run"]) for row in csv.DictReader(table))
    claims.equal(run, sum(bytecodes.values()), "csv has all bytecodes of the drill")
    own, calls = compare_callgrind(claims, forms, bytecodes)
    compare_graphs(claims, forms, made, own, calls)
    try:
        weights, frames = speedscope(forms / "speedscope")
    except (AssertionError, KeyError, TypeError, ValueError) as error:
        claims.check(False, "speedscope's file is as its format says", repr(error))
    else:
        claims.check(True, "speedscope's file is as its format says", f"{frames} frames")
        claims.equal(sum(weights.values()), sum(bytecodes.values()), "speedscope's weights make all bytecodes of the drill")
        left_out = weights.pop("(left out)", 0)
        print(f"note the tree leaves out {left_out} bytecodes ({left_out / max(sum(own.values()), 1):.2%})")
        # The ends of frames are rounded; each frame of a method may be off by one.
        most = max((weights[name] - own[name] for name in weights), default=0)
        claims.check(most <= frames, "no method has more weight than bytecodes", f"at most {max(most, 0)} more, by rounding")
    sys.exit(claims.has_failed)


main()
