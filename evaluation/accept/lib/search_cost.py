#!/usr/bin/env python3
"""Says the cost of a search for reasons to a program that answers requests. Arguments: drill.jsonl, and the file of Planted with a line
`SECONDS REQUESTS PROCESSOR_SECONDS` for each 200 ms. Prints the share of the program's processor time that counts took by an
estimate of 1 ns each, then what a request took before the search and during it. The status is 1 if that share is above the search's budget, if it has one."""

import json
import sys


def each_request(lines):
    """Processor milliseconds of the program for each request."""
    (_, requests, cpu), (_, more, later) = lines[0], lines[-1]
    return (later - cpu) / max(1, more - requests) * 1e3


def main():
    steps = [json.loads(line) for line in open(sys.argv[1])]
    lines = [tuple(map(float, line.split())) for line in open(sys.argv[2]) if line.count(" ") == 2]
    budget = next(step["budget"] for step in steps if step["action"] == "begin")
    counts = sum(step.get("counts", 0) for step in steps)
    share = counts / max(1, sum(step.get("program_cpu_ns") or 0 for step in steps))
    # The measurement begins with the program, up to a second.
    seconds = [step["at_ns"] / 1e9 + lines[0][0] for step in (steps[0], steps[-1])]
    before = [line for line in lines if seconds[0] - 30 <= line[0] < seconds[0]]
    during = [line for line in lines if seconds[0] <= line[0] < seconds[1]]
    figure = f"{100 * share:.2f}% in {seconds[1] - seconds[0]:.0f} s"
    if len(before) > 1 and len(during) > 1:
        figure += f"; a request took {each_request(before):.1f} ms of the processor before, {each_request(during):.1f} ms with code that is compiled again"
    print(figure)
    return 0 if budget is None or share <= budget else 1


sys.exit(main())
