#!/usr/bin/env python3
"""The time to the first verdict on a busy program, by default settings, into evaluation/out/first.json.

Programs are the ROME example with the claims of tasks/rome.tasks, and the methods of evaluation/truth with their claims. Each is started
and measured idle and next to two busy processes, until its first verdict or for 60 s. With --before, an earlier build is measured in turn. Noted
are the seconds from the JVM's first connection to the end of the program's own warm-up, and to each verdict.
"""

import contextlib
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

CONNECTED = re.compile(r"^spl: measuring Java .*, pid (\d+)")
WARM = "spl: the measurement starts"
VERDICT = "spl: verdict: "
# Seconds that a run may take.
DEADLINE = 60


class Run(Program):
    """One run: when the JVM connected, when it was warm, and when each verdict came."""

    def __init__(self, command):
        self.connected, self.warm, self.verdicts = None, None, []
        super().__init__(command, {"NO_COLOR": "1"})

    def said(self, now, line):
        pass

    def noted(self, now, line):
        if CONNECTED.match(line):
            self.connected, self.pid = now, int(CONNECTED.match(line)[1])
        elif line.startswith(WARM):
            self.warm = now
        elif line.startswith(VERDICT):
            self.verdicts.append((now, line.removeprefix(VERDICT)))

    def figures(self):
        """Once the first verdict is there, or the time is over. Verdicts at the end of a run do not count."""
        until = time.monotonic() + DEADLINE
        while self.process.poll() is None and time.monotonic() < until and not self.verdicts:
            time.sleep(0.02)
        verdicts = list(self.verdicts)
        self.end()
        if self.connected is None:
            raise RuntimeError("no JVM connected")
        since = lambda at: None if at is None else round(at - self.connected, 2)
        return {"warm_s": since(self.warm), "verdicts": [{"s": since(at), "text": text} for at, text in verdicts]}


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


def programs(java, folder, only):
    """Each program's command and task file."""
    sources = [f"evaluation/truth/java/truth/{name}.java" for name in ("Pairs", "Mix")]
    subprocess.run(["javac", "--release", "11", "-d", folder, *sources], cwd=ROOT, check=True)
    yield "pairs", [java, "-cp", folder, "truth.Mix", "forever"], "evaluation/truth/truth.tasks"
    if only != "pairs":
        make = ["make", "-s", "--no-print-directory", "-C", "examples/rome", "classes", "classpath"]
        classpath = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
        yield "ROME", [java, "-cp", classpath, "rome.Main", "--cycles", "0"], "tasks/rome.tasks"


def main():
    arguments = common_options(__doc__)
    arguments.add_argument("--before", help="the controller of an earlier build, its agent in the same folder")
    arguments.add_argument("--commit", help="the commit of that build")
    arguments.add_argument("--rounds", type=int, default=5, help="runs of each build (default: %(default)s)")
    arguments.add_argument("--only", choices=["pairs"], help="measure only this program, on the idle machine")
    arguments.add_argument("--out", default=OUT / "first.json", help="where to write the figures (default: %(default)s)")
    options = arguments.parse_args()
    builds = {"now": options.spl, **({"before": options.before} if options.before else {})}
    result = {**header("first", 1, options.java), "before": options.commit, "runs": []}
    with tempfile.TemporaryDirectory() as folder:
        # An empty file: a settings file in the working directory would be read otherwise.
        defaults = str(Path(folder, "defaults.ini"))
        Path(defaults).touch()
        for program, command, tasks in programs(options.java, folder, options.only):
            for busy in (False,) if options.only else (False, True):
                with company(busy):
                    for number in range(1, options.rounds + 1):
                        for build, spl in builds.items():
                            out = str(Path(folder, "out"))
                            run = Run([str(Path(ROOT, spl).resolve()), "run", "--replace", "--config", defaults, "--tasks", tasks, "--out", out, "--", *command])
                            one = {"program": program, "busy": busy, "build": build, "round": number, **run.figures()}
                            result["runs"].append(one)
                            first = one["verdicts"][0] if one["verdicts"] else {"s": "-", "text": "no verdict"}
                            print(f"{program} {'busy' if busy else 'idle'} {number}: {build}: warm {one['warm_s']} s, first verdict {first['s']} s: "
                                  f"{first['text'][:150]}", file=sys.stderr)
    Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    Path(options.out).write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    sys.exit(main())
