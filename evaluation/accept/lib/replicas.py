"""Six instances of one program that share the measuring. Prints a line "ok|FAIL claim figure" for each claim.

Arguments: spl, folder of the classes, folder for files, number of kills of programs, of controllers, and "brief" where
other programs use the machine too: then times are not compared, and an instance that a neighbour slows down may be named with the slow one.
"""

import atexit
import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

SPL, CLASSES, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3])
KILLS, KILLS_OF_CONTROLLERS = int(sys.argv[4]), int(sys.argv[5])
BRIEF = sys.argv[6:] == ["brief"]
JAVA = os.environ.get("SPL_TEST_JAVA", "java")
INSTANCES, SLOW = 6, 4
# Windows of each instance before a run is ended.
SEEN = 16
# Windows from which on an instance counts in a verdict.
COUNTS = 8
DEADLINE_S = 120
QUICK, THOROUGH, OTHER = (f"Replica.{name}()V" for name in ("quick", "thorough", "other"))


STARTED = []


@atexit.register
def leave_nothing():
    for process in STARTED:
        if process.poll() is None:
            process.kill()
            process.wait()


def start(command, **streams):
    process = subprocess.Popen(command, **streams)
    STARTED.append(process)
    return process


def say(holds, text):
    print(("ok   " if holds else "FAIL ") + text, flush=True)


