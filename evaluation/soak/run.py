#!/usr/bin/env python3
"""Hostile programs in every mode of every JDK that is there, each once without the agent and once measured: what they print and
how they end must not differ. Prints a line "ok|FAIL claim figure" for each JDK, after at most --seconds."""

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of one program.
DEADLINE = 300
# Kinds of differences of a measured run from one without the agent: an index of its count. HotSpot does not
# know the lines of calls that were running when their class was changed, and a program that compares stack
# traces sees it.
SAME, DIFFERENT, LINE_UNKNOWN = range(3)

# Options of a JVM. One that a JDK does not know is left out.
MODES = [
    [], ["-Xint"], ["-Xcomp"], ["-XX:TieredStopAtLevel=1"], ["-XX:TieredStopAtLevel=3"], ["-XX:-TieredCompilation"],
    ["-Xss256k"], ["-Xcheck:jni"], ["-XX:+UseSerialGC"], ["-XX:+UseParallelGC"], ["-XX:+UseG1GC"],
    ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"], ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC"],
    ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"], ["-XX:ObjectAlignmentInBytes=32"],
]

# Programs of tests-java with their arguments, and the methods that are measured.
PROGRAMS = [
    (["SafeRecursion", "300"], ["SafeRecursion#sum", "SafeRecursion$Parser#*", "java.util.regex.Pattern$*#match"]),
    (["Thrower", "3000"], ["Thrower#*", "Thrower$Part#new"]),
    (["Overflow", "20"], ["Overflow#*"]),
    (["Recursive", "3000"], ["Recursive#*"]),
    (["HardTargets", "300"], ["java.util.HashMap#*", "java.lang.String#*", "java.util.ArrayList#*"]),
    (["Stress", "20"], ["Stress#*"]),
    (["Virtual", "20"], ["Virtual#*", "java.lang.Thread#*"]),
    (["LateClass", "300"], ["LateClass#*"]),
    (["TwoLoaders", "300"], ["TwoLoaders#*"]),
    (["Environment", "20"], ["Environment#*"]),
]

# Probes that come and go as often as can be, with each call taken; and all by default.
CHURN = """[communication]
initial-sleep = 50
cycle-sleep = 20
[scheduler]
initial-optimal-measurements = 50
overhead-budget = none
changes-per-minute = none
suspend-restore-after = 200
argument-size = {size}
[sampling]
settle-time = 10
warm-up-time = 10
[controller]
run-mode = measurement
max-method-measurements = 3000
"""
PLAIN = "[communication]\ninitial-sleep = 50\n[controller]\nrun-mode = measurement\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spl", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # Background jobs ignore these; -Xcheck:jni would print that, now and then, into what is compared.
    for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(ignored, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        return Soak(options, pathlib.Path(folder)).run()


class Soak:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.spl = options.spl.resolve()
        self.random = random.Random(options.seed)
        print(f"seed {options.seed}")

    def run(self):
        sources = sorted(str(path) for path in (ROOT / "tests-java").glob("*.java"))
        subprocess.run(["javac", "--release", "11", "-nowarn", "-d", self.folder / "classes", *sources], check=True)
        listed = subprocess.run([ROOT / "scripts/jdks.sh", "--list"], check=True, capture_output=True, text=True)
        jdks = [line.split(" ", 1) for line in listed.stdout.splitlines()]
        # So that a short run meets each JDK, and every mode and program sooner or later.
        cases = {number: self.cases(home) for number, home in jdks}
        counts = {number: [0, 0, 0] for number, _ in jdks}
        until = time.monotonic() + self.options.seconds
        while time.monotonic() < until and any(cases.values()):
            for number, home in jdks:
                if cases[number] and time.monotonic() < until:
                    counts[number][self.compare(number, home, *cases[number].pop())] += 1
        for number, (same, different, lines) in counts.items():
            word = "ok  " if same and not different else "FAIL"
            print(f"{word} JDK {number}: hostile programs do the same measured and not, in all modes: "
                  f"{same} runs the same, {different} not, {lines} noticed that a call's line number is unknown after its "
                  f"class changed (docs/manual.md), {len(cases[number])} left")
        return 1 if any(different or not same for same, different, _ in counts.values()) else 0

    def cases(self, home):
        known = [mode for mode in MODES if self.ends([f"{home}/bin/java", *mode, "-version"])[0] == 0]
        configurations = [PLAIN, CHURN.format(size="nocheck"), CHURN.format(size="deep")]
        cases = [(mode, program, configuration)
                 for mode in known for program in PROGRAMS for configuration in configurations]
        self.random.shuffle(cases)
        return cases

    def compare(self, number, home, mode, program, configuration):
        (arguments, methods) = program
        java = [f"{home}/bin/java", *mode, "-cp", str(self.folder / "classes"), *arguments]
        (self.folder / "spl.ini").write_text(configuration)
        (self.folder / "all.tasks").write_text("".join(f"{method}\n" for method in methods))
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            measured = self.ends([str(self.spl), "run", "--replace", "--quiet", "--require", "--config", str(self.folder / "spl.ini"),
                                  "--tasks", str(self.folder / "all.tasks"), "--out", out, "--", *java])
        plain = self.ends(java)
        if measured[1] == plain[1]:
            return SAME
        if measured[0] == 0 and " differs: " in measured[1] and "line -1" in measured[1]:
            return LINE_UNKNOWN
        kind = {PLAIN: "by default"}.get(configuration, "with all gates open")
        print(f"JDK {number}: {' '.join(mode + arguments)} {kind} differs: status {measured[0]}, "
              f"{measured[1][-300:]!r} instead of {plain[1][-300:]!r}\n{measured[2][-1000:]}")
        return DIFFERENT

    def ends(self, command):
        """Exit status, standard output and errors of a command."""
        try:
            done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=DEADLINE, env={**os.environ, "LC_ALL": "C"})
        except subprocess.TimeoutExpired as late:
            return None, f"no end after {DEADLINE} s", str(late.stderr)
        return done.returncode, done.stdout, done.stderr


if __name__ == "__main__":
    sys.exit(main())
