#!/usr/bin/env python3
"""The cost of samplers in one JVM, switched on and off in turn: forks of a program differ by more than samplers cost.

Starts each program once, lets it warm up, and then switches each sampler on for some seconds and off again, several times: `spl metrics
--sampled --attach`, async-profiler with the same intervals, and JFR with its own settings `profile`. Prints for each the median turn while it
is on in that of the seconds before and behind, with the least and the most of the times. Needs what `make evaluate-build` builds and
`scripts/setup.sh --drill` fetches.
"""

import math
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from chapter import options as common_options
from programs import ALONE, APPLICATIONS, Tools

# Seconds before the first measured ones, while a sampler is on, and between two.
WARM_UP, ON, OFF = 25, 5, 5
# Seconds that switching takes at most, in which turns do not count.
EDGE = 0.7
SAMPLERS = ("spl metrics --sampled", "async-profiler", "JFR")


def jcmd(pid, *arguments):
    subprocess.run(["jcmd", str(pid), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def switched(tools, sampler, pid, work):
    """Has a sampler on for some seconds; gives the time from which and to which it was."""
    if sampler == "JFR":
        jcmd(pid, "JFR.start", "name=one", "settings=profile")
    elif sampler == "async-profiler":
        jcmd(pid, "JVMTI.agent_load", str(tools.built / "libasyncProfiler.so"), f"start,alloc=512k,lock=10us,jfr,file={work}/profile.jfr")
    else:
        began = time.time()
        subprocess.run([tools.spl, "metrics", "-q", "--replace", "--sampled", "--attach", str(pid), "--for", f"{ON}s", "--out", f"{work}/out"],
                       stdout=subprocess.DEVNULL, check=True)
        return began, time.time()
    began = time.time()
    time.sleep(ON)
    ended = time.time()
    if sampler == "JFR":
        jcmd(pid, "JFR.stop", "name=one", f"filename={work}/flight.jfr")
    else:
        jcmd(pid, "JVMTI.agent_load", str(tools.built / "libasyncProfiler.so"), f"stop,file={work}/profile.jfr")
    return began, ended


def measure(tools, program, times):
    """Ratios of each sampler in one JVM."""
    seconds = WARM_UP + len(SAMPLERS) * times * (ON + OFF + 2 * EDGE + 1.5) + OFF
    with tempfile.TemporaryDirectory() as work:
        command = tools.command(program, ALONE, [program.workload, "1", str(seconds), "6"], work)
        with open(f"{work}/out.txt", "w") as out:
            running = subprocess.Popen(command, stdout=out, stdin=subprocess.DEVNULL)
            try:
                time.sleep(WARM_UP)
                spans = []
                for _ in range(times):
                    for sampler in SAMPLERS:
                        time.sleep(OFF + EDGE)
                        spans.append((sampler, *switched(tools, sampler, running.pid, work)))
                running.wait(300)
            finally:
                # A failure leaves no program behind.
                running.kill()
                running.wait()
            if running.returncode != 0:
                raise SystemExit(f"{program.name}: status {running.returncode}")
        said = {words[0]: words[1:] for line in Path(work, "out.txt").read_text().splitlines() if (words := line.split(" "))}
    origin = int(said["origin"][0]) / 1e3
    ends = [origin + int(word) / 1e6 for word in said["turns"][1:]]
    turns = list(zip(ends, ends[1:]))

    def median(begin, end):
        return statistics.median(to - since for since, to in turns if begin <= since and to <= end)

    found = {sampler: [] for sampler in SAMPLERS}
    for sampler, began, ended in spans:
        around = statistics.fmean([median(began - OFF, began - EDGE / 2), median(ended + EDGE, ended + OFF)])
        found[sampler].append(median(began + EDGE, ended - EDGE / 2) / around)
    return found


def main():
    arguments = common_options(__doc__)
    arguments.add_argument("--apps", default="h2,lucene,xalan,jython", help="applications (default: %(default)s)")
    arguments.add_argument("--times", type=int, default=3, help="times that each sampler is on (default: %(default)s)")
    options = arguments.parse_args()
    all_found = {sampler: [] for sampler in SAMPLERS}
    print("| Application | " + " | ".join(SAMPLERS) + " |\n" + "|---" * (1 + len(SAMPLERS)) + "|")
    with tempfile.TemporaryDirectory() as built:
        tools = Tools(options.spl, options.java, built)
        tools.build()
        for program in (one for one in APPLICATIONS if one.name in options.apps.split(",")):
            found = measure(tools, program, options.times)
            cells = []
            for sampler, ratios in found.items():
                all_found[sampler].append(statistics.median(ratios))
                cells.append(f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")
            print(f"| {program.name} | " + " | ".join(cells) + " |", flush=True)
    means = (math.exp(statistics.fmean(math.log(one) for one in ratios)) for ratios in all_found.values())
    print("| geometric mean | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")


if __name__ == "__main__":
    main()
