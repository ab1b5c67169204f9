#!/usr/bin/env python3
"""Puts the tables of evaluation/out/validity.json and ratios.json into docs/evaluation.md, between their marks."""

import json
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/evaluation.md"
OUT = ROOT / "evaluation/out"


def percent(rate):
    return f"{100 * rate:.1f}%"


def simulated(result):
    """How often verdicts are wrong, a table for each size of windows."""
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


def main():
    page = PAGE.read_text()
    for name, make in {"validity": simulated, "ratios": ratios}.items():
        source = OUT / f"{name}.json"
        if source.exists():
            begin, end = f"<!-- {name}: begin, made by `make validity` -->", f"<!-- {name}: end -->"
            head, rest = page.split(begin)
            text = "\n".join(make(json.loads(source.read_text()))).strip()
            page = head + begin + "\n\n" + text + "\n\n" + end + rest.split(end)[1]
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
