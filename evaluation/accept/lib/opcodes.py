#!/usr/bin/env python3
"""Compares the opcodes that ran with those of a second counter, which put a call in front of each instruction (java/Naive.java). Reads
the class files of a drill by itself. Ends with status 1 if a method that both have differs.

Usage: opcodes.py DRILL COUNTS     the folder of the drill's files; the file of the second counter
"""

import collections
import csv
import pathlib
import struct
import sys
import zipfile

# Bytes of the operands of each opcode (JVMS 6.5), where they are not 0; switches and wide are apart.
OPERANDS = {
    **dict.fromkeys([0x10, 0x12, *range(0x15, 0x1A), *range(0x36, 0x3B), 0xA9, 0xBC], 1),
    **dict.fromkeys([0x11, 0x13, 0x14, 0x84, *range(0x99, 0xA9), *range(0xB2, 0xB9), 0xBB, 0xBD, 0xC0, 0xC1, 0xC6, 0xC7], 2),
    0xC5: 3,
    **dict.fromkeys([0xB9, 0xBA, 0xC8, 0xC9], 4),
}
TABLESWITCH, LOOKUPSWITCH, WIDE, IINC = 0xAA, 0xAB, 0xC4, 0x84


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def u(self, size):
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "big")


def constants(reader):
    """The texts of the pool and its classes."""
    texts, classes, at, count = {}, {}, 1, reader.u(2)
    while at < count:
        tag = reader.u(1)
        if tag == 1:
            length = reader.u(2)
            texts[at] = reader.data[reader.at : reader.at + length].decode("utf-8", "replace")
            reader.at += length
        elif tag == 7:
            classes[at] = reader.u(2)
        else:
            reader.at += {3: 4, 4: 4, 5: 8, 6: 8, 8: 2, 15: 3, 16: 2, 19: 2, 20: 2}.get(tag, 4)
        at += 2 if tag in (5, 6) else 1
    return texts, classes


def methods(data):
    """Each method of a class file with its opcodes by offset."""
    reader = Reader(data)
    reader.at = 8
    texts, classes = constants(reader)
    reader.at += 2
    name = texts[classes[reader.u(2)]].replace("/", ".")
    reader.at += 2
    interfaces = reader.u(2)
    reader.at += 2 * interfaces
    for of_methods in (False, True):
        for _ in range(reader.u(2)):
            reader.at += 2
            method = f"{name}.{texts[reader.u(2)]}{texts[reader.u(2)]}"
            for _ in range(reader.u(2)):
                attribute, length = texts[reader.u(2)], reader.u(4)
                if of_methods and attribute == "Code":
                    size = int.from_bytes(data[reader.at + 4 : reader.at + 8], "big")
                    yield method, instructions(data[reader.at + 8 : reader.at + 8 + size])
                reader.at += length


def instructions(code):
    found, at = {}, 0
    while at < len(code):
        opcode = code[at]
        if opcode == WIDE:
            found[at] = code[at + 1]
            at += 6 if code[at + 1] == IINC else 4
        elif opcode in (TABLESWITCH, LOOKUPSWITCH):
            found[at] = opcode
            head = (at + 4) & ~3
            if opcode == TABLESWITCH:
                least, most = struct.unpack_from(">ii", code, head + 4)
                at = head + 12 + 4 * (most - least + 1)
            else:
                at = head + 8 + 8 * struct.unpack_from(">i", code, head + 4)[0]
        else:
            found[at] = opcode
            at += 1 + OPERANDS.get(opcode, 0)
    return found


def plain(opcode):
    """Short forms as the long ones, as the other library has them."""
    for first, last, of, each in [(0x1A, 0x2D, 0x15, 4), (0x3B, 0x4E, 0x36, 4)]:
        if first <= opcode <= last:
            return of + (opcode - first) // each
    return {0x13: 0x12, 0x14: 0x12, 0xC8: 0xA7, 0xC9: 0xA8}.get(opcode, opcode)


def ours(drill):
    """Counts of opcodes of each method, but for methods of which an exception left a block."""
    code, counts, cut = {}, collections.defaultdict(collections.Counter), set()
    with zipfile.ZipFile(drill / "classes.zip") as archive:
        for entry in archive.namelist():
            code.update(methods(archive.read(entry)))
    with open(drill / "blocks.csv", newline="") as file:
        for row in csv.DictReader(file):
            name, _, parameters = row["method"].partition("(")
            method, count = f"{name.replace('/', '.')}({parameters}", int(row["count"])
            if row["gone"] not in ("", "0"):
                cut.add(method)
            for at, opcode in code[method].items():
                if int(row["first"]) <= at <= int(row["last"]):
                    counts[method][plain(opcode)] += count
    return {method: counter for method, counter in counts.items() if method not in cut}, cut


def theirs(path):
    counts = collections.defaultdict(collections.Counter)
    with open(path) as file:
        for line in file:
            method, opcode, count = line.rsplit(" ", 2)
            counts[method][int(opcode)] += int(count)
    return counts


def main(drill, path):
    (mine, cut), other = ours(pathlib.Path(drill)), theirs(path)
    both = mine.keys() & other.keys()
    differ = [method for method in sorted(both) if +mine[method] != +other[method]]
    executed = sum(sum(mine[method].values()) for method in both)
    kinds = len({opcode for method in both for opcode in +mine[method]})
    print(f"{executed:,} instructions of {kinds} opcodes in {len(both)} methods, {len(differ)} differ {differ[:3] or ''};", end=" ")
    print(f"exceptions left blocks of {len(cut & other.keys())} more")
    return not differ and executed


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
