#!/usr/bin/env python3
"""Puts the tables of evaluation/out/*.json that `make validity` makes into docs/evaluation.md, between their marks."""

import json
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/evaluation.md"
OUT = ROOT / "evaluation/out"


def percent(rate):
    return f"{100 * rate:.1f}%"


def simulated(result):
    """Rates of wrong verdicts, a table for each size of windows."""
    for table in result["tables"]:
        plan = table["plan"]
        looks = plan["pairs"] // plan["window"]
        # The classical test is looked at after windows of ten pairs at least.
        peeked = plan["window"] >= 10
        yield (f"{plan['repetitions']:,} comparisons of each case, {plan['pairs']:,} pairs, "
               f"{looks:,} looks, one after every {plan['window']} pairs" + (":" if plan["window"] > 1 else " or one pair:"))
        yield ""
        head = ["Times", "", "Equal: sequential", "Welch once", "Welch peeking", "Welch unpaired",
                "20% slower: sequential", "after pairs", "Welch once"]
        yield "| " + " | ".join(head) + " |"
        yield "|---" * len(head) + "|"
        for case in table["cases"]:
            equal, slower = case["equal"], case["slower"]
            pairs = case["pairs_until_found"]
            cells = [case["name"], case["kind"], percent(equal["sequential"]), percent(equal["once"]),
                     percent(equal["peeking"]) if peeked else "-", percent(equal["unpaired"]),
                     percent(slower["sequential"]), f"{pairs:,}" if pairs else "-", percent(slower["once"])]
            yield "| " + " | ".join(cells) + " |"
        yield ""


def ratios(result):
    """Reported and true ratios."""
    yield (f"{result['runs']} runs, each in a JVM of its own; *within 2%*: of the reported ratios; *covered*: of the true "
           "ratios by the reported intervals.")
    yield ""
    yield "| Pair | True ratio | Reported, median | Least | Most | Within 2% | Covered | Right | Wrong | Shorter one's mean |"
    yield "|---" * 10 + "|"
    for pair in result["pairs"]:
        reported, truth = pair["reported"], pair["truth"]
        within = sum(abs(ratio / truth - 1) <= 0.02 for ratio in reported) / len(reported)
        means = pair["mean_ns"]
        mean = f"{statistics.median(means) / 1000:.1f} µs" if means else "-"
        name = " / ".join(method.split(".")[1] for method in pair["name"].split())
        cells = [name, f"{truth:.2f}", f"{statistics.median(reported):.4f}", f"{min(reported):.4f}", f"{max(reported):.4f}",
                 percent(within), percent(pair["covered"] / len(reported)), str(pair["right"]), str(pair["wrong"]), mean]
        yield "| " + " | ".join(cells) + " |"


def rate(count, of, interval):
    return f"{100 * count / of:.1f}% [{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"


def judged(result):
    """Each process: how often the worst of its claims is decided wrongly, and how many are decided."""
    plan = result["plan"]
    limits = {one["process"]: one for one in result["outcomes"] if one["scenario"] == "limit"}
    clear = {one["process"]: one for one in result["outcomes"] if one["scenario"] == "clear"}
    claims = sum(len(one["claims"]) for one in result["outcomes"])
    yield (f"{plan['runs']:,} runs of each process, {plan['windows']} windows, {claims:,} claims, each with its 95% interval: "
           "at their limit, and 20% from it.")
    yield ""
    head = ["Process", "Claims", "At the limit, most often wrong", "which", "20% away: most often wrong", "decided",
            "`f < g` found"]
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    for process, limit in limits.items():
        far = clear[process]
        worst = max(limit["claims"], key=lambda one: one["wrong"] / one["claim"]["level"])
        second = max(far["claims"], key=lambda one: one["wrong"])
        found = next(one for one in far["claims"] if one["claim"]["name"] == "f < g")
        decided = sum(one["decided"] for one in far["claims"]) / sum(one["runs"] for one in far["claims"])
        cells = [process, str(len(limit["claims"]) + len(far["claims"])),
                 rate(worst["wrong"], worst["runs"], worst["wrong_interval"]),
                 "`" + worst["claim"]["name"].replace("|", "\\|") + "`" if worst["wrong"] else "-",
                 rate(second["wrong"], second["runs"], second["wrong_interval"]), f"{100 * decided:.0f}%",
                 rate(found["decided"] - found["wrong"], found["runs"], found["decided_interval"])]
        yield "| " + " | ".join(cells) + " |"


