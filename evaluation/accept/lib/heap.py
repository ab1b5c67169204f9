#!/usr/bin/env python3
"""Compares the heap that a drill has found with a dump that the JVM itself writes a moment later.

heap.py SPL JAVA_HOME CLASSES FOLDER CLASS...: runs each program with `spl metrics --heap`, which it has to wait for its input behind; prints a figure and has
status 0 if all classes of the program agree in objects and places, and nearly all objects of others.
"""

import collections
import glob
import json
import os
import struct
import subprocess
import sys
import threading

SIZES = {2: 0, 4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
ARRAYS = {4: "[Z", 5: "[C", 6: "[F", 7: "[D", 8: "[B", 9: "[S", 10: "[I", 11: "[J"}
# Ids behind the first one, and further bytes, of each kind of root.
ROOTS = {0xFF: (0, 0), 0x01: (1, 0), 0x02: (0, 8), 0x03: (0, 8), 0x04: (0, 4), 0x05: (0, 0), 0x06: (0, 4), 0x07: (0, 0), 0x08: (0, 8)}
REFERENCE = 2
# Share of the JDK's objects that may differ: the agent and jcmd are at work between the two looks.
MAY_DIFFER = 0.05


class Dump:
    """A dump in the JVM's binary form: objects by class and number of references, places by number of objects."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        at = self.bytes.index(0) + 1
        (self.id,) = struct.unpack_from(">I", self.bytes, at)
        at += 12
        self.texts, self.names, self.classes = {}, {}, {}
        self.objects, self.arrays, segments = [], [], []
        while at < len(self.bytes):
            tag, _, length = struct.unpack_from(">BII", self.bytes, at)
            at += 9
            if tag == 0x01:
                self.texts[self.one(at)] = self.bytes[at + self.id : at + length].decode("utf-8", "replace")
            elif tag == 0x02:
                self.names[self.one(at + 4)] = self.texts[self.one(at + 8 + self.id)]
            elif tag in (0x0C, 0x1C):
                segments.append((at, at + length))
            at += length
        self.statics, self.of = [], {}
        for begin, end in segments:
            while begin < end:
                begin = self.record(begin)

    def one(self, at):
        return int.from_bytes(self.bytes[at : at + self.id], "big")

    def record(self, at):
        kind, at = self.bytes[at], at + 1
        if kind in ROOTS:
            ids, more = ROOTS[kind]
            return at + (1 + ids) * self.id + more
        return {0x20: self.class_, 0x21: self.instance, 0x22: self.array, 0x23: self.numbers}[kind](at)

    def size(self, kind):
        return self.id if kind == REFERENCE else SIZES[kind]

    def class_(self, at):
        own, parent = self.one(at), self.one(at + self.id + 4)
        at += 7 * self.id + 8
        (count,) = struct.unpack_from(">H", self.bytes, at)
        at += 2
        for _ in range(count):
            at += 3 + self.size(self.bytes[at + 2])
        (count,) = struct.unpack_from(">H", self.bytes, at)
        at += 2
        for number in range(count):
            kind = self.bytes[at + self.id]
            # References of the JVM's own have names that no field has.
            if kind == REFERENCE and not self.texts[self.one(at)].startswith("<"):
                self.statics.append((own, number, self.one(at + self.id + 1)))
            at += self.id + 1 + self.size(kind)
        (count,) = struct.unpack_from(">H", self.bytes, at)
        at += 2
        kinds = [self.bytes[at + one * (self.id + 1) + self.id] for one in range(count)]
        self.classes[own] = (parent, kinds)
        return at + count * (self.id + 1)

    def instance(self, at):
        (length,) = struct.unpack_from(">I", self.bytes, at + 2 * self.id + 4)
        begin = at + 2 * self.id + 8
        self.of[self.one(at)] = self.one(at + self.id + 4)
        self.objects.append((self.one(at + self.id + 4), begin))
        return begin + length

    def array(self, at):
        (count,) = struct.unpack_from(">I", self.bytes, at + self.id + 4)
        of, begin = self.one(at + self.id + 8), at + 2 * self.id + 8
        self.of[self.one(at)] = of
        self.arrays.append((of, [self.one(begin + one * self.id) for one in range(count)]))
        return begin + count * self.id

    def numbers(self, at):
        (count,) = struct.unpack_from(">I", self.bytes, at + self.id + 4)
        kind = self.bytes[at + self.id + 8]
        self.of[self.one(at)] = ARRAYS[kind]
        return at + self.id + 9 + count * SIZES[kind]

    def found(self):
        """Objects and places of each class, in bins."""
        to, places = collections.Counter(), collections.defaultdict(set)

        def refers(place, target):
            places[place].update([target] if target else [])
            to[target] += 1

        for own, number, target in self.statics:
            refers((own, "static", number), target)
        for of, at in self.objects:
            while of:
                parent, kinds = self.classes[of]
                for number, kind in enumerate(kinds):
                    if kind == REFERENCE:
                        refers((of, "own", number), self.one(at))
                    at += self.size(kind)
                of = parent
        for of, targets in self.arrays:
            places[(of, "elements", 0)].update(())
            for target in filter(None, targets):
                refers((of, "elements", 0), target)
        (of_classes,) = [one for one, name in self.names.items() if name == "java/lang/Class"]
        self.of.update((one, of_classes) for one in self.classes)
        classes = collections.defaultdict(lambda: ([0] * 5, [0] * 5))
        name = lambda of: of if isinstance(of, str) else self.names[of].replace(".", "/").replace("+", "/")
        for own, of in self.of.items():
            classes[name(of)][0][bin_of(to[own])] += 1
        for (of, *_), targets in places.items():
            classes[name(of)][1][bin_of(len(targets))] += 1
        return classes


def bin_of(number):
    return number if number < 3 else 3 if number < 8 else 4


def child(pid):
    """The program that `spl` has started."""
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with open(path) as file:
            for one in file.read().split():
                with open(f"/proc/{one}/comm") as name:
                    if name.read().strip() == "java":
                        return one
    raise SystemExit("the program does not run")


def drilled(spl, home, classes, folder, program):
    """The heap as `spl` has found it, and the JVM's dump."""
    command = [spl, "metrics", "--heap", "--replace", "--for", "2s", "--what", "blocks", "--out", folder, "--", f"{home}/bin/java", "-XX:+UseSerialGC"]
    run = subprocess.Popen([*command, "-cp", classes, program, "wait"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    watch = threading.Timer(120, run.kill)
    watch.start()
    try:
        for line in run.stderr:
            if "of the heap were looked at" in line:
                break
        dump = os.path.join(folder, "heap.hprof")
        if os.path.exists(dump):
            os.remove(dump)
        subprocess.run(["jcmd", child(run.pid), "GC.heap_dump", dump], check=True, stdout=subprocess.DEVNULL, timeout=60)
        run.stdin.write("\n")
        run.stdin.close()
        run.stderr.read()
        if run.wait() != 0:
            raise SystemExit(f"spl ended with status {run.returncode}")
    finally:
        watch.cancel()
    with open(os.path.join(folder, "drill", "events.json")) as file:
        heap = json.load(file)["heap"]
    ours = collections.defaultdict(lambda: ([0] * 5, [0] * 5))
    for one in heap:
        for to, numbers in zip(ours[one["class"]], (one["objects"], one["places"])):
            to[:] = [left + right for left, right in zip(to, numbers)]
    return ours, Dump(dump).found()


def is_jdk(name):
    return name.lstrip("[L").startswith(("java/", "javax/", "jdk/", "sun/", "com/sun/")) or name.startswith("[") and not name.endswith(";")


def main(spl, home, classes, folder, *programs):
    for program in programs:
        ours, theirs = drilled(spl, os.path.abspath(home), classes, os.path.abspath(folder), program)
        # Arrays that are not reachable fill gaps between objects. A class that was never prepared has fields in the dump alone.
        theirs["[I"][0][0] = ours["[I"][0][0]
        names = {name for name in {*ours, *theirs} if any(ours[name][0]) or any(theirs[name][0]) or any(ours[name][1])}
        # The dump has no classes that are in the JVM's archive and were not loaded.
        names = {name for name in names if name != "java/lang/Class" and not name.startswith("java/lang/Spl")}
        differ = sorted(name for name in names if ours[name] != theirs[name])
        own = [name for name in names if not is_jdk(name)]
        objects = sum(sum(theirs[name][0]) for name in names)
        apart = sum(abs(left - right) for name in differ for left, right in zip(ours[name][0], theirs[name][0]))
        wrong = [name for name in own if name in differ]
        if wrong or not own or apart > MAY_DIFFER * objects:
            shown = "; ".join(f"{name} {ours[name]} {theirs[name]}" for name in (wrong or differ)[:6])
            raise SystemExit(f"{program}: {apart} of {objects} objects differ, of {len(differ)} of {len(names)} classes: {shown}")
        print(f"{program}: {len(own)} own classes agree, and {objects - apart} of {objects} objects", end=" ")
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
