"""Makes docs/evaluation/service.md from evaluation/out/service.json; see evaluation/chapter.py."""

import random
import statistics

from chapter import cell, goal, table

BASE = "alone"
# Compared with it: another one of its kind, which shows what the slices cannot tell apart, and what closed gates cost.
LIMITS = ("alone again", "gates closed")
# Of the throughput and of the 99th percentile that the agent may take.
GOALS = {"dormant agent": 0.01, "measuring": 0.03}
FIGURES = {
    "throughput": ("Requests a second", lambda s: s["requests"] / s["duration_us"] * 1e6, 0),
    "p50": ("Median, ms", lambda s: s["p50_us"] / 1e3, 2),
    "p99": ("99th percentile, ms", lambda s: s["p99_us"] / 1e3, 2),
    "cpu": ("CPU time of a request, µs", lambda s: s["cpu_ms"] / s["requests"] * 1e3, 1),
    "bounded": ("Requests a second, half load", lambda s: s["bounded"]["requests"] / s["bounded"]["duration_us"] * 1e6, 0),
    "bounded_p50": ("Median, half load, ms", lambda s: s["bounded"]["p50_us"] / 1e3, 2),
    "bounded_p99": ("99th percentile, half load, ms", lambda s: s["bounded"]["p99_us"] / 1e3, 2),
}
RESAMPLED = 10_000


def quotients(slices, name, figure):
    """Of this server's slices over those of the one without an agent in the same turn."""
    of = lambda wanted: {(s["fork"], s["turn"]): FIGURES[figure][1](s) for s in slices if s["name"] == wanted}
    ours, base = of(name), of(BASE)
    return {turn: ours[turn] / base[turn] for turn in sorted(ours)}


def interval(values):
    """95% interval of their median, by the percentile bootstrap; always the same for the same values."""
    chance = random.Random(20150731)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLED))
    return medians[RESAMPLED // 40], medians[-RESAMPLED // 40]


def compared(slices, name, figure):
    ratios = quotients(slices, name, figure)
    low, high = interval(list(ratios.values()))
    forks = [statistics.median(value for (fork, _), value in ratios.items() if fork == one)
             for one in sorted({fork for fork, _ in ratios})]
    return {"ratio": statistics.median(ratios.values()), "low": low, "high": high, "forks": forks}


def keep(result):
    slices = result["slices"]
    kept = {"connections": result["connections"]}
    kept["slices"] = len(slices)
    kept["servers"] = [
        {"name": name, **{figure: [FIGURES[figure][1](s) for s in slices if s["name"] == name] for figure in FIGURES}}
        for name in (BASE, *LIMITS, *GOALS)]
    kept["compared"] = {name: {figure: compared(slices, name, figure) for figure in FIGURES} for name in (*LIMITS, *GOALS)}
    samples = sum(sum(fork["samples"].values()) for fork in result["forks"])
    kept["measured"] = {
        "samples": samples, "methods": min(len(fork["samples"]) for fork in result["forks"]),
        "controller_percent": 100 * statistics.median(f["controller_cpu_ms"] / f["seconds"] / 1e3 for f in result["forks"]),
        "controller_peak_kib": max(fork["controller_peak_kib"] for fork in result["forks"])}
    kept["goals"] = list(goals(kept["compared"]))
    kept["plots"] = [{
        "file": "service-throughput.svg", "title": "Throughput compared with the server without an agent",
        "x": {"label": "slice"}, "y": {"label": "ratio", "start": 0.7, "end": 1.15},
        "lines": [{"name": name, "kind": "dotted", "points": [
            [number, round(ratio, 4)] for number, ratio in enumerate(quotients(slices, name, "throughput").values(), 1)]}
            for name in GOALS]}]
    return kept


def goals(comparisons):
    for name, share in GOALS.items():
        for figure, what, limit, better in (("throughput", "throughput", 1 - share, 1), ("bounded_p99", "99th percentile at half load", 1 + share, -1)):
            found = comparisons[name][figure]
            yield goal(
                better * (found["ratio"] - limit) >= 0,
                f"{name}: {what} {found['ratio']:.3f} of that without an agent (interval {found['low']:.3f} to "
                f"{found['high']:.3f}; " + "; ".join(f"{one}: {comparisons[one][figure]['ratio']:.3f}" for one in LIMITS) +
                f"), at {'least' if better > 0 else 'most'} {limit:.2f} wanted",
                is_open=found["low"] < limit < found["high"])


def lines(kept):
    yield (f"{kept['connections']} connections, {kept['slices']} slices; medians of the slices, "
           "least and most in brackets.")
    yield ""
    yield from table(["Server", *(head for head, _, _ in FIGURES.values())], (
        [server["name"], *(cell(server[figure], digits) for figure, (_, _, digits) in FIGURES.items())]
        for server in kept["servers"]))
    yield ""
    yield ("Compared with the server without an agent, slice by slice: median of the ratios, its 95% interval, and in brackets the "
           "medians of each set of JVMs:")
    yield ""
    yield from table(["Server", *(head.rsplit(", ", 1)[0] if head.endswith(("ms", "µs")) else head for head, _, _ in FIGURES.values())], (
        [name, *(f"{one['ratio']:.3f}, {one['low']:.3f} to {one['high']:.3f} ({', '.join(f'{f:.3f}' for f in one['forks'])})"
                 for one in figures.values())]
        for name, figures in kept["compared"].items()))
    measured = kept["measured"]
    yield ""
    yield (f"{measured['samples']:,} samples of {measured['methods']} methods were taken. The controller took "
           f"{measured['controller_percent']:.1f}% of its processor and at most {measured['controller_peak_kib'] / 1024:.0f} MiB.")
