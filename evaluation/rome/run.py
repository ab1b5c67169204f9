#!/usr/bin/env python3
"""Repeats the thesis's second evaluation (4.2) with the ROME example and writes evaluation/out/rome.json.

In each round the program runs once alone, once measured as the thesis describes (evaluation/rome/thesis.ini), and once with
compared methods in turns (examples/rome/splserver.ini). `make evaluate-rome` builds what this needs.
"""

import csv
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from chapter import OUT, ROOT, header, options as common_options
from program import Program

TASKS = "tasks/rome.tasks"
CONFIGURATIONS = {"alone": None, "thesis": "evaluation/rome/thesis.ini", "turns": "examples/rome/splserver.ini"}
# Feeds that the program reads alone, and seconds that it is watched after a measurement.
ALONE, AFTER = 300, 1.0
# Seconds that a run may take.
DEADLINE = 120

FEED = re.compile(r"^cycle \d+: (\S+) as .*, ([0-9.]+) ms$")
SITUATION = re.compile(r"\((\d+) of (\d+) unfinished methods measured, (\d+) optimal")
PROGRAM = re.compile(r"^spl: measuring Java .*, pid (\d+):")
# Flag of a sample that counts for nothing (docs/files.md).
DISCARDED = 32
STARTS, ENDS = "spl: the measurement starts", "spl: every class is as it was"


class Run(Program):
    """One run of the program: when it read which feed in which time, and what the controller said."""

    def __init__(self, command):
        self.feeds, self.situations, self.notes = [], [], []
        self.began = self.ended = None
        super().__init__(command, {"RUST_LOG": "spl_session=info", "NO_COLOR": "1"})

    def said(self, now, line):
        match = FEED.match(line)
        if match:
            self.feeds.append((now, match[1], float(match[2])))

    def noted(self, now, line):
        self.notes.append(line)
        if line.startswith(STARTS):
            self.began = now
        elif line.startswith(ENDS):
            self.ended = now
        elif PROGRAM.match(line):
            self.pid = int(PROGRAM.match(line)[1])
        elif SITUATION.search(line):
            self.situations.append((now, *map(int, SITUATION.search(line).groups())))

    def watch(self, measured):
        """Until the measurement is over, or as many feeds were read; then the program is ended."""
        until = time.monotonic() + DEADLINE
        while self.process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
            if not measured and len(self.feeds) >= ALONE or self.ended and time.monotonic() > self.ended + AFTER:
                break
        self.end()
        if measured and not (self.began and self.ended):
            raise SystemExit(f"rome: the measurement did not end: {self.notes[-5:]}")

    def figures(self):
        zero = self.began or self.feeds[0][0]
        return {
            "feeds": [[round(at - zero, 3), name, ms] for at, name, ms in self.feeds],
            "seconds": self.ended - self.began if self.ended else None,
            "measured_methods": [[round(at - zero, 4), *rest] for at, *rest in self.situations]}


def verdicts(path):
    """The thesis's fields of each line (3.3.2), then the basis and the ratio."""
    with path.open() as lines:
        rows = sorted(csv.reader(lines), key=lambda row: (row[0], row[4]))
    return [{"left": row[0], "sign": row[1], "a": float(row[2]), "b": float(row[3]), "right": row[4], "result": row[5],
             "p": float(row[6]) if row[6] else None, "samples": int(row[7]) if row[7] else None, "basis": row[9],
             "ratio": float(row[10]) if row[10] else None} for row in rows]


def samples(folder):
    """Times of each method's samples in nanoseconds, by its name without class and signature."""
    found = {}
    for path in sorted(folder.glob("*.msr")):
        with path.open() as lines:
            rows = [row for row in csv.reader(lines) if row]
        name = re.search(r"(\w+\.\w+)\(", path.name)[1]
        found[name] = [int(row[1]) - int(row[0]) for row in rows if not int(row[7] or 0) & DISCARDED]
    return found


def main():
    arguments = common_options(__doc__)
    arguments.add_argument("--rounds", type=int, default=3, help="runs of each configuration (default: %(default)s)")
    options = arguments.parse_args()
    make = ["make", "-s", "--no-print-directory", "-C", "examples/rome", "classes", "classpath"]
    classpath = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    program = [options.java, "-cp", classpath, "rome.Main", "--cycles", "0"]
    result = {**header("rome", 1, options.java), "runs": []}
    for number in range(1, options.rounds + 1):
        for name, settings in CONFIGURATIONS.items():
            with tempfile.TemporaryDirectory() as out:
                command = program
                if settings:
                    config = Path(out, "rome.ini")
                    text = Path(ROOT, settings).read_text()
                    config.write_text(text.replace("[controller]", "[controller]\nhuman-readable-measurements = 0", 1)
                                      + "\n[evaluator]\nhuman-readable-results = 0\n")
                    command = [str(Path(ROOT, options.spl).resolve()), "run", "--replace", "--config", str(config), "--tasks", TASKS, "--out", out,
                               "--", *program]
                run = Run(command)
                run.watch(measured=settings is not None)
                one = {"name": name, "round": number, **run.figures()}
                if settings:
                    one |= {"verdicts": verdicts(Path(out, "result.eval")), "samples": samples(Path(out, "measurements"))}
                result["runs"].append(one)
                said = ", ".join(f"{v['left'].split('.')[-1].split('(')[0]} {v['sign']}: {v['result']} {v['p']:.3g}" for v in one.get("verdicts", []))
                print(f"round {number}: {name}: {len(one['feeds'])} feeds, {one['seconds'] or 0:.1f} s; {said}", file=sys.stderr)
    (OUT / "rome.json").write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    sys.exit(main())
