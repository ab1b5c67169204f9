"""Makes docs/evaluation/scale.md from evaluation/out/scale.json; see evaluation/chapter.py."""

import math
import statistics

from chapter import cell, goal, rounded, table

# Goals: samples a second of processor time, bytes that a sample which counts may keep, the exponent of growth.
LEAST_RATE, MOST_BYTES, MOST_EXPONENT = 1_000_000, 24, 1.1
AGENTS, ASSERTIONS = 100, 10_000


def by_size(runs, size, value):
    """Size and the values of its runs, ascending."""
    sizes = sorted({run["of"][size] for run in runs})
    return [(wanted, [value(run) for run in runs if run["of"][size] == wanted]) for wanted in sizes]


def exponent(points):
    """Slope of the least-squares line through the logarithms: 1 is linear growth."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (statistics.mean(log[axis] for log in logs) for axis in (0, 1))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def keep(result):
    figures = result["figures"]
    kept = {}
    kept["intake"] = [
        {"samples": size, "rate": [run["of"]["samples"] / run["cpu_s"] for run in runs],
         "wall_rate": [run["of"]["samples"] / run["wall_s"] for run in runs], "peak_kib": [run["peak_kib"] for run in runs]}
        for size, runs in by_size(figures["intake"], "samples", lambda run: run)]
    kept["growth"] = {}
    for size, runs in figures["growth"].items():
        grown = by_size(runs, size, lambda run: run)
        points = [[wanted, statistics.median(run["cpu_s"] for run in ours)] for wanted, ours in grown]
        kept["growth"][size] = {
            "exponent": exponent(points),
            "sizes": [{"size": wanted, "samples": ours[0]["sent"], "cpu_s": [run["cpu_s"] for run in ours],
                       "peak_kib": [run["peak_kib"] for run in ours], "results": min(run["results"] for run in ours)}
                      for wanted, ours in grown]}
    kept["agents"] = figures["agents"]
    kept["goals"] = list(goals(kept))
    kept["plots"] = [
        {"file": f"scale-{size}.svg", "title": f"Processor time of a whole run by the number of {size}",
         "x": {"label": size, "log": True}, "y": {"label": "seconds", "log": True},
         "lines": [{"name": f"exponent {grown['exponent']:.2f}", "kind": "dotted", "points": rounded(
             [[one["size"], statistics.median(one["cpu_s"])] for one in grown["sizes"]], 4)}]}
        for size, grown in kept["growth"].items()]
    return kept


def kept_bytes(intake):
    """Peak memory of one more sample."""
    small, large = intake[0], intake[-1]
    more = statistics.median(large["peak_kib"]) - statistics.median(small["peak_kib"])
    return more * 1024 / (large["samples"] - small["samples"])


def goals(kept):
    rate = min(statistics.median(one["rate"]) for one in kept["intake"])
    yield goal(rate >= LEAST_RATE, f"the controller takes in {rate:,.0f} samples a second of one processor, over {LEAST_RATE:,} wanted")
    each = kept_bytes(kept["intake"])
    yield goal(each <= MOST_BYTES, f"memory is bounded: a sample that counts keeps {each:.1f} bytes, at most {MOST_BYTES} wanted, and "
               "`max-method-measurements` says how many count")
    for size, grown in kept["growth"].items():
        yield goal(grown["exponent"] <= MOST_EXPONENT, f"processor time grows with the number of {size} to the power of "
                   f"{grown['exponent']:.2f}, at most {MOST_EXPONENT} wanted")
    agents = kept["agents"]
    yield goal(agents["measured"] == AGENTS, f"{agents['measured']} of {AGENTS} agents that connect at the same time are measured, one after the other")
    most = kept["growth"]["assertions"]["sizes"][-1]
    yield goal(most["size"] >= ASSERTIONS and most["results"] == most["size"],
               f"{most['results']:,} of {most['size']:,} assertions have a result, {ASSERTIONS:,} wanted")


def lines(kept):
    yield "medians, least and most in brackets."
    yield ""
    yield from table(["Samples that count, of ten methods", "a second of processor time", "a second on the clock", "Peak memory, MiB"], (
        [f"{one['samples']:,}", cell(one["rate"], 0), cell(one["wall_rate"], 0), cell([kib / 1024 for kib in one["peak_kib"]], 0)]
        for one in kept["intake"]))
    yield ""
    yield "Whole runs, from the controller's start to its end, when one number grows:"
    yield ""
    yield from table(["Growing", "Number", "Samples sent", "Processor time, s", "Peak memory, MiB", "Exponent"], (
        [size if number == 0 else "", f"{one['size']:,}", f"{one['samples']:,}", cell(one["cpu_s"], 2),
         cell([kib / 1024 for kib in one["peak_kib"]], 0), f"{grown['exponent']:.2f}" if number == 0 else ""]
        for size, grown in kept["growth"].items() for number, one in enumerate(grown["sizes"])))
    agents = kept["agents"]
    ends = agents["ends_s"]
    yield ""
    yield (f"{agents['agents']} agents that connect at the same time: {agents['measured']} were measured, one at a time, the first after "
           f"{ends[0]:.2f} s, half of them after {ends[len(ends) // 2]:.1f} s, the last after {ends[-1]:.1f} s; they were refused "
           f"{agents['rejected']:,} times and came again. The controller took {agents['cpu_s']:.1f} s of processor time and "
           f"{agents['peak_kib'] / 1024:.0f} MiB for {agents['samples']:,} samples.")
