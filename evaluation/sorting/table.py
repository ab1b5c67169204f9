#!/usr/bin/env python3
"""Puts the table of evaluation/out/sorting.json into docs/evaluation.md, between its two marks, and draws how many methods
were measured over time; or with --goals prints a line `ok|FAIL goal figure` for each goal."""

import argparse
import json
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/evaluation.md"
BEGIN, END = "<!-- sorting: begin, made by `make evaluate-sorting` -->", "<!-- sorting: end -->"
COLUMNS = {
    "Normal cycle, ms": ("normal_ms", 1), "of CPU, ms": ("normal_cpu_ms", 1), "Peak, ms": ("peak_ms", 0),
    "Outside waves, ms": ("calm_ms", 1), "Waves": ("waves", 0), "Cycles": ("cycles", 0), "Time lost, ms": ("lost_ms", 0), "CPU time lost, ms": ("lost_cpu_ms", 0),
}


# Goals: what they say, the least or most, whether more is better.
WAVE_RATIO, CALM_RATIO, LOSS_RATIO = 4.0, 1.1, 30.0
PICTURE = ROOT / "docs/measured-methods.svg"
COLOURS = ("#1b6ca8", "#b8336a", "#2a9d4a", "#c77d0a", "#6a4c93")


def cell(values, digits):
    """Median and spread."""
    values = [value for value in values if value is not None]
    if not values:
        return "-"
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
    yield "CPU time of a normal cycle with a dormant agent over one without, in the same round: " + \
        ratio(forks, "dormant agent", "alone", "normal_cpu_ms") + "."
    yield ""
    for holds, text in goals(forks):
        yield f"- {'Met' if holds else 'Missed'}: {text}."
    yield ""
    yield "![Methods measured over time](measured-methods.svg)"


def goals(forks):
    """Whether each goal is met, and by how much, in medians over the rounds."""
    of = lambda name: [fork for fork in forks if fork["name"] == name]
    budget, recreated = of("budget"), of("recreated")
    middle = lambda values: statistics.median(values) if values else float("nan")
    for name in ("budget", "paired"):
        ours = of(name)
        peak = middle([fork["peak_ms"] / fork["normal_ms"] for fork in ours])
        yield peak <= WAVE_RATIO, f"{name}: the longest cycle while a wave passes takes {peak:.1f} normal ones, at most {WAVE_RATIO} wanted"
    calm = middle([fork["calm_ms"] / fork["normal_ms"] for fork in budget if fork["calm_ms"]])
    yield calm <= CALM_RATIO, f"budget: a cycle outside the waves takes {calm:.2f} normal ones, at most {CALM_RATIO} wanted"
    waves = max((fork["waves"] for fork in budget), default=0)
    yield 0 < waves <= 2, f"budget: {waves} changes of classes, one to put all probes in and one to take them out wanted"
    for key, what in (("lost_ms", "time"), ("lost_cpu_ms", "CPU time")):
        less = middle([fork[key] for fork in recreated]) / middle([fork[key] for fork in budget])
        yield less >= LOSS_RATIO, f"budget: {less:.1f} times less {what} lost than with the thesis's design, {LOSS_RATIO:.0f} times wanted"


def picture(forks):
    """Steps of the number of measured methods over time, one line for each configuration's first fork (thesis 4.5, 4.7)."""
    first = {}
    for fork in forks:
        if fork["measured_methods"]:
            first.setdefault(fork["name"], fork)
    until = max(fork["seconds"] for fork in first.values())
    most = max(step[1] for fork in first.values() for step in fork["measured_methods"])
    x, y = lambda at: 50 + 700 * min(max(at, 0) / until, 1), lambda count: 270 - 240 * count / most
    yield '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 320" font-family="sans-serif" font-size="12">'
    yield '<path d="M50 30V270H750" fill="none" stroke="#444"/>'
    yield f'<text x="750" y="290" text-anchor="end">{until:.1f} s</text><text x="45" y="34" text-anchor="end">{most}</text>'
    yield '<text x="45" y="274" text-anchor="end">0</text><text x="55" y="20">methods measured, or groups of them</text>'
    for number, (name, fork) in enumerate(first.items()):
        points, last = [], 0
        for at, measured, _, _ in fork["measured_methods"]:
            if measured != last:
                points += [f"{x(at):.1f},{y(last):.1f}", f"{x(at):.1f},{y(measured):.1f}"]
                last = measured
        colour = COLOURS[number % len(COLOURS)]
        yield f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        yield f'<text x="{70 + 140 * number}" y="312" fill="{colour}">{name}</text>'
    yield "</svg>"


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--goals", metavar="FILE", help="only say which goals this file's figures meet")
    options = arguments.parse_args()
    if options.goals:
        found = list(goals(json.loads((ROOT / options.goals).read_text())["forks"]))
        for holds, text in found:
            print(f"{'ok  ' if holds else 'FAIL'} {text}")
        return 0 if all(holds for holds, _ in found) else 1
    result = json.loads((ROOT / "evaluation/out/sorting.json").read_text())
    PICTURE.write_text("\n".join(picture(result["forks"])) + "\n")
    head, rest = PAGE.read_text().split(BEGIN)
    tail = rest.split(END)[1]
    PAGE.write_text(head + BEGIN + "\n\n" + "\n".join(table(result)) + "\n\n" + END + tail)
    return 0


if __name__ == "__main__":
    sys.exit(main())
