"""Makes docs/evaluation/drill.md from evaluation/out/drill.json; see evaluation/chapter.py."""

import math
import statistics

from chapter import cell, goal, table

# The goals, as times the program alone or as named.
AFTER_WAVES, ENDED, DORMANT = 1.01, 1.01, 1.01
BLOCKS, BLOCKS_WORST, WITH_JDK, SHARED = 1.25, 2.0, 1.7, 1.12
# Of what `spl metrics` counts: blocks, receivers, allocations and locks.
COUNTERS, RECEIVERS_WITH_JDK, COUNTERS_WORST = 2.0, 3.0, 5.0
# Of `spl metrics --sampled`, which rewrites nothing.
SAMPLED = 1.01
# Of the kernels with counters written by hand; of one thread's slowdown; of the sizes before; seconds.
FLOOR, THREADS, CLASS_FILES, CODE, START = 1.15, 1.10, 1.40, 1.70, 0.4
# The ray tracer, which the paper on JBInsTrace calls pathological: the worst program is looked for among the others.
NAMED = "sunflow"
STEADY = ("cover", "blocks", "blocks --counts shared", "blocks --jdk", "calls", "calls --jdk", "receivers", "receivers --jdk", "metrics --sampled", "async-profiler", "JFR", "ended", "dormant",
          "JaCoCo", "JBInsTrace", "JBInsTrace --jdk")
CHARTED = ("cover", "blocks", "blocks --jdk", "JaCoCo", "JBInsTrace")


def geomean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


class Forks:
    """The forks of a result, by what they are of."""

    def __init__(self, forks):
        self.by = {}
        for one in forks:
            self.by.setdefault((one["row"], one["program"], one["variant"], one["threads"]), {})[one["round"]] = one

    def of(self, row, program, variant, threads=1):
        return self.by.get((row, program, variant, threads), {})

    def names(self, row):
        """Programs in their order."""
        return list(dict.fromkeys(program for of, program, _, _ in self.by if of == row))

    def ratios(self, row, program, variant, figure, base="alone", threads=1):
        """A figure in that of another way in the same round."""
        others = self.of(row, program, base, threads)
        pairs = ((figure(one), figure(others[number])) for number, one in self.of(row, program, variant, threads).items() if number in others)
        return [round(one / other, 4) for one, other in pairs if one and other]


def at(name, figure):
    """A figure of a window of a fork."""
    return lambda fork: fork.get(name, {}).get(figure)


def keep(result):
    """Of each program and way the ratios to the program alone in the same round."""
    forks = Forks(result["forks"])
    kept = {name: result.get(name) for name in ("failed", "skipped", "versions", "tools")}
    kept["rounds"] = max((one["round"] for one in result["forks"]), default=0)
    kept["load"] = [round(f(loads), 1) for f in (min, statistics.median, max)] if (loads := [one["load"] for one in result["forks"]]) else []
    kept["applications"] = [application(forks, name) for name in forks.names("steady")]
    kept["kernels"] = [kernel(forks, name) for name in forks.names("kernel")]
    kept["threads"] = list(threads(forks))
    kept["sizes"] = list(sizes(forks))
    kept["start"] = list(start(forks))
    kept["waves"] = waves(forks)
    kept["goals"] = list(goals(kept))
    kept["plots"] = [chart(kept["applications"])] if kept["applications"] else []
    return kept


def application(forks, name):
    alone = forks.of("steady", name, "alone").values()
    kept = {"program": name, "ms": [one["steady"]["ms"] for one in alone], "first_s": [one["first_s"] for one in alone], "ways": {}}
    for way in STEADY:
        measured = forks.of("steady", name, way)
        if measured:
            kept["ways"][way] = {
                "steady": forks.ratios("steady", name, way, at("steady", "ms")),
                "cpu": forks.ratios("steady", name, way, at("steady", "cpu_ms")),
                "later": forks.ratios("steady", name, way, at("later", "ms")),
                "added_s": added(forks, name, way),
                "first_s": [one["first_s"] for one in measured.values()],
                "controller_s": [one["controller_s"] for one in measured.values()] if "drill" in next(iter(measured.values())) else [],
                "inexact": sum(not one.get("drill", {}).get("exact", True) for one in measured.values()),
            }
    return kept


def added(forks, name, way):
    """Seconds by which the turns that JaCoCo's program, and all others, had done came later than alone, start included."""
    alone, others = forks.of("steady", name, "alone"), forks.of("steady", name, "JaCoCo")
    found = []
    for number, one in forks.of("steady", name, way).items():
        if number in alone and number in others:
            cover = forks.of("steady", name, "cover").get(number, one)
            count = min(len(fork["ends"]) for fork in (one, alone[number], others[number], cover))
            found.append(round(one["ends"][count - 1] - alone[number]["ends"][count - 1], 3))
    return found


