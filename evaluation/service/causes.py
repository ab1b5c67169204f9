#!/usr/bin/env python3
"""Looks for what makes the 99th percentile longer while measuring: one cause is switched off in each server.

Servers run in turn, as in run.py. The scheduling of threads is changed from outside, by chrt (1) and renice (1). Printed are the ratios
of the 99th percentile to the server without an agent, with 95% intervals, and how many bytes of samples came in a second of load.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]
import run
from table import interval

IDLE, BATCH, NICE = ["chrt", "-i", "-p", "0"], ["chrt", "-b", "-p", "0"], ["renice", "-n", "10", "-p"]
# By the name of the cause that is switched off: the budget, and the commands that change the threads of controller and agent.
CAUSES = {
    "nothing": ("1%", None, None),
    "gates-closed": ("0.001%", None, None),
    "controller-idle": ("1%", IDLE, None),
    "controller-batch": ("1%", BATCH, None),
    "controller-nice": ("1%", NICE, None),
    "agent-idle": ("1%", None, IDLE),
    "agent-batch": ("1%", None, BATCH),
    "agent-nice": ("1%", None, NICE),
}
AGENT = ("spl-link", "spl-agent")


def change(command, pid, names=None):
    """Runs the command for the threads of a process, or for those with these names."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        if command and (names is None or (thread / "comm").read_text().strip() in names):
            subprocess.run([*command, thread.name], check=True, stdout=subprocess.DEVNULL)


def stored(folder):
    return sum(path.stat().st_size for path in folder.glob("measured/measurements/*.msr"))


def measure(options, names, out):
    """The 99th percentiles of each server by turn, in microseconds, and the bytes of samples of each in a second of load."""
    running, servers = [], [run.Server("alone", options.java, out)]
    running.append(servers[0])
    try:
        for name in names:
            budget, of_controller, _ = CAUSES[name]
            controller = run.controller_of(options.spl, Path(out, name), budget)
            running.append(controller)
            port = controller.said.wait("the controller's port")[1]
            client = [options.spl, "client", "--port", port, "--token-file", str(Path(out, name, "token")), "--"]
            servers.append(run.Server(name, options.java, out, before=client))
            running.append(servers[-1])
            change(of_controller, controller.process.pid)
        for server in servers * 2:
            server.load(5)
        for server in servers[1:]:
            change(CAUSES[server.name][2], server.process.pid, AGENT)
        found, before = {server.name: [] for server in servers}, {name: stored(Path(out, name)) for name in names}
        for turn in range(options.turns):
            for server in servers if turn % 2 == 0 else reversed(servers):
                server.load(run.LEAD, bounded=options.half)
                found[server.name].append(server.load(2, bounded=options.half)["p99_us"])
        seconds = options.turns * (run.LEAD + 2)
        return found, {name: (stored(Path(out, name)) - before[name]) / seconds for name in names}
    finally:
        for process in reversed(running):
            process.end()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("--spl", required=True, help="the controller, its agent in the same folder")
    arguments.add_argument("--java", default="java", help="the JVM's launcher (default: %(default)s)")
    arguments.add_argument("--turns", type=int, default=10, help="slices of each server (default: %(default)s)")
    arguments.add_argument("--half", action="store_true", help="half load in place of all that a server can bear")
    arguments.add_argument("--only", action="append", choices=CAUSES, help="only this cause; may be repeated")
    options = arguments.parse_args()
    options.spl = str(Path(options.spl).resolve())
    run.build()
    with tempfile.TemporaryDirectory() as out:
        found, rates = measure(options, options.only or list(CAUSES), out)
    for name, rate in rates.items():
        ratios = [ours / alone for ours, alone in zip(found[name], found["alone"])]
        low, high = interval(ratios)
        print(f"{name}: 99th percentile {statistics.median(ratios):.2f} of that without an agent ({low:.2f} to {high:.2f}), "
              f"{rate:,.0f} bytes of samples a second")


if __name__ == "__main__":
    sys.exit(main())
