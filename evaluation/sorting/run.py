#!/usr/bin/env python3
"""Measures what measuring costs the sorting example (thesis 4.1) and writes evaluation/out/sorting.json.

`make evaluate-sorting` builds what this needs. In each round every configuration runs once, in a JVM of its own, so that
a slow moment of the machine meets all alike; the figures are medians of the rounds. Configurations: the program alone,
with a dormant agent, each settings file of examples/sorting and evaluation/sorting, and a re-creation of the probe that
the thesis describes, with all methods at once.
"""

import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from chapter import ROOT, header, options as common_options
from program import Program

CLASSES = "examples/sorting/build"
TASKS = "tasks/sorting.tasks"
# Where setup.sh's Debian package puts it.
JAVASSIST = "/usr/share/java/javassist.jar"
RECREATED = ROOT / "evaluation/out/recreated"
# The controller's defaults, for the re-creation.
CYCLE_SLEEP_MS, ENOUGH = 100, 1000
# Cycles before the start whose median is the normal time, those before them that warm the program up, and cycles that
# are watched after the end.
NORMAL, WARM_UP, AFTER = 60, 100, 60
# Cycles that stand for a measurement where there is none.
IDLE = 40
# Seconds after a change of classes in which code is compiled again: spl-wave finds cycles as long as later
# ones after less.
WAVE = 1.0
# Seconds that one fork may take.
DEADLINE = 120

CYCLE = re.compile(r"^cycle \d+: check -?\d+, ([0-9.]+) ms$")
SITUATION = re.compile(r"\((\d+) of (\d+) unfinished methods measured, (\d+) optimal")
PROGRAM = re.compile(r"^spl: measuring Java .*, pid (\d+):")
CHANGED = re.compile(r"classes were changed .*took_ns=(\d+)")
LOST = re.compile(r"^spl: (\d+) samples were lost")
STARTS = ("spl: the measurement starts", "recreated: the measurement starts")
ENDS = ("spl: every class is as it was", "recreated: every method is finished")


