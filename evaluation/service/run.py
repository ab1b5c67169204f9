#!/usr/bin/env python3
"""Measures what the agent costs a web service and writes evaluation/out/service.json.

Five servers run at a time, each in a JVM of its own: two without an agent, whose difference is that of nothing, one with a dormant
agent, one with probes in ten methods behind closed gates, and one while these methods are measured within a budget. Only one has
load at any moment, all in turn and then in the opposite order, so that a slow moment of the machine meets all alike. The servers
have one processor; the load, and the controllers, another. In each turn a server has all the load that it can bear, which shows its throughput, and then about half of that, which shows how long its answers take.
"""

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from chapter import OUT, ROOT, facts

HERE = ROOT / "evaluation/service"
CLASSES = OUT / "service/classes"
# Of Debian's libtomcat10-java.
JARS = [f"/usr/share/java/tomcat10-{name}.jar" for name in (
    "catalina", "coyote", "util", "util-scan", "juli", "api", "annotations-api", "servlet-api", "jaspic-api")]
SERVER_CPU, LOAD_CPU = 0, 1
# The same heap for all; the collector is the one that a JVM with one processor chooses.
JVM = ["-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"]
CONNECTIONS = 4
# Of the load that is about half of what the server can bear, and milliseconds that each of them waits between requests at most.
BOUNDED, PAUSE_MS = 12, 2
# Seconds of load before the counted ones: the budget follows the program's CPU time once a second.
LEAD = 1
METHODS = 10
# The servers with probes, and what their budget is in place of the one of measuring.ini: almost nothing keeps the gates closed.
BUDGETS = {"gates closed": "0.001%", "measuring": "1%"}
SERVERS = ("alone", "alone again", "dormant agent", *BUDGETS)
# Seconds that starting may take.
DEADLINE = 30


def build():
    CLASSES.mkdir(parents=True, exist_ok=True)
    sources = [str(path) for path in (HERE / "java/service").glob("*.java")]
    subprocess.run(["javac", "--release", "11", "-Xlint:all,-path", "-Werror", "-cp", ":".join(JARS), "-d", str(CLASSES),
                    *sources], check=True)


def on(cpu):
    return lambda: os.sched_setaffinity(0, {cpu})


class Lines:
    """The output of a process, read as it comes."""

    def __init__(self, stream, awaited):
        self.found, self.lines, self.awaited = threading.Event(), [], re.compile(awaited)
        self.match = None
        self.reader = threading.Thread(target=self.read, args=(stream,), daemon=True)
        self.reader.start()

    def read(self, stream):
        for line in stream:
            self.lines.append(line.rstrip("\n"))
            match = self.awaited.search(line)
            if match and not self.match:
                self.match = match
                self.found.set()
        self.found.set()

    def wait(self, what):
        self.found.wait(DEADLINE)
        if not self.match:
            raise SystemExit(f"service: {what} did not come; last lines: {self.lines[-5:]}")
        return self.match


class Process:
    """A program that is ended by its id when it is no longer needed."""

    def __init__(self, command, cpu, stream, awaited, **more):
        self.process = subprocess.Popen(
            command, cwd=ROOT, preexec_fn=on(cpu), text=True, stdin=subprocess.DEVNULL,
            **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: subprocess.PIPE}, **more)
        self.said = Lines(getattr(self.process, stream), awaited)

    def cpu_ms(self):
        """CPU time of all its threads; the number of the clock is clock_getcpuclockid's."""
        return time.clock_gettime_ns(~self.process.pid << 3 | 2) / 1e6

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()


class Server(Process):
    def __init__(self, name, java, out, before=(), option=()):
        base = Path(out, name)
        command = [*before, java, *option, *JVM, "-cp", ":".join([*JARS, str(CLASSES)]), "service.Main", str(base)]
        super().__init__(command, SERVER_CPU, "stdout", r"^port (\d+)$")
        self.name, self.port = name, int(self.said.wait(f"the port of {name}")[1])

    def load(self, seconds, bounded=False):
        """The report of wrk about `seconds` seconds."""
        before = self.cpu_ms()
        connections, pause = (BOUNDED, ["--", str(PAUSE_MS)]) if bounded else (CONNECTIONS, [])
        done = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(HERE / "load.lua"),
             f"http://127.0.0.1:{self.port}", *pause],
            preexec_fn=on(LOAD_CPU), capture_output=True, text=True, check=True)
        said = json.loads(done.stdout.splitlines()[-1])
        if said["errors"] or not said["requests"]:
            raise SystemExit(f"service: {self.name} answered wrongly: {said}")
        return {**said, "cpu_ms": self.cpu_ms() - before}


