#!/usr/bin/env python3
"""Puts the figures of evaluation/out/sizes.json (spl-overhead --only sizes --json) as a table into docs/evaluation.md."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/evaluation.md"
FIGURES = ROOT / "evaluation/out/sizes.json"
BEGIN = "<!-- sizes: begin, made by `make overhead-sizes` -->"
END = "<!-- sizes: end -->"


def nanoseconds(figure):
    return f"{figure:,.0f}"


def table(claims):
    """A line for each shape, a column for each mode."""
    modes, shapes = [], {}
    for claim in claims:
        mode, shape = claim["claim"].split(": ", 1)
        if mode not in modes:
            modes.append(mode)
        shapes.setdefault(shape, {})[mode] = claim["figure"]
    yield "| Argument | " + " | ".join(f"`{mode}`" for mode in modes) + " |"
    yield "|---" * (1 + len(modes)) + "|"
    for shape, figures in shapes.items():
        yield f"| {shape} | " + " | ".join(nanoseconds(figures[mode]) for mode in modes) + " |"


def main():
    claims = json.loads(FIGURES.read_text())["claims"]
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(before + BEGIN + "\n\n" + "\n".join(table(claims)) + "\n\n" + END + after)


if __name__ == "__main__":
    main()