class Fork(Program):
    """One run of one configuration: what it printed, each line with the moment at which it came."""

    def __init__(self, command, environment, through_spl):
        self.cycles, self.situations, self.changes = [], [], []
        self.started = self.ended = None
        self.lost = 0
        self.problems = []
        super().__init__(command, environment)
        if not through_spl:
            self.pid = self.process.pid
        self.began = time.monotonic()

    def said(self, now, line):
        match = CYCLE.match(line)
        if match:
            self.cycles.append((now, float(match[1]), self.cpu_ms()))

    def cpu_ms(self):
        """CPU time that the program has taken with all its threads; the number of its clock is clock_getcpuclockid's."""
        try:
            return time.clock_gettime_ns(~self.pid << 3 | 2) / 1e6 if self.pid else math.nan
        except OSError:
            return math.nan

    def noted(self, now, line):
        if line.startswith(STARTS):
            self.started = now
        elif line.startswith(ENDS):
            self.ended = now
        elif "error:" in line or "cannot be measured" in line or "failed" in line:
            self.problems.append(line)
        elif PROGRAM.match(line):
            self.pid = int(PROGRAM.match(line)[1])
        elif CHANGED.search(line):
            self.changes.append((now, int(CHANGED.search(line)[1]) / 1e6))
        elif LOST.match(line):
            self.lost = int(LOST.match(line)[1])
        elif SITUATION.search(line):
            self.situations.append((now, *map(int, SITUATION.search(line).groups())))

    def finish(self, measured):
        """Waits until there are cycles enough after the end, then ends the program."""
        done = False
        while not done and self.process.poll() is None and time.monotonic() - self.began < DEADLINE:
            time.sleep(0.05)
            if not measured and self.started is None and len(self.cycles) >= WARM_UP + NORMAL:
                self.started = time.monotonic()
            if not measured and self.started and len(self.since(self.started)) >= IDLE:
                self.ended = self.ended or time.monotonic()
            done = self.ended is not None and len(self.since(self.ended)) >= AFTER
        self.end()
        if done and sum(at <= self.started for at, _, _ in self.cycles) < WARM_UP + NORMAL:
            self.problems.append(f"fewer than {WARM_UP + NORMAL} cycles before the measurement: try a longer --warm-up")
            done = False
        return done

    def since(self, moment):
        return [cycle for cycle in list(self.cycles) if cycle[0] > moment]

    def waves(self):
        """Changes of classes until the end, those of one moment counted once: the last restores the program."""
        times = [at for at, _ in self.changes]
        return sum(1 for last, at in zip([-math.inf, *times], times) if at - last > WAVE / 10)

    def figures(self):
        # Of each cycle, its time and what it took of all processors.
        steps = [(at, ms, cpu - last[2]) for last, (at, ms, cpu) in zip(self.cycles, self.cycles[1:])]
        before = [step for step in steps if step[0] <= self.started][-NORMAL:]
        # The cycle in which the last method finishes is the first to print after it.
        after = [step for step in steps if step[0] > self.ended][1:]
        during = [step for step in steps if step[0] > self.started]
        during = during[: len(during) - len(after)]
        # Cycles in which no code is compiled again because of a change of classes.
        calm = [step for step in during if not any(at - step[1] / 1e3 <= step[0] <= at + WAVE for at, _ in self.changes)]
        normal, normal_cpu = (statistics.median(step[column] for step in before) for column in (1, 2))
        return {
            "normal_ms": normal,
            "normal_cpu_ms": normal_cpu,
            "after_ms": statistics.median(ms for _, ms, _ in after),
            "peak_ms": max(ms for _, ms, _ in during),
            "waves": self.waves(),
            "changes_ms": [round(took, 2) for _, took in self.changes],
            "calm_cycles": len(calm),
            "calm_ms": statistics.median(ms for _, ms, _ in calm) if calm else None,
            "calm_peak_ms": max(ms for _, ms, _ in calm) if calm else None,
            "cycles": len(during),
            "lost_ms": sum(ms - normal for _, ms, _ in during),
            "lost_cpu_ms": sum(cpu - normal_cpu for _, _, cpu in during),
            "lost_after_cpu_ms": sum(cpu - normal_cpu for _, _, cpu in after),
            "seconds": self.ended - self.started,
            "samples_lost": self.lost,
            "problems": self.problems,
            # Seconds since the start, milliseconds: from as many cycles before as the normal time is taken of.
            "cycle_times": [[round(at - self.started, 4), round(ms, 3)] for at, ms, _ in before + during + after],
            "measured_methods": [
                [round(at - self.started, 4), measured, unfinished, optimal]
                for at, measured, unfinished, optimal in self.situations],
        }


def configurations(java, spl, sleep_ms, out):
    """Name, command, environment, whether anything is measured."""
    program = [java, "-cp", CLASSES, "sorting.Main", "--cycles", "0"]
    yield "alone", program, {}, False
    agent = Path(spl).with_name("libspl_agent.so")
    nobody = f"-agentpath:{agent}=spl.client.socket={out}/nobody.sock"
    yield "dormant agent", [java, nobody, *program[1:]], {}, False
    settings = [*sorted(ROOT.glob("examples/sorting/*.ini")), *sorted(ROOT.glob("evaluation/sorting/*.ini"))]
    for ini in settings:
        if ini.stem == "find-methods":
            continue
        config = Path(out, ini.name)
        section, text = "[communication]", ini.read_text()
        with_sleep = f"{section}\ninitial-sleep = {sleep_ms}"
        config.write_text(text.replace(section, with_sleep, 1) if section in text else f"{text}\n{with_sleep}\n")
        command = [spl, "run", "--replace", "--config", str(config), "--out", f"{out}/{ini.stem}", "--", *program]
        # Every decision of the scheduler, for the number of methods over time.
        yield ini.stem, command, {"RUST_LOG": "spl_session=info", "NO_COLOR": "1"}, True
    arguments = f"{TASKS},{sleep_ms},{CYCLE_SLEEP_MS},{ENOUGH}"
    yield "recreated", [java, f"-javaagent:{RECREATED}/agent.jar={arguments}", *program[1:]], {}, True


