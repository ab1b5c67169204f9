"""Makes docs/evaluation/whole.md from evaluation/out/whole.json; see evaluation/chapter.py."""

import math
import statistics
import sys
from pathlib import Path

from chapter import cell, goal, table

sys.path.append(str(Path(__file__).resolve().parent))
from programs import OWN_PEER, OWN_TRACE, PEER, PROGRAMS, TRACE

# Goals, as times the program alone: execution of starts, and of programs that compute; with writing.
START, COMPUTES, WRITTEN = 2.5, 4.0, 6.0
# Bytes of a block that ran: in rings, and on the disk.
RAW, DISK = 3.0, 0.5
# The figures of a fork that are compared.
FIGURES = ("ended_s", "ended_cpu_s", "seconds", "cpu_s")
SIZES = ("calls", "blocks", "bytecodes", "words", "disk_bytes", "lost", "classes", "left", "threads")


def keep(result):
    """Of each program and way the times, and what its traces have."""
    forks = result["forks"]
    kept = {name: result.get(name) for name in ("failed", "skipped")}
    kept["rounds"] = max((one["round"] for one in forks), default=0)
    kept["load"] = [round(f(loads), 1) for f in (min, statistics.median, max)] if (loads := [one["load"] for one in forks]) else []
    kept["programs"] = [program(forks, one) for one in PROGRAMS if any(fork["program"] == one.name for fork in forks)]
    kept["goals"] = list(goals(kept["programs"]))
    kept["plots"] = []
    return kept


def program(forks, one):
    """Figures of a program: seconds alone, and those of each way as times alone in the same round."""
    of = lambda way: {fork["round"]: fork for fork in forks if (fork["program"], fork["way"]) == (one.name, way)}
    alone = of("alone")
    kept = {"program": one.name, "starts": one.starts, "paper": list(one.paper), "does": one.does, "ways": {},
            "alone": {figure: [fork[figure] for fork in alone.values()] for figure in FIGURES}}
    for way in (TRACE, PEER, OWN_TRACE, OWN_PEER):
        ran = of(way.name)
        if not ran:
            continue
        ratio = lambda fork, figure, other: round(fork[figure] / other[figure.replace("seconds", "ended_s")], 3)
        figures = {figure: [ratio(fork, figure, alone[number]) for number, fork in ran.items() if number in alone] for figure in FIGURES}
        sizes = {size: [fork["trace"][size] for fork in ran.values() if size in fork["trace"]] for size in SIZES}
        kept["ways"][way.name] = {**figures, "forks": len(ran), **{size: values for size, values in sizes.items() if values}}
    return kept


def middle(one, way, figure):
    """The median of a figure, if there is one."""
    values = one["ways"].get(way.name, {}).get(figure)
    return statistics.median(values) if values else None


def each(one, figure):
    """Bytes of a block of a trace with the JDK, of the fork whose blocks were counted; in rings a word has 4 bytes."""
    kept = one["ways"].get(TRACE.name, {})
    if not kept.get("blocks"):
        return None
    return kept[figure][0] * (4 if figure == "words" else 1) / kept["blocks"][0]


def limit(found, wanted, text, more=""):
    by = f": missed by {found - wanted:.2f}" if found > wanted else ""
    return goal(found <= wanted, f"{text}: {found:.2f}{more}, at most {wanted:.2f} wanted{by}")


def goals(programs):
    """The goals of traces; where the machine has other work, processor time says more than the time that passes."""
    computing = []
    for one in programs:
        found, used = middle(one, TRACE, "ended_s"), middle(one, TRACE, "ended_cpu_s")
        if found and one["starts"]:
            yield limit(found, START, f"`trace --jdk`, {one['program']}, execution, times alone", f" ({used:.2f} in processor time)")
        elif found:
            computing.append((found, used))
    if computing:
        mean = lambda values: math.exp(statistics.fmean(map(math.log, values)))
        found, used = (mean(column) for column in zip(*computing))
        yield limit(found, COMPUTES, f"`trace --jdk`, geometric mean of {len(computing)} programs that compute, execution, times alone",
                    f" ({used:.2f} in processor time)")
    for one in programs:
        found, used = middle(one, TRACE, "seconds"), middle(one, TRACE, "cpu_s")
        if found:
            yield limit(found, WRITTEN, f"`trace --jdk`, {one['program']}, with writing, times alone", f" ({used:.2f} in processor time)")
    for one in programs:
        if each(one, "words"):
            yield limit(each(one, "words"), RAW, f"`trace --jdk`, {one['program']}, bytes of a block in rings")
            yield limit(each(one, "disk_bytes"), DISK, f"`trace --jdk`, {one['program']}, bytes of a block on the disk")
    lost = sum(sum(one["ways"].get(TRACE.name, {}).get("lost", [])) for one in programs)
    yield goal(lost == 0, f"`trace --jdk --full wait`, lost events of all programs: {lost}, 0 wanted")


