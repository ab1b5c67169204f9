#!/usr/bin/env python3
"""The cost of traces of whole programs, from their start to their end, in turn with JBInsTrace.

`make evaluate-whole` builds what this needs. In each round every program runs once in each way, alone first, in a JVM of its own. A fork
has four figures: seconds until the program was done, seconds until its trace was written, and the processor time of both. On a machine
with other work the processor times say more. The first round also traces without the JDK's classes, where both tools see the same
code, and counts the blocks of each trace. A program that fails is noted and left out. The figures are written after every fork.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from chapter import ROOT, header, options as common_options
from programs import OWN_PEER, OWN_TRACE, PROGRAMS, WAYS, Tools, missing

# Seconds that a fork may take, and those of a question to a trace.
DEADLINE = 900
TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """A fork that gave no figures, and why."""


class Screen:
    """A screen in memory, on a display that was free; only while it is needed."""

    def __init__(self):
        self.server, self.name = None, None

    def start(self):
        ready, told = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(told), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
                                       pass_fds=[told], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(told)
        with os.fdopen(ready) as said:
            number = said.readline().strip()
        if not number:
            raise Failed("Xvfb gave no display")
        self.name = f":{number}"

    def end(self):
        if self.server:
            self.server.terminate()
            self.server.wait()


def run(command, work, screen):
    """Runs a command to its end: what it printed, its beginning, seconds, and processor seconds of all that it started."""
    dropped = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "DISPLAY")
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    if screen:
        environment["DISPLAY"] = screen
    out, errors = Path(work, "out.txt"), Path(work, "errors.txt")
    with out.open("w") as said, errors.open("w") as noted:
        day, began = time.time(), time.monotonic()
        process = subprocess.Popen(command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=noted,
                                   start_new_session=True)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            took = time.monotonic() - began
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                break
            if took > DEADLINE:
                os.killpg(process.pid, signal.SIGKILL)
                os.wait4(process.pid, 0)
                process.returncode = -signal.SIGKILL
                break
            time.sleep(0.005)
    text, complaints = out.read_text(errors="replace"), errors.read_text(errors="replace")
    if process.returncode != 0:
        lines = [line for line in complaints.splitlines() if line.strip()] or ["nothing was said"]
        raise Failed(f"status {process.returncode} after {took:.0f} s: {lines[-1][:160]}")
    return {"day": day, "seconds": took, "cpu": usage.ru_utime + usage.ru_stime, "out": text, "errors": complaints}


def fork(tools, program, way, screen, counts):
    """Figures of one fork; with `counts` the blocks of a trace are counted."""
    with tempfile.TemporaryDirectory() as work:
        for name in ("made", "trace"):
            Path(work, name).mkdir()
        ran = run(tools.command(program, way, work), work, screen)
        ended = re.search(r"^ended (\d+) (\d+)$", ran["out"], re.M)
        value = re.search(r"^value (.*)$", ran["out"], re.M)
        if not ended or not value:
            raise Failed(f"it printed {ran['out'][:80]!r}")
        figures = {
            "ended_s": round(int(ended[1]) / 1e3 - ran["day"], 3), "ended_cpu_s": int(ended[2]) / TICKS,
            "seconds": round(ran["seconds"], 3), "cpu_s": round(ran["cpu"], 2), "value": f"{value[1]} {made(Path(work, 'made'))}",
        }
        if way.spl:
            figures["trace"] = ours(tools.spl, Path(work), ran["errors"], counts)
        if way.peer:
            figures["trace"] = theirs(ran)
            figures["seconds"] = figures["trace"].pop("written_s")
        return figures


def made(folder):
    """A digest of the class files that a program has made."""
    digest, count = hashlib.sha256(), 0
    for path in sorted(folder.rglob("*.class")):
        digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
        count += 1
    return f"{count} {digest.hexdigest()[:16]}"


def ours(spl, work, said, counts):
    """Figures of the trace of `spl drill`."""
    folder = work / "out/drill"
    drill = json.loads((folder / "drill.json").read_text())
    found = {"words": sum(drill["traces"].values()),
             "disk_bytes": sum(file.stat().st_size for file in folder.glob("trace/*.spt")),
             "all_bytes": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
             "classes": len(drill["classes"]), "left": len(drill["left"]),
             "said": [line for line in said.splitlines() if line.strip()][:40]}
    lost = re.search(r"([\d,]+) events? found no room", said)
    found["lost"] = int(lost[1].replace(",", "")) if lost else 0
    if counts:
        answer = subprocess.run([spl, "trace", "size", work / "out"], capture_output=True, text=True, timeout=DEADLINE, check=False)
        head = re.search(r"([\d,]+) threads?, ([\d,]+) calls?, ([\d,]+) blocks?, ([\d,]+) bytecodes?", answer.stdout)
        if answer.returncode != 0 or not head:
            raise Failed(f"spl trace size: {(answer.stderr or answer.stdout)[:160]!r}")
        numbers = [int(number.replace(",", "")) for number in head.groups()]
        found |= dict(zip(("threads", "calls", "blocks", "bytecodes"), numbers)) | {"size_said": answer.stderr.splitlines()[:10]}
    return found


def theirs(ran):
    """Figures of the trace of JBInsTrace, which says them at the end."""
    lines = dict(re.findall(r"^jbinstrace: (written|kinds) (.*)$", ran["errors"], re.M))
    if lines.keys() != {"written", "kinds"}:
        raise Failed(f"JBInsTrace said {ran['errors'][-160:]!r}")
    when, size = map(int, lines["written"].split())
    kinds = dict(zip(("classes", "calls", "ends", "blocks"), map(int, lines["kinds"].split())))
    return {"written_s": round(when / 1e3 - ran["day"], 3), "disk_bytes": size, **kinds}


class Result:
    """The figures, written after every fork."""

    def __init__(self, target, head, append):
        self.target = target
        older = json.loads(target.read_text()) if append and target.exists() else {}
        self.result = {**head, "forks": older.get("forks", []), "failed": [], "skipped": []}

    def write(self):
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self.target.write_text(json.dumps(self.result, separators=(",", ":")).replace('{"round"', '\n{"round"') + "\n")

    def measure(self, tools, number, program, way, screen):
        """One fork, unless it is there or known to fail."""
        names = {"round": number, "program": program.name, "way": way.name}
        same = lambda one: one["program"] == program.name and one["way"] == way.name
        counted = any(same(one) and "blocks" in one.get("trace", {}) for one in self.result["forks"])
        if any(same(one) and one["round"] == number for one in self.result["forks"]) or any(map(same, self.result["failed"])):
            return
        load = round(os.getloadavg()[0], 2)
        try:
            figures = fork(tools, program, way, screen, not counted)
            other = next((one["value"] for one in self.result["forks"] if one["program"] == program.name), figures["value"])
            if figures["value"] != other:
                raise Failed(f"it made {figures['value']} in place of {other}")
        except (Failed, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as problem:
            self.result["failed"].append({**names, "why": f"{problem}"})
            print(f"round {number}: {program.name}, {way.name}: left out: {problem}", file=sys.stderr)
        else:
            self.result["forks"].append({**names, "load": load, **figures})
            done = f"done after {figures['ended_s']:.2f} s and {figures['ended_cpu_s']:.2f} s of a processor"
            written = f"written after {figures['seconds']:.2f} s and {figures['cpu_s']:.2f} s"
            print(f"round {number}: {program.name}, {way.name}: {done}, {written}; load {load}", file=sys.stderr, flush=True)
        self.write()


def main():
    arguments = common_options(__doc__)
    arguments.add_argument("--forks", type=int, default=5, help="forks of each program in each way, one a round (default: %(default)s)")
    arguments.add_argument("--programs", default="ecj,sunflow,h2,ant,jedit", help="programs (default: %(default)s)")
    arguments.add_argument("--ways", help="only these ways and the program alone (default: all)")
    arguments.add_argument("--append", action="store_true", help="add to the forks that the file has")
    arguments.add_argument("--out", default="evaluation/out/whole.json", help="the file to write (default: %(default)s)")
    options = arguments.parse_args()
    wanted, known = options.programs.split(","), [program.name for program in PROGRAMS]
    if set(wanted) - set(known):
        arguments.error(f"there is no program {', '.join(sorted(set(wanted) - set(known)))}; there are {', '.join(known)}")
    ways = [way for way in WAYS if not options.ways or way.name in ("alone", *options.ways.split(","))]
    result = Result(ROOT / options.out, header("whole", 1, options.java), options.append)
    chosen = [program for name in wanted for program in PROGRAMS if program.name == name]
    for program in chosen:
        lacks = missing(program) or ("Xvfb" if program.needs_screen and not shutil.which("Xvfb") else None)
        if lacks:
            result.result["skipped"].append({"program": program.name, "why": f"{Path(lacks).name} is not there"})
    chosen = [program for program in chosen if all(one["program"] != program.name for one in result.result["skipped"])]
    screen = Screen()
    try:
        if any(program.needs_screen for program in chosen):
            screen.start()
        with tempfile.TemporaryDirectory() as built:
            tools = Tools(options.spl, options.java, built, chosen, any(way.peer for way in ways))
            for number in range(1, options.forks + 1):
                for program in chosen:
                    for way in ways:
                        if number == 1 or way not in (OWN_TRACE, OWN_PEER):
                            result.measure(tools, number, program, way, screen.name if program.needs_screen else None)
    finally:
        screen.end()
    result.write()
    for failed in result.result["failed"]:
        print(f"whole: {failed['program']}, {failed['way']}: {failed['why']}", file=sys.stderr)
    return 0 if result.result["forks"] else 1


if __name__ == "__main__":
    sys.exit(main())
