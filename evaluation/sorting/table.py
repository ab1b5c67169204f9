#!/usr/bin/env python3
"""Puts the table of evaluation/out/sorting.json into docs/evaluation.md, between its two marks."""

import json
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/evaluation.md"
BEGIN, END = "<!-- sorting: begin, made by `make evaluate-sorting` -->", "<!-- sorting: end -->"
COLUMNS = {
    "Normal cycle, ms": ("normal_ms", 1), "of CPU, ms": ("normal_cpu_ms", 1), "Peak, ms": ("peak_ms", 0),
    "Cycles": ("cycles", 0), "Time lost, ms": ("lost_ms", 0), "CPU time lost, ms": ("lost_cpu_ms", 0),
}


def cell(values, digits):
    """Median and spread."""
    low, middle, high = (f"{f(values):,.{digits}f}" for f in (min, statistics.median, max))
    return middle if low == high else f"{middle} ({low} to {high})"


def ratio(forks, name, base, key):
    """Median and spread of the quotients within the rounds."""
    of = lambda wanted: {fork["round"]: fork[key] for fork in forks if fork["name"] == wanted}
    left, right = of(name), of(base)
    quotients = [left[number] / right[number] for number in left.keys() & right.keys() if right[number] > 0]
    return cell(quotients, 2) if quotients else "-"


def most_at_once(forks):
    return [max((measured for _, measured, _, _ in fork["measured_methods"]), default=0) for fork in forks]


def table(result):
    forks = result["forks"]
    names = list(dict.fromkeys(fork["name"] for fork in forks))
    loads = sorted(fork["load_before"] for fork in forks)
    machine = result["machine"]
    yield (f"{result['date']}, {machine['cpu']}, {machine['cores']} cores, {result['java']}, "
           f"commit {result['commit']}; medians of the forks, least and most in brackets. Load before the forks: "
           f"{loads[0]:.1f} to {loads[-1]:.1f}.")
    yield ""
    yield "| Configuration | Forks | " + " | ".join(COLUMNS) + " | Most methods at once |"
    yield "|---" * (len(COLUMNS) + 3) + "|"
    for name in names:
        ours = [fork for fork in forks if fork["name"] == name]
        cells = [cell([fork[key] for fork in ours], digits) for key, digits in COLUMNS.values()]
        if not any(fork["measured_methods"] for fork in ours) and name != "recreated":
            # Nothing was measured: cycles and losses are of as many cycles as happened to be watched.
            cells[2:] = ["-"] * (len(cells) - 2)
        yield f"| {name} | {len(ours)} | " + " | ".join(cells) + f" | {cell(most_at_once(ours), 0) if name != 'recreated' else 22} |"
    yield ""
    yield "Ratios within the rounds: CPU time of a normal cycle with a dormant agent over one without, " + \
        ratio(forks, "dormant agent", "alone", "normal_cpu_ms") + "; CPU time lost with all methods at once, " \
        "the re-creation over ours, " + ratio(forks, "recreated", "all-at-once", "lost_cpu_ms") + "; time lost likewise, " + \
        ratio(forks, "recreated", "all-at-once", "lost_ms") + "."


def main():
    result = json.loads((ROOT / "evaluation/out/sorting.json").read_text())
    head, rest = PAGE.read_text().split(BEGIN)
    tail = rest.split(END)[1]
    PAGE.write_text(head + BEGIN + "\n\n" + "\n".join(table(result)) + "\n\n" + END + tail)


if __name__ == "__main__":
    main()
