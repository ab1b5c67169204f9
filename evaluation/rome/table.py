"""Makes docs/evaluation/rome.md from evaluation/out/rome.json; see evaluation/chapter.py."""

import math
import statistics
from collections import Counter

from chapter import cell, goal, rounded, table, thinned

# The thesis's Table 4.1: left method, right method under today's names, its p-value.
THESIS = {("SyndFeedInput.build", "SAXBuilder.build"): "0.983", ("Verifier.checkJDOMName", "Verifier.checkElementName"): "< 0.00001",
          ("Verifier.checkJDOMName", "Verifier.checkAttributeName"): "< 0.00001"}
# Pairs of its Fig. 4.8 to 4.10.
PAIRS = {"rome-density-build.svg": ("SAXBuilder.build", "SyndFeedInput.build"),
         "rome-density-attribute.svg": ("Verifier.checkJDOMName", "Verifier.checkAttributeName"),
         "rome-density-element.svg": ("Verifier.checkJDOMName", "Verifier.checkElementName")}
MEASURED = ("thesis", "turns")
MOST_POINTS, GRID = 300, 120
# Limit of p-values in the controller, and the least p-value that the thesis and its chart tell apart.
LIMIT, LEAST = 0.05, 1e-5


def short(method):
    """`Verifier.checkElementName` of a method as it stands in a task file."""
    return method.split("/")[-1 if "(" not in method else method.split("(")[0].count("/")].split("(")[0]


