#!/usr/bin/env python3
"""Makes the chapter's pages from its figures.

A part measures and writes evaluation/out/PART.json. `chapter.py PART` keeps what the page shows of it in
docs/evaluation/PART.json, puts tables made from that between the two marks of docs/evaluation/PART.md, draws its charts next to it,
and lists the goals of all parts in docs/evaluation.md. Each part's table.py says what the part keeps and shows: `keep` gives what is
kept of a result, with `goals` and `plots`; `lines` the page's tables, after a first line about the runs. With --check nothing is
measured or written: it fails unless the committed figures give the committed pages and charts.
"""

import argparse
import importlib.util
import json
import math
import os
import platform
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "evaluation/out"
DOCS = ROOT / "docs/evaluation"
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
PAGE = ROOT / "docs/evaluation.md"
FACTS = ("date", "machine", "java", "commit")


def facts(java="java"):
    """Facts that every part states about its run."""
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    version = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr.splitlines()[1]
    commit = subprocess.run([ROOT / "evaluation/commit.sh"], capture_output=True, text=True, check=True)
    machine = {"cpu": cpu[1] if cpu else platform.machine(), "cores": os.cpu_count(), "kernel": platform.release()}
    return {"date": date.today().isoformat(), "machine": machine, "java": version, "commit": commit.stdout.strip()}


def header(part, version, java="java"):
    """Head of a part's result: the facts are those before anything is measured."""
    # Places of this machine say nothing to others.
    given = [os.path.basename(word) if os.path.isabs(word) else word for word in sys.argv[1:]]
    command = shlex.join([f"evaluation/{part}/run.py", *given])
    return {"schema": f"spl.{part}-evaluation/{version}", **facts(java), "command": command}


def options(description):
    """The options of every run.py, to add to."""
    arguments = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    arguments.add_argument("--spl", required=True, help="the controller, its agent in the same folder")
    arguments.add_argument("--java", default="java", help="the JVM's launcher (default: %(default)s)")
    return arguments


def origin(result):
    """The facts as a phrase."""
    machine = result["machine"]
    return f"{result['date']}, {machine['cpu']}, {machine['cores']} cores, {result['java']}, commit {result['commit']}"


def cell(values, digits):
    """Median and spread."""
    values = [value for value in values if value is not None and not math.isnan(value)]
    if not values:
        return "-"
    low, middle, high = (f"{f(values):,.{digits}f}" for f in (min, statistics.median, max))
    return middle if low == high else f"{middle} ({low} to {high})"


def table(head, rows):
    """Lines of a Markdown table."""
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"


def goal(met, text, is_open=False):
    """One goal of a part: whether it is met, and what was found and wanted. It is open where the figure's interval contains the limit."""
    return {"met": bool(met) and not is_open, "text": text} | ({"open": True} if is_open else {})


def standing(one):
    """Whether a goal is met, missed or open."""
    return "open" if one.get("open") else "met" if one["met"] else "missed"


def verdicts(goals):
    """Lines that say which goals are met, missed or open."""
    for one in goals:
        yield f"- {standing(one).capitalize()}: {one['text']}."


def pictures(kept):
    """Lines that show the charts."""
    for plot in kept["plots"]:
        yield f"![{plot['title']}]({plot['file']})"
        yield ""


def thinned(points, most):
    """At most `most` points, the largest of each of equal groups: a chart has no more pixels, and no peak is lost."""
    step = max(1, math.ceil(len(points) / most))
    return [max(points[at:at + step], key=lambda point: point[1]) for at in range(0, len(points), step)]


def rounded(points, digits=6):
    """Points with `digits` significant digits, for small files."""
    return [[float(f"{value:.{digits}g}") for value in point] for point in points]


def between(page, name, lines):
    """The page with these lines between its marks."""
    maker = "ion" if name == "goals" else f"e-{name}"
    begin, end = f"<!-- {name}: begin, made by `make evaluat{maker}` -->", f"<!-- {name}: end -->"
    head, rest = page.split(begin)
    return head + begin + "\n\n" + "\n".join(lines).strip() + "\n\n" + end + rest.split(end)[1]


def draw(source, into):
    """Draws the charts of a JSON file."""
    subprocess.run([TARGET / "release/spl-plots", source, "--into", into], check=True)