def kernel(forks, name):
    ms = at("steady", "ms")
    ways = ("floor", "blocks", "cover", "JaCoCo")
    return {"program": name, "ms": [ms(one) for one in forks.of("kernel", name, "alone").values()],
            "alone": {way: forks.ratios("kernel", name, way, ms) for way in ways},
            "floor": {way: forks.ratios("kernel", name, way, ms, "floor") for way in ways[1:]}}


def threads(forks):
    """Turns a second of the program alone, in those with counters."""
    rate = at("steady", "rate")
    for name in forks.names("threads"):
        slow = {count: [round(1 / ratio, 4) for ratio in forks.ratios("threads", name, "blocks", rate, threads=count)] for count in (1, 2, 4)}
        yield {"program": name, "slowdown": slow}


def sizes(forks):
    for name in forks.names("sizes"):
        before = next(iter(forks.of("sizes", name, "alone").values()), {}).get("sizes", {})
        for way in ("cover", "blocks", "JaCoCo", "JBInsTrace"):
            after = next(iter(forks.of("sizes", name, way).values()), {}).get("sizes", {})
            same = before.keys() & after.keys()
            if same:
                total = lambda of, column: sum(of[one][column] for one in same)
                yield {"program": name, "way": way, "classes": len(same), "bytes": total(before, 0), "code": total(before, 1),
                       "bytes_after": total(after, 0), "code_after": total(after, 1)}


def start(forks):
    """Seconds of Hello world, from the command to its end."""
    alone = forks.of("start", "hello", "alone")
    for way in dict.fromkeys(way for row, _, way, _ in forks.by if row == "start"):
        ran = forks.of("start", "hello", way)
        printed = lambda one: one.get("printed_s", one["seconds"])
        yield {"way": way, "seconds": [one["seconds"] for one in ran.values()], "printed": [printed(one) for one in ran.values()],
               "added": [round(printed(one) - printed(alone[number]), 4) for number, one in ran.items() if number in alone],
               "cpu": [one["cpu_s"] for one in ran.values()]}


def waves(forks):
    """Of the long look: a turn's time in each part between waves, in that of the program alone."""
    kept = []
    for name in forks.names("waves"):
        alone = next(iter(forks.of("waves", name, "alone").values()), None)
        for way in ("cover", "JaCoCo"):
            for one in forks.of("waves", name, way).values() if alone else ():
                spans = ((2, 5), (7, 20), (22, 80), (85, 320), (330, 1e9))
                ratios = [(begin, round(b / a, 4)) for begin, end in spans
                          if (a := turn_in(alone["ends"], begin, end)) and (b := turn_in(one["ends"], begin, end))]
                kept.append({"program": name, "way": way, "ratios": ratios, "seconds": round(alone["ends"][-1], 1)})
    return kept


def turn_in(ends, begin, end):
    """The median turn of a span of seconds."""
    steps = [to - since for since, to in zip(ends, ends[1:]) if begin <= since and to <= end]
    return statistics.median(steps) if len(steps) >= 5 else None


def of_way(kept, way, figure="steady"):
    """The median ratio of each application."""
    found = {one["program"]: one["ways"][way][figure] for one in kept["applications"] if way in one["ways"]}
    return {name: statistics.median(values) for name, values in found.items() if values}


def limit(found, wanted, text, digits=2):
    """A goal that is met up to a limit."""
    by = f": missed by {found - wanted:.{digits}f}" if found > wanted else ""
    return goal(found <= wanted, f"{text}: {found:.{digits}f}, at most {wanted:.{digits}f} wanted{by}")


def mean_goal(kept, way, wanted, text, figure="steady"):
    found = of_way(kept, way, figure)
    if found:
        yield limit(geomean(found.values()), wanted, f"{text}, geometric mean of {len(found)} applications, times alone")


