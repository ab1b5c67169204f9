"""Makes docs/evaluation/first.md from evaluation/out/first.json; see evaluation/chapter.py."""

import statistics

from chapter import cell, goal, table

# Seconds to the first verdict that are wanted, and the time of a run: one without a verdict took longer.
WANTED, LONGEST = 2.0, 60.0
# The limit: a claim is decided after 50 windows, in which each of two methods has a turn of 10 ms.
WINDOWS_S = 50 * 2 * 0.010
BUILDS = ("now", "before")


def keep(result):
    kept = {"before": result["before"], "runs": [
        {**{key: run[key] for key in ("program", "busy", "build", "round", "warm_s")},
         "first_s": run["verdicts"][0]["s"] if run["verdicts"] else None} for run in result["runs"]]}
    kept["goals"], kept["plots"] = list(goals(kept["runs"])), []
    return kept


def kinds(runs):
    """Programs and machines, in the order of the runs."""
    return list(dict.fromkeys((run["program"], run["busy"]) for run in runs))


def of(runs, program, busy, build):
    return [run for run in runs if (run["program"], run["busy"], run["build"]) == (program, busy, build)]


def firsts(runs):
    return [LONGEST if run["first_s"] is None else run["first_s"] for run in runs]


def limits(runs):
    """Without a call that is lost: the program's own warm-up, and 50 windows."""
    return [run["warm_s"] + WINDOWS_S for run in runs if run["warm_s"] is not None]


def machine(busy):
    return "next to two busy processes" if busy else "idle"


def goals(runs):
    for program, busy in kinds(runs):
        now = of(runs, program, busy, "now")
        middle, limit = statistics.median(firsts(now)), statistics.median(limits(now))
        by = f": missed by {middle - WANTED:.1f} s" if middle > WANTED else ""
        yield goal(not by, f"{program}, {machine(busy)}: the first verdict comes after {middle:.1f} s (limit, warm-up and 50 windows: {limit:.1f} s), at most "
                   f"{WANTED:.0f} s wanted{by}")


def lines(kept):
    runs = kept["runs"]
    rounds = max(run["round"] for run in runs)
    has_before = any(run["build"] == "before" for run in runs)
    before = f"; *before* is commit {kept['before']}, in turns" if has_before else ""
    yield f"{rounds} runs each{before}; medians, least and most in brackets; seconds from the JVM's first connection."
    yield ""
    head = ["Program", "Machine", "Build", "Warm-up", "Limit: warm-up and 50 windows", "First verdict", "Runs without one in 60 s"]
    rows = []
    for program, busy in kinds(runs):
        for build in BUILDS:
            some = of(runs, program, busy, build)
            if some:
                rows.append([program, machine(busy), build, cell([run["warm_s"] for run in some], 1), cell(limits(some), 1),
                             cell([run["first_s"] for run in some], 1), sum(run["first_s"] is None for run in some)])
    yield from table(head, rows)
