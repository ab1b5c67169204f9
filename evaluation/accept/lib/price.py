#!/usr/bin/env python3
"""Compares what two agents cost, measured in turn: price.py FOLDER with old-N.json and new-N.json of `spl-overhead`.

Prints for each figure the ratio of new to old and its 95 % interval, of the rounds' ratios. FAIL where the interval lies above 1.
"""

import json
import math
import sys
from pathlib import Path

# Student's t, two-sided 95 %, by degrees of freedom.
T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]
FIGURES = ["armed against two clock reads", "armed", "a closed gate adds", "one call in a hundred adds"]


def figures(path):
    """Figures of one round by their names."""
    return {claim["claim"]: claim["figure"] for claim in json.loads(path.read_text())["claims"]}


def main():
    folder = Path(sys.argv[1])
    rounds = sorted(int(path.stem.split("-")[1]) for path in folder.glob("old-*.json"))
    pairs = [(figures(folder / f"old-{n}.json"), figures(folder / f"new-{n}.json")) for n in rounds]
    failed = len(pairs) < 2
    if failed:
        print(f"FAIL the agents were measured in turn: {len(pairs)} rounds")
    for name in FIGURES if not failed else []:
        logs = [math.log(new[name] / old[name]) for old, new in pairs if old[name] > 0 and new[name] > 0]
        if len(logs) < 2:
            # A closed gate may cost less than can be seen.
            print(f"note not tried: {name}, new against old: it was no more than noise")
            continue
        mean = sum(logs) / len(logs)
        deviation = math.sqrt(sum((log - mean) ** 2 for log in logs) / (len(logs) - 1))
        half = T[min(len(logs) - 2, len(T) - 1)] * deviation / math.sqrt(len(logs))
        low, ratio, high = (math.exp(x) for x in (mean - half, mean, mean + half))
        # Of the closed gate's fraction of a nanosecond a ratio is shown and nothing is claimed.
        holds = low <= 1 or "adds" in name
        failed |= not holds
        print(f"{'ok  ' if holds else 'FAIL'} {name}, new against old: {ratio:.3f} ({low:.3f} to {high:.3f}, {len(logs)} rounds)")
    sys.exit(1 if failed else 0)


main()