def lines(kept):
    load = kept["load"]
    yield (f"{kept['rounds']} rounds, in each of them one JVM a program and way, the program alone first; load of the machine "
           f"before a fork {load[0]} to {load[2]}, median {load[1]}. Times are multiples of the program alone in the same round, medians of the rounds, "
           "least and most in brackets.")
    yield ""
    yield "Execution, until the program was done, by the time that passed and by the processor time of its JVM:"
    yield ""
    yield from times(kept["programs"], "ended_s", "ended_cpu_s", 1)
    yield ""
    yield "With writing, until the trace was on the disk, and the processor time of all processes, the controller too:"
    yield ""
    yield from times(kept["programs"], "seconds", "cpu_s", 2)
    yield ""
    yield from sizes(kept["programs"])
    yield ""
    yield from agreement(kept["programs"])
    for one in kept["failed"]:
        yield ""
        yield f"Left out: {one['program']} with {one['way']}: {one['why']}."
    for one in kept["skipped"]:
        yield ""
        yield f"Not measured: {one['program']}: {one['why']}."


def times(programs, passed, used, paper):
    rows = []
    for one in programs:
        cells = [cell(one["ways"].get(way.name, {}).get(figure, []), 2) for way in (TRACE, PEER) for figure in (passed, used)]
        published = f"{one['paper'][paper]:.1f} ({one['paper'][0]})" if one["paper"] and one["paper"][paper] else "-"
        rows.append([one["program"], cell(one["alone"]["ended_s"], 2), cell(one["alone"]["ended_cpu_s"], 2), *cells, published])
    head = ["Program", "Alone, s", "processor", "`trace --jdk`", "processor ", "JBInsTrace, re-created", "processor  ", "Published"]
    yield from table(head, rows)


def sizes(programs):
    yield "Traces with the JDK's classes, of the round in which they were counted:"
    yield ""
    rows = []
    for one in programs:
        bytes_each = [f"{each(one, figure):.2f}" if each(one, figure) else "-" for figure in ("words", "disk_bytes")]
        peer = one["ways"].get(PEER.name)
        bytes_each.append(f"{peer['disk_bytes'][0] / peer['blocks'][0]:.2f}" if peer else "-")
        kept = one["ways"].get(TRACE.name, {})
        millions = [f"{kept[size][0] / 1e6:,.2f}" if kept.get(size) else "-" for size in ("calls", "blocks", "words")]
        rows.append([one["program"], *millions, *bytes_each, sum(kept.get("lost", [])), cell(kept.get("classes", []), 0)])
    head = ["Program", "Calls, millions", "Blocks", "Words", "Bytes a block in rings", "on the disk", "JBInsTrace's", "Lost events", "Classes"]
    yield from table(head, rows)


def agreement(programs):
    yield "Events of both tools. They begin at different moments, and each leaves other classes alone, so with the JDK they need not agree:"
    yield ""
    rows = []
    for one in programs:
        for ours, theirs, scope in ((OWN_TRACE, OWN_PEER, "the program's"), (TRACE, PEER, "all")):
            both = [one["ways"].get(way.name, {}) for way in (ours, theirs)]
            if all(kept.get("blocks") for kept in both):
                pairs = [(both[0][size][0], both[1][size][0]) for size in ("calls", "blocks")]
                texts = [(f"{a:,}", f"{b:,}", f"{100 * (b / a - 1):+.2f}%") for a, b in pairs]
                rows.append([one["program"], scope, *texts[0], *texts[1]])
    yield from table(["Program", "Classes", "Calls", "JBInsTrace's", "", "Blocks", "JBInsTrace's ", " "], rows)