def density(times):
    """Estimated density of the times' logarithm to base ten, by a Gaussian kernel with Silverman's width (1986), over the
    middle 98% of the times: pairs of nanoseconds and density."""
    logs = sorted(math.log10(max(time, 1)) for time in times)
    quartiles = statistics.quantiles(logs, n=4)
    spread = min(statistics.stdev(logs), (quartiles[2] - quartiles[0]) / 1.34) or statistics.stdev(logs) or 0.01
    width = 0.9 * spread * len(logs) ** -0.2
    low, high = logs[len(logs) // 100] - 3 * width, logs[-1 - len(logs) // 100] + 3 * width
    grid = [low + (high - low) * step / GRID for step in range(GRID + 1)]
    scale = len(logs) * width * math.sqrt(2 * math.pi)
    return rounded([[10 ** at, sum(math.exp(-((at - log) / width) ** 2 / 2) for log in logs) / scale] for at in grid], 4)


def keep(result):
    runs = result["runs"]
    kept = {}
    kept["feeds_ms"] = {name: [statistics.median(ms for at, _, ms in run["feeds"] if name == "alone" or 0 < at < run["seconds"])
                               for run in runs if run["name"] == name] for name in ("alone", *MEASURED)}
    kept["seconds"] = {name: [run["seconds"] for run in runs if run["name"] == name] for name in MEASURED}
    kept["verdicts"] = [
        {"name": run["name"], "round": run["round"], "left": short(v["left"]), "right": short(v["right"]), "sign": v["sign"],
         "a": v["a"], "b": v["b"], **{key: v[key] for key in ("result", "p", "samples", "basis", "ratio")}}
        for run in runs for v in run.get("verdicts", [])]
    kept["medians_ns"] = {name: {method: [statistics.median(run["samples"][method]) for run in runs if run["name"] == name]
                                 for method in sorted({method for pair in PAIRS.values() for method in pair})} for name in MEASURED}
    kept["goals"] = list(goals(kept["verdicts"]))
    kept["plots"] = [*plots({run["name"]: run for run in reversed(runs)}), p_values(kept["verdicts"])]
    return kept


def goals(found):
    for left, right in THESIS:
        ours = [v for v in found if v["name"] == "turns" and (v["left"], v["right"]) == (left, right)]
        holds = sum(v["result"] == "holds" for v in ours)
        yield goal(ours and holds == len(ours), f"{left} {ours[0]['sign']} ({ours[0]['a']:g}, {ours[0]['b']:g}) {right} holds in {holds} of "
                   f"{len(ours)} runs, as in the thesis (4.2.4)")


def plots(first):
    yield {
        "file": "rome-feeds.svg", "title": "Time to read a feed (thesis, Fig. 4.6); upright: start and end of the measurement in turns",
        "x": {"label": "seconds since the measurement started"}, "y": {"label": "ms", "log": True},
        "marks": [0, first["turns"]["seconds"]],
        "lines": [{"name": name, "points": rounded(thinned([[at, ms] for at, _, ms in first[name]["feeds"]], MOST_POINTS))}
                  for name in ("turns", "thesis", "alone")]}
    yield {
        "file": "rome-methods.svg", "title": "Methods measured at once (thesis, Fig. 4.7), or groups of them",
        "x": {"label": "seconds since the measurement started"}, "y": {"label": "methods"},
        "lines": [{"name": name, "kind": "steps", "points": [
            [at, count] for at, count, _, _ in first[name]["measured_methods"]]} for name in MEASURED]}
    for number, (file, pair) in enumerate(PAIRS.items(), 8):
        yield {
            "file": file, "title": f"{' and '.join(pair)} (thesis, Fig. 4.{number})",
            "x": {"label": "ns", "log": True}, "y": {"label": "density of the logarithm"},
            "lines": [{"name": f"{method.split('.')[0 if file.endswith('build.svg') else 1]}, {name}",
                       "points": density(first[name]["samples"][method])} for name in reversed(MEASURED) for method in pair]}


def p_values(found):
    """P-values of all runs and of the thesis."""
    ours = lambda name: [[at, max(v["p"], LEAST)] for at, pair in enumerate(THESIS, 1) for v in found
                         if v["name"] == name and (v["left"], v["right"]) == pair and v["p"] is not None]
    thesis = [[at, LEAST if p.startswith("<") else float(p)] for at, p in enumerate(THESIS.values(), 1)]
    return {
        "file": "rome-p-values.svg", "title": "p-values compared with the thesis (Table 4.1); all under 0.00001 are drawn there",
        "x": {"label": "comparison, by its right side", "end": 5, "names": [right.split(".")["build" not in right] for _, right in THESIS]},
        "y": {"label": "p", "log": True, "start": LEAST / 10},
        "lines": [{"name": f"limit {LIMIT}", "points": rounded([[0, LIMIT], [len(THESIS) + 0.5, LIMIT]])},
                  {"name": "thesis, Table 4.1", "kind": "dots", "points": thesis},
                  *({"name": f"configuration {name}", "kind": "dots", "points": rounded([[at + 0.06 * (1 + number), p] for at, p in ours(name)])}
                    for number, name in enumerate(MEASURED))]}


def few(p):
    return "< 0.00001" if p is not None and p < 1e-5 else "-" if p is None else f"{p:.3g}"


def lines(kept):
    yield f"{len(kept['feeds_ms']['alone'])} runs of each configuration, least and most in brackets."
    yield ""
    head = ["Comparison", "Thesis: holds, p", *(f"{name}: {what}" for name in MEASURED for what in ("verdicts", "p", "ratio"))]
    rows = []
    for (left, right), p in THESIS.items():
        row = [None, f"yes, {p}"]
        for name in MEASURED:
            ours = [v for v in kept["verdicts"] if v["name"] == name and (v["left"], v["right"]) == (left, right)]
            row[0] = f"{left} {ours[0]['sign']} ({ours[0]['a']:g}, {ours[0]['b']:g}) {right}"
            counts = Counter(f"{v['result']} ({v['basis'].replace('-', ' ')})" for v in ours)
            row += ["; ".join(f"{text} {count} of {len(ours)}" for text, count in counts.items()),
                    ", ".join(few(v["p"]) for v in ours), cell([v["ratio"] for v in ours], 2)]
        rows.append(row)
    yield from table(head, rows)
    yield ""
    yield from table(["Configuration", "Time to read a feed, ms", "Measurement, s", *(f"{method}, ns" for method in kept["medians_ns"]["turns"])], (
        [name, cell(kept["feeds_ms"][name], 1), cell(kept["seconds"].get(name, []), 1),
         *(cell(times, 0) for times in kept["medians_ns"].get(name, {method: [] for method in kept["medians_ns"]["turns"]}).values())]
        for name in ("alone", *MEASURED)))
