#!/usr/bin/env python3
"""Changes one rule of the scheduler's law after the other, in a copy of the sources, and runs the golden traces on each.

A rule that can be changed without failing a trace is a rule that nobody checks. Prints a line `ok rule: killed by TEST`
or `FAIL rule: why` for each rule and ends with status 1 if there is a FAIL. Rules other than the law, of windows, probes and
budgets, may be killed by any test of the crate. Needs what `make setup` installs; takes some ten minutes. With --check
nothing is changed: it is only seen to that each rule's text stands once in its file, which takes no time. With --sample one rule
of each file is changed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rules import BESIDE_THE_LAW, LAW

ROOT = Path(__file__).resolve().parent.parent.parent
# A changed rule may never come to an end.
DEADLINE = 120
TESTS = ["cargo", "test", "--offline", "-q", "-p", "spl-scheduler", "--test", "suite", "--"]
# Only the outcome counts, so the compiler need not describe the code for a debugger.
ENVIRONMENT = {"CARGO_PROFILE_TEST_DEBUG": "0", "CARGO_PROFILE_DEV_DEBUG": "0", "RUST_BACKTRACE": "0",
               "CARGO_TERM_COLOR": "never"}


def misplaced(rule, root):
    """The fault of the text that a rule changes, as a line of its own; `None` if it stands once in its file."""
    name, file, old, new = rule
    path = root / "scheduler/src" / file
    if not path.is_file():
        return f"FAIL {name}: there is no scheduler/src/{file}"
    if old == new:
        return f"FAIL {name}: it changes nothing in scheduler/src/{file}"
    times = path.read_text().count(old)
    if times != 1:
        return f"FAIL {name}: evaluation/mutation/rules.py changes a text of scheduler/src/{file} that stands there {times} times, " \
               f"not once:\n{old}"
    return None


def one_of_each_file(rules):
    """The first rule of each file."""
    firsts = {}
    for rule in rules:
        firsts.setdefault(rule[1], rule)
    return list(firsts.values())


def copy_sources(target):
    """Everything under version control, as it stands now."""
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)


def run_tests(copy, only):
    """The names of the tests that failed; or why they are not known."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "mutation"
    environment = {**os.environ, **ENVIRONMENT, "CARGO_TARGET_DIR": str(target)}
    try:
        run = subprocess.run([*TESTS, *only], cwd=copy, env=environment, capture_output=True, text=True, timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        return ["no end"], ""
    if run.returncode and "could not compile" in run.stderr:
        return [], "it does not compile: " + " ".join(re.findall(r"^error.*$", run.stderr, re.MULTILINE)[:2])
    failed = re.findall(r"^test (\S+) \.\.\. FAILED$|^    (\w+(?:::\w+)+)$", run.stdout, re.MULTILINE)
    names = sorted({one or other for one, other in failed})
    if run.returncode and not names:
        return [], "the tests ended with status " + str(run.returncode)
    if not re.search(r"^test result: .* [1-9]\d* passed|^test result: FAILED", run.stdout, re.MULTILINE):
        return [], "no test ran"
    return names, ""


def check_rule(copy, rule, only):
    """The line for one rule, and whether it is right."""
    wrong = misplaced(rule, copy)
    if wrong:
        return wrong, False
    name, file, old, new = rule
    path = copy / "scheduler/src" / file
    original = path.read_text()
    path.write_text(original.replace(old, new))
    try:
        failed, problem = run_tests(copy, only)
    finally:
        path.write_text(original)
    if problem:
        return f"FAIL {name}: {problem}", False
    if not failed:
        return f"FAIL {name}: no test notices", False
    more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
    return f"ok   {name}: killed by {failed[0]}{more}", True


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("--only", help="only rules whose name contains this")
    arguments.add_argument("--sample", action="store_true", help="only one rule of each file")
    arguments.add_argument("--check", action="store_true", help="change nothing: do the rules' texts stand where they should?")
    options = arguments.parse_args()
    chosen = {only: [rule for rule in (one_of_each_file(rules) if options.sample else rules)
                     if not options.only or options.only in rule[0]]
              for only, rules in (("golden", LAW), ("", BESIDE_THE_LAW))}
    if not any(chosen.values()):
        arguments.error("no rule has this name")
    # A rule that is not found would fail after minutes, so all are looked at before.
    wrong = [line for rules in chosen.values() for rule in rules if (line := misplaced(rule, ROOT))]
    if wrong or options.check:
        print("\n".join(wrong or [f"ok   {sum(map(len, chosen.values()))} rules of the scheduler stand where they are changed"]))
        return 1 if wrong else 0
    right = True
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        copy_sources(copy)
        failed, problem = run_tests(copy, [])
        if failed or problem:
            print(f"FAIL the rules as they are: {problem or ', '.join(failed)}")
            return 1
        for only, rules in chosen.items():
            for rule in rules:
                line, well = check_rule(copy, rule, [only] if only else [])
                right &= well
                print(line, flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
