#!/usr/bin/env python3
"""Runs spl-scale and writes its figures, with what every part says of its run, to evaluation/out/scale.json."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from chapter import OUT, ROOT, header, options as common_options


def main():
    arguments = common_options(__doc__)
    arguments.add_argument("--repeat", type=int, default=3, help="runs of each size (default: %(default)s)")
    options = arguments.parse_args()
    spl = Path(ROOT, options.spl).resolve()
    result = header("scale", 1, options.java)
    figures = OUT / "scale-figures.json"
    OUT.mkdir(parents=True, exist_ok=True)
    subprocess.run([spl.with_name("spl-scale"), "--spl", spl, "--json", figures, "--repeat", str(options.repeat)], check=True)
    result["figures"] = json.loads(figures.read_text())
    (OUT / "scale.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
