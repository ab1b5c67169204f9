#!/usr/bin/env python3
"""The time to the first verdict on a busy program, by default settings, with several builds in turn in one sitting.

`evaluation/first/run.py --spl BUILD/spl --spl OTHER/spl` starts the ROME example with the claims of tasks/rome.tasks, and the methods of
evaluation/truth with their claims, with each build in turn, idle and next to two busy processes. It prints for each the seconds from
the JVM's first connection to the first verdict and to the last one: the median, with the least and the most, and how many verdicts came.
"""

import argparse
import contextlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from chapter import ROOT, cell, table
from program import Program

CONNECTED = re.compile(r"^spl: measuring Java .*, pid (\d+)")
VERDICT = "spl: verdict: "
# Seconds that a run may take.
DEADLINE = 60


class Run(Program):
    """One run: when the JVM connected, and when each verdict came."""

    def __init__(self, command):
        self.connected, self.verdicts = None, []
        super().__init__(command, {"NO_COLOR": "1"})

    def said(self, now, line):
        pass

    def noted(self, now, line):
        if CONNECTED.match(line):
            self.connected, self.pid = now, int(CONNECTED.match(line)[1])
        elif line.startswith(VERDICT):
            self.verdicts.append(now)

    def seconds(self, claims):
        """Of each verdict since the connection, once all are there or the time is over."""
        until = time.monotonic() + DEADLINE
        while self.process.poll() is None and time.monotonic() < until and len(self.verdicts) < claims:
            time.sleep(0.02)
        self.end()
        return [at - self.connected for at in self.verdicts if self.connected]


@contextlib.contextmanager
def company(busy):
    """Two processes that keep a processor busy each, or none."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 if busy else 0)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def programs(java, folder):
    """Each program's command and task file."""
    make = ["make", "-s", "--no-print-directory", "-C", "examples/rome", "classes", "classpath"]
    classpath = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    sources = [f"evaluation/truth/java/truth/{name}.java" for name in ("Pairs", "Mix")]
    subprocess.run(["javac", "--release", "11", "-d", folder, *sources], cwd=ROOT, check=True)
    return {"ROME": ([java, "-cp", classpath, "rome.Main", "--cycles", "0"], "tasks/rome.tasks"),
            "pairs": ([java, "-cp", folder, "truth.Mix", "forever"], "evaluation/truth/truth.tasks")}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("--spl", action="append", required=True, help="a controller, its agent in the same folder; several times")
    arguments.add_argument("--java", default="java", help="the JVM's launcher (default: %(default)s)")
    arguments.add_argument("--rounds", type=int, default=5, help="runs of each build (default: %(default)s)")
    arguments.add_argument("--until", type=int, help="verdicts after which a run is ended (default: all)")
    options = arguments.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        # An empty file: a settings file in the working directory would be read otherwise.
        defaults = str(Path(folder, "defaults.ini"))
        Path(defaults).touch()
        for name, (command, tasks) in programs(options.java, folder).items():
            lines = Path(ROOT, tasks).read_text().splitlines()
            claims = sum(1 for line in lines if line and not line.startswith("#"))
            claims = min(claims, options.until or claims)
            for busy in (False, True):
                runs = {spl: [] for spl in options.spl}
                with company(busy):
                    for number in range(options.rounds):
                        for spl in options.spl:
                            out = str(Path(folder, "out"))
                            run = Run([str(Path(spl).resolve()), "run", "--replace", "--config", defaults, "--tasks", tasks, "--out", out, "--", *command])
                            runs[spl].append(run.seconds(claims))
                            print(f"{name} {'busy' if busy else 'idle'} {number + 1}: {spl}: {[round(at, 2) for at in runs[spl][-1]]}",
                                  file=sys.stderr)
                for spl in options.spl:
                    first, last = ([run[at] for run in runs[spl] if run] for at in (0, -1))
                    rows.append([name, "busy" if busy else "idle", spl, cell(first, 2) if first else "-", cell(last, 2) if last else "-",
                                 f"{statistics.mean(map(len, runs[spl])):.1f} of {claims}"])
    print("\n".join(table(["Program", "Machine", "Build", "First verdict, s", "Last verdict, s", "Verdicts in 60 s"], rows)))


if __name__ == "__main__":
    sys.exit(main())
