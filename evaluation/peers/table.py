"""Makes docs/evaluation/peers.md from evaluation/out/peers.json; see evaluation/chapter.py."""

import re
import statistics

from chapter import cell, goal, table

# Largest factor of the probe over the floor while it takes every call.
ARMED = 1.10
# Largest factor of the time of restored code over the time before. 1.00 is wanted; the rest is by what two
# phases of one JVM differ when nothing was changed.
RESTORED = 1.01
BODIES = {"tiny": "2 ns", "busy": "100 ns", "nested": "depth 10"}
THREADS = {1: "one thread", 2: "two threads"}
CELLS = [(body, threads) for threads in THREADS for body in BODIES]
# Where the chart's x axis ends: its last figure is at 6, and the legend needs room.
LEGEND_UNTIL = 9
# The probe's states that the table shows; other tools come in the order in which they were measured.
STATES = ("restored", "closed gate", "armed probe")


def name(body, threads):
    return f"{BODIES[body]}, {THREADS[threads]}"


def keep(result):
    """Of each way on each JDK the nanoseconds of a call in each JVM: plain, floor, measured, recorded by hand."""
    releases = re.findall(r"build (\d+)", result["java"])
    jdks = dict(zip(("installed", "25"), releases))
    kept = {}
    ways = {}
    for fork in result["forks"]:
        way = ways.setdefault((fork["way"], jdks[fork["jdk"]]), {
            "way": fork["way"], "jdk": jdks[fork["jdk"]], "each_call": fork["each_call"], "calls": 0, "recorded": 0, "forks": []})
        way["calls"] += fork["calls"]
        way["recorded"] += fork["recorded"]
        way["forks"].append([[round(one[key], 2) for key in ("plain_ns", "floor_ns", "measured_ns", "record_ns")] for one in fork["cells"]])
    kept["ways"] = list(ways.values())
    kept["goals"] = list(goals(kept["ways"]))
    kept["plots"] = [chart(kept["ways"])]
    return kept


def of(ways, wanted, jdk):
    return next(way for way in ways if way["way"] == wanted and way["jdk"] == jdk)


def ratios(way, at):
    """A call's time in that of the floor, of each JVM."""
    return [fork[at][2] / fork[at][1] for fork in way["forks"]]


def by_hand(way, at):
    """The time of a call with a record that is written by hand, in that of the floor, of each JVM."""
    return [fork[at][3] / fork[at][1] for fork in way["forks"]]


def ratio(way, at):
    return statistics.median(ratios(way, at))


def goals(ways):
    for jdk in sorted({way["jdk"] for way in ways}):
        armed = of(ways, "armed probe", jdk)
        for at, cell_of in enumerate(CELLS):
            found = ratio(armed, at)
            yield goal(found <= ARMED, f"armed probe on JDK {jdk}, {name(*cell_of)}: {found:.2f} times the floor (a record by hand: "
                       f"{statistics.median(by_hand(armed, at)):.2f}), at most {ARMED:.2f} wanted" + by(found, ARMED))
        for peer in ways:
            if peer["jdk"] == jdk and peer["each_call"] and peer is not armed:
                times = [ratio(peer, at) / ratio(armed, at) for at in range(len(CELLS))]
                yield goal(min(times) > 1, f"{peer['way']} on JDK {jdk}: a call takes {min(times):.2f} to {max(times):.2f} times as long as with the "
                           "armed probe, over 1 wanted")
        before, after = of(ways, "before", jdk), of(ways, "restored", jdk)
        for at, cell_of in enumerate(CELLS):
            # Each against the plain body of its phase.
            found = statistics.median((new[at][2] / new[at][0]) / (old[at][2] / old[at][0])
                                      for old, new in zip(before["forks"], after["forks"]))
            yield goal(found <= RESTORED, f"restored on JDK {jdk}, {name(*cell_of)}: {found:.2f} times as long as before, at most {RESTORED:.2f} wanted"
                       + by(found, RESTORED))


def by(found, wanted):
    return f": missed by {found - wanted:.2f}" if found > wanted else ""


def shown(ways):
    """The lines of the table: of each JDK the probe's states, then the other tools."""
    for jdk in sorted({way["jdk"] for way in ways}):
        yield from (of(ways, state, jdk) for state in STATES)
        yield from (way for way in ways if way["jdk"] == jdk and way["way"] not in (*STATES, "before"))


def chart(ways):
    lines = [{"name": f"{way['way']}, JDK {way['jdk']}", "kind": "dotted",
              "points": [[at + 1, round(ratio(way, at), 3)] for at in range(len(CELLS))]}
             for way in shown(ways) if way["way"] != "restored"]
    return {"file": "peers-cost.svg", "title": "A call's time in that of two clock reads",
            "x": {"label": "body, and the number of threads that call it", "end": LEGEND_UNTIL,
                  "names": [f"{BODIES[body]}, {threads}" for body, threads in CELLS]},
            "y": {"label": "times the floor", "log": True}, "lines": lines}


def lines(kept):
    ways = kept["ways"]
    before = ways[0]
    rounds = len(before["forks"])
    yield (f"{rounds} rounds, in each of them one JVM a way, the states of the probe in one. A call's time as a multiple of the "
           "floor's, median of the JVMs, least and most in brackets.")
    yield ""
    head = ["Way", "JDK", "Each call", *(name(*cell_of) for cell_of in CELLS), "Added to 2 ns, ns", "Recorded"]
    plain = [f"{statistics.median(fork[at][0] for fork in before['forks']):.1f} ns" for at in range(len(CELLS))]
    floor = [f"{statistics.median(fork[at][1] for fork in before['forks']):.1f} ns" for at in range(len(CELLS))]
    adds = lambda way, column: cell([fork[0][column] - fork[0][0] for fork in way["forks"]], 1)
    rows = [["nothing", before["jdk"], "-", *plain, "0", "-"],
            ["two clock reads and a store: the floor", before["jdk"], "-", *floor, adds(before, 1), "-"]]
    for jdk in sorted({way["jdk"] for way in ways}):
        armed = of(ways, "armed probe", jdk)
        rows.append(["two clock reads, the depth and a record, by hand", jdk, "yes", *(cell(by_hand(armed, at), 2) for at in range(len(CELLS))),
                     adds(armed, 3), "-"])
    for way in shown(ways):
        recorded = f"{100 * way['recorded'] / way['calls']:.2f}%" if way["recorded"] else "-"
        rows.append([way["way"], way["jdk"], "yes" if way["each_call"] else "no",
                     *(cell(ratios(way, at), 2) for at in range(len(CELLS))), adds(way, 2), recorded])
    yield from table(head, rows)
