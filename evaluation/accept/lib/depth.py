#!/usr/bin/env python3
"""Compares the times of a recursion with JMH's: medians of lines `WHO TOTAL_NS OWN_NS`. Fails beyond 5%."""

import statistics
import sys

path, reads = sys.argv[1:]
lines = [line.split() for line in open(path)]
of = {who: [statistics.median(float(line[place]) for line in lines if line[0] == who) for place in (1, 2)] for who in ("jmh", reads)}
alone = of["jmh"][0]
ratios = [time / alone for time in of[reads]]
print(f"JMH {alone:.0f} ns, total {of[reads][0]:.0f} ns ({ratios[0]:.3f}), own {of[reads][1]:.0f} ns ({ratios[1]:.3f})")
sys.exit(any(abs(ratio - 1) > 0.05 for ratio in ratios))
