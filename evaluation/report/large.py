#!/usr/bin/env python3
"""Makes the report of a run of many comparisons, and prints a line `ok|FAIL claim figure` of how large it is, how long it took and how much
memory. Usage: large.py SPL COMPARISONS."""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Samples of each method, as `min-method-measurements` has them by default.
SAMPLES = 50
# Size of a page that still opens in a moment on any machine.
LIMIT_BYTES, LIMIT_SECONDS, LIMIT_KIB = 30e6, 60, 1024 * 1024


def record(folder, count):
    """The files of a run of `count` comparisons of two methods each."""
    methods = [f"p/C{number // 2}.{'lr'[number % 2]}()V" for number in range(2 * count)]
    keys = ("section", "key", "value", "default")
    context = {
        "schema": "spl.context/1", "tasks": "", "spl": "0", "tasks_file": "many.tasks", "result_file": "result.eval",
        "measurements": "measurements", "older_bytes": [0, 0, 0], "began_unix_ms": 0, "programs": [], "paired": False,
        "judge": "welch", "correction": "none", "limit_p": 0.05, "min_samples": SAMPLES, "max_samples": 1000, "scale": None,
        "budget": None, "settings": [dict(zip(keys, ("scheduler", "window", "20", "100")))], "assertions": [], "end": None,
        "comparisons": [{"line": n + 1, "left": 2 * n, "sign": "<=", "left_factor": 1, "right_factor": 2, "right": 2 * n + 1}
                        for n in range(count)],
        "methods": [{"method": name, "remark": None, "counts": None} for name in methods],
    }
    (folder / "context.json").write_text(json.dumps(context))
    (folder / "measurements").mkdir()
    for number, name in enumerate(methods):
        lines = (f"{call * 1000},{call * 1000 + 500 + call * call * 7919 % 101},0,1,{name},-,,0,1\n" for call in range(SAMPLES))
        (folder / "measurements" / f"{name.replace('/', '.')}.msr").write_text("".join(lines))
    result = "p/C{0}.l()V,<=,1,2,p/C{0}.r()V,holds,0.001,50,-,proved,0.5,0.4,0.6,0.95,0,,50,50,500,1000,500,1000,9,9,-9,90,0.001,0.999,0.002,{1},\n"
    (folder / "result.eval").write_text("".join(result.format(n, n + 1) for n in range(count)))


def main():
    spl, count = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        record(folder, count)
        began = time.monotonic()
        subprocess.run([spl, "report", folder], check=True, stderr=subprocess.DEVNULL)
        seconds = time.monotonic() - began
        size = (folder / "report.html").stat().st_size
    kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    good = size < LIMIT_BYTES and seconds < LIMIT_SECONDS and kib < LIMIT_KIB
    figure = f"{size / 1e6:.1f} MB in {seconds:.1f} s with {kib / 1024:.0f} MiB"
    limits = f"at most {LIMIT_BYTES / 1e6:.0f} MB, {LIMIT_SECONDS} s, {LIMIT_KIB // 1024} MiB"
    print(f"{'ok  ' if good else 'FAIL'} {count} comparisons make a file that opens: {figure} ({limits})")
    sys.exit(not good)


if __name__ == "__main__":
    main()
