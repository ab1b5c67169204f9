#!/usr/bin/env python3
"""Compares traces with other witnesses of the same run, and writes one by itself.

sequence REPLAY BLOCKS STEPS   `spl trace replay` with the steps of the witness (sequence=): every activation with its caller and its blocks
never-wrong REPLAY WHOLE       a replay with gaps with one without them: each known activation has its methods, blocks in a row, and callers
prefix REPLAY WHOLE            a replay of a part is the beginning of the whole one
paths LINES ROUNDS             paths of the program Routes, with as many of its rounds
events REPLAY EVENTS GOLDENS   `spl trace events` of the first thread with its replay, and of the numbers in the paper
receivers LINES TABLE          `spl trace sites` with receivers.csv of a drill of calls of the same program
times CALLS EVENTS SLEEP...     `spl trace calls` and the events of `spl trace timeline` of the program Sleeps, with its arguments
write FOLDER                   the trace of a thread 7 that calls a method three times, by no other program than this
"""

import csv
import json
import struct
import sys


class Activation:
    def __init__(self, method, caller):
        self.method, self.caller, self.blocks, self.ended = method, caller, [], None


def in_initialiser(one):
    """Steps in class initialisers are hidden from the witness."""
    while one:
        if ".<clinit>" in one.method:
            return True
        one = one.caller
    return False


def of_replay(path):
    """The activations of the first thread of a replay, in the order in which they begin; and whether events are missing."""
    stack, all, lost = {}, [], False
    for line in open(path):
        words = line.split()
        if words[0] == "thread":
            if all:
                break
            continue
        if words[0] == "?":
            # Unknown activations are on the stack from now on.
            lost = True
            continue
        depth = int(words[0])
        if words[1] == ">":
            stack = {level: one for level, one in stack.items() if level < depth}
            one = Activation(" ".join(words[2:]), stack.get(depth - 1))
            stack[depth] = one
            all.append(one)
        elif words[1] == "=":
            stack[depth].blocks += [int(word) for word in words[2:] if word.isdigit()]
        else:
            stack.pop(depth).ended = words[-1]
    return all, lost


def of_steps(path, blocks):
    heads = {}
    for row in csv.DictReader(open(blocks)):
        heads.setdefault(row["method"], {})[int(row["first"])] = int(row["block"])
    stack, all = [], []
    for line in open(path):
        words = line.split()
        depth = int(words[0])
        if words[1] == ">":
            del stack[depth - 1 :]
            stack.append(Activation(" ".join(words[2:]), stack[-1] if stack else None))
            all.append(stack[-1])
        else:
            del stack[depth:]
            block = heads[stack[-1].method].get(int(words[1]))
            stack[-1].blocks += [] if block is None else [block]
    return all


def sequence(replay, blocks, steps):
    told, lost = of_replay(replay)
    ran = of_steps(steps, blocks)
    assert not lost, "events are missing"
    told, ran = ([one for one in all if not in_initialiser(one)] for all in (told, ran))
    number = {id(one): place for all in (told, ran) for place, one in enumerate(all)}
    for place, (one, other) in enumerate(zip(told, ran)):
        callers = [number.get(id(activation.caller)) for activation in (one, other)]
        assert one.method == other.method, f"activation {place}: {one.method}, not {other.method}"
        assert callers[0] == callers[1], f"activation {place} of {one.method} is called by {callers}"
        assert one.blocks == other.blocks, f"activation {place} of {one.method}: {one.blocks}, not {other.blocks}"
    assert len(told) == len(ran), f"{len(told)} activations, not {len(ran)}"
    print(f"{len(told)} activations, {sum(len(one.blocks) for one in told)} blocks, each with its caller, in their order")


def path_of(one):
    path = []
    while one:
        path.append(one.method)
        one = one.caller
    return tuple(path)


def never_wrong(replay, whole):
    told, lost = of_replay(replay)
    ran, _ = of_replay(whole)
    stacks = {path_of(one) for one in ran}
    rows = {}
    for one in ran:
        rows.setdefault(one.method, set()).add(" ".join(map(str, one.blocks)) + " ")
    assert lost, "nothing is missing: this shows nothing"
    for one in told:
        path = path_of(one)
        # Callers above unknown ones are not known: the known part has to be the inner part of a stack.
        assert any(stack[: len(path)] == path for stack in stacks), f"no such stack: {path}"
        if one.ended in ("returned", "exception"):
            blocks = " ".join(map(str, one.blocks)) + " "
            assert any(blocks == row or one.blocks and blocks in row for row in rows[one.method]) or not one.blocks or lost, one.method
    print(f"{len(told)} of {len(ran)} activations are left, and each stands on a stack that there was")


def prefix(replay, whole):
    (told, lost), (ran, _) = of_replay(replay), of_replay(whole)
    assert not lost and told, "nothing to compare"
    for one, other in zip(told, ran):
        same = one.blocks == other.blocks or one.ended in (None, "unknown") and other.blocks[: len(one.blocks)] == one.blocks
        # Its own way depends on how the program is to end.
        same |= one.method.startswith("Traced.main(")
        assert path_of(one) == path_of(other) and same, f"{one.method}: {one.blocks}, not {other.blocks}"
    assert len(told) <= len(ran)
    print(f"{len(told)} of {len(ran)} activations")


