#!/usr/bin/env python3
"""Compares the reasons of failed claims with the planted causes. Arguments: why.json, Planted.java. Prints a line for each cause
whose claim has another one first, and last the number of the right ones; the status is 1 if the control has a cause."""

import json
import re
import sys
from pathlib import Path

CAUSE = re.compile(r"// cause: (\w+)")
CONTROL = "left"


def marks(source):
    """The lines of each cause, by the slow method."""
    found = {}
    for number, line in enumerate(Path(source).read_text().splitlines(), start=1):
        for name in CAUSE.findall(line):
            found.setdefault(name, set()).add(number)
    return found


def first(claim):
    """The cause with the greatest share: its methods of the program, and lines."""
    causes = [(cause["share"], cause["path"] or [claim["slow"]], [cause["line"], *(cause["lines"] or [])]) for cause in claim["causes"]]
    extras = [(extra["share"], [extra["method"]], range(extra["lines"][0], extra["lines"][1] + 1) if extra["lines"] else []) for extra in claim["extras"]]
    share, methods, lines = max([*causes, *extras], default=(0, [], []))
    return share, methods, {line for line in lines if line}


def main():
    why, source = sys.argv[1:]
    expected = marks(source)
    claims = {re.search(r"Planted\.(\w+)", claim["slow"])[1]: claim for claim in json.loads(Path(why).read_text())["claims"]}
    right = 0
    for name, lines in sorted(expected.items()):
        claim = claims.get(name)
        if not claim:
            print(f"{name}: its claim did not fail")
            continue
        share, methods, found = first(claim)
        if found & lines and share > 0:
            right += 1
        else:
            print(f"{name}: {claim['conclusion']}, first {methods} in {sorted(found)}, wanted {sorted(lines)}; {claim['doubts']}")
    control = claims.get(CONTROL, claims.get("right"))
    is_clean = control is not None and control["conclusion"] == "nothing" and not control["causes"] and not control["extras"]
    print(f"{right} of {len(expected)} causes come first; the control pair: {control and control['conclusion']}")
    return 0 if is_clean else 1


sys.exit(main())