def awaits(what, found):
    """Waits until `found` gives something true, and gives it."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.05)
    raise SystemExit(f"FAIL waited {DEADLINE_S} s for {what}")


class Program:
    """One instance of the program, started by `spl client`."""

    def __init__(self, folder, port, name, factor=1):
        command = [SPL, "client", "--instance", name, "--port", str(port), "--token-file", str(folder / "token"), "--"]
        command += [JAVA, "-Xmx32m", "-XX:TieredStopAtLevel=1", "-cp", CLASSES, "Replica", str(factor)]
        self.name, self.log = name, folder / f"{name}-{time.monotonic_ns()}.log"
        out = open(self.log, "w")
        self.process = start(command, stdin=subprocess.PIPE, stdout=out, stderr=out)

    def is_ready(self):
        return "ready" in self.log.read_text()

    def calls(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ends(self):
        self.process.stdin.close()
        self.process.wait(timeout=DEADLINE_S)


class Controller:
    """`spl serve`; started again in the same folder it goes on with the measurement."""

    def __init__(self, folder):
        self.folder, self.number = folder, 0
        self.start(0)

    def start(self, port):
        self.number += 1
        self.log = self.folder / f"serve-{self.number}.log"
        (self.folder / "token").unlink(missing_ok=True)
        command = [SPL, "serve", "--once", "--plain", "--config", str(self.folder / "spl.ini"), "--tasks", str(self.folder / "t.tasks"),
                   "--out", str(self.folder / "out"), "--port", str(port), "--token-file", str(self.folder / "token")]
        self.process = start(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.log, "w"))
        found = awaits("the controller's port", lambda: re.search(r"listening on port (\d+)", self.log.read_text()))
        self.port = int(found.group(1))

    def met(self):
        """Number of programs that were measured so far by this process."""
        return self.log.read_text().count("measuring Java")

    def is_over(self):
        return self.process.poll() is not None

    def decisions(self):
        path = self.folder / "out/decisions.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def prepared(name, tasks, programs):
    folder = WORK / name
    folder.mkdir()
    (folder / "t.tasks").write_text(tasks)
    (folder / "spl.ini").write_text(
        f"[communication]\ninitial-sleep = 0\nprograms = {programs}\n[controller]\nhuman-readable-measurements = 0\n"
        "measurements-to-flush = 1\nmax-method-measurements = 1000000\n[scheduler]\noverhead-budget = none\n"
        "[evaluator]\nhuman-readable-results = 0\nrare-calls = 50\n")
    return folder


def fleet(folder, factors):
    """A controller, and as many programs as there are factors; they call their methods at the same moment."""
    controller = Controller(folder)
    programs = [Program(folder, controller.port, f"web-{at + 1}", factor) for at, factor in enumerate(factors)]
    awaits("all programs", lambda: all(one.is_ready() for one in programs) and controller.met() == len(factors))
    for one in programs:
        one.calls()
    return controller, programs


def time_to_verdict(name, factors):
    """Seconds from the first window to the verdict, and the row of the result. The second claim keeps the run going until each
    instance has been seen."""
    folder = prepared(name, f"{QUICK} < {THOROUGH}\n{THOROUGH} <= {OTHER}\n", len(factors))
    controller, programs = fleet(folder, factors)
    awaits("the first window", lambda: any(row[6] for row in rows(folder / f"out/measurements/{THOROUGH}.msr")))
    began = time.monotonic()
    path = folder / "out/result.eval"
    awaits("the verdict", lambda: path.exists() and path.read_text().endswith("\n"))
    took_s = time.monotonic() - began
    awaits("windows of each instance", lambda: least_windows(folder, len(factors)) >= SEEN)
    controller.process.send_signal(signal.SIGINT)
    awaits("the end", controller.is_over)
    for one in programs:
        one.ends()
    result = next(row for row in csv.reader(open(path)) if QUICK in row[0])
    return took_s, result, controller


def least_windows(folder, instances):
    """Windows, with calls of both methods of the second claim, of the instance that has fewest."""
    of = [{}, {}]
    for found, method in zip(of, (THOROUGH, OTHER)):
        for row in rows(folder / f"out/measurements/{method}.msr"):
            if row[6]:
                found.setdefault(row[8], set()).add(row[6])
    both = [windows & of[1].get(origin, set()) for origin, windows in of[0].items()]
    return min(map(len, both)) if len(both) == instances else 0


def rows(path):
    """The whole rows of a file of calls, which may be written to."""
    if not path.exists():
        return []
    text = path.read_text()
    return [row for row in csv.reader(text[:text.rfind("\n") + 1].splitlines()) if len(row) == 9]


def verdicts():
    one_s, alone, controller = time_to_verdict("one", [1])
    one_said = controller.log.read_text()
    all_s, together, controller = time_to_verdict("six", [3 if at == SLOW else 1 for at in range(INSTANCES)])
    said = controller.log.read_text()
    basis = [alone[9], together[9]]
    low, high = (0.3, 0.95) if BRIEF else (0.5, 0.8)
    say(basis == ["proved", "proved"] and all(low < float(one[10]) < high for one in (alone, together)),
        f"the verdict is right: {basis}, ratios {float(alone[10]):.3f} and {float(together[10]):.3f} (true 0.6)")
    if BRIEF:
        print("note not tried: the time to a verdict, of one instance and of six: needs an idle machine", flush=True)
    else:
        say(all_s <= one_s / 4, f"{INSTANCES} instances decide in at most a quarter of the time of one: {all_s:.1f} s and {one_s:.1f} s")
    slow = f"web-{SLOW + 1}"
    named = set(re.findall(r"(web-\d):\d+ (?:is (?:slower|faster) than|differs from) the other", said))
    say(slow in named if BRIEF else named == {slow}, f"the slow instance {'' if BRIEF else 'alone '}is named: {sorted(named)}")
    document = json.loads((controller.folder / "out/instances.json").read_text())
    claim = document["claims"][-1]
    say(len(claim["instances"]) == INSTANCES and claim["between"] is not None,
        f"the results have {len(claim['instances'])} instances and the variance between them, {claim['between']:.2e}")
    page = (controller.folder / "out/report.html").read_text()
    say(slow in page and "ratios differ by about" in page, "the report names it and says how much instances differ")
    # A controller for one program at a time makes no claim about several.
    say("one instance" not in one_said and not (WORK / "one/out/instances.json").exists(), "one program alone is as before")


def one_of_many():
    folder = prepared("single", f"{QUICK} < {THOROUGH}\n", 1)
    (folder / "spl.ini").write_text((folder / "spl.ini").read_text().replace("programs = 1", "programs = 6"))
    controller, programs = fleet(folder, [1])
    awaits("windows", lambda: sum(one["action"] == "close-window" for one in controller.decisions()) > 10)
    controller.process.send_signal(signal.SIGINT)
    awaits("the end", controller.is_over)
    for one in programs:
        one.ends()
    say("about one instance, web-1:" in controller.log.read_text() and "about one instance" in (folder / "out/report.html").read_text(),
        "of one instance it is said that it is one")


def recorded(folder):
    """The calls of the files: lines, distinct calls (file, origin, thread, start, end), and the origins of each window (file, number)."""
    lines, calls, windows = 0, set(), {}
    for path in sorted((folder / "out/measurements").glob("*.msr")):
        for start, end, _, thread, _, _, window, _, origin in rows(path):
            lines += 1
            calls.add((path.name, origin, thread, start, end))
            if window:
                windows.setdefault((path.name, window), set()).add(origin)
    return lines, calls, windows


def last_windows(windows):
    """The last window of each life of an instance: the one that the life's end may cut off, or that of the controller."""
    last = {}
    for path, number in windows:
        for origin in windows[path, number]:
            last[path, origin] = max(last.get((path, origin), 0), int(number))
    return {(path, str(number)) for (path, _), number in last.items()}


