#!/usr/bin/env python3
"""The cost of drills, in turn with JaCoCo, JBInsTrace, async-profiler, JFR and counters written by hand.

`make evaluate-drill` builds what this needs. In each round every program runs once in each way, in a JVM of its own, the program
alone first, so that a slow moment of the machine meets all alike. A fork does the same turn again and again for some seconds and
prints when each turn ended: its start, its steady cost after a warm-up, and its cost later on are three figures of one fork.
A program that fails is noted and left out. The figures are written after every fork; --append goes on where they ended.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from chapter import ROOT, header, options as common_options
from programs import ALONE, APPLICATIONS, HELLO, KERNELS, VARIANTS, Tools, version, versions

# Seconds of a short fork since its main method, and of those the warm-up's; of a kernel's; of a fork that sees a wave of `cover` or the
# end of a drill; and those at the end of it that count as later on.
SHORT, WARM_UP = 3.0, 2.0
KERNEL, KERNEL_WARM_UP = 1.5, 1.0
LONG, LATER = 7.5, 1.2
# Turns that a fork does at least, so that a slow way has some after its first.
LEAST = 6
# Seconds that a fork may take.
DEADLINE = 150
# Ticks of /proc/PID/stat in a second.
TICKS = os.sysconf("SC_CLK_TCK")


class Job:
    """One fork: what for, which program, which way."""

    def __init__(self, row, program, variant, seconds, threads=1, least=LEAST, warm_up=WARM_UP):
        self.row, self.program, self.variant = row, program, variant
        self.seconds, self.threads, self.least, self.warm_up = seconds, threads, least, warm_up
        # Of a long fork, the seconds at its end that count as later on.
        self.later = LATER if seconds >= LONG and row == "steady" else 0

    def slow_down(self, factor):
        """Takes as many times as long."""
        self.seconds, self.warm_up, self.later = self.seconds * factor, self.warm_up * factor, self.later * factor

    def key(self, number):
        return [number, self.row, self.program.name, self.variant.name, self.threads]

    def arguments(self):
        workload = self.program.workload.replace("$", "$Floor") if self.variant.floor else self.program.workload
        return [workload, str(self.threads), str(self.seconds), str(self.least)]


def way(name):
    return next(v for v in VARIANTS if v.name == name)


def jobs(number, programs, forks):
    """The forks of a round, the program alone before its other ways. Costly ways have fewer rounds."""
    some = number <= max(1, min(3, forks - 2))
    for at, program in enumerate(programs):
        yield Job("steady", program, ALONE, LONG if some else SHORT)
        yield Job("steady", program, way("cover"), LONG if some else SHORT)
        for name in ("blocks", "blocks --counts shared", "JaCoCo", "blocks --jdk", "calls", "calls --jdk", "receivers", "receivers --jdk", "metrics --sampled", "async-profiler", "JFR"):
            yield Job("steady", program, way(name), SHORT)
        if number == 1:
            yield Job("steady", program, way("JBInsTrace"), SHORT)
            if at < 2:
                yield Job("steady", program, way("JBInsTrace --jdk"), SHORT)
            for name in ("alone", "cover", "blocks", "JaCoCo", "JBInsTrace"):
                yield Job("sizes", program, way(name), 0, least=1)
        # Half of the programs each.
        if number <= 2 and at % 2 == 0:
            yield Job("steady", program, way("ended"), LONG)
        elif number <= 2:
            yield Job("steady", program, way("dormant"), SHORT)
    for kernel in KERNELS:
        for name in ("alone", "floor", "blocks", *(("cover", "JaCoCo") if some else ())):
            yield Job("kernel", kernel, way(name), KERNEL, warm_up=KERNEL_WARM_UP)
    for program in (*programs[:1], KERNELS[-1]) if number <= 2 else ():
        for threads in (1, 2, 4):
            for name in ("alone", "blocks"):
                yield Job("threads", program, way(name), SHORT, threads, warm_up=WARM_UP)
    for name in ("alone", "dormant", "cover", "blocks", "blocks --jdk", "JaCoCo", "JBInsTrace", "JBInsTrace --jdk"):
        yield Job("start", HELLO, way(name), 0)


def waves(seconds, programs):
    """A look at one program for longer: the later waves of `cover`."""
    for name in ("alone", "cover", "JaCoCo"):
        yield Job("waves", programs[0], way(name), seconds)


class Failed(Exception):
    """A fork that gave no figures, and why."""


def run(command, work):
    """Runs a command to its end: seconds until something was printed and until the end, processor seconds of it and of all that it
    started, standard output."""
    out, errors = Path(work, "out.txt"), Path(work, "errors.txt")
    environment = {name: value for name, value in os.environ.items() if name not in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")}
    with out.open("w") as said, errors.open("w") as noted:
        day = time.time()
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=noted,
                                   start_new_session=True)
        usage, printed = wait(process, began, out)
    took = time.monotonic() - began
    text, complaints = out.read_text(), errors.read_text()
    if process.returncode != 0:
        lines = [line for line in complaints.splitlines() if line.strip()] or ["nothing was said"]
        raise Failed(f"status {process.returncode}: {lines[0][:160]}")
    return {"day": day, "seconds": took, "printed": printed or took, "cpu": usage.ru_utime + usage.ru_stime, "out": text, "errors": complaints}


def wait(process, began, out):
    """Waits for a process, and says when it began to print; ends it and what it started when it takes too long."""
    printed = None
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage, printed
        if printed is None and out.stat().st_size:
            printed = time.monotonic() - began
        if time.monotonic() - began > DEADLINE:
            os.killpg(process.pid, signal.SIGKILL)
            os.wait4(process.pid, 0)
            process.returncode = -signal.SIGKILL
            raise Failed(f"it took over {DEADLINE} s")
        time.sleep(0.002)


def fork(tools, job):
    """Figures of one fork."""
    with tempfile.TemporaryDirectory() as work:
        agents = [f"-javaagent:{tools.built}/sizes.jar={work}/sizes.txt"] if job.row == "sizes" else []
        ran = run(tools.command(job.program, job.variant, job.arguments(), work, agents), work)
        figures = {"seconds": round(ran["seconds"], 4), "cpu_s": round(ran["cpu"], 3)}
        if job.program is HELLO:
            figures["printed_s"] = round(ran["printed"], 4)
        if job.row == "sizes":
            figures["sizes"] = sizes(Path(work, "sizes.txt"))
        if job.program is not HELLO and job.row != "sizes":
            figures |= turns(job, ran)
        if job.variant.drill:
            drill = json.loads(Path(work, "out/drill/drill.json").read_text())
            figures["drill"] = {"classes": len(drill["classes"]), "left": len(drill["left"]), "exact": drill["is_exact"]}
        if "JBInsTrace" in job.variant.name:
            figures["events"] = next((line for line in ran["errors"].splitlines() if line.startswith("jbinstrace: ") and " events" in line), "")
        return figures


def sizes(path):
    """Bytes of each class of the program, and of its code."""
    lines = (line.split(" ") for line in path.read_text().splitlines())
    return {name: [int(size), int(code)] for name, size, code in lines if not name.startswith(("bench/", "sizes/", "jbinstrace/"))}


def turns(job, ran):
    """Figures of the turns; times in seconds since the command was given."""
    lines = [line.split(" ") for line in ran["out"].splitlines()]
    said = {words[0]: words[1:] for words in lines if words}
    if not {"origin", "cpu", "turns", "value"} <= said.keys():
        raise Failed(f"it printed {ran['out'][:80]!r}")
    main = int(said["origin"][0]) / 1e3 - ran["day"]
    ends, used = ([[int(word) / 1e6 for word in words[2:]] for words in lines if words[0] == kind] for kind in ("turns", "used"))
    threads = [list(zip(*pair)) for pair in zip(ends, used)]
    figures = {"value": said["value"][0], "main_s": round(main, 4), "first_s": round(main + ends[0][0], 4)}
    end = min(one[-1] for one in ends)
    figures["steady"] = window(threads, job.warm_up, 1.5 * job.warm_up)
    if job.later:
        figures["later"] = window(threads, job.seconds - job.later, end)
    figures["ends"] = [round(main + at, 3) for at in ends[0]]
    # The controller took all but the JVM until its last turn.
    figures["controller_s"] = round(ran["cpu"] - int(said["cpu"][-1]) / TICKS, 3)
    return figures


def window(threads, begin, end):
    """Milliseconds of a turn and of its thread's processor time, and turns a second of all threads, of the turns that began in a window;
    of a slow program the last three."""
    times, used, rate = [], [], 0
    for turns in threads:
        steps = [(last, at) for last, at in zip(turns, turns[1:]) if begin <= last[0] and at[0] <= end + 0.5 * (at[0] - last[0])]
        steps = steps if len(steps) >= 3 else list(zip(turns, turns[1:]))[-3:]
        if not steps:
            raise Failed("it had no turn to measure")
        times += [at[0] - last[0] for last, at in steps]
        used += [at[1] - last[1] for last, at in steps]
        rate += len(steps) / (steps[-1][1][0] - steps[0][0][0])
    milli = lambda values: round(1e3 * statistics.median(values), 4)
    return {"ms": milli(times), "turns": len(times), "rate": round(rate, 4), "cpu_ms": milli(used)}


class Result:
    """The figures, written after every fork."""

    def __init__(self, target, head, append):
        self.target = target
        older = json.loads(target.read_text()) if append and target.exists() else {}
        self.result = {**head, "forks": older.get("forks", []), "failed": [], "skipped": []}
        self.done = [[fork[name] for name in ("round", "row", "program", "variant", "threads")] for fork in self.result["forks"]]

    def write(self):
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self.target.write_text(json.dumps(self.result, separators=(",", ":")).replace('{"round"', '\n{"round"') + "\n")

    def measure(self, tools, number, job):
        """One fork, unless it is there or known to fail."""
        names = dict(zip(("round", "row", "program", "variant", "threads"), job.key(number)))
        known = any(one["program"] == names["program"] and one["variant"] == names["variant"] for one in self.result["failed"])
        if job.key(number) in self.done or known:
            return
        try:
            figures = fork(tools, job)
            self.same(job, figures)
        except (Failed, OSError, ValueError, KeyError) as problem:
            self.result["failed"].append({**names, "why": f"{problem}"})
            print(f"round {number}: {job.program.name}, {job.variant.name}: left out: {problem}", file=sys.stderr)
        else:
            self.result["forks"].append({**names, "load": round(os.getloadavg()[0], 2), **figures})
            said = f"{figures['steady']['ms']:.2f} ms a turn, first after {figures['first_s']:.2f} s" if "steady" in figures else ""
            print(f"round {number}: {job.row}: {job.program.name}, {job.variant.name}, {job.threads} threads: {figures['seconds']:.2f} s, {said}",
                  file=sys.stderr)
        self.write()

    def same(self, job, figures):
        """Nothing changes what a program computes."""
        for one in self.result["forks"]:
            if one["program"] == job.program.name and "value" in one and "value" in figures and one["value"] != figures["value"]:
                raise Failed(f"its turns gave {figures['value']} in place of {one['value']}")


def main():
    arguments = common_options(__doc__)
    arguments.add_argument("--forks", type=int, default=5, help="forks of each program in each way, one a round (default: %(default)s)")
    arguments.add_argument("--apps", default="h2,lucene,ecj,xalan,antlr,jython,sunflow", help="applications (default: %(default)s)")
    arguments.add_argument("--rows", default="steady,sizes,kernel,threads,start", help="what to measure (default: %(default)s)")
    arguments.add_argument("--pace", type=float, default=1, help="times as many seconds for each fork, for a busy machine (default: %(default)s)")
    arguments.add_argument("--ways", help="only these ways and the program alone (default: all)")
    arguments.add_argument("--waves", type=float, default=26, help="seconds of one look at later waves, 0 for none (default: %(default)s)")
    arguments.add_argument("--append", action="store_true", help="add to the forks that the file has")
    arguments.add_argument("--out", default="evaluation/out/drill.json", help="the file to write (default: %(default)s)")
    options = arguments.parse_args()
    ways = options.ways and ["alone", *options.ways.split(",")]
    wanted = options.apps.split(",")
    known = [p.name for p in (*APPLICATIONS, *KERNELS)]
    if set(wanted) - set(known) - {""}:
        arguments.error(f"there is no application {', '.join(set(wanted) - set(known))}; there are {', '.join(known)}")
    result = Result(ROOT / options.out, header("drill", 1, options.java), options.append)
    with tempfile.TemporaryDirectory() as built:
        tools = Tools(options.spl, options.java, built)
        tools.build()
        measure(tools, result, options, wanted, ways)
    for failed in result.result["failed"]:
        print(f"drill: {failed['program']}, {failed['variant']}: {failed['why']}", file=sys.stderr)
    return 0 if result.result["forks"] else 1


def measure(tools, result, options, wanted, ways):
    """All rounds, of what is there."""
    found = result.result
    found["versions"] = versions()
    found["tools"] = {name: version(name) for name in ("org.jacoco.agent", "asm-tree", "async-profiler")}
    missing = {p.name: tools.missing(p) for p in APPLICATIONS if p.name in wanted and tools.missing(p)}
    programs = [p for p in (*APPLICATIONS, *KERNELS) if p.name in wanted and p.name not in missing]
    found["skipped"] = [{"program": name, "why": f"{Path(file).name} is not there"} for name, file in missing.items()]
    found["skipped"] += [{"variant": name, "why": "this `spl` does not know it"} for name, known in tools.known.items() if not known]
    for number in range(1, options.forks + 1):
        looks = waves(options.waves, programs) if number == 1 and options.waves and programs else ()
        for job in (*jobs(number, programs, options.forks), *looks):
            job.slow_down(options.pace)
            if tools.known[job.variant.name] and (not ways or job.variant.name in ways) and job.row in (*options.rows.split(","), "waves"):
                result.measure(tools, number, job)
    result.write()


if __name__ == "__main__":
    sys.exit(main())
