"""Makes docs/evaluation/sorting.md from evaluation/out/sorting.json; see evaluation/chapter.py."""

import statistics

from chapter import cell, goal, rounded, table, thinned

COLUMNS = {
    "Normal cycle, ms": ("normal_ms", 1), "of CPU, ms": ("normal_cpu_ms", 1), "Peak, ms": ("peak_ms", 0),
    "Outside waves, ms": ("calm_ms", 1), "Waves": ("waves", 0), "Cycles": ("cycles", 0), "Time lost, ms": ("lost_ms", 0),
    "CPU time lost, ms": ("lost_cpu_ms", 0),
}
# The thesis's figures (4.1.2): normal cycle and peak in ms, cycles until the last method is finished.
THESIS = {"all-at-once": (25, 1000, 10), "one-by-one": (25, 400, 80), "controlled": (25, 600, 40)}
# Goals, each times a limit that is measured in the same run: the wave by itself, closed gates by themselves, and one wave in and
# one out.
PEAK_RATIO, CALM_RATIO, LOST_RATIO = 1.1, 1.05, 1.5
# Goals of before, which were wishes.
FORMER_PEAK, FORMER_CALM, FORMER_LESS = 4.0, 1.1, 30.0
# Lines of the two charts of cycle times.
CHARTS = {
    "sorting-cycles-thesis.svg": ("Time of a sorting cycle, as the thesis measures", (*THESIS, "recreated")),
    "sorting-cycles.svg": ("Time of a sorting cycle, within a budget and in windows", ("alone", "dormant agent", "budget", "paired")),
}
MOST_POINTS = 300


def names(forks):
    return list(dict.fromkeys(fork["name"] for fork in forks))


def ratios(forks, name, base, key):
    """Quotients within the rounds."""
    of = lambda wanted: {fork["round"]: fork[key] for fork in forks if fork["name"] == wanted}
    left, right = of(name), of(base)
    return [left[number] / right[number] for number in sorted(left.keys() & right.keys()) if right[number] > 0]


def most_at_once(fork):
    return 22 if fork["name"] == "recreated" else max((measured for _, measured, _, _ in fork["measured_methods"]), default=0)


def keep(result):
    forks = result["forks"]
    kept = {"waves": result["waves"]}
    kept["forks"] = [
        {**{key: fork[key] for key in ("name", "round", "load_before", "seconds", *(key for key, _ in COLUMNS.values()))},
         "most_at_once": most_at_once(fork)} for fork in forks]
    kept["goals"] = list(goals(forks, result["waves"]))
    kept["plots"] = list(plots(forks))
    return kept


def limits(waves):
    """Costs that no choice of samples can save, of `spl-wave`: medians of the longest cycle in ms, of a cycle with closed gates in normal
    ones, and of the time that one wave in and one out lose, in ms."""
    middle = lambda value: statistics.median(value(wave) for wave in waves) if waves else float("nan")
    return (middle(lambda wave: max(wave["put_in"]["peak_ms"], wave["taken_out"]["peak_ms"])),
            middle(lambda wave: wave["put_in"]["after_ratio"]),
            middle(lambda wave: wave["put_in"]["lost_ms"] + wave["taken_out"]["lost_ms"]))


def goals(forks, waves):
    """Whether each goal is met, and by how much, in medians over the rounds."""
    of = lambda name: [fork for fork in forks if fork["name"] == name]
    budget = of("budget")
    middle = lambda values: statistics.median(values) if values else float("nan")
    alone, gates, in_and_out = limits(waves)
    for name in ("budget", "paired"):
        peak = middle([fork["peak_ms"] for fork in of(name)])
        yield goal(peak <= PEAK_RATIO * alone, f"{name}: the longest cycle takes {peak:.1f} ms, {peak / alone:.2f} times that of the "
                   f"wave by itself ({alone:.1f} ms), at most {PEAK_RATIO} wanted")
    calm = middle([fork["calm_ms"] / fork["normal_ms"] for fork in budget if fork["calm_ms"]])
    yield goal(calm <= CALM_RATIO * gates, f"budget: a cycle outside the waves takes {calm:.2f} normal ones, {calm / gates:.2f} times "
               f"one with closed gates alone ({gates:.2f}), at most {CALM_RATIO} wanted")
    changes = max((fork["waves"] for fork in budget), default=0)
    yield goal(0 < changes <= 2, f"budget: {changes} changes of classes, one to put all probes in and one to take them out wanted")
    lost = middle([fork["lost_ms"] for fork in budget])
    yield goal(lost <= LOST_RATIO * in_and_out, f"budget: {lost:,.0f} ms lost, {lost / in_and_out:.2f} times what one wave in and one out "
               f"lose ({in_and_out:,.0f} ms), at most {LOST_RATIO} wanted")


def former(forks):
    """The goals of before, which nothing that can be measured bounds, as one sentence."""
    of = lambda name: [fork for fork in forks if fork["name"] == name]
    middle = lambda values: statistics.median(values) if values else float("nan")
    budget, recreated = of("budget"), of("recreated")
    peaks = [middle([fork["peak_ms"] / fork["normal_ms"] for fork in of(name)]) for name in ("budget", "paired")]
    calm = middle([fork["calm_ms"] / fork["normal_ms"] for fork in budget if fork["calm_ms"]])
    less = [middle([fork[key] for fork in recreated]) / middle([fork[key] for fork in budget]) for key in ("lost_ms", "lost_cpu_ms")]
    return (f"The goals of before were wishes: a longest cycle of at most {FORMER_PEAK:.0f} normal ones (`budget` {peaks[0]:.1f}, "
            f"`paired` {peaks[1]:.1f}), at most {FORMER_CALM} normal ones outside the waves ({calm:.2f}), and "
            f"{FORMER_LESS:.0f} times less time and CPU time lost than with the thesis's design ({less[0]:.1f} and {less[1]:.1f}).")


