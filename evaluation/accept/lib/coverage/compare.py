#!/usr/bin/env python3
"""Compares the coverage of a drill with JaCoCo's, line by line and method by method.

compare.py jacoco OURS ALL FILTERED DRILL PREFIX
compare.py flags FLAGS OURS PREFIX

OURS is the document of `spl export --as jacoco`, ALL JaCoCo's own without its filters, FILTERED JaCoCo's as it is, DRILL the folder
of the drill, PREFIX that of the classes that are compared. FLAGS is the document of a drill with `--what cover`, which has to say the same as
OURS. Prints a line of figures and then each difference with its cause. Ends with
status 1 if a difference has no cause, if nothing was compared, or if JaCoCo's filters have taken something in.

A difference has a cause if

- an exception left a block each time, of the line or behind it before the next probe of JaCoCo's. JaCoCo sees only that its next
  probe was not reached; a drill sees that the block was begun, and that its first instructions ran. Only in such a block itself
  can JaCoCo know more, from a probe between two of its lines.
- the method walks over the fields of a class. JaCoCo adds a field to each class ($jacocoData), which the program then sees.
"""

import collections
import csv
import sys
import xml.etree.ElementTree as ElementTree

# Methods that walk over all fields of a class, or get each of them.
WALKERS = {
    ("org/apache/commons/lang3/builder/CompareToBuilder", "reflectionAppend"),
    ("org/apache/commons/lang3/builder/EqualsBuilder", "reflectionAppend"),
    ("org/apache/commons/lang3/builder/HashCodeBuilder", "reflectionAppend"),
    ("org/apache/commons/lang3/builder/ReflectionDiffBuilder", "accept"),
    ("org/apache/commons/lang3/builder/ReflectionToStringBuilder", "accept"),
    ("org/apache/commons/lang3/reflect/FieldUtilsTest", "testGetAllFields"),
    ("org/apache/commons/lang3/reflect/FieldUtilsTest", "testGetAllFieldsList"),
}


class Report:
    """Lines by file and number, methods by class, name and descriptor; each with its counters."""

    def __init__(self, path, prefix):
        self.lines, self.methods, self.source = {}, {}, {}
        for package in ElementTree.parse(path).getroot().iter("package"):
            for one in package.iter("sourcefile"):
                file = f'{package.get("name")}/{one.get("name")}'
                if file.startswith(prefix):
                    for line in one.iter("line"):
                        self.lines[file, int(line.get("nr"))] = tuple(int(line.get(key)) for key in ("mi", "ci", "mb", "cb"))
            for one in package.iter("class"):
                name = one.get("name")
                if name.startswith(prefix):
                    self.source[name] = f'{package.get("name")}/{one.get("sourcefilename")}'
                    for method in one.iter("method"):
                        counters = {c.get("type"): (int(c.get("missed")), int(c.get("covered"))) for c in method.iter("counter")}
                        self.methods[name, method.get("name"), method.get("desc")] = counters


class Drill:
    """Which blocks an exception left each time, and what JaCoCo's next probes say nothing of because of it."""

    def __init__(self, folder, source):
        self.blocks, ways, entries = collections.defaultdict(dict), collections.defaultdict(list), collections.Counter()
        with open(f"{folder}/blocks.csv", newline="") as file:
            for row in csv.DictReader(file):
                if row["method"].split(".")[0] in source:
                    self.blocks[row["method"]][int(row["block"])] = row
        with open(f"{folder}/edges.csv", newline="") as file:
            for row in csv.DictReader(file):
                if row["method"] in self.blocks:
                    entries[row["method"], int(row["to"])] += 1
                    if row["kind"] != "exception":
                        ways[row["method"], int(row["from"])].append((int(row["to"]), int(row["count"] or 0)))
        numbers = [(method, number) for method, blocks in self.blocks.items() for number in blocks]
        left = {one for one in numbers if self.is_left(*one, ways)}
        self.hidden = {one for one in numbers if self.leads_to(left, *one, ways, entries)}
        self.methods = {method for method, _ in self.hidden}
        self.left_methods = {method for method, _ in left}
        self.lines, self.left = self.lines_of(self.hidden, source), self.lines_of(left, source)
        self.walked = self.lines_of([one for one in numbers if tuple(one[0].split("(")[0].split(".")) in WALKERS], source)

    def lines_of(self, blocks, source):
        lines = set()
        for method, number in blocks:
            file = source[method.split(".")[0]]
            for part in self.blocks[method][number]["lines"].split():
                first, _, last = part.partition("-")
                lines |= {(file, line) for line in range(int(first), int(last or first) + 1)}
        return lines

    def is_left(self, method, number, ways):
        """Whether an exception left the block each time."""
        row, out = self.blocks[method][number], ways[method, number]
        count, gone = int(row["count"]), int(row["gone"] or 0)
        return count > 0 and gone > 0 and not any(taken for _, taken in out) and (out or count <= gone)

    def leads_to(self, left, method, number, ways, entries):
        """Whether the block, or what follows without a probe of JaCoCo's in front of it, is one of those."""
        seen, open_ = set(), [number]
        while open_:
            block = open_.pop()
            if (method, block) in left:
                return True
            if block not in seen:
                seen.add(block)
                # JaCoCo has a probe on each way to a block with several.
                open_ += [to for to, taken in ways[method, block] if taken and entries[method, to] == 1]
        return False