def build_recreated():
    """The re-creation's agent; its recorder goes to the boot class path by the manifest."""
    classes = RECREATED / "classes"
    classes.mkdir(parents=True, exist_ok=True)
    sources = [str(path) for path in (ROOT / "evaluation/sorting/java/recreated").glob("*.java")]
    subprocess.run(["javac", "--release", "11", "-Xlint:all,-path", "-Werror", "-XDstringConcat=inline", "-cp", JAVASSIST,
                    "-d", str(classes), *sources], check=True)
    manifest = RECREATED / "manifest.mf"
    manifest.write_text("Premain-Class: recreated.Agent\nCan-Retransform-Classes: true\n"
                        f"Boot-Class-Path: agent.jar {JAVASSIST}\n")
    subprocess.run(["jar", "--create", "--file", str(RECREATED / "agent.jar"), "--manifest", str(manifest),
                    "-C", str(classes), "."], check=True)


def waves(spl, java, count):
    """Costs of a change of classes, of closed gates and of open gates, each by itself, in `count` forks."""
    command = [str(Path(spl).with_name("spl-wave")), "--java", java, "--classes", CLASSES, "--tasks", TASKS]
    for _ in range(count):
        yield json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def main():
    arguments = common_options(__doc__)
    arguments.add_argument("--rounds", type=int, default=5, help="forks of each configuration (default: %(default)s)")
    arguments.add_argument("--warm-up", type=int, default=12, help="seconds before the measurement, in place of the "
                           "settings' initial sleep; more on a busy machine (default: %(default)s)")
    arguments.add_argument("--append", action="store_true", help="add rounds to those of evaluation/out/sorting.json, for "
                           "machines that are never quiet for long")
    arguments.add_argument("--out", default="evaluation/out/sorting.json", help="the file to write (default: %(default)s)")
    arguments.add_argument("--waves", type=int, default=0, help="forks of spl-wave after them (default: %(default)s)")
    arguments.add_argument("--only", action="append", help="only this configuration; may be repeated")
    options = arguments.parse_args()
    spl = str(Path(ROOT, options.spl).resolve())
    if not options.only or "recreated" in options.only:
        build_recreated()
    result = {**header("sorting", 3, options.java), "forks": [], "waves": []}
    target = ROOT / options.out
    if options.append and target.exists():
        older = json.loads(target.read_text())
        result["forks"], result["waves"] = older["forks"], older["waves"]
    before = max((fork["round"] for fork in result["forks"]), default=0)
    failed = False
    with tempfile.TemporaryDirectory() as out:
        for number in range(before + 1, before + options.rounds + 1):
            for name, command, environment, measured in configurations(options.java, spl, 1000 * options.warm_up, out):
                if options.only and name not in options.only:
                    continue
                load = os.getloadavg()[0]
                fork = Fork(command, environment, command[0] == spl)
                if not fork.finish(measured):
                    failed = True
                    print(f"round {number}: {name}: left out: {fork.problems}", file=sys.stderr)
                    continue
                figures = {"name": name, "round": number, "load_before": load, **fork.figures()}
                result["forks"].append(figures)
                target.write_text(json.dumps(result, indent=1) + "\n")
                print(f"round {number}: {name}: normal {figures['normal_ms']:.1f} ms, peak {figures['peak_ms']:.0f} ms, "
                      f"{figures['cycles']} cycles, lost {figures['lost_ms']:.0f} ms, CPU "
                      f"normal {figures['normal_cpu_ms']:.1f} ms, lost {figures['lost_cpu_ms']:.0f} ms, {figures['waves']} "
                      f"waves, outside them {figures['calm_ms'] or math.nan:.1f}, at most {figures['calm_peak_ms'] or math.nan:.1f} ms",
                      file=sys.stderr)
                failed |= bool(fork.problems)
                for problem in fork.problems:
                    print(f"  {problem}", file=sys.stderr)
    result["waves"] += waves(spl, options.java, options.waves)
    target.write_text(json.dumps(result, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
