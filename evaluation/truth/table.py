"""Makes docs/evaluation/truth.md from evaluation/out/truth.json; see evaluation/chapter.py."""

import re
import statistics

from chapter import cell, goal, table

# Largest distance of a reported ratio from that of JMH, as a part of it.
WITHIN = 0.05
# An empty benchmark: what it takes is JMH's own.
NOTHING = "nothing"
# Of one JVM: the program's own clock around each call, without probes and with closed gates, and what probes report.
PARTS = ("plain_ns", "closed_ns", "reported_ns")


def keep(result):
    """Of each pair on each JDK the ratios that were found."""
    jdks = dict(zip(("installed", "25"), re.findall(r"build (\d+)", result["java"])))
    kept = {}
    kept["own_ns"], kept["pairs"] = {}, []
    for jdk in jdks:
        among, alone, jfr, own_clock = ([one for one in result[tool] if one["jdk"] == jdk] for tool in ("among", "alone", "jfr", "parts"))
        own = {one["run"]: one["call_ns"] for one in among if one["method"] == NOTHING}
        among = [{**one, "call_ns": one["call_ns"] - own[one["run"]]} for one in among]
        kept["own_ns"][jdks[jdk]] = [round(ns, 1) for ns in own.values()]
        for number, (longer, shorter) in enumerate(result["pairs"]):
            reported = [one for one in result["ratios"] if one["jdk"] == jdk and one["pair"] == number]
            kept["pairs"].append({
                "pair": f"{longer} / {shorter}", "jdk": jdks[jdk],
                "shorter_ns": [round(statistics.median(times(tool, shorter)), 1) for tool in (among, alone)],
                "jmh": ratios(among, longer, shorter), "alone": ratios(alone, longer, shorter),
                "reported": [round(one["ratio"], 4) for one in reported],
                "samples": statistics.median(one["samples"] for one in reported), "jfr": ratios(jfr, longer, shorter),
                "parts": {key: ratios(own_clock, longer, shorter, key) for key in PARTS}})
    kept["goals"] = list(goals(kept["pairs"]))
    kept["plots"] = [chart(kept["pairs"], list(jdks.values()))]
    return kept


def times(scores, method, key="call_ns"):
    """Nanoseconds of a call, one of each run."""
    return [one[key] for one in sorted(scores, key=lambda one: one["run"]) if one["method"] == method]


def ratios(scores, longer, shorter, key="call_ns"):
    """The ratio of each run."""
    return [round(left / right, 4) for left, right in zip(times(scores, longer, key), times(scores, shorter, key))]


def change(pair, key, of):
    """The change of the ratio by one step, as a part of it: the middle one of all JVMs."""
    return statistics.median(after / before - 1 for after, before in zip(pair["parts"][key], pair["parts"][of]))


def off_clock(pair):
    """Distance of the middle reported ratio from that of the program's own clock without probes, as a part of it."""
    return statistics.median(pair["reported"]) / statistics.median(pair["parts"]["plain_ns"]) - 1


def off(pair, other="jmh"):
    """Distance of the middle reported ratio from JMH's middle one, as a part of it."""
    return statistics.median(pair["reported"]) / statistics.median(pair[other]) - 1


def goals(pairs):
    for pair in pairs:
        by = f": missed by {100 * (abs(off(pair)) - WITHIN):.1f}%" if abs(off(pair)) > WITHIN else ""
        yield goal(not by, f"{pair['pair']} on JDK {pair['jdk']}: the reported ratio is off by {100 * off(pair):+.1f}% from that of JMH in the "
                   f"same company, at most {100 * WITHIN:.0f}% wanted{by}")
    for pair in pairs:
        by = f": missed by {100 * (abs(off_clock(pair)) - WITHIN):.1f}%" if abs(off_clock(pair)) > WITHIN else ""
        yield goal(not by, f"{pair['pair']} on JDK {pair['jdk']}: the reported ratio is off by {100 * off_clock(pair):+.1f}% from that of the program's own "
                   f"clock without probes, at most {100 * WITHIN:.0f}% wanted{by}")


def chart(pairs, jdks):
    middle = lambda pair, key: round(statistics.median(pair[key]), 4)
    points = lambda jdk, key: [[middle(pair, key), middle(pair, "reported")] for pair in pairs if pair["jdk"] == jdk]
    ends = [f(middle(pair, key) for pair in pairs for key in ("jmh", "alone")) for f in (min, max)]
    return {"file": "truth-ratios.svg", "title": "Reported ratios compared with JMH",
            "x": {"label": "ratio of JMH", "log": True}, "y": {"label": "reported ratio", "log": True},
            "lines": [{"name": "equal", "points": [[end, end] for end in ends]},
                      *({"name": f"JDK {jdk}, {name}", "kind": "dots", "points": points(jdk, key)}
                        for name, key in (("in the same company", "jmh"), ("each alone", "alone")) for jdk in jdks)]}


def lines(kept):
    runs = len(kept["pairs"][0]["reported"])
    yield (f"{runs} runs of JMH and of the controller on each JDK, one of JMH with each method alone; medians, least and "
           "most in brackets. The time that JMH needs for an empty call is subtracted in the same company: "
           + "; ".join(f"{cell(times, 0)} ns on JDK {jdk}" for jdk, times in kept["own_ns"].items()) + ".")
    yield ""
    yield from table(
        ["Pair", "JDK", "Shorter one in JMH, µs", "JMH", "Reported", "Off by", "Pairs of calls", "JFR method timing", "Alone: µs", "JMH", "Off by"], (
            [pair["pair"], pair["jdk"], f"{pair['shorter_ns'][0] / 1e3:.2f}", cell(pair["jmh"], 3), cell(pair["reported"], 3),
             f"{100 * off(pair):+.1f}%", f"{pair['samples']:,.0f}", cell(pair["jfr"], 3), f"{pair['shorter_ns'][1] / 1e3:.2f}",
             cell(pair["alone"], 3), f"{100 * off(pair, 'alone'):+.1f}%"]
            for pair in kept["pairs"]))
    yield ""
    yield ("Where the distance comes from: the program's own clock around each call, first without probes, then with probes whose gates are closed, and the times that "
           f"probes report in the same JVM, {runs} JVMs on each JDK; the changes are medians of those in one JVM.")
    yield ""
    yield from table(
        ["Pair", "JDK", "JMH", "Own clock", "Reported in this JVM", "Off by", "of it: between JMH and the program", "code with a probe", "the probe's clock"], (
            [pair["pair"], pair["jdk"], cell(pair["jmh"], 3), cell(pair["parts"]["plain_ns"], 3), cell(pair["parts"]["reported_ns"], 3),
             f"{100 * (statistics.median(pair['parts']['reported_ns']) / statistics.median(pair['jmh']) - 1):+.1f}%",
             f"{100 * (statistics.median(pair['parts']['plain_ns']) / statistics.median(pair['jmh']) - 1):+.1f}%",
             f"{100 * change(pair, 'closed_ns', 'plain_ns'):+.1f}%", f"{100 * change(pair, 'reported_ns', 'closed_ns'):+.1f}%"]
            for pair in kept["pairs"]))