def goals(kept):
    yield from mean_goal(kept, "cover", AFTER_WAVES, "`cover` after the first wave", "later")
    yield from cover_goal(kept)
    yield from mean_goal(kept, "blocks", BLOCKS, "`blocks`, classes of the program")
    yield from worst_goal(kept, "blocks", BLOCKS_WORST, "`blocks`, classes of the program")
    yield from mean_goal(kept, "blocks --jdk", WITH_JDK, "`blocks --jdk`")
    yield from mean_goal(kept, "blocks --jdk", COUNTERS, "metrics of executed blocks (`blocks --jdk`)")
    yield from worst_goal(kept, "blocks --jdk", COUNTERS_WORST, "`blocks --jdk`")
    yield from mean_goal(kept, "receivers --jdk", RECEIVERS_WITH_JDK, "`receivers --jdk`, as `spl metrics --jdk` counts")
    yield from mean_goal(kept, "metrics --sampled", SAMPLED, "`spl metrics --sampled`")
    yield from peer_goal(kept, "metrics --sampled", "async-profiler")
    yield from mean_goal(kept, "blocks --counts shared", SHARED, "`blocks --counts shared`")
    floors = {one["program"]: statistics.median(one["floor"]["blocks"]) for one in kept["kernels"] if one["floor"]["blocks"]}
    if floors:
        worst = max(floors, key=floors.get)
        yield limit(floors[worst], FLOOR, f"`blocks`, numeric kernels, the worst ({worst}), times counters written by hand")
    yield from thread_goals(kept["threads"])
    yield from size_goals(kept["sizes"])
    for one in kept["start"]:
        if one["way"] == "blocks --jdk" and one["added"]:
            yield limit(statistics.median(one["added"]), START, "`blocks --jdk`: seconds that the start of Hello world takes longer")
    yield from mean_goal(kept, "ended", ENDED, "after the end of a drill", "later")
    yield from mean_goal(kept, "dormant", DORMANT, "dormant agent")


def worst_goal(kept, way, wanted, text):
    ordinary = {name: ratio for name, ratio in of_way(kept, way).items() if name != NAMED}
    if ordinary:
        worst = max(ordinary, key=ordinary.get)
        yield limit(ordinary[worst], wanted, f"{text}, the worst application but {NAMED} ({worst}), times alone")


def peer_goal(kept, way, peer):
    ours, theirs = of_way(kept, way), of_way(kept, peer)
    if ours and theirs:
        yield limit(geomean(ours.values()), geomean(theirs.values()), f"`spl {way}`, geometric mean, times alone, as {peer} with the same intervals")


def cover_goal(kept):
    pairs = [(one["ways"]["cover"]["added_s"], one["ways"]["JaCoCo"]["added_s"]) for one in kept["applications"]
             if {"cover", "JaCoCo"} <= one["ways"].keys()]
    pairs = [(statistics.median(ours), statistics.median(theirs)) for ours, theirs in pairs if ours and theirs]
    if pairs:
        ours, theirs = (sum(column) for column in zip(*pairs))
        yield goal(ours <= theirs, f"`cover`, added time of the first seconds with the start, sum of {len(pairs)} applications: {ours:.2f} s, "
                   f"at most JaCoCo's {theirs:.2f} s wanted" + (f": missed by {ours - theirs:.2f} s" if ours > theirs else ""))


def thread_goals(kept):
    for one in kept:
        # After the JSON file, numbers of threads are words.
        middle = {int(count): statistics.median(values) for count, values in one["slowdown"].items() if values}
        for count in (2, 4):
            if {1, count} <= middle.keys():
                yield limit(middle[count] / middle[1], THREADS, f"`blocks`, {one['program']}, {count} threads: slowdown in that of one thread")


def size_goals(kept):
    ours = [one for one in kept if one["way"] == "blocks"]
    if ours:
        total = lambda column: sum(one[column] for one in ours)
        yield limit(total("bytes_after") / total("bytes"), CLASS_FILES, f"`blocks`: class files of {len(ours)} applications, times before")
        yield limit(total("code_after") / total("code"), CODE, f"`blocks`: bytes of code of {len(ours)} applications, times before")


def chart(applications):
    lines = []
    for way in CHARTED:
        points = [[at + 1, round(statistics.median(one["ways"][way]["steady"]), 3)] for at, one in enumerate(applications)
                  if one["ways"].get(way, {}).get("steady")]
        if points:
            lines.append({"name": way, "kind": "dotted", "points": points})
    return {"file": "drill-cost.svg", "title": "A turn's time in that of the program alone",
            "x": {"label": "application", "end": len(applications) + 2, "names": [one["program"] for one in applications]},
            "y": {"label": "times alone", "log": True}, "lines": lines}


def lines(kept):
    load = kept["load"]
    yield (f"{kept['rounds']} rounds, in each of them one JVM a program and way, the program alone first; load of the machine before a fork "
           f"{load[0]} to {load[2]}, median {load[1]}. Times are multiples of the program alone in the same round, medians of the "
           "rounds, least and most in brackets.")
    yield ""
    yield from applications_table(kept["applications"])
    yield from added_table(kept["applications"])
    yield from kernel_table(kept["kernels"])
    yield from others(kept)
    for one in kept["failed"]:
        yield ""
        yield f"Left out: {one['program']} with {one['variant']}: {one['why']}."
    for one in kept["skipped"]:
        yield ""
        yield f"Not measured: {one.get('variant') or one['program']}: {one['why']}."


def ways_of(applications):
    return [way for way in STEADY if any(way in one["ways"] for one in applications)]