def paths(lines, rounds):
    lines, rounds = [json.loads(line) for line in open(lines)], int(rounds)
    of = lambda name: [(line["path"], line["count"]) for line in lines if f".{name}(" in line["method"] and "path" in line]
    assert of("turns") == [("0 (1 2 3 4)^50 (1 2 4)^50 1 5", rounds)], of("turns")
    assert of("collatz") == [("0 (1 2 4 5)^41 (1 2 3 5)^70 1 6", rounds + 4)], of("collatz")
    assert len(of("many")) == 10_000
    sums = [line for line in lines if "path" not in line]
    for line in sums:
        told = sum(one["count"] for one in lines if one["method"] == line["method"] and "path" in one)
        assert told + line["other"] + line["partly"] == line["calls"], line
    other = next(line["other"] for line in sums if ".many(" in line["method"])
    assert other == rounds - 10_000
    print(f"{sum(line['calls'] for line in sums)} calls, {sum(line['paths'] for line in sums)} paths, {other} calls of others")


def events(replay, read, goldens):
    stack, told = {}, []
    for line in list(open(replay))[1:]:
        depth, kind, rest = line.rstrip("\n").split(" ", 2) if not line.startswith("thread") else (None, None, None)
        if depth is None:
            break
        if kind == ">":
            stack[depth] = rest
            told.append(f"> {rest}")
        elif kind == "=":
            told += [f"= {block} {stack[depth]}" for block in rest.split() if block.isdigit()]
        elif rest.endswith(" returned"):
            told.append(f"< {stack[depth]}")
    assert told == open(read).read().splitlines()
    number = "method 5328"
    assert open(goldens).read().splitlines() == [f"> {number}", f"= 0 {number}", f"= 4 {number}", f"< {number}"]
    print(f"{len(told)} events")


def receivers(lines, table):
    """Executions, entries, methods, classes and changes of each call whose receiver chooses."""
    traced = {}
    for line in map(json.loads, open(lines)):
        assert line["unknown"] == 0, line
        figures = line["executions"], line["entered"], len(line["targets"]), len(line["receivers"]), line["changes"]
        traced[line["method"], line["offset"]] = figures
    rows = list(csv.reader(open(table)))[1:]
    counted = {(row[0], int(row[1])): tuple(map(int, row[6:11])) for row in rows}
    assert traced == counted, set(traced.items()) ^ set(counted.items())
    print(f"{len(traced)} places, {sum(figures[4] for figures in traced.values())} changes")


def times(calls, events, *sleeps):
    """Of three requests the second sleeps twice, and the third ends with an exception."""
    slept = {number + 1: int(sleep) * (2 if number % 3 == 1 else 1) for number, sleep in enumerate(sleeps)}
    calls = [json.loads(line) for line in open(calls)]
    order = [call["call"] for call in calls]
    assert order == sorted(slept, key=slept.get, reverse=True), f"the slowest first: {order}"
    shown = [event for event in json.load(open(events))["traceEvents"] if event["ph"] == "X"]
    longest = 0
    for call in calls:
        number, took = call["call"], call["duration_ns"]
        assert call["ended"] == ("exception" if number % 3 == 0 else "returned"), call
        within = [event for event in shown if event["args"]["call"] == number]
        own = sum(round(1000 * event["args"].get("own_us", 0)) for event in within)
        pauses = [event["dur"] / 1000 for event in within if event["name"] == "Sleeps.pause"]
        assert own == took, f"call {number} took {took} ns, and its own times are {own} ns"
        assert len(pauses) == (2 if number % 3 == 2 else 1)
        assert all(pause >= slept[number] / len(pauses) for pause in pauses), f"call {number} pauses {pauses} ms"
        longest = max(longest, took / 1e6 - slept[number])
    print(f"{len(calls)} requests that sleep {sum(slept.values())} ms, at most {longest:.1f} ms more each; {len(shown)} calls")


def digest(data):
    hash = 0xCBF29CE484222325
    for at in range(0, len(data), 8):
        word = int.from_bytes(data[at : at + 8].ljust(8, b"\0"), "little")
        hash = (hash ^ word) * 0x100000001B3 % 2**64
    return hash


def write(folder):
    """Three calls of a method that runs one segment, so that each has one word."""
    table = csv.DictReader(open(f"{folder}/methods.csv"))
    number = next(int(row["number"]) for row in table if row["method"] == "Traced$Derived.get()I")
    words = [7 << 29 | 2, 7, 0, 0, 6 << 29, 12345, 0]
    for _ in range(3):
        words.append(1 << 29 | 1 << 21 | number)
    data = struct.pack(f"<{len(words)}I", *words)
    frame = b"FRAM" + struct.pack("<IIIIIQQ", 0, len(words), len(data), 0, 0, 0, digest(data)) + data
    with open(f"{folder}/7.spt", "wb") as file:
        file.write(b"SPLTRACE" + struct.pack("<IIQ", 1, 0, 7) + frame)


if __name__ == "__main__":
    commands = {"sequence": sequence, "never-wrong": never_wrong, "prefix": prefix, "paths": paths, "events": events}
    commands |= {"receivers": receivers, "times": times}
    try:
        if sys.argv[1] == "write":
            write(sys.argv[2])
        else:
            commands[sys.argv[1]](*sys.argv[2:])
    except AssertionError as wrong:
        print(str(wrong)[:500])
        sys.exit(1)