class Part:
    """One section of the chapter."""

    def __init__(self, name):
        spec = importlib.util.spec_from_file_location(f"{name}_table", ROOT / f"evaluation/{name}/table.py")
        self.name, self.table = name, importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.table)
        self.kept, self.page = DOCS / f"{name}.json", DOCS / f"{name}.md"

    def keep(self, result):
        """The kept part of a result: the facts of its run, and what the page shows."""
        return {key: result[key] for key in (*FACTS, "command") if key in result} | self.table.keep(result)

    def lines(self, kept):
        """The page between its marks: the run, tables, goals, charts."""
        about, *tables = self.table.lines(kept)
        yield f"{origin(kept)}; {about}"
        yield from tables
        yield ""
        yield from verdicts(kept["goals"])
        yield ""
        yield from pictures(kept)

    def publish(self):
        kept = self.keep(json.loads((OUT / f"{self.name}.json").read_text()))
        self.kept.write_text(json.dumps(kept, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
        self.page.write_text(between(self.page.read_text(), self.name, self.lines(kept)))
        draw(self.kept, DOCS)

    def check(self):
        """The parts of the page that do not come from the kept figures."""
        kept, page = json.loads(self.kept.read_text()), self.page.read_text()
        wrong = [] if between(page, self.name, self.lines(kept)) == page else [str(self.page.relative_to(ROOT))]
        with tempfile.TemporaryDirectory() as drawn:
            draw(self.kept, drawn)
            for plot in kept["plots"]:
                committed = DOCS / plot["file"]
                if not committed.exists() or committed.read_text() != Path(drawn, plot["file"]).read_text():
                    wrong.append(str(committed.relative_to(ROOT)))
        return wrong

    def say_goals(self, path):
        """Says which goals this result meets; whether none is missed."""
        mark = {"met": "ok  ", "missed": "FAIL", "open": "note open:"}
        goals = self.keep(json.loads(path.read_text()))["goals"]
        for one in goals:
            print(f"{mark[standing(one)]} {self.name}: {one['text']}")
        return all(standing(one) != "missed" for one in goals)


def goal_lines():
    """The number of goals that are met, and the goals of every part that has kept figures."""
    rows = []
    for path in sorted(DOCS.glob("*.json")):
        for one in json.loads(path.read_text())["goals"]:
            rows.append((f"[{path.stem}](evaluation/{path.stem}.md)", standing(one), one["text"]))
    parts = sorted({part for part, _, _ in rows})
    counts = lambda of: [sum(row[0] in of and row[1] == which for row in rows) for which in ("met", "missed", "open")]
    yield from table(("Part", "Goals met", "Goals missed", "Goals open"),
                     [*((part, *counts([part])) for part in parts), ("all", *counts(parts))])
    yield ""
    yield from table(("Part", "Goal is", "Found and wanted"),
                     [(part, "met" if is_now == "met" else f"**{is_now}**", text) for part, is_now, text in rows])


def list_goals():
    """Puts the list of goals into docs/evaluation.md."""
    PAGE.write_text(between(PAGE.read_text(), "goals", goal_lines()))


def check(part):
    """The parts of the page, or without a part those of the list of goals, that do not come from the kept figures."""
    if part:
        return part.check()
    page = PAGE.read_text()
    return [] if between(page, "goals", goal_lines()) == page else [str(PAGE.relative_to(ROOT))]


def main():
    arguments = argparse.ArgumentParser(description="Makes a page of the evaluation from its figures.")
    arguments.add_argument("part", nargs="?", help="sorting, rome, …; without one, only the list of goals in docs/evaluation.md")
    choice = arguments.add_mutually_exclusive_group()
    choice.add_argument("--check", action="store_true", help="write nothing, fail unless figures and page agree")
    choice.add_argument("--goals", metavar="FILE", help="only say which goals this result meets, and fail if one is missed")
    options = arguments.parse_args()
    part = Part(options.part) if options.part else None
    if options.goals:
        if not part:
            arguments.error("--goals is of a part")
        return 0 if part.say_goals(Path(ROOT, options.goals)) else 1
    if options.check:
        wrong = check(part)
        for path in wrong:
            print(f"{path} is not what its figures give: run evaluation/chapter.py {options.part or ''}".rstrip(), file=sys.stderr)
        return 1 if wrong else 0
    if part:
        part.publish()
    list_goals()
    return 0


if __name__ == "__main__":
    sys.exit(main())