def calls_in(folder, method, windows):
    """Number of a method's calls in windows."""
    path = folder / f"out/measurements/{method}.msr"
    return sum((path.name, row[6]) in windows for row in rows(path))


def judged_instances(path):
    """The instances that count in the last claim, and the windows of each."""
    return {one["name"]: one["windows"] for one in json.loads(path.read_text())["claims"][-1]["instances"]}


def just_counting(folder, windows, cut):
    """Windows of the instances that count in the files and not in the live verdict, since a window was cut off that they needed."""
    live, judged = (judged_instances(at / "instances.json") for at in (folder / "out", folder))
    lost = {name: len({number for path, number in cut if name in windows[path, number]}) for name in judged}
    short = {name for name, number in judged.items() if name not in live and number < COUNTS + lost[name]}
    return {window for window, origins in windows.items() if origins & short}


def kills():
    """Programs and controllers are killed at moments that a seed decides; the files and the verdict agree."""
    tasks = f"{THOROUGH} <= {OTHER}\n"
    folder = prepared("killed", tasks, INSTANCES)
    controller, programs = fleet(folder, [1] * INSTANCES)
    draw = random.Random(20150731)
    todo = ["program"] * KILLS + ["controller"] * KILLS_OF_CONTROLLERS
    draw.shuffle(todo)
    started, cut = INSTANCES, set()
    for what in todo:
        seen = len(controller.decisions())
        awaits("more decisions", lambda: len(controller.decisions()) > seen + draw.randrange(20, 60))
        if what == "program":
            at = draw.randrange(INSTANCES)
            programs[at].kill()
            met = controller.met()
            programs[at] = Program(folder, controller.port, f"web-{at + 1}")
            started += 1
            awaits("the next life of a program", lambda: programs[at].is_ready() and controller.met() > met)
            programs[at].calls()
        else:
            controller.process.kill()
            controller.process.wait()
            cut |= last_windows(recorded(folder)[2])
            controller.start(controller.port)
            awaits("the programs", lambda: controller.met() >= INSTANCES)
    seen = len(controller.decisions())
    awaits("more decisions", lambda: len(controller.decisions()) > seen + 400)
    controller.process.send_signal(signal.SIGINT)
    awaits("the end", controller.is_over)
    for one in programs:
        one.ends()
    lines, calls, windows = recorded(folder)
    say(lines == len(calls) and lines > 0, f"{KILLS} programs and {KILLS_OF_CONTROLLERS} controllers killed: {lines} calls in the files, none twice")
    shared = sum(len(origins) > 1 for origins in windows.values())
    say(shared == 0, f"each of {len(windows)} turns belongs to one instance")
    origins = {call[1] for call in calls}
    say(len(origins) <= started, f"{len(origins)} lives of instances, {started} were started")
    again = folder / "again.eval"
    subprocess.run([SPL, "eval", "--quiet", "--config", str(folder / "spl.ini"), "--tasks", str(folder / "t.tasks"), "--measurements",
                    str(folder / "out/measurements"), "--out", str(again)], check=False, stderr=subprocess.DEVNULL)
    last = list(csv.reader(open(folder / "out/result.eval")))[-1]
    judged = list(csv.reader(open(again)))[-1]
    # The windows that the end of a life cut off are in the files, and may not have been judged.
    cut |= last_windows(windows)
    cut |= just_counting(folder, windows, cut)
    most = [calls_in(folder, method, cut) for method in (THOROUGH, OTHER)]
    near = all(int(judged[at]) - most[side] <= int(last[at]) <= int(judged[at]) for side, at in enumerate((16, 17)))
    say(near and last[5] == judged[5],
        f"the verdict counts what the files have: {last[16:18]} calls live, {judged[16:18]} from the files, {most} of them cut off at most")


def main():
    verdicts()
    one_of_many()
    kills()


main()