def controller_of(spl, folder, budget):
    """A controller with this budget. Its token and its results are in this folder."""
    folder.mkdir()
    config = folder / "spl.ini"
    config.write_text((HERE / "measuring.ini").read_text().replace("overhead-budget = 1%", f"overhead-budget = {budget}"))
    return Process(
        [spl, "serve", "--once", "--port", "0", "--token-file", str(folder / "token"), "--config", str(config),
         "--tasks", str(HERE / "service.tasks"), "--out", str(folder / "measured")],
        LOAD_CPU, "stderr", r"listening on port (\d+)", env={**os.environ, "RUST_LOG": "spl_session=info", "NO_COLOR": "1"})


def fork(number, options, out):
    """One JVM of each kind; the figures of every slice."""
    spl = str(Path(ROOT, options.spl).resolve())
    agent = Path(spl).with_name("libspl_agent.so")
    nobody = f"-agentpath:{agent}=spl.client.socket={out}/nobody.sock"
    running, servers = [], []
    try:
        for name in SERVERS:
            more = {"option": [nobody]} if name == "dormant agent" else {}
            if name in BUDGETS:
                controller = controller_of(spl, Path(out, name), BUDGETS[name])
                running.append(controller)
                port = controller.said.wait("the controller's port")[1]
                more = {"before": [spl, "client", "--port", port, "--token-file", str(Path(out, name, "token")), "--"]}
            servers.append(Server(name, options.java, out, **more))
            running.append(servers[-1])
        for _ in range(options.warm_up):
            for server in servers:
                server.load(5)
        began, controller_before = time.monotonic(), controller.cpu_ms()
        slices = []
        for turn in range(options.turns):
            for server in servers if turn % 2 == 0 else reversed(servers):
                server.load(LEAD)
                figures = {"name": server.name, "fork": number, "turn": turn, **server.load(options.seconds)}
                slices.append({**figures, "bounded": server.load(options.seconds, bounded=True)})
        if controller.process.poll() is not None:
            raise SystemExit(f"service: the measurement ended too early: {controller.said.lines[-5:]}")
        controller_ms, passed = controller.cpu_ms() - controller_before, time.monotonic() - began
        status = Path(f"/proc/{controller.process.pid}/status").read_text().splitlines()
        rate = {name: [s["requests"] / s["duration_us"] * 1e6 for s in slices if s["name"] == name]
                for name in SERVERS}
        print(f"fork {number}: " + ", ".join(f"{name} {sum(all) / len(all):.0f} requests/s" for name, all in rate.items()),
              file=sys.stderr)
    finally:
        for process in reversed(running):
            process.end()
    refused = [line for line in controller.said.lines if "cannot be measured" in line or "not loaded" in line]
    if refused:
        print("\n".join(refused), file=sys.stderr)
    samples = {path.name: sum(1 for _ in path.open("rb")) for path in Path(out, "measuring/measured/measurements").glob("*.msr")}
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    return slices, {"fork": number, "controller_cpu_ms": controller_ms, "controller_peak_kib": peak,
                    "seconds": passed, "samples": samples}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("--spl", required=True, help="the controller, its agent in the same folder")
    arguments.add_argument("--java", default="java", help="the JVM's launcher (default: %(default)s)")
    arguments.add_argument("--forks", type=int, default=2, help="JVMs of each kind (default: %(default)s)")
    arguments.add_argument("--turns", type=int, default=20, help="slices of each JVM (default: %(default)s)")
    arguments.add_argument("--seconds", type=int, default=2, help="seconds of a slice (default: %(default)s)")
    arguments.add_argument("--warm-up", type=int, default=2, help="times 5 s of load before (default: %(default)s)")
    options = arguments.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        raise SystemExit("service: the server and its load need a processor each")
    build()
    result = {"schema": "spl.service-evaluation/1", **facts(options.java),
              "command": shlex.join(["evaluation/service/run.py", *sys.argv[1:]]), "connections": CONNECTIONS,
              "slices": [], "forks": []}
    for number in range(1, options.forks + 1):
        with tempfile.TemporaryDirectory() as out:
            slices, about = fork(number, options, out)
        result["slices"] += slices
        result["forks"].append(about)
        if len(about["samples"]) < METHODS:
            raise SystemExit(f"service: only {sorted(about['samples'])} were measured")
    (OUT / "service.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
