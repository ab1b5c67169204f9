#!/usr/bin/env python3
"""Makes the chapter's pages from its figures: what the parts' table.py share, and the list of goals in docs/evaluation.md.

A part measures and writes evaluation/out/PART.json. Its table.py keeps what the page shows in docs/evaluation/PART.json,
puts tables made from that between the two marks of docs/evaluation/PART.md, and draws its charts beside it. With --check
nothing is measured or written: it fails unless the committed figures give the committed pages and charts.
"""

import argparse
import json
import math
import os
import platform
import re
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


def facts(java="java"):
    """What every part says of its run."""
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    version = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr.splitlines()[1]
    commit = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True)
    machine = {"cpu": cpu[1] if cpu else platform.machine(), "cores": os.cpu_count(), "kernel": platform.release()}
    return {"date": date.today().isoformat(), "machine": machine, "java": version, "commit": commit.stdout.strip()}


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


def goal(met, text):
    """One goal of a part: whether it is met, and what was found and wanted."""
    return {"met": bool(met), "text": text}


def verdicts(goals):
    """Lines that say which goals are met."""
    for one in goals:
        yield f"- {'Met' if one['met'] else 'Missed'}: {one['text']}."


def pictures(kept):
    """Lines that show the charts."""
    for plot in kept["plots"]:
        yield f"![{plot['title']}]({plot['file']})"
        yield ""


def thinned(points, most):
    """At most so many points, of equal groups that with the largest value: a chart has no more pixels, and no peak is lost."""
    step = max(1, math.ceil(len(points) / most))
    return [max(points[at:at + step], key=lambda point: point[1]) for at in range(0, len(points), step)]


def rounded(points, digits=6):
    """Points with so many significant digits, for small files."""
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
    """One section of the chapter: `keep` makes what is kept of a result, with `goals` and `plots`; `lines` the page's part."""

    def __init__(self, name, keep, lines):
        self.name, self.keep, self.lines = name, keep, lines
        self.kept, self.page = DOCS / f"{name}.json", DOCS / f"{name}.md"

    def publish(self):
        kept = self.keep(json.loads((OUT / f"{self.name}.json").read_text()))
        self.kept.write_text(json.dumps(kept, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
        self.page.write_text(between(self.page.read_text(), self.name, self.lines(kept)))
        draw(self.kept, DOCS)
        list_goals()

    def check(self):
        """What of the page doesn't come from the kept figures."""
        kept, page = json.loads(self.kept.read_text()), self.page.read_text()
        wrong = [] if between(page, self.name, self.lines(kept)) == page else [str(self.page.relative_to(ROOT))]
        with tempfile.TemporaryDirectory() as drawn:
            draw(self.kept, drawn)
            for plot in kept["plots"]:
                committed = DOCS / plot["file"]
                if not committed.exists() or committed.read_text() != Path(drawn, plot["file"]).read_text():
                    wrong.append(str(committed.relative_to(ROOT)))
        return wrong

    def main(self):
        arguments = argparse.ArgumentParser(description=f"Makes docs/evaluation/{self.name}.md from its figures.")
        choice = arguments.add_mutually_exclusive_group()
        choice.add_argument("--check", action="store_true", help="write nothing, fail unless figures and page agree")
        choice.add_argument("--goals", metavar="FILE", help="only say which goals this result meets, and fail if one is missed")
        options = arguments.parse_args()
        if options.goals:
            goals = self.keep(json.loads(Path(ROOT, options.goals).read_text()))["goals"]
            for one in goals:
                print(f"{'ok  ' if one['met'] else 'FAIL'} {self.name}: {one['text']}")
            return 0 if all(one["met"] for one in goals) else 1
        if options.check:
            wrong = self.check()
            for path in wrong:
                print(f"{path} is not what docs/evaluation/{self.name}.json gives: run evaluation/{self.name}/table.py",
                      file=sys.stderr)
            return 1 if wrong else 0
        self.publish()
        return 0


def goal_lines():
    """The goals of every part that has kept figures."""
    rows = []
    for path in sorted(DOCS.glob("*.json")):
        kept = json.loads(path.read_text())
        for one in kept.get("goals", []):
            rows.append((f"[{path.stem}](evaluation/{path.stem}.md)", "met" if one["met"] else "**missed**", one["text"]))
    return table(("Part", "Goal is", "Found and wanted"), rows)


def list_goals():
    """Puts the list of goals into docs/evaluation.md."""
    PAGE.write_text(between(PAGE.read_text(), "goals", goal_lines()))


def main():
    arguments = argparse.ArgumentParser(description="The list of goals in docs/evaluation.md.")
    arguments.add_argument("--check", action="store_true", help="write nothing, fail unless the list is that of the figures")
    options = arguments.parse_args()
    page = PAGE.read_text()
    if not options.check:
        list_goals()
    elif between(page, "goals", goal_lines()) != page:
        print("docs/evaluation.md lists other goals than the figures: run evaluation/chapter.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
