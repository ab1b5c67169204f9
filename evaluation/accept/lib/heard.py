#!/usr/bin/env python3
"""Compares what the JVM's events told `spl metrics` with what the JVM writes itself. Each command ends with status 1 if the claim is wrong.

waits DRILL JFR CLASS         waits for monitors of the program's threads, in methods of a class, with events of JFR
threads DRILL JFR DRILL JFR   threads of the group `main` that one run started and another did not, with events of JFR
classes DRILL LOG PATH        classes with code in a folder, with the lines of -Xlog:class+load

JFR is the output of `jfr print --json`.
"""

import json
import re
import subprocess
import sys


def read(path):
    with open(path) as file:
        return json.load(file)


def of_program(thread):
    group = (thread or {}).get("group")
    while group:
        if group["name"] == "main":
            return True
        group = group["parent"]
    return False


def recorded(path, kind):
    return [event["values"] for event in read(path)["recording"]["events"] if event["type"] == kind]


def waits(drill, jfr, name):
    ours = sum(place["waits"] for place in read(f"{drill}/events.json")["places"] if place["class"] == name)
    # The monitors of the class: itself, and an object.
    monitors = {name, "java/lang/Object", "java/lang/Class"}
    theirs = sum(
        of_program(event["eventThread"]) and event["monitorClass"]["name"].replace(".", "/") in monitors
        for event in recorded(jfr, "jdk.JavaMonitorEnter")
    )
    print(f"{ours} waits, JFR {theirs}")
    return ours > 0 and abs(ours - theirs) <= theirs / 100


def started(jfr):
    return sum(of_program(event["thread"]) for event in recorded(jfr, "jdk.ThreadStart"))


def threads(drill, jfr, other_drill, other_jfr):
    # Some threads of the JVM and of JFR start while one of both does not record; each run has the same ones.
    ours = read(f"{drill}/events.json")["started"] - read(f"{other_drill}/events.json")["started"]
    theirs = started(jfr) - started(other_jfr)
    print(f"{ours} threads, JFR {theirs}")
    return ours == theirs > 0


def classes(drill, log, path):
    ours = {one["name"] for one in read(f"{drill}/drill.json")["classes"]}
    with open(log) as file:
        lines = re.findall(r"\] (\S+) source: file:", file.read())
    theirs = {name for name in lines if "/" not in name}
    # A drill has no classes without code.
    javap = ["javap", "-p", "-c", "-cp", path]
    with_code = {name for name in theirs if "Code:" in subprocess.run([*javap, name], capture_output=True, text=True, check=True).stdout}
    ours = {name.replace("/", ".") for name in ours}
    print(f"{len(ours)} classes, the JVM {len(theirs)}, of which {len(theirs - with_code)} have no code {sorted(ours ^ with_code)[:3] or ''}".strip())
    return ours == with_code and bool(ours)


if __name__ == "__main__":
    what = {"waits": waits, "threads": threads, "classes": classes}[sys.argv[1]]
    sys.exit(0 if what(*sys.argv[2:]) else 1)
