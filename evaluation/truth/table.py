#!/usr/bin/env python3
"""Makes docs/evaluation/truth.md from evaluation/out/truth.json; see evaluation/chapter.py."""

import re
import statistics
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from chapter import Part, cell, goal, origin, pictures, table, verdicts

# How far a reported ratio may be from that of JMH, as a part of it.
WITHIN = 0.05


def keep(result):
    """Of each pair on each JDK the ratios that were found."""
    jdks = dict(zip(("installed", "25"), re.findall(r"build (\d+)", result["java"])))
    kept = {key: result[key] for key in ("date", "machine", "java", "commit")}
    kept["pairs"] = []
    for jdk in jdks:
        times = lambda tool: fastest(one for one in result[tool] if one["jdk"] == jdk)
        jmh, jfr = times("jmh"), times("jfr")
        for number, (longer, shorter) in enumerate(result["pairs"]):
            reported = [one for one in result["ratios"] if one["jdk"] == jdk and one["pair"] == number]
            kept["pairs"].append({
                "pair": f"{longer} / {shorter}", "jdk": jdks[jdk], "shorter_ns": round(jmh[shorter], 1),
                "jmh": round(jmh[longer] / jmh[shorter], 4), "reported": [round(one["ratio"], 4) for one in reported],
                "samples": statistics.median(one["samples"] for one in reported),
                "jfr": round(jfr[longer] / jfr[shorter], 4) if jfr else None})
    kept["goals"] = list(goals(kept["pairs"]))
    kept["plots"] = [chart(kept["pairs"], list(jdks.values()))]
    return kept


def fastest(scores):
    """The time of each method, of several runs that of the fastest: nothing that disturbs makes it shorter."""
    times = {}
    for one in scores:
        times[one["method"]] = min(one["call_ns"], times.get(one["method"], one["call_ns"]))
    return times


def off(pair):
    """How far the middle reported ratio is from that of JMH, as a part of it."""
    return statistics.median(pair["reported"]) / pair["jmh"] - 1


def goals(pairs):
    for pair in pairs:
        by = f": missed by {100 * (abs(off(pair)) - WITHIN):.1f}%" if abs(off(pair)) > WITHIN else ""
        yield goal(not by, f"{pair['pair']} on JDK {pair['jdk']}: the reported ratio is off by {100 * off(pair):+.1f}% from that of JMH, "
                   f"at most {100 * WITHIN:.0f}% wanted{by}")


def chart(pairs, jdks):
    points = lambda jdk: [[pair["jmh"], round(statistics.median(pair["reported"]), 4)] for pair in pairs if pair["jdk"] == jdk]
    ends = [min(pair["jmh"] for pair in pairs), max(pair["jmh"] for pair in pairs)]
    return {"file": "truth-ratios.svg", "title": "Reported ratios beside those of JMH",
            "x": {"label": "ratio of JMH", "log": True}, "y": {"label": "reported ratio", "log": True},
            "lines": [{"name": "equal", "points": [[end, end] for end in ends]},
                      *({"name": f"JDK {jdk}", "kind": "dots", "points": points(jdk)} for jdk in jdks)]}


def lines(kept):
    runs = len(kept["pairs"][0]["reported"])
    yield f"{origin(kept)}; {runs} runs of JMH and of the controller on each JDK, in brackets the least and the most that they reported."
    yield ""
    yield from table(
        ["Pair", "JDK", "Shorter one in JMH, µs", "JMH", "Reported", "Off by", "Pairs of calls", "JFR method timing"], (
            [pair["pair"], pair["jdk"], f"{pair['shorter_ns'] / 1e3:.2f}", f"{pair['jmh']:.3f}", cell(pair["reported"], 3),
             f"{100 * off(pair):+.1f}%", f"{pair['samples']:,.0f}", f"{pair['jfr']:.3f}" if pair["jfr"] else "-"]
            for pair in kept["pairs"]))
    yield ""
    yield from verdicts(kept["goals"])
    yield ""
    yield from pictures(kept)


PART = Part("truth", keep, lines)

if __name__ == "__main__":
    sys.exit(PART.main())