def plots(forks):
    """Times of cycles (thesis 4.2 to 4.4) and numbers of methods (4.5) over time, of each configuration's first fork."""
    first = {name: next(fork for fork in forks if fork["name"] == name) for name in names(forks)}
    for file, (title, wanted) in CHARTS.items():
        # Those without a measurement end with the longest that has one.
        shown = [first[name] for name in wanted if name in first]
        yield {
            "file": file, "title": title, "x": {"label": "seconds since the measurement started"},
            "y": {"label": "cycle, ms", "log": True}, "marks": [0],
            "lines": [{"name": fork["name"], "points": rounded(thinned(fork["cycle_times"], MOST_POINTS))} for fork in shown]}
    steps = {name: [step for last, step in zip([None, *fork["measured_methods"]], fork["measured_methods"])
                    if last is None or last[1] != step[1]] for name, fork in first.items() if fork["measured_methods"]}
    yield {
        "file": "sorting-measured-methods.svg", "title": "Methods measured at once, or groups of them",
        "x": {"label": "seconds since the measurement started"}, "y": {"label": "methods"},
        "lines": [{"name": name, "kind": "steps", "points": [[at, count] for at, count, _, _ in of]} for name, of in steps.items()]}


def parts(waves):
    """Parts of the peak, each by itself."""
    of = lambda value: cell([value(wave) for wave in waves], 1)
    normal = lambda wave: wave["normal_ms"]
    yield ["Probes go in: all 22 methods' classes change in one pause", of(lambda w: w["changes_ms"][0]), "the change"]
    yield ["Compiled code is lost: longest cycle", of(lambda w: w["put_in"]["peak_ms"]), "one cycle"]
    yield ["Compiled code is lost: until it is back", of(lambda w: w["put_in"]["lost_ms"]), "all cycles together"]
    yield ["Closed gates: longer than a normal cycle by", of(lambda w: w["put_in"]["after_ms"] - normal(w)), "each cycle"]
    yield ["Open gates, every call a sample: longer by", of(lambda w: w["open"]["median_ms"] - normal(w)), "each cycle"]
    yield ["Open gates: longest cycle", of(lambda w: w["open"]["peak_ms"]), "one cycle"]
    yield ["Probes go out: the pause", of(lambda w: w["changes_ms"][-1]), "the change"]
    yield ["Probes go out: until code is compiled again", of(lambda w: w["taken_out"]["lost_ms"]), "all cycles together"]


def lines(kept):
    forks, waves = kept["forks"], kept["waves"]
    loads = sorted(fork["load_before"] for fork in forks)
    yield (f"medians of the forks, least and most in brackets. Load before the forks: "
           f"{loads[0]:.1f} to {loads[-1]:.1f}.")
    yield ""
    rows = []
    for name in names(forks):
        ours = [fork for fork in forks if fork["name"] == name]
        cells = [cell([fork[key] for fork in ours], digits) for key, digits in COLUMNS.values()]
        if not any(fork["most_at_once"] for fork in ours):
            # Nothing was measured: cycles and losses are of as many cycles as happened to be watched.
            cells[2:] = ["-"] * (len(cells) - 2)
        rows.append([name, len(ours), *cells, cell([fork["most_at_once"] for fork in ours], 0)])
    yield from table(["Configuration", "Forks", *COLUMNS, "Most methods at once"], rows)
    yield ""
    yield "CPU time of a normal cycle with a dormant agent over one without, in the same round: " + \
        cell(ratios(forks, "dormant agent", "alone", "normal_cpu_ms"), 2) + "."
    yield ""
    yield "Compared with the figures of the thesis (4.1.2, read off its text), the peak in normal cycles too:"
    yield ""
    yield from table(
        ["Configuration", "Thesis: peak, ms", "in normal cycles", "cycles", "Here: peak, ms", "in normal cycles", "cycles"],
        ([name, f"about {peak:,}", f"{peak / normal:.0f}", f"about {cycles}",
          *(cell([value(fork) for fork in forks if fork["name"] == name], 0) for value in (
              lambda f: f["peak_ms"], lambda f: f["peak_ms"] / f["normal_ms"], lambda f: f["cycles"]))]
         for name, (normal, peak, cycles) in THESIS.items()))
    yield ""
    if waves:
        yield (f"Parts of the peak, each measured alone by `spl-wave` with all {waves[0]['methods']} methods "
               f"({len(waves)} forks; a normal cycle took {cell([wave['normal_ms'] for wave in waves], 1)} ms):")
        yield ""
        yield from table(["Part", "ms", "of"], parts(waves))
        taken = cell([wave["open"]["samples"] for wave in waves], 0)
        lost = cell([wave["open"]["dropped"] for wave in waves], 0)
        yield ""
        yield f"In the 30 cycles with open gates {taken} samples arrived; {lost} were dropped and counted."
        yield ""
    yield former(forks)
    