def applications_table(applications):
    ways = ways_of(applications)
    yield "Steady cost, after the warm-up (*ended* and *cover* later on: see below):"
    yield ""
    rows = [[one["program"], cell(one["ms"], 1), *(cell(one["ways"].get(way, {}).get("steady", []), 2) for way in ways)] for one in applications]
    middle = lambda way, figure: of_way({"applications": applications}, way, figure)
    total = lambda figure: [f"{geomean(found.values()):.2f}" if (found := middle(way, figure)) else "-" for way in ways]
    rows += [["geometric mean", "", *total("steady")], ["of its threads' processor time", "", *total("cpu")]]
    yield from table(["Application", "Turn alone, ms", *ways], rows)
    later = [way for way in ("cover", "ended") if middle(way, "later")]
    if later:
        yield ""
        yield "Later on, at the end of the long forks: `cover` after its wave at 5 s, and after the end of a drill of blocks that took 4 s:"
        yield ""
        rows = [[one["program"], *(cell(one["ways"].get(way, {}).get("later", []), 3) for way in later)] for one in applications]
        yield from table(["Application", *later], [*rows, ["geometric mean", *(f"{geomean(middle(way, 'later').values()):.3f}" for way in later)]])


def added_table(applications):
    ways = [way for way in ways_of(applications) if not way.startswith("JBInsTrace --jdk") and way != "ended"]
    yield ""
    yield "Start, apart: seconds from the command to the end of the first turn, which loads the classes:"
    yield ""
    rows = [[one["program"], cell(one["first_s"], 2), *(cell(one["ways"].get(way, {}).get("first_s", []), 2) for way in ways)] for one in applications]
    yield from table(["Application", "alone", *ways], rows)
    yield ""
    yield "Added time of the first seconds, start included, until as many turns were done as all of these ways did, in seconds; and the controller's own processor time of a whole fork, which includes writing the files:"
    yield ""
    ours = [way for way in ("cover", "blocks", "blocks --jdk", "JaCoCo") if way in ways]
    drilled = [way for way in ("cover", "blocks", "blocks --jdk") if way in ways]
    rows = [[one["program"], *(cell(one["ways"].get(way, {}).get("added_s", []), 2) for way in ours),
             *(cell(one["ways"].get(way, {}).get("controller_s", []), 2) for way in drilled)] for one in applications]
    yield from table(["Application", *ours, *(f"controller, {way}" for way in drilled)], rows)


def kernel_table(kernels):
    if kernels:
        ways = [way for way in ("floor", "blocks", "cover", "JaCoCo") if any(one["alone"][way] for one in kernels)]
        yield ""
        yield "Numeric kernels; *floor* has the counters of `blocks` written by hand:"
        yield ""
        rows = [[one["program"], cell(one["ms"], 2), *(cell(one["alone"][way], 2) for way in ways), cell(one["floor"]["blocks"], 2)] for one in kernels]
        yield from table(["Kernel", "Turn alone, ms", *ways, "blocks, times floor"], rows)


def others(kept):
    if kept["threads"]:
        yield ""
        yield "Threads, each with a program of its own, on two cores: how many times fewer turns a second with `blocks`:"
        yield ""
        rows = [[one["program"], *(cell(values, 2) for values in one["slowdown"].values())] for one in kept["threads"]]
        yield from table(["Program", "1 thread", "2", "4"], rows)
    if kept["sizes"]:
        yield ""
        yield "Sizes of the classes that the first turn loads, after their change:"
        yield ""
        percent = lambda after, before: f"{100 * (after / before - 1):+.0f}%"
        rows = [[one["program"], one["way"], one["classes"], f"{one['bytes'] / 1000:,.0f}", percent(one["bytes_after"], one["bytes"]),
                 f"{one['code'] / 1000:,.0f}", percent(one["code_after"], one["code"])] for one in kept["sizes"]]
        yield from table(["Application", "Way", "Classes", "Class files, kB", "after", "Code, kB", "after "], rows)
    if kept["start"]:
        yield ""
        yield "Hello world, in seconds: until it has printed, what that adds, and until the command has ended:"
        yield ""
        rows = [[one["way"], cell(one["printed"], 2), cell(one["added"], 2), cell(one["seconds"], 2), cell(one["cpu"], 2)] for one in kept["start"]]
        yield from table(["Way", "Printed", "Added", "Ended", "Processor time"], rows)
    for one in kept["waves"]:
        yield ""
        parts = ", ".join(f"{ratio:.3f} from {begin} s" for begin, ratio in one["ratios"])
        yield f"One look of {one['seconds']:.0f} s at {one['program']}, {one['way']}: a turn takes {parts} times that of the program alone."