def jacoco(ours, everything, filtered, folder, prefix):
    ours, everything, filtered = (Report(path, prefix) for path in (ours, everything, filtered))
    drill = Drill(folder, ours.source)
    listed, causes = [], collections.Counter()

    def differs(kind, what, one, other, cause):
        causes[kind, cause] += 1
        listed.append(f"{cause or 'UNEXPLAINED'}: {' '.join(map(str, what))}: {one} here, {other} by JaCoCo")

    for line in sorted(ours.lines.keys() | everything.lines.keys()):
        one, other = ours.lines.get(line), everything.lines.get(line)
        if one != other:
            # The instructions of a line are the same ones, whether they ran or not.
            same = one and other and sum(one[:2]) == sum(other[:2]) and sum(one[2:]) == sum(other[2:])
            cause = None
            if same and one[1] >= other[1] and one[3] >= other[3]:
                cause = "exception, more here" if line in drill.lines else None
            elif same and line in drill.left:
                cause = "exception, more by JaCoCo"
            if same and not cause and line in drill.walked:
                cause = "a field that JaCoCo has added"
            differs("line", line, one, other, cause)
    for method in sorted(ours.methods.keys() | everything.methods.keys()):
        one, other = ours.methods.get(method), everything.methods.get(method)
        if one != other:
            name = f"{method[0]}.{method[1]}{method[2]}"
            cause = "exception" if name in drill.methods else None
            if not cause and method[:2] in WALKERS:
                cause = "a field that JaCoCo has added"
            differs("method", method, one, other, cause)
    changed = sum(line in everything.lines and sum(found[:2]) != sum(everything.lines[line][:2]) for line, found in filtered.lines.items())
    left_out = len(everything.lines.keys() - filtered.lines.keys())
    partly = sum(one[0] > 0 and one[1] > 0 for one in ours.lines.values())
    told = ", ".join(f"{count} {kind}s: {cause or 'UNEXPLAINED'}" for (kind, cause), count in sorted(causes.items(), key=str))
    equal = {kind: len(found) - sum(count for (of, _), count in causes.items() if of == kind)
             for kind, found in (("line", ours.lines), ("method", ours.methods))}
    print(f"{equal['line']} of {len(ours.lines)} lines ({partly} run in part) and {equal['method']} of {len(ours.methods)} methods "
          f"have the same counters; {told or 'none differs'}; JaCoCo leaves out {left_out} lines more, and parts of {changed}")
    print("\n".join(listed))
    unexplained = sum(count for (_, cause), count in causes.items() if not cause)
    return ours.lines and not unexplained and not filtered.lines.keys() - everything.lines.keys()


def flags(flagged, ours, prefix):
    flagged, ours = Report(flagged, prefix), Report(ours, prefix)
    lines = {line for line in ours.lines.keys() | flagged.lines.keys() if ours.lines.get(line) != flagged.lines.get(line)}
    methods = {name for name in ours.methods.keys() | flagged.methods.keys() if ours.methods.get(name) != flagged.methods.get(name)}
    wrong = [*sorted(lines), *sorted(methods)]
    print(f"{len(ours.lines) - len(lines)} of {len(ours.lines)} lines and {len(ours.methods) - len(methods)} of {len(ours.methods)} methods have the same "
          f"counters")
    print("\n".join(map(str, wrong)))
    return ours.lines and not wrong


if __name__ == "__main__":
    sys.exit(0 if {"jacoco": jacoco, "flags": flags}[sys.argv[1]](*sys.argv[2:]) else 1)