def families(result):
    """Many claims together."""
    plan = result["plan"]
    yield f"{plan['runs']:,} runs, `correction = holm`."
    yield ""
    head = ["Process", "Claims", "Sign", "Any wrong", "Differences of 20% found"]
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    for one in result["families"]:
        family = one["family"]
        cells = [one["process"], " + ".join(str(number) for number in family["members"]), f"`{one['sign']}`",
                 rate(family["wrong"], family["runs"], family["wrong_interval"]), percent(family["found"])]
        yield "| " + " | ".join(cells) + " |"


def known(result):
    """Claims about methods of a known ratio in JVMs."""
    head = ["Other load", "Runs", "Wrong, 5% or more from the limit", "Wrong at the limit (1%)", "Decided, 10% or more from it",
            "Ratios of medians within 1%, from 1 µs", "worst", "Rare long calls: wrong, decided"]
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    for rare in result["rare"]:
        runs = [run for run in result["runs"] if run["busy"] == rare["busy"]]
        claims = [claim for run in runs for claim in run["judgements"]]
        count = lambda of, what: f"{sum(one[what] for one in of)} of {len(of)}"
        far = [one for one in claims if one["distance"] >= 0.05]
        near = [one for one in claims if one["distance"] <= 0.01]
        clear = [one for one in claims if one["distance"] >= 0.1]
        errors = [abs(one["recorded"] / min(max(one["recorded"], min(one["timed"])), max(one["timed"])) - 1) for run in runs for one in run["medians"]
                  if one["pair"]["about_ns"] >= 1000 and one["calls"] >= 50]
        cells = ["-" if rare["busy"] == 0 else f"{rare['busy']} busy processes", str(len(runs)), count(far, "wrong"),
                 count(near, "wrong"), count(clear, "decided"),
                 f"{sum(error <= 0.01 for error in errors)} of {len(errors)}", f"{100 * max(errors, default=0):.2f}%",
                 f"{count(rare['claims'], 'wrong')}, {count(rare['claims'], 'decided')}"]
        yield "| " + " | ".join(cells) + " |"


def fleets(result):
    """Claims over several instances."""
    plan = result["plan"]
    yield (f"{plan['fleets']:,} fleets of each kind, {plan['instances']} instances, {plan['windows']} windows of each; a clear difference "
           "is one of 20%.")
    yield ""
    head = ["Fleet", "Decided wrongly", "All windows in one pot", "e-values multiplied", "Clear difference found", "after windows of each",
            "alone", "The bad host alone is named"]
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    for one in result["outcomes"]:
        fleet = one["fleet"]
        has_bad = fleet["bad"] or fleet["slow"]
        cells = [fleet["name"], percent(one["wrong"]), percent(one["pot"]), percent(one["product"]), percent(one["found"]),
                 str(one["windows"] or "-"), str(one["windows_alone"] or "-"), percent(one["named"]) if has_bad else "-"]
        yield "| " + " | ".join(cells) + " |"


def main():
    page = PAGE.read_text()
    for name, make in {"fleets": fleets, "judged": judged, "families": families, "known": known, "validity": simulated, "ratios": ratios}.items():
        source = OUT / f"{name}.json"
        if source.exists():
            begin, end = f"<!-- {name}: begin, made by `make validity` -->", f"<!-- {name}: end -->"
            head, rest = page.split(begin)
            text = "\n".join(make(json.loads(source.read_text()))).strip()
            page = head + begin + "\n\n" + text + "\n\n" + end + rest.split(end)[1]
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
